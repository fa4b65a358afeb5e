//! Each call is counted once, as what it is, and computes what the backend underneath computes.

use crypto_api::{CipherSuite, CryptoBackend, CryptoError, SealTo, Signed, Suite};
use crypto_counting::Counting;
use crypto_rustcrypto::RustCrypto;
use operation_counts::{Counts, Operation, Tally, take};

const SUITE: CipherSuite = CipherSuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_ED25519;

/// What was counted since the last time, which has to be of one operation.
fn only(operation: Operation, calls: u64, bytes: u64) {
    let mut expected = Counts::NONE;
    *expected.of_mut(operation) = Tally { calls, bytes };
    assert_eq!(take(), expected, "{}", operation.name());
}

fn nothing() {
    assert_eq!(take(), Counts::NONE);
}

fn check(suite: &dyn Suite, inner: &dyn Suite) -> Result<(), CryptoError> {
    take();
    suite.random(&mut [0; 5])?;
    only(Operation::Random, 1, 5);
    assert_eq!(suite.hash(&[b"ab", b"c"]), inner.hash(&[b"abc"]));
    only(Operation::Hash, 1, 3);
    assert_eq!(suite.mac(b"key", &[b"ab"]), inner.mac(b"key", &[b"ab"]));
    only(Operation::Mac, 1, 2);
    assert_eq!(suite.extract(b"salt", &[b"ikm"]), inner.extract(b"salt", &[b"ikm"]));
    only(Operation::KdfExtract, 1, 3);
    let (mut one, mut other) = ([0; 42], [0; 42]);
    suite.expand(&[1; 32], &[b"info"], &mut one)?;
    inner.expand(&[1; 32], &[b"info"], &mut other)?;
    assert_eq!(one, other);
    only(Operation::KdfExpand, 1, 42);
    let mut buffer = b"plain".to_vec();
    suite.aead_seal(&[1; 16], &[2; 12], b"aad", &mut buffer)?;
    only(Operation::AeadSeal, 1, 5);
    suite.aead_open(&[1; 16], &[2; 12], b"aad", &mut buffer)?;
    assert_eq!(buffer, b"plain");
    only(Operation::AeadOpen, 1, 5 + 16);
    Ok(())
}

fn check_keys(suite: &dyn Suite, inner: &dyn Suite) -> Result<(), CryptoError> {
    take();
    suite.generate_key_pair()?;
    only(Operation::KemGenerate, 1, 0);
    let key = suite.derive_key_pair(&[3; 32])?;
    only(Operation::KemDerive, 1, 32);
    assert_eq!(key.public(), inner.derive_key_pair(&[3; 32])?.public());
    suite.derive_key_pair_batch(&[&[3; 32], &[4; 32]])?;
    only(Operation::KemDerive, 2, 64);
    suite.private_key(key.private().as_slice())?;
    suite.check_public_key(key.public())?;
    nothing();
    let sealed = suite.seal_base(key.public(), &[b"info"], b"", b"secret")?;
    only(Operation::KemEncap, 1, 6);
    let to = SealTo { public: key.public(), plaintext: b"secret" };
    suite.seal_base_batch(&[to, to, to], &[b"info"], b"")?;
    only(Operation::KemEncap, 3, 18);
    let opened = suite.open_base(&key, &sealed, &[b"info"], b"")?;
    assert_eq!(opened.as_slice(), b"secret");
    only(Operation::KemDecap, 1, 6 + 16);
    let (kem_output, sent) = suite.send_export(key.public(), &[b"info"], b"context", 32)?;
    only(Operation::KemEncap, 1, 0);
    assert_eq!(suite.receive_export(&key, &kem_output, &[b"info"], b"context", 32)?, sent);
    only(Operation::KemDecap, 1, 0);
    Ok(())
}

fn check_signatures(suite: &dyn Suite) -> Result<(), CryptoError> {
    take();
    let key = suite.generate_signing_key()?;
    only(Operation::SignatureKeyGenerate, 1, 0);
    suite.signing_key(key.private().as_slice())?;
    let public = suite.verifying_key(key.public())?;
    nothing();
    let signature = suite.sign(&key, b"message")?;
    only(Operation::Sign, 1, 7);
    suite.verify(&public, b"message", &signature)?;
    only(Operation::Verify, 1, 7);
    let signed = Signed { key: &public, message: b"message", signature: &signature };
    suite.verify_batch(&[signed, signed])?;
    only(Operation::Verify, 2, 14);
    assert_eq!(suite.verify(&public, b"another", &signature), Err(CryptoError::Rejected));
    only(Operation::Verify, 1, 7);
    Ok(())
}

#[test]
fn every_call_counts_as_what_it_is() -> Result<(), CryptoError> {
    let (counting, plain) = (Counting::<RustCrypto>::default(), RustCrypto::default());
    assert_eq!((counting.name(), counting.cipher_suites()), (plain.name(), plain.cipher_suites()));
    let (suite, inner) = (counting.suite(SUITE)?, plain.suite(SUITE)?);
    let lengths = |suite: &dyn Suite| {
        let aead = [suite.aead_nk(), suite.aead_nn(), suite.aead_nt()];
        (suite.cipher_suite(), suite.kdf_nh(), suite.hash_length(), aead)
    };
    assert_eq!(lengths(suite), lengths(inner));
    check(suite, inner)?;
    check_keys(suite, inner)?;
    check_signatures(suite)
}

#[test]
fn a_backend_counts_its_own_randomness_and_has_no_more_suites() -> Result<(), CryptoError> {
    let counting = Counting::<RustCrypto>::default();
    take();
    counting.random(&mut [0; 16])?;
    only(Operation::Random, 1, 16);
    assert_eq!(counting.suite(CipherSuite(99)).err(), Some(CryptoError::Unsupported));
    Ok(())
}
