//! How long things are in a cipher suite: what is hashed, signed and sealed has them in it.

use crypto_api::{CryptoError, Suite};

/// The lengths of a cipher suite, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// A secret and a hash: `KDF.Nh`.
    pub secret: usize,
    /// A public key of the KEM.
    pub kem_key: usize,
    /// What the KEM puts in front of a ciphertext.
    pub kem_output: usize,
    /// A public key of the signature scheme.
    pub signature_key: usize,
    /// A signature.
    pub signature: usize,
}

/// Those of suite 0x0001.
impl Default for Lengths {
    fn default() -> Self {
        Self { secret: 32, kem_key: 32, kem_output: 32, signature_key: 32, signature: 64 }
    }
}

/// The tag of every AEAD in a suite of MLS.
pub(super) const TAG: usize = 16;

impl Lengths {
    /// Those of a suite, of which one of each is made.
    ///
    /// # Errors
    /// What the library gives.
    pub fn of(suite: &dyn Suite) -> Result<Self, CryptoError> {
        let key = suite.generate_key_pair()?;
        let sealed = suite.seal_base(key.public(), &[b""], b"", b"")?;
        let signer = suite.generate_signing_key()?;
        Ok(Self {
            secret: suite.kdf_nh(),
            kem_key: key.public().len(),
            kem_output: sealed.kem_output.len(),
            signature_key: signer.public().len(),
            signature: suite.sign(&signer, b"")?.len(),
        })
    }

    /// A key of the KEM as a vector.
    pub(super) fn hpke_key(self) -> usize {
        vector(self.kem_key)
    }

    /// A signature as a vector.
    pub(super) fn signature(self) -> usize {
        vector(self.signature)
    }

    /// A leaf: two keys, a signature, and a byte for each of credential, capabilities and extensions.
    pub(super) fn leaf(self) -> usize {
        self.hpke_key() + vector(self.signature_key) + self.signature() + 3
    }

    /// A path secret that is encrypted: KEM output, and the ciphertext with its tag.
    pub(super) fn encrypted_secret(self) -> usize {
        vector(self.kem_output) + vector(self.secret + TAG)
    }

    /// GroupSecrets: joiner secret, path secret, no PSKs.
    pub(super) fn group_secrets(self) -> usize {
        vector(self.secret) + 1 + vector(self.secret) + 1
    }

    /// The prefix of a hashed parent: its type, and two child hashes.
    pub(super) fn tree_hash(self) -> usize {
        1 + 2 * vector(self.secret)
    }
}

/// With its length in front (RFC 9420 section 2.1.2).
fn vector(length: usize) -> usize {
    length
        + if length < 1 << 6 {
            1
        } else if length < 1 << 14 {
            2
        } else {
            4
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_suite_0x0001() {
        let l = Lengths::default();
        assert_eq!((l.hpke_key(), l.signature(), l.leaf()), (33, 66, 135));
        assert_eq!((l.encrypted_secret(), l.group_secrets(), l.tree_hash()), (82, 68, 67));
    }

    #[cfg(feature = "burrow")]
    #[test]
    fn of_suites_as_their_library_makes_them() {
        use crypto_api::{CipherSuite, CryptoBackend, PqSuites};
        use crypto_aws_lc::{AwsLc, SystemRandom};

        let random = std::sync::Arc::new(SystemRandom);
        let backend = AwsLc::with_post_quantum(&PqSuites::default(), random);
        let of = |number| Lengths::of(backend.suite(CipherSuite(number)).unwrap()).unwrap();
        assert_eq!(of(1), Lengths::default());
        let hybrid = Lengths { kem_key: 1216, kem_output: 1120, ..Lengths::default() };
        assert_eq!((of(0xf001), of(0x004d)), (hybrid, hybrid));
        let signed = Lengths {
            secret: 48,
            kem_key: 1568,
            kem_output: 1568,
            signature_key: 2592,
            signature: 4627,
        };
        assert_eq!(of(0xf00b), signed);
    }
}
