//! What a case is: setup, operation and check, apart from each other.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use engine_api::{
    CgkaEngine, Description, EncodedSizes, EngineError, GroupId, Operation, Registration,
};

use crate::checks::{Check, Ledger};
use crate::original::Copying;
use crate::world::{self, Tree};

/// One kind of measured work, written once for all engines.
///
/// Only [`operation`](Case::operation) is ever inside a timed window. Everything that it needs is
/// made by [`fixture`](Case::fixture) (once per row) and [`setup`](Case::setup) (once per sample),
/// and everything that it leaves is checked and dropped afterwards.
pub trait Case: Copy {
    /// What all samples of a row share.
    type Fixture;
    /// What one sample consumes: clients in a fresh, identical state, and the bytes for them.
    type Input;
    /// What the operation returns.
    type Output;

    /// Which row this is.
    fn id(&self) -> CaseId;

    /// The sizes of the default run; [`CaseId::size_means`] says of what.
    fn sizes(&self) -> &'static [usize];

    /// The further sizes, run on demand.
    fn large_sizes(&self) -> &'static [usize];

    /// Why there can be no such row, if there can't.
    fn absent(&self, engine: &Description, size: usize) -> Option<String> {
        world::absent(engine, size, self.id().tree.unwrap_or(Tree::Cold))
    }

    /// Builds what all samples share. Not timed.
    ///
    /// # Errors
    /// What the engine gives.
    fn fixture(&self, engine: &Registration, size: usize)
    -> Result<Rc<Self::Fixture>, EngineError>;

    /// Makes one sample's input. Not timed.
    ///
    /// # Errors
    /// What the engine gives.
    fn setup(&self, fixture: &Self::Fixture) -> Result<Self::Input, EngineError>;

    /// The work. This and nothing else is timed.
    ///
    /// # Errors
    /// What the engine gives.
    fn operation(
        &self,
        fixture: &Self::Fixture,
        input: &mut Self::Input,
    ) -> Result<Self::Output, EngineError>;

    /// Looks at a timed sample's result: cheap, but enough to tell that the work was done.
    ///
    /// # Errors
    /// What was wrong, in words.
    fn spot_check(
        &self,
        fixture: &Self::Fixture,
        input: &Self::Input,
        output: &Self::Output,
    ) -> Result<(), String>;

    /// What the operation was given from the network and returns for it, in bytes.
    fn wire(&self, fixture: &Self::Fixture, output: &Self::Output) -> WireBytes;

    /// The client that does the work.
    fn client<'a>(&self, input: &'a Self::Input) -> Option<&'a dyn CgkaEngine> {
        let _ = input;
        None
    }

    /// The group that the work was done in.
    fn group(&self, fixture: &Self::Fixture, output: &Self::Output) -> Option<GroupId> {
        let _ = (fixture, output);
        None
    }

    /// Checks a result to the end, with the other members. Not timed.
    ///
    /// # Errors
    /// What the engine gives where a check can't even be made.
    fn check(
        &self,
        fixture: &Self::Fixture,
        input: &mut Self::Input,
        output: &Self::Output,
        ledger: &mut Ledger,
    ) -> Result<(), EngineError>;
}

/// Bytes by kind of message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireBytes {
    /// What an operation returns for publishing.
    pub sent: Vec<(&'static str, usize)>,
    /// What it was given.
    pub received: Vec<(&'static str, usize)>,
}

/// What a commit row changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// One new member.
    Add,
    /// One member less.
    Remove,
    /// Fresh keys for the committer.
    Update,
}

impl ChangeKind {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 3] = [Self::Add, Self::Remove, Self::Update];

    /// The kind's name in row names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Remove => "remove",
            Self::Update => "update",
        }
    }
}

/// A row's name, without its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CaseId {
    /// The operation that is timed.
    pub operation: Operation,
    /// What is committed, for the commit rows.
    pub change: Option<ChangeKind>,
    /// The tree's shape, for the commit rows.
    pub tree: Option<Tree>,
}

impl CaseId {
    /// A row whose operation says it all.
    #[must_use]
    pub const fn plain(operation: Operation) -> Self {
        Self { operation, change: None, tree: None }
    }

    /// What the number in the row's name counts.
    #[must_use]
    pub fn size_means(&self) -> &'static str {
        match self.operation {
            Operation::CreateGroup => "invitees",
            Operation::JoinWelcome => "members, the joiner included",
            Operation::Send | Operation::IngestApp => "members",
            Operation::Commit | Operation::IngestCommit => "members before the commit",
        }
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.operation.name())?;
        if let Some(change) = self.change {
            write!(f, "/{}", change.name())?;
        }
        if let Some(tree) = self.tree {
            write!(f, "/{}", tree.name())?;
        }
        Ok(())
    }
}

