//! The group data extension (MIP-01), as it is on the wire.
//!
//! Versions 1 and 2 have the same fields there. In version 1 `image_key` is the image's key itself, in
//! version 2 what the key is derived from. Lengths are those of RFC 9420, section 2.1.2. A later
//! version is read as far as it has the same fields: anything behind them is an error, as in
//! mdk-core 0.8.0, with which every member has to agree on what is a valid commit.

use std::collections::BTreeSet;

use burrow::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    types::{ExtensionType, Extensions, KnownExtension},
};
use url::Url;

use crate::{PeerError, Result, keys::PublicKey};

/// What a group says of itself. Every member has the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupData {
    /// The extension's version; never 0.
    pub version: u16,
    /// By which relays know the group: what stands in its events' `h` tag.
    pub nostr_group_id: [u8; 32],
    /// Its name.
    pub name: String,
    /// More about it.
    pub description: String,
    /// Who may commit more than fresh keys. Some of them may not be members any more.
    pub admins: BTreeSet<PublicKey>,
    /// Where its events are.
    pub relays: BTreeSet<String>,
    /// The SHA-256 of its encrypted image.
    pub image_hash: Option<[u8; 32]>,
    /// The image's key, or what that is derived from: see [`Self::version`].
    pub image_key: Option<[u8; 32]>,
    /// The image's nonce.
    pub image_nonce: Option<[u8; 12]>,
    /// What the key for uploading the image is derived from.
    pub image_upload_key: Option<[u8; 32]>,
}

impl GroupData {
    /// The version that new groups have.
    pub const VERSION: u16 = 2;

    /// Of these extensions of a GroupContext.
    ///
    /// # Errors
    ///
    /// [`PeerError::NoGroupData`] if they have none, [`PeerError::Malformed`] if it is no good.
    pub fn of(extensions: &Extensions) -> Result<Self> {
        let found = extensions.find().map_err(PeerError::Malformed)?;
        Ok(found.ok_or(PeerError::NoGroupData)?)
    }

    /// Whether the account is an admin.
    #[must_use]
    pub fn is_admin(&self, account: &PublicKey) -> bool {
        self.admins.contains(account)
    }
}

/// Whether it is the URL of a relay: `ws:` or `wss:`, and only one of them.
#[must_use]
pub fn is_relay(url: &str) -> bool {
    url.matches("://").count() <= 1
        && Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "ws" | "wss"))
}

impl KnownExtension for GroupData {
    const TYPE: ExtensionType = crate::profile::GROUP_DATA;
}

impl GroupData {
    /// Sets are written in ascending order, so that the same data is always the same bytes.
    fn lists(&self) -> (Vec<PublicKey>, Vec<Vec<u8>>) {
        let relays = self.relays.iter().map(|relay| relay.as_bytes().to_vec());
        (self.admins.iter().copied().collect(), relays.collect())
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let (admins, relays) = self.lists();
        self.version.encode(out)?;
        self.nostr_group_id.encode(out)?;
        self.name.as_bytes().to_vec().encode(out)?;
        self.description.as_bytes().to_vec().encode(out)?;
        admins.encode(out)?;
        relays.encode(out)?;
        optional(self.image_hash.as_ref()).encode(out)?;
        optional(self.image_key.as_ref()).encode(out)?;
        optional(self.image_nonce.as_ref()).encode(out)?;
        optional(self.image_upload_key.as_ref()).encode(out)
    }
}

impl Encode for GroupData {
    fn encoded_len(&self) -> usize {
        // Short, and written once per change: not worth a second list of the fields.
        let mut out = Vec::new();
        match self.write(&mut out) {
            Ok(()) => out.len(),
            Err(_) => 0,
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.write(out)
    }
}

impl Decode for GroupData {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let version = reader.read()?;
        if version == 0 {
            return Err(DecodeError::InvalidValue("version of group data"));
        }
        Ok(Self {
            version,
            nostr_group_id: reader.read()?,
            name: text(reader)?,
            description: text(reader)?,
            admins: reader.read::<Vec<PublicKey>>()?.into_iter().collect(),
            relays: relays(reader.vector()?)?,
            image_hash: absent_or(reader)?,
            image_key: absent_or(reader)?,
            image_nonce: absent_or(reader)?,
            image_upload_key: absent_or(reader)?,
        })
    }
}

fn text(reader: &mut Reader<'_>) -> Result<String, DecodeError> {
    match str::from_utf8(reader.opaque()?) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(DecodeError::InvalidValue("text of group data")),
    }
}

fn relays(mut reader: Reader<'_>) -> Result<BTreeSet<String>, DecodeError> {
    let mut relays = BTreeSet::new();
    while !reader.is_empty() {
        let relay = text(&mut reader)?;
        if !is_relay(&relay) {
            return Err(DecodeError::InvalidValue("relay of group data"));
        }
        relays.insert(relay);
    }
    Ok(relays)
}

fn optional<const N: usize>(value: Option<&[u8; N]>) -> Vec<u8> {
    value.map_or_else(Vec::new, |value| value.to_vec())
}

/// An `opaque<V>` that is empty or `N` bytes long.
fn absent_or<const N: usize>(reader: &mut Reader<'_>) -> Result<Option<[u8; N]>, DecodeError> {
    match reader.opaque()? {
        [] => Ok(None),
        bytes => match bytes.try_into() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(_) => Err(DecodeError::InvalidValue("length in group data")),
        },
    }
}
