//! What is no message doesn't decode, and doesn't panic.

use burrow::{
    codec::{Decode, Reader},
    framing::{Content, MessageHeader, MlsMessage},
};

/// Lengths that the input doesn't bear out: nothing is allocated for them.
#[test]
fn absurd_lengths_are_refused() {
    for wire_format in 1..=5_u8 {
        for length in [[0xbf, 0xff, 0xff, 0xff], [0x80, 0x01, 0x00, 0x00]] {
            let mut bytes = vec![0, 1, 0, wire_format];
            for _ in 0..4 {
                bytes.extend_from_slice(&length);
            }
            assert!(MlsMessage::decode_exact(&bytes).is_err());
        }
    }
}

#[test]
fn unknown_enum_values_are_refused() {
    for wire_format in [0_u16, 6, 0x0a0a, 0xffff] {
        let bytes = [&[0, 1], &wire_format.to_be_bytes()[..], &[0; 40]].concat();
        assert!(MlsMessage::decode_exact(&bytes).is_err());
        assert!(MessageHeader::peek(&bytes).is_err());
    }
    for version in [0_u16, 2, 0xffff] {
        let bytes = [&version.to_be_bytes()[..], &[0, 2], &[0; 40]].concat();
        assert!(MlsMessage::decode_exact(&bytes).is_err());
        assert!(MessageHeader::peek(&bytes).is_err());
    }
    for content_type in [0, 4, 0xff] {
        assert!(Content::decode(&mut Reader::new(&[content_type, 0])).is_err());
    }
}
