//! What Marmot makes of MLS: cipher suite, capabilities, extensions and rules.

use std::sync::Arc;

use burrow::{
    crypto::SignaturePublicKey,
    framing::Sender,
    group::Application,
    schedule::RatchetLimits,
    types::{
        Capabilities, Credential, CredentialType, ExtensionType, LeafNode, Lifetime, Proposal,
        ProposalType, ProtocolVersion,
    },
};
use crypto_api::{CipherSuite, CryptoBackend};

use crate::{Result, keys::PublicKey};

/// The one cipher suite.
pub const SUITE: CipherSuite = CipherSuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_ED25519;

/// The suite with the AEAD of the outer layer (MIP-03).
pub(crate) const OUTER_SUITE: CipherSuite =
    CipherSuite::MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_ED25519;

/// The group data extension (MIP-01).
pub const GROUP_DATA: ExtensionType = ExtensionType(0xf2ee);

/// The kind of a key package's event (MIP-00): addressable by its `d` tag.
pub const KEY_PACKAGE_KIND: u16 = 30443;
/// The kind that key packages' events had before, which is still read.
pub const LEGACY_KEY_PACKAGE_KIND: u16 = 443;
/// The kind of a Welcome's rumor (MIP-02).
pub const WELCOME_KIND: u16 = 444;
/// The kind of a group event (MIP-03).
pub const GROUP_EVENT_KIND: u16 = 445;

/// How long ago a new key package has become valid, in seconds: clocks differ.
const VALID_SINCE: u64 = 3600;
/// How long it will be.
const VALID_FOR: u64 = 84 * 24 * 3600;

/// The time.
pub trait Clock: Send + Sync + 'static {
    /// Seconds since 1970.
    fn now(&self) -> u64;
}

/// Whether signatures of events are verified by the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventSignatures {
    /// They are. The signature of a key package's event is all that ties its account to its leaf.
    Verified,
    /// They were, by whatever received the event from a relay.
    VerifiedBefore,
}

/// How a client's groups behave. Members need not agree on it.
#[derive(Debug, Clone)]
pub struct Config {
    /// Who verifies the signatures of events.
    pub event_signatures: EventSignatures,
    /// For how many past epochs application messages are read and rival commits are compared. The
    /// state of each is kept, at the cost of forward secrecy.
    pub past_epochs: usize,
    /// How out of order the messages of an epoch may come.
    pub ratchet_limits: RatchetLimits,
    /// How old a group event may be, in seconds.
    pub max_event_age: u64,
    /// How far in the future it may be.
    pub max_future_skew: u64,
    /// What stands in the `client` tag of key packages and Welcomes; `None` leaves it out.
    pub client_name: Option<String>,
}

impl Default for Config {
    /// As mdk-core 0.8.0 has it, but for the first and the last: signatures are verified, and the
    /// client is not named.
    fn default() -> Self {
        Self {
            event_signatures: EventSignatures::Verified,
            past_epochs: 5,
            ratchet_limits: RatchetLimits::default(),
            max_event_age: 45 * 24 * 3600,
            max_future_skew: 300,
            client_name: None,
        }
    }
}

impl Config {
    pub(crate) fn mls(&self) -> burrow::group::Config {
        burrow::group::Config {
            past_epochs: self.past_epochs,
            ratchet_limits: self.ratchet_limits,
            ..burrow::group::Config::default()
        }
    }
}

/// What MLS asks the application.
pub(crate) struct Rules(pub(crate) Arc<dyn Clock>);

impl Application for Rules {
    fn now(&self) -> Option<u64> {
        Some(self.0.now())
    }

    /// MIP-00: a basic credential with an account's public key. What ties the signature key to the
    /// account is the event that the key package came in.
    fn is_credential_valid(&self, credential: &Credential, _: &SignaturePublicKey) -> bool {
        PublicKey::of_credential(credential).is_some()
    }

    fn is_lifetime_acceptable(&self, lifetime: Lifetime) -> bool {
        lifetime.total().is_some()
    }

    fn may_propose(&self, sender: Sender, _: &Proposal) -> bool {
        matches!(sender, Sender::Member(_))
    }

    fn may_join(&self, _: &LeafNode, _: Option<&LeafNode>) -> bool {
        false
    }
}

/// The lifetime of what is made now.
pub(crate) fn lifetime(now: u64) -> Lifetime {
    Lifetime {
        not_before: now.saturating_sub(VALID_SINCE),
        not_after: now.saturating_add(VALID_FOR),
    }
}

/// The capabilities of a member, with one GREASE value in each list (RFC 9420, section 13.5).
pub(crate) fn capabilities(backend: &dyn CryptoBackend) -> Result<Capabilities> {
    let mut dice = [0; 4];
    backend.random(&mut dice)?;
    let [suite, extension, proposal, credential] = dice.map(grease);
    Ok(Capabilities {
        versions: vec![ProtocolVersion::MLS10],
        cipher_suites: vec![SUITE, CipherSuite(suite)],
        extensions: vec![ExtensionType::LAST_RESORT, GROUP_DATA, ExtensionType(extension)],
        proposals: vec![ProposalType::SELF_REMOVE, ProposalType(proposal)],
        credentials: vec![CredentialType::BASIC, CredentialType(credential)],
    })
}

/// One of the fifteen values from 0x0A0A to 0xEAEA.
fn grease(dice: u8) -> u16 {
    let byte = (dice % 15) << 4 | 0x0a;
    u16::from_be_bytes([byte, byte])
}

#[cfg(test)]
mod tests {
    #[test]
    fn grease_is_grease() {
        assert!((0..=255).all(|dice| burrow::types::is_grease(super::grease(dice))));
    }
}
