//! Keys, ciphertexts and signatures of every length from 0 to 64 beyond the right one, and rubbish of
//! the right one, on every backend: an opaque error, and no panic.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crypto_api::{
    CryptoError, Random,
    primitives::{Aead, Dh, SignatureScheme},
    seed_kem::FromSeed,
};

/// How far beyond the right length.
const BEYOND: usize = 64;

const REJECTED: Option<CryptoError> = Some(CryptoError::Rejected);

/// Every length but the right one.
fn wrong(right: usize) -> impl Iterator<Item = usize> {
    (0..=right + BEYOND).filter(move |length| *length != right)
}

/// Bytes that look random, a different string for each seed.
fn rubbish(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}

struct Counting;

impl Random for Counting {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        out.iter_mut().enumerate().for_each(|(at, byte)| *byte = at as u8 | 1);
        Ok(())
    }
}

fn signature<S: SignatureScheme>(name: &str) {
    let private = S::generate(&Counting).unwrap();
    let (key, public) = S::signing_key(private.as_slice()).unwrap();
    let verifying = S::verifying_key(&public).unwrap();
    let good = S::sign(&key, b"message").unwrap();
    assert_eq!(S::verify(&verifying, b"message", &good), Ok(()), "{name}");
    for length in wrong(good.len()) {
        let bad: Vec<u8> = good.iter().copied().cycle().take(length).collect();
        let verdict = S::verify(&verifying, b"message", &bad);
        assert_eq!(verdict.err(), REJECTED, "{name}: a signature of {length} bytes");
    }
    for length in wrong(public.len()) {
        let bad: Vec<u8> = public.iter().copied().cycle().take(length).collect();
        let key = S::verifying_key(&bad);
        assert_eq!(key.err(), REJECTED, "{name}: a public key of {length} bytes");
    }
    for length in wrong(private.len()) {
        let key = S::signing_key(&vec![1; length]);
        assert_eq!(key.err(), REJECTED, "{name}: a private key of {length} bytes");
    }
    for seed in 0..64 {
        let bad = rubbish(good.len(), seed);
        assert_eq!(S::verify(&verifying, b"message", &bad).err(), REJECTED, "{name}");
        // Whether it is a key depends on the scheme; it is not the one that signed.
        if let Ok(other) = S::verifying_key(&rubbish(public.len(), seed)) {
            assert_eq!(S::verify(&other, b"message", &good).err(), REJECTED, "{name}");
        }
    }
}

#[test]
fn signatures() {
    signature::<crypto_aws_lc::signature::Ed25519>("aws-lc Ed25519");
    signature::<crypto_aws_lc::signature::EcdsaP256>("aws-lc ECDSA P-256");
    signature::<crypto_aws_lc::signature::EcdsaP384>("aws-lc ECDSA P-384");
    signature::<crypto_aws_lc::signature::EcdsaP521>("aws-lc ECDSA P-521");
    signature::<crypto_aws_lc::signature::MlDsa44>("aws-lc ML-DSA-44");
    signature::<crypto_aws_lc::signature::MlDsa65>("aws-lc ML-DSA-65");
    signature::<crypto_aws_lc::signature::MlDsa87>("aws-lc ML-DSA-87");
    signature::<crypto_rustcrypto::signature::MlDsa44>("rustcrypto ML-DSA-44");
    signature::<crypto_rustcrypto::signature::MlDsa65>("rustcrypto ML-DSA-65");
    signature::<crypto_rustcrypto::signature::MlDsa87>("rustcrypto ML-DSA-87");
    signature::<crypto_rustcrypto::signature::Ed25519>("rustcrypto Ed25519");
    signature::<crypto_rustcrypto::signature::Ed448>("rustcrypto Ed448");
    signature::<crypto_rustcrypto::signature::EcdsaP256>("rustcrypto ECDSA P-256");
    signature::<crypto_rustcrypto::signature::EcdsaP384>("rustcrypto ECDSA P-384");
    signature::<crypto_rustcrypto::signature::EcdsaP521>("rustcrypto ECDSA P-521");
    signature::<crypto_fiat::signature::Ed25519>("fiat Ed25519");
    signature::<crypto_dryoc::signature::Ed25519>("dryoc Ed25519");
    signature::<crypto_libcrux::signature::Ed25519>("libcrux Ed25519");
    signature::<crypto_libcrux::signature::MlDsa44>("libcrux ML-DSA-44");
    signature::<crypto_libcrux::signature::MlDsa65>("libcrux ML-DSA-65");
    signature::<crypto_libcrux::signature::MlDsa87>("libcrux ML-DSA-87");
    if crypto_graviola::is_supported() {
        signature::<crypto_graviola::signature::Ed25519>("graviola Ed25519");
        signature::<crypto_graviola::signature::EcdsaP256>("graviola ECDSA P-256");
        signature::<crypto_graviola::signature::EcdsaP384>("graviola ECDSA P-384");
    } else {
        println!("not run: graviola, which doesn't run on this processor");
    }
    #[cfg(feature = "sodium")]
    signature::<crypto_sodium::signature::Ed25519>("sodium Ed25519");
}

