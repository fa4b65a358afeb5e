//! Welcomes in rumors (MIP-02). Wrapping them as gifts (NIP-59) is the application's.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use burrow::{codec::Decode, framing::MlsMessage, group::KeyPackageSecrets, types::Welcome};

use crate::{
    PeerError, Result,
    client::Client,
    event::Rumor,
    group::Group,
    key_package::{KeyPackageEvent, check_encoding, check_relays, tag},
    keys::PublicKey,
    profile::WELCOME_KIND,
};

/// A Welcome, out of its rumor. Nothing of it is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    inviter: PublicKey,
    welcome: Welcome,
}

impl Invitation {
    /// Who says to have sent it. The gift wrap is what proves it.
    #[must_use]
    pub fn inviter(&self) -> PublicKey {
        self.inviter
    }

    /// The KeyPackageRefs that it is for.
    pub fn key_packages(&self) -> impl Iterator<Item = &[u8]> {
        self.welcome.secrets.iter().map(|entry| entry.new_member.as_slice())
    }
}

impl Client {
    /// Reads a Welcome's rumor.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if it isn't one.
    pub fn read_welcome(&self, rumor: &Rumor) -> Result<Invitation> {
        if rumor.kind() != WELCOME_KIND {
            return Err(PeerError::WrongKind(rumor.kind()).into());
        }
        check_relays(rumor)?;
        check_encoding(rumor)?;
        if rumor.tag("e").and_then(<[String]>::first).is_none_or(String::is_empty) {
            return Err(PeerError::BadTag("e").into());
        }
        let content = BASE64.decode(rumor.content()).map_err(|_| PeerError::Base64)?;
        match MlsMessage::decode_exact(&content)? {
            MlsMessage::Welcome(welcome) => Ok(Invitation { inviter: rumor.author(), welcome }),
            _ => Err(PeerError::Unexpected("not a Welcome").into()),
        }
    }

    /// Joins a group. That it isn't one that the account is in already is for the caller to check, by
    /// [`Group::id`].
    ///
    /// # Errors
    ///
    /// [`PeerError::NotForUs`] if the key package isn't one of those that it is for; [`PeerError`] if
    /// the Welcome or the group is no good.
    pub fn join(&self, invitation: &Invitation, secrets: &KeyPackageSecrets) -> Result<Group> {
        if !secrets.is_for(&self.mls, &invitation.welcome)? {
            return Err(PeerError::NotForUs.into());
        }
        let mls = self.mls.join(&invitation.welcome, secrets)?;
        Group::around(self, mls)
    }

    /// One for each invitee, all with the same Welcome inside.
    pub(crate) fn welcome_rumors<'a>(
        &self,
        inviter: PublicKey,
        welcome: &[u8],
        invitees: impl IntoIterator<Item = &'a KeyPackageEvent>,
        relays: impl IntoIterator<Item = String> + Clone,
    ) -> Result<Vec<Rumor>> {
        let content: Arc<str> = BASE64.encode(welcome).into();
        let now = self.now();
        let rumor = |invitee: &KeyPackageEvent| {
            let mut tags = vec![tag("relays", relays.clone()), tag("e", [invitee.id.to_hex()])];
            tags.extend(self.config().client_name.clone().map(|name| tag("client", [name])));
            tags.push(tag("encoding", ["base64".into()]));
            let content = Arc::clone(&content);
            Ok(Rumor::new(self.suite()?, inviter, now, WELCOME_KIND, tags, content))
        };
        invitees.into_iter().map(rumor).collect()
    }
}
