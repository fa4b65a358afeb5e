//! The presentation language, good and bad.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use burrow::codec::{
    Decode, DecodeError, Encode, EncodeError, LengthHeader, MAX_LENGTH, Reader, length_len,
};
use burrow::{codec_newtype, codec_struct};
use crypto_api::{HpkeCiphertext, Secret};

#[derive(Debug, Clone, PartialEq)]
struct Everything {
    small: u8,
    medium: u16,
    large: u32,
    huge: u64,
    fixed: [u8; 3],
    opaque: Vec<u8>,
    numbers: Vec<u16>,
    nested: Vec<Vec<u8>>,
    maybe: Option<Kind>,
    boxed: Box<Kind>,
}
codec_struct!(Everything {
    small,
    medium,
    large,
    huge,
    fixed,
    opaque,
    numbers,
    nested,
    maybe,
    boxed
});

#[derive(Debug, Clone, Copy, PartialEq)]
struct Kind(u16);
codec_newtype!(Kind);

fn everything() -> Everything {
    Everything {
        small: 1,
        medium: 0x0203,
        large: 0x0405_0607,
        huge: 0x0809_0a0b_0c0d_0e0f,
        fixed: [0x10, 0x11, 0x12],
        opaque: vec![0x13; 2],
        numbers: vec![0x1415, 0x1617],
        nested: vec![vec![], vec![0x18]],
        maybe: Some(Kind(0x191a)),
        boxed: Box::new(Kind(0x1b1c)),
    }
}

const EVERYTHING: [u8; 37] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0x10, 0x11, 0x12, 2, 0x13, 0x13, 4, 0x14,
    0x15, 0x16, 0x17, 3, 0, 1, 0x18, 1, 0x19, 0x1a, 0x1b, 0x1c, 0xaa, 0xbb,
];

#[test]
fn every_type_there_and_back() {
    let value = everything();
    let encoded = value.to_bytes().unwrap();
    assert_eq!(encoded, EVERYTHING[..35]);
    assert_eq!(encoded.len(), value.encoded_len());
    assert_eq!(Everything::decode_exact(&encoded), Ok(value.clone()));
    let mut reader = Reader::new(&EVERYTHING);
    let (read, bytes) = reader.read_with_bytes::<Everything>().unwrap();
    assert_eq!((read, bytes), (value, &EVERYTHING[..35]));
    assert_eq!(reader.take_rest(), [0xaa, 0xbb]);
}

#[test]
fn cut_anywhere_or_stretched_is_an_error() {
    for length in 0..35 {
        let cut = Everything::decode_exact(&EVERYTHING[..length]);
        assert_eq!(cut, Err(DecodeError::EndOfInput), "{length}");
    }
    let stretched = Everything::decode_exact(&EVERYTHING[..36]);
    assert_eq!(stretched, Err(DecodeError::TrailingBytes));
}

#[test]
fn pitfall_46_lengths_at_their_boundaries() {
    for (length, header) in [
        (0, &[0][..]),
        (63, &[0x3f]),
        (64, &[0x40, 0x40]),
        (16_383, &[0x7f, 0xff]),
        (16_384, &[0x80, 0, 0x40, 0]),
        (MAX_LENGTH, &[0xbf, 0xff, 0xff, 0xff]),
    ] {
        assert_eq!(LengthHeader::new(length).unwrap().as_slice(), header);
        assert_eq!(length_len(length), header.len());
        assert_eq!(Reader::new(header).length(), Ok(length));
    }
    for length in [MAX_LENGTH + 1, u32::MAX as usize, u32::MAX as usize + 1, usize::MAX] {
        let error = LengthHeader::new(length).err();
        assert_eq!(error, Some(EncodeError::VectorTooLong), "{length}");
    }
}

#[test]
fn pitfall_46_lengths_that_are_refused() {
    for bytes in [
        &[0x40, 0][..],
        &[0x40, 0x01],
        &[0x40, 0x3f],
        &[0x80, 0, 0, 0],
        &[0x80, 0, 0, 1],
        &[0x80, 0, 0x3f, 0xff],
    ] {
        assert_eq!(Reader::new(bytes).length(), Err(DecodeError::LengthNotMinimal), "{bytes:?}");
    }
    for first in 0xc0..=0xff {
        let bytes = [first; 8];
        assert_eq!(Reader::new(&bytes).length(), Err(DecodeError::InvalidLengthPrefix));
    }
    for bytes in [&[][..], &[0x40], &[0x7f], &[0x80], &[0x80, 0, 0x40], &[0xbf, 0xff, 0xff]] {
        assert_eq!(Reader::new(bytes).length(), Err(DecodeError::EndOfInput), "{bytes:?}");
    }
}

