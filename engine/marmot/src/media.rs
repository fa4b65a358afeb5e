//! Encrypted media (MIP-04, `mip04-v2`): a file under a key that comes from the epoch and from what
//! is said of the file, and the `imeta` tag that says it.
//!
//! The file itself goes where the application puts it; nothing here looks into it.

use crate::{PeerError, Result, event::Tag, hex, key_package::tag};

const VERSION: &str = "mip04-v2";
const MAX_MIME_TYPE: usize = 100;
const MAX_FILENAME: usize = 210;

/// What an `imeta` tag says of an encrypted file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// Where the encrypted file is.
    pub url: String,
    /// What it is: lower case, without parameters.
    pub mime_type: String,
    /// What its sender calls it.
    pub filename: String,
    /// The SHA-256 of the file.
    pub hash: [u8; 32],
    /// With which it is encrypted.
    pub nonce: [u8; 12],
}

impl Media {
    /// What the key depends on, and what is authenticated beside the file.
    pub(crate) fn context(&self) -> Vec<u8> {
        let fields: [&[u8]; 4] =
            [VERSION.as_bytes(), &self.hash, self.mime_type.as_bytes(), self.filename.as_bytes()];
        fields.join(&0)
    }

    /// The `imeta` tag, for a rumor.
    #[must_use]
    pub fn tag(&self) -> Tag {
        tag(
            "imeta",
            [
                format!("url {}", self.url),
                format!("m {}", self.mime_type),
                format!("filename {}", self.filename),
                format!("x {}", hex::encode(&self.hash)),
                format!("n {}", hex::encode(&self.nonce)),
                format!("v {VERSION}"),
            ],
        )
    }

    /// Of an `imeta` tag. Fields that MIP-04 doesn't ask for are passed over.
    ///
    /// # Errors
    ///
    /// [`PeerError::Media`] if it is none, lacks a field, has one twice, or is of another version:
    /// `mip04-v1` is not to be decrypted.
    pub fn from_tag(tag: &Tag) -> Result<Self> {
        let Some((first, fields)) = tag.split_first() else {
            return Err(PeerError::BadTag("imeta").into());
        };
        let field = |name: &'static str| {
            let mut found = fields.iter().filter_map(|field| {
                let (key, value) = field.split_once(' ')?;
                (key == name).then_some(value)
            });
            match (found.next(), found.next()) {
                (Some(value), None) => Ok(value),
                _ => Err(PeerError::Media("a field is missing, or there twice")),
            }
        };
        if first != "imeta" || field("v")? != VERSION {
            return Err(PeerError::Media("not of mip04-v2").into());
        }
        let bad = PeerError::Media("a field is no good");
        Ok(Self {
            url: field("url")?.to_owned(),
            mime_type: canonical(field("m")?).ok_or(bad)?,
            filename: Some(field("filename")?).filter(|name| is_name(name)).ok_or(bad)?.into(),
            hash: hex::decode(field("x")?).ok_or(bad)?,
            nonce: hex::decode(field("n")?).ok_or(bad)?,
        })
    }
}

/// A media type as it goes into keys: lower case, without parameters.
pub(crate) fn canonical(mime_type: &str) -> Option<String> {
    let lower = mime_type.trim().to_ascii_lowercase();
    let bare = lower.split(';').next().unwrap_or_default().trim();
    let is_one = bare.contains('/') && bare.len() <= MAX_MIME_TYPE;
    is_one.then(|| bare.to_owned())
}

/// The names that mdk-core 0.8.0 takes.
pub(crate) fn is_name(name: &str) -> bool {
    let is_odd = |c: char| c == '/' || c == '\\' || c.is_control();
    !name.is_empty() && name.len() <= MAX_FILENAME && !name.chars().any(is_odd)
}
