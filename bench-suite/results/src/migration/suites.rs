//! The cipher suites that a migration is about, by their numbers.
//!
//! No post-quantum suite has a number from IANA yet. The eleven of draft-ietf-mls-pq-ciphersuites-06
//! are known here by private numbers, in the draft's order; 0x004D is OpenMLS', and those from 65001
//! on are mls-rs'.

use std::fmt;

use serde::Serialize;

/// How far a group has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Phase {
    /// Classical key agreement, classical signatures: suite 0x0001.
    #[serde(rename = "baseline")]
    Baseline,
    /// A hybrid or post-quantum KEM, classical signatures: what is recorded today stays closed, but who
    /// has a quantum computer can pose as a member.
    #[serde(rename = "phase 0")]
    Phase0,
    /// Post-quantum signatures too.
    #[serde(rename = "phase 2")]
    Phase2,
}

impl Phase {
    /// The phase's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Phase0 => "phase 0",
            Self::Phase2 => "phase 2",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A cipher suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Suite {
    /// Its number.
    pub number: u16,
    /// The key encapsulation.
    pub kem: &'static str,
    /// The signature.
    pub signature: &'static str,
    /// Its phase.
    pub phase: Phase,
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} (0x{:04x})", self.kem, self.signature, self.number)
    }
}

/// The suite that others are held against.
pub const BASELINE: u16 = 0x0001;

/// The suite as an [`Engine`](crate::format::Engine) names it, e.g. `0x0001`. `None` of one that is in no
/// phase.
#[must_use]
pub fn named(text: &str) -> Option<Suite> {
    let number = u16::from_str_radix(text.strip_prefix("0x")?, 16).ok()?;
    let (kem, signature, phase) = known(number)?;
    Some(Suite { number, kem, signature, phase })
}

fn known(number: u16) -> Option<(&'static str, &'static str, Phase)> {
    Some(match number {
        BASELINE => ("X25519", "Ed25519", Phase::Baseline),
        0x004D => ("X-Wing", "Ed25519", Phase::Phase0),
        0xF001 | 0xF002 => ("X-Wing", "Ed25519", Phase::Phase0),
        0xF003 | 0xF004 => ("MLKEM768-P256", "P-256", Phase::Phase0),
        0xF005 => ("MLKEM1024-P384", "P-384", Phase::Phase0),
        0xF006 => ("ML-KEM-768", "Ed25519", Phase::Phase0),
        0xF007 => ("ML-KEM-768", "P-256", Phase::Phase0),
        0xF008 => ("ML-KEM-1024", "P-384", Phase::Phase0),
        0xF009 => ("X-Wing", "ML-DSA-44", Phase::Phase2),
        0xF00A => ("ML-KEM-768", "ML-DSA-65", Phase::Phase2),
        0xF00B => ("ML-KEM-1024", "ML-DSA-87", Phase::Phase2),
        65_001 => ("mls-rs' ML-KEM-512", "Ed25519", Phase::Phase0),
        65_002 => ("mls-rs' ML-KEM-768", "Ed25519", Phase::Phase0),
        65_003 => ("mls-rs' ML-KEM-1024", "P-384", Phase::Phase0),
        65_100 => ("mls-rs' ML-KEM-768 and X25519", "Ed25519", Phase::Phase0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_known_as_engines_name_them() {
        let phase = |text| named(text).map(|suite| suite.phase);
        assert_eq!(phase("0x0001"), Some(Phase::Baseline));
        assert_eq!(phase("0x004d"), Some(Phase::Phase0));
        assert_eq!(phase("0xf008"), Some(Phase::Phase0));
        assert_eq!(phase("0xf009"), Some(Phase::Phase2));
        assert_eq!(phase("0xfe4c"), Some(Phase::Phase0));
        for stranger in ["0x0003", "none", "1", "0x", "0xf00c", "0x1f001"] {
            assert_eq!(phase(stranger), None, "{stranger}");
        }
    }
}
