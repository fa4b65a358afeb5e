//! Pairs of the primitives: sign and verify, encaps and decaps; and Diffie-Hellman as the control, in
//! which both do the same.

use std::hint::black_box;
use std::sync::Arc;

use crypto_api::CryptoError;
use crypto_api::primitives::{Dh, Kem, SignatureScheme};
use crypto_rustcrypto::SystemRandom;

use super::{Pair, Ready, Role, Unplayed};
use crate::side_by_side::{Figure, Repeated, Work};

/// What is signed.
const MESSAGE: [u8; 64] = [0x5a; 64];

/// Which bit is flipped is tried in this many places, and the dearest is taken.
const PLACES: usize = 8;

pub(super) fn pairs() -> Vec<Pair> {
    use crypto_aws_lc as aws_lc;
    use crypto_libcrux as libcrux;
    use crypto_rustcrypto as rustcrypto;

    vec![
        control::<aws_lc::dh::X25519>("x25519/aws-lc"),
        control::<rustcrypto::dh::X25519>("x25519/rustcrypto"),
        signature::<aws_lc::signature::Ed25519>("ed25519/aws-lc"),
        signature::<rustcrypto::signature::Ed25519>("ed25519/rustcrypto"),
        signature::<aws_lc::signature::EcdsaP256>("ecdsa-p256/aws-lc"),
        signature::<rustcrypto::signature::EcdsaP256>("ecdsa-p256/rustcrypto"),
        signature::<libcrux::signature::MlDsa44>("ml-dsa-44/libcrux"),
        signature::<libcrux::signature::MlDsa65>("ml-dsa-65/libcrux"),
        signature::<libcrux::signature::MlDsa87>("ml-dsa-87/libcrux"),
        kem::<crypto_api::dhkem::DhKem<aws_lc::dh::X25519>>("dhkem-x25519/aws-lc"),
        kem::<crypto_api::seed_kem::SeedKem<libcrux::kem::MlKem768>>("ml-kem-768/libcrux"),
        kem::<crypto_api::seed_kem::SeedKem<libcrux::kem::MlKem1024>>("ml-kem-1024/libcrux"),
    ]
}

/// Two parties who derive the same secret, each from its own key and the other's.
fn control<D: Dh>(name: &str) -> Pair {
    Pair {
        name: format!("{name}, both sides (control)"),
        sender: "one side",
        receiver: "the other side",
        equal: true,
        at_least: 1,
        make: Arc::new(|role| {
            let both = || -> Result<_, CryptoError> {
                let one = D::private_key(&[7; 32])?;
                let other = D::private_key(&[9; 32])?;
                let publics = [D::public_key(&one)?, D::public_key(&other)?];
                let secrets = [D::agree(&one, &publics[1])?, D::agree(&other, &publics[0])?];
                if secrets[0].as_slice() != secrets[1].as_slice() {
                    return Err(CryptoError::Internal);
                }
                Ok(([one, other], publics))
            };
            let ([one, other], [of_one, of_other]) = both()?;
            let (key, public) = match role {
                Role::Sender => (one, of_other),
                Role::Receiver => (other, of_one),
                Role::Refusing => return Ok(None),
            };
            let work = move || {
                let _ = black_box(D::agree(black_box(&key), &public));
            };
            Ok(Some(ready(work, None)))
        }),
    }
}

fn signature<S: SignatureScheme>(name: &str) -> Pair {
    let make = |role| -> Result<Option<Ready>, CryptoError> {
        let private = S::generate(&SystemRandom)?;
        let (key, public) = S::signing_key(private.as_slice())?;
        let signature = S::sign(&key, &MESSAGE)?;
        let verifying = S::verifying_key(&public)?;
        S::verify(&verifying, &MESSAGE, &signature)?;
        let wire_bytes = Some(MESSAGE.len() + signature.len());
        Ok(Some(match role {
            Role::Sender => {
                let mut message = MESSAGE;
                let work = move || {
                    // How long some schemes try depends on the message.
                    message[0] = message[0].wrapping_add(1);
                    message[1] = message[1].wrapping_add(u8::from(message[0] == 0));
                    let _ = black_box(S::sign(black_box(&key), &message));
                };
                ready(work, wire_bytes)
            }
            Role::Receiver => {
                let work = move || {
                    let _ = black_box(S::verify(black_box(&verifying), &MESSAGE, &signature));
                };
                ready(work, wire_bytes)
            }
            Role::Refusing => {
                let refuses = |bad: &[u8]| S::verify(&verifying, &MESSAGE, bad).is_err();
                let (bad, place) = dearest(&signature, refuses).ok_or(CryptoError::Internal)?;
                let verifying = S::verifying_key(&public)?;
                let work = move || {
                    let _ = black_box(S::verify(black_box(&verifying), &MESSAGE, &bad));
                };
                Ready { figures: vec![place], ..ready(work, wire_bytes) }
            }
        }))
    };
    Pair {
        name: name.into(),
        sender: "sign",
        receiver: "verify",
        equal: false,
        // ML-DSA signs by trying until it fits, four times or so.
        at_least: if name.starts_with("ml-dsa") { 50 } else { 1 },
        make: Arc::new(move |role| make(role).map_err(Unplayed::from)),
    }
}

