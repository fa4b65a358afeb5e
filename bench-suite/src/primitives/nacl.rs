//! What NaCl's descendants have and MLS doesn't: XSalsa20-Poly1305 as `secretbox` and `box`, the KDF of
//! BLAKE2b, and Argon2id.
//!
//! A box is a secretbox whose key comes from X25519 and HSalsa20: `box/beforenm` is that key, and what
//! follows it is in the rows of `secretbox`. `box/seal` is both.

use std::hint::black_box;

use argon2::Argon2;
use blake2::{Blake2bMac, digest::FixedOutput, digest::consts::U32};
use crypto_api::{Secret, primitives::Dh};
use crypto_rustcrypto::dh::X25519;
use crypto_secretbox::{AeadInPlace, KeyInit, XSalsa20Poly1305};
use dryoc::classic::{crypto_box, crypto_kdf, crypto_pwhash, crypto_secretbox as boxes};

use super::{Contender, NOT_THERE, Operation, Operations, Row, absent, aead::SIZES, into_rows};

const KEY: [u8; 32] = [3; 32];
const NONCE: [u8; 24] = [5; 24];
const TAG: usize = 16;

/// With a key, from the first bytes into the second.
type Apply = fn(&[u8; 32], &[u8], &mut [u8]) -> Option<()>;

/// A library's functions.
#[derive(Clone, Copy)]
struct Nacl {
    library: &'static str,
    /// Into a buffer with room for the tag, which comes first.
    seal: Apply,
    open: Apply,
    /// From a public and a private key.
    box_key: fn(&[u8; 32], &[u8; 32]) -> Option<Secret>,
    /// Number 42, in a context of eight bytes.
    subkey: fn(&[u8; 32]) -> Option<[u8; 32]>,
    /// Two passes over 64 MiB, one lane.
    argon2id: fn(&[u8], &[u8; 16]) -> Option<[u8; 32]>,
}

const CONTEXT: [u8; 8] = *b"a-contex";
const NUMBER: u64 = 42;
const MEMORY: usize = 64 << 20;
const PASSES: u32 = 2;

pub(super) fn add(rows: &mut Vec<Row>) -> Result<(), String> {
    let libraries = [
        DRYOC,
        RUSTCRYPTO,
        #[cfg(feature = "sodium")]
        SODIUM,
    ];
    agree(&libraries)?;
    let reasons = ["aws-lc", "fiat", "graviola", "libcrux"].map(|library| (library, NOT_THERE));
    for (name, operations) in [
        ("xsalsa20-poly1305", secretbox as fn(Nacl) -> Operations),
        ("box", boxed),
        ("blake2b-kdf", kdf),
        ("argon2id", password),
    ] {
        let contenders: Vec<_> = libraries
            .iter()
            .map(|library| Contender { library: library.library, operations: operations(*library) })
            .collect();
        let absent = absent(&contenders, &reasons)?;
        into_rows(rows, name, contenders, &absent);
    }
    Ok(())
}

/// Everything here is determined: the libraries' outputs are the same, and each opens what it sealed.
fn agree(libraries: &[Nacl]) -> Result<(), String> {
    let public = x25519_public(&[7; 32]).ok_or("no public key")?;
    let mut outputs = Vec::new();
    for library in libraries {
        let failed = |what| format!("{} doesn't do its {what}", library.library);
        let mut output = Vec::new();
        for size in SIZES {
            let text: Vec<u8> = (0..size).map(|at| at as u8).collect();
            let (mut sealed, mut opened) = (vec![0; size + TAG], vec![0; size]);
            (library.seal)(&KEY, &text, &mut sealed).ok_or_else(|| failed("secretbox"))?;
            (library.open)(&KEY, &sealed, &mut opened).ok_or_else(|| failed("secretbox"))?;
            sealed[size / 2] ^= 1;
            if opened != text || (library.open)(&KEY, &sealed, &mut opened).is_some() {
                return Err(failed("secretbox"));
            }
            output.extend(sealed);
        }
        let key = (library.box_key)(&public, &[9; 32]).ok_or_else(|| failed("box"))?;
        output.extend_from_slice(key.as_slice());
        output.extend((library.subkey)(&KEY).ok_or_else(|| failed("KDF"))?);
        output.extend((library.argon2id)(b"password", &[8; 16]).ok_or_else(|| failed("Argon2id"))?);
        outputs.push((library.library, output));
    }
    for pair in outputs.windows(2) {
        if pair[0].1 != pair[1].1 {
            return Err(format!("{} and {} compute different things", pair[0].0, pair[1].0));
        }
    }
    Ok(())
}

fn x25519_public(private: &[u8; 32]) -> Option<[u8; 32]> {
    let private = X25519::private_key(private).ok()?;
    X25519::public_key(&private).ok()?.try_into().ok()
}

fn secretbox(library: Nacl) -> Operations {
    let mut operations: Operations = Vec::new();
    for size in SIZES {
        let text: Vec<u8> = (0..size).map(|at| at as u8).collect();
        let mut sealed = vec![0; size + TAG];
        let _ = (library.seal)(&KEY, &text, &mut sealed);
        let mut out = vec![0; size + TAG];
        let seal: Operation = Box::new(move || {
            let _ = (library.seal)(black_box(&KEY), &text, black_box(&mut out));
        });
        let mut out = vec![0; size];
        let open: Operation = Box::new(move || {
            let _ = black_box((library.open)(black_box(&KEY), &sealed, black_box(&mut out)));
        });
        operations.push((format!("seal/{size}"), Some(size), seal));
        operations.push((format!("open/{size}"), Some(size), open));
    }
    operations
}

