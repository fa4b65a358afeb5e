//! `DHKEM(X25519, HKDF-SHA256)`, eight encapsulations or derivations at a time.

use std::sync::OnceLock;

use crypto_api::dhkem::DhKem;
use crypto_api::primitives::{Dh, Kem, KeyPair};
use crypto_api::{CryptoError, Random, Secret, rules};
use crypto_aws_lc::dh::X25519;
use curve25519x8::{LANES, Lanes};
use zeroize::Zeroizing;

type Single = DhKem<X25519>;

/// Below this, AWS-LC one by one is faster: eight lanes cost as much as two to three of its
/// operations.
const WORTH_IT: usize = 3;

/// The KEM of suites 1 and 3.
pub struct X25519Kem;

/// A private key. AWS-LC computes the public one when it decodes it, which is left until it is
/// used: most keys of a path never are.
pub struct Private {
    encoded: Secret,
    decoded: OnceLock<<Single as Kem>::PrivateKey>,
}

impl Private {
    fn pair(pair: KeyPair<<Single as Kem>::PrivateKey>) -> KeyPair<Self> {
        let key = Self {
            encoded: Secret::copy_from(pair.private.as_slice()),
            decoded: OnceLock::from(pair.key),
        };
        KeyPair { private: pair.private, key, public: pair.public }
    }

    fn decoded(&self) -> Result<&<Single as Kem>::PrivateKey, CryptoError> {
        if let Some(decoded) = self.decoded.get() {
            return Ok(decoded);
        }
        let decoded = X25519::private_key(self.encoded.as_slice())?;
        Ok(self.decoded.get_or_init(|| decoded))
    }
}

impl Kem for X25519Kem {
    const KEM_ID: u16 = Single::KEM_ID;
    type PrivateKey = Private;

    fn generate_key_pair(random: &dyn Random) -> Result<KeyPair<Self::PrivateKey>, CryptoError> {
        Single::generate_key_pair(random).map(Private::pair)
    }

    fn derive_key_pair(ikm: &[u8]) -> Result<KeyPair<Self::PrivateKey>, CryptoError> {
        Single::derive_key_pair(ikm).map(Private::pair)
    }

    fn derive_key_pair_batch(
        ikms: &[&[u8]],
    ) -> Result<Vec<KeyPair<Self::PrivateKey>>, CryptoError> {
        let mut out = Vec::with_capacity(ikms.len());
        for chunk in ikms.chunks(LANES) {
            match Lanes::detect() {
                Some(lanes) if chunk.len() >= WORTH_IT => derive_chunk(lanes, chunk, &mut out)?,
                _ => {
                    for ikm in chunk {
                        out.push(Self::derive_key_pair(ikm)?);
                    }
                }
            }
        }
        Ok(out)
    }

    fn private_key(private: &[u8]) -> Result<KeyPair<Self::PrivateKey>, CryptoError> {
        Single::private_key(private).map(Private::pair)
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        Single::check_public_key(public)
    }

    fn encap(public: &[u8], random: &dyn Random) -> Result<(Secret, Vec<u8>), CryptoError> {
        Single::encap(public, random)
    }

    fn encap_batch(
        publics: &[&[u8]],
        random: &dyn Random,
    ) -> Result<Vec<(Secret, Vec<u8>)>, CryptoError> {
        let mut out = Vec::with_capacity(publics.len());
        for chunk in publics.chunks(LANES) {
            match Lanes::detect() {
                Some(lanes) if chunk.len() >= WORTH_IT => {
                    encap_chunk(lanes, chunk, random, &mut out)?;
                }
                _ => {
                    for public in chunk {
                        out.push(Single::encap(public, random)?);
                    }
                }
            }
        }
        Ok(out)
    }

    fn decap(
        kem_output: &[u8],
        private: &Self::PrivateKey,
        public: &[u8],
    ) -> Result<Secret, CryptoError> {
        Single::decap(kem_output, private.decoded()?, public)
    }
}

/// `Encap` to at most eight. Lanes that are left over repeat the first recipient.
fn encap_chunk(
    lanes: Lanes,
    publics: &[&[u8]],
    random: &dyn Random,
    out: &mut Vec<(Secret, Vec<u8>)>,
) -> Result<(), CryptoError> {
    let mut points = [[0; 32]; LANES];
    for (lane, point) in points.iter_mut().enumerate() {
        let public = publics.get(lane).or(publics.first()).ok_or(CryptoError::Internal)?;
        *point = *rules::x25519_public_key(public)?;
    }
    let mut ephemerals = Zeroizing::new([[0; 32]; LANES]);
    for ephemeral in ephemerals.iter_mut() {
        random.fill(ephemeral)?;
    }
    let kem_outputs = lanes.x25519_base(&ephemerals);
    let shared = Zeroizing::new(lanes.x25519(&ephemerals, &points));
    for ((public, kem_output), shared) in publics.iter().zip(kem_outputs).zip(shared.iter()) {
        let shared = Secret::copy_from(shared);
        // RFC 9180 section 7.1.4: the all-zero result of a point of small order.
        if shared == Secret::zero(32) {
            return Err(CryptoError::Rejected);
        }
        let secret = Single::extract_and_expand(&shared, &kem_output, public)?;
        out.push((secret, kem_output.to_vec()));
    }
    Ok(())
}

/// `DeriveKeyPair` of at most eight.
fn derive_chunk(
    lanes: Lanes,
    ikms: &[&[u8]],
    out: &mut Vec<KeyPair<Private>>,
) -> Result<(), CryptoError> {
    let mut scalars = Zeroizing::new([[0; 32]; LANES]);
    let mut privates = Vec::with_capacity(ikms.len());
    for (scalar, ikm) in scalars.iter_mut().zip(ikms) {
        let private = Single::derive_private(ikm)?;
        *scalar = *private.as_slice().first_chunk().ok_or(CryptoError::Internal)?;
        privates.push(private);
    }
    let publics = lanes.x25519_base(&scalars);
    for (private, public) in privates.into_iter().zip(publics) {
        let encoded = Secret::copy_from(private.as_slice());
        let key = Private { encoded, decoded: OnceLock::new() };
        out.push(KeyPair { private, key, public: public.to_vec() });
    }
    Ok(())
}
