//! The outer layer of a group event (MIP-03): an event of kind 445 by a key of its own, with an MLS
//! message in it under a key that the epoch exports.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use crypto_api::Secret;
use zeroize::Zeroizing;

use crate::{
    PeerError, Result,
    client::Client,
    event::{Event, Rumor},
    hex,
    key_package::tag,
    keys::Keys,
    profile::{GROUP_EVENT_KIND, OUTER_SUITE},
};

const NONCE: usize = 12;
const TAG: usize = 16;
const KEY: usize = 32;

/// The key of the outer layer in a group's present epoch.
pub(crate) fn outer_key(mls: &burrow::group::Group) -> Result<Secret> {
    Ok(mls.export_secret(b"marmot", b"group-event", KEY)?)
}

/// An event around `message`, which is to be sealed under the key of the message's own epoch.
pub(crate) fn seal(
    client: &Client,
    key: &Secret,
    nostr_group_id: &[u8; 32],
    message: &[u8],
) -> Result<Event> {
    let nonce: [u8; NONCE] = client.random()?;
    let mut sealed = Vec::with_capacity(message.len() + TAG);
    sealed.extend_from_slice(message);
    let suite = client.mls.suite(OUTER_SUITE)?;
    suite.aead_seal(key.as_slice(), &nonce, b"", &mut sealed)?;
    let content = [nonce.as_slice(), &sealed].concat();
    let secret = Zeroizing::new(client.random()?);
    let keys = Keys::from_secret(&secret)?;
    let tags =
        vec![tag("h", [hex::encode(nostr_group_id)]), tag("encoding", ["base64".to_owned()])];
    let content = BASE64.encode(content);
    let rumor = client.rumor(keys.public(), GROUP_EVENT_KIND, tags, content)?;
    rumor.sign(&keys, &client.random()?)
}

/// What stands on the outside of a group event.
pub(crate) struct Outside {
    pub(crate) nostr_group_id: [u8; 32],
    /// Nonce, ciphertext and tag.
    content: Vec<u8>,
}

/// Checks kind, time and tags.
pub(crate) fn read(client: &Client, rumor: &Rumor) -> Result<Outside> {
    if rumor.kind() != GROUP_EVENT_KIND {
        return Err(PeerError::WrongKind(rumor.kind()).into());
    }
    let (now, config) = (client.now(), client.config());
    let is_early = rumor.created_at() > now.saturating_add(config.max_future_skew);
    if is_early || rumor.created_at() < now.saturating_sub(config.max_event_age) {
        return Err(PeerError::WrongTime.into());
    }
    let nostr_group_id = match rumor.only_tag("h")? {
        [id, ..] => hex::decode(id).ok_or(PeerError::BadTag("h"))?,
        [] => return Err(PeerError::BadTag("h").into()),
    };
    let content = BASE64.decode(rumor.content()).map_err(|_| PeerError::Base64)?;
    if content.len() < NONCE + TAG {
        return Err(PeerError::TooShort.into());
    }
    Ok(Outside { nostr_group_id, content })
}

impl Outside {
    /// The MLS message inside, if this is its key.
    pub(crate) fn open(&self, client: &Client, key: &Secret) -> Result<Option<Vec<u8>>> {
        let suite = client.mls.suite(OUTER_SUITE)?;
        let Some((nonce, sealed)) = self.content.split_at_checked(NONCE) else {
            return Ok(None);
        };
        let mut message = sealed.to_vec();
        match suite.aead_open(key.as_slice(), nonce, b"", &mut message) {
            Ok(()) => Ok(Some(message)),
            Err(crypto_api::CryptoError::Rejected) => Ok(None),
            Err(other) => Err(other.into()),
        }
    }
}
