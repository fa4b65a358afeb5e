//! Files for a group (MIP-04).

use crypto_api::{CryptoError, Secret};
use zeroize::Zeroizing;

use super::Group;
use crate::{
    CallerError, PeerError, Result,
    media::{Media, canonical, is_name},
    profile::OUTER_SUITE,
};

const KEY: usize = 32;

impl Group {
    /// Encrypts a file under this epoch's key for it. The URL in what is returned is empty: it is
    /// known when the file has been uploaded.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] for a type or a name that nobody would take, and
    /// [`CallerError::Removed`] after a removal.
    pub fn encrypt_media(
        &self,
        file: &[u8],
        mime_type: &str,
        filename: &str,
    ) -> Result<(Media, Vec<u8>)> {
        self.check_active()?;
        let invalid = || CallerError::Invalid("a media type or a file name is no good");
        let media = Media {
            url: String::new(),
            mime_type: canonical(mime_type).ok_or_else(invalid)?,
            filename: Some(filename).filter(|name| is_name(name)).ok_or_else(invalid)?.to_owned(),
            hash: self.client.hash(file)?.0,
            nonce: self.client.random()?,
        };
        let key = self.media_key(&media, self.media_secret()?.as_slice())?;
        let mut encrypted = file.to_vec();
        let suite = self.client.mls.suite(OUTER_SUITE)?;
        suite.aead_seal(&*key, &media.nonce, &media.context(), &mut encrypted)?;
        Ok((media, encrypted))
    }

    /// Decrypts a file that was encrypted in this epoch or in one of those that are kept.
    ///
    /// # Errors
    ///
    /// [`PeerError::Media`] if no key fits, or if it isn't the file that the tag says.
    pub fn decrypt_media(&self, media: &Media, encrypted: &[u8]) -> Result<Vec<u8>> {
        for epoch in self.kept.newest_first() {
            let secret = match epoch.state.epoch == self.epoch() {
                true => self.media_secret()?,
                false => secret_of(&self.client.mls_group(epoch)?)?,
            };
            let key = self.media_key(media, secret.as_slice())?;
            let mut file = encrypted.to_vec();
            let suite = self.client.mls.suite(OUTER_SUITE)?;
            match suite.aead_open(&*key, &media.nonce, &media.context(), &mut file) {
                Ok(()) if self.client.hash(&file)?.0 == media.hash => return Ok(file),
                Ok(()) => return Err(PeerError::Media("another file than the tag says").into()),
                Err(CryptoError::Rejected) => {}
                Err(other) => return Err(other.into()),
            }
        }
        Err(PeerError::Media("no key of a kept epoch opens it").into())
    }

    fn media_key(&self, media: &Media, secret: &[u8]) -> Result<Zeroizing<[u8; KEY]>> {
        let mut key = Zeroizing::new([0; KEY]);
        let context = media.context();
        self.client.suite()?.expand(secret, &[&context, b"\0key"], &mut *key)?;
        Ok(key)
    }
}

/// The secret that the keys of an epoch's files come from.
pub(super) fn secret_of(mls: &burrow::group::Group) -> Result<Secret> {
    Ok(mls.export_secret(b"marmot", b"encrypted-media", KEY)?)
}
