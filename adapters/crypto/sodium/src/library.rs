//! Calls into libsodium: the only file with `unsafe`.
//!
//! Each function here takes arrays where libsodium reads or writes a fixed number of bytes, and slices
//! where it is told how many. That, and that [`ready`] has initialised the library, is all that it asks
//! of a caller; nothing is kept by it after a call.
#![allow(unsafe_code, reason = "libsodium is a C library")]

use std::ptr;
use std::sync::OnceLock;

use crypto_api::CryptoError;
use libsodium_sys as c;
use zeroize::Zeroizing;

/// The version of libsodium.
pub const VERSION: &[u8] = c::SODIUM_VERSION_STRING;

/// Initialises libsodium, once: it chooses its implementations by what the processor has.
///
/// # Errors
///
/// [`CryptoError::Internal`] if it can't.
pub(crate) fn ready() -> Result<(), CryptoError> {
    static READY: OnceLock<bool> = OnceLock::new();
    // SAFETY: no arguments; may be called from any thread.
    let ready = READY.get_or_init(|| unsafe { c::sodium_init() } >= 0);
    if *ready { Ok(()) } else { Err(CryptoError::Internal) }
}

/// What a call returned: 0 if it did what it was asked to.
fn done(status: i32, otherwise: CryptoError) -> Result<(), CryptoError> {
    if status == 0 { Ok(()) } else { Err(otherwise) }
}

/// What libsodium has found in the processor.
#[must_use]
pub fn processor() -> Vec<(&'static str, bool)> {
    if ready().is_err() {
        return Vec::new();
    }
    // SAFETY: no arguments; they read what `sodium_init` has found.
    unsafe {
        vec![
            ("ssse3", c::sodium_runtime_has_ssse3() == 1),
            ("sse4.1", c::sodium_runtime_has_sse41() == 1),
            ("aes", c::sodium_runtime_has_aesni() == 1),
            ("pclmulqdq", c::sodium_runtime_has_pclmul() == 1),
            ("avx2", c::sodium_runtime_has_avx2() == 1),
            ("avx512f", c::sodium_runtime_has_avx512f() == 1),
        ]
    }
}

/// Whether AES-256-GCM can be used: it has no implementation without hardware.
#[must_use]
pub fn has_aes256gcm() -> bool {
    // SAFETY: no arguments.
    ready().is_ok() && unsafe { c::crypto_aead_aes256gcm_is_available() } == 1
}

macro_rules! aeads {
    ($($seal:ident = $encrypt:ident, $open:ident = $decrypt:ident;)+) => {$(
        pub(crate) fn $seal(
            key: &[u8; 32],
            nonce: &[u8; 12],
            aad: &[u8],
            text: &mut [u8],
        ) -> Result<[u8; 16], CryptoError> {
            ready()?;
            let mut tag = [0; 16];
            let at = text.as_mut_ptr();
            // SAFETY: encrypting in place is allowed; lengths are the slices' and arrays' own.
            let status = unsafe {
                c::$encrypt(
                    at, tag.as_mut_ptr(), ptr::null_mut(), at, text.len() as u64, aad.as_ptr(),
                    aad.len() as u64, ptr::null(), nonce.as_ptr(), key.as_ptr(),
                )
            };
            done(status, CryptoError::Internal).map(|()| tag)
        }

        pub(crate) fn $open(
            key: &[u8; 32],
            nonce: &[u8; 12],
            aad: &[u8],
            text: &mut [u8],
            tag: &[u8; 16],
        ) -> Result<(), CryptoError> {
            ready()?;
            let at = text.as_mut_ptr();
            // SAFETY: as above.
            let status = unsafe {
                c::$decrypt(
                    at, ptr::null_mut(), at, text.len() as u64, tag.as_ptr(), aad.as_ptr(),
                    aad.len() as u64, nonce.as_ptr(), key.as_ptr(),
                )
            };
            done(status, CryptoError::Rejected)
        }
    )+};
}

