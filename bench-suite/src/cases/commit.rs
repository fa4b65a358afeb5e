//! `commit/{change}/{tree}/{members}`: the committer's side, staging and merging together.
//!
//! Engines divide the work between the two calls differently, so only the sum is comparable. The
//! publishing in between takes no time here.

use std::rc::Rc;
use std::sync::Arc;

use engine_api::{
    CgkaEngine, Client, EngineError, Epoch, GroupId, Ingested, Operation, Publication, Registration,
};

use super::{Planned, agree, listed, same, words};
use crate::case::{Case, CaseId, ChangeKind, WireBytes};
use crate::checks::{Check, Ledger};
use crate::world::{Tree, World};

/// The founder commits a change.
#[derive(Clone, Copy)]
pub struct Commit {
    /// Which.
    pub change: ChangeKind,
    /// In which tree.
    pub tree: Tree,
}

pub struct Fixture {
    world: Rc<World>,
    planned: Planned,
}

pub struct Output {
    publication: Arc<Publication>,
    epoch: Epoch,
}

impl Case for Commit {
    type Fixture = Fixture;
    type Input = Client;
    type Output = Output;

    fn id(&self) -> CaseId {
        CaseId { operation: Operation::Commit, change: Some(self.change), tree: Some(self.tree) }
    }

    fn sizes(&self) -> &'static [usize] {
        &[2, 9, 33]
    }

    fn large_sizes(&self) -> &'static [usize] {
        &[101, 1001, 10_001]
    }

    fn fixture(&self, engine: &Registration, size: usize) -> Result<Rc<Fixture>, EngineError> {
        let world = World::of(engine, size, self.tree)?;
        let planned = Planned::new(self.change, &world)?;
        Ok(Rc::new(Fixture { world, planned }))
    }

    fn setup(&self, fixture: &Fixture) -> Result<Client, EngineError> {
        fixture.world.founder.copy()
    }

    fn operation(&self, fixture: &Fixture, committer: &mut Client) -> Result<Output, EngineError> {
        let staged = committer.stage_commit(&fixture.world.group, &fixture.planned.change())?;
        let publication = staged.publication();
        let epoch = committer.merge_staged(staged.published())?;
        Ok(Output { publication, epoch })
    }

    fn spot_check(
        &self,
        fixture: &Fixture,
        committer: &Client,
        output: &Output,
    ) -> Result<(), String> {
        let next = Epoch(fixture.world.epoch.0 + 1);
        same("epoch entered", &output.epoch, &next)?;
        same("epoch", &committer.epoch(&fixture.world.group).map_err(words)?, &next)
    }

    fn wire(&self, fixture: &Fixture, output: &Output) -> WireBytes {
        let Publication { commit, welcomes } = &*output.publication;
        let received = match &fixture.planned {
            Planned::Add(key_package, _) => vec![("key package", key_package.len())],
            Planned::Remove(_) | Planned::Update => Vec::new(),
        };
        let sent = vec![("commit", commit.len()), ("welcome", welcomes.encoded_len())];
        WireBytes { sent, received }
    }

    fn client<'a>(&self, client: &'a Client) -> Option<&'a dyn CgkaEngine> {
        Some(&**client)
    }

    fn group(&self, fixture: &Fixture, _: &Output) -> Option<GroupId> {
        Some(fixture.world.group.clone())
    }

    fn check(
        &self,
        fixture: &Fixture,
        committer: &mut Client,
        output: &Output,
        ledger: &mut Ledger,
    ) -> Result<(), EngineError> {
        let world = &fixture.world;
        let epoch = Epoch(world.epoch.0 + 1);
        let members = fixture.planned.members_after(&world.members);
        ledger.expect_eq(Check::Members, &listed(&**committer, &world.group)?, &members);
        ledger.expect_eq(Check::Epoch, &output.epoch, &epoch);
        if let Planned::Add(_, newcomer) = &fixture.planned {
            let Some(welcome) = output.publication.welcomes.for_invitee(0) else {
                return Err(EngineError::internal("no Welcome for the newcomer"));
            };
            let mut newcomer = newcomer.copy()?;
            let group = newcomer.join_welcome(welcome)?;
            agree(ledger, &group, epoch, &**committer, &*newcomer)?;
        }
        let Some(last) = &world.last else {
            return Ok(());
        };
        let mut last = last.copy()?;
        match last.ingest_commit(&world.group, &output.publication.commit)? {
            Ingested::Applied(_) => agree(ledger, &world.group, epoch, &**committer, &*last)?,
            Ingested::Removed => {
                ledger.expect_eq(Check::RemovedIsTold, &members, &vec![committer.identity()]);
            }
            other => ledger.expect(Check::Agreement, false, || other.name().into()),
        }
        Ok(())
    }
}
