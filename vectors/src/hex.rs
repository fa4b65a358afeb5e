//! Bytes as the files write them.

use serde::{Deserialize, Deserializer, de::Error};

/// Bytes in hexadecimal.
pub(crate) struct Hex(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.len() % 2 != 0 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(D::Error::custom("not hexadecimal"));
        }
        (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&text[at..at + 2], 16).map_err(D::Error::custom))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

/// Bytes that are both what is read and what has to come out again. A mutated case has
/// `{"given": .., "expected": ..}` instead, so that a change of what is expected can be told from
/// one of what is read.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum RoundTrip {
    Same(Hex),
    Mutated { given: Hex, expected: Hex },
}

impl RoundTrip {
    pub(crate) fn given(&self) -> &[u8] {
        match self {
            Self::Same(bytes) | Self::Mutated { given: bytes, .. } => &bytes.0,
        }
    }

    pub(crate) fn expected(&self) -> &[u8] {
        match self {
            Self::Same(bytes) | Self::Mutated { expected: bytes, .. } => &bytes.0,
        }
    }
}