aeads! {
    chacha20poly1305_seal = crypto_aead_chacha20poly1305_ietf_encrypt_detached,
        chacha20poly1305_open = crypto_aead_chacha20poly1305_ietf_decrypt_detached;
    aes256gcm_seal = crypto_aead_aes256gcm_encrypt_detached,
        aes256gcm_open = crypto_aead_aes256gcm_decrypt_detached;
}

macro_rules! hashes {
    ($($hash:ident, $length:literal = $hash_state:ident $hash_init:ident $hash_update:ident
        $hash_final:ident; $Mac:ident = $mac_state:ident $mac_init:ident $mac_update:ident
        $mac_final:ident;)+) => {$(
        pub(crate) fn $hash(parts: &[&[u8]]) -> [u8; $length] {
            let mut out = [0; $length];
            let mut state = c::$hash_state { state: [0; 8], count: Default::default(), buf: [0; _] };
            // SAFETY: the state is a plain structure, of which `init` writes what counts; the calls
            // can't fail and are told the parts' own lengths.
            unsafe {
                c::$hash_init(&mut state);
                for part in parts {
                    c::$hash_update(&mut state, part.as_ptr(), part.len() as u64);
                }
                c::$hash_final(&mut state, out.as_mut_ptr());
            }
            out
        }

        /// HMAC with its key absorbed.
        pub struct $Mac(c::$mac_state);

        impl $Mac {
            pub(crate) fn new(key: &[u8]) -> Self {
                let blank = c::$hash_state { state: [0; 8], count: Default::default(), buf: [0; _] };
                let mut mac = Self(c::$mac_state { ictx: blank, octx: blank });
                // SAFETY: `init` writes the state and is told the key's own length.
                unsafe { c::$mac_init(&mut mac.0, key.as_ptr(), key.len()) };
                mac
            }

            pub(crate) fn of(&self, parts: &[&[u8]]) -> [u8; $length] {
                let mut out = [0; $length];
                // Copied, and wiped when dropped.
                let mut mac = Self(self.0);
                // SAFETY: as above.
                unsafe {
                    for part in parts {
                        c::$mac_update(&mut mac.0, part.as_ptr(), part.len() as u64);
                    }
                    c::$mac_final(&mut mac.0, out.as_mut_ptr());
                }
                out
            }
        }

        impl Drop for $Mac {
            fn drop(&mut self) {
                // SAFETY: a plain structure of integers, overwritten with zeros in its own length.
                unsafe { c::sodium_memzero((&raw mut self.0).cast(), size_of::<c::$mac_state>()) };
            }
        }
    )+};
}

hashes! {
    sha256, 32 = crypto_hash_sha256_state crypto_hash_sha256_init crypto_hash_sha256_update
        crypto_hash_sha256_final;
    Mac256 = crypto_auth_hmacsha256_state crypto_auth_hmacsha256_init crypto_auth_hmacsha256_update
        crypto_auth_hmacsha256_final;
    sha512, 64 = crypto_hash_sha512_state crypto_hash_sha512_init crypto_hash_sha512_update
        crypto_hash_sha512_final;
    Mac512 = crypto_auth_hmacsha512_state crypto_auth_hmacsha512_init crypto_auth_hmacsha512_update
        crypto_auth_hmacsha512_final;
}

pub(crate) fn shake256(input: &[u8], out: &mut [u8]) -> Result<(), CryptoError> {
    // SAFETY: lengths are the slices' own.
    let status = unsafe {
        c::crypto_xof_shake256(out.as_mut_ptr(), out.len(), input.as_ptr(), input.len() as u64)
    };
    done(status, CryptoError::Internal)
}

pub(crate) fn x25519_base(private: &[u8; 32]) -> Result<[u8; 32], CryptoError> {
    ready()?;
    let mut public = [0; 32];
    // SAFETY: both are 32 bytes.
    let status = unsafe { c::crypto_scalarmult_base(public.as_mut_ptr(), private.as_ptr()) };
    done(status, CryptoError::Internal).map(|()| public)
}

