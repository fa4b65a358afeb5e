//! The TLS presentation language as RFC 9420 section 2 uses it.
//!
//! Strict: lengths in their shortest form, presence octets 0 or 1, nothing after the end. A
//! [`Reader`] borrows its input and never allocates more than the bytes in hand justify.
//!
//! | in the RFC | here |
//! |---|---|
//! | `uint8` .. `uint64` | `u8` .. `u64` |
//! | `opaque x<V>` | `Vec<u8>` |
//! | `T x<V>` | `Vec<T>` |
//! | `optional<T>` | `Option<T>` |
//! | `struct` | [`crate::codec_struct!`], or the two traits by hand |
//! | `enum` that keeps unknown values | [`crate::codec_newtype!`] over its integer |
//! | `select` | the two traits by hand |

mod encode;
mod error;
mod impls;
mod length;
mod reader;
mod structs;

pub use encode::{Encode, encode_opaque, encode_vector, opaque_len, vector_len};
pub use error::{DecodeError, EncodeError};
pub use length::{LengthHeader, MAX_LENGTH, length_len};
pub use reader::{Decode, Reader};
