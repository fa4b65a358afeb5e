//! `ingest_commit/{change}/{tree}/{members}`: a commit in, the new epoch entered.

use std::rc::Rc;

use engine_api::{
    CgkaEngine, Client, CommitBytes, Description, EngineError, Epoch, EpochAuthenticator, GroupId,
    Identity, Ingested, Operation, Registration,
};

use super::{Planned, agree, listed, same, words};
use crate::case::{Case, CaseId, ChangeKind, WireBytes};
use crate::checks::{Check, Ledger};
use crate::world::{self, Tree, World};

/// The last member follows a commit of the founder's.
#[derive(Clone, Copy)]
pub struct IngestCommit {
    /// What was committed.
    pub change: ChangeKind,
    /// In which tree.
    pub tree: Tree,
}

pub struct Fixture {
    world: Rc<World>,
    members_after: Vec<Identity>,
    commit: CommitBytes,
    /// The committer, after its merge.
    committer: Client,
    authenticator: EpochAuthenticator,
}

impl Case for IngestCommit {
    type Fixture = Fixture;
    type Input = Client;
    type Output = Ingested<Epoch>;

    fn id(&self) -> CaseId {
        CaseId {
            operation: Operation::IngestCommit,
            change: Some(self.change),
            tree: Some(self.tree),
        }
    }

    fn sizes(&self) -> &'static [usize] {
        &[2, 9, 33]
    }

    fn large_sizes(&self) -> &'static [usize] {
        &[101, 1001, 10_001]
    }

    fn absent(&self, engine: &Description, size: usize) -> Option<String> {
        let alone = self.change == ChangeKind::Remove && size == 2;
        let reason = "in a group of two the only receiver is the one removed, who does other work";
        alone.then(|| reason.into()).or_else(|| world::absent(engine, size, self.tree))
    }

    fn fixture(&self, engine: &Registration, size: usize) -> Result<Rc<Fixture>, EngineError> {
        let world = World::of(engine, size, self.tree)?;
        let planned = Planned::new(self.change, &world)?;
        let mut committer = world.founder.copy()?;
        let staged = committer.stage_commit(&world.group, &planned.change())?;
        let commit = staged.commit().clone();
        committer.merge_staged(staged.published())?;
        Ok(Rc::new(Fixture {
            members_after: planned.members_after(&world.members),
            commit,
            authenticator: committer.epoch_authenticator(&world.group)?,
            committer,
            world,
        }))
    }

    fn setup(&self, fixture: &Fixture) -> Result<Client, EngineError> {
        match &fixture.world.last {
            Some(last) => last.copy(),
            None => Err(EngineError::internal("setting up: nobody to receive")),
        }
    }

    fn operation(
        &self,
        fixture: &Fixture,
        receiver: &mut Client,
    ) -> Result<Ingested<Epoch>, EngineError> {
        receiver.ingest_commit(&fixture.world.group, &fixture.commit)
    }

    fn spot_check(
        &self,
        fixture: &Fixture,
        receiver: &Client,
        outcome: &Ingested<Epoch>,
    ) -> Result<(), String> {
        let applied = Ingested::Applied(Epoch(fixture.world.epoch.0 + 1));
        same("outcome", outcome, &applied)?;
        let authenticator = receiver.epoch_authenticator(&fixture.world.group);
        same("authenticator", &authenticator.map_err(words)?, &fixture.authenticator)
    }

    fn wire(&self, fixture: &Fixture, _: &Ingested<Epoch>) -> WireBytes {
        WireBytes { sent: Vec::new(), received: vec![("commit", fixture.commit.len())] }
    }

    fn client<'a>(&self, client: &'a Client) -> Option<&'a dyn CgkaEngine> {
        Some(&**client)
    }

    fn group(&self, fixture: &Fixture, _: &Ingested<Epoch>) -> Option<GroupId> {
        Some(fixture.world.group.clone())
    }

    fn check(
        &self,
        fixture: &Fixture,
        receiver: &mut Client,
        outcome: &Ingested<Epoch>,
        ledger: &mut Ledger,
    ) -> Result<(), EngineError> {
        let group = &fixture.world.group;
        let epoch = Epoch(fixture.world.epoch.0 + 1);
        ledger.expect_eq(Check::Epoch, outcome, &Ingested::Applied(epoch));
        ledger.expect_eq(Check::Members, &listed(&**receiver, group)?, &fixture.members_after);
        agree(ledger, group, epoch, &*fixture.committer, &**receiver)?;
        let authenticator = receiver.epoch_authenticator(group)?;
        ledger.expect(Check::Separation, authenticator != fixture.world.authenticator, || {
            "the same authenticator before and after the commit".into()
        });
        Ok(())
    }
}
