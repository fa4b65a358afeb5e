//! The primitives, each used in one way: every label and every key has one purpose.

use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use curve25519_dalek::montgomery::MontgomeryPoint;
use curve25519_dalek::traits::IsIdentity;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use engine_api::{EngineError, RejectReason, Rejection};
use hkdf::Hkdf;
use sha2::{Digest, Sha256};
use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

/// Stands in front of every label, so that no other protocol computes the same values.
const PROTOCOL: &[u8] = b"flat 1 ";

/// A secret under X25519, HKDF and the tag of ChaCha20-Poly1305.
pub(crate) const WRAPPED_LEN: usize = 32 + 16;

/// 32 secret bytes: wiped when dropped, silent in `Debug`.
#[derive(Clone)]
pub(crate) struct Secret(Zeroizing<[u8; 32]>);

impl Secret {
    pub(crate) fn random() -> Result<Self, EngineError> {
        let mut bytes = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *bytes).map_err(EngineError::internal)?;
        Ok(Self(bytes))
    }

    pub(crate) fn new(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// HKDF-Expand with this secret as the pseudorandom key.
    pub(crate) fn derive(&self, label: &[u8], context: &[u8]) -> Result<Self, EngineError> {
        let hkdf = Hkdf::<Sha256>::from_prk(&*self.0).map_err(EngineError::internal)?;
        let mut derived = Zeroizing::new([0; 32]);
        hkdf.expand_multi_info(&[PROTOCOL, label, &[0], context], &mut *derived)
            .map_err(EngineError::internal)?;
        Ok(Self(derived))
    }

    /// Encrypts with this secret as the key. The nonce is zero: a key encrypts once.
    pub(crate) fn seal(&self, aad: &[u8], plaintext: &[u8]) -> Result<Vec<u8>, EngineError> {
        let payload = Payload { msg: plaintext, aad };
        self.cipher().encrypt(&Nonce::default(), payload).map_err(EngineError::internal)
    }

    /// The reverse of [`seal`](Self::seal).
    pub(crate) fn open(&self, aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Rejection> {
        let payload = Payload { msg: sealed, aad };
        let opened = self.cipher().decrypt(&Nonce::default(), payload);
        opened.map_err(|_| unauthenticated("the ciphertext doesn't open"))
    }

    fn cipher(&self) -> ChaCha20Poly1305 {
        ChaCha20Poly1305::new(Key::from_slice(&*self.0))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// An X25519 key pair.
#[derive(Clone)]
pub(crate) struct KeyPair {
    secret: StaticSecret,
    public: [u8; 32],
}

impl KeyPair {
    pub(crate) fn generate() -> Result<Self, EngineError> {
        Ok(Self::from_secret(&Secret::random()?))
    }

    pub(crate) fn from_secret(secret: &Secret) -> Self {
        let secret = StaticSecret::from(*secret.as_bytes());
        let public = PublicKey::from(&secret).to_bytes();
        Self { secret, public }
    }

    pub(crate) fn public(&self) -> &[u8; 32] {
        &self.public
    }

    pub(crate) fn secret(&self) -> Secret {
        Secret::new(self.secret.to_bytes())
    }

    /// Wraps `secret` to `recipient`. This pair is the sender's ephemeral one: it may serve
    /// several recipients, since each one's public key goes into the derived key.
    pub(crate) fn wrap(
        &self,
        recipient: &[u8; 32],
        context: &[u8],
        secret: &Secret,
    ) -> Result<Vec<u8>, EngineError> {
        self.wrapping_key(recipient, &[&self.public, recipient, context])?
            .seal(&[], secret.as_bytes())
    }

    /// The reverse of [`wrap`](Self::wrap), with the recipient's pair.
    pub(crate) fn unwrap(
        &self,
        ephemeral: &[u8; 32],
        context: &[u8],
        wrapped: &[u8],
    ) -> Result<Secret, EngineError> {
        let key = self.wrapping_key(ephemeral, &[ephemeral, &self.public, context])?;
        let opened = Zeroizing::new(key.open(&[], wrapped).map_err(EngineError::Peer)?);
        match <[u8; 32]>::try_from(opened.as_slice()) {
            Ok(bytes) => Ok(Secret::new(bytes)),
            Err(_) => Err(EngineError::Peer(invalid("what was wrapped is not a secret"))),
        }
    }

    fn wrapping_key(&self, peer: &[u8; 32], info: &[&[u8]]) -> Result<Secret, EngineError> {
        let shared = self.secret.diffie_hellman(&PublicKey::from(*peer));
        if !shared.was_contributory() {
            return Err(EngineError::Peer(invalid("an X25519 key of low order")));
        }
        let hkdf = Hkdf::<Sha256>::new(None, shared.as_bytes());
        let mut key = Zeroizing::new([0; 32]);
        let info = [&[PROTOCOL, b"wrap", &[0]], info].concat();
        hkdf.expand_multi_info(&info, &mut *key).map_err(EngineError::internal)?;
        Ok(Secret(key))
    }
}

/// Refuses a public key with which every shared secret would be zero: a member that had one could
/// not be wrapped to, so nobody could commit any more.
pub(crate) fn check_public_key(key: &[u8; 32]) -> Result<(), Rejection> {
    const COFACTOR: [bool; 4] = [true, false, false, false];
    if MontgomeryPoint(*key).mul_bits_be(COFACTOR.into_iter()).is_identity() {
        Err(invalid("an X25519 key of low order"))
    } else {
        Ok(())
    }
}

/// SHA-256 over a label and parts; all parts but the last are of fixed length.
pub(crate) fn digest(label: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [PROTOCOL, label, &[0]].iter().chain(parts) {
        hash.update(part);
    }
    hash.finalize().into()
}

pub(crate) fn sign(key: &SigningKey, label: &[u8], content: &[u8]) -> [u8; 64] {
    key.sign(&labelled(label, content)).to_bytes()
}

pub(crate) fn verify(
    key: &VerifyingKey,
    label: &[u8],
    content: &[u8],
    signature: &[u8; 64],
) -> Result<(), Rejection> {
    key.verify_strict(&labelled(label, content), &Signature::from_bytes(signature))
        .map_err(|_| unauthenticated("the signature doesn't verify"))
}

fn labelled(label: &[u8], content: &[u8]) -> Vec<u8> {
    [PROTOCOL, label, &[0], content].concat()
}

pub(crate) fn unauthenticated(detail: &str) -> Rejection {
    Rejection::new(RejectReason::Unauthenticated, detail)
}

pub(crate) fn invalid(detail: &str) -> Rejection {
    Rejection::new(RejectReason::Invalid, detail)
}
