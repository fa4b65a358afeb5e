//! AES-GCM and ChaCha20-Poly1305: RustCrypto's.

pub use crypto_rustcrypto::aead::{Aes128Gcm, ChaCha20Poly1305};
