//! The parts of a handshake's cryptography, through the same provider.

use std::sync::Arc;

use rustls::SignatureScheme;
use rustls::crypto::{ActiveKeyExchange, CryptoProvider, SupportedKxGroup};
use rustls::pki_types::SignatureVerificationAlgorithm;
use rustls::sign::Signer;
use tls_api::timing::{SIGNED, another, timed};
use tls_api::{Chain, Part, TlsError};

pub(crate) struct Parts {
    group: &'static dyn SupportedKxGroup,
    signer: Box<dyn Signer>,
    algorithm: &'static dyn SignatureVerificationAlgorithm,
    public_key: Vec<u8>,
    message: Vec<u8>,
}

impl Parts {
    pub(crate) fn new(
        provider: &Arc<CryptoProvider>,
        scheme: SignatureScheme,
        chain: &Chain,
    ) -> Result<Self, TlsError> {
        let missing = || TlsError::stack("its provider has not what it told");
        let key = provider.key_provider.load_private_key(crate::private_key(chain));
        let key = key.map_err(TlsError::stack)?;
        let signer = key.choose_scheme(&[scheme]).ok_or_else(missing)?;
        let algorithms = provider.signature_verification_algorithms.mapping;
        let known = algorithms.iter().find(|(known, _)| *known == scheme);
        // Of TLS 1.3, the first that is listed for a scheme is the one.
        let algorithm = known.and_then(|(_, algorithms)| algorithms.first()).copied();
        Ok(Self {
            group: provider.kx_groups.first().copied().ok_or_else(missing)?,
            signer,
            algorithm: algorithm.ok_or_else(missing)?,
            public_key: chain.public_key.clone(),
            message: vec![0x20; SIGNED],
        })
    }

    /// Nanoseconds for one, over so many.
    pub(crate) fn time(&mut self, part: Part, count: u32) -> Result<f64, TlsError> {
        match part {
            Part::KeyShare => timed(count, || self.group.start()),
            Part::Respond => {
                let client = self.group.start().map_err(TlsError::stack)?;
                timed(count, || self.group.start_and_complete(client.pub_key()))
            }
            Part::Complete => {
                let waiting = (0..count).map(|_| waiting(self.group));
                let mut waiting = waiting.collect::<Result<Vec<_>, _>>()?;
                timed(count, || {
                    waiting.pop().map(|(client, share)| client.complete(&share)).transpose()
                })
            }
            Part::Sign => timed(count, || {
                another(&mut self.message);
                self.signer.sign(&self.message)
            }),
            Part::Verify => {
                let signature = self.signer.sign(&self.message).map_err(TlsError::stack)?;
                let verify =
                    || self.algorithm.verify_signature(&self.public_key, &self.message, &signature);
                timed(count, || verify().map_err(|_| "a good signature is refused"))
            }
        }
    }
}

/// A client that waits, and the share that it waits for.
type Waiting = (Box<dyn ActiveKeyExchange>, Vec<u8>);

fn waiting(group: &dyn SupportedKxGroup) -> Result<Waiting, TlsError> {
    let client = group.start().map_err(TlsError::stack)?;
    let server = group.start_and_complete(client.pub_key()).map_err(TlsError::stack)?;
    Ok((client, server.pub_key))
}
