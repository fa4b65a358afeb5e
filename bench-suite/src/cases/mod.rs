//! The cases.

mod commit;
mod create_group;
mod ingest_app;
mod ingest_commit;
mod join_welcome;
mod send;

pub use commit::Commit;
pub use create_group::CreateGroup;
pub use ingest_app::IngestApp;
pub use ingest_commit::IngestCommit;
pub use join_welcome::JoinWelcome;
pub use send::Send;

use engine_api::{
    CgkaEngine, Change, EngineError, Epoch, GroupId, Identity, KeyPackageBytes, Member,
};

use crate::case::{Case, ChangeKind};
use crate::checks::{Check, Ledger};
use crate::original::Original;
use crate::world::{Tree, World};

/// The payload of every application message: 100 bytes of text.
pub const PAYLOAD: &[u8; 100] = b"one hundred bytes of text, which is about as much as people \
write in one message on their phone, ok.";

/// The payload of the message before the timed one. Not the same: MDK keeps one record for two
/// equal messages of one second.
const EARLIER: &[u8; 100] = b"one hundred bytes that come before the ones that are timed, and say \
something else: they go first.. ";

/// Something that is to be done with each case.
pub trait Visitor {
    /// Does it with one.
    fn visit<C: Case>(&mut self, case: C);
}

/// The sizes beyond those of the default run, of all cases.
#[must_use]
pub fn large_sizes() -> Vec<usize> {
    struct Large(Vec<usize>);
    impl Visitor for Large {
        fn visit<C: Case>(&mut self, case: C) {
            self.0.extend(case.large_sizes());
        }
    }
    let mut large = Large(Vec::new());
    visit_all(&mut large);
    large.0.sort_unstable();
    large.0.dedup();
    large.0
}

/// Shows every case to `visitor`, in the order of the tables.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit(CreateGroup);
    visitor.visit(JoinWelcome);
    visitor.visit(Send);
    visitor.visit(IngestApp);
    for change in ChangeKind::ALL {
        for tree in [Tree::Cold, Tree::Warm] {
            visitor.visit(Commit { change, tree });
        }
    }
    for change in ChangeKind::ALL {
        for tree in [Tree::Cold, Tree::Warm] {
            visitor.visit(IngestCommit { change, tree });
        }
    }
}

/// What the founder of a group commits in the commit rows.
enum Planned {
    Add(KeyPackageBytes, Box<Original>),
    Remove(Member),
    Update,
}

impl Planned {
    /// An add is of a client nobody has seen; a removal is of the member in the middle, and of
    /// the last one in a group of two.
    fn new(change: ChangeKind, world: &World) -> Result<Self, EngineError> {
        Ok(match change {
            ChangeKind::Add => {
                let mut newcomer = world.engine.new_client("newcomer")?;
                let key_package = newcomer.publish_key_package()?;
                Self::Add(key_package, Box::new(Original::new(world.engine, newcomer)?))
            }
            ChangeKind::Remove => match world.members.get(world.members.len() / 2) {
                Some(member) => Self::Remove(member.clone()),
                None => return Err(EngineError::internal("setting up: nobody to remove")),
            },
            ChangeKind::Update => Self::Update,
        })
    }

    fn change(&self) -> Change<'_> {
        match self {
            Self::Add(key_package, _) => Change::Add(std::slice::from_ref(key_package)),
            Self::Remove(member) => Change::Remove(std::slice::from_ref(member)),
            Self::Update => Change::Update,
        }
    }

    /// The identities of the members afterwards, sorted.
    fn members_after(&self, before: &[Member]) -> Vec<Identity> {
        let mut members: Vec<_> = before.iter().map(|member| member.identity.clone()).collect();
        match self {
            Self::Add(_, newcomer) => members.push(newcomer.identity()),
            Self::Remove(out) => members.retain(|identity| *identity != out.identity),
            Self::Update => {}
        }
        members.sort();
        members
    }
}

/// The identities that a client lists, sorted.
fn listed(client: &dyn CgkaEngine, group: &GroupId) -> Result<Vec<Identity>, EngineError> {
    let members = client.members(group)?;
    let mut listed: Vec<_> = members.into_iter().map(|member| member.identity).collect();
    listed.sort();
    Ok(listed)
}

/// Checks that two clients stand at the same point of the same group, and which.
fn agree(
    ledger: &mut Ledger,
    group: &GroupId,
    epoch: Epoch,
    one: &dyn CgkaEngine,
    other: &dyn CgkaEngine,
) -> Result<(), EngineError> {
    ledger.expect_eq(Check::Epoch, &one.epoch(group)?, &epoch);
    ledger.expect_eq(Check::Epoch, &other.epoch(group)?, &epoch);
    ledger.expect_eq(Check::Members, &one.members(group)?, &other.members(group)?);
    let (one, other) = (one.epoch_authenticator(group)?, other.epoch_authenticator(group)?);
    ledger.expect_eq(Check::Agreement, &one, &other);
    Ok(())
}

/// For spot checks: the error in words.
fn words(why: EngineError) -> String {
    why.to_string()
}

/// For spot checks: whether two values are equal.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, is: &T, should_be: &T) -> Result<(), String> {
    if is == should_be { Ok(()) } else { Err(format!("{what}: {is:?} instead of {should_be:?}")) }
}
