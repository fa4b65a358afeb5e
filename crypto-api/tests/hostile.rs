//! Bytes that are no keys, no ciphertexts and no signatures: refused by every backend, without a
//! panic, and by both or neither.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod both;

use both::{Both, Curve, NIST, SUITES, key_bytes, refused, taken, unhex};
use crypto_api::{CryptoError, HpkeCiphertext, Suite};

/// A key of the suite, as the first backend makes it.
fn public_of(suite: u16) -> Vec<u8> {
    let both = Both::new();
    let (_, implementation) = both.of(suite)[0];
    implementation.derive_key_pair(b"some").unwrap().public().to_vec()
}

/// HPKE public keys and, on the NIST curves, signature public keys that are none.
fn bad_points(curve: &Curve) -> Vec<(&'static str, Vec<u8>)> {
    let good = public_of(curve.suite);
    let (x, y) = good[1..].split_at(curve.length);
    let prime = unhex(curve.prime);
    let root = unhex(curve.root_of_b);
    let mut off_curve = good.clone();
    *off_curve.last_mut().unwrap() ^= 1;
    let mut spki = unhex("3059301306072a8648ce3d020106082a8648ce3d030107034200");
    spki.extend_from_slice(&good);
    vec![
        ("empty", vec![]),
        ("infinity", vec![0]),
        ("infinity, padded", vec![0; good.len()]),
        ("compressed", [&[2 | y[curve.length - 1] & 1], x].concat()),
        ("hybrid", [&[6 | y[curve.length - 1] & 1], x, y].concat()),
        ("wrong tag", [&[5], x, y].concat()),
        ("short", good[..good.len() - 1].to_vec()),
        ("long", [&good[..], &[0]].concat()),
        ("no tag", good[1..].to_vec()),
        ("SubjectPublicKeyInfo", spki),
        ("off the curve", off_curve),
        ("swapped coordinates", [&[4], y, x].concat()),
        ("zeros", [&[4][..], &vec![0; 2 * curve.length]].concat()),
        ("x is the prime", [&[4], &prime[..], &root].concat()),
        ("y is the prime", [&[4], x, &prime].concat()),
        ("all ones", [&[4][..], &vec![0xff; 2 * curve.length]].concat()),
    ]
}

#[test]
fn points_of_the_nist_curves() {
    for curve in &NIST {
        let zero = vec![0; curve.length];
        let with_x_zero = [&[4], &zero[..], &unhex(curve.root_of_b)].concat();
        taken(curve.suite, "x is zero", |s| s.check_public_key(&with_x_zero));
        taken(curve.suite, "x is zero", |s| s.verifying_key(&with_x_zero));
        for (what, point) in bad_points(curve) {
            refused(curve.suite, what, |s| s.check_public_key(&point));
            refused(curve.suite, what, |s| s.seal_base(&point, &[], b"", b"secret"));
            refused(curve.suite, what, |s| s.send_export(&point, &[], b"", 32));
            refused(curve.suite, what, |s| s.verifying_key(&point));
            refused(curve.suite, what, |s| open_with_kem_output(s, &point));
        }
    }
}

fn open_with_kem_output(suite: &dyn Suite, kem_output: &[u8]) -> Result<(), CryptoError> {
    let private = suite.derive_key_pair(b"ikm")?;
    let mut ciphertext = suite.seal_base(private.public(), &[], b"", b"secret")?;
    ciphertext.kem_output = kem_output.to_vec();
    let exported = suite.receive_export(&private, kem_output, &[], b"", 32);
    assert_eq!(exported.err(), Some(CryptoError::Rejected));
    suite.open_base(&private, &ciphertext, &[], b"").map(|_| ())
}

#[test]
fn points_of_small_order_on_the_montgomery_curves() {
    let x25519 = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ]
    .map(unhex);
    for suite in [1, 3] {
        for point in &x25519 {
            for top in [0, 0x80] {
                let mut point = point.clone();
                point[31] |= top;
                refused_as_key(suite, &point);
            }
        }
        for length in [0, 31, 33, 64] {
            refused_as_key(suite, &vec![9; length]);
        }
    }
    let zero = vec![0; 56];
    let mut one = zero.clone();
    one[0] = 1;
    let mut prime = vec![0xff; 56];
    prime[28] = 0xfe;
    let mut minus_one = prime.clone();
    minus_one[0] = 0xfe;
    let prime_plus_one = [[0; 28], [0xff; 28]].concat();
    for suite in [4, 6] {
        for point in [&zero, &one, &minus_one, &prime, &prime_plus_one] {
            refused_as_key(suite, point);
        }
        for length in [0, 55, 57, 112] {
            refused_as_key(suite, &vec![5; length]);
        }
    }
}

