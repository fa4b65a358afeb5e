//! The types of the presentation language.

use crypto_api::{CipherSuite, Digest, HpkeCiphertext, Secret};

use super::{
    Decode, DecodeError, Encode, EncodeError, Reader, encode_opaque, encode_vector, opaque_len,
    vector_len,
};

impl Encode for u8 {
    fn encoded_len(&self) -> usize {
        1
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.push(*self);
        Ok(())
    }

    fn encoded_len_all(values: &[u8]) -> usize {
        values.len()
    }

    fn encode_all(values: &[u8], out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.extend_from_slice(values);
        Ok(())
    }
}

impl Decode for u8 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let [byte] = reader.array()?;
        Ok(byte)
    }

    fn decode_all(mut reader: Reader<'_>) -> Result<Vec<u8>, DecodeError> {
        Ok(reader.take_rest().to_vec())
    }
}

macro_rules! integers {
    ($($int:ty)+) => {$(
        impl Encode for $int {
            fn encoded_len(&self) -> usize {
                size_of::<$int>()
            }

            fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
                out.extend_from_slice(&self.to_be_bytes());
                Ok(())
            }
        }

        impl Decode for $int {
            fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                reader.array().map(<$int>::from_be_bytes)
            }

            fn decode_all(mut reader: Reader<'_>) -> Result<Vec<Self>, DecodeError> {
                let mut values = Vec::with_capacity(reader.remaining() / size_of::<$int>());
                while !reader.is_empty() {
                    values.push(reader.read()?);
                }
                Ok(values)
            }
        }
    )+};
}

integers! { u16 u32 u64 }

/// `opaque x[N]`, without a length.
impl<const N: usize> Encode for [u8; N] {
    fn encoded_len(&self) -> usize {
        N
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.extend_from_slice(self);
        Ok(())
    }
}

impl<const N: usize> Decode for [u8; N] {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.array()
    }
}

/// `T x<V>`; `opaque x<V>` when `T` is `u8`.
impl<T: Encode> Encode for Vec<T> {
    fn encoded_len(&self) -> usize {
        vector_len(self)
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        encode_vector(self, out)
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        T::decode_all(reader.vector()?)
    }
}

/// `optional<T>`.
impl<T: Encode> Encode for Option<T> {
    fn encoded_len(&self) -> usize {
        1 + self.as_ref().map_or(0, T::encoded_len)
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            None => 0_u8.encode(out),
            Some(value) => {
                1_u8.encode(out)?;
                value.encode(out)
            }
        }
    }
}

impl<T: Decode> Decode for Option<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            0 => Ok(None),
            1 => reader.read().map(Some),
            _ => Err(DecodeError::InvalidPresence),
        }
    }
}

impl<T: Encode> Encode for &T {
    fn encoded_len(&self) -> usize {
        T::encoded_len(self)
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        T::encode(self, out)
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encoded_len(&self) -> usize {
        T::encoded_len(self)
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        T::encode(self, out)
    }
}

impl<T: Decode> Decode for Box<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.read().map(Self::new)
    }
}

/// `opaque x<V>`. The buffer that it is encoded into holds the secret, too: make it
/// [`zeroize::Zeroizing`] and of the right size from the start, as [`Encode::to_bytes`] does.
impl Encode for Secret {
    fn encoded_len(&self) -> usize {
        opaque_len(self.as_slice())
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        encode_opaque(self.as_slice(), out)
    }
}

impl Decode for Secret {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.opaque().map(Self::copy_from)
    }
}

/// `opaque x<V>`. A received one is a `Vec<u8>`, since its length is the sender's choice.
impl Encode for Digest {
    fn encoded_len(&self) -> usize {
        opaque_len(self.as_slice())
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        encode_opaque(self.as_slice(), out)
    }
}

impl Encode for CipherSuite {
    fn encoded_len(&self) -> usize {
        self.0.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.0.encode(out)
    }
}

impl Decode for CipherSuite {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.read().map(Self)
    }
}

impl Encode for HpkeCiphertext {
    fn encoded_len(&self) -> usize {
        self.kem_output.encoded_len() + self.ciphertext.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.kem_output.encode(out)?;
        self.ciphertext.encode(out)
    }
}

impl Decode for HpkeCiphertext {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { kem_output: reader.read()?, ciphertext: reader.read()? })
    }
}
