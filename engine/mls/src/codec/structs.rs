//! Structs and enums without the boilerplate.

/// The two traits for a struct whose encoding is that of its fields, in this order.
///
/// ```
/// # use burrow::codec::{Decode, Encode};
/// #[derive(Debug, PartialEq)]
/// struct Remove {
///     removed: u32,
/// }
/// burrow::codec_struct!(Remove { removed });
///
/// let bytes = Remove { removed: 7 }.to_bytes()?;
/// assert_eq!(bytes, [0, 0, 0, 7]);
/// assert_eq!(Remove::decode_exact(&bytes), Ok(Remove { removed: 7 }));
/// # Ok::<(), burrow::codec::EncodeError>(())
/// ```
#[macro_export]
macro_rules! codec_struct {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::codec::Encode for $name {
            fn encoded_len(&self) -> usize {
                0 $(+ $crate::codec::Encode::encoded_len(&self.$field))+
            }

            fn encode(
                &self,
                out: &mut ::std::vec::Vec<u8>,
            ) -> ::std::result::Result<(), $crate::codec::EncodeError> {
                $($crate::codec::Encode::encode(&self.$field, out)?;)+
                Ok(())
            }
        }

        impl $crate::codec::Decode for $name {
            fn decode(
                reader: &mut $crate::codec::Reader<'_>,
            ) -> ::std::result::Result<Self, $crate::codec::DecodeError> {
                Ok(Self { $($field: $crate::codec::Decode::decode(reader)?),+ })
            }
        }
    };
}

/// The two traits for a tuple struct of one field: a number whose unknown values are kept, or an
/// `opaque<V>` with a meaning.
///
/// ```
/// # use burrow::codec::{Decode, Encode};
/// #[derive(Debug, PartialEq)]
/// struct CredentialType(u16);
/// burrow::codec_newtype!(CredentialType);
///
/// assert_eq!(CredentialType::decode_exact(&[0x0a, 0x0a]), Ok(CredentialType(0x0a0a)));
/// ```
#[macro_export]
macro_rules! codec_newtype {
    ($name:ident) => {
        impl $crate::codec::Encode for $name {
            fn encoded_len(&self) -> usize {
                $crate::codec::Encode::encoded_len(&self.0)
            }

            fn encode(
                &self,
                out: &mut ::std::vec::Vec<u8>,
            ) -> ::std::result::Result<(), $crate::codec::EncodeError> {
                $crate::codec::Encode::encode(&self.0, out)
            }
        }

        impl $crate::codec::Decode for $name {
            fn decode(
                reader: &mut $crate::codec::Reader<'_>,
            ) -> ::std::result::Result<Self, $crate::codec::DecodeError> {
                $crate::codec::Decode::decode(reader).map(Self)
            }

            fn decode_all(
                reader: $crate::codec::Reader<'_>,
            ) -> ::std::result::Result<::std::vec::Vec<Self>, $crate::codec::DecodeError> {
                let values = $crate::codec::Decode::decode_all(reader)?;
                Ok(values.into_iter().map(Self).collect())
            }
        }
    };
}
