//! A client: what an account's groups have in common.

use std::{fmt, sync::Arc};

use burrow::{
    group::{Identity, KeyPackageSecrets},
    tree::LeafDescription,
    types::{Credential, Extensions, LastResort},
};
use crypto_api::{CryptoBackend, Suite};

use crate::{
    Result,
    event::{Event, EventId, Rumor},
    keys::{Keys, PublicKey},
    profile::{Clock, Config, EventSignatures, Rules, SUITE, capabilities, lifetime},
};

/// A crypto library, a clock and a configuration. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    pub(crate) mls: burrow::group::Client,
    inner: Arc<Inner>,
}

struct Inner {
    backend: Arc<dyn CryptoBackend>,
    clock: Arc<dyn Clock>,
    config: Config,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("config", &self.inner.config).finish_non_exhaustive()
    }
}

impl Client {
    /// A client.
    pub fn new(backend: Arc<dyn CryptoBackend>, clock: Arc<dyn Clock>, config: Config) -> Self {
        let rules = Arc::new(Rules(Arc::clone(&clock)));
        let mls = burrow::group::Client::new(Arc::clone(&backend), rules, config.mls());
        Self { mls, inner: Arc::new(Inner { backend, clock, config }) }
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// Fresh keys of an account.
    ///
    /// # Errors
    ///
    /// If there is no randomness.
    pub fn generate_keys(&self) -> Result<Keys> {
        Keys::generate(&*self.inner.backend)
    }

    /// The cipher suite, for [`Event::from_json`] and [`Rumor::new`].
    ///
    /// # Errors
    ///
    /// If the crypto library doesn't have it.
    pub fn suite(&self) -> Result<&dyn Suite> {
        Ok(self.mls.suite(SUITE)?)
    }

    /// A rumor of an account's, made now: what is sent in a group.
    ///
    /// # Errors
    ///
    /// If the crypto library doesn't have the cipher suite.
    pub fn rumor(
        &self,
        author: PublicKey,
        kind: u16,
        tags: Vec<crate::event::Tag>,
        content: impl Into<Arc<str>>,
    ) -> Result<Rumor> {
        Ok(Rumor::new(self.suite()?, author, self.now(), kind, tags, content))
    }

    /// Signs a rumor with its author's keys.
    ///
    /// # Errors
    ///
    /// [`crate::CallerError::NotOurRumor`] with another author's.
    pub fn sign(&self, rumor: Rumor, keys: &Keys) -> Result<Event> {
        rumor.sign(keys, &self.random()?)
    }

    pub(crate) fn now(&self) -> u64 {
        self.inner.clock.now()
    }

    pub(crate) fn random<const N: usize>(&self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.inner.backend.random(&mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn check_signature(&self, event: &Event) -> Result<()> {
        match self.inner.config.event_signatures {
            EventSignatures::Verified => event.verify(),
            EventSignatures::VerifiedBefore => Ok(()),
        }
    }

    /// An MLS identity of the account, with a fresh signature key.
    pub(crate) fn identity(&self, account: PublicKey) -> Result<Identity> {
        Ok(Identity {
            cipher_suite: SUITE,
            signer: self.suite()?.generate_signing_key()?,
            description: LeafDescription {
                credential: Credential::Basic(account.0.to_vec()),
                capabilities: capabilities(&*self.inner.backend)?,
                extensions: Extensions::new(),
            },
            lifetime: lifetime(self.now()),
        })
    }

    /// MIP-00: of the last-resort kind, with a signature key of its own.
    pub(crate) fn new_key_package(&self, account: PublicKey) -> Result<KeyPackageSecrets> {
        let identity = self.identity(account)?;
        let mut extensions = Extensions::new();
        extensions.put(&LastResort)?;
        Ok(self.mls.generate_key_package_with(&identity, extensions)?)
    }

    pub(crate) fn hash(&self, bytes: &[u8]) -> Result<EventId> {
        let mut hash = EventId([0; 32]);
        let digest = self.suite()?.hash(&[bytes]);
        hash.0.iter_mut().zip(digest.as_slice()).for_each(|(to, from)| *to = *from);
        Ok(hash)
    }
}
