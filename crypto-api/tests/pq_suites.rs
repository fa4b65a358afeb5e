//! The post-quantum suites: the libraries among each other, and against the `hpke` crate.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod both;

use std::sync::Arc;

use both::{Never, Repeatable};
use crypto_api::{
    CipherSuite, CryptoBackend, CryptoError, HpkeCiphertext, PqSuite, PqSuites, Random, SealTo,
    Suite,
    post_quantum::{self, Derivation, PqPrimitives},
};
use crypto_aws_lc::AwsLc;
use crypto_libcrux::Libcrux;
use crypto_rustcrypto::RustCrypto;

/// The libraries, and how many of the suites each has.
fn libraries(suites: &PqSuites, random: &Arc<dyn Random>) -> [(Box<dyn CryptoBackend>, usize); 3] {
    let random = || Arc::clone(random);
    [
        (Box::new(AwsLc::with_post_quantum(suites, random())), 12),
        (Box::new(RustCrypto::with_post_quantum(suites, random())), 12),
        (Box::new(Libcrux::with_post_quantum(suites, random())), 7),
    ]
}

/// Every ordered pair of implementations of every suite, an implementation with itself included.
fn for_each_pair(suites: &PqSuites, test: impl Fn(&dyn Suite, &dyn Suite, &str)) {
    let libraries = libraries(suites, &Repeatable::from_seed(1));
    for (suite, code_point) in suites.iter() {
        let found: Vec<_> = libraries
            .iter()
            .filter_map(|(backend, _)| Some((backend.name(), backend.suite(code_point).ok()?)))
            .collect();
        assert!(found.len() >= 2, "{}", suite.name());
        for (one_name, one) in &found {
            for (other_name, other) in &found {
                test(*one, *other, &format!("{}, {one_name} -> {other_name}", suite.name()));
            }
        }
    }
}

#[test]
fn which_library_has_which() {
    let suites = PqSuites::default();
    for (backend, count) in libraries(&suites, &Repeatable::from_seed(1)) {
        let listed = backend.cipher_suites();
        assert!(listed.is_sorted_by(|one, other| one < other));
        assert_eq!(listed.iter().filter(|suite| suites.suite(**suite).is_some()).count(), count);
        for suite in listed {
            assert_eq!(backend.suite(*suite).unwrap().cipher_suite(), *suite);
        }
    }
    assert!(!AwsLc::new().cipher_suites().iter().any(|suite| suites.suite(*suite).is_some()));
}

#[test]
fn numbers() {
    let suites = PqSuites::private_range();
    let of_draft = PqSuite::ALL[..11].iter().map(|suite| suites.code_point(*suite).unwrap().0);
    assert!(of_draft.eq(0xf001..=0xf00b));
    assert_eq!(suites.suite(CipherSuite(0x004d)), Some(PqSuite::XWingChaCha20Sha256Ed25519));
    let (first, second) = (PqSuite::ALL[0], PqSuite::ALL[1]);
    for taken in [0, 1, 7, 0xf002] {
        let refused = suites.clone().with_code_point(first, CipherSuite(taken));
        assert_eq!(refused, Err(CryptoError::Rejected));
    }
    let moved = suites.with_code_point(first, CipherSuite(0x1234)).unwrap();
    assert_eq!(moved.suite(CipherSuite(0x1234)), Some(first));
    assert_eq!(moved.suite(CipherSuite(0xf001)), None);
    let backend = AwsLc::with_post_quantum(&moved, Repeatable::from_seed(1));
    assert!(backend.suite(CipherSuite(0x1234)).is_ok());
    assert_eq!(backend.suite(CipherSuite(0xf001)).err(), Some(CryptoError::Unsupported));
    let only = moved.only(&[second]);
    assert!(only.iter().eq([(second, CipherSuite(0xf002))]));
    assert_eq!(only.suite(CipherSuite(0x1234)), None);

    let openmls = PqSuites::openmls();
    assert_eq!(openmls.iter().count(), 9);
    assert_eq!(openmls.code_point(first), Some(CipherSuite(0x004f)));
    assert_eq!(openmls.derivation(first), Derivation::Unlabelled);
    assert_eq!(PqSuites::default().derivation(first), Derivation::Labelled);
    let legacy = PqSuite::XWingChaCha20Sha256Ed25519;
    assert_eq!(PqSuites::default().derivation(legacy), Derivation::Unlabelled);
}

