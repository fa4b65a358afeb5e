//! What a handshake is made of: group, certificate, and the parts of its cryptography.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A key-exchange group, by its name in the TLS registry of supported groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Group {
    /// X25519 (RFC 7748).
    X25519,
    /// ECDH on P-256.
    Secp256r1,
    /// X25519 and ML-KEM-768 (draft-ietf-tls-ecdhe-mlkem).
    X25519MlKem768,
    /// P-256 and ML-KEM-768 (draft-ietf-tls-ecdhe-mlkem).
    Secp256r1MlKem768,
    /// ML-KEM-768 alone (draft-ietf-tls-mlkem).
    MlKem768,
    /// ML-KEM-1024 alone (draft-ietf-tls-mlkem).
    MlKem1024,
}

impl Group {
    /// All of them, classical first.
    pub const ALL: [Self; 6] = [
        Self::X25519,
        Self::Secp256r1,
        Self::X25519MlKem768,
        Self::Secp256r1MlKem768,
        Self::MlKem768,
        Self::MlKem1024,
    ];

    /// Its name in the registry.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::X25519 => "x25519",
            Self::Secp256r1 => "secp256r1",
            Self::X25519MlKem768 => "X25519MLKEM768",
            Self::Secp256r1MlKem768 => "SecP256r1MLKEM768",
            Self::MlKem768 => "MLKEM768",
            Self::MlKem1024 => "MLKEM1024",
        }
    }

    /// Its number on the wire.
    #[must_use]
    pub fn code(self) -> u16 {
        match self {
            Self::X25519 => 0x001d,
            Self::Secp256r1 => 0x0017,
            Self::X25519MlKem768 => 0x11ec,
            Self::Secp256r1MlKem768 => 0x11eb,
            Self::MlKem768 => 0x0201,
            Self::MlKem1024 => 0x0202,
        }
    }
}

/// What the certificates' keys are for, and what signs them: one algorithm for a whole chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Certificate {
    /// Ed25519 (RFC 8410).
    Ed25519,
    /// ECDSA on P-256 with SHA-256.
    EcdsaP256,
    /// ML-DSA-44 (RFC 9881).
    MlDsa44,
    /// ML-DSA-65 (RFC 9881).
    MlDsa65,
    /// ML-DSA-87 (RFC 9881).
    MlDsa87,
}

impl Certificate {
    /// All of them, classical first.
    pub const ALL: [Self; 5] =
        [Self::Ed25519, Self::EcdsaP256, Self::MlDsa44, Self::MlDsa65, Self::MlDsa87];

    /// Its usual name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ed25519 => "Ed25519",
            Self::EcdsaP256 => "ECDSA-P256",
            Self::MlDsa44 => "ML-DSA-44",
            Self::MlDsa65 => "ML-DSA-65",
            Self::MlDsa87 => "ML-DSA-87",
        }
    }

    /// The signature scheme's number in `CertificateVerify` (RFC 8446 section 4.4.3; for ML-DSA
    /// draft-ietf-tls-mldsa).
    #[must_use]
    pub fn scheme(self) -> u16 {
        match self {
            Self::Ed25519 => 0x0807,
            Self::EcdsaP256 => 0x0403,
            Self::MlDsa44 => 0x0904,
            Self::MlDsa65 => 0x0905,
            Self::MlDsa87 => 0x0906,
        }
    }

    /// Whether its signatures differ in length: ECDSA's are two DER integers, without leading zeros.
    #[must_use]
    pub fn length_varies(self) -> bool {
        self == Self::EcdsaP256
    }
}

/// One cell of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// The key-exchange group.
    pub group: Group,
    /// The certificates.
    pub certificate: Certificate,
}

impl Cell {
    /// The whole matrix, certificate by certificate.
    pub fn all() -> impl Iterator<Item = Self> {
        Certificate::ALL.into_iter().flat_map(|certificate| {
            Group::ALL.into_iter().map(move |group| Self { group, certificate })
        })
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.group.name(), self.certificate.name())
    }
}

/// One side of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Peer {
    /// The client.
    Client,
    /// The server.
    Server,
}

impl Peer {
    /// In one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

/// A part of a handshake that can be timed alone: its public-key cryptography.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Part {
    /// The client's key share: key generation.
    KeyShare,
    /// The server's half of the key exchange: key generation and agreement, or encapsulation, or
    /// both.
    Respond,
    /// The client's other half: agreement, or decapsulation, or both.
    Complete,
    /// The server's signature over the transcript.
    Sign,
    /// One verification, by a public key as it stands in a certificate.
    Verify,
}

impl Part {
    /// All of them, in the order of the handshake.
    pub const ALL: [Self; 5] =
        [Self::KeyShare, Self::Respond, Self::Complete, Self::Sign, Self::Verify];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::KeyShare => "key-share",
            Self::Respond => "respond",
            Self::Complete => "complete",
            Self::Sign => "sign",
            Self::Verify => "verify",
        }
    }

    /// How often it is done in a handshake. The client verifies `CertificateVerify` and the
    /// end-entity certificate; the issuer is its trust anchor.
    #[must_use]
    pub fn times(self) -> u32 {
        if self == Self::Verify { 2 } else { 1 }
    }

    /// Who does it.
    #[must_use]
    pub fn peer(self) -> Peer {
        match self {
            Self::KeyShare | Self::Complete | Self::Verify => Peer::Client,
            Self::Respond | Self::Sign => Peer::Server,
        }
    }
}
