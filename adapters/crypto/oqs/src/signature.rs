//! ML-DSA (FIPS 204), SPHINCS+ and Falcon, by liboqs.
//!
//! Its SPHINCS+ is that of round 3.1, and not yet SLH-DSA (FIPS 205): the keys are the same, but the bits
//! of a message's digest choose other leaves, and nothing stands before the message.
//!
//! liboqs 0.13's ML-DSA, where it uses AVX2, doesn't check how large a signature's coefficients are, so
//! that it accepts some that FIPS 204 refuses (pq-crystals/dilithium issue 113). That is
//! checked here. It also applies the hint wrongly to a coefficient whose low bits are zero, which can't
//! be mended from outside: on such a signature, which a signer meets by chance once in a long time and
//! can make on purpose, its verdict differs from other libraries'. Its ML-DSA is therefore for
//! measuring, and in no cipher suite.

use std::sync::OnceLock;

use crypto_api::{CryptoError, Random, Secret, primitives::SignatureScheme};
use oqs::sig::{Algorithm, Sig};
use zeroize::Zeroizing;

use crate::random;

/// A private key as liboqs stores it: expanded.
pub type SigningKey = Zeroizing<Vec<u8>>;

/// What an algorithm draws when it signs.
enum Drawn {
    /// `rnd`, which is all zero in FIPS 204's deterministic variant.
    Zeros,
    /// `opt_rand`, which is `PK.seed` where signing is deterministic: the third quarter of the key.
    PublicSeed,
    /// Fresh bytes: two signatures with one nonce would give the key away.
    Fresh,
}

/// Where a signature of ML-DSA has its `z`, and what its coefficients have to be below.
struct Coefficients {
    /// Bytes before it.
    start: usize,
    /// How many there are.
    count: usize,
    /// Bits of each; gamma1 is half of what they can express.
    bits: usize,
    /// tau times eta.
    beta: i32,
}

impl Coefficients {
    /// FIPS 204 algorithm 8, line 13: whether all are below gamma1 - beta.
    fn are_short(&self, signature: &[u8]) -> bool {
        let gamma1 = 1_i32 << (self.bits - 1);
        let packed = signature.get(self.start..).unwrap_or_default();
        let (mut window, mut filled, mut bytes) = (0_u32, 0, packed.iter());
        (0..self.count).all(|_| {
            while filled < self.bits {
                let Some(byte) = bytes.next() else { return false };
                window |= u32::from(*byte) << filled;
                filled += 8;
            }
            let coefficient = gamma1 - (window & ((1 << self.bits) - 1)) as i32;
            window >>= self.bits;
            filled -= self.bits;
            coefficient.abs() < gamma1 - self.beta
        })
    }
}

const ML_DSA_44: Option<Coefficients> =
    Some(Coefficients { start: 32, count: 4 * 256, bits: 18, beta: 78 });
const ML_DSA_65: Option<Coefficients> =
    Some(Coefficients { start: 48, count: 5 * 256, bits: 20, beta: 196 });
const ML_DSA_87: Option<Coefficients> =
    Some(Coefficients { start: 64, count: 7 * 256, bits: 20, beta: 120 });