#[test]
fn the_same_derived_keys() {
    for suites in [PqSuites::private_range(), PqSuites::openmls()] {
        for_each_pair(&suites, |one, other, context| {
            for ikm in [&b""[..], b"0", &[7; 32], &[7; 48], &[9; 200]] {
                let ours = one.derive_key_pair(ikm).unwrap();
                let theirs = other.derive_key_pair(ikm).unwrap();
                assert_eq!(ours.private(), theirs.private(), "{context}");
                assert_eq!(ours.public(), theirs.public(), "{context}");
                let stored = other.private_key(ours.private().as_slice()).unwrap();
                assert_eq!(stored.public(), ours.public(), "{context}");
            }
        });
    }
}

#[test]
fn what_one_makes_the_other_takes() {
    for_each_pair(&PqSuites::default(), |one, other, context| {
        let key = other.generate_key_pair().unwrap();
        one.check_public_key(key.public()).unwrap();
        let info: [&[u8]; 2] = [b"in", b"fo"];
        let sealed = one.seal_base(key.public(), &info, b"aad", b"text").unwrap();
        let opened = other.open_base(&key, &sealed, &[b"info"], b"aad").unwrap();
        assert_eq!(opened.as_slice(), b"text", "{context}");
        let damaged = |sealed: &HpkeCiphertext| other.open_base(&key, sealed, &info, b"aad").err();
        let mut other_output = sealed.clone();
        other_output.kem_output[7] ^= 1;
        assert_eq!(damaged(&other_output), Some(CryptoError::Rejected), "{context}");
        let to = [SealTo { public: key.public(), plaintext: b"a" }; 3];
        for sealed in one.seal_base_batch(&to, &info, b"").unwrap() {
            assert_eq!(other.open_base(&key, &sealed, &info, b"").unwrap().as_slice(), b"a");
        }
        let (output, sent) = one.send_export(key.public(), &info, b"context", 48).unwrap();
        let received = other.receive_export(&key, &output, &info, b"context", 48).unwrap();
        assert_eq!(sent, received, "{context}");

        let signer = one.generate_signing_key().unwrap();
        let same = other.signing_key(signer.private().as_slice()).unwrap();
        assert_eq!(same.public(), signer.public(), "{context}");
        let verifying = other.verifying_key(signer.public()).unwrap();
        let signature = one.sign(&signer, b"message").unwrap();
        other.verify(&verifying, b"message", &signature).unwrap();
        let refused = other.verify(&verifying, b"massage", &signature);
        assert_eq!(refused, Err(CryptoError::Rejected), "{context}");
    });
}

#[test]
fn no_randomness_is_an_internal_error() {
    let suites = PqSuites::default();
    for (backend, _) in libraries(&suites, &(Arc::new(Never) as Arc<dyn Random>)) {
        for (_, code_point) in suites.iter() {
            let Ok(suite) = backend.suite(code_point) else { continue };
            assert_eq!(suite.generate_key_pair().err(), Some(CryptoError::Internal));
            assert_eq!(suite.generate_signing_key().err(), Some(CryptoError::Internal));
        }
    }
}

/// Each primitive from another library.
struct Motley;

impl PqPrimitives for Motley {
    type XWing = crypto_dryoc::kem::XWing;
    type MlKem768 = crypto_dryoc::kem::MlKem768;
    type MlKem1024 = crypto_rustcrypto::kem::MlKem1024;
    type Sha256 = crypto_graviola::hash::Sha256;
    type Sha384 = crypto_aws_lc::hash::Sha384;
    type Aes128Gcm = crypto_rustcrypto::aead::Aes128Gcm;
    type Aes256Gcm = crypto_libcrux::aead::Aes256Gcm;
    type ChaCha20Poly1305 = crypto_dryoc::aead::ChaCha20Poly1305;
    type Ed25519 = crypto_fiat::signature::Ed25519;
    type MlDsa44 = crypto_aws_lc::signature::MlDsa44;
    type MlDsa65 = crypto_libcrux::signature::MlDsa65;
    type MlDsa87 = crypto_rustcrypto::signature::MlDsa87;
}

