//! `EncryptWithLabel` and `DecryptWithLabel` (section 5.1.3).

use crypto_api::{HpkeCiphertext, HpkePrivateKey, SealTo, Secret, Suite};

use super::{HpkePublicKey, LabelHeaders};
use crate::{Error, PeerError, Result, parallel};

/// `EncryptWithLabel(PublicKey, Label, Context, Plaintext)`.
///
/// # Errors
///
/// [`PeerError::BadKey`] if the public key is no good.
pub fn encrypt_with_label(
    suite: &dyn Suite,
    public: &HpkePublicKey,
    label: &[u8],
    context: &[u8],
    plaintext: &[u8],
) -> Result<HpkeCiphertext> {
    let headers = LabelHeaders::new(label, context)?;
    suite
        .seal_base(public.as_slice(), &headers.parts(label, context), b"", plaintext)
        .map_err(Error::of_peer(PeerError::BadKey))
}

/// [`encrypt_with_label`] to many recipients under one label and context, in order: the context is
/// hashed once.
///
/// # Errors
///
/// [`PeerError::BadKey`] if one of the public keys is no good.
pub fn encrypt_with_label_batch(
    suite: &dyn Suite,
    recipients: &[SealTo<'_>],
    label: &[u8],
    context: &[u8],
) -> Result<Vec<HpkeCiphertext>> {
    let headers = LabelHeaders::new(label, context)?;
    parallel::seal_base_batch(suite, recipients, &headers.parts(label, context))
        .map_err(Error::of_peer(PeerError::BadKey))
}

/// `DecryptWithLabel(PrivateKey, Label, Context, KEMOutput, Ciphertext)`.
///
/// # Errors
///
/// [`PeerError::Undecryptable`] if it doesn't open.
pub fn decrypt_with_label(
    suite: &dyn Suite,
    private: &HpkePrivateKey,
    label: &[u8],
    context: &[u8],
    ciphertext: &HpkeCiphertext,
) -> Result<Secret> {
    let headers = LabelHeaders::new(label, context)?;
    suite
        .open_base(private, ciphertext, &headers.parts(label, context), b"")
        .map_err(Error::of_peer(PeerError::Undecryptable))
}