/// Refuses a result that is all zero.
pub(crate) fn x25519(
    private: &[u8; 32],
    public: &[u8; 32],
) -> Result<Zeroizing<[u8; 32]>, CryptoError> {
    ready()?;
    let mut shared = Zeroizing::new([0; 32]);
    // SAFETY: all three are 32 bytes.
    let status =
        unsafe { c::crypto_scalarmult(shared.as_mut_ptr(), private.as_ptr(), public.as_ptr()) };
    done(status, CryptoError::Rejected).map(|()| shared)
}

/// The private key as libsodium uses it, seed and public key, and the public key.
pub(crate) fn ed25519_key_pair(
    seed: &[u8; 32],
) -> Result<(Zeroizing<[u8; 64]>, [u8; 32]), CryptoError> {
    ready()?;
    let (mut private, mut public) = (Zeroizing::new([0; 64]), [0; 32]);
    // SAFETY: 32, 64 and 32 bytes.
    let status = unsafe {
        c::crypto_sign_seed_keypair(public.as_mut_ptr(), private.as_mut_ptr(), seed.as_ptr())
    };
    done(status, CryptoError::Internal).map(|()| (private, public))
}

pub(crate) fn ed25519_sign(private: &[u8; 64], message: &[u8]) -> Result<[u8; 64], CryptoError> {
    ready()?;
    let mut signature = [0; 64];
    // SAFETY: 64 and 64 bytes, and the message in its length.
    let status = unsafe {
        c::crypto_sign_detached(
            signature.as_mut_ptr(),
            ptr::null_mut(),
            message.as_ptr(),
            message.len() as u64,
            private.as_ptr(),
        )
    };
    done(status, CryptoError::Internal).map(|()| signature)
}

/// libsodium's own verdict, without the contract's rules.
///
/// # Errors
///
/// [`CryptoError::Rejected`] if the signature is no good.
pub fn ed25519_verify(
    public: &[u8; 32],
    message: &[u8],
    signature: &[u8; 64],
) -> Result<(), CryptoError> {
    ready()?;
    // SAFETY: 64 and 32 bytes, and the message in its length.
    let status = unsafe {
        c::crypto_sign_verify_detached(
            signature.as_ptr(),
            message.as_ptr(),
            message.len() as u64,
            public.as_ptr(),
        )
    };
    done(status, CryptoError::Rejected)
}

