//! Members whose private keys are known: who is recorded, and with whom.

use std::sync::Arc;

use burrow::codec::Reader;
use burrow::crypto::SignaturePublicKey;
use burrow::group::{Application, Client, Config};
use burrow::types::{Credential, KeyPackage, Lifetime};
use burrow::{Error, Result};
use crypto_api::{CipherSuite, Secret};
use crypto_rustcrypto::RustCrypto;
use engine_api::{KeyPackageBytes, PassiveClient};
use zeroize::Zeroizing;

use super::data::to_hex;
use super::{ExternalPsk, Session, State};

/// Long enough for engines with a clock that can't be set.
const LIFETIME: Lifetime = Lifetime { not_before: 1_700_000_000, not_after: 4_000_000_000 };

const SUITE: CipherSuite = CipherSuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_ED25519;

/// A client with fresh keys that anybody can import, of cipher suite 1.
///
/// # Errors
/// If the keys can't be made.
pub fn new_member(name: &str, psks: &[(&[u8], &[u8])]) -> Result<PassiveClient> {
    let client = Client::new(Arc::new(RustCrypto::new()), Arc::new(Open), Config::default());
    let credential = Credential::Basic(name.as_bytes().to_vec());
    let identity = client.generate_identity(SUITE, credential, LIFETIME)?;
    let secrets = client.generate_key_package(&identity)?;
    let written = secrets.write()?;
    let mut reader = Reader::new(&written);
    reader.read::<CipherSuite>().map_err(Error::from)?;
    reader.read::<KeyPackage>().map_err(Error::from)?;
    let mut private = || -> Result<Zeroizing<Vec<u8>>> {
        let secret: Secret = reader.read().map_err(Error::from)?;
        Ok(Zeroizing::new(secret.as_slice().to_vec()))
    };
    let (init_priv, encryption_priv, signature_priv) = (private()?, private()?, private()?);
    let psk = |(id, psk): &(&[u8], &[u8])| (id.to_vec(), Zeroizing::new(psk.to_vec()));
    Ok(PassiveClient {
        cipher_suite: SUITE.0,
        key_package: KeyPackageBytes::new(secrets.message()?),
        signature_priv,
        encryption_priv,
        init_priv,
        external_psks: psks.iter().map(psk).collect(),
    })
}

impl Session {
    /// The beginning of a session, seen by this member.
    #[must_use]
    pub fn of(member: &PassiveClient, name: String, what: String, engines: Vec<String>) -> Self {
        let psk = |(id, psk): &(Vec<u8>, Zeroizing<Vec<u8>>)| ExternalPsk {
            psk_id: to_hex(id),
            psk: to_hex(psk),
        };
        Self {
            name,
            what,
            engines,
            cipher_suite: member.cipher_suite,
            key_package: to_hex(member.key_package.as_slice()),
            signature_priv: to_hex(&member.signature_priv),
            encryption_priv: to_hex(&member.encryption_priv),
            init_priv: to_hex(&member.init_priv),
            external_psks: member.external_psks.iter().map(psk).collect(),
            welcome: String::new(),
            ratchet_tree: None,
            joined: State { epoch: None, epoch_authenticator: String::new(), members: None },
            steps: Vec::new(),
        }
    }
}

struct Open;

impl Application for Open {
    fn now(&self) -> Option<u64> {
        None
    }

    fn is_credential_valid(&self, _: &Credential, _: &SignaturePublicKey) -> bool {
        true
    }

    fn is_lifetime_acceptable(&self, _: Lifetime) -> bool {
        true
    }
}
