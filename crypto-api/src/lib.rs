//! The contract between an MLS engine (RFC 9420) and a crypto library.
//!
//! An engine sees two traits. [`CryptoBackend`] is a library: it names the cipher suites that it
//! has. [`Suite`] is one cipher suite of it: the hash, MAC, KDF, AEAD, HPKE and signature functions
//! that RFC 9420 section 5.1 asks for, under the RFC's names. Both are object-safe, so that an
//! engine compiles once for all libraries and a counting or recording wrapper is just another
//! [`Suite`].
//!
//! A library implements [`primitives`] (a hash, an AEAD, a Diffie-Hellman group or a KEM, a
//! signature scheme) and gets a [`Suite`] from [`Composed`], with HPKE (RFC 9180) written once, in
//! [`hpke`] and [`dhkem`]. A post-quantum KEM implements [`primitives::Kem`] by
//! way of [`seed_kem`], or itself, and [`hybrid`] combines it with a group; a post-quantum signature
//! scheme is a scheme like any other, with its seed as the serialised private key. [`post_quantum`] has
//! the suites of them.
//!
//! # Randomness
//!
//! Neither the engine nor this crate has a source of its own: all of it comes from the [`Random`]
//! that the backend was built with. A deterministic one makes whole sessions repeatable, except
//! for what a library insists on drawing itself; an adapter's documentation says what that is.
//!
//! # Same verdict everywhere
//!
//! Members of a group who disagree on whether a signature or a key is good end up in different
//! groups. What has to be refused is therefore part of this contract, not of a library:
//! [`Suite::verify`] and [`Suite::check_public_key`] say it, and [`rules`] holds the checks that
//! libraries don't agree on.
#![forbid(unsafe_code)]

mod backend;
mod composed;
pub mod dhkem;
mod digest;
mod error;
pub mod hkdf;
pub mod hpke;
pub mod hybrid;
mod keys;
pub mod post_quantum;
pub mod primitives;
pub mod rules;
mod secret;
pub mod seed_kem;
mod suite;

pub use backend::{CryptoBackend, Random};
pub use composed::Composed;
pub use digest::Digest;
pub use error::CryptoError;
pub use keys::{HpkeCiphertext, HpkePrivateKey, SigningKey, VerifyingKey};
pub use post_quantum::{PqSuite, PqSuites};
pub use secret::Secret;
pub use suite::{CipherSuite, SealTo, Signed, Suite};
