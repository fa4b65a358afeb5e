//! Variable-size vector length headers (section 2.1.2).

use super::{DecodeError, EncodeError, Reader};

/// The greatest length that a header can say.
pub const MAX_LENGTH: usize = (1 << 30) - 1;

/// A length header, encoded: 1, 2 or 4 bytes, held on the stack so that it can be hashed without a
/// buffer.
#[derive(Debug, Clone, Copy)]
pub struct LengthHeader {
    bytes: [u8; 4],
    len: u8,
}

impl LengthHeader {
    /// The shortest header for a vector of `length` bytes.
    ///
    /// # Errors
    ///
    /// [`EncodeError::VectorTooLong`] above [`MAX_LENGTH`].
    pub fn new(length: usize) -> Result<Self, EncodeError> {
        let value = u32::try_from(length).map_err(|_| EncodeError::VectorTooLong)?;
        let (bytes, len) = match value {
            0..=0x3f => ([value as u8, 0, 0, 0], 1),
            0x40..=0x3fff => {
                let [high, low] = (value as u16 | 0x4000).to_be_bytes();
                ([high, low, 0, 0], 2)
            }
            0x4000..=0x3fff_ffff => ((value | 0x8000_0000).to_be_bytes(), 4),
            _ => return Err(EncodeError::VectorTooLong),
        };
        Ok(Self { bytes, len })
    }

    /// The header's bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// How many bytes the header of a vector of `length` bytes takes.
#[must_use]
pub const fn length_len(length: usize) -> usize {
    match length {
        0..=0x3f => 1,
        0x40..=0x3fff => 2,
        _ => 4,
    }
}

impl Reader<'_> {
    /// Reads a length header.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] for the prefix 11, a header that isn't the shortest, or the end of input.
    pub fn length(&mut self) -> Result<usize, DecodeError> {
        let [first] = self.array()?;
        let top = u32::from(first & 0x3f);
        let (value, minimum) = match first >> 6 {
            0 => (top, 0),
            1 => {
                let [low] = self.array()?;
                (top << 8 | u32::from(low), 0x40)
            }
            2 => {
                let [a, b, c] = self.array()?;
                (top << 24 | u32::from_be_bytes([0, a, b, c]), 0x4000)
            }
            _ => return Err(DecodeError::InvalidLengthPrefix),
        };
        if value < minimum {
            return Err(DecodeError::LengthNotMinimal);
        }
        usize::try_from(value).map_err(|_| DecodeError::EndOfInput)
    }
}