/// A row of one engine, ready to be sampled.
pub struct Row<C: Case> {
    case: C,
    engine: Registration,
    size: usize,
    fixture: Rc<C::Fixture>,
    copying: Copying,
}

impl<C: Case> Row<C> {
    /// Builds the row's fixture.
    ///
    /// # Errors
    /// What the engine gives.
    pub fn new(case: C, engine: &Registration, size: usize) -> Result<Self, EngineError> {
        Ok(Self {
            case,
            engine: *engine,
            size,
            fixture: case.fixture(engine, size)?,
            copying: Copying::of(&engine.describe()),
        })
    }

    /// Runs one sample and checks it to the end: what has to pass before the row is timed.
    ///
    /// # Errors
    /// What the engine gives. A result that is wrong is in the ledger.
    pub fn check(&self, ledger: &mut Ledger) -> Result<(), EngineError> {
        let mut sample = self.sample()?;
        sample.run();
        if matches!(sample.output, Some(Ok(_))) {
            let spot = sample.spot_check().err();
            ledger.expect(Check::Works, spot.is_none(), || spot.unwrap_or_default());
        }
        sample.check(ledger)
    }

    /// One sample, before its operation. Where the engine can't be copied, everything that the
    /// sample stands on is built anew.
    ///
    /// # Errors
    /// What the engine gives.
    pub fn sample(&self) -> Result<Sample<C>, EngineError> {
        let fixture = match self.copying {
            Copying::Once => self.case.fixture(&self.engine, self.size)?,
            Copying::Fork | Copying::Restore => Rc::clone(&self.fixture),
        };
        let input = self.case.setup(&fixture)?;
        Ok(Sample { case: self.case, fixture, input, output: None })
    }
}

/// One execution of a case.
pub struct Sample<C: Case> {
    case: C,
    fixture: Rc<C::Fixture>,
    input: C::Input,
    output: Option<Result<C::Output, EngineError>>,
}

impl<C: Case> Sample<C> {
    /// Does the work. The only thing to time.
    #[inline]
    pub fn run(&mut self) {
        self.output = Some(self.case.operation(&self.fixture, &mut self.input));
    }

    /// Whether the work was done.
    ///
    /// # Errors
    /// What was wrong, in words.
    pub fn spot_check(&self) -> Result<(), String> {
        match &self.output {
            None => Err("not run".into()),
            Some(Err(why)) => Err(why.to_string()),
            Some(Ok(output)) => self.case.spot_check(&self.fixture, &self.input, output),
        }
    }

    /// What went over the wire; nothing of an operation that failed.
    pub fn wire(&self) -> Option<WireBytes> {
        match &self.output {
            Some(Ok(output)) => Some(self.case.wire(&self.fixture, output)),
            _ => None,
        }
    }

    /// How many bytes the client that does the work has given to its store so far.
    #[must_use]
    pub fn written_bytes(&self) -> Option<u64> {
        self.case.client(&self.input)?.written_bytes()
    }

    /// The sizes of its group after the operation; none of an operation that failed.
    #[must_use]
    pub fn sizes(&self) -> Option<EncodedSizes> {
        let Some(Ok(output)) = &self.output else {
            return None;
        };
        let group = self.case.group(&self.fixture, output)?;
        self.case.client(&self.input)?.encoded_sizes(&group).ok()
    }

    /// Checks the result to the end.
    ///
    /// # Errors
    /// What the operation or a check's own calls gave.
    pub fn check(mut self, ledger: &mut Ledger) -> Result<(), EngineError> {
        match self.output.take() {
            None => Err(EngineError::internal("not run")),
            Some(Err(why)) => Err(why),
            Some(Ok(output)) => {
                let input = &mut self.input;
                self.case.check(&self.fixture, input, &output, ledger)
            }
        }
    }
}

/// A sample in a timing loop: when the loop drops it, outside the window, its result is looked at
/// and the first fault is kept.
pub struct Watched<'a, C: Case> {
    /// The sample.
    pub sample: Sample<C>,
    /// Where the fault goes.
    pub fault: &'a RefCell<Option<String>>,
}

impl<C: Case> Drop for Watched<'_, C> {
    fn drop(&mut self) {
        if let Err(why) = self.sample.spot_check() {
            self.fault.borrow_mut().get_or_insert(why);
        }
    }
}