#[cfg(feature = "oqs")]
#[test]
fn signatures_of_liboqs() {
    use crypto_oqs::signature as oqs;
    signature::<oqs::MlDsa44>("oqs ML-DSA-44");
    signature::<oqs::MlDsa65>("oqs ML-DSA-65");
    signature::<oqs::MlDsa87>("oqs ML-DSA-87");
    signature::<oqs::SphincsSha2128s>("oqs SPHINCS+-SHA2-128s");
    signature::<oqs::SphincsSha2128f>("oqs SPHINCS+-SHA2-128f");
    signature::<oqs::SphincsSha2192f>("oqs SPHINCS+-SHA2-192f");
    signature::<oqs::SphincsSha2256f>("oqs SPHINCS+-SHA2-256f");
    signature::<oqs::Falcon512>("oqs Falcon-512");
    signature::<oqs::Falcon1024>("oqs Falcon-1024");
}

fn kem<K: FromSeed>(name: &str) {
    let seed = vec![1; K::NSK];
    let (private, public) = K::key_pair(&seed).unwrap();
    let (shared, kem_output) = K::encap(&public, &Counting).unwrap();
    assert_eq!(K::decap(&kem_output, &private).unwrap(), shared, "{name}");
    for length in wrong(public.len()) {
        let bad: Vec<u8> = public.iter().copied().cycle().take(length).collect();
        assert_eq!(K::check_public_key(&bad).err(), REJECTED, "{name}: {length}");
        assert_eq!(K::encap(&bad, &Counting).err(), REJECTED, "{name}: {length}");
    }
    for length in wrong(kem_output.len()) {
        let bad: Vec<u8> = kem_output.iter().copied().cycle().take(length).collect();
        assert_eq!(K::decap(&bad, &private).err(), REJECTED, "{name}: {length}");
    }
    for length in wrong(K::NSK) {
        assert_eq!(K::key_pair(&vec![1; length]).err(), REJECTED, "{name}: {length}");
    }
    for seed in 0..64 {
        // ML-KEM makes a secret up; a group's half may be no point.
        let opened = K::decap(&rubbish(kem_output.len(), seed), &private);
        assert!(opened.as_ref().is_ok_and(|other| *other != shared) || opened.err() == REJECTED);
        // No rubbish of that length has all its coefficients reduced.
        let key = rubbish(public.len(), seed);
        assert_eq!(K::check_public_key(&key).err(), REJECTED, "{name}");
        assert_eq!(K::encap(&key, &Counting).err(), REJECTED, "{name}");
    }
}

#[test]
fn kems() {
    use crypto_aws_lc::kem as aws_lc;
    use crypto_libcrux::kem as libcrux;
    use crypto_rustcrypto::kem as rustcrypto;
    kem::<aws_lc::MlKem512>("aws-lc ML-KEM-512");
    kem::<aws_lc::MlKem768>("aws-lc ML-KEM-768");
    kem::<aws_lc::MlKem1024>("aws-lc ML-KEM-1024");
    kem::<aws_lc::XWing>("aws-lc X-Wing");
    kem::<aws_lc::MlKem768P256>("aws-lc MLKEM768-P256");
    kem::<aws_lc::MlKem1024P384>("aws-lc MLKEM1024-P384");
    kem::<rustcrypto::MlKem512>("rustcrypto ML-KEM-512");
    kem::<rustcrypto::MlKem768>("rustcrypto ML-KEM-768");
    kem::<rustcrypto::MlKem1024>("rustcrypto ML-KEM-1024");
    kem::<rustcrypto::XWing>("rustcrypto X-Wing");
    kem::<rustcrypto::MlKem768P256>("rustcrypto MLKEM768-P256");
    kem::<rustcrypto::MlKem1024P384>("rustcrypto MLKEM1024-P384");
    kem::<libcrux::XWing>("libcrux X-Wing");
    kem::<libcrux::MlKem512>("libcrux ML-KEM-512");
    kem::<libcrux::MlKem768>("libcrux ML-KEM-768");
    kem::<libcrux::MlKem1024>("libcrux ML-KEM-1024");
    kem::<crypto_dryoc::kem::MlKem768>("dryoc ML-KEM-768");
    kem::<crypto_dryoc::kem::XWing>("dryoc X-Wing");
    #[cfg(feature = "sodium")]
    {
        kem::<crypto_sodium::kem::MlKem768>("sodium ML-KEM-768");
        kem::<crypto_sodium::kem::XWing>("sodium X-Wing");
    }
    #[cfg(feature = "oqs")]
    {
        kem::<crypto_oqs::kem::MlKem512>("oqs ML-KEM-512");
        kem::<crypto_oqs::kem::MlKem768>("oqs ML-KEM-768");
        kem::<crypto_oqs::kem::MlKem1024>("oqs ML-KEM-1024");
        kem::<crypto_oqs::kem::XWing>("oqs X-Wing");
        kem::<crypto_oqs::kem::MlKem768P256>("oqs MLKEM768-P256");
        kem::<crypto_oqs::kem::MlKem1024P384>("oqs MLKEM1024-P384");
    }
}

