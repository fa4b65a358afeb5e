//! Resumed handshakes must not pass, whether the stack says so or not.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::ServerSessionMemoryCache;
use rustls::{
    ClientConfig, ClientConnection, HandshakeKind, RootCertStore, ServerConfig, ServerConnection,
    SignatureScheme,
};
use tls_api::check::{Failure, check};
use tls_api::{
    Cell, Certificate, Chain, Description, Group, Handshake, Negotiated, Part, Prepared, TlsError,
    TlsStack, Wire,
};

const CELL: Cell = Cell { group: Group::X25519, certificate: Certificate::Ed25519 };

/// What a stack tells of a resumption.
#[derive(Clone, Copy)]
enum Tells {
    Truth,
    Lie,
}

/// rustls with tickets: each handshake resumes one that was done before it.
struct Resuming(Tells);

impl TlsStack for Resuming {
    fn describe(&self) -> Description {
        tls_rustls_aws_lc::stack().describe()
    }

    fn prepare(&self, _: Cell, chain: &Chain) -> Result<Box<dyn Prepared>, TlsError> {
        Ok(Box::new(ResumingCell {
            client: client(chain),
            servers: servers(chain),
            name: ServerName::try_from(chain.name.clone()).unwrap(),
            tells: self.0,
        }))
    }
}

struct ResumingCell {
    client: Arc<ClientConfig>,
    /// One that issues tickets, and one that takes them and issues none.
    servers: [Arc<ServerConfig>; 2],
    name: ServerName<'static>,
    tells: Tells,
}

impl Prepared for ResumingCell {
    fn handshake(&mut self, wire: &mut Wire) -> Result<Handshake, TlsError> {
        self.exchange(&self.servers[0], wire);
        let kind = self.exchange(&self.servers[1], wire);
        let resumed = match self.tells {
            Tells::Truth => kind == HandshakeKind::Resumed,
            Tells::Lie => false,
        };
        let negotiated = Negotiated {
            group: CELL.group.code(),
            scheme: CELL.certificate.scheme(),
            verified: true,
            resumed,
        };
        Ok(Handshake { times: [Duration::ZERO; 4], bytes: wire.lengths(), negotiated })
    }

    fn time_part(&mut self, _: Part, _: u32) -> Result<f64, TlsError> {
        Err(TlsError::Unsupported("no parts".into()))
    }
}

impl ResumingCell {
    fn exchange(&self, server: &Arc<ServerConfig>, wire: &mut Wire) -> HandshakeKind {
        let mut client =
            ClientConnection::new(Arc::clone(&self.client), self.name.clone()).unwrap();
        let mut server = ServerConnection::new(Arc::clone(server)).unwrap();
        for (at, flight) in wire.begin().iter_mut().enumerate() {
            if at % 2 == 0 {
                while client.wants_write() {
                    client.write_tls(flight).unwrap();
                }
                let mut unread = &flight[..];
                while !unread.is_empty() {
                    server.read_tls(&mut unread).unwrap();
                    server.process_new_packets().unwrap();
                }
            } else {
                while server.wants_write() {
                    server.write_tls(flight).unwrap();
                }
                let mut unread = &flight[..];
                while !unread.is_empty() {
                    client.read_tls(&mut unread).unwrap();
                    client.process_new_packets().unwrap();
                }
            }
        }
        assert!(!client.is_handshaking() && !server.is_handshaking());
        client.handshake_kind().unwrap()
    }
}

/// One group, one scheme, one cipher suite, as the checks want it.
fn provider() -> Arc<CryptoProvider> {
    let provider = aws_lc_rs::default_provider();
    let all = provider.signature_verification_algorithms;
    let ed25519 = all.mapping.iter().find(|(scheme, _)| *scheme == SignatureScheme::ED25519);
    let mapping = Box::leak(Box::new([*ed25519.unwrap()]));
    Arc::new(CryptoProvider {
        kx_groups: vec![aws_lc_rs::kx_group::X25519],
        cipher_suites: vec![aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256],
        signature_verification_algorithms: WebPkiSupportedAlgorithms { all: all.all, mapping },
        ..provider
    })
}

fn client(chain: &Chain) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(chain.issuer.clone())).unwrap();
    let config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

fn servers(chain: &Chain) -> [Arc<ServerConfig>; 2] {
    let sessions = ServerSessionMemoryCache::new(16);
    [1, 0].map(|tickets| {
        let key = PrivatePkcs8KeyDer::from(chain.private_key.to_vec());
        let certificates = vec![CertificateDer::from(chain.end_entity.clone())];
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(certificates, key.into())
            .unwrap();
        config.session_storage = Arc::clone(&sessions) as _;
        config.send_tls13_tickets = tickets;
        Arc::new(config)
    })
}

fn failure(tells: Tells) -> String {
    let chain = tls_api::make(CELL.certificate).unwrap();
    let other = tls_api::make(CELL.certificate).unwrap();
    match check(&Resuming(tells), CELL, &chain, &other).map(|checked| checked.sample) {
        Err(Failure::Wrong(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_resumed_handshake_fails_the_cell() {
    assert_eq!(failure(Tells::Truth), "the handshake is a resumption");
}

#[test]
fn a_resumed_handshake_that_is_not_told_fails_the_cell() {
    assert_eq!(failure(Tells::Lie), "a pre_shared_key is in a hello: a resumption");
}
