//! Engines as the runner sees them, and their clients.

use engine_api::{
    AnyMlsClient, CgkaEngine, Client, Declared, EngineError, MlsClient, MlsProposal,
    MlsRegistration, Registration, WireProfile,
};

use super::data::{Action, Change, Profile, Scenario};

/// The private extension that stands for a group's name in the `mls` profile.
pub(super) const NAME_EXTENSION: u16 = 0xf0c0;

/// An engine that plays parts.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    plain: Registration,
    mls: Option<MlsRegistration>,
}

/// A client of one.
pub(super) enum Held {
    Plain(Client),
    Mls(AnyMlsClient),
}

impl Engine {
    /// An engine, with what it has of MLS beside the general contract.
    #[must_use]
    pub fn new(plain: Registration, mls: Option<MlsRegistration>) -> Self {
        Self { plain, mls }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.plain.name()
    }

    /// The library: the name up to its slash.
    #[must_use]
    pub fn library(&self) -> &'static str {
        self.name().split('/').next().unwrap_or_default()
    }

    /// Whose rules it plays by.
    #[must_use]
    pub fn profile(&self) -> Profile {
        match self.plain.describe().wire_profile {
            WireProfile::Marmot => Profile::Marmot,
            _ => Profile::Mls,
        }
    }

    /// Whether the kit knows how its messages are framed.
    pub(super) fn is_framed_as_known(&self) -> bool {
        !matches!(self.plain.describe().wire_profile, WireProfile::Other(_))
    }

    /// Whether the two can be in one group: one wire profile, and one cipher suite in first place.
    #[must_use]
    pub fn speaks_with(&self, other: &Self) -> bool {
        let language = |engine: &Self| {
            let about = engine.plain.describe();
            (about.wire_profile, about.cipher_suites.first().copied())
        };
        language(self) == language(other)
    }

    /// Why it can't play in this walk, if it can't.
    pub(super) fn lacks(&self, walk: &Scenario) -> Option<String> {
        let capabilities = self.plain.describe().capabilities;
        let mls = self.mls.map(|mls| mls.capabilities());
        let is_marmot = self.profile() == Profile::Marmot;
        let needs = Needs::of(walk);
        if needs.restart && !capabilities.snapshot.is_yes() && !capabilities.fork.is_yes() {
            return capabilities.snapshot.why_not().map(str::to_owned);
        }
        if needs.name && !capabilities.rename.is_yes() {
            let why = capabilities.rename.why_not().unwrap_or_default();
            let Some(mls) = mls else {
                return Some(why.to_owned());
            };
            let missing = mls.declare.why_not().or(mls.group_context_extensions.why_not());
            if let Some(missing) = missing {
                return Some(format!("{why}, and no extension can stand for one: {missing}"));
            }
        }
        if needs.leave && !is_marmot {
            let Some(mls) = mls else {
                return Some("the general contract has no leaving".into());
            };
            let missing = mls.declare.why_not().or(mls.self_remove.why_not());
            return missing.map(|why| format!("SelfRemove: {why}"));
        }
        None
    }

    pub(super) fn new_client(&self, name: &str, walk: &Scenario) -> Result<Held, EngineError> {
        let Some(mls) = self.mls else {
            return Ok(Held::Plain(self.plain.new_client(name)?));
        };
        let mut client = mls.new_client(name)?;
        let needs = Needs::of(walk);
        let mut declared = Declared::default();
        if needs.name && !self.has_names() {
            declared.extensions.push(NAME_EXTENSION);
        }
        if needs.leave {
            declared.proposals.push(MlsProposal::SelfRemove.proposal_type());
        }
        if declared != Declared::default() {
            client.declare(&declared)?;
        }
        Ok(Held::Mls(client))
    }

    /// Whether groups have names of their own.
    pub(super) fn has_names(&self) -> bool {
        self.plain.describe().capabilities.rename.is_yes()
    }

    /// The client as it comes up again: from its snapshot, or, where there is none to be had, from a
    /// copy of its store.
    pub(super) fn restarted(&self, client: &Held) -> Result<Held, EngineError> {
        if !self.plain.describe().capabilities.snapshot.is_yes() {
            return Ok(Held::Plain(self.plain.fork(client.engine())?));
        }
        let snapshot = client.engine().snapshot()?;
        Ok(match self.mls {
            Some(mls) => Held::Mls(mls.restore(&snapshot)?),
            None => Held::Plain(self.plain.restore(&snapshot)?),
        })
    }
}

impl Held {
    pub(super) fn engine(&self) -> &dyn CgkaEngine {
        match self {
            Self::Plain(client) => &**client,
            Self::Mls(client) => &**client,
        }
    }

    pub(super) fn engine_mut(&mut self) -> &mut dyn CgkaEngine {
        match self {
            Self::Plain(client) => &mut **client,
            Self::Mls(client) => &mut **client,
        }
    }

    pub(super) fn mls(&mut self) -> Option<&mut dyn MlsClient> {
        match self {
            Self::Plain(_) => None,
            Self::Mls(client) => Some(&mut **client),
        }
    }
}

/// What a walk needs beyond the core.
struct Needs {
    restart: bool,
    name: bool,
    leave: bool,
}

impl Needs {
    fn of(walk: &Scenario) -> Self {
        let any = |wanted: fn(&Action) -> bool| walk.steps.iter().any(|step| wanted(&step.action));
        Self {
            restart: any(|action| matches!(action, Action::Restart { .. })),
            name: any(|a| matches!(a, Action::Commit { change: Change::Rename(_), .. })),
            leave: any(|action| matches!(action, Action::Leave { .. })),
        }
    }
}
