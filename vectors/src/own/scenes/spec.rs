//! How scenes and their cases are described.

use burrow::Result;
use crypto_api::Suite;

use super::setting::{Setting, Stage};
use crate::own::Reason;
use crate::own::forging::{Made, Welcomed};

/// One of each family of curves.
pub(super) const SOME: &[u16] = &[1, 2];
/// Both AEADs, and hashes of other lengths than 32 bytes, as well.
pub(super) const ALL: &[u16] = &[1, 2, 3, 5, 7];

/// A scene, for each cipher suite that one of its cases is for.
pub(super) struct SceneSpec {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) setting: for<'a> fn(&'a dyn Suite) -> Result<Setting<'a>>,
    pub(super) cases: Vec<Spec>,
}

/// A case.
pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) pitfall: Option<u8>,
    pub(super) section: &'static str,
    pub(super) suites: &'static [u16],
    pub(super) reason: Option<Reason>,
    pub(super) control: Option<&'static str>,
    pub(super) make: Make,
}

type Make = fn(&mut Stage<'_>) -> Result<Judged>;

/// The message of a case, and what comes of it if it is a good one.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) message: Vec<u8>,
    pub(super) ratchet_tree: Option<Vec<u8>>,
    pub(super) epoch_authenticator: Option<Vec<u8>>,
    pub(super) application_data: Option<Vec<u8>>,
}

/// A case that nobody may refuse.
pub(super) const fn good(
    name: &'static str,
    what: &'static str,
    (pitfall, section): (u8, &'static str),
    make: Make,
) -> Spec {
    let pitfall = if pitfall == 0 { None } else { Some(pitfall) };
    Spec { name, what, pitfall, section, suites: &[1], reason: None, control: None, make }
}

/// A case that everybody has to refuse, and the one that it was made from. Pitfall 0 is none.
pub(super) const fn bad(
    (name, control): (&'static str, &'static str),
    what: &'static str,
    (pitfall, section): (u8, &'static str),
    reason: Reason,
    make: Make,
) -> Spec {
    let spec = good(name, what, (pitfall, section), make);
    Spec { reason: Some(reason), control: Some(control), ..spec }
}

impl Spec {
    /// For these cipher suites.
    pub(super) const fn on(self, suites: &'static [u16]) -> Self {
        Self { suites, ..self }
    }
}

impl TryFrom<Made<'_>> for Judged {
    type Error = burrow::Error;

    fn try_from(made: Made<'_>) -> Result<Self> {
        let epoch_authenticator = Some(made.group.epoch_authenticator()?);
        Ok(Self { message: made.message, epoch_authenticator, ..Self::default() })
    }
}

impl TryFrom<Welcomed<'_>> for Judged {
    type Error = burrow::Error;

    fn try_from(welcomed: Welcomed<'_>) -> Result<Self> {
        let epoch_authenticator = Some(welcomed.group.epoch_authenticator()?);
        Ok(Self { message: welcomed.message, epoch_authenticator, ..Self::default() })
    }
}
