//! Public keys and signatures as they are on the wire (sections 5.1.1 and 5.1.2), and parent hashes.
//! Those of the Curve25519 suites lie where they are held; only longer ones are allocated.

use std::fmt;

use smallvec::SmallVec;

use crate::codec::{Decode, DecodeError, Encode, EncodeError, Reader, encode_opaque, opaque_len};

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident, $inline:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(SmallVec<[u8; $inline]>);

        impl $name {
            /// The bytes.
            #[must_use]
            pub fn as_slice(&self) -> &[u8] {
                &self.0
            }
        }

        impl From<Vec<u8>> for $name {
            fn from(bytes: Vec<u8>) -> Self {
                if bytes.len() > $inline { Self(SmallVec::from_vec(bytes)) } else { Self::from(bytes.as_slice()) }
            }
        }

        impl From<&[u8]> for $name {
            fn from(bytes: &[u8]) -> Self {
                Self(SmallVec::from_slice(bytes))
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

        /// `opaque x<V>`.
        impl Encode for $name {
            fn encoded_len(&self) -> usize {
                opaque_len(&self.0)
            }

            fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
                encode_opaque(&self.0, out)
            }
        }

        impl Decode for $name {
            fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                reader.opaque().map(Self::from)
            }
        }
    )+};
}

opaque! {
    /// `HPKEPublicKey`: as its KEM serialises it. Not checked by being one; see
    /// [`crypto_api::Suite::check_public_key`].
    HpkePublicKey, 32;
    /// `SignaturePublicKey`: as its scheme serialises it. Not checked by being one; see
    /// [`crypto_api::Suite::verifying_key`].
    SignaturePublicKey, 32;
    /// A signature, as its scheme serialises it.
    Signature, 64;
    /// A `parent_hash` (section 7.9); empty in the topmost node of a path.
    ParentHash, 32;
}