/// The KEMs that HPKE has no number for. The public key of Classic McEliece has a quarter of a million
/// bytes: the lengths around that are tried, and not the quarter of a million below it.
#[cfg(feature = "oqs")]
#[test]
fn unregistered_kems() {
    use crypto_oqs::kem::{Algorithm, Unregistered};
    for algorithm in [Algorithm::ClassicMcEliece348864, Algorithm::FrodoKem640Aes] {
        let kem = Unregistered::new(algorithm).unwrap();
        let (private, public) = kem.generate_key_pair().unwrap();
        let (shared, kem_output) = kem.encap(&public).unwrap();
        assert_eq!(kem.decap(&kem_output, &private).unwrap(), shared);
        for length in wrong(kem_output.len()) {
            assert_eq!(kem.decap(&vec![1; length], &private).err(), REJECTED, "{length}");
        }
        let near = |right: usize| {
            wrong(right).filter(move |length| *length < BEYOND || length + BEYOND > right)
        };
        for length in near(public.len()) {
            assert_eq!(kem.encap(&vec![1; length]).err(), REJECTED, "{length}");
        }
        for length in near(private.len()) {
            assert_eq!(kem.decap(&kem_output, &vec![1; length]).err(), REJECTED, "{length}");
        }
        for seed in 0..64 {
            let opened = kem.decap(&rubbish(kem_output.len(), seed), &private);
            assert!(opened.is_ok_and(|other| other != shared));
        }
    }
    assert_eq!(Unregistered::new(Algorithm::Hqc128).err(), Some(CryptoError::Unsupported));
}

fn dh<G: Dh>(name: &str) {
    let mut bytes = vec![3; G::NSK];
    bytes[0] = 0; // below every order
    let private = G::private_key(&bytes).unwrap();
    let public = G::public_key(&private).unwrap();
    for length in wrong(G::NSK) {
        let key = G::private_key(&vec![1; length]);
        assert_eq!(key.err(), REJECTED, "{name}: a private key of {length} bytes");
    }
    for length in wrong(public.len()) {
        let bad: Vec<u8> = public.iter().copied().cycle().take(length).collect();
        assert_eq!(G::check_public_key(&bad).err(), REJECTED, "{name}: {length}");
        assert_eq!(G::agree(&private, &bad).err(), REJECTED, "{name}: {length}");
    }
    for seed in 0..64 {
        let rubbish = rubbish(public.len(), seed);
        assert_eq!(G::check_public_key(&rubbish).is_ok(), G::agree(&private, &rubbish).is_ok());
    }
}

#[test]
fn groups() {
    dh::<crypto_aws_lc::dh::X25519>("aws-lc X25519");
    dh::<crypto_aws_lc::dh::P256>("aws-lc P-256");
    dh::<crypto_aws_lc::dh::P384>("aws-lc P-384");
    dh::<crypto_aws_lc::dh::P521>("aws-lc P-521");
    dh::<crypto_rustcrypto::dh::X25519>("rustcrypto X25519");
    dh::<crypto_rustcrypto::dh::X448>("rustcrypto X448");
    dh::<crypto_rustcrypto::dh::P256>("rustcrypto P-256");
    dh::<crypto_rustcrypto::dh::P384>("rustcrypto P-384");
    dh::<crypto_rustcrypto::dh::P521>("rustcrypto P-521");
    dh::<crypto_fiat::dh::X25519>("fiat X25519");
    dh::<crypto_dryoc::dh::X25519>("dryoc X25519");
    dh::<crypto_libcrux::dh::X25519>("libcrux X25519");
    if crypto_graviola::is_supported() {
        dh::<crypto_graviola::dh::X25519>("graviola X25519");
        dh::<crypto_graviola::dh::P256>("graviola P-256");
        dh::<crypto_graviola::dh::P384>("graviola P-384");
    } else {
        println!("not run: graviola, which doesn't run on this processor");
    }
    #[cfg(feature = "sodium")]
    dh::<crypto_sodium::dh::X25519>("sodium X25519");
}

