//! `MLS-Exporter` (section 8.5).

use crypto_api::{Secret, Suite};

use super::ExporterSecret;
use crate::{
    Result,
    crypto::{derive_secret, expand_with_label},
};

impl ExporterSecret {
    /// `MLS-Exporter(Label, Context, Length)`. The label is given without "MLS 1.0 ", which is put
    /// in front of it as in front of any other.
    ///
    /// # Errors
    ///
    /// [`crate::CallerError::Invalid`] if more is asked for than the KDF can give.
    pub fn export(
        &self,
        suite: &dyn Suite,
        label: &[u8],
        context: &[u8],
        length: usize,
    ) -> Result<Secret> {
        let secret = derive_secret(suite, self.as_secret(), label)?;
        let context = suite.hash(&[context]);
        expand_with_label(suite, &secret, b"exported", context.as_slice(), length)
    }
}
