//! Hexadecimal as NIP-01 has it: lower case, and nothing else.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(DIGITS[usize::from(digit)]));
        }
    }
    text
}

/// `N` bytes, if the text is just that.
pub(crate) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn one_spelling_only() {
        assert_eq!(encode(&[0x00, 0x9f, 0xa0]), "009fa0");
        assert_eq!(decode("009fa0"), Some([0x00, 0x9f, 0xa0]));
        for bad in ["009FA0", "009fa", "009fa0a", "009fa000", "+09fa0", "", "00 fa0", "0g9fa0"] {
            assert_eq!(decode::<3>(bad), None, "{bad}");
        }
    }
}