fn aead<A: Aead>(name: &str) {
    let (key, nonce) = (vec![1; A::NK], vec![2; A::NN]);
    let mut good = b"a text of some length".to_vec();
    A::seal(&key, &nonce, b"aad", &mut good).unwrap();
    for length in wrong(good.len()) {
        let bad: Vec<u8> = good.iter().copied().cycle().take(length).collect();
        let opened = A::open(&key, &nonce, b"aad", &mut bad.clone());
        assert_eq!(opened.err(), REJECTED, "{name}: {length} bytes");
        let opened = A::open_slice(&key, &nonce, b"aad", &mut bad.clone());
        assert_eq!(opened.err(), REJECTED, "{name}: {length} bytes");
    }
    for (right, keys) in [(A::NK, true), (A::NN, false)] {
        for length in wrong(right) {
            let bad = vec![1; length];
            let (key, nonce) = if keys { (&bad, &nonce) } else { (&key, &bad) };
            let sealed = A::seal(key, nonce, b"aad", &mut b"text".to_vec());
            assert_eq!(sealed.err(), REJECTED, "{name}: {length} bytes");
            let opened = A::open(key, nonce, b"aad", &mut good.clone());
            assert_eq!(opened.err(), REJECTED, "{name}: {length} bytes");
        }
    }
    for length in 0..A::NT {
        assert!(A::seal_slice(&key, &nonce, b"aad", &mut vec![0; length]).is_err());
    }
}

#[test]
fn aeads() {
    aead::<crypto_aws_lc::aead::Aes128Gcm>("aws-lc AES-128-GCM");
    aead::<crypto_aws_lc::aead::Aes256Gcm>("aws-lc AES-256-GCM");
    aead::<crypto_aws_lc::aead::ChaCha20Poly1305>("aws-lc ChaCha20-Poly1305");
    aead::<crypto_rustcrypto::aead::Aes128Gcm>("rustcrypto AES-128-GCM");
    aead::<crypto_rustcrypto::aead::Aes256Gcm>("rustcrypto AES-256-GCM");
    aead::<crypto_rustcrypto::aead::ChaCha20Poly1305>("rustcrypto ChaCha20-Poly1305");
    aead::<crypto_libcrux::aead::Aes128Gcm>("libcrux AES-128-GCM");
    aead::<crypto_libcrux::aead::Aes256Gcm>("libcrux AES-256-GCM");
    aead::<crypto_libcrux::aead::ChaCha20Poly1305>("libcrux ChaCha20-Poly1305");
    aead::<crypto_dryoc::aead::ChaCha20Poly1305>("dryoc ChaCha20-Poly1305");
    if crypto_graviola::is_supported() {
        aead::<crypto_graviola::aead::Aes128Gcm>("graviola AES-128-GCM");
        aead::<crypto_graviola::aead::Aes256Gcm>("graviola AES-256-GCM");
        aead::<crypto_graviola::aead::ChaCha20Poly1305>("graviola ChaCha20-Poly1305");
    } else {
        println!("not run: graviola, which doesn't run on this processor");
    }
    #[cfg(feature = "sodium")]
    {
        aead::<crypto_sodium::aead::ChaCha20Poly1305>("sodium ChaCha20-Poly1305");
        if crypto_sodium::has_aes256gcm() {
            aead::<crypto_sodium::aead::Aes256Gcm>("sodium AES-256-GCM");
        }
    }
}

#[cfg(feature = "sodium")]
#[test]
fn boxes() {
    use crypto_sodium::nacl;
    let (key, nonce, text) = ([1; 32], [2; 24], b"a text of some length");
    let mut good = vec![0; text.len() + nacl::BOX_OVERHEAD];
    nacl::secretbox_seal(&key, &nonce, text, &mut good).unwrap();
    for length in wrong(good.len()) {
        let bad: Vec<u8> = good.iter().copied().cycle().take(length).collect();
        let mut out = vec![0; length.saturating_sub(nacl::BOX_OVERHEAD)];
        let opened = nacl::secretbox_open(&key, &nonce, &bad, &mut out);
        assert_eq!(opened.err(), REJECTED, "{length}");
        let sealed = nacl::secretbox_seal(&key, &nonce, text, &mut vec![0; length]);
        assert_eq!(sealed.err(), REJECTED, "{length}");
    }
    assert_eq!(nacl::box_key(&[0; 32], &[1; 32]).err(), REJECTED);
    // Limits that Argon2id doesn't have.
    assert_eq!(nacl::argon2id(b"p", &[0; 16], 0, 64 << 20, &mut [0; 32]).err(), REJECTED);
    assert_eq!(nacl::argon2id(b"p", &[0; 16], 2, 0, &mut [0; 32]).err(), REJECTED);
    assert_eq!(nacl::argon2id(b"p", &[0; 16], 2, 64 << 20, &mut []).err(), REJECTED);
}
