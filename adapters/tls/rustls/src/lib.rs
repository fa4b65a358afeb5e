//! The TLS contract on rustls, whatever its crypto provider.
//!
//! The peers are rustls' unbuffered-by-sockets connections: what one writes, the other reads, flight by
//! flight. The client's verifier is rustls' own; around it stands one that keeps what was verified, as
//! rustls doesn't tell the scheme of a signature afterwards.
#![forbid(unsafe_code)]

mod parts;
mod peers;
mod verifier;

use std::sync::Arc;

use engine_api::Package;
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::NoServerSessionStorage;
use rustls::{ClientConfig, RootCertStore, ServerConfig, SignatureScheme};
use tls_api::{Cell, Certificate, Chain, Description, Prepared, TlsError, TlsStack, check};

use parts::Parts;
use peers::Peers;
use verifier::Keeping;

/// rustls with a provider, all of whose groups it may be asked for.
pub struct Rustls {
    description: Description,
    provider: CryptoProvider,
}

impl Rustls {
    /// With all that a provider has. The packages are rustls and what the provider computes with.
    #[must_use]
    pub fn new(name: &str, packages: &[Package], provider: CryptoProvider) -> Self {
        let words: Vec<_> = packages
            .iter()
            .map(|package| format!("{} {}", package.name, package.version))
            .collect();
        let (tls, crypto) = words
            .split_first()
            .map_or_else(Default::default, |(tls, crypto)| (tls.clone(), crypto.join(", ")));
        let description = Description { name: name.into(), tls, crypto, uncounted: None };
        Self { description, provider }
    }

    /// The provider, with one group and one cipher suite.
    fn only(&self, cell: Cell) -> Result<CryptoProvider, TlsError> {
        let group = self.group(cell)?;
        let suites = self.provider.cipher_suites.iter();
        let suite = suites.copied().find(|suite| u16::from(suite.suite()) == check::CIPHER_SUITE);
        let suite =
            suite.ok_or_else(|| TlsError::Unsupported("no TLS_AES_128_GCM_SHA256 in it".into()))?;
        Ok(CryptoProvider {
            kx_groups: vec![group],
            cipher_suites: vec![suite],
            ..self.provider.clone()
        })
    }

    fn group(&self, cell: Cell) -> Result<&'static dyn SupportedKxGroup, TlsError> {
        let mut groups = self.provider.kx_groups.iter();
        let group = groups.find(|group| u16::from(group.name()) == cell.group.code()).copied();
        group.ok_or_else(|| {
            TlsError::Unsupported(format!("its provider has no group {}", cell.group.name()))
        })
    }

    /// Asks the provider for both halves, verification and signing.
    fn certificate(&self, certificate: Certificate, chain: &Chain) -> Result<(), TlsError> {
        let scheme = SignatureScheme::from(certificate.scheme());
        let algorithms = &self.provider.signature_verification_algorithms;
        let verifies = algorithms.mapping.iter().any(|(known, _)| *known == scheme);
        let signs = self.provider.key_provider.load_private_key(private_key(chain));
        let name = certificate.name();
        match (verifies, signs) {
            (true, Ok(_)) => Ok(()),
            (true, Err(why)) => Err(TlsError::Caller(format!("the private key: {why}"))),
            (false, Ok(_)) => {
                Err(TlsError::Unsupported(format!("its provider verifies no {name}")))
            }
            (false, Err(why)) => Err(TlsError::Unsupported(format!(
                "its provider verifies no {name}, and of a key says: {why}"
            ))),
        }
    }
}

impl TlsStack for Rustls {
    fn describe(&self) -> Description {
        self.description.clone()
    }

    fn prepare(&self, cell: Cell, chain: &Chain) -> Result<Box<dyn Prepared>, TlsError> {
        let provider = Arc::new(self.only(cell)?);
        self.certificate(cell.certificate, chain)?;
        let scheme = SignatureScheme::from(cell.certificate.scheme());
        let verifier = Arc::new(verifier(&provider, chain, scheme)?);
        let peers = Peers {
            client: Arc::new(client(&provider, &verifier)?),
            server: Arc::new(server(&provider, chain)?),
            name: ServerName::try_from(chain.name.clone())
                .map_err(|why| TlsError::Caller(format!("the server's name: {why}")))?,
            verifier,
        };
        let parts = Parts::new(&provider, scheme, chain)?;
        Ok(Box::new(Both { peers, parts }))
    }
}

/// A cell's handshakes and their parts.
struct Both {
    peers: Peers,
    parts: Parts,
}

impl Prepared for Both {
    fn handshake(&mut self, wire: &mut tls_api::Wire) -> Result<tls_api::Handshake, TlsError> {
        self.peers.handshake(wire)
    }

    fn time_part(&mut self, part: tls_api::Part, count: u32) -> Result<f64, TlsError> {
        self.parts.time(part, count)
    }
}

fn verifier(
    provider: &Arc<CryptoProvider>,
    chain: &Chain,
    scheme: SignatureScheme,
) -> Result<Keeping, TlsError> {
    let unread = |why: &dyn std::fmt::Display| TlsError::Caller(format!("the issuer: {why}"));
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(chain.issuer.clone())).map_err(|why| unread(&why))?;
    let inner = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|why| unread(&why))?;
    Ok(Keeping::new(inner, scheme))
}

fn client(
    provider: &Arc<CryptoProvider>,
    verifier: &Arc<Keeping>,
) -> Result<ClientConfig, TlsError> {
    let mut config = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(TlsError::stack)?
        .dangerous() // the verifier inside is the usual one
        .with_custom_certificate_verifier(Arc::clone(verifier) as _)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    Ok(config)
}

fn server(provider: &Arc<CryptoProvider>, chain: &Chain) -> Result<ServerConfig, TlsError> {
    let certificates = vec![CertificateDer::from(chain.end_entity.clone())];
    let mut config = ServerConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(TlsError::stack)?
        .with_no_client_auth()
        .with_single_cert(certificates, private_key(chain))
        .map_err(|why| TlsError::Caller(format!("the server's certificate: {why}")))?;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(config)
}

fn private_key(chain: &Chain) -> PrivateKeyDer<'static> {
    PrivatePkcs8KeyDer::from(chain.private_key.to_vec()).into()
}