macro_rules! schemes {
    ($($(#[$doc:meta])*
        $name:ident = $algorithm:ident, $seed:literal, $drawn:ident, $z:expr;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl $name {
            fn scheme() -> Result<&'static Sig, CryptoError> {
                static SCHEME: OnceLock<Option<Sig>> = OnceLock::new();
                SCHEME
                    .get_or_init(|| {
                        random::start();
                        Sig::new(Algorithm::$algorithm).ok()
                    })
                    .as_ref()
                    .ok_or(CryptoError::Unsupported)
            }

            /// The level of NIST's categories that its authors claim.
            ///
            /// # Errors
            ///
            /// [`CryptoError::Unsupported`] if it isn't compiled in.
            pub fn claimed_level() -> Result<u8, CryptoError> {
                Self::scheme().map(Sig::claimed_nist_level)
            }
        }

        impl SignatureScheme for $name {
            type SigningKey = SigningKey;
            /// Serialised: liboqs keeps no decoded key.
            type VerifyingKey = Vec<u8>;

            fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
                Secret::try_from_fn($seed, |out| random.fill(out))
            }

            fn signing_key(private: &[u8]) -> Result<(SigningKey, Vec<u8>), CryptoError> {
                key_pair(Self::scheme()?, private, $seed)
            }

            fn verifying_key(public: &[u8]) -> Result<Vec<u8>, CryptoError> {
                let known = Self::scheme()?.public_key_from_bytes(public);
                known.map(|public| public.to_vec()).ok_or(CryptoError::Rejected)
            }

            fn sign(key: &SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
                sign(Self::scheme()?, &Drawn::$drawn, key, message)
            }

            fn verify(
                key: &Vec<u8>,
                message: &[u8],
                signature: &[u8],
            ) -> Result<(), CryptoError> {
                const Z: Option<Coefficients> = $z;
                if Z.is_some_and(|z| !z.are_short(signature)) {
                    return Err(CryptoError::Rejected);
                }
                verify(Self::scheme()?, key, message, signature)
            }
        }
    )+};
}

schemes! {
    /// ML-DSA-44. The private key is the seed of FIPS 204 algorithm 6; signing is deterministic.
    MlDsa44 = MlDsa44, 32, Zeros, ML_DSA_44;
    /// ML-DSA-65, likewise.
    MlDsa65 = MlDsa65, 32, Zeros, ML_DSA_65;
    /// ML-DSA-87, likewise.
    MlDsa87 = MlDsa87, 32, Zeros, ML_DSA_87;
    /// SPHINCS+-SHA2-128s-simple. The private key is its three seeds; signing is deterministic.
    SphincsSha2128s = SphincsSha2128sSimple, 48, PublicSeed, None;
    /// SPHINCS+-SHA2-128f-simple, likewise.
    SphincsSha2128f = SphincsSha2128fSimple, 48, PublicSeed, None;
    /// SPHINCS+-SHA2-192f-simple, likewise.
    SphincsSha2192f = SphincsSha2192fSimple, 72, PublicSeed, None;
    /// SPHINCS+-SHA2-256f-simple, likewise.
    SphincsSha2256f = SphincsSha2256fSimple, 96, PublicSeed, None;
    /// Falcon-512 of the third round. The private key is the seed that liboqs makes keys from; another
    /// library makes another key of it. Signatures vary in length.
    Falcon512 = Falcon512, 48, Fresh, None;
    /// Falcon-1024, likewise.
    Falcon1024 = Falcon1024, 48, Fresh, None;
}

fn key_pair(
    scheme: &Sig,
    seed: &[u8],
    length: usize,
) -> Result<(SigningKey, Vec<u8>), CryptoError> {
    if seed.len() != length {
        return Err(CryptoError::Rejected);
    }
    let (public, private) = random::given(seed, || scheme.keypair())?;
    Ok((Zeroizing::new(private.into_vec()), public.into_vec()))
}

fn sign(
    scheme: &Sig,
    drawn: &Drawn,
    key: &SigningKey,
    message: &[u8],
) -> Result<Vec<u8>, CryptoError> {
    let private = scheme.secret_key_from_bytes(key).ok_or(CryptoError::Rejected)?;
    let quarter = key.len() / 4;
    let work = || scheme.sign(message, private);
    let signature = match drawn {
        Drawn::Zeros => random::given(&[0; 32], work),
        Drawn::PublicSeed => random::given(&key[2 * quarter..3 * quarter], work),
        Drawn::Fresh => random::drawn(work),
    };
    signature.map(oqs::sig::Signature::into_vec).map_err(|_| CryptoError::Internal)
}

fn verify(scheme: &Sig, key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
    let public = scheme.public_key_from_bytes(key).ok_or(CryptoError::Rejected)?;
    let signature = scheme.signature_from_bytes(signature).ok_or(CryptoError::Rejected)?;
    scheme.verify(message, signature, public).map_err(|_| CryptoError::Rejected)
}
