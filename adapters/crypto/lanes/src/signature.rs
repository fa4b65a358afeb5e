//! Ed25519, eight verifications at a time, and single ones by dalek, which is faster than AWS-LC at
//! them (30 us against 36) once it has decoded the key.

use std::sync::OnceLock;

use crypto_api::primitives::SignatureScheme;
use crypto_api::{CryptoError, Random, Secret, rules};
use crypto_aws_lc::signature as aws_lc;
use curve25519x8::{LANES, Lanes, Signed};
use ed25519_dalek::Verifier as _;

/// Below this, one by one is faster: eight lanes cost as much as two to three of them.
const WORTH_IT: usize = 3;

/// The signature scheme of suites 1 and 3.
pub struct Ed25519;

/// A public key, for one verification and for many.
pub struct Public {
    encoded: [u8; 32],
    /// Decoded when it is first used alone: in a batch its encoding is all that is needed.
    decoded: OnceLock<Option<ed25519_dalek::VerifyingKey>>,
}

impl SignatureScheme for Ed25519 {
    type SigningKey = <aws_lc::Ed25519 as SignatureScheme>::SigningKey;
    type VerifyingKey = Public;

    fn generate(random: &dyn Random) -> Result<Secret, CryptoError> {
        aws_lc::Ed25519::generate(random)
    }

    fn signing_key(private: &[u8]) -> Result<(Self::SigningKey, Vec<u8>), CryptoError> {
        aws_lc::Ed25519::signing_key(private)
    }

    fn verifying_key(public: &[u8]) -> Result<Public, CryptoError> {
        let encoded = *public.first_chunk().ok_or(CryptoError::Rejected)?;
        aws_lc::Ed25519::verifying_key(public)?;
        Ok(Public { encoded, decoded: OnceLock::new() })
    }

    fn sign(key: &Self::SigningKey, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        aws_lc::Ed25519::sign(key, message)
    }

    fn verify(key: &Public, message: &[u8], signature: &[u8]) -> Result<(), CryptoError> {
        let decode = || ed25519_dalek::VerifyingKey::from_bytes(&key.encoded).ok();
        let decoded = key.decoded.get_or_init(decode).as_ref().ok_or(CryptoError::Rejected)?;
        let signature = rules::ed25519_signature(signature)?;
        // Keys of small order were refused: so `verify` decides as AWS-LC does.
        let signature = ed25519_dalek::Signature::from_bytes(signature);
        decoded.verify(message, &signature).map_err(|_| CryptoError::Rejected)
    }

    fn verify_batch(signed: &[(&Public, &[u8], &[u8])]) -> Result<(), CryptoError> {
        for chunk in signed.chunks(LANES) {
            match Lanes::detect() {
                Some(lanes) if chunk.len() >= WORTH_IT => verify_chunk(lanes, chunk)?,
                _ => {
                    for (key, message, signature) in chunk {
                        Self::verify(key, message, signature)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// At most eight. Lanes that are left over repeat the first.
fn verify_chunk(lanes: Lanes, signed: &[(&Public, &[u8], &[u8])]) -> Result<(), CryptoError> {
    let mut eight = [Signed { public: &[0; 32], message: b"", signature: &[0; 64] }; LANES];
    for (lane, slot) in eight.iter_mut().enumerate() {
        let (key, message, signature) =
            signed.get(lane).or(signed.first()).ok_or(CryptoError::Internal)?;
        let signature = rules::ed25519_signature(signature)?;
        *slot = Signed { public: &key.encoded, message, signature };
    }
    let good = lanes.ed25519_verify(&eight).iter().all(|good| *good);
    if good { Ok(()) } else { Err(CryptoError::Rejected) }
}
