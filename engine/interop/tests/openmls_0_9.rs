//! burrow and OpenMLS 0.9 in one group, on each post-quantum cipher suite that both have, under
//! OpenMLS's numbers and with its derivation. Its provider is this crate's, over another library than
//! burrow's.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../mls/tests/members/mod.rs"]
mod members;
mod mixed;

use std::sync::Arc;

use burrow::group::HandshakeFormat;
use burrow_interop::{Provider, Signer};
use crypto_api::{CipherSuite, CryptoBackend, PqSuites};
use crypto_aws_lc::AwsLc;
use crypto_rustcrypto::RustCrypto;
use members::Seeded;
use mixed::{Mixed, Others, Peer, openmls_peer};

openmls_peer!(openmls_0_9, openmls_traits_0_6, Provider, Signer);

struct OnOurProvider {
    backend: Arc<dyn CryptoBackend>,
    suite: CipherSuite,
}

impl Others for OnOurProvider {
    type Peer = OpenMls;

    fn client(&self, name: &str, format: HandshakeFormat) -> OpenMls {
        let provider = Provider::new(Arc::clone(&self.backend), self.suite).unwrap();
        let signer = provider.signer().unwrap();
        let public = signer.public().to_vec();
        OpenMls::new(name, self.suite, format, provider, (signer, public))
    }
}

/// burrow on RustCrypto with OpenMLS on AWS-LC.
fn on_each_suite(test: impl Fn(Mixed<OnOurProvider>)) {
    let suites = PqSuites::openmls();
    let ours: Arc<dyn CryptoBackend> =
        Arc::new(RustCrypto::with_post_quantum(&suites, Arc::new(Seeded::new(12))));
    let theirs: Arc<dyn CryptoBackend> =
        Arc::new(AwsLc::with_post_quantum(&suites, Arc::new(crypto_aws_lc::SystemRandom)));
    let mut seen = 0;
    for (_, suite) in suites.iter() {
        for format in [HandshakeFormat::Public, HandshakeFormat::Private] {
            let others = OnOurProvider { backend: Arc::clone(&theirs), suite };
            test(Mixed::new(&ours, suite, format, others));
            seen += 1;
        }
    }
    assert_eq!(seen, 9 * 2);
}

#[test]
fn burrow_founds() {
    on_each_suite(|mut group| {
        group.we_found();
        group.live_together();
    });
}

#[test]
fn openmls_founds() {
    on_each_suite(|mut group| {
        group.they_found();
        group.live_together();
    });
}