fn refused_as_key(suite: u16, point: &[u8]) {
    let what = format!("{point:02x?}");
    refused(suite, &what, |s| s.check_public_key(point));
    refused(suite, &what, |s| s.seal_base(point, &[], b"", b"secret"));
    refused(suite, &what, |s| s.send_export(point, &[], b"", 32));
    refused(suite, &what, |s| open_with_kem_output(s, point));
}

#[test]
fn private_keys() {
    for suite in SUITES {
        let both = Both::new();
        let (_, implementation) = both.of(suite)[0];
        let length = implementation.derive_key_pair(b"ikm").unwrap().private().len();
        let signing_length = implementation.generate_signing_key().unwrap().private().len();
        for wrong in [0, 1, length - 1, length + 1, 2 * length, 200] {
            refused(suite, "length", |s| s.private_key(&vec![1; wrong]));
        }
        for wrong in [0, 1, signing_length - 1, signing_length + 1, 2 * signing_length, 200] {
            refused(suite, "length", |s| s.signing_key(&vec![1; wrong]));
        }
    }
    for curve in &NIST {
        let order = unhex(curve.order);
        let mut last = order.clone();
        *last.last_mut().unwrap() -= 1;
        let mut beyond = order.clone();
        *beyond.last_mut().unwrap() += 1;
        taken(curve.suite, "order - 1", |s| s.private_key(&last));
        taken(curve.suite, "order - 1", |s| s.signing_key(&last));
        for scalar in [order, beyond, vec![0; curve.length], vec![0xff; curve.length]] {
            refused(curve.suite, "scalar", |s| s.private_key(&scalar));
            refused(curve.suite, "scalar", |s| s.signing_key(&scalar));
        }
    }
}

#[test]
fn ciphertexts() {
    for suite in SUITES {
        for (_, implementation) in Both::new().of(suite) {
            let private = implementation.derive_key_pair(b"ikm").unwrap();
            let good = implementation
                .seal_base(private.public(), &[b"info"], b"aad", b"a secret")
                .unwrap();
            let altered = |change: fn(&mut HpkeCiphertext)| {
                let mut ciphertext = good.clone();
                change(&mut ciphertext);
                ciphertext
            };
            for bad in [
                altered(|c| c.ciphertext.clear()),
                altered(|c| c.ciphertext.truncate(15)),
                altered(|c| c.ciphertext.truncate(16)),
                altered(|c| c.ciphertext.push(0)),
                altered(|c| c.ciphertext[0] ^= 1),
                altered(|c| *c.ciphertext.last_mut().unwrap() ^= 0x80),
                altered(|c| c.kem_output.clear()),
                altered(|c| c.kem_output.push(0)),
                altered(|c| c.kem_output.truncate(c.kem_output.len() - 1)),
                altered(|c| *c.kem_output.last_mut().unwrap() ^= 1),
            ] {
                refused(suite, "ciphertext", |s| {
                    let private = s.derive_key_pair(b"ikm")?;
                    s.open_base(&private, &bad, &[b"info"], b"aad")
                });
            }
            taken(suite, "ciphertext", |s| {
                let private = s.derive_key_pair(b"ikm")?;
                s.open_base(&private, &good, &[b"info"], b"aad")
            });
        }
    }
}

#[test]
fn aead_inputs() {
    for suite in SUITES {
        for (_, s) in Both::new().of(suite) {
            let (key, nonce) = (vec![1; s.aead_nk()], vec![2; s.aead_nn()]);
            let mut good = b"text".to_vec();
            s.aead_seal(&key, &nonce, b"aad", &mut good).unwrap();
            assert_eq!(good.len(), 4 + s.aead_nt());
            let mut open = good.clone();
            s.aead_open(&key, &nonce, b"aad", &mut open).unwrap();
            assert_eq!(open, b"text");
            for length in 0..good.len() {
                refused(suite, "truncated", |s| {
                    s.aead_open(&key, &nonce, b"aad", &mut good[..length].to_vec())
                });
            }
            for (key_length, nonce_length) in [(0, 12), (15, 12), (33, 12), (24, 12)] {
                let (key, nonce) = (vec![1; key_length], vec![2; nonce_length]);
                refused(suite, "key", |s| s.aead_seal(&key, &nonce, b"aad", &mut b"text".to_vec()));
                refused(suite, "key", |s| s.aead_open(&key, &nonce, b"aad", &mut good.clone()));
            }
            for nonce_length in [0, 11, 13, 16] {
                let nonce = vec![2; nonce_length];
                refused(suite, "nonce", |s| {
                    s.aead_seal(&key, &nonce, b"aad", &mut b"text".to_vec())
                });
                refused(suite, "nonce", |s| s.aead_open(&key, &nonce, b"aad", &mut good.clone()));
            }
        }
    }
}

