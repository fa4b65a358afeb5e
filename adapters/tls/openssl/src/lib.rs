//! The TLS contract on OpenSSL, compiled from source by the crate `openssl-src`.
//!
//! Its libcrypto must not meet the one that SQLCipher is linked with, nor BoringSSL's: it belongs into a
//! process of its own, which [`tls_api::worker::serve`]s `Openssl`.
#![cfg(feature = "vendored")]

#[allow(unsafe_code, reason = "three calls that the crate openssl doesn't wrap")]
mod ffi;
mod parts;
mod peers;

use openssl::pkey::PKey;
use openssl::ssl::{
    SslContext, SslContextBuilder, SslMethod, SslOptions, SslSessionCacheMode, SslVerifyMode,
    SslVersion,
};
use openssl::x509::X509;
use openssl::x509::store::X509StoreBuilder;
use tls_api::{
    Cell, Certificate, Chain, Description, Handshake, Part, Prepared, TlsError, TlsStack, Wire,
};

use parts::Parts;
use peers::Peers;

/// OpenSSL, as it is configured when it is built.
pub struct Openssl;

impl TlsStack for Openssl {
    fn describe(&self) -> Description {
        let version = openssl::version::version();
        Description {
            name: "openssl".into(),
            tls: version.into(),
            crypto: version.into(),
            uncounted: Some("C code takes its memory from the system".into()),
        }
    }

    fn prepare(&self, cell: Cell, chain: &Chain) -> Result<Box<dyn Prepared>, TlsError> {
        let certificate = X509::from_der(&chain.end_entity).map_err(caller)?;
        let key = PKey::private_key_from_pkcs8(&chain.private_key);
        let key = key.map_err(|why| unsupported("reads no key of", cell, &why))?;
        let peers = Peers {
            client: client(cell, chain)?,
            server: {
                let mut context = context(cell, SslMethod::tls_server())?;
                context.set_certificate(&certificate).map_err(caller)?;
                context.set_private_key(&key).map_err(caller)?;
                context.set_num_tickets(0).map_err(TlsError::stack)?;
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
    let mut roots = X509StoreBuilder::new().map_err(TlsError::stack)?;
    roots.add_cert(X509::from_der(&chain.issuer).map_err(caller)?).map_err(caller)?;
    let mut context = context(cell, SslMethod::tls_client())?;
    context.set_cert_store(roots.build());
    context.set_verify(SslVerifyMode::PEER);
    Ok(context.build())
}

/// What both peers have: TLS 1.3, one group, one scheme, one cipher suite, no sessions.
fn context(cell: Cell, method: SslMethod) -> Result<SslContextBuilder, TlsError> {
    let mut context = SslContextBuilder::new(method).map_err(TlsError::stack)?;
    let version = Some(SslVersion::TLS1_3);
    context.set_min_proto_version(version).map_err(TlsError::stack)?;
    context.set_max_proto_version(version).map_err(TlsError::stack)?;
    context.set_ciphersuites("TLS_AES_128_GCM_SHA256").map_err(TlsError::stack)?;
    let group = context.set_groups_list(cell.group.name());
    group.map_err(|why| unsupported("refuses the group of", cell, &why))?;
    let scheme = context.set_sigalgs_list(scheme_name(cell.certificate));
    scheme.map_err(|why| unsupported("refuses the scheme of", cell, &why))?;
    context.set_session_cache_mode(SslSessionCacheMode::OFF);
    context.set_options(SslOptions::NO_TICKET);
    Ok(context)
}

/// A scheme by the name in the registry of signature schemes.
fn scheme_name(certificate: Certificate) -> &'static str {
    match certificate {
        Certificate::Ed25519 => "ed25519",
        Certificate::EcdsaP256 => "ecdsa_secp256r1_sha256",
        Certificate::MlDsa44 => "mldsa44",
        Certificate::MlDsa65 => "mldsa65",
        Certificate::MlDsa87 => "mldsa87",
    }
}

fn caller(why: impl std::fmt::Display) -> TlsError {
    TlsError::Caller(why.to_string())
}

fn unsupported(does: &str, cell: Cell, why: &dyn std::fmt::Display) -> TlsError {
    TlsError::Unsupported(format!("{does} {cell}: {why}"))
}