#[test]
fn primitives_of_several_libraries() {
    let (suites, random) = (PqSuites::default(), Repeatable::from_seed(1));
    let backend = RustCrypto::with_post_quantum(&suites, Arc::clone(&random));
    let composed = post_quantum::compose::<Motley>(&suites, &random);
    assert_eq!(composed.len(), 7);
    for motley in &composed {
        let other = backend.suite(motley.cipher_suite()).unwrap();
        let key = motley.derive_key_pair(b"a key").unwrap();
        assert_eq!(key.public(), other.derive_key_pair(b"a key").unwrap().public());
        let sealed = other.seal_base(key.public(), &[b"info"], b"", b"text").unwrap();
        assert_eq!(motley.open_base(&key, &sealed, &[b"info"], b"").unwrap().as_slice(), b"text");
        let signer = motley.generate_signing_key().unwrap();
        let signature = motley.sign(&signer, b"message").unwrap();
        let verifying = other.verifying_key(signer.public()).unwrap();
        assert_eq!(other.verify(&verifying, b"message", &signature), Ok(()));
        assert_eq!(motley.hash(&[b"a"]), other.hash(&[b"a"]));
    }
}

/// Keys, ciphertexts, tags and signatures of every wrong length.
#[test]
fn wrong_lengths() {
    let suites = PqSuites::default();
    for (backend, _) in libraries(&suites, &Repeatable::from_seed(1)) {
        for (_, code_point) in suites.iter() {
            if let Ok(suite) = backend.suite(code_point) {
                wrong_lengths_in(suite, backend.name());
            }
        }
    }
}

fn wrong_lengths_in(suite: &dyn Suite, name: &str) {
    const REJECTED: Option<CryptoError> = Some(CryptoError::Rejected);
    let key = suite.derive_key_pair(b"a key").unwrap();
    let good = suite.seal_base(key.public(), &[b"info"], b"", b"text").unwrap();
    let signer = suite.generate_signing_key().unwrap();
    let verifying = suite.verifying_key(signer.public()).unwrap();
    let signature = suite.sign(&signer, b"message").unwrap();
    let context = format!("{name}, {:?}", suite.cipher_suite());
    for wrong in cuts(key.public()) {
        assert_eq!(suite.check_public_key(&wrong).err(), REJECTED, "{context}");
        assert_eq!(suite.seal_base(&wrong, &[], b"", b"").err(), REJECTED, "{context}");
        assert_eq!(suite.send_export(&wrong, &[], b"", 1).err(), REJECTED, "{context}");
    }
    for wrong in cuts(key.private().as_slice()) {
        assert_eq!(suite.private_key(&wrong).err(), REJECTED, "{context}");
    }
    for kem_output in cuts(&good.kem_output) {
        let exported = suite.receive_export(&key, &kem_output, &[], b"", 1);
        assert_eq!(exported.err(), REJECTED, "{context}");
        let sealed = HpkeCiphertext { kem_output, ciphertext: good.ciphertext.clone() };
        assert_eq!(suite.open_base(&key, &sealed, &[b"info"], b"").err(), REJECTED, "{context}");
    }
    for ciphertext in cuts(&good.ciphertext) {
        let sealed = HpkeCiphertext { kem_output: good.kem_output.clone(), ciphertext };
        assert_eq!(suite.open_base(&key, &sealed, &[b"info"], b"").err(), REJECTED, "{context}");
    }
    for wrong in cuts(signer.public()) {
        assert_eq!(suite.verifying_key(&wrong).err(), REJECTED, "{context}");
    }
    for wrong in cuts(signer.private().as_slice()) {
        assert_eq!(suite.signing_key(&wrong).err(), REJECTED, "{context}");
    }
    for wrong in cuts(&signature) {
        assert_eq!(suite.verify(&verifying, b"message", &wrong).err(), REJECTED, "{context}");
    }
}

/// The bytes cut short, or repeated, to every length but their own up to 64 more.
fn cuts(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let lengths = (0..=bytes.len() + 64).filter(|length| *length != bytes.len());
    lengths.map(|length| bytes.iter().copied().cycle().take(length).collect())
}

