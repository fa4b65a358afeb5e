//! Cryptographic objects (section 5) and the labelled functions over a cipher suite.
//!
//! Labels are given without the "MLS 1.0 " that the RFC puts in front of them, but for
//! [`ref_hash`], whose label is the whole one.

mod expand;
mod keys;
mod public_key_encryption;
mod ref_hash;
mod signing;

pub use expand::{derive_secret, derive_tree_secret, expand_with_label, expand_with_label_into};
pub use keys::{HpkePublicKey, ParentHash, Signature, SignaturePublicKey};
pub use public_key_encryption::{decrypt_with_label, encrypt_with_label, encrypt_with_label_batch};
pub use ref_hash::{HashReference, make_key_package_ref, make_proposal_ref, ref_hash};
pub(crate) use signing::{MAX_HEAD, sign_content_head, sign_encoded, verify_encoded};
pub use signing::{SignContent, sign_with_label, verify_with_label};

use crate::codec::{EncodeError, LengthHeader};

/// What every label but those of [`ref_hash`] starts with.
const PREFIX: &[u8] = b"MLS 1.0 ";

/// The headers of `struct { opaque label<V>; opaque context<V>; }`, so that the struct can be
/// hashed from five slices: header, prefix, label, header, context.
struct LabelHeaders {
    label: LengthHeader,
    context: LengthHeader,
}

impl LabelHeaders {
    fn new(label: &[u8], context: &[u8]) -> Result<Self, EncodeError> {
        Ok(Self {
            label: LengthHeader::new(PREFIX.len() + label.len())?,
            context: LengthHeader::new(context.len())?,
        })
    }

    fn parts<'a>(&'a self, label: &'a [u8], context: &'a [u8]) -> [&'a [u8]; 5] {
        [self.label.as_slice(), PREFIX, label, self.context.as_slice(), context]
    }
}