#[test]
fn too_much_output() {
    for suite in SUITES {
        refused(suite, "expand", |s| {
            s.expand(b"prk", &[b"info"], &mut vec![0; 255 * s.kdf_nh() + 1])
        });
        refused(suite, "export", |s| {
            let private = s.derive_key_pair(b"ikm")?;
            s.send_export(private.public(), &[], b"", 255 * s.kdf_nh() + 1)
        });
        refused(suite, "export", |s| {
            let private = s.derive_key_pair(b"ikm")?;
            s.send_export(private.public(), &[], b"", 0x1_0000)
        });
    }
}

#[test]
fn signatures_cut_and_stretched() {
    for suite in SUITES {
        for (_, maker) in Both::new().of(suite) {
            let key = maker.signing_key(&key_bytes(suite)).unwrap();
            let good = maker.sign(&key, b"message").unwrap();
            let check = |signature: Vec<u8>| {
                move |s: &dyn Suite| {
                    let public = s.signing_key(&key_bytes(suite))?;
                    let public = s.verifying_key(public.public())?;
                    s.verify(&public, b"message", &signature)
                }
            };
            taken(suite, "signature", check(good.clone()));
            for length in 0..good.len() {
                refused(suite, "cut", check(good[..length].to_vec()));
            }
            refused(suite, "stretched", check([&good[..], &[0]].concat()));
            refused(suite, "doubled", check([&good[..], &good].concat()));
            refused(suite, "zeros", check(vec![0; good.len()]));
            refused(suite, "ones", check(vec![0xff; good.len()]));
            for at in 0..good.len() {
                let mut flipped = good.clone();
                flipped[at] ^= 0x40;
                refused(suite, "flipped", check(flipped));
            }
        }
    }
}

#[test]
fn ed448_encodings() {
    let mut prime = vec![0xff; 57];
    prime[28] = 0xfe;
    prime[56] = 0;
    let mut one = vec![0; 57];
    one[0] = 1;
    let zero = vec![0; 57];
    let mut minus_one = prime.clone();
    minus_one[0] = 0xfe;
    let both = Both::new();
    let (_, suite) = both.of(4)[0];
    let key = suite.signing_key(&key_bytes(4)).unwrap();
    let mut stray_bit = key.public().to_vec();
    stray_bit[56] |= 1;
    for point in [prime, one, zero, minus_one, stray_bit] {
        for sign in [0, 0x80] {
            let mut point = point.clone();
            point[56] |= sign;
            refused(4, &format!("{point:02x?}"), |s| s.verifying_key(&point));
        }
    }
    // An R with a stray bit would be another signature of the same message.
    let good = suite.sign(&key, b"message").unwrap();
    let public = suite.verifying_key(key.public()).unwrap();
    suite.verify(&public, b"message", &good).unwrap();
    for at in [56, 113] {
        for bit in 0..8 {
            let mut altered = good.clone();
            altered[at] ^= 1 << bit;
            let verdict = suite.verify(&public, b"message", &altered);
            assert_eq!(verdict, Err(CryptoError::Rejected));
        }
    }
}

/// A handle works with the suite that made it and is refused by other backends and by suites of
/// other curves.
#[test]
fn keys_of_another_suite_or_backend() {
    let both = Both::new();
    for (number, other_number) in [(1, 2), (2, 7), (7, 5), (5, 1)] {
        for index in [0, 1] {
            let (_, one) = both.of(number)[index];
            let (_, other_backend) = both.of(number)[1 - index];
            let (_, other_suite) = both.of(other_number)[index];
            let private = one.generate_key_pair().unwrap();
            let sealed = one.seal_base(private.public(), &[], b"", b"x").unwrap();
            let key = one.generate_signing_key().unwrap();
            let signature = one.sign(&key, b"m").unwrap();
            let public = one.verifying_key(key.public()).unwrap();
            for other in [other_backend, other_suite] {
                let rejected = Some(CryptoError::Rejected);
                let opened = other.open_base(&private, &sealed, &[], b"");
                assert_eq!(opened.err(), rejected, "{number} {index}");
                assert_eq!(other.sign(&key, b"m").err(), rejected, "{number} {index}");
                let verdict = other.verify(&public, b"m", &signature);
                assert_eq!(verdict.err(), rejected, "{number} {index}");
            }
        }
    }
}

#[test]
fn secrets_are_silent() {
    for suite in SUITES {
        for (_, s) in Both::new().of(suite) {
            let private = s.derive_key_pair(b"ikm").unwrap();
            let signing = s.signing_key(&key_bytes(suite)).unwrap();
            let public = s.verifying_key(signing.public()).unwrap();
            assert_eq!(format!("{private:?}"), "HpkePrivateKey { .. }");
            assert_eq!(format!("{signing:?}"), "SigningKey { .. }");
            assert_eq!(format!("{public:?}"), "VerifyingKey { .. }");
            let length = private.private().len();
            assert_eq!(format!("{:?}", private.private()), format!("Secret({length} bytes)"));
        }
    }
}