/// An implementation of HPKE and of the hybrids that has nothing of ours.
mod independent {
    use super::{CipherSuite, CryptoBackend, HpkeCiphertext, PqSuites, Repeatable, libraries};
    use hpke::{
        Deserializable, Kem, OpModeR, OpModeS, Serializable,
        aead::{Aead, AesGcm128, AesGcm256, ChaCha20Poly1305},
        kdf::{HkdfSha256, HkdfSha384, Kdf},
        kem::{MlKem768, MlKem768P256, MlKem1024, MlKem1024P384, XWing},
    };

    #[test]
    fn the_hpke_crate() {
        let suites = PqSuites::default();
        let mut checked = 0;
        for (backend, _) in libraries(&suites, &Repeatable::from_seed(1)) {
            for (suite, code_point) in suites.iter() {
                let algorithms = suite.algorithms();
                let ids = (algorithms.kem_id, algorithms.kdf_id, algorithms.aead_id);
                let check = match ids {
                    (0x647a, 1, 1) => agrees::<XWing, HkdfSha256, AesGcm128>,
                    (0x647a, 2, 2) => agrees::<XWing, HkdfSha384, AesGcm256>,
                    (0x647a, 2, 3) => agrees::<XWing, HkdfSha384, ChaCha20Poly1305>,
                    (0x647a, 1, 3) => agrees::<XWing, HkdfSha256, ChaCha20Poly1305>,
                    (0x0050, 1, 1) => agrees::<MlKem768P256, HkdfSha256, AesGcm128>,
                    (0x0050, 2, 2) => agrees::<MlKem768P256, HkdfSha384, AesGcm256>,
                    (0x0051, 2, 2) => agrees::<MlKem1024P384, HkdfSha384, AesGcm256>,
                    (0x0041, 2, 2) => agrees::<MlKem768, HkdfSha384, AesGcm256>,
                    (0x0042, 2, 2) => agrees::<MlKem1024, HkdfSha384, AesGcm256>,
                    other => panic!("no such combination: {other:?}"),
                };
                if backend.suite(code_point).is_ok() {
                    check(&*backend, code_point);
                    checked += 1;
                }
            }
        }
        assert_eq!(checked, 12 + 12 + 7);
    }

    fn agrees<K: Kem, D: Kdf, A: Aead>(backend: &dyn CryptoBackend, code_point: CipherSuite) {
        let suite = backend.suite(code_point).unwrap();
        let (info, aad) = (b"info", b"aad");
        let ours = suite.derive_key_pair(&[5; 48]).unwrap();
        let (private, public) = K::derive_keypair(&[5; 48]);
        if code_point != CipherSuite::MLS_256_XWING_CHACHA20POLY1305_SHA256_ED25519 {
            assert_eq!(ours.private().as_slice(), &private.to_bytes()[..]);
            assert_eq!(ours.public(), &public.to_bytes()[..]);
        }
        // What we seal, it opens, by its own key and by ours.
        let private_of_ours = K::PrivateKey::from_bytes(ours.private().as_slice()).unwrap();
        let of_theirs = public.to_bytes();
        for (private, public) in [(&private, &of_theirs[..]), (&private_of_ours, ours.public())] {
            let sealed = suite.seal_base(public, &[info], aad, b"text").unwrap();
            let output = K::EncappedKey::from_bytes(&sealed.kem_output).unwrap();
            let opened = hpke::single_shot_open::<A, D, K>(
                &OpModeR::Base,
                private,
                &output,
                info,
                &sealed.ciphertext,
                aad,
            );
            assert_eq!(opened.unwrap(), b"text");
        }
        // And the other way round, with an export.
        let public = K::PublicKey::from_bytes(ours.public()).unwrap();
        let (output, mut context) =
            hpke::setup_sender::<A, D, K>(&OpModeS::Base, &public, info).unwrap();
        let sealed = HpkeCiphertext {
            kem_output: output.to_bytes().to_vec(),
            ciphertext: context.seal(b"text", aad).unwrap(),
        };
        let opened = suite.open_base(&ours, &sealed, &[info], aad).unwrap();
        assert_eq!(opened.as_slice(), b"text");
        let mut exported = [0; 32];
        context.export(b"context", &mut exported).unwrap();
        let received = suite.receive_export(&ours, &sealed.kem_output, &[info], b"context", 32);
        assert_eq!(received.unwrap().as_slice(), exported);
    }
}
