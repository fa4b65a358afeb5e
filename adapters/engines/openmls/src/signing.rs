//! Who signs: `openmls_basic_credential`, whatever the backend.

use std::marker::PhantomData;
use std::ops::Deref;

use openmls_basic_credential::SignatureKeyPair;
use openmls_traits::signatures::{Signer, SignerError};
use openmls_traits::types::SignatureScheme;

use crate::describe::Backend;

/// A signature key pair that tells `B` of each signature. In OpenMLS signing is no matter of the
/// provider, so a provider that counts has to be told; the others do nothing with it.
pub(crate) struct Signing<B>(SignatureKeyPair, PhantomData<fn() -> B>);

impl<B> Signing<B> {
    pub(crate) fn new(keys: SignatureKeyPair) -> Self {
        Self(keys, PhantomData)
    }
}

impl<B> Clone for Signing<B> {
    fn clone(&self) -> Self {
        Self::new(self.0.clone())
    }
}

impl<B> Deref for Signing<B> {
    type Target = SignatureKeyPair;

    fn deref(&self) -> &SignatureKeyPair {
        &self.0
    }
}

impl<B: Backend> Signer for Signing<B> {
    fn sign(&self, payload: &[u8]) -> Result<Vec<u8>, SignerError> {
        B::about_to_sign(payload);
        self.0.sign(payload)
    }

    fn signature_scheme(&self) -> SignatureScheme {
        self.0.signature_scheme()
    }
}
