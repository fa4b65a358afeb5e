//! SHA-2 and HMAC: RustCrypto's.

pub use crypto_rustcrypto::hash::Sha256;
