//! Key packages in events (MIP-00).

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use burrow::{
    codec::Decode,
    group::KeyPackageSecrets,
    types::{KeyPackage, ProposalType},
};

use crate::{
    CallerError, PeerError, Result,
    client::Client,
    event::{Event, EventId, Rumor, Tag},
    group_data::is_relay,
    hex,
    keys::PublicKey,
    profile::{GROUP_DATA, KEY_PACKAGE_KIND, LEGACY_KEY_PACKAGE_KIND, SUITE},
};

const VERSION: &str = "1.0";
const LAST_RESORT: &str = "0x000a";
const SELF_REMOVE: &str = "0x000a";

/// A key package that is to be published.
#[derive(Debug)]
#[must_use = "the event is to be signed and published, the secrets are to be stored"]
pub struct NewKeyPackage {
    /// What a Welcome for it is opened with. It is of the last-resort kind: keep it until the account
    /// has published another one, and for some time after.
    pub secrets: KeyPackageSecrets,
    /// The event, which the account has to sign.
    pub unsigned: Rumor,
    /// Its `d` tag. The next key package with the same one takes its place on relays.
    pub slot: [u8; 32],
}

/// Somebody's key package, out of its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPackageEvent {
    pub(crate) id: EventId,
    pub(crate) account: PublicKey,
    pub(crate) key_package: KeyPackage,
}

impl KeyPackageEvent {
    /// The event's id.
    #[must_use]
    pub fn id(&self) -> EventId {
        self.id
    }

    /// Whose it is.
    #[must_use]
    pub fn account(&self) -> PublicKey {
        self.account
    }

    /// What is in it. burrow verifies it when it is added to a group.
    #[must_use]
    pub fn key_package(&self) -> &KeyPackage {
        &self.key_package
    }

    pub(crate) fn has_self_remove(&self) -> bool {
        let capabilities = &self.key_package.leaf_node.capabilities;
        capabilities.has_proposal(ProposalType::SELF_REMOVE)
    }
}

impl Client {
    /// A key package of the account's. `slot` is the `d` tag of the one whose place it takes; without
    /// one it gets its own.
    ///
    /// # Errors
    ///
    /// [`CallerError::BadRelay`] without relays or with a bad one.
    pub fn generate_key_package(
        &self,
        account: PublicKey,
        relays: &[String],
        slot: Option<[u8; 32]>,
    ) -> Result<NewKeyPackage> {
        if relays.is_empty() || !relays.iter().all(|relay| is_relay(relay)) {
            return Err(CallerError::BadRelay.into());
        }
        let secrets = self.new_key_package(account)?;
        let reference = secrets.key_package().reference(self.suite()?)?;
        let slot = slot.map_or_else(|| self.random(), Ok)?;
        let mut tags = vec![
            tag("d", [hex::encode(&slot)]),
            tag("mls_protocol_version", [VERSION.into()]),
            tag("mls_ciphersuite", [number(SUITE.0)]),
            tag("mls_extensions", [LAST_RESORT.into(), number(GROUP_DATA.0)]),
            tag("mls_proposals", [SELF_REMOVE.into()]),
            tag("relays", relays.iter().cloned()),
            tag("i", [hex::encode(reference.as_slice())]),
        ];
        tags.extend(self.config().client_name.clone().map(|name| tag("client", [name])));
        tags.push(tag("encoding", ["base64".into()]));
        let content = BASE64.encode(secrets.key_package().as_bytes());
        let unsigned = self.rumor(account, KEY_PACKAGE_KIND, tags, content)?;
        Ok(NewKeyPackage { secrets, unsigned, slot })
    }

    /// A key package's private keys, as [`KeyPackageSecrets::write`] wrote them.
    ///
    /// # Errors
    ///
    /// If it didn't.
    pub fn read_key_package_secrets(&self, written: &[u8]) -> Result<KeyPackageSecrets> {
        Ok(KeyPackageSecrets::read(&self.mls, written)?)
    }

    /// Reads a key package's event, checks its tags and that it is the account's own, and verifies
    /// the event's signature.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if something is wrong with it.
    pub fn read_key_package(&self, event: &Event) -> Result<KeyPackageEvent> {
        let rumor = event.unsigned();
        let is_legacy = match rumor.kind() {
            KEY_PACKAGE_KIND => false,
            LEGACY_KEY_PACKAGE_KIND => true,
            other => return Err(PeerError::WrongKind(other).into()),
        };
        check_tags(rumor, is_legacy)?;
        let content = BASE64.decode(rumor.content()).map_err(|_| PeerError::Base64)?;
        let key_package = KeyPackage::decode_exact(&content)?;
        if PublicKey::of_credential(&key_package.leaf_node.credential) != Some(rumor.author()) {
            return Err(PeerError::WrongAuthor("a key package's credential").into());
        }
        let reference = key_package.reference(self.suite()?)?;
        match rumor.tag("i").map(<[String]>::first) {
            Some(Some(text)) if *text == hex::encode(reference.as_slice()) => {}
            None if is_legacy => {}
            _ => return Err(PeerError::BadTag("i").into()),
        }
        self.check_signature(event)?;
        Ok(KeyPackageEvent { id: event.id(), account: rumor.author(), key_package })
    }
}

fn check_tags(rumor: &Rumor, is_legacy: bool) -> Result<()> {
    let first = |name| rumor.tag(name).and_then(<[String]>::first);
    if !is_legacy && first("d").and_then(|text| hex::decode::<32>(text)).is_none() {
        return Err(PeerError::BadTag("d").into());
    }
    if first("mls_protocol_version").is_none_or(|version| version != VERSION) {
        return Err(PeerError::BadTag("mls_protocol_version").into());
    }
    let is_suite = |text: &String| text.eq_ignore_ascii_case(&number(SUITE.0));
    if !first("mls_ciphersuite").is_some_and(is_suite) {
        return Err(PeerError::BadTag("mls_ciphersuite").into());
    }
    let extensions = rumor.tag("mls_extensions").unwrap_or_default();
    let has = |wanted: &str| extensions.iter().any(|text| text.eq_ignore_ascii_case(wanted));
    let are_numbers = extensions.iter().all(|text| is_number(text));
    if !has(LAST_RESORT) || !has(&number(GROUP_DATA.0)) || !are_numbers {
        return Err(PeerError::BadTag("mls_extensions").into());
    }
    match rumor.tag("mls_proposals") {
        Some([only]) if only == SELF_REMOVE => {}
        None if is_legacy => {}
        _ => return Err(PeerError::BadTag("mls_proposals").into()),
    }
    check_relays(rumor)?;
    check_encoding(rumor)
}

/// One relay at least, and all of them good.
pub(crate) fn check_relays(rumor: &Rumor) -> Result<()> {
    match rumor.tag("relays") {
        Some(relays) if !relays.is_empty() && relays.iter().all(|relay| is_relay(relay)) => Ok(()),
        _ => Err(PeerError::BadTag("relays").into()),
    }
}

/// Base64, said in so many words: hexadecimal isn't read any more.
pub(crate) fn check_encoding(rumor: &Rumor) -> Result<()> {
    match rumor.tag("encoding").and_then(<[String]>::first) {
        Some(encoding) if encoding == "base64" => Ok(()),
        _ => Err(PeerError::BadTag("encoding").into()),
    }
}

pub(crate) fn tag(name: &str, values: impl IntoIterator<Item = String>) -> Tag {
    std::iter::once(name.to_owned()).chain(values).collect()
}

fn number(number: u16) -> String {
    format!("0x{number:04x}")
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix("0x");
    digits.is_some_and(|digits| {
        digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}
