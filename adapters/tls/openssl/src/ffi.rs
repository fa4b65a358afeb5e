//! Calls that the crate `openssl` doesn't wrap.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use foreign_types::{ForeignType, ForeignTypeRef};
use openssl::error::ErrorStack;
use openssl::pkey::{HasPrivate, HasPublic, PKeyRef};
use openssl::pkey_ctx::PkeyCtx;
use openssl::ssl::SslRef;
use openssl_sys as sys;

unsafe extern "C" {
    fn SSL_get0_group_name(ssl: *mut sys::SSL) -> *const c_char;
}

/// What `SSL_get0_peer_signature_name`, a macro, asks `SSL_ctrl` for.
const SSL_CTRL_GET_PEER_SIGNATURE_NAME: c_int = 141;

/// The negotiated group, by OpenSSL's name.
pub(crate) fn group_name(ssl: &SslRef) -> Option<String> {
    // SAFETY: the pointer is a live connection's.
    let name = unsafe { SSL_get0_group_name(ssl.as_ptr()) };
    // SAFETY: a string of OpenSSL's, which lives as long as the connection, or null.
    unsafe { owned(name) }
}

/// The scheme that the other peer signed with, by OpenSSL's name.
pub(crate) fn signature_name(ssl: &SslRef) -> Option<String> {
    let mut name: *const c_char = ptr::null();
    let asked = SSL_CTRL_GET_PEER_SIGNATURE_NAME;
    // SAFETY: the pointers are a live connection's and a local's, which is what it writes to.
    let found = unsafe { sys::SSL_ctrl(ssl.as_ptr(), asked, 0, (&raw mut name).cast()) };
    // SAFETY: when it is found, a string as in `group_name`.
    if found == 1 { unsafe { owned(name) } } else { None }
}

/// # Safety
///
/// Null, or a string that ends with a zero and lives during the call.
unsafe fn owned(name: *const c_char) -> Option<String> {
    if name.is_null() {
        return None;
    }
    // SAFETY: as the caller says.
    Some(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

/// A context for keys of an algorithm that has a name only.
pub(crate) fn key_context(name: &CStr) -> Result<PkeyCtx<()>, ErrorStack> {
    // SAFETY: null is the default for library context and properties; the name ends with a zero.
    let context =
        unsafe { sys::EVP_PKEY_CTX_new_from_name(ptr::null_mut(), name.as_ptr(), ptr::null()) };
    if context.is_null() {
        return Err(ErrorStack::get());
    }
    // SAFETY: a new context that nobody else frees.
    Ok(unsafe { PkeyCtx::from_ptr(context) })
}

/// The ciphertext and the shared secret, encapsulated to a key.
pub(crate) fn encapsulate<K: HasPublic>(
    key: &PKeyRef<K>,
) -> Result<(Vec<u8>, Vec<u8>), ErrorStack> {
    let context = PkeyCtx::new(key)?;
    let (mut sent, mut secret) = (0, 0);
    // SAFETY: the context is live; null buffers ask for the lengths.
    unsafe {
        done(sys::EVP_PKEY_encapsulate_init(context.as_ptr(), ptr::null()))?;
        let (sent, secret) = (&raw mut sent, &raw mut secret);
        done(sys::EVP_PKEY_encapsulate(
            context.as_ptr(),
            ptr::null_mut(),
            sent,
            ptr::null_mut(),
            secret,
        ))?;
    }
    let (mut ciphertext, mut shared) = (vec![0; sent], vec![0; secret]);
    // SAFETY: the buffers have the lengths that were asked for.
    unsafe {
        done(sys::EVP_PKEY_encapsulate(
            context.as_ptr(),
            ciphertext.as_mut_ptr(),
            &raw mut sent,
            shared.as_mut_ptr(),
            &raw mut secret,
        ))?;
    }
    Ok((ciphertext, shared))
}

/// The shared secret of a ciphertext.
pub(crate) fn decapsulate<K: HasPrivate>(
    key: &PKeyRef<K>,
    ciphertext: &[u8],
) -> Result<Vec<u8>, ErrorStack> {
    let context = PkeyCtx::new(key)?;
    let mut length = 0;
    // SAFETY: the context and the ciphertext are live; a null buffer asks for the length.
    unsafe {
        done(sys::EVP_PKEY_decapsulate_init(context.as_ptr(), ptr::null()))?;
        done(sys::EVP_PKEY_decapsulate(
            context.as_ptr(),
            ptr::null_mut(),
            &raw mut length,
            ciphertext.as_ptr(),
            ciphertext.len(),
        ))?;
    }
    let mut shared = vec![0; length];
    // SAFETY: the buffer has the length that was asked for.
    unsafe {
        done(sys::EVP_PKEY_decapsulate(
            context.as_ptr(),
            shared.as_mut_ptr(),
            &raw mut length,
            ciphertext.as_ptr(),
            ciphertext.len(),
        ))?;
    }
    Ok(shared)
}

fn done(result: c_int) -> Result<(), ErrorStack> {
    if result == 1 { Ok(()) } else { Err(ErrorStack::get()) }
}
