//! A key package of ours, with its private keys (section 10).

use crypto_api::{CipherSuite, HpkePrivateKey, Secret, SigningKey, Suite};
use zeroize::Zeroizing;

use super::{Client, Identity};
use crate::{
    CallerError, Error, Result,
    codec::{Encode, Reader},
    framing::MlsMessage,
    types::{
        AppDataDictionary, ComponentId, ExtensionType, Extensions, KeyPackage, KeyPackageContent,
        VerifiedKeyPackage, Welcome,
    },
};

/// A key package and its private keys. Delete it once a Welcome has used it, unless it is one of
/// last resort.
#[derive(Debug, Clone)]
pub struct KeyPackageSecrets {
    pub(super) key_package: VerifiedKeyPackage,
    pub(super) init_key: HpkePrivateKey,
    pub(super) leaf_key: HpkePrivateKey,
    pub(super) signer: SigningKey,
}

impl KeyPackageSecrets {
    pub(super) fn generate(
        suite: &dyn Suite,
        identity: &Identity,
        extensions: Extensions,
    ) -> Result<Self> {
        let init_key = suite.generate_key_pair()?;
        let leaf_key = suite.generate_key_pair()?;
        let leaf = identity.leaf_content(leaf_key.public(), identity.key_package_source());
        let key_package = KeyPackageContent::sign(
            suite,
            &identity.signer,
            init_key.public().to_vec().into(),
            leaf,
            extensions,
        )?;
        Ok(Self { key_package, init_key, leaf_key, signer: identity.signer.clone() })
    }

    /// Puts together a key package and private keys that come from elsewhere.
    ///
    /// # Errors
    ///
    /// [`CallerError::BadKey`] if a private key isn't that of its public key, or a
    /// [`crate::PeerError`] if the key package isn't valid.
    pub fn from_parts(
        suite: &dyn Suite,
        key_package: KeyPackage,
        init_private: &Secret,
        leaf_private: &Secret,
        signature_private: &Secret,
    ) -> Result<Self> {
        let bad_key = |_| Error::Caller(CallerError::BadKey);
        let key_package = key_package.verify(suite)?;
        let init_key = suite.private_key(init_private.as_slice()).map_err(bad_key)?;
        let leaf_key = suite.private_key(leaf_private.as_slice()).map_err(bad_key)?;
        let signer = suite.signing_key(signature_private.as_slice()).map_err(bad_key)?;
        let leaf = &key_package.leaf_node;
        let is_consistent = init_key.public() == key_package.init_key.as_slice()
            && leaf_key.public() == leaf.encryption_key.as_slice()
            && signer.public() == leaf.signature_key.as_slice();
        if !is_consistent {
            return Err(CallerError::BadKey.into());
        }
        Ok(Self { key_package, init_key, leaf_key, signer })
    }

    /// The key package, to be published.
    #[must_use]
    pub fn key_package(&self) -> &VerifiedKeyPackage {
        &self.key_package
    }

    /// Its cipher suite.
    #[must_use]
    pub fn cipher_suite(&self) -> CipherSuite {
        self.key_package.cipher_suite
    }

    /// The key package as an encoded MLSMessage.
    ///
    /// # Errors
    ///
    /// If it is too long to encode.
    pub fn message(&self) -> Result<Vec<u8>> {
        let key_package = Box::new(KeyPackage::clone(&self.key_package));
        Ok(MlsMessage::KeyPackage(key_package).to_bytes()?)
    }

    /// Whether it may be used more than once: it has the extension `last_resort`, as earlier drafts
    /// have it, or the component `last_resort_key_package`, as the present one does.
    #[must_use]
    pub fn is_last_resort(&self) -> bool {
        let extensions = &self.key_package.extensions;
        let components: Option<AppDataDictionary> = extensions.find().ok().flatten();
        let component = ComponentId::LAST_RESORT_KEY_PACKAGE;
        extensions.data(ExtensionType::LAST_RESORT).is_some()
            || components.is_some_and(|components| components.get(component).is_some())
    }

    /// Whether a Welcome is for this key package.
    ///
    /// # Errors
    ///
    /// If the client's backend doesn't have its suite.
    pub fn is_for(&self, client: &Client, welcome: &Welcome) -> Result<bool> {
        if welcome.cipher_suite != self.cipher_suite() {
            return Ok(false);
        }
        let reference = self.key_package.reference(client.suite(self.cipher_suite())?)?;
        let mut entries = welcome.secrets.iter();
        Ok(entries.any(|entry| reference.matches(&entry.new_member)))
    }

    /// All of it, to be stored.
    ///
    /// # Errors
    ///
    /// If it is too long to encode.
    pub fn write(&self) -> Result<Zeroizing<Vec<u8>>> {
        let private = [self.init_key.private(), self.leaf_key.private(), self.signer.private()];
        let secrets: usize = private.iter().map(|key| key.encoded_len()).sum();
        let length = 2 + self.key_package.as_bytes().len() + secrets;
        let mut out = Zeroizing::new(Vec::with_capacity(length));
        self.cipher_suite().encode(&mut out)?;
        self.key_package.encode(&mut out)?;
        private.iter().try_for_each(|key| key.encode(&mut out))?;
        Ok(out)
    }

    /// What [`Self::write`] wrote.
    ///
    /// # Errors
    ///
    /// If it didn't.
    pub fn read(client: &Client, stored: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(stored);
        let suite = client.suite(reader.read()?)?;
        let (key_package, init, leaf, signature) =
            (reader.read()?, reader.read()?, reader.read()?, reader.read()?);
        reader.finish()?;
        Self::from_parts(suite, key_package, &init, &leaf, &signature)
    }
}
