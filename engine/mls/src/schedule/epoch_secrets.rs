//! The secrets that live as long as their epoch (section 8, table 4), and what they are for.

use crypto_api::{Digest, Secret, Suite};

use super::{ExternalSecret, InitSecret, KeyAndNonce, secret_types};
use crate::{PeerError, Result, codec_struct};

/// The secrets of an epoch that its members keep. What outlives the epoch is taken out of here
/// when it ends, and the rest dropped, which wipes it.
#[derive(Debug, Clone)]
pub struct EpochSecrets {
    /// Goes into the next epoch.
    pub init_secret: InitSecret,
    /// Hides who sent a PrivateMessage.
    pub sender_data_secret: SenderDataSecret,
    /// Makes secrets for the application.
    pub exporter_secret: ExporterSecret,
    /// Makes the key pair that external commits are exported to.
    pub external_secret: ExternalSecret,
    /// Makes confirmation tags.
    pub confirmation_key: ConfirmationKey,
    /// Makes membership tags.
    pub membership_key: MembershipKey,
    /// Proves, in a later epoch or another group, to have been a member.
    pub resumption_psk: ResumptionPsk,
    /// Tells whether two members see the same group.
    pub epoch_authenticator: EpochAuthenticator,
}

// Not the RFC's: how a stored epoch keeps them.
codec_struct!(EpochSecrets {
    init_secret,
    sender_data_secret,
    exporter_secret,
    external_secret,
    confirmation_key,
    membership_key,
    resumption_psk,
    epoch_authenticator
});

secret_types! {
    /// `sender_data_secret`.
    SenderDataSecret;
    /// `exporter_secret`.
    ExporterSecret;
    /// `confirmation_key`.
    ConfirmationKey;
    /// `membership_key`.
    MembershipKey;
    /// `resumption_psk`. The application says for how many past epochs to keep it.
    ResumptionPsk;
    /// `epoch_authenticator`: may be shown to other members, not to the world.
    EpochAuthenticator;
}

impl SenderDataSecret {
    /// The key and the nonce for the sender data of a PrivateMessage with this `ciphertext`
    /// (section 6.3.2).
    ///
    /// # Errors
    ///
    /// If the library failed.
    pub fn key_and_nonce(&self, suite: &dyn Suite, ciphertext: &[u8]) -> Result<(Secret, Secret)> {
        let mut both = KeyAndNonce::zero(suite)?;
        self.expand(suite, ciphertext, &mut both)?;
        Ok((Secret::copy_from(both.key()), Secret::copy_from(both.nonce())))
    }

    /// [`Self::key_and_nonce`] where they are used.
    pub(crate) fn expand(
        &self,
        suite: &dyn Suite,
        ciphertext: &[u8],
        both: &mut KeyAndNonce,
    ) -> Result<()> {
        // The whole of a ciphertext that is shorter than the sample.
        let sample = ciphertext.get(..suite.kdf_nh()).unwrap_or(ciphertext);
        both.expand(suite, self.0.as_slice(), sample)
    }
}

impl ConfirmationKey {
    /// The `confirmation_tag` over this transcript (section 6.1).
    #[must_use]
    pub fn confirmation_tag(&self, suite: &dyn Suite, confirmed_transcript_hash: &[u8]) -> Digest {
        suite.mac(self.0.as_slice(), &[confirmed_transcript_hash])
    }

    /// Checks a received `confirmation_tag`.
    ///
    /// # Errors
    ///
    /// [`PeerError::BadMac`] if it isn't the one over this transcript.
    pub fn verify(
        &self,
        suite: &dyn Suite,
        confirmed_transcript_hash: &[u8],
        confirmation_tag: &[u8],
    ) -> Result<()> {
        check(self.confirmation_tag(suite, confirmed_transcript_hash), confirmation_tag)
    }
}

impl MembershipKey {
    /// The `membership_tag` over the AuthenticatedContentTBM that these parts add up to (section
    /// 6.2).
    #[must_use]
    pub fn membership_tag(&self, suite: &dyn Suite, content_tbm: &[&[u8]]) -> Digest {
        suite.mac(self.0.as_slice(), content_tbm)
    }

    /// Checks a received `membership_tag`.
    ///
    /// # Errors
    ///
    /// [`PeerError::BadMac`] if it isn't the one over these parts.
    pub fn verify(
        &self,
        suite: &dyn Suite,
        content_tbm: &[&[u8]],
        membership_tag: &[u8],
    ) -> Result<()> {
        check(self.membership_tag(suite, content_tbm), membership_tag)
    }
}

fn check(expected: Digest, received: &[u8]) -> Result<()> {
    if expected.matches(received) { Ok(()) } else { Err(PeerError::BadMac.into()) }
}
