//! From one epoch's secrets to the next one's (section 8).

use crypto_api::{Digest, Secret, Suite};

use super::{EpochSecrets, PskSecret, secret_types};
use crate::{
    Error, PeerError, Result,
    crypto::{derive_secret, expand_with_label},
};

secret_types! {
    /// `init_secret`: what an epoch hands on to the next one.
    InitSecret;
    /// `joiner_secret`: what new members are given.
    JoinerSecret;
    /// `welcome_secret`: what the GroupInfo in a Welcome is encrypted with.
    WelcomeSecret;
    /// `epoch_secret`: what all other secrets of an epoch come from.
    EpochSecret;
    /// `encryption_secret`: the root of an epoch's secret tree.
    EncryptionSecret;
}

impl JoinerSecret {
    /// The joiner secret of the epoch with this encoded GroupContext. Without a `commit_secret` it
    /// is the one of a commit without a path: all zero.
    ///
    /// # Errors
    ///
    /// If the context is too long to encode.
    pub fn derive(
        suite: &dyn Suite,
        init_secret: &InitSecret,
        commit_secret: Option<&Secret>,
        group_context: &[u8],
    ) -> Result<Self> {
        const NONE: [u8; Digest::MAX_LENGTH] = [0; Digest::MAX_LENGTH];
        let none = NONE.get(..suite.kdf_nh()).unwrap_or_default();
        let commit_secret = commit_secret.map_or(none, Secret::as_slice);
        let extracted = suite.extract(init_secret.0.as_slice(), &[commit_secret]);
        expand_with_label(suite, &extracted, b"joiner", group_context, suite.kdf_nh()).map(Self)
    }

    /// The welcome secret that goes with it.
    ///
    /// # Errors
    ///
    /// If the library failed.
    pub fn welcome_secret(
        &self,
        suite: &dyn Suite,
        psk_secret: &PskSecret,
    ) -> Result<WelcomeSecret> {
        derive_secret(suite, &self.with_psks(suite, psk_secret), b"welcome").map(WelcomeSecret)
    }

    /// The secret of the epoch with this encoded GroupContext.
    ///
    /// # Errors
    ///
    /// If the context is too long to encode.
    pub fn epoch_secret(
        &self,
        suite: &dyn Suite,
        psk_secret: &PskSecret,
        group_context: &[u8],
    ) -> Result<EpochSecret> {
        let extracted = self.with_psks(suite, psk_secret);
        expand_with_label(suite, &extracted, b"epoch", group_context, suite.kdf_nh())
            .map(EpochSecret)
    }

    fn with_psks(&self, suite: &dyn Suite, psk_secret: &PskSecret) -> Secret {
        let psk_secret = psk_secret.as_secret();
        suite.extract(self.0.as_slice(), &[psk_secret.as_slice()])
    }
}

impl WelcomeSecret {
    /// Encrypts an encoded GroupInfo: the `encrypted_group_info` of a Welcome (section 12.4.3.1).
    ///
    /// # Errors
    ///
    /// If the library failed.
    pub fn encrypt_group_info(&self, suite: &dyn Suite, group_info: &[u8]) -> Result<Vec<u8>> {
        let (key, nonce) = self.key_and_nonce(suite)?;
        let mut buffer = Vec::with_capacity(group_info.len() + suite.aead_nt());
        buffer.extend_from_slice(group_info);
        suite.aead_seal(key.as_slice(), nonce.as_slice(), b"", &mut buffer)?;
        Ok(buffer)
    }

    /// Decrypts the `encrypted_group_info` of a Welcome: an encoded GroupInfo, not verified yet.
    ///
    /// # Errors
    ///
    /// [`PeerError::Undecryptable`] if it doesn't open.
    pub fn decrypt_group_info(&self, suite: &dyn Suite, encrypted: &[u8]) -> Result<Vec<u8>> {
        let (key, nonce) = self.key_and_nonce(suite)?;
        let mut buffer = encrypted.to_vec();
        suite
            .aead_open(key.as_slice(), nonce.as_slice(), b"", &mut buffer)
            .map_err(Error::of_peer(PeerError::Undecryptable))?;
        Ok(buffer)
    }

    fn key_and_nonce(&self, suite: &dyn Suite) -> Result<(Secret, Secret)> {
        let key = expand_with_label(suite, &self.0, b"key", b"", suite.aead_nk())?;
        let nonce = expand_with_label(suite, &self.0, b"nonce", b"", suite.aead_nn())?;
        Ok((key, nonce))
    }
}

impl EpochSecret {
    /// The secret of epoch 0, which its creator draws (section 11).
    ///
    /// # Errors
    ///
    /// If there is no randomness.
    pub fn random(suite: &dyn Suite) -> Result<Self> {
        let secret = Secret::try_from_fn(suite.kdf_nh(), |out| suite.random(out))?;
        Ok(Self(secret))
    }

    /// All secrets of the epoch. The epoch secret is used up by this (section 9.2); the encryption
    /// secret stands apart because making the secret tree uses that up, too.
    ///
    /// # Errors
    ///
    /// If the library failed.
    pub fn schedule(self, suite: &dyn Suite) -> Result<(EpochSecrets, EncryptionSecret)> {
        let derive = |label| derive_secret(suite, &self.0, label);
        let secrets = EpochSecrets {
            init_secret: derive(b"init")?.into(),
            sender_data_secret: derive(b"sender data")?.into(),
            exporter_secret: derive(b"exporter")?.into(),
            external_secret: derive(b"external")?.into(),
            confirmation_key: derive(b"confirm")?.into(),
            membership_key: derive(b"membership")?.into(),
            resumption_psk: derive(b"resumption")?.into(),
            epoch_authenticator: derive(b"authentication")?.into(),
        };
        Ok((secrets, EncryptionSecret(derive(b"encryption")?)))
    }
}
