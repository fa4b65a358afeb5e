//! Messages that break a rule: by anybody, and by an insider who knows the group's secrets.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use burrow::codec::Reader;
use burrow::types::{Extension, Extensions};
use burrow_marmot::event::{Event, Rumor};
use burrow_marmot::group::NewGroup;
use burrow_marmot::{
    Client, Clock, Config, EventSignatures, GROUP_DATA, GROUP_EVENT_KIND, Keys, PublicKey,
};
use crypto_api::{CipherSuite, CryptoBackend as _};
use crypto_rustcrypto::RustCrypto;
use serde_json::Value;

use super::data::GroupDataShape;

const RELAY: &str = "wss://relay.example.com";
const NONCE: usize = 12;

/// The suite with the AEAD of the outer layer (MIP-03).
const OUTER_SUITE: CipherSuite = CipherSuite::MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_ED25519;

/// Words for the report.
type Outcome<T> = Result<T, String>;

/// A member of a Marmot group who has its secrets and no scruples.
pub(super) struct Insider {
    client: Client,
    keys: Keys,
    member: Option<Member>,
}

struct Member {
    mls: burrow::group::Group,
    nostr_group_id: [u8; 32],
}

struct Now;

impl Clock for Now {
    fn now(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

impl Insider {
    pub(super) fn new() -> Outcome<Self> {
        let client = new_client();
        Ok(Self { keys: client.generate_keys().map_err(words)?, client, member: None })
    }

    pub(super) fn account(&self) -> PublicKey {
        self.keys.public()
    }

    /// Founds a group with the owners of these key packages: its id, and the Welcomes.
    pub(super) fn create(&mut self, invitees: &[&[u8]]) -> Outcome<(Vec<u8>, Vec<Vec<u8>>)> {
        let suite = self.client.suite().map_err(words)?;
        let read = |json: &&[u8]| {
            Event::from_json(suite, json).and_then(|event| self.client.read_key_package(&event))
        };
        let invitees: Vec<_> =
            invitees.iter().map(read).collect::<Result<_, _>>().map_err(words)?;
        let new = NewGroup {
            name: "group".into(),
            relays: [RELAY.to_owned()].into(),
            ..NewGroup::default()
        };
        let created = self.client.create_group(self.account(), new, &invitees);
        let (group, welcomes) = created.map_err(words)?;
        let written = group.mls().write().map_err(words)?;
        let mls = group.mls().client().restore(&written, &[]).map_err(words)?;
        self.member = Some(Member { mls, nostr_group_id: group.data().nostr_group_id });
        Ok((group.id().to_vec(), welcomes.iter().map(Rumor::to_json).collect()))
    }

    /// A message, as the engines' adapters write them.
    pub(super) fn send(&mut self, text: &str) -> Outcome<Vec<u8>> {
        let content = BASE64.encode(text);
        let rumor = self.client.rumor(self.account(), 9, Vec::new(), content).map_err(words)?;
        let sent = self.inside()?.mls.send(&rumor.to_json(), b"").map_err(words)?;
        self.seal(&sent.message)
    }

    /// A commit of group data in this shape, and the extension in it. The insider follows it if the
    /// shape is good.
    pub(super) fn commit(&mut self, shape: GroupDataShape) -> Outcome<(Vec<u8>, Vec<u8>)> {
        let mls = &mut self.inside()?.mls;
        let mut list: Vec<_> = mls.context().extensions.iter().cloned().collect();
        let data = list.iter_mut().find(|extension| extension.extension_type == GROUP_DATA);
        let Extension { extension_data, .. } = data.ok_or("no group data")?;
        *extension_data = reshaped(extension_data, shape)?;
        let bytes = extension_data.clone();
        let extensions = Extensions::from_vec(list).map_err(words)?;
        let commit = mls.commit().only(Vec::new()).group_context_extensions(extensions);
        let staged = commit.stage().map_err(words)?;
        let message = staged.messages.message.clone();
        let event = self.seal(&message)?;
        if matches!(shape, GroupDataShape::Version1 | GroupDataShape::Version3) {
            self.inside()?.mls.merge(staged).map_err(words)?;
        }
        Ok((event, bytes))
    }

    /// The event with another message inside.
    pub(super) fn changed(
        &mut self,
        event: &[u8],
        change: impl FnOnce(&mut Vec<u8>) -> Outcome<()>,
    ) -> Outcome<Vec<u8>> {
        let event = Event::from_json(self.client.suite().map_err(words)?, event).map_err(words)?;
        let content = BASE64.decode(event.unsigned().content()).map_err(words)?;
        let (nonce, sealed) = content.split_at_checked(NONCE).ok_or("too short")?;
        let mut message = sealed.to_vec();
        let key = self.outer_key()?;
        let crypto = RustCrypto::new();
        let outer = crypto.suite(OUTER_SUITE).map_err(words)?;
        outer.aead_open(&key, nonce, b"", &mut message).map_err(words)?;
        change(&mut message)?;
        self.seal(&message)
    }

    fn inside(&mut self) -> Outcome<&mut Member> {
        self.member.as_mut().ok_or_else(|| "the insider is in no group".into())
    }

    fn outer_key(&mut self) -> Outcome<Vec<u8>> {
        let secret = self.inside()?.mls.export_secret(b"marmot", b"group-event", 32);
        Ok(secret.map_err(words)?.as_slice().to_vec())
    }

    fn seal(&mut self, message: &[u8]) -> Outcome<Vec<u8>> {
        let (key, group) = (self.outer_key()?, self.inside()?.nostr_group_id);
        let mut nonce = [0; NONCE];
        let crypto = RustCrypto::new();
        crypto.random(&mut nonce).map_err(words)?;
        let mut sealed = message.to_vec();
        let outer = crypto.suite(OUTER_SUITE).map_err(words)?;
        outer.aead_seal(&key, &nonce, b"", &mut sealed).map_err(words)?;
        let id = crate::sessions::to_hex(&group);
        let tags = vec![vec!["h".into(), id], vec!["encoding".into(), "base64".into()]];
        by_nobody(&self.client, tags, &[nonce.as_slice(), &sealed].concat())
    }
}

/// The same ciphertext in an event of somebody else's.
pub(super) fn rewrapped(event: &[u8]) -> Outcome<Vec<u8>> {
    let client = new_client();
    let event = Event::from_json(client.suite().map_err(words)?, event).map_err(words)?;
    let content = BASE64.decode(event.unsigned().content()).map_err(words)?;
    by_nobody(&client, event.unsigned().tags().to_vec(), &content)
}

/// Noise in the group's name.
pub(super) fn junk_event(event: &[u8]) -> Outcome<Vec<u8>> {
    let client = new_client();
    let event = Event::from_json(client.suite().map_err(words)?, event).map_err(words)?;
    let mut noise = vec![0; 300];
    RustCrypto::new().random(&mut noise).map_err(words)?;
    by_nobody(&client, event.unsigned().tags().to_vec(), &noise)
}

/// A key package's or Welcome's event with its content in the framing of the other profile.
pub(super) fn reframed_event(event: &[u8], wire_format: u16) -> Outcome<Vec<u8>> {
    let client = new_client();
    let mut fields: Value = serde_json::from_slice(event).map_err(words)?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let author = PublicKey::from_hex(&text(&fields["pubkey"])).ok_or("no author")?;
    let kind =
        fields["kind"].as_u64().and_then(|kind| u16::try_from(kind).ok()).ok_or("no kind")?;
    let tags = serde_json::from_value(fields["tags"].clone()).map_err(words)?;
    let time = fields["created_at"].as_u64().ok_or("no time")?;
    let content = BASE64.decode(text(&fields["content"])).map_err(words)?;
    let content = BASE64.encode(reframed(&content, wire_format));
    let suite = client.suite().map_err(words)?;
    let rumor = Rumor::new(suite, author, time, kind, tags, content);
    fields["id"] = rumor.id().to_hex().into();
    fields["content"] = rumor.content().into();
    serde_json::to_vec(&fields).map_err(words)
}

/// An MLSMessage's content, or an MLSMessage around it (RFC 9420 section 6).
pub(super) fn reframed(bytes: &[u8], wire_format: u16) -> Vec<u8> {
    let header = [1_u16.to_be_bytes(), wire_format.to_be_bytes()].concat();
    match bytes.strip_prefix(header.as_slice()) {
        Some(content) => content.to_vec(),
        None => [header.as_slice(), bytes].concat(),
    }
}

/// Sets the epoch of a PublicMessage or PrivateMessage (RFC 9420 section 6): it stands behind the
/// group's id.
pub(super) fn set_epoch(message: &mut [u8], epoch: u64) -> Outcome<()> {
    const HEADER: usize = 4;
    let mut reader = Reader::new(message.get(HEADER..).ok_or("no MLSMessage")?);
    reader.opaque().map_err(words)?;
    let start = message.len() - reader.remaining();
    let place = message.get_mut(start..start + 8).ok_or("no epoch")?;
    place.copy_from_slice(&epoch.to_be_bytes());
    Ok(())
}

/// When and under which id an event of Marmot's is ordered (MIP-03), and the id's bytes.
pub(super) fn order_of(event: &[u8]) -> Outcome<(u64, [u8; 32])> {
    let fields: Value = serde_json::from_slice(event).map_err(words)?;
    let time = fields["created_at"].as_u64().ok_or("no time")?;
    let id = fields["id"].as_str().and_then(PublicKey::from_hex).ok_or("no id")?;
    Ok((time, id.0))
}

fn new_client() -> Client {
    let config = Config { event_signatures: EventSignatures::VerifiedBefore, ..Config::default() };
    Client::new(Arc::new(RustCrypto::new()), Arc::new(Now), config)
}

/// A group event under a key that nobody has seen before.
fn by_nobody(client: &Client, tags: Vec<Vec<String>>, content: &[u8]) -> Outcome<Vec<u8>> {
    let keys = client.generate_keys().map_err(words)?;
    let content = BASE64.encode(content);
    let rumor = client.rumor(keys.public(), GROUP_EVENT_KIND, tags, content).map_err(words)?;
    Ok(client.sign(rumor, &keys).map_err(words)?.to_json())
}

fn reshaped(version2: &[u8], shape: GroupDataShape) -> Outcome<Vec<u8>> {
    let with_version = |version: u16| {
        let fields = version2.get(2..).unwrap_or_default();
        [version.to_be_bytes().as_slice(), fields].concat()
    };
    Ok(match shape {
        GroupDataShape::Version0 => with_version(0),
        GroupDataShape::Version1 => with_version(1),
        GroupDataShape::Version3 => with_version(3),
        GroupDataShape::TrailingByte => [version2, &[0]].concat(),
        GroupDataShape::CommaLists => comma_lists(version2)?,
    })
}

/// Version 1 as the text of MIP-01 has it.
fn comma_lists(version2: &[u8]) -> Outcome<Vec<u8>> {
    let id = version2.get(2..34).ok_or("no group id")?;
    let mut reader = Reader::new(version2.get(34..).ok_or("no name")?);
    let name = reader.opaque().map_err(words)?;
    let description = reader.opaque().map_err(words)?;
    let keys = reader.opaque().map_err(words)?;
    let keys: Vec<_> = keys.chunks(32).map(crate::sessions::to_hex).collect();
    let mut bytes = [&[0, 1], id].concat();
    for field in [name, description, keys.join(",").as_bytes(), RELAY.as_bytes()] {
        let length = u16::try_from(field.len()).map_err(words)?;
        bytes.extend(length.to_be_bytes());
        bytes.extend(field);
    }
    bytes.extend([0; 32 + 32 + 12]);
    Ok(bytes)
}

fn words(why: impl std::fmt::Display) -> String {
    why.to_string()
}
