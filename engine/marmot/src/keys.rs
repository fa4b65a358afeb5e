//! Nostr's keys: BIP-340 signatures on secp256k1, by the library that `nostr` uses.

use std::fmt;

use burrow::codec_newtype;
use crypto_api::CryptoBackend;
use secp256k1::{Keypair, Message, SECP256K1, XOnlyPublicKey, schnorr::Signature};
use zeroize::Zeroizing;

use crate::{CallerError, PeerError, Result, event::EventId, hex};

/// How long a signature is.
pub const SIGNATURE_LENGTH: usize = 64;

/// An x-only public key: who an account is, or an event's author. Whether there is such a point
/// shows when a signature is verified.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey(pub [u8; 32]);
codec_newtype!(PublicKey);

impl PublicKey {
    /// In hexadecimal.
    #[must_use]
    pub fn to_hex(&self) -> String {
        hex::encode(&self.0)
    }

    /// The key that is written so, in lower case.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        hex::decode(text).map(Self)
    }

    /// The key in a member's credential (MIP-00), if it is as long as one.
    #[must_use]
    pub fn of_credential(credential: &burrow::types::Credential) -> Option<Self> {
        match credential {
            burrow::types::Credential::Basic(identity) => {
                identity.as_slice().try_into().ok().map(Self)
            }
            _ => None,
        }
    }

    pub(crate) fn verify(&self, id: &EventId, signature: &[u8; SIGNATURE_LENGTH]) -> Result<()> {
        let bad = |_| PeerError::BadSignature;
        let key = XOnlyPublicKey::from_slice(&self.0).map_err(bad)?;
        let signature = Signature::from_slice(signature).map_err(bad)?;
        let message = Message::from_digest(id.0);
        Ok(SECP256K1.verify_schnorr(&signature, &message, &key).map_err(bad)?)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.to_hex())
    }
}

/// A private key with its public one. Wiped when dropped, silent in `Debug`.
pub struct Keys {
    pair: Keypair,
    public: PublicKey,
}

impl Keys {
    /// Fresh ones.
    ///
    /// # Errors
    ///
    /// If there is no randomness.
    pub fn generate(backend: &dyn CryptoBackend) -> Result<Self> {
        let mut secret = Zeroizing::new([0; 32]);
        backend.random(&mut *secret)?;
        Self::from_secret(&secret)
    }

    /// Those of this private key.
    ///
    /// # Errors
    ///
    /// [`CallerError::BadKey`] if it is zero or not below the group's order, which random bytes are
    /// once in 2^127 times.
    pub fn from_secret(secret: &[u8; 32]) -> Result<Self> {
        let pair = Keypair::from_seckey_slice(SECP256K1, secret);
        let pair = pair.map_err(|_| CallerError::BadKey)?;
        let public = PublicKey(pair.x_only_public_key().0.serialize());
        Ok(Self { pair, public })
    }

    /// The public key.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        self.public
    }

    /// The private key.
    #[must_use]
    pub fn secret(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.pair.secret_bytes())
    }

    /// A signature; `auxiliary` are 32 fresh random bytes (BIP-340).
    #[must_use]
    pub fn sign(&self, id: &EventId, auxiliary: &[u8; 32]) -> [u8; SIGNATURE_LENGTH] {
        let message = Message::from_digest(id.0);
        SECP256K1.sign_schnorr_with_aux_rand(&message, &self.pair, auxiliary).serialize()
    }
}

impl Clone for Keys {
    fn clone(&self) -> Self {
        Self { pair: self.pair, public: self.public }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.pair.non_secure_erase();
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("public", &self.public).finish_non_exhaustive()
    }
}
