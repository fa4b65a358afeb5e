//! OpenMLS on its post-quantum cipher suite, which is number 0x004D and no other engine's but by
//! arrangement.
//!
//! Of the published providers only libcrux has it. The rule by which it derives a key pair is the
//! older one, `SHAKE256(ikm)` without a label: whoever is in a group with OpenMLS must derive by it.

use engine_api::{CgkaEngine, CipherSuite, Client, Description, EngineError, Registration};
use openmls_traits::types::Ciphersuite;

use crate::client::OpenMls;
use crate::counting::Counting;
use crate::describe::{Backend, NOTES_OF_MEMORY};
use crate::profile::Profile;

type Libcrux = openmls_libcrux_crypto::CryptoProvider;

const NUMBER: CipherSuite = CipherSuite(0x004D);
const NOTES: &[&str] = &{
    let mut notes = [NOTE; NOTES_OF_MEMORY.len() + 1];
    let mut at = 0;
    while at < NOTES_OF_MEMORY.len() {
        notes[at + 1] = NOTES_OF_MEMORY[at];
        at += 1;
    }
    notes
};
const NOTE: &str = "Cipher suite MLS_256_XWING_CHACHA20POLY1305_SHA256_Ed25519: X-Wing (ML-KEM-768 \
                    and X25519) as the KEM, ChaCha20-Poly1305, Ed25519. Key pairs are derived by the \
                    older, unlabelled rule, which is not that of draft-ietf-mls-pq-ciphersuites.";

/// `openmls/libcrux/0x004D`.
pub(crate) fn engine() -> Registration {
    Registration::of::<OpenMls<Libcrux>>().configured(describe, new_client::<Libcrux>)
}

/// The same with its calls counted.
pub(crate) fn counted() -> Registration {
    Registration::of::<OpenMls<Counting<Libcrux>>>()
        .configured(describe, new_client::<Counting<Libcrux>>)
        .renamed("openmls/libcrux/0x004D/counted")
}

fn describe() -> Description {
    Description {
        name: "openmls/libcrux/0x004D",
        cipher_suites: &[NUMBER],
        notes: NOTES,
        ..OpenMls::<Libcrux>::describe()
    }
}

fn new_client<B: Backend>(name: &str) -> Result<Client, EngineError> {
    let suite = Ciphersuite::MLS_256_XWING_CHACHA20POLY1305_SHA256_Ed25519;
    let profile = Profile { suite, ..Profile::default() };
    Ok(Box::new(OpenMls::<B>::with_profile(name, profile)?))
}