fn boxed(library: Nacl) -> Operations {
    let public = x25519_public(&[7; 32]).unwrap_or([9; 32]);
    let private = [9; 32];
    let before: Operation = Box::new(move || {
        let _ = black_box((library.box_key)(black_box(&public), &private));
    });
    let (text, mut out) = ([1; 64], [0; 64 + TAG]);
    let seal: Operation = Box::new(move || {
        let key = (library.box_key)(black_box(&public), &private);
        let key = key.and_then(|key| key.as_slice().try_into().ok());
        let _ = black_box(key.and_then(|key| (library.seal)(&key, &text, &mut out)));
    });
    vec![("beforenm".into(), None, before), ("seal/64".into(), None, seal)]
}

fn kdf(library: Nacl) -> Operations {
    let derive: Operation = Box::new(move || {
        let _ = black_box((library.subkey)(black_box(&KEY)));
    });
    vec![("subkey/32".into(), None, derive)]
}

fn password(library: Nacl) -> Operations {
    let hash: Operation = Box::new(move || {
        let _ = black_box((library.argon2id)(black_box(b"password"), &[8; 16]));
    });
    vec![("64-mib/2-passes".into(), None, hash)]
}

const DRYOC: Nacl = Nacl {
    library: "dryoc",
    seal: |key, text, sealed| boxes::crypto_secretbox_easy(sealed, text, &NONCE, key).ok(),
    open: |key, sealed, text| boxes::crypto_secretbox_open_easy(text, sealed, &NONCE, key).ok(),
    box_key: |public, private| {
        crypto_box::crypto_box_beforenm(public, private).ok().map(|key| Secret::copy_from(&key))
    },
    subkey: |key| {
        let mut out = [0; 32];
        crypto_kdf::crypto_kdf_derive_from_key(&mut out, NUMBER, &CONTEXT, key).ok()?;
        Some(out)
    },
    argon2id: |password, salt| {
        let mut out = [0; 32];
        let algorithm = crypto_pwhash::PasswordHashAlgorithm::Argon2id13;
        let passes = u64::from(PASSES);
        crypto_pwhash::crypto_pwhash(&mut out, password, salt, passes, MEMORY, algorithm).ok()?;
        Some(out)
    },
};

/// Of `crypto_secretbox`, `x25519-dalek`, `salsa20`, `blake2` and `argon2`. (`crypto_box` combines the
/// same for an older curve25519-dalek.)
const RUSTCRYPTO: Nacl = Nacl {
    library: "rustcrypto",
    seal: |key, text, sealed| {
        let (tag, out) = sealed.split_at_mut_checked(TAG)?;
        out.copy_from_slice(text);
        let cipher = XSalsa20Poly1305::new(key.into());
        let made = cipher.encrypt_in_place_detached(&NONCE.into(), b"", out).ok()?;
        tag.copy_from_slice(&made);
        Some(())
    },
    open: |key, sealed, text| {
        let (tag, sealed) = sealed.split_at_checked(TAG)?;
        text.copy_from_slice(sealed);
        let cipher = XSalsa20Poly1305::new(key.into());
        cipher.decrypt_in_place_detached(&NONCE.into(), b"", text, tag.into()).ok()
    },
    box_key: |public, private| {
        let private = X25519::private_key(private).ok()?;
        let shared = X25519::agree(&private, public).ok()?;
        let shared: &[u8; 32] = shared.as_slice().try_into().ok()?;
        let key = salsa20::hsalsa::<salsa20::cipher::consts::U10>(shared.into(), &[0; 16].into());
        Some(Secret::copy_from(&key))
    },
    subkey: |key| {
        let (mut salt, mut personal) = ([0; 16], [0; 16]);
        salt[..8].copy_from_slice(&NUMBER.to_le_bytes());
        personal[..8].copy_from_slice(&CONTEXT);
        let mac =
            Blake2bMac::<U32>::new_with_salt_and_personal(Some(key), &salt, &personal).ok()?;
        Some(mac.finalize_fixed().into())
    },
    argon2id: |password, salt| {
        let memory = u32::try_from(MEMORY / 1024).ok()?;
        let params = argon2::Params::new(memory, PASSES, 1, Some(32)).ok()?;
        let argon2 = Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
        let mut out = [0; 32];
        argon2.hash_password_into(password, salt, &mut out).ok()?;
        Some(out)
    },
};

#[cfg(feature = "sodium")]
const SODIUM: Nacl = Nacl {
    library: "sodium",
    seal: |key, text, sealed| crypto_sodium::nacl::secretbox_seal(key, &NONCE, text, sealed).ok(),
    open: |key, sealed, text| crypto_sodium::nacl::secretbox_open(key, &NONCE, sealed, text).ok(),
    box_key: |public, private| crypto_sodium::nacl::box_key(public, private).ok(),
    subkey: |key| {
        crypto_sodium::nacl::subkey(key, &CONTEXT, NUMBER).ok()?.as_slice().try_into().ok()
    },
    argon2id: |password, salt| {
        let mut out = [0; 32];
        let passes = u64::from(PASSES);
        crypto_sodium::nacl::argon2id(password, salt, passes, MEMORY, &mut out).ok()?;
        Some(out)
    },
};