macro_rules! kems {
    ($($(#[$doc:meta])* $name:ident, $seed:literal, $private:literal, $public:literal,
        $randomness:literal, $length:literal = $key_pair:ident $encap:ident $decap:ident;)+) => {$(
        $(#[$doc])*
        pub(crate) mod $name {
            use super::*;

            pub(crate) type Private = Box<Zeroizing<[u8; $private]>>;

            pub(crate) fn key_pair(
                seed: &[u8; $seed],
            ) -> Result<(Private, [u8; $public]), CryptoError> {
                ready()?;
                let (mut private, mut public) = (Box::new(Zeroizing::new([0; $private])), [0; _]);
                // SAFETY: the arrays have the lengths that libsodium names for this KEM.
                let status = unsafe {
                    c::$key_pair(public.as_mut_ptr(), private.as_mut_ptr(), seed.as_ptr())
                };
                done(status, CryptoError::Internal).map(|()| (private, public))
            }

            pub(crate) fn encap(
                public: &[u8; $public],
                randomness: &[u8; $randomness],
            ) -> Result<(Zeroizing<[u8; 32]>, [u8; $length]), CryptoError> {
                ready()?;
                let (mut shared, mut kem_output) = (Zeroizing::new([0; 32]), [0; _]);
                // SAFETY: as above.
                let status = unsafe {
                    c::$encap(
                        kem_output.as_mut_ptr(),
                        shared.as_mut_ptr(),
                        public.as_ptr(),
                        randomness.as_ptr(),
                    )
                };
                done(status, CryptoError::Rejected).map(|()| (shared, kem_output))
            }

            pub(crate) fn decap(
                kem_output: &[u8; $length],
                private: &Private,
            ) -> Result<Zeroizing<[u8; 32]>, CryptoError> {
                ready()?;
                let mut shared = Zeroizing::new([0; 32]);
                // SAFETY: as above.
                let status = unsafe {
                    c::$decap(shared.as_mut_ptr(), kem_output.as_ptr(), private.as_ptr())
                };
                done(status, CryptoError::Rejected).map(|()| shared)
            }
        }
    )+};
}

kems! {
    ml_kem_768, 64, 2400, 1184, 32, 1088 = crypto_kem_mlkem768_seed_keypair
        crypto_kem_mlkem768_enc_deterministic crypto_kem_mlkem768_dec;
    x_wing, 32, 32, 1216, 64, 1120 = crypto_kem_xwing_seed_keypair
        crypto_kem_xwing_enc_deterministic crypto_kem_xwing_dec;
}

/// Encrypts into `sealed`, which is 16 bytes longer.
pub(crate) fn secretbox_seal(
    key: &[u8; 32],
    nonce: &[u8; 24],
    text: &[u8],
    sealed: &mut [u8],
) -> Result<(), CryptoError> {
    ready()?;
    if sealed.len() != text.len() + 16 {
        return Err(CryptoError::Rejected);
    }
    // SAFETY: `sealed` has room for the text and the tag; key and nonce are 32 and 24 bytes.
    let status = unsafe {
        c::crypto_secretbox_easy(
            sealed.as_mut_ptr(),
            text.as_ptr(),
            text.len() as u64,
            nonce.as_ptr(),
            key.as_ptr(),
        )
    };
    done(status, CryptoError::Internal)
}

/// Decrypts into `text`, which is 16 bytes shorter.
pub(crate) fn secretbox_open(
    key: &[u8; 32],
    nonce: &[u8; 24],
    sealed: &[u8],
    text: &mut [u8],
) -> Result<(), CryptoError> {
    ready()?;
    if sealed.len() != text.len() + 16 {
        return Err(CryptoError::Rejected);
    }
    // SAFETY: as above, the other way round.
    let status = unsafe {
        c::crypto_secretbox_open_easy(
            text.as_mut_ptr(),
            sealed.as_ptr(),
            sealed.len() as u64,
            nonce.as_ptr(),
            key.as_ptr(),
        )
    };
    done(status, CryptoError::Rejected)
}

/// The key of a box between two, refused if it would be that of anybody.
pub(crate) fn box_key(
    public: &[u8; 32],
    private: &[u8; 32],
) -> Result<Zeroizing<[u8; 32]>, CryptoError> {
    ready()?;
    let mut key = Zeroizing::new([0; 32]);
    // SAFETY: all three are 32 bytes.
    let status =
        unsafe { c::crypto_box_beforenm(key.as_mut_ptr(), public.as_ptr(), private.as_ptr()) };
    done(status, CryptoError::Rejected).map(|()| key)
}

/// The 32-byte subkey of that number.
pub(crate) fn subkey(
    key: &[u8; 32],
    context: &[u8; 8],
    number: u64,
) -> Result<Zeroizing<[u8; 32]>, CryptoError> {
    ready()?;
    let mut out = Zeroizing::new([0; 32]);
    // SAFETY: 8 and 32 bytes, and `out` in its length, which is one that libsodium takes.
    let status = unsafe {
        c::crypto_kdf_derive_from_key(
            out.as_mut_ptr(),
            out.len(),
            number,
            context.as_ptr().cast(),
            key.as_ptr(),
        )
    };
    done(status, CryptoError::Internal).map(|()| out)
}

/// Argon2id, version 1.3, with one lane.
pub(crate) fn argon2id(
    password: &[u8],
    salt: &[u8; 16],
    passes: u64,
    memory: usize,
    out: &mut [u8],
) -> Result<(), CryptoError> {
    ready()?;
    // SAFETY: the salt is 16 bytes; the rest is in its own length. Limits that libsodium doesn't take
    // make it return an error.
    let status = unsafe {
        c::crypto_pwhash(
            out.as_mut_ptr(),
            out.len() as u64,
            password.as_ptr().cast(),
            password.len() as u64,
            salt.as_ptr(),
            passes,
            memory,
            c::crypto_pwhash_ALG_ARGON2ID13 as i32,
        )
    };
    done(status, CryptoError::Rejected)
}
