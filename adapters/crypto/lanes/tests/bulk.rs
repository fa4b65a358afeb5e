//! What is done in lanes is what AWS-LC does one by one.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crypto_api::{CipherSuite, CryptoBackend, CryptoError, SealTo, Signed, Suite};
use crypto_aws_lc::AwsLc;
use crypto_lanes::Lanes;
use ed25519_dalek::SigningKey;

const SUITES: [CipherSuite; 2] = [CipherSuite(1), CipherSuite(3)];

fn both(suite: CipherSuite, test: impl Fn(&dyn Suite, &dyn Suite)) {
    println!("in lanes: {}", curve25519x8::Lanes::detect().is_some());
    test(Lanes::new().suite(suite).unwrap(), AwsLc::new().suite(suite).unwrap());
}

/// Every number of recipients around the lanes' number; AWS-LC opens each for its own only.
#[test]
fn seals_open() {
    for suite in SUITES {
        both(suite, |lanes, aws_lc| {
            for count in 0..=2 * curve25519x8::LANES + 3 {
                let keys: Vec<_> =
                    (0..count).map(|_| aws_lc.generate_key_pair().unwrap()).collect();
                let texts: Vec<_> = (0..count).map(|index| vec![index as u8; 32]).collect();
                let recipients: Vec<_> = keys
                    .iter()
                    .zip(&texts)
                    .map(|(key, text)| SealTo { public: key.public(), plaintext: text })
                    .collect();
                let sealed = lanes.seal_base_batch(&recipients, &[b"in", b"fo"], b"aad").unwrap();
                assert_eq!(sealed.len(), count);
                for (index, (key, ciphertext)) in keys.iter().zip(&sealed).enumerate() {
                    let opened = aws_lc.open_base(key, ciphertext, &[b"info"], b"aad").unwrap();
                    assert_eq!(opened.as_slice(), &texts[index][..]);
                    assert!(aws_lc.open_base(key, ciphertext, &[b"inf"], b"aad").is_err());
                    let other = &keys[(index + 1) % count];
                    let wrong = aws_lc.open_base(other, ciphertext, &[b"info"], b"aad");
                    assert_eq!(wrong.is_err(), count > 1);
                }
                let mut outputs: Vec<_> = sealed.iter().map(|one| &one.kem_output).collect();
                outputs.sort();
                outputs.dedup();
                assert_eq!(outputs.len(), count, "an ephemeral key was used twice");
            }
        });
    }
}

/// Every number of key pairs: the ones that AWS-LC derives, and they open what is sealed to them.
#[test]
fn derived_keys_are_the_same() {
    for suite in SUITES {
        both(suite, |lanes, aws_lc| {
            for count in 0..=19 {
                let ikms: Vec<_> = (0..count).map(|index| vec![index as u8; 32]).collect();
                let slices: Vec<_> = ikms.iter().map(Vec::as_slice).collect();
                let derived = lanes.derive_key_pair_batch(&slices).unwrap();
                assert_eq!(derived.len(), count);
                for (ikm, key) in ikms.iter().zip(&derived) {
                    let expected = aws_lc.derive_key_pair(ikm).unwrap();
                    assert_eq!(key.public(), expected.public());
                    assert!(key.private() == expected.private());
                    let sealed = aws_lc.seal_base(key.public(), &[b""], b"", b"text").unwrap();
                    let opened = lanes.open_base(key, &sealed, &[b""], b"").unwrap();
                    assert_eq!(opened.as_slice(), b"text");
                }
            }
        });
    }
}

/// A bad key in any place refuses the batch.
#[test]
fn bad_keys_refuse_the_batch() {
    both(CipherSuite(1), |lanes, aws_lc| {
        let good = aws_lc.generate_key_pair().unwrap();
        let mut one = [0; 32];
        one[0] = 1;
        for bad in [&[0; 32][..], &one, &[9; 31], &[9; 33], b""] {
            for count in 1..=11 {
                for place in 0..count {
                    let mut recipients =
                        vec![SealTo { public: good.public(), plaintext: b"text" }; count];
                    recipients[place].public = bad;
                    let refused = lanes.seal_base_batch(&recipients, &[b""], b"");
                    assert_eq!(refused.err(), Some(CryptoError::Rejected));
                }
            }
        }
    });
}

/// Every number of signatures around the lanes' number, all good and with each one spoiled in
/// several ways.
#[test]
fn verdicts_are_the_same() {
    both(CipherSuite(1), |lanes, aws_lc| {
        let keys: Vec<_> = (0..19).map(|seed| SigningKey::from_bytes(&[seed; 32])).collect();
        let messages: Vec<_> =
            (0..19_u8).map(|index| vec![index; usize::from(index) * 9]).collect();
        let verifying: Vec<_> = keys
            .iter()
            .map(|key| lanes.verifying_key(key.verifying_key().as_bytes()).unwrap())
            .collect();
        let signatures: Vec<_> = keys
            .iter()
            .zip(&messages)
            .map(|(key, message)| {
                aws_lc.sign(&aws_lc.signing_key(key.as_bytes()).unwrap(), message).unwrap()
            })
            .collect();
        for count in 0..=19 {
            let verdict = |signatures: &[Vec<u8>], shift: usize| {
                let signed: Vec<_> = (0..count)
                    .map(|index| Signed {
                        key: &verifying[(index + shift) % 19],
                        message: &messages[index],
                        signature: &signatures[index],
                    })
                    .collect();
                lanes.verify_batch(&signed).is_ok()
            };
            assert!(verdict(&signatures, 0));
            assert_eq!(verdict(&signatures, 1), count == 0);
            for place in 0..count {
                for spoil in [flip_r, flip_s, shorten, lengthen, zero_r] {
                    let mut spoiled = signatures.clone();
                    spoiled[place] = spoil(&signatures[place]);
                    assert!(!verdict(&spoiled, 0), "{place} of {count}");
                }
            }
        }
    });
}

fn flip_r(signature: &[u8]) -> Vec<u8> {
    flipped(signature, 3)
}

fn flip_s(signature: &[u8]) -> Vec<u8> {
    flipped(signature, 40)
}

fn flipped(signature: &[u8], place: usize) -> Vec<u8> {
    let mut flipped = signature.to_vec();
    flipped[place] ^= 1;
    flipped
}

fn shorten(signature: &[u8]) -> Vec<u8> {
    signature[..63].to_vec()
}

fn lengthen(signature: &[u8]) -> Vec<u8> {
    [signature, &[0]].concat()
}

fn zero_r(signature: &[u8]) -> Vec<u8> {
    [&[0; 32], &signature[32..]].concat()
}
