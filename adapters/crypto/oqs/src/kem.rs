//! ML-KEM (FIPS 203), the hybrids of it with AWS-LC's groups, Classic McEliece and FrodoKEM, by liboqs.

use std::sync::OnceLock;
use std::thread;

use crypto_api::{
    CryptoError, Secret,
    hybrid::{Hybrid, MlKem768P256 as WithP256, MlKem768X25519, MlKem1024P384 as WithP384},
    seed_kem::FromSeed,
};
use crypto_aws_lc::{
    dh::{P256, P384, X25519},
    hash::Sha3,
};
use oqs::kem::Kem;
use zeroize::Zeroizing;

use crate::random;

pub use oqs::kem::Algorithm;

/// X-Wing.
pub type XWing = Hybrid<MlKem768X25519, MlKem768, X25519, Sha3>;
/// MLKEM768-P256.
pub type MlKem768P256 = Hybrid<WithP256, MlKem768, P256, Sha3>;
/// MLKEM1024-P384.
pub type MlKem1024P384 = Hybrid<WithP384, MlKem1024, P384, Sha3>;

/// A private key as liboqs stores it: expanded.
pub type PrivateKey = Zeroizing<Vec<u8>>;

fn find(algorithm: Algorithm) -> Option<Kem> {
    random::start();
    Kem::new(algorithm).ok()
}

fn secret(shared: oqs::kem::SharedSecret) -> Secret {
    Secret::new(shared.into_vec())
}

macro_rules! ml_kems {
    ($($(#[$doc:meta])* $name:ident, $kem_id:literal;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl $name {
            fn kem() -> Result<&'static Kem, CryptoError> {
                static KEM: OnceLock<Option<Kem>> = OnceLock::new();
                KEM.get_or_init(|| find(Algorithm::$name)).as_ref().ok_or(CryptoError::Unsupported)
            }
        }

        impl FromSeed for $name {
            const KEM_ID: u16 = $kem_id;
            const NSK: usize = 64;
            const RANDOMNESS: usize = 32;
            type PrivateKey = PrivateKey;

            fn shake256(input: &[u8], out: &mut [u8]) {
                // liboqs's own isn't in its interface.
                libcrux_sha3::shake256_ema(out, input);
            }

            fn key_pair(seed: &[u8]) -> Result<(Self::PrivateKey, Vec<u8>), CryptoError> {
                if seed.len() != Self::NSK {
                    return Err(CryptoError::Rejected);
                }
                let kem = Self::kem()?;
                // Algorithm 19 draws d, then z, which is the seed's order.
                let (public, private) = random::given(seed, || kem.keypair())?;
                Ok((Zeroizing::new(private.into_vec()), public.into_vec()))
            }

            fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
                // The library checks a key when it encapsulates to it.
                Self::encap_with(public, &[0; 32]).map(|_| ())
            }

            fn encap_with(
                public: &[u8],
                randomness: &[u8],
            ) -> Result<(Secret, Vec<u8>), CryptoError> {
                if randomness.len() != Self::RANDOMNESS {
                    return Err(CryptoError::Rejected);
                }
                let kem = Self::kem()?;
                let public = kem.public_key_from_bytes(public).ok_or(CryptoError::Rejected)?;
                let (kem_output, shared) = random::given(randomness, || kem.encapsulate(public))?;
                Ok((secret(shared), kem_output.into_vec()))
            }

            fn decap(kem_output: &[u8], private: &Self::PrivateKey) -> Result<Secret, CryptoError> {
                decapsulate(Self::kem()?, kem_output, private)
            }
        }
    )+};
}

ml_kems! {
    /// ML-KEM-512.
    MlKem512, 0x0040;
    /// ML-KEM-768.
    MlKem768, 0x0041;
    /// ML-KEM-1024.
    MlKem1024, 0x0042;
}

fn decapsulate(kem: &Kem, kem_output: &[u8], private: &[u8]) -> Result<Secret, CryptoError> {
    let kem_output = kem.ciphertext_from_bytes(kem_output).ok_or(CryptoError::Rejected)?;
    let private = kem.secret_key_from_bytes(private).ok_or(CryptoError::Rejected)?;
    random::drawn(|| kem.decapsulate(private, kem_output)).map(secret)
}

/// What the keys of Classic McEliece are made on: its matrices are on the stack, and a thread of Rust's
/// has 2 MiB of one.
const STACK: usize = 32 << 20;

/// A KEM that HPKE has no number for: Classic McEliece or FrodoKEM. Its private key is stored as liboqs
/// makes it, and all randomness is the operating system's.
pub struct Unregistered(Kem);

impl Unregistered {
    /// The KEM.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Unsupported`] for a family that isn't compiled in.
    pub fn new(algorithm: Algorithm) -> Result<Self, CryptoError> {
        find(algorithm).map(Self).ok_or(CryptoError::Unsupported)
    }

    /// The level of NIST's categories that its authors claim.
    #[must_use]
    pub fn claimed_level(&self) -> u8 {
        self.0.claimed_nist_level()
    }

    /// A fresh private key and its public key.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Internal`] if there is no randomness, or no thread to do it in.
    pub fn generate_key_pair(&self) -> Result<(PrivateKey, Vec<u8>), CryptoError> {
        let make = || random::drawn(|| self.0.keypair());
        let made = thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, make);
            let thread = thread.map_err(|_| CryptoError::Internal)?;
            thread.join().map_err(|_| CryptoError::Internal)?
        });
        let (public, private) = made?;
        Ok((Zeroizing::new(private.into_vec()), public.into_vec()))
    }

    /// A shared secret and what it is encapsulated in.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a public key of another length.
    pub fn encap(&self, public: &[u8]) -> Result<(Secret, Vec<u8>), CryptoError> {
        let public = self.0.public_key_from_bytes(public).ok_or(CryptoError::Rejected)?;
        let (kem_output, shared) = random::drawn(|| self.0.encapsulate(public))?;
        Ok((secret(shared), kem_output.into_vec()))
    }

    /// The shared secret; one is made up for a `kem_output` that isn't genuine.
    ///
    /// # Errors
    ///
    /// [`CryptoError::Rejected`] for a `kem_output` or a private key of another length.
    pub fn decap(&self, kem_output: &[u8], private: &[u8]) -> Result<Secret, CryptoError> {
        decapsulate(&self.0, kem_output, private)
    }
}
