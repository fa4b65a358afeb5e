//! The TLS contract on BoringSSL, as the crate `boring-sys` brings and patches it.
//!
//! Its symbols are OpenSSL's: it belongs into a process of its own, which
//! [`tls_api::worker::serve`]s `Boringssl`. The cipher suites of TLS 1.3 can't be chosen: its client
//! offers all three, and the server takes TLS_AES_128_GCM_SHA256 where AES is in hardware.
#![forbid(unsafe_code)]
#![cfg(feature = "vendored")]

mod parts;
mod peers;

use boring::pkey::PKey;
use boring::ssl::{
    SslContext, SslContextBuilder, SslMethod, SslOptions, SslSessionCacheMode,
    SslSignatureAlgorithm, SslVerifyMode, SslVersion,
};
use boring::x509::X509;
use boring::x509::store::X509StoreBuilder;
use tls_api::{
    Cell, Certificate, Chain, Description, Group, Handshake, Part, Prepared, TlsError, TlsStack,
    Wire,
};

use parts::Parts;
use peers::Peers;

engine_api::locked_packages!();

/// BoringSSL.
pub struct Boringssl;

impl TlsStack for Boringssl {
    fn describe(&self) -> Description {
        let packages = PACKAGES.iter();
        let words: Vec<_> =
            packages.map(|package| format!("{} {}", package.name, package.version)).collect();
        let library = format!("BoringSSL ({})", words.join(", "));
        Description {
            name: "boringssl".into(),
            tls: library.clone(),
            crypto: library,
            uncounted: Some("C code takes its memory from the system".into()),
        }
    }

    fn prepare(&self, cell: Cell, chain: &Chain) -> Result<Box<dyn Prepared>, TlsError> {
        // All contexts are asked for the group first: a missing one is a better reason than the key.
        let client = client(cell, chain)?;
        let certificate = X509::from_der(&chain.end_entity).map_err(caller)?;
        let key = PKey::private_key_from_pkcs8(&chain.private_key);
        let key = key.map_err(|why| unsupported("reads no key of", cell, &why))?;
        let peers = Peers {
            client,
            server: {
                let mut context = context(cell)?;
                context
                    .set_certificate(&certificate)
                    .map_err(|why| unsupported("takes no certificate of", cell, &why))?;
                context.set_private_key(&key).map_err(caller)?;
                context.build()
            },
            name: chain.name.clone(),
        };
        let parts = Parts::new(cell, key, &certificate).map_err(TlsError::stack)?;
        Ok(Box::new(Both { peers, parts }))
    }
}

/// A cell's handshakes and their parts.
struct Both {
    peers: Peers,
    parts: Parts,
}

impl Prepared for Both {
    fn handshake(&mut self, wire: &mut Wire) -> Result<Handshake, TlsError> {
        self.peers.handshake(wire)
    }

    fn time_part(&mut self, part: Part, count: u32) -> Result<f64, TlsError> {
        self.parts.time(part, count)
    }
}

fn client(cell: Cell, chain: &Chain) -> Result<SslContext, TlsError> {
    let mut context = context(cell)?;
    let mut roots = X509StoreBuilder::new().map_err(TlsError::stack)?;
    roots.add_cert(X509::from_der(&chain.issuer).map_err(caller)?).map_err(caller)?;
    context.set_cert_store(roots.build());
    context.set_verify(SslVerifyMode::PEER);
    let scheme = context.set_verify_algorithm_prefs(&[scheme(cell.certificate)]);
    scheme.map_err(|why| unsupported("refuses the scheme of", cell, &why))?;
    Ok(context.build())
}

/// What both peers have: TLS 1.3, one group, no sessions.
fn context(cell: Cell) -> Result<SslContextBuilder, TlsError> {
    let mut context = SslContextBuilder::new(SslMethod::tls()).map_err(TlsError::stack)?;
    let version = Some(SslVersion::TLS1_3);
    context.set_min_proto_version(version).map_err(TlsError::stack)?;
    context.set_max_proto_version(version).map_err(TlsError::stack)?;
    let group = context.set_curves_list(group_name(cell.group));
    group.map_err(|why| unsupported("refuses the group of", cell, &why))?;
    context.set_session_cache_mode(SslSessionCacheMode::OFF);
    context.set_options(SslOptions::NO_TICKET);
    Ok(context)
}

/// A group by BoringSSL's name.
fn group_name(group: Group) -> &'static str {
    match group {
        Group::X25519 => "X25519",
        Group::Secp256r1 => "P-256",
        other => other.name(),
    }
}

fn scheme(certificate: Certificate) -> SslSignatureAlgorithm {
    match certificate {
        Certificate::Ed25519 => SslSignatureAlgorithm::ED25519,
        Certificate::EcdsaP256 => SslSignatureAlgorithm::ECDSA_SECP256R1_SHA256,
        Certificate::MlDsa44 => SslSignatureAlgorithm::ML_DSA_44,
        Certificate::MlDsa65 => SslSignatureAlgorithm::ML_DSA_65,
        Certificate::MlDsa87 => SslSignatureAlgorithm::ML_DSA_87,
    }
}

fn caller(why: impl std::fmt::Display) -> TlsError {
    TlsError::Caller(why.to_string())
}

fn unsupported(does: &str, cell: Cell, why: &dyn std::fmt::Display) -> TlsError {
    TlsError::Unsupported(format!("{does} {cell}: {why}"))
}
