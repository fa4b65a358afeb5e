//! Public keys and signatures as they are on the wire (sections 5.1.1 and 5.1.2).

use std::fmt;

use crate::codec_newtype;

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Vec<u8>);

        impl $name {
            /// The bytes.
            #[must_use]
            pub fn as_slice(&self) -> &[u8] {
                &self.0
            }
        }

        impl From<Vec<u8>> for $name {
            fn from(bytes: Vec<u8>) -> Self {
                Self(bytes)
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
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

        codec_newtype!($name);
    )+};
}

opaque! {
    /// `HPKEPublicKey`: as its KEM serialises it. Not checked by being one; see
    /// [`crypto_api::Suite::check_public_key`].
    HpkePublicKey;
    /// `SignaturePublicKey`: as its scheme serialises it. Not checked by being one; see
    /// [`crypto_api::Suite::verifying_key`].
    SignaturePublicKey;
    /// A signature, as its scheme serialises it.
    Signature;
}
