//! Nostr events (NIP-01): signed ones, and unsigned ones, which are called rumors (NIP-59).
//!
//! The id of either fits what stands in it: it is computed when it is made, and compared when it is
//! read. A signature isn't looked at before [`Event::verify`].

use std::{borrow::Cow, fmt, sync::Arc};

use burrow::codec_newtype;
use crypto_api::Suite;
use serde::Deserialize;

use crate::{
    PeerError, Result, hex,
    keys::{Keys, PublicKey, SIGNATURE_LENGTH},
};

/// An event's id: the SHA-256 of what stands in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub [u8; 32]);
codec_newtype!(EventId);

impl EventId {
    /// In hexadecimal.
    #[must_use]
    pub fn to_hex(&self) -> String {
        hex::encode(&self.0)
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventId({})", self.to_hex())
    }
}

/// A tag: its name and its values.
pub type Tag = Vec<String>;

/// An unsigned event. Its content is shared by its copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rumor {
    id: EventId,
    /// Who wrote it.
    author: PublicKey,
    created_at: u64,
    kind: u16,
    tags: Vec<Tag>,
    content: Arc<str>,
}

/// A signed event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    unsigned: Rumor,
    signature: [u8; SIGNATURE_LENGTH],
}

impl Rumor {
    /// An unsigned event. `suite` is any whose hash is SHA-256: Marmot's is.
    #[must_use]
    pub fn new(
        suite: &dyn Suite,
        author: PublicKey,
        created_at: u64,
        kind: u16,
        tags: Vec<Tag>,
        content: impl Into<Arc<str>>,
    ) -> Self {
        let content = content.into();
        let mut rumor = Self { id: EventId([0; 32]), author, created_at, kind, tags, content };
        rumor.id = rumor.compute_id(suite);
        rumor
    }

    /// Reads the JSON of an unsigned event. An `id` need not be there; one that is has to fit.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if it isn't one, or is signed.
    pub fn from_json(suite: &dyn Suite, json: &[u8]) -> Result<Self> {
        let (rumor, signature) = Fields::parse(json)?.read(suite, IdField::Optional)?;
        match signature {
            None => Ok(rumor),
            Some(_) => Err(PeerError::Json("a rumor with a signature").into()),
        }
    }

    /// The same, of one that has its id.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if it isn't one.
    pub fn with_id_from_json(suite: &dyn Suite, json: &[u8]) -> Result<Self> {
        let (rumor, signature) = Fields::parse(json)?.read(suite, IdField::Required)?;
        match signature {
            None => Ok(rumor),
            Some(_) => Err(PeerError::Json("a rumor with a signature").into()),
        }
    }

    /// Its JSON.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        self.write_json(None)
    }

    /// Signs it. `auxiliary` are 32 fresh random bytes.
    ///
    /// # Errors
    ///
    /// [`crate::CallerError::NotOurRumor`] with another author's keys.
    pub fn sign(self, keys: &Keys, auxiliary: &[u8; 32]) -> Result<Event> {
        if keys.public() != self.author {
            return Err(crate::CallerError::NotOurRumor.into());
        }
        let signature = keys.sign(&self.id, auxiliary);
        Ok(Event { unsigned: self, signature })
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> EventId {
        self.id
    }

    /// Who wrote it.
    #[must_use]
    pub fn author(&self) -> PublicKey {
        self.author
    }

    /// When, by the author's clock: seconds since 1970.
    #[must_use]
    pub fn created_at(&self) -> u64 {
        self.created_at
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> u16 {
        self.kind
    }

    /// Its tags.
    #[must_use]
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Its content.
    #[must_use]
    pub fn content(&self) -> &str {
        &self.content
    }

    /// The values of the one tag of this name.
    ///
    /// # Errors
    ///
    /// [`PeerError::BadTag`] if there is none, or more than one.
    pub(crate) fn only_tag(&self, name: &'static str) -> Result<&[String]> {
        let mut named = self.tags.iter().filter_map(|tag| match tag.split_first() {
            Some((first, values)) if first == name => Some(values),
            _ => None,
        });
        match (named.next(), named.next()) {
            (Some(values), None) => Ok(values),
            _ => Err(PeerError::BadTag(name).into()),
        }
    }

    /// The values of the first tag of this name.
    pub(crate) fn tag(&self, name: &str) -> Option<&[String]> {
        self.tags.iter().find_map(|tag| match tag.split_first() {
            Some((first, values)) if first == name => Some(values),
            _ => None,
        })
    }

    fn compute_id(&self, suite: &dyn Suite) -> EventId {
        let mut start = Vec::with_capacity(192);
        start.extend_from_slice(b"[0,\"");
        start.extend_from_slice(self.author.to_hex().as_bytes());
        start.extend_from_slice(format!("\",{},{},", self.created_at, self.kind).as_bytes());
        write_tags(&self.tags, &mut start);
        start.push(b',');
        let hash = if is_plain(&self.content) {
            suite.hash(&[&start, b"\"", self.content.as_bytes(), b"\"]"])
        } else {
            write_text(&self.content, &mut start);
            suite.hash(&[&start, b"]"])
        };
        let mut id = EventId([0; 32]);
        // SHA-256 has 32 bytes.
        id.0.iter_mut().zip(hash.as_slice()).for_each(|(to, from)| *to = *from);
        id
    }

    fn write_json(&self, signature: Option<&[u8; SIGNATURE_LENGTH]>) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.content.len() + 512);
        out.extend_from_slice(b"{\"id\":\"");
        out.extend_from_slice(self.id.to_hex().as_bytes());
        out.extend_from_slice(b"\",\"pubkey\":\"");
        out.extend_from_slice(self.author.to_hex().as_bytes());
        let numbers = format!("\",\"created_at\":{},\"kind\":{}", self.created_at, self.kind);
        out.extend_from_slice(numbers.as_bytes());
        out.extend_from_slice(b",\"tags\":");
        write_tags(&self.tags, &mut out);
        out.extend_from_slice(b",\"content\":");
        write_text(&self.content, &mut out);
        if let Some(signature) = signature {
            out.extend_from_slice(b",\"sig\":\"");
            out.extend_from_slice(hex::encode(signature).as_bytes());
            out.push(b'"');
        }
        out.push(b'}');
        out
    }
}

