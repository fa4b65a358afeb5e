//! `psk_secret` (section 8.4).

use crypto_api::{Secret, Suite};

use super::secret_types;
use crate::{
    CallerError, Error, Result, codec::Encode, crypto::expand_with_label, types::PreSharedKeyId,
};

secret_types! {
    /// `psk_secret`: all PSKs of a commit in one.
    PskSecret;
}

impl PskSecret {
    /// The one of a commit without PSKs: all zero.
    #[must_use]
    pub fn none(suite: &dyn Suite) -> Self {
        Self(Secret::zero(suite.kdf_nh()))
    }

    /// The one of these PSKs, in the order of the commit or of the GroupSecrets.
    ///
    /// # Errors
    ///
    /// [`crate::PeerError::Invalid`] if a nonce isn't `KDF.Nh` bytes long,
    /// [`CallerError::Invalid`] for more than 65535 PSKs.
    pub fn derive(suite: &dyn Suite, psks: &[(&PreSharedKeyId, &Secret)]) -> Result<Self> {
        let count = u16::try_from(psks.len())
            .map_err(|_| CallerError::Invalid("more PSKs than a PSKLabel can count"))?;
        let mut psk_secret = Self::none(suite).0;
        // The salt of each is the same as what there is before the first.
        let zero = if psks.is_empty() { None } else { Some(psk_secret.clone()) };
        let zero = zero.as_ref().map_or(&[][..], Secret::as_slice);
        for (index, (id, psk)) in (0..count).zip(psks) {
            if id.psk_nonce.len() != suite.kdf_nh() {
                return Err(Error::invalid("8.4: a psk_nonce is not KDF.Nh bytes long"));
            }
            let label = psk_label(id, index, count)?;
            let extracted = suite.extract(zero, &[psk.as_slice()]);
            let length = suite.kdf_nh();
            let input = expand_with_label(suite, &extracted, b"derived psk", &label, length)?;
            psk_secret = suite.extract(input.as_slice(), &[psk_secret.as_slice()]);
        }
        Ok(Self(psk_secret))
    }
}

/// `PSKLabel`, encoded.
fn psk_label(id: &PreSharedKeyId, index: u16, count: u16) -> Result<Vec<u8>> {
    let mut label = Vec::with_capacity(id.encoded_len() + 4);
    id.encode(&mut label)?;
    index.encode(&mut label)?;
    count.encode(&mut label)?;
    Ok(label)
}
