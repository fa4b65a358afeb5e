//! Reading.

use super::DecodeError;

/// A value that can be read from its encoding.
pub trait Decode: Sized {
    /// Reads one value and leaves `reader` behind it.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if the bytes are no encoding of it.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// Reads the one value that `bytes` is the encoding of.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if it isn't one, [`DecodeError::TrailingBytes`] if it is more.
    fn decode_exact(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let value = Self::decode(&mut reader)?;
        reader.finish()?;
        Ok(value)
    }

    /// Reads values up to the end: the inside of a vector. Not for callers: some types know
    /// better how.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if one of them doesn't decode.
    #[doc(hidden)]
    fn decode_all(mut reader: Reader<'_>) -> Result<Vec<Self>, DecodeError> {
        let mut values = Vec::new();
        while !reader.is_empty() {
            let before = reader.remaining();
            values.push(Self::decode(&mut reader)?);
            if reader.remaining() == before {
                // A type that takes no bytes can't be counted by its encoding.
                return Err(DecodeError::InvalidValue("element"));
            }
        }
        Ok(values)
    }
}

/// A place in an input.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// At the start of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// How many bytes are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Whether none is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Checks that all has been read.
    ///
    /// # Errors
    ///
    /// [`DecodeError::TrailingBytes`] if not.
    pub fn finish(&self) -> Result<(), DecodeError> {
        if self.is_empty() { Ok(()) } else { Err(DecodeError::TrailingBytes) }
    }

    /// The next `length` bytes.
    ///
    /// # Errors
    ///
    /// [`DecodeError::EndOfInput`] if there are fewer.
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(DecodeError::EndOfInput)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    ///
    /// [`DecodeError::EndOfInput`] if there are fewer.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(DecodeError::EndOfInput)?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// All that is left.
    pub fn take_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// An `opaque<V>`, borrowed.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] for a bad length header or the end of input.
    pub fn opaque(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = self.length()?;
        self.bytes(length)
    }

    /// The inside of a vector, to be read to its own end.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] for a bad length header or the end of input.
    pub fn vector(&mut self) -> Result<Reader<'a>, DecodeError> {
        self.opaque().map(Reader::new)
    }

    /// Reads one value.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if there is none.
    pub fn read<T: Decode>(&mut self) -> Result<T, DecodeError> {
        T::decode(self)
    }

    /// Reads one value and says which bytes it was read from: what is to be hashed or verified as
    /// it was received.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if there is none.
    pub fn read_with_bytes<T: Decode>(&mut self) -> Result<(T, &'a [u8]), DecodeError> {
        let before = self.rest;
        let value = T::decode(self)?;
        Ok((value, &before[..before.len() - self.rest.len()]))
    }
}
