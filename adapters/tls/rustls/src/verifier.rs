//! A verifier that keeps what another one verified.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

/// rustls' own verifier, asked for one scheme.
#[derive(Debug)]
pub(crate) struct Keeping {
    inner: Arc<WebPkiServerVerifier>,
    scheme: SignatureScheme,
    chain: AtomicBool,
    signature: AtomicU16,
}

/// What was verified since the last look.
pub(crate) struct Verified {
    pub(crate) chain: bool,
    pub(crate) scheme: u16,
}

impl Keeping {
    pub(crate) fn new(inner: Arc<WebPkiServerVerifier>, scheme: SignatureScheme) -> Self {
        Self { inner, scheme, chain: AtomicBool::new(false), signature: AtomicU16::new(0) }
    }

    /// Tells and forgets what was verified.
    pub(crate) fn take(&self) -> Verified {
        Verified {
            chain: self.chain.swap(false, Ordering::Relaxed),
            scheme: self.signature.swap(0, Ordering::Relaxed),
        }
    }
}

impl ServerCertVerifier for Keeping {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let inner = &self.inner;
        let verified =
            inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)?;
        self.chain.store(true, Ordering::Relaxed);
        Ok(verified)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let valid = self.inner.verify_tls13_signature(message, cert, dss)?;
        self.signature.store(dss.scheme.into(), Ordering::Relaxed);
        Ok(valid)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![self.scheme]
    }
}
