//! The parts of a handshake's cryptography, through libcrypto.

use std::ffi::CStr;
use std::hint::black_box;

use openssl::derive::Deriver;
use openssl::ec::{EcGroup, EcKey};
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::sign::{Signer, Verifier};
use openssl::x509::X509Ref;
use tls_api::timing::{SIGNED, another, timed};
use tls_api::{Cell, Certificate, Group, Part, TlsError};

use crate::ffi;

pub(crate) struct Parts {
    group: Group,
    key: PKey<Private>,
    /// The `SubjectPublicKeyInfo` in DER.
    public_key: Vec<u8>,
    digest: Option<MessageDigest>,
    message: Vec<u8>,
}

impl Parts {
    pub(crate) fn new(
        cell: Cell,
        key: PKey<Private>,
        certificate: &X509Ref,
    ) -> Result<Self, ErrorStack> {
        let hashed = cell.certificate == Certificate::EcdsaP256;
        Ok(Self {
            group: cell.group,
            key,
            public_key: certificate.public_key()?.public_key_to_der()?,
            digest: hashed.then(MessageDigest::sha256),
            message: vec![0x20; SIGNED],
        })
    }

    /// Nanoseconds for one, over so many.
    pub(crate) fn time(&mut self, part: Part, count: u32) -> Result<f64, TlsError> {
        match part {
            Part::KeyShare => timed(count, || generate(self.group)),
            Part::Respond => {
                let client = generate(self.group).map_err(TlsError::stack)?;
                timed(count, || respond(self.group, &client).map(drop))
            }
            Part::Complete => {
                let client = generate(self.group).map_err(TlsError::stack)?;
                let answer = respond(self.group, &client).map_err(TlsError::stack)?;
                timed(count, || complete(&client, &answer))
            }
            Part::Sign => timed(count, || {
                another(&mut self.message);
                sign(&self.key, self.digest, &self.message)
            }),
            Part::Verify => {
                let signature = sign(&self.key, self.digest, &self.message);
                let signature = signature.map_err(TlsError::stack)?;
                if !self.verify(&signature).map_err(TlsError::stack)? {
                    return Err(TlsError::stack("a good signature is refused"));
                }
                timed(count, || self.verify(&signature))
            }
        }
    }

    fn verify(&self, signature: &[u8]) -> Result<bool, ErrorStack> {
        let key = PKey::public_key_from_der(&self.public_key)?;
        let mut verifier = match self.digest {
            Some(digest) => Verifier::new(digest, &key)?,
            None => Verifier::new_without_digest(&key)?,
        };
        verifier.verify_oneshot(signature, &self.message)
    }
}

/// What a server answers with: a public key, or a ciphertext.
enum Answer {
    Key(PKey<Private>),
    Ciphertext(Vec<u8>),
}

fn generate(group: Group) -> Result<PKey<Private>, ErrorStack> {
    let name: &CStr = match group {
        Group::X25519 => return PKey::generate_x25519(),
        Group::Secp256r1 => {
            let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1)?;
            return PKey::from_ec_key(EcKey::generate(&group)?);
        }
        Group::X25519MlKem768 => c"X25519MLKEM768",
        Group::Secp256r1MlKem768 => c"SecP256r1MLKEM768",
        Group::MlKem768 => c"ML-KEM-768",
        Group::MlKem1024 => c"ML-KEM-1024",
    };
    let mut context = ffi::key_context(name)?;
    context.keygen_init()?;
    context.keygen()
}

fn respond(group: Group, client: &PKey<Private>) -> Result<Answer, ErrorStack> {
    if !matches!(group, Group::X25519 | Group::Secp256r1) {
        let (ciphertext, shared) = ffi::encapsulate(client)?;
        black_box(shared);
        return Ok(Answer::Ciphertext(ciphertext));
    }
    let own = generate(group)?;
    black_box(agree(&own, client)?);
    Ok(Answer::Key(own))
}

fn complete(client: &PKey<Private>, answer: &Answer) -> Result<Vec<u8>, ErrorStack> {
    match answer {
        Answer::Key(server) => agree(client, server),
        Answer::Ciphertext(ciphertext) => ffi::decapsulate(client, ciphertext),
    }
}

fn agree(own: &PKey<Private>, other: &PKey<Private>) -> Result<Vec<u8>, ErrorStack> {
    let mut deriver = Deriver::new(own)?;
    deriver.set_peer(other)?;
    deriver.derive_to_vec()
}

fn sign(
    key: &PKey<Private>,
    digest: Option<MessageDigest>,
    message: &[u8],
) -> Result<Vec<u8>, ErrorStack> {
    let mut signer = match digest {
        Some(digest) => Signer::new(digest, key)?,
        None => Signer::new_without_digest(key)?,
    };
    signer.sign_oneshot_to_vec(message)
}
