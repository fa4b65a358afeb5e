//! Bytes to Nostr events and back: the JSON that relays carry.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use engine_api::{EngineError, RejectReason, Rejection};
use nostr::{Event, EventBuilder, EventId, JsonUtil, Kind, PublicKey, TagKind, UnsignedEvent};

/// The chat message of Nostr, which is what a payload travels in.
const CHAT: Kind = Kind::Custom(9);

/// The event's JSON.
pub(crate) fn to_json<E: JsonUtil>(event: &E) -> Result<Vec<u8>, EngineError> {
    match event.try_as_json() {
        Ok(json) => Ok(json.into_bytes()),
        Err(why) => Err(EngineError::internal(format_args!("event JSON: {why:?}"))),
    }
}

/// A signed event whose id fits its content.
///
/// The id is checked because MDK files what became of an event under it: a damaged copy under
/// the genuine event's id would have the genuine one refused later. The signature is not: MDK
/// leaves that to whatever receives events from relays.
pub(crate) fn signed(json: &[u8]) -> Result<Event, Rejection> {
    let text = utf8(json)?;
    let event = Event::from_json(text).map_err(|why| malformed(format!("no event: {why}")))?;
    if !event.verify_id() {
        return Err(malformed("the event's id doesn't fit its content"));
    }
    lower_case(text, &event.id, &event.pubkey)?;
    Ok(event)
}

/// An unsigned event ("rumor") with its id, which fits its content.
pub(crate) fn rumor(json: &[u8]) -> Result<(EventId, UnsignedEvent), Rejection> {
    let text = utf8(json)?;
    let rumor =
        UnsignedEvent::from_json(text).map_err(|why| malformed(format!("no rumor: {why}")))?;
    let id = rumor.id.ok_or_else(|| malformed("the rumor has no id"))?;
    if rumor.verify_id().is_err() {
        return Err(malformed("the rumor's id doesn't fit its content"));
    }
    lower_case(text, &id, &rumor.pubkey)?;
    Ok((id, rumor))
}

fn utf8(json: &[u8]) -> Result<&str, Rejection> {
    str::from_utf8(json).map_err(malformed)
}

/// NIP-01 has the id and the key in lower case; the parser takes either, so that one event would
/// have many spellings.
fn lower_case(text: &str, id: &EventId, key: &PublicKey) -> Result<(), Rejection> {
    if text.contains(&id.to_hex()) && text.contains(&key.to_hex()) {
        Ok(())
    } else {
        Err(malformed("an id or a key in upper case"))
    }
}

/// The rumor that carries `payload`: its content is text, so the payload goes as base64.
pub(crate) fn wrap_payload(author: PublicKey, payload: &[u8]) -> UnsignedEvent {
    EventBuilder::new(CHAT, BASE64.encode(payload)).build(author)
}

/// The payload of such a rumor's content.
pub(crate) fn unwrap_payload(content: &str) -> Result<Vec<u8>, Rejection> {
    BASE64
        .decode(content)
        .map_err(|why| malformed(format!("the message's content is not base64: {why}")))
}

/// Whether the event says that it is for another group than `nostr_group_id`. An event without
/// that tag is for MDK to refuse.
pub(crate) fn is_for_another(event: &Event, nostr_group_id: &[u8; 32]) -> bool {
    let tag = event.tags.find(TagKind::h());
    tag.and_then(|tag| tag.content()).is_some_and(|hex| !is_hex_of(hex, nostr_group_id))
}

fn is_hex_of(hex: &str, bytes: &[u8; 32]) -> bool {
    let digit = |c: u8| char::from(c).to_digit(16);
    let same = |pair: &[u8], byte: &u8| match pair {
        [high, low] => {
            digit(*high) == Some(u32::from(byte >> 4)) && digit(*low) == Some(u32::from(byte & 15))
        }
        _ => false,
    };
    let hex = hex.as_bytes();
    hex.len() == 64 && hex.chunks(2).zip(bytes).all(|(pair, byte)| same(pair, byte))
}

fn malformed(detail: impl std::fmt::Display) -> Rejection {
    Rejection::new(RejectReason::Malformed, detail)
}
