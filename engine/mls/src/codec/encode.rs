//! Writing.

use super::{EncodeError, LengthHeader, length_len};

/// A value that can be written in its one encoding.
pub trait Encode {
    /// How many bytes [`Self::encode`] appends.
    fn encoded_len(&self) -> usize;

    /// Appends the encoding to `out`.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] if a vector is too long; `out` then ends in garbage.
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// The encoding, in a buffer of exactly its size.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] if a vector is too long.
    fn to_bytes(&self) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::with_capacity(self.encoded_len());
        self.encode(&mut out)?;
        Ok(out)
    }

    /// The lengths of all of `values`. Not for callers: `u8` overrides it to count bytes at once.
    #[doc(hidden)]
    fn encoded_len_all(values: &[Self]) -> usize
    where
        Self: Sized,
    {
        values.iter().map(Self::encoded_len).sum()
    }

    /// All of `values`, one after the other. Not for callers: `u8` overrides it to copy at once.
    #[doc(hidden)]
    fn encode_all(values: &[Self], out: &mut Vec<u8>) -> Result<(), EncodeError>
    where
        Self: Sized,
    {
        values.iter().try_for_each(|value| value.encode(out))
    }
}

/// Appends `bytes` as an `opaque<V>`.
///
/// # Errors
///
/// [`EncodeError::VectorTooLong`].
pub fn encode_opaque(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), EncodeError> {
    out.extend_from_slice(LengthHeader::new(bytes.len())?.as_slice());
    out.extend_from_slice(bytes);
    Ok(())
}

/// How many bytes [`encode_opaque`] appends.
#[must_use]
pub const fn opaque_len(bytes: &[u8]) -> usize {
    length_len(bytes.len()) + bytes.len()
}

/// Appends `values` as a `T<V>`.
///
/// # Errors
///
/// [`EncodeError::VectorTooLong`].
pub fn encode_vector<T: Encode>(values: &[T], out: &mut Vec<u8>) -> Result<(), EncodeError> {
    out.extend_from_slice(LengthHeader::new(T::encoded_len_all(values))?.as_slice());
    T::encode_all(values, out)
}

/// How many bytes [`encode_vector`] appends.
#[must_use]
pub fn vector_len<T: Encode>(values: &[T]) -> usize {
    let inside = T::encoded_len_all(values);
    length_len(inside) + inside
}
