//! `ExpandWithLabel` and what is made of it (sections 8 and 9.1).

use crypto_api::{Secret, Suite};

use super::LabelHeaders;
use crate::{CallerError, Result};

/// `ExpandWithLabel(Secret, Label, Context, Length)`.
///
/// # Errors
///
/// If an input is too long to encode or the output too long for the KDF.
pub fn expand_with_label(
    suite: &dyn Suite,
    secret: &Secret,
    label: &[u8],
    context: &[u8],
    length: usize,
) -> Result<Secret> {
    Secret::try_from_fn(length, |out| {
        expand_with_label_into(suite, secret.as_slice(), label, context, out)
    })
}

/// [`expand_with_label`] into a buffer that the caller wipes.
///
/// # Errors
///
/// If an input is too long to encode or the output too long for the KDF.
pub fn expand_with_label_into(
    suite: &dyn Suite,
    secret: &[u8],
    label: &[u8],
    context: &[u8],
    out: &mut [u8],
) -> Result<()> {
    let length = u16::try_from(out.len())
        .ok()
        .filter(|length| usize::from(*length) <= 255 * suite.kdf_nh())
        .ok_or(CallerError::Invalid("more output than the KDF can give"))?
        .to_be_bytes();
    let headers = LabelHeaders::new(label, context)?;
    let [label_header, prefix, label, context_header, context] = headers.parts(label, context);
    let kdf_label = [&length, label_header, prefix, label, context_header, context];
    Ok(suite.expand(secret, &kdf_label, out)?)
}

/// `DeriveSecret(Secret, Label)`.
///
/// # Errors
///
/// If the library failed.
pub fn derive_secret(suite: &dyn Suite, secret: &Secret, label: &[u8]) -> Result<Secret> {
    expand_with_label(suite, secret, label, b"", suite.kdf_nh())
}

/// `DeriveTreeSecret(Secret, Label, Generation, Length)`.
///
/// # Errors
///
/// If the output is too long for the KDF.
pub fn derive_tree_secret(
    suite: &dyn Suite,
    secret: &Secret,
    label: &[u8],
    generation: u32,
    length: usize,
) -> Result<Secret> {
    expand_with_label(suite, secret, label, &generation.to_be_bytes(), length)
}