fn kem<K: Kem>(name: &str) -> Pair {
    let make = |role| -> Result<Option<Ready>, CryptoError> {
        let pair = K::generate_key_pair(&SystemRandom)?;
        let (secret, kem_output) = K::encap(&pair.public, &SystemRandom)?;
        let good = K::decap(&kem_output, &pair.key, &pair.public)?;
        if good.as_slice() != secret.as_slice() {
            return Err(CryptoError::Internal);
        }
        let wire_bytes = Some(kem_output.len());
        let (key, public) = (pair.key, pair.public);
        Ok(Some(match role {
            Role::Sender => {
                let work = move || {
                    let _ = black_box(K::encap(black_box(&public), &SystemRandom));
                };
                ready(work, wire_bytes)
            }
            Role::Receiver => {
                let work = move || {
                    let _ = black_box(K::decap(black_box(&kem_output), &key, &public));
                };
                ready(work, wire_bytes)
            }
            Role::Refusing => {
                // A KEM may refuse by a secret that nobody else has.
                let refuses = |bad: &[u8]| match K::decap(bad, &key, &public) {
                    Ok(other) => other.as_slice() != secret.as_slice(),
                    Err(_) => true,
                };
                let (bad, place) = dearest(&kem_output, refuses).ok_or(CryptoError::Internal)?;
                let work = move || {
                    let _ = black_box(K::decap(black_box(&bad), &key, &public));
                };
                Ready { figures: vec![place], ..ready(work, wire_bytes) }
            }
        }))
    };
    Pair {
        name: name.into(),
        sender: "encaps",
        receiver: "decaps",
        equal: false,
        at_least: 1,
        make: Arc::new(move |role| make(role).map_err(Unplayed::from)),
    }
}

fn ready(work: impl FnMut() + 'static, wire_bytes: Option<usize>) -> Ready {
    Ready { work: Box::new(Repeated(work)), wire_bytes, figures: Vec::new() }
}

/// Of some copies of `good` with one bit flipped each, the one that is refused latest, and the byte
/// that is another in it. `None` if one is accepted.
fn dearest(good: &[u8], refuses: impl Fn(&[u8]) -> bool) -> Option<(Vec<u8>, Figure)> {
    let mut dearest: Option<(f64, usize, Vec<u8>)> = None;
    for at in places(good.len()) {
        let mut bad = good.to_vec();
        bad[at] ^= 1;
        if !refuses(&bad) {
            return None;
        }
        let mut once = Repeated(|| {
            black_box(refuses(black_box(&bad)));
        });
        let time = quickest(&mut once)?;
        if dearest.as_ref().is_none_or(|(most, ..)| time > *most) {
            dearest = Some((time, at, bad));
        }
    }
    dearest.map(|(_, at, bad)| (bad, flipped_at(at)))
}

/// Places spread over so many bytes.
pub(super) fn places(length: usize) -> impl Iterator<Item = usize> {
    (0..PLACES.min(length)).map(move |place| (2 * place + 1) * length / (2 * PLACES.min(length)))
}

/// Which byte is another.
pub(super) fn flipped_at(at: usize) -> Figure {
    Figure { name: "flipped in byte".into(), value: at as f64, unit: String::new() }
}

/// The least of a few.
pub(super) fn quickest(work: &mut dyn Work) -> Option<f64> {
    let times = (0..7).filter_map(|_| work.turn(1).ok().map(|times| times.whole_ns));
    times.min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spread() {
        assert_eq!(places(64).collect::<Vec<_>>(), [4, 12, 20, 28, 36, 44, 52, 60]);
        assert_eq!(places(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(places(0).count(), 0);
    }

    #[test]
    fn the_dearest_is_one_that_is_refused() {
        let good = [0; 16];
        let refuses = |bad: &[u8]| {
            if bad[13] != 0 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            true
        };
        let found = dearest(&good, refuses).map(|(bad, _)| bad[13]);
        assert_eq!(found, Some(1));
        assert!(dearest(&good, |bad| bad[1] == 0).is_none());
    }
}
