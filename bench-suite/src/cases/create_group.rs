//! `create_group/{invitees}`: key packages in, Welcomes out, the group ready to send.

use std::rc::Rc;

use engine_api::{
    CgkaEngine, Client, Description, EngineError, Epoch, Founded, GroupId, KeyPackageBytes,
    Operation, Registration,
};

use super::{agree, same, words};
use crate::case::{Case, CaseId, WireBytes};
use crate::checks::{Check, Ledger};
use crate::original::Original;

/// The founding of a group.
#[derive(Clone, Copy)]
pub struct CreateGroup;

pub struct Fixture {
    engine: Registration,
    key_packages: Vec<KeyPackageBytes>,
    last_invitee: Option<Original>,
}

impl Case for CreateGroup {
    type Fixture = Fixture;
    type Input = Client;
    type Output = Founded;

    fn id(&self) -> CaseId {
        CaseId::plain(Operation::CreateGroup)
    }

    fn sizes(&self) -> &'static [usize] {
        &[0, 1, 8, 32]
    }

    fn large_sizes(&self) -> &'static [usize] {
        &[100, 1000, 10_000]
    }

    /// It needs no group that is there.
    fn absent(&self, _: &Description, _: usize) -> Option<String> {
        None
    }

    fn fixture(&self, engine: &Registration, size: usize) -> Result<Rc<Fixture>, EngineError> {
        let mut key_packages = Vec::with_capacity(size);
        let mut last_invitee = None;
        for index in 0..size {
            let mut invitee = engine.new_client(&format!("invitee {index}"))?;
            key_packages.push(invitee.publish_key_package()?);
            last_invitee = Some(invitee);
        }
        Ok(Rc::new(Fixture {
            engine: *engine,
            key_packages,
            last_invitee: last_invitee.map(|client| Original::new(*engine, client)).transpose()?,
        }))
    }

    fn setup(&self, fixture: &Fixture) -> Result<Client, EngineError> {
        fixture.engine.new_client("founder")
    }

    fn operation(&self, fixture: &Fixture, founder: &mut Client) -> Result<Founded, EngineError> {
        founder.create_group(&fixture.key_packages)
    }

    fn spot_check(
        &self,
        fixture: &Fixture,
        founder: &Client,
        founded: &Founded,
    ) -> Result<(), String> {
        let members = founder.members(&founded.group).map_err(words)?;
        same("members", &members.len(), &(fixture.key_packages.len() + 1))
    }

    fn wire(&self, fixture: &Fixture, founded: &Founded) -> WireBytes {
        let commits = founded.published_commits.iter().map(|commit| commit.len()).sum();
        let key_packages = fixture.key_packages.iter().map(|package| package.len()).sum();
        WireBytes {
            sent: vec![("commit", commits), ("welcome", founded.welcomes.encoded_len())],
            received: vec![("key package", key_packages)],
        }
    }

    fn client<'a>(&self, client: &'a Client) -> Option<&'a dyn CgkaEngine> {
        Some(&**client)
    }

    fn group(&self, _: &Fixture, founded: &Founded) -> Option<GroupId> {
        Some(founded.group.clone())
    }

    fn check(
        &self,
        fixture: &Fixture,
        founder: &mut Client,
        founded: &Founded,
        ledger: &mut Ledger,
    ) -> Result<(), EngineError> {
        let invitees = fixture.key_packages.len();
        let members = founder.members(&founded.group)?;
        ledger.expect_eq(Check::Members, &members.len(), &(invitees + 1));
        let Some(last) = &fixture.last_invitee else {
            let epoch = founder.epoch(&founded.group)?;
            ledger.expect_eq(Check::Epoch, &epoch, &Epoch(0));
            return Ok(());
        };
        let Some(welcome) = founded.welcomes.for_invitee(invitees - 1) else {
            return Err(EngineError::internal("no Welcome for the last invitee"));
        };
        let mut last = last.copy()?;
        let group = last.join_welcome(welcome)?;
        ledger.expect_eq(Check::Agreement, &group, &founded.group);
        let commits = u64::try_from(founded.published_commits.len()).unwrap_or(u64::MAX);
        agree(ledger, &group, Epoch(commits.max(1)), &**founder, &*last)
    }
}
