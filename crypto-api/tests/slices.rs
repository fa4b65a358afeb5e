//! Sealing and opening within a message gives what sealing and opening a buffer does.

mod both;

use both::Both;
use crypto_api::{CryptoError, Secret};

#[test]
fn slices_hold_what_buffers_do() {
    let both = Both::new();
    for suite in [1, 2, 3, 5, 7] {
        for (name, suite) in both.of(suite) {
            let (key, nonce) = (vec![7; suite.aead_nk()], vec![9; suite.aead_nn()]);
            for length in [0, 1, 12, 16, 100, 5000] {
                let plaintext: Vec<u8> = (0..length).map(|at| at as u8).collect();
                let mut buffer = plaintext.clone();
                suite.aead_seal(&key, &nonce, b"aad", &mut buffer).unwrap();
                let mut slice = plaintext.clone();
                slice.resize(length + suite.aead_nt(), 0xaa);
                suite.aead_seal_slice(&key, &nonce, b"aad", &mut slice).unwrap();
                assert_eq!(slice, buffer, "{name} {length}");
                let mut opened = slice.clone();
                let found = suite.aead_open_slice(&key, &nonce, b"aad", &mut opened).unwrap();
                assert_eq!(opened[..found], plaintext, "{name} {length}");
                for at in [0, slice.len() - 1] {
                    let mut damaged = slice.clone();
                    damaged[at] ^= 1;
                    let refused = suite.aead_open_slice(&key, &nonce, b"aad", &mut damaged);
                    assert_eq!(refused, Err(CryptoError::Rejected), "{name} {length}");
                }
            }
        }
    }
}

#[test]
fn wrong_lengths_are_refused() {
    let both = Both::new();
    for (name, suite) in both.of(1) {
        let (key, nonce) = (vec![7; suite.aead_nk()], vec![9; suite.aead_nn()]);
        let mut short = vec![0; suite.aead_nt() - 1];
        let rejected = Some(CryptoError::Rejected);
        assert_eq!(suite.aead_seal_slice(&key, &nonce, b"", &mut short).err(), rejected, "{name}");
        assert_eq!(suite.aead_open_slice(&key, &nonce, b"", &mut short).err(), rejected, "{name}");
        let mut room = vec![0; 32];
        for (key, nonce) in [(&key[1..], &nonce[..]), (&key[..], &nonce[1..]), (&[], &[])] {
            assert_eq!(suite.aead_seal_slice(key, nonce, b"", &mut room).err(), rejected, "{name}");
            assert_eq!(suite.aead_open_slice(key, nonce, b"", &mut room).err(), rejected, "{name}");
        }
    }
}

#[test]
fn a_secret_is_replaced_whatever_its_length() {
    let mut secret = Secret::copy_from(b"before");
    secret.replace(b"behind");
    assert_eq!(secret.as_slice(), b"behind");
    secret.replace(b"longer than it was");
    assert_eq!(secret.as_slice(), b"longer than it was");
    secret.replace(b"");
    assert!(secret.is_empty());
}