/// A header may promise a gigabyte: it is refused for want of the bytes before anything is set
/// aside for them.
#[test]
fn a_promise_is_not_believed() {
    let promise = [0xbf, 0xff, 0xff, 0xff, 1, 2, 3];
    assert_eq!(Vec::<u8>::decode_exact(&promise), Err(DecodeError::EndOfInput));
    assert_eq!(Vec::<u64>::decode_exact(&promise), Err(DecodeError::EndOfInput));
    assert_eq!(Secret::decode_exact(&promise), Err(DecodeError::EndOfInput));
    let nested = [4, 0xbf, 0xff, 0xff, 0xff];
    assert_eq!(Vec::<Vec<u8>>::decode_exact(&nested), Err(DecodeError::EndOfInput));
}

#[test]
fn a_vector_ends_between_elements() {
    assert_eq!(Vec::<u16>::decode_exact(&[4, 0, 1, 0, 2]), Ok(vec![1, 2]));
    assert_eq!(Vec::<u16>::decode_exact(&[3, 0, 1, 0]), Err(DecodeError::EndOfInput));
    // The inner vector may not reach beyond the outer one.
    assert_eq!(Vec::<Vec<u8>>::decode_exact(&[2, 2, 0xaa, 0xbb]), Err(DecodeError::EndOfInput));
}

#[test]
fn presence_is_0_or_1() {
    assert_eq!(Option::<u8>::decode_exact(&[0]), Ok(None));
    assert_eq!(Option::<u8>::decode_exact(&[1, 7]), Ok(Some(7)));
    assert_eq!(Option::<u8>::decode_exact(&[1]), Err(DecodeError::EndOfInput));
    assert_eq!(Option::<u8>::decode_exact(&[0, 7]), Err(DecodeError::TrailingBytes));
    for octet in 2..=255 {
        assert_eq!(Option::<u8>::decode_exact(&[octet, 7]), Err(DecodeError::InvalidPresence));
    }
}

/// Nothing in MLS has an empty encoding; a vector of such a thing has no length to speak of.
#[test]
fn elements_without_bytes_are_refused() {
    #[derive(Debug, PartialEq)]
    struct Nothing;
    impl Decode for Nothing {
        fn decode(_: &mut Reader<'_>) -> Result<Self, DecodeError> {
            Ok(Self)
        }
    }
    assert!(Vec::<Nothing>::decode_exact(&[1, 0]).is_err());
    assert_eq!(Vec::<Nothing>::decode_exact(&[0]), Ok(vec![]));
}

#[test]
fn a_vector_too_long_to_encode_is_an_error() {
    struct Giant;
    impl Encode for Giant {
        fn encoded_len(&self) -> usize {
            MAX_LENGTH
        }
        fn encode(&self, _: &mut Vec<u8>) -> Result<(), EncodeError> {
            Ok(())
        }
    }
    let mut out = Vec::new();
    assert_eq!(vec![Giant].encode(&mut out), Ok(()));
    assert_eq!(vec![Giant, Giant].encode(&mut out), Err(EncodeError::VectorTooLong));
}

#[test]
fn types_of_the_crypto_contract() {
    let secret = Secret::copy_from(b"abc");
    assert_eq!(secret.to_bytes().unwrap(), b"\x03abc");
    assert_eq!(Secret::decode_exact(b"\x03abc"), Ok(secret));
    let ciphertext = HpkeCiphertext { kem_output: b"k".to_vec(), ciphertext: b"ct".to_vec() };
    assert_eq!(ciphertext.to_bytes().unwrap(), b"\x01k\x02ct");
    assert_eq!(HpkeCiphertext::decode_exact(b"\x01k\x02ct"), Ok(ciphertext));
}

/// Whatever decodes encodes to the same bytes: there is one encoding of each value.
#[test]
fn random_bytes_don_t_panic_and_what_decodes_is_canonical() {
    let mut state = 1_u64;
    let mut decoded = 0;
    for round in 0..200_000 {
        let length = round % 40;
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Small values, mostly, so that many decode.
                let byte = (state >> 56) as u8;
                if byte < 0xc0 { byte & 3 } else { byte }
            })
            .collect();
        let mut reader = Reader::new(&bytes);
        if let Ok((value, read)) = reader.read_with_bytes::<Everything>() {
            assert_eq!(value.to_bytes().unwrap(), read);
            decoded += 1;
        }
        if let Ok(value) = Vec::<Vec<Option<u16>>>::decode_exact(&bytes) {
            assert_eq!(value.to_bytes().unwrap(), bytes);
            decoded += 1;
        }
    }
    assert!(decoded > 1000, "{decoded}");
}
