//! What one backend makes, the other takes, and what has one answer is the same on both.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod both;

use both::{Both, Never, Repeatable, SUITES};
use crypto_api::{
    CipherSuite, CryptoBackend, CryptoError, Random, SealTo, Signed, SigningKey, Suite,
    VerifyingKey,
};
use std::sync::Arc;

/// Every ordered pair of implementations of every suite, an implementation with itself included.
fn for_each_pair(test: impl Fn(&dyn Suite, &dyn Suite, &str)) {
    let both = Both::new();
    for suite in SUITES {
        for (one_name, one) in both.of(suite) {
            for (other_name, other) in both.of(suite) {
                test(one, other, &format!("suite {suite}, {one_name} -> {other_name}"));
            }
        }
    }
}

#[test]
fn the_same_lengths_hashes_and_secrets() {
    for_each_pair(|one, other, context| {
        let lengths = |suite: &dyn Suite| {
            [suite.kdf_nh(), suite.hash_length(), suite.aead_nk(), suite.aead_nn(), suite.aead_nt()]
        };
        assert_eq!(lengths(one), lengths(other), "{context}");
        let long = [0x5a; 300]; // longer than any hash's block, as a key too
        let parts: [&[u8]; 4] = [b"", b"a", &long, b"b"];
        let whole = parts.concat();
        assert_eq!(one.hash(&parts), other.hash(&[&whole]), "{context}");
        for key in [&b""[..], b"k", &long[..64], &long[..128], &long[..129], &long] {
            assert_eq!(one.mac(key, &parts), other.mac(key, &[&whole]), "{context}");
            assert_eq!(one.extract(key, &parts), other.extract(key, &[&whole]), "{context}");
            for length in [0, 1, one.kdf_nh(), one.kdf_nh() + 1, 255 * one.kdf_nh()] {
                let (mut ours, mut theirs) = (vec![0; length], vec![0; length]);
                one.expand(key, &parts, &mut ours).unwrap();
                other.expand(key, &[&whole], &mut theirs).unwrap();
                assert_eq!(ours, theirs, "{context}");
            }
        }
        let many = vec![&b"ab"[..]; 20];
        let (mut ours, mut theirs) = ([0; 40], [0; 40]);
        one.expand(b"k", &many, &mut ours).unwrap();
        other.expand(b"k", &[&many.concat()], &mut theirs).unwrap();
        assert_eq!(ours, theirs, "{context}");
    });
}

#[test]
fn the_same_derived_keys() {
    for_each_pair(|one, other, context| {
        for ikm in [&b""[..], b"0", &[7; 32], &[7; 48], &[9; 200]] {
            let ours = one.derive_key_pair(ikm).unwrap();
            let theirs = other.derive_key_pair(ikm).unwrap();
            assert_eq!(ours.private(), theirs.private(), "{context}");
            assert_eq!(ours.public(), theirs.public(), "{context}");
            let reread = other.private_key(ours.private().as_slice()).unwrap();
            assert_eq!(reread.public(), ours.public(), "{context}");
            other.check_public_key(ours.public()).unwrap();
        }
    });
}

#[test]
fn one_seals_the_other_opens() {
    for_each_pair(|one, other, context| {
        let private = other.generate_key_pair().unwrap();
        let info: [&[u8]; 2] = [b"in", b"fo"];
        for plaintext in [&b""[..], b"x", &[3; 1000]] {
            let sealed = one.seal_base(private.public(), &info, b"aad", plaintext).unwrap();
            assert_eq!(sealed.ciphertext.len(), plaintext.len() + one.aead_nt());
            let opened = other.open_base(&private, &sealed, &[b"info"], b"aad");
            assert_eq!(opened.unwrap().as_slice(), plaintext, "{context}");
            let wrong = other.open_base(&private, &sealed, &[b"info"], b"AAD");
            assert_eq!(wrong, Err(CryptoError::Rejected), "{context}");
            let wrong = other.open_base(&private, &sealed, &[b"inf"], b"aad");
            assert_eq!(wrong, Err(CryptoError::Rejected), "{context}");
        }
        let (kem_output, sent) = one.send_export(private.public(), &info, b"exporter", 77).unwrap();
        let received = other.receive_export(&private, &kem_output, &info, b"exporter", 77);
        assert_eq!(received.unwrap(), sent, "{context}");
    });
}

#[test]
fn a_batch_is_the_same_as_one_by_one() {
    for_each_pair(|one, other, context| {
        let keys: Vec<_> = (0..5).map(|_| other.generate_key_pair().unwrap()).collect();
        let plaintexts: Vec<Vec<u8>> = (0..5).map(|n| vec![n; usize::from(n) * 7]).collect();
        let recipients: Vec<SealTo<'_>> = keys
            .iter()
            .zip(&plaintexts)
            .map(|(key, plaintext)| SealTo { public: key.public(), plaintext })
            .collect();
        let sealed = one.seal_base_batch(&recipients, &[b"info"], b"").unwrap();
        assert_eq!(sealed.len(), 5);
        for ((key, plaintext), sealed) in keys.iter().zip(&plaintexts).zip(&sealed) {
            let opened = other.open_base(key, sealed, &[b"info"], b"").unwrap();
            assert_eq!(opened.as_slice(), plaintext, "{context}");
        }
        assert_eq!(one.seal_base_batch(&[], &[b"info"], b""), Ok(vec![]));
        let mut with_bad = recipients;
        with_bad[3].public = b"no key";
        let refused = one.seal_base_batch(&with_bad, &[b"info"], b"");
        assert_eq!(refused, Err(CryptoError::Rejected), "{context}");
    });
}

