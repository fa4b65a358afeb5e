//! X25519 and Ed25519 allocate nothing.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::hint::black_box;

use allocation_counter::measure;
use crypto_fiat::ed25519::{SigningKey, VerifyingKey};
use crypto_fiat::x25519::{x25519, x25519_base};

#[test]
fn nothing_is_allocated() {
    let seed = [7; 32];
    let message = [3; 1000];
    let seen = measure(|| {
        let public = x25519_base(&seed);
        black_box(x25519(&seed, &public));
        let key = SigningKey::from_seed(&seed);
        let mut signature = key.sign(&message);
        let public = VerifyingKey::from_bytes(key.public()).unwrap();
        assert_eq!(public.verify(&message, &signature), Ok(()));
        signature[0] ^= 1;
        assert!(public.verify(&message, &signature).is_err());
    });
    assert_eq!(seen.count_total, 0);
    // Else the test would show nothing.
    assert_eq!(measure(|| drop(black_box(Box::new(1)))).count_total, 1);
}
