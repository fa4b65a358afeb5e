//! Opaque bytes, one type per meaning, so that a Welcome can't be passed for a commit.

use std::fmt;

use zeroize::Zeroizing;

macro_rules! opaque_bytes {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Vec<u8>);

        impl $name {
            /// Wraps bytes without looking at them.
            #[must_use]
            pub fn new(bytes: Vec<u8>) -> Self {
                Self(bytes)
            }

            /// The bytes.
            #[must_use]
            pub fn as_slice(&self) -> &[u8] {
                &self.0
            }

            /// How many bytes.
            #[must_use]
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether there are none.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl From<Vec<u8>> for $name {
            fn from(bytes: Vec<u8>) -> Self {
                Self(bytes)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({} bytes: ", stringify!($name), self.0.len())?;
                for byte in self.0.iter().take(8) {
                    write!(f, "{byte:02x}")?;
                }
                f.write_str(if self.0.len() > 8 { "..)" } else { ")" })
            }
        }
    )+};
}

opaque_bytes! {
    /// A published key package, framed as the wire profile says (`mls`: an `MLSMessage`).
    KeyPackageBytes;
    /// A Welcome as one invitee receives it.
    WelcomeBytes;
    /// A commit as published to the group.
    CommitBytes;
    /// An application message as published to the group.
    AppBytes;
    /// The id that all members of a group know it by.
    GroupId;
    /// What a credential says of a member: the name, or the public key that serves as one.
    Identity;
    /// A value that two members of a group share if and only if they are in the same epoch of it.
    EpochAuthenticator;
}

/// A client's whole state, secrets included: wiped when dropped, silent in `Debug`.
#[derive(Clone)]
pub struct SnapshotBytes(Zeroizing<Vec<u8>>);

impl SnapshotBytes {
    /// Takes the bytes over.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// How many bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SnapshotBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SnapshotBytes({} bytes)", self.0.len())
    }
}
