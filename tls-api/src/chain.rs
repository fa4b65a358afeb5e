//! Certificates: an issuer that the client trusts, and the server's, signed by it.

use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

#[cfg(feature = "chain")]
pub use self::make::{Chains, make};

/// A chain of two. The client holds the issuer as its trust anchor; the server sends the other.
#[derive(Clone, Serialize, Deserialize)]
pub struct Chain {
    /// The certificate of the issuer that the client trusts, in DER.
    pub issuer: Vec<u8>,
    /// The name of the server that the client expects.
    pub name: String,
    /// The end-entity certificate, in DER.
    pub end_entity: Vec<u8>,
    /// Its public key, as in the bit string of its `SubjectPublicKeyInfo`.
    pub public_key: Vec<u8>,
    /// Its private key, in version 1 of PKCS#8.
    pub private_key: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(feature = "chain")]
mod make {
    use rcgen::{
        BasicConstraints, CertificateParams, DistinguishedName, DnType, Error,
        ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose, SignatureAlgorithm,
    };
    use zeroize::Zeroizing;

    use super::Chain;
    use crate::{Certificate, TlsError};

    /// The name in the certificates that are made here.
    const SERVER: &str = "server.example";

    /// The most frequent length of an ECDSA P-256 signature: one of the two integers has its top bit
    /// set, and a zero before it.
    const ECDSA_SIGNATURE: usize = 71;

    /// A chain for each algorithm, and another from an issuer of the same name whom no client should
    /// trust in its place.
    pub struct Chains(Vec<(Certificate, Chain, Chain)>);

    impl Chains {
        /// Makes all of them.
        ///
        /// # Errors
        ///
        /// [`TlsError::Stack`] if keys can't be made.
        pub fn make() -> Result<Self, TlsError> {
            let both = |certificate| Ok((certificate, make(certificate)?, make(certificate)?));
            Certificate::ALL.into_iter().map(both).collect::<Result<_, _>>().map(Self)
        }

        /// The chain of that algorithm, then the other.
        ///
        /// # Errors
        ///
        /// [`TlsError::Caller`] if there is none of that algorithm.
        pub fn of(&self, certificate: Certificate) -> Result<(&Chain, &Chain), TlsError> {
            let found = self.0.iter().find(|(algorithm, ..)| *algorithm == certificate);
            let missing = || TlsError::Caller(format!("no chain of {}", certificate.name()));
            found.map(|(_, chain, other)| (chain, other)).ok_or_else(missing)
        }
    }

    /// Makes a chain of that algorithm, with new keys. Two of the same algorithm have the same length:
    /// serial numbers and dates are fixed, and an ECDSA certificate is signed again until its signature
    /// has its most frequent length.
    ///
    /// # Errors
    ///
    /// [`TlsError::Stack`] if the keys can't be made.
    pub fn make(certificate: Certificate) -> Result<Chain, TlsError> {
        chain(certificate).map_err(|why| TlsError::stack(format_args!("rcgen: {why}")))
    }

    fn chain(certificate: Certificate) -> Result<Chain, Error> {
        let algorithm = algorithm(certificate);
        let issuer_key = KeyPair::generate_for(algorithm)?;
        let mut issuer = params(vec![], "issuer", 1)?;
        issuer.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        issuer.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let issuer_certificate = issuer.self_signed(&issuer_key)?;
        let issuer = Issuer::from_params(&issuer, &issuer_key);

        let key = KeyPair::generate_for(algorithm)?;
        let mut end_entity = params(vec![SERVER.into()], SERVER, 2)?;
        end_entity.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        end_entity.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let mut signed = end_entity.signed_by(&key, &issuer)?;
        while certificate.length_varies() && signature_length(signed.der()) != ECDSA_SIGNATURE {
            signed = end_entity.signed_by(&key, &issuer)?;
        }
        Ok(Chain {
            issuer: issuer_certificate.der().to_vec(),
            name: SERVER.into(),
            end_entity: signed.der().to_vec(),
            public_key: key.public_key_raw().to_vec(),
            private_key: version_1(Zeroizing::new(key.serialize_der())),
        })
    }

    /// An Ed25519 key as in RFC 8410 section 7. rcgen's is in version 2, with the public key behind
    /// it (RFC 5958), which BoringSSL doesn't read.
    fn version_1(key: Zeroizing<Vec<u8>>) -> Zeroizing<Vec<u8>> {
        const VERSION_2: [u8; 3] = [2, 1, 1];
        const ED25519: [u8; 11] =
            [0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
        let rest = key.get(2..).and_then(|rest| rest.strip_prefix(&VERSION_2));
        let Some(seed) = rest.and_then(|rest| rest.strip_prefix(&ED25519)?.get(..32)) else {
            return key;
        };
        Zeroizing::new([&[0x30, 0x2e, 2, 1, 0], &ED25519[..], seed].concat())
    }

    fn params(names: Vec<String>, name: &str, serial: u64) -> Result<CertificateParams, Error> {
        let mut params = CertificateParams::new(names)?;
        params.serial_number = Some(serial.into());
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        Ok(params)
    }

    fn algorithm(certificate: Certificate) -> &'static SignatureAlgorithm {
        match certificate {
            Certificate::Ed25519 => &rcgen::PKCS_ED25519,
            Certificate::EcdsaP256 => &rcgen::PKCS_ECDSA_P256_SHA256,
            Certificate::MlDsa44 => &rcgen::PKCS_ML_DSA_44,
            Certificate::MlDsa65 => &rcgen::PKCS_ML_DSA_65,
            Certificate::MlDsa87 => &rcgen::PKCS_ML_DSA_87,
        }
    }

    /// Of an ECDSA P-256 signature at the end of a certificate: a bit string without unused bits, in it
    /// a sequence that fills it (RFC 5280 section 4.1, RFC 3279 section 2.2.3).
    fn signature_length(certificate: &[u8]) -> usize {
        let ends_with = |length: &usize| {
            let Some(start) = certificate.len().checked_sub(length + 3) else { return false };
            let Ok(inner) = u8::try_from(length - 2) else { return false };
            matches!(certificate[start..], [3, bits, 0, 0x30, within, ..]
                if bits == inner + 3 && within == inner)
        };
        (64..=72).find(ends_with).unwrap_or_default()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Bytes on the wire can only reproduce if certificates do.
        #[test]
        fn chains_of_an_algorithm_have_one_length() {
            for certificate in Certificate::ALL {
                let length = make(certificate).unwrap().end_entity.len();
                for _ in 0..4 {
                    assert_eq!(make(certificate).unwrap().end_entity.len(), length);
                }
            }
        }

        #[test]
        fn an_ecdsa_signature_is_found_at_the_end() {
            let chain = make(Certificate::EcdsaP256).unwrap();
            assert_eq!(signature_length(&chain.end_entity), ECDSA_SIGNATURE);
            assert_eq!(signature_length(&make(Certificate::Ed25519).unwrap().end_entity), 0);
        }

        #[test]
        fn an_ed25519_key_has_no_public_key_behind_it() {
            let key = make(Certificate::Ed25519).unwrap().private_key;
            assert_eq!((key.len(), &key[..5]), (48, &[0x30, 0x2e, 2, 1, 0][..]));
            assert_eq!(*version_1(key.clone()), *key);
        }

        #[test]
        fn a_chain_says_nothing_of_its_key() {
            let chain = make(Certificate::Ed25519).unwrap();
            assert_eq!(format!("{chain:?}"), "Chain { name: \"server.example\", .. }");
        }
    }
}
