//! The parts of a handshake's cryptography, through the same libcrypto.

use std::hint::black_box;

use boring::derive::Deriver;
use boring::ec::{EcGroup, EcKey};
use boring::error::ErrorStack;
use boring::hash::MessageDigest;
use boring::mlkem::{Algorithm, MlKemPrivateKey, MlKemPublicKey};
use boring::nid::Nid;
use boring::pkey::{Id, PKey, Private};
use boring::sign::{Signer, Verifier};
use boring::x509::X509Ref;
use tls_api::timing::{SIGNED, another, timed};
use tls_api::{Cell, Certificate, Group, Part, TlsError};

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
            Part::KeyShare => timed(count, || Share::generate(self.group)),
            Part::Respond => {
                let client = Share::generate(self.group).map_err(TlsError::stack)?;
                timed(count, || client.respond(self.group).map(drop))
            }
            Part::Complete => {
                let client = Share::generate(self.group).map_err(TlsError::stack)?;
                let server = client.respond(self.group).map_err(TlsError::stack)?;
                timed(count, || client.complete(&server))
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

/// A client's share: a key of a curve, a KEM's, or both.
struct Share {
    curve: Option<PKey<Private>>,
    kem: Option<(Algorithm, MlKemPublicKey, MlKemPrivateKey)>,
}

/// What a server answers with.
struct Answer {
    curve: Option<PKey<Private>>,
    ciphertext: Option<Vec<u8>>,
}

impl Share {
    fn generate(group: Group) -> Result<Self, ErrorStack> {
        let kem = match group {
            Group::X25519 | Group::Secp256r1 => None,
            Group::X25519MlKem768 | Group::Secp256r1MlKem768 | Group::MlKem768 => {
                Some(Algorithm::MlKem768)
            }
            Group::MlKem1024 => Some(Algorithm::MlKem1024),
        };
        let kem = kem.map(|algorithm| {
            let (public, private) = MlKemPrivateKey::generate(algorithm)?;
            Ok::<_, ErrorStack>((algorithm, public, private))
        });
        Ok(Self { curve: curve(group)?, kem: kem.transpose()? })
    }

    fn respond(&self, group: Group) -> Result<Answer, ErrorStack> {
        let own = curve(group)?;
        if let (Some(own), Some(other)) = (&own, &self.curve) {
            black_box(agree(own, other)?);
        }
        let mut ciphertext = None;
        if let Some((algorithm, public, _)) = &self.kem {
            let public = MlKemPublicKey::from_slice(*algorithm, public.as_bytes())?;
            let (sent, shared) = public.encapsulate()?;
            black_box(shared);
            ciphertext = Some(sent);
        }
        Ok(Answer { curve: own, ciphertext })
    }

    fn complete(&self, answer: &Answer) -> Result<(), ErrorStack> {
        if let (Some(own), Some(other)) = (&self.curve, &answer.curve) {
            black_box(agree(own, other)?);
        }
        if let (Some((_, _, private)), Some(ciphertext)) = (&self.kem, &answer.ciphertext) {
            black_box(private.decapsulate(ciphertext)?);
        }
        Ok(())
    }
}

fn curve(group: Group) -> Result<Option<PKey<Private>>, ErrorStack> {
    match group {
        Group::X25519 | Group::X25519MlKem768 => PKey::generate(Id::X25519).map(Some),
        Group::Secp256r1 | Group::Secp256r1MlKem768 => {
            let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1)?;
            PKey::from_ec_key(EcKey::generate(&group)?).map(Some)
        }
        Group::MlKem768 | Group::MlKem1024 => Ok(None),
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
