//! What becomes of the working group's messages when they are damaged.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use burrow::codec::{Decode, Encode};
use burrow::framing::{MessageHeader, MlsMessage};
use vectors::{FILES, Library};

/// The fields of `messages.json` that are MLSMessages.
const MESSAGES: [&str; 7] = [
    "mls_welcome",
    "mls_group_info",
    "mls_key_package",
    "public_message_application",
    "public_message_proposal",
    "public_message_commit",
    "private_message",
];

/// Every message of some cases.
fn messages() -> Option<Vec<Vec<u8>>> {
    let library = Library::from_env().inspect_err(|why| println!("{why}")).ok()?;
    let file = FILES.iter().find(|file| file.name == "messages.json").unwrap();
    let cases = library.cases(file).unwrap();
    let some = cases.iter().step_by(30);
    let texts = some.flat_map(|case| MESSAGES.map(|field| case[field].as_str().unwrap()));
    let byte = |text: &str, at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    let bytes = texts.map(|text| (0..text.len()).step_by(2).map(|at| byte(text, at)).collect());
    Some(bytes.collect())
}

/// Cut at each byte, extended, and with each byte changed: an error or another message, which still
/// encodes to what it was read from.
#[test]
fn pitfall_47_cut_extended_and_changed_messages() {
    let Some(messages) = messages() else { return };
    assert_eq!(messages.len(), 70);
    let mut refused = 0_usize;
    for bytes in &messages {
        for end in 0..bytes.len() {
            assert!(MlsMessage::decode_exact(&bytes[..end]).is_err(), "cut at {end}");
            // May do with less than all of the message; must not panic.
            refused += usize::from(MessageHeader::peek(&bytes[..end]).is_err());
        }
        assert!(MlsMessage::decode_exact(&[bytes, &[0][..]].concat()).is_err());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            match MlsMessage::decode_exact(&changed) {
                Ok(message) => assert_eq!(message.to_bytes().unwrap(), changed),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 1000);
}
