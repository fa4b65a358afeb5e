//! The key schedule and the secret tree (sections 8 and 9).
//!
//! Each secret has its own type, so that one can't be taken for another. The ones that are used up
//! by a derivation are taken by value.
//!
//! | from | comes | by |
//! |---|---|---|
//! | [`InitSecret`], commit secret | [`JoinerSecret`] | [`JoinerSecret::derive`] |
//! | the [`Psk`](crate::types::Psk)s | [`PskSecret`] | [`PskSecret::derive`] |
//! | [`JoinerSecret`], [`PskSecret`] | [`WelcomeSecret`], [`EpochSecret`] | [`JoinerSecret::welcome_secret`], [`JoinerSecret::epoch_secret`] |
//! | [`EpochSecret`] | [`EpochSecrets`], [`EncryptionSecret`] | [`EpochSecret::schedule`] |
//! | [`EncryptionSecret`] | [`SecretTree`] | [`SecretTree::new`] |

mod epoch_secrets;
mod exporter;
mod external_init;
mod key_and_nonce;
mod key_schedule;
mod psk;
mod ratchet;
mod secret_store;
mod secret_tree;
mod stored_secret_tree;
mod transcript;

pub use epoch_secrets::{
    ConfirmationKey, EpochAuthenticator, EpochSecrets, ExporterSecret, MembershipKey,
    ResumptionPsk, SenderDataSecret,
};
pub use external_init::ExternalSecret;
pub use key_and_nonce::KeyAndNonce;
pub use key_schedule::{EncryptionSecret, EpochSecret, InitSecret, JoinerSecret, WelcomeSecret};
pub use psk::PskSecret;
pub use ratchet::{MessageKey, RatchetLimits, RatchetType};
pub use secret_tree::{Advance, PendingKey, SecretTree};
pub use stored_secret_tree::{Consumed, NextGenerations, StoredSecretTree};
pub use transcript::{confirmed_transcript_hash, interim_transcript_hash};

/// A secret with a name of its own.
macro_rules! secret_types {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(pub(in crate::schedule) crypto_api::Secret);

        impl $name {
            /// The secret itself.
            #[must_use]
            pub fn as_secret(&self) -> &crypto_api::Secret {
                &self.0
            }
        }

        /// For a secret that was received or stored.
        impl From<crypto_api::Secret> for $name {
            fn from(secret: crypto_api::Secret) -> Self {
                Self(secret)
            }
        }

        crate::codec_newtype!($name);
    )+};
}
use secret_types;
