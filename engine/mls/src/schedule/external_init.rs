//! External initialisation (section 8.3).

use std::sync::OnceLock;

use crypto_api::{HpkePrivateKey, Secret, Suite};

use super::InitSecret;
use crate::{
    Error, PeerError, Result,
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    crypto::HpkePublicKey,
};

/// The exporter context of both sides: here the label is a whole one.
const LABEL: &[u8] = b"MLS 1.0 external init secret";

/// `external_secret`. Its key pair is made when it is first asked for: most epochs see no external
/// commit, and with some KEMs it costs more than all the rest of the key schedule.
#[derive(Debug, Clone)]
pub struct ExternalSecret {
    secret: Secret,
    key_pair: OnceLock<HpkePrivateKey>,
}

impl ExternalSecret {
    /// The secret itself.
    #[must_use]
    pub fn as_secret(&self) -> &Secret {
        &self.secret
    }

    /// `external_priv` with `external_pub`.
    ///
    /// # Errors
    ///
    /// If the library failed.
    pub fn key_pair(&self, suite: &dyn Suite) -> Result<&HpkePrivateKey> {
        if let Some(key_pair) = self.key_pair.get() {
            return Ok(key_pair);
        }
        let key_pair = suite.derive_key_pair(self.secret.as_slice())?;
        Ok(self.key_pair.get_or_init(|| key_pair))
    }
}

impl From<Secret> for ExternalSecret {
    fn from(secret: Secret) -> Self {
        Self { secret, key_pair: OnceLock::new() }
    }
}

impl Encode for ExternalSecret {
    fn encoded_len(&self) -> usize {
        self.secret.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.secret.encode(out)
    }
}

impl Decode for ExternalSecret {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.read::<Secret>().map(Self::from)
    }
}

impl InitSecret {
    /// The joiner's side: a fresh init secret for the group with this `external_pub`, and the
    /// `kem_output` for the ExternalInit proposal.
    ///
    /// # Errors
    ///
    /// [`PeerError::BadKey`] if `external_pub` is no key.
    pub fn send_external(
        suite: &dyn Suite,
        external_pub: &HpkePublicKey,
    ) -> Result<(Vec<u8>, Self)> {
        let (kem_output, secret) = suite
            .send_export(external_pub.as_slice(), &[], LABEL, suite.kdf_nh())
            .map_err(Error::of_peer(PeerError::BadKey))?;
        Ok((kem_output, secret.into()))
    }

    /// The members' side: the init secret that the `kem_output` of an ExternalInit proposal says.
    ///
    /// # Errors
    ///
    /// [`PeerError::Undecryptable`] if it says none.
    pub fn receive_external(
        suite: &dyn Suite,
        external_secret: &ExternalSecret,
        kem_output: &[u8],
    ) -> Result<Self> {
        let key_pair = external_secret.key_pair(suite)?;
        suite
            .receive_export(key_pair, kem_output, &[], LABEL, suite.kdf_nh())
            .map(Self::from)
            .map_err(Error::of_peer(PeerError::Undecryptable))
    }
}
