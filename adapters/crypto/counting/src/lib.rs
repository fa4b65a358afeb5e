//! A crypto backend that counts what another one is asked for.
//!
//! [`Counting`] wraps any [`CryptoBackend`] and enters each call in `operation_counts`, whose
//! documentation says what counts as what. It computes nothing itself.
#![forbid(unsafe_code)]

mod suite;

use std::sync::Arc;

use crypto_api::{CipherSuite, CryptoBackend, CryptoError, Suite};
use operation_counts::{Operation, record};

use suite::CountingSuite;

/// A backend that counts for `B`.
pub struct Counting<B> {
    backend: Arc<B>,
    suites: Vec<CountingSuite<B>>,
}

impl<B: CryptoBackend> Counting<B> {
    /// Counts what `backend` is asked for.
    #[must_use]
    pub fn new(backend: B) -> Self {
        let backend = Arc::new(backend);
        let suites = backend.cipher_suites().iter();
        let suites = suites.filter_map(|suite| CountingSuite::new(&backend, *suite)).collect();
        Self { suites, backend }
    }
}

impl<B: CryptoBackend + Default> Default for Counting<B> {
    fn default() -> Self {
        Self::new(B::default())
    }
}

impl<B: CryptoBackend> CryptoBackend for Counting<B> {
    fn name(&self) -> &'static str {
        self.backend.name()
    }

    fn cipher_suites(&self) -> &[CipherSuite] {
        self.backend.cipher_suites()
    }

    fn suite(&self, cipher_suite: CipherSuite) -> Result<&dyn Suite, CryptoError> {
        let found = self.suites.iter().find(|suite| suite.cipher_suite() == cipher_suite);
        found.map(|suite| suite as &dyn Suite).ok_or(CryptoError::Unsupported)
    }

    fn random(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        record(Operation::Random, out.len());
        self.backend.random(out)
    }
}
