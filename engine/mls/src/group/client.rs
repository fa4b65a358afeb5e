//! A client: what its groups have in common.

use std::{fmt, sync::Arc};

use crypto_api::{CipherSuite, CryptoBackend, CryptoError, SigningKey, Suite};

use super::{Application, Config, Group, KeyPackageSecrets, epoch::Scheduled, rules};
use crate::{
    CallerError, Error, Result,
    crypto::HpkePublicKey,
    schedule::EpochSecret,
    tree::{GroupRequirements, LeafDescription, RatchetTree, TreePrivateKeys},
    types::{
        Capabilities, Credential, ExtensionType, Extensions, GroupContext, LeafIndex,
        LeafNodeContent, LeafNodeSource, Lifetime, ProposalType, ProtocolVersion, VerifiedLeafNode,
    },
};

/// A crypto library, the application's rules and a configuration. Cheap to clone.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    backend: Arc<dyn CryptoBackend>,
    application: Arc<dyn Application>,
    config: Config,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("backend", &self.0.backend.name())
            .field("config", &self.0.config)
            .finish_non_exhaustive()
    }
}

/// Who a member is and what it signs with, for one cipher suite.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The cipher suite that the signature key is of.
    pub cipher_suite: CipherSuite,
    /// The signature key.
    pub signer: SigningKey,
    /// Credential, capabilities and extensions of the leaves that it makes.
    pub description: LeafDescription,
    /// The lifetime of the key packages that it makes.
    pub lifetime: Lifetime,
}

impl Client {
    /// A client.
    pub fn new(
        backend: Arc<dyn CryptoBackend>,
        application: Arc<dyn Application>,
        config: Config,
    ) -> Self {
        Self(Arc::new(Inner { backend, application, config }))
    }

    /// An identity with a fresh signature key and everything that this engine can do as its
    /// capabilities: all cipher suites of the backend, this type of credential, SelfRemove, and key
    /// packages of last resort.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedSuite`] if the backend doesn't have the suite.
    pub fn generate_identity(
        &self,
        cipher_suite: CipherSuite,
        credential: Credential,
        lifetime: Lifetime,
    ) -> Result<Identity> {
        let capabilities = Capabilities {
            versions: vec![ProtocolVersion::MLS10],
            cipher_suites: self.0.backend.cipher_suites().to_vec(),
            extensions: vec![ExtensionType::LAST_RESORT],
            proposals: vec![ProposalType::SELF_REMOVE],
            credentials: vec![credential.credential_type()],
        };
        Ok(Identity {
            cipher_suite,
            signer: self.suite(cipher_suite)?.generate_signing_key()?,
            description: LeafDescription {
                credential,
                capabilities,
                extensions: Extensions::new(),
            },
            lifetime,
        })
    }

    /// A key package, to be published so that others can add this client, and what the client has to
    /// keep for that.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if the identity contradicts itself or its lifetime is none that the
    /// application accepts.
    pub fn generate_key_package(&self, identity: &Identity) -> Result<KeyPackageSecrets> {
        self.generate_key_package_with(identity, Extensions::new())
    }

    /// The same, with extensions of the key package: [`crate::types::LastResort`], say, for one that
    /// may be used more than once.
    ///
    /// # Errors
    ///
    /// As [`Self::generate_key_package`].
    pub fn generate_key_package_with(
        &self,
        identity: &Identity,
        extensions: Extensions,
    ) -> Result<KeyPackageSecrets> {
        let suite = self.suite(identity.cipher_suite)?;
        rules::check_lifetime(self.application(), identity.lifetime)
            .map_err(Error::into_callers)?;
        KeyPackageSecrets::generate(suite, identity, extensions)
    }

    /// A group with nobody in it but its creator (section 11). `extensions` are those of the
    /// GroupContext.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if the identity doesn't fit the extensions.
    pub fn create_group(
        &self,
        identity: &Identity,
        group_id: Vec<u8>,
        extensions: Extensions,
    ) -> Result<Group> {
        let suite = self.suite(identity.cipher_suite)?;
        let leaf_key = suite.generate_key_pair()?;
        let leaf = identity.leaf_content(leaf_key.public(), identity.key_package_source());
        let leaf = leaf.sign(suite, &identity.signer, &group_id, LeafIndex(0))?;
        if !leaf.lists_suite(suite) {
            return Err(CallerError::Invalid(
                "11.1: the leaf's capabilities lack the version or the cipher suite",
            )
            .into());
        }
        self.check_creator(suite, &leaf, &extensions).map_err(Error::into_callers)?;
        let tree = RatchetTree::new(VerifiedLeafNode::trusted(leaf));
        let context = GroupContext {
            version: ProtocolVersion::MLS10,
            cipher_suite: identity.cipher_suite,
            group_id,
            epoch: 0,
            tree_hash: tree.tree_hash(suite)?.as_slice().to_vec(),
            confirmed_transcript_hash: Vec::new(),
            extensions,
        };
        let scheduled = Scheduled::first(suite, context, EpochSecret::random(suite)?)?;
        let keys = TreePrivateKeys::new(LeafIndex(0), leaf_key);
        let epoch = scheduled.into_epoch(suite, tree, keys, self.config().ratchet_limits)?;
        Ok(Group::new(self.clone(), identity.signer.clone(), epoch))
    }

    fn check_creator(
        &self,
        suite: &dyn Suite,
        leaf: &crate::types::LeafNode,
        extensions: &Extensions,
    ) -> Result<()> {
        leaf.check(suite, crate::types::LeafNodeUse::KeyPackage)?;
        rules::check_leaf_lifetime(self.application(), leaf)?;
        rules::check_credential(self.application(), leaf)?;
        GroupRequirements::new(extensions)?.check(&leaf.capabilities)?;
        rules::check_group_extensions(self.application(), extensions)
    }

    /// The backend's suite of this number.
    ///
    /// # Errors
    ///
    /// [`Error::UnsupportedSuite`] if it has none.
    pub fn suite(&self, cipher_suite: CipherSuite) -> Result<&dyn Suite> {
        self.0.backend.suite(cipher_suite).map_err(|e| match e {
            CryptoError::Unsupported => Error::UnsupportedSuite(cipher_suite),
            other => other.into(),
        })
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The same client with another configuration.
    #[must_use]
    pub fn with_config(&self, config: Config) -> Self {
        Self(Arc::new(Inner {
            backend: Arc::clone(&self.0.backend),
            application: Arc::clone(&self.0.application),
            config,
        }))
    }

    pub(super) fn application(&self) -> &dyn Application {
        &*self.0.application
    }
}

impl Identity {
    pub(super) fn key_package_source(&self) -> LeafNodeSource {
        LeafNodeSource::KeyPackage(self.lifetime)
    }

    pub(super) fn leaf_content(
        &self,
        encryption_key: &[u8],
        leaf_node_source: LeafNodeSource,
    ) -> LeafNodeContent {
        LeafNodeContent {
            encryption_key: HpkePublicKey::from(encryption_key.to_vec()),
            signature_key: self.signer.public().to_vec().into(),
            credential: self.description.credential.clone(),
            capabilities: self.description.capabilities.clone(),
            leaf_node_source,
            extensions: self.description.extensions.clone(),
        }
    }
}