impl Event {
    /// Reads the JSON of a signed event. The signature is not verified.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if it isn't one, or if its id doesn't fit.
    pub fn from_json(suite: &dyn Suite, json: &[u8]) -> Result<Self> {
        let (unsigned, signature) = Fields::parse(json)?.read(suite, IdField::Required)?;
        let signature = signature.ok_or(PeerError::Json("an event without a signature"))?;
        Ok(Self { unsigned, signature })
    }

    /// Its JSON.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        self.unsigned.write_json(Some(&self.signature))
    }

    /// Checks its signature.
    ///
    /// # Errors
    ///
    /// [`PeerError::BadSignature`] if it isn't the author's.
    pub fn verify(&self) -> Result<()> {
        self.unsigned.author.verify(&self.unsigned.id, &self.signature)
    }

    /// What is signed.
    #[must_use]
    pub fn unsigned(&self) -> &Rumor {
        &self.unsigned
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> EventId {
        self.unsigned.id
    }
}

/// An event's JSON. Fields of other names are passed over.
#[derive(Deserialize)]
struct Fields<'a> {
    id: Option<String>,
    #[serde(borrow)]
    pubkey: Cow<'a, str>,
    created_at: u64,
    kind: u16,
    tags: Vec<Tag>,
    #[serde(borrow)]
    content: Cow<'a, str>,
    sig: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IdField {
    Required,
    Optional,
}

impl<'a> Fields<'a> {
    fn parse(json: &'a [u8]) -> Result<Self> {
        let text = str::from_utf8(json).map_err(|_| PeerError::Json("not UTF-8"))?;
        Ok(serde_json::from_str(text).map_err(|_| PeerError::Json("not the JSON of one"))?)
    }

    fn read(
        self,
        suite: &dyn Suite,
        id_field: IdField,
    ) -> Result<(Rumor, Option<[u8; SIGNATURE_LENGTH]>)> {
        let author =
            PublicKey::from_hex(&self.pubkey).ok_or(PeerError::Json("a pubkey that is none"))?;
        let signature = match &self.sig {
            None => None,
            Some(text) => Some(hex::decode(text).ok_or(PeerError::Json("a sig that is none"))?),
        };
        let content: Arc<str> = self.content.into();
        let rumor = Rumor::new(suite, author, self.created_at, self.kind, self.tags, content);
        match self.id {
            Some(id) if hex::decode(&id) == Some(rumor.id.0) => Ok((rumor, signature)),
            None if id_field == IdField::Optional => Ok((rumor, signature)),
            _ => Err(PeerError::WrongId.into()),
        }
    }
}

fn write_tags(tags: &[Tag], out: &mut Vec<u8>) {
    out.push(b'[');
    for (place, tag) in tags.iter().enumerate() {
        out.extend_from_slice(if place == 0 { b"[" } else { b",[" });
        for (place, value) in tag.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write_text(value, out);
        }
        out.push(b']');
    }
    out.push(b']');
}

/// NIP-01 escapes what JSON asks for and nothing else, as `serde_json` does.
fn write_text(text: &str, out: &mut Vec<u8>) {
    if is_plain(text) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // Writing a string to a vector can't fail.
        let _ = serde_json::to_writer(out, text);
    }
}

/// Whether nothing in it is to be escaped.
fn is_plain(text: &str) -> bool {
    let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    // Without an early end, so that many bytes are looked at at once.
    let count: usize = text
        .as_bytes()
        .chunks(128)
        .map(|chunk| chunk.iter().fold(0_u8, |found, byte| found | u8::from(special(byte))))
        .map(usize::from)
        .sum();
    count == 0
}
