//! burrow and OpenMLS 0.8 in one group on the post-quantum cipher suite that both have: OpenMLS's 0x004D,
//! with the derivation that OpenMLS has for it. OpenMLS runs on its own provider, which is libcrux.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../mls/tests/members/mod.rs"]
mod members;
mod mixed;

use std::sync::Arc;

use burrow::group::HandshakeFormat;
use crypto_api::{CipherSuite, CryptoBackend, PqSuites};
use crypto_aws_lc::AwsLc;
use crypto_libcrux::Libcrux;
use crypto_rustcrypto::RustCrypto;
use members::Seeded;
use mixed::{Mixed, Others, Peer, openmls_peer};
use openmls_basic_credential::SignatureKeyPair;
use openmls_libcrux_crypto::Provider;

const SUITE: CipherSuite = CipherSuite::MLS_256_XWING_CHACHA20POLY1305_SHA256_ED25519;

openmls_peer!(openmls, openmls_traits, Provider, SignatureKeyPair);

struct OnLibcrux;

impl Others for OnLibcrux {
    type Peer = OpenMls;

    fn client(&self, name: &str, format: HandshakeFormat) -> OpenMls {
        let scheme = Ciphersuite::try_from(SUITE.0).unwrap().signature_algorithm();
        let signer = SignatureKeyPair::new(scheme).unwrap();
        let public = signer.public().to_vec();
        OpenMls::new(name, SUITE, format, Provider::new().unwrap(), (signer, public))
    }
}

fn on_each_library(test: impl Fn(Mixed<OnLibcrux>)) {
    let (suites, random) = (PqSuites::default(), || Arc::new(Seeded::new(11)));
    let backends: [Arc<dyn CryptoBackend>; 3] = [
        Arc::new(AwsLc::with_post_quantum(&suites, random())),
        Arc::new(RustCrypto::with_post_quantum(&suites, random())),
        Arc::new(Libcrux::with_post_quantum(&suites, random())),
    ];
    for backend in &backends {
        for format in [HandshakeFormat::Public, HandshakeFormat::Private] {
            test(Mixed::new(backend, SUITE, format, OnLibcrux));
        }
    }
}

#[test]
fn burrow_founds() {
    on_each_library(|mut group| {
        group.we_found();
        group.live_together();
    });
}

#[test]
fn openmls_founds() {
    on_each_library(|mut group| {
        group.they_found();
        group.live_together();
    });
}
