//! The operating system's randomness, as RustCrypto's backend takes it.

pub use crypto_rustcrypto::SystemRandom;
