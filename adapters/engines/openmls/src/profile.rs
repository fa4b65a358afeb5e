//! What a client was told about itself: its cipher suite, what it lists in its capabilities, and
//! whether it lives in a recording.

use engine_api::Declared;
use openmls::prelude::{Capabilities, ExtensionType, ProposalType};
use openmls_traits::types::Ciphersuite;

#[derive(Clone)]
pub(crate) struct Profile {
    pub(crate) suite: Ciphersuite,
    pub(crate) declared: Declared,
    /// What it is shown was recorded: lifetimes are not looked at.
    pub(crate) recorded: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            suite: Ciphersuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519,
            declared: Declared::default(),
            recorded: false,
        }
    }
}

impl Profile {
    /// OpenMLS' defaults and what was declared.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let extensions = self.declared.extensions.iter().copied().map(ExtensionType::from);
        let proposals = self.declared.proposals.iter().copied().map(ProposalType::from);
        Capabilities::new(
            None,
            None,
            Some(&extensions.collect::<Vec<_>>()),
            Some(&proposals.collect::<Vec<_>>()),
            None,
        )
    }

    /// How many past epochs' resumption PSKs are kept: none in what is measured, which is OpenMLS'
    /// default.
    pub(crate) fn resumption_psks(&self) -> usize {
        if self.recorded { 16 } else { 0 }
    }

    /// Numbers of two bytes: the suite, whether it is recorded, how many extensions, and those, and
    /// the proposals.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let Declared { extensions, proposals } = &self.declared;
        let head = [self.suite as u16, u16::from(self.recorded), extensions.len() as u16];
        let numbers = head.iter().chain(extensions).chain(proposals);
        numbers.flat_map(|number| number.to_be_bytes()).collect()
    }

    /// What [`to_bytes`](Self::to_bytes) wrote.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, []) = bytes.as_chunks() else { return None };
        let numbers: Vec<_> = numbers.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
        let [suite, recorded, count, rest @ ..] = numbers.as_slice() else { return None };
        let (extensions, proposals) = rest.split_at_checked(usize::from(*count))?;
        Some(Self {
            suite: Ciphersuite::try_from(*suite).ok()?,
            declared: Declared { extensions: extensions.to_vec(), proposals: proposals.to_vec() },
            recorded: *recorded != 0,
        })
    }
}