#[test]
fn one_signs_the_other_verifies() {
    for_each_pair(|one, other, context| {
        let key = one.generate_signing_key().unwrap();
        let reread = other.signing_key(key.private().as_slice()).unwrap();
        assert_eq!(reread.public(), key.public(), "{context}");
        let public = other.verifying_key(key.public()).unwrap();
        for message in [&b""[..], b"m", &[1; 500]] {
            let signature = one.sign(&key, message).unwrap();
            other.verify(&public, message, &signature).unwrap();
            let mut longer = message.to_vec();
            longer.push(0);
            let refused = other.verify(&public, &longer, &signature);
            assert_eq!(refused, Err(CryptoError::Rejected), "{context}");
        }
    });
}

#[test]
fn a_batch_of_signatures_is_good_if_all_are() {
    for_each_pair(|one, other, context| {
        let keys: Vec<SigningKey> = (0..6).map(|_| one.generate_signing_key().unwrap()).collect();
        let publics: Vec<VerifyingKey> =
            keys.iter().map(|key| other.verifying_key(key.public()).unwrap()).collect();
        let messages: Vec<[u8; 3]> = (0..6).map(|n| [n; 3]).collect();
        let mut signatures: Vec<Vec<u8>> = keys
            .iter()
            .zip(&messages)
            .map(|(key, message)| one.sign(key, message).unwrap())
            .collect();
        let verdict = |signatures: &[Vec<u8>]| {
            let signed: Vec<Signed<'_>> = publics
                .iter()
                .zip(&messages)
                .zip(signatures)
                .map(|((key, message), signature)| Signed { key, message, signature })
                .collect();
            other.verify_batch(&signed)
        };
        assert_eq!(verdict(&signatures), Ok(()), "{context}");
        assert_eq!(verdict(&[]), Ok(()), "{context}");
        signatures.swap(2, 4);
        assert_eq!(verdict(&signatures), Err(CryptoError::Rejected), "{context}");
    });
}

#[test]
fn randomness_is_the_callers() {
    for suite in SUITES {
        for index in 0..Both::new().of(suite).len() {
            let run = |seed| {
                let both = Both::with_random(&Repeatable::from_seed(seed));
                let (name, suite) = both.of(suite)[index];
                let private = suite.generate_key_pair().unwrap();
                let signing = suite.generate_signing_key().unwrap();
                let sealed = suite.seal_base(private.public(), &[], b"", b"secret");
                // AWS-LC's and graviola's ECDSA nonces are their own.
                let signature = (!matches!(name, "aws-lc" | "graviola"))
                    .then(|| suite.sign(&signing, b"message").unwrap());
                let public = private.public().to_vec();
                (public, signing.public().to_vec(), sealed.unwrap(), signature)
            };
            assert_eq!(run(1), run(1), "suite {suite}");
            assert_ne!(run(1).0, run(2).0, "suite {suite}");
        }
        let never: Arc<dyn Random> = Arc::new(Never);
        let both = Both::with_random(&never);
        for (name, implementation) in both.of(suite) {
            let context = format!("{name}, suite {suite}");
            let public = implementation.derive_key_pair(b"ikm").unwrap().public().to_vec();
            let failed = Some(CryptoError::Internal);
            let generated = implementation.generate_key_pair();
            assert_eq!(generated.err(), failed, "{context}");
            let generated = implementation.generate_signing_key();
            assert_eq!(generated.err(), failed, "{context}");
            let sealed = implementation.seal_base(&public, &[], b"", b"");
            assert_eq!(sealed.err(), failed, "{context}");
        }
    }
}

#[test]
fn other_suites_are_unsupported() {
    let backends: [&dyn CryptoBackend; 6] = [
        &crypto_rustcrypto::RustCrypto::new(),
        &crypto_aws_lc::AwsLc::new(),
        &crypto_fiat::Fiat::new(),
        &crypto_graviola::Graviola::new(),
        &crypto_libcrux::Libcrux::new(),
        &crypto_dryoc::Dryoc::new(),
    ];
    for backend in backends {
        for number in [0, 8, 0x0a0a, 0xf001, 0xffff] {
            let suite = backend.suite(CipherSuite(number));
            assert_eq!(suite.err(), Some(CryptoError::Unsupported));
        }
        for suite in backend.cipher_suites() {
            assert_eq!(backend.suite(*suite).unwrap().cipher_suite(), *suite);
        }
        assert!(backend.cipher_suites().is_sorted());
    }
}
