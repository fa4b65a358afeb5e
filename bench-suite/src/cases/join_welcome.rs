//! `join_welcome/{members}`: a Welcome in, a group that can be used.

use std::rc::Rc;

use engine_api::{
    CgkaEngine, Client, EngineError, Epoch, GroupId, Operation, Registration, WelcomeBytes,
};

use super::{agree, same, words};
use crate::case::{Case, CaseId, WireBytes};
use crate::checks::{Check, Ledger};
use crate::original::Original;
use crate::world::{self, Tree};

/// The joining of a group whose founder has just added everybody.
#[derive(Clone, Copy)]
pub struct JoinWelcome;

pub struct Fixture {
    founder: Client,
    group: GroupId,
    welcome: WelcomeBytes,
    joiner: Original,
    members: usize,
    epoch: Epoch,
}

impl Case for JoinWelcome {
    type Fixture = Fixture;
    type Input = Client;
    type Output = GroupId;

    fn id(&self) -> CaseId {
        CaseId::plain(Operation::JoinWelcome)
    }

    fn sizes(&self) -> &'static [usize] {
        &[2, 8, 33]
    }

    fn large_sizes(&self) -> &'static [usize] {
        &[101, 1001, 10_001]
    }

    fn fixture(&self, engine: &Registration, size: usize) -> Result<Rc<Fixture>, EngineError> {
        if world::is_constructed(&engine.describe(), size) {
            let large = world::large_group(engine, size, Tree::Cold)?;
            return Ok(Rc::new(Fixture {
                members: size,
                epoch: large.first.epoch(&large.group)?,
                founder: large.first,
                group: large.group,
                welcome: large.welcome,
                joiner: Original::new(*engine, large.last)?,
            }));
        }
        let mut founder = engine.new_client("founder")?;
        let mut joiner = engine.new_client("joiner")?;
        let mut key_packages = Vec::with_capacity(size);
        for index in 2..size {
            let mut invitee = engine.new_client(&format!("invitee {index}"))?;
            key_packages.push(invitee.publish_key_package()?);
        }
        key_packages.push(joiner.publish_key_package()?);
        let founded = founder.create_group(&key_packages)?;
        let Some(welcome) = founded.welcomes.for_invitee(key_packages.len() - 1) else {
            return Err(EngineError::internal("setting up: no Welcome"));
        };
        let commits = u64::try_from(founded.published_commits.len()).unwrap_or(u64::MAX);
        Ok(Rc::new(Fixture {
            members: size,
            epoch: Epoch(commits.max(1)),
            founder,
            group: founded.group,
            welcome: welcome.clone(),
            joiner: Original::new(*engine, joiner)?,
        }))
    }

    fn setup(&self, fixture: &Fixture) -> Result<Client, EngineError> {
        fixture.joiner.copy()
    }

    fn operation(&self, fixture: &Fixture, joiner: &mut Client) -> Result<GroupId, EngineError> {
        joiner.join_welcome(&fixture.welcome)
    }

    fn spot_check(
        &self,
        fixture: &Fixture,
        joiner: &Client,
        group: &GroupId,
    ) -> Result<(), String> {
        let joined = joiner.epoch_authenticator(group).map_err(words)?;
        let founded = fixture.founder.epoch_authenticator(&fixture.group);
        same("authenticator", &joined, &founded.map_err(words)?)
    }

    fn wire(&self, fixture: &Fixture, _: &GroupId) -> WireBytes {
        WireBytes { sent: Vec::new(), received: vec![("welcome", fixture.welcome.len())] }
    }

    fn client<'a>(&self, client: &'a Client) -> Option<&'a dyn CgkaEngine> {
        Some(&**client)
    }

    fn group(&self, _: &Fixture, group: &GroupId) -> Option<GroupId> {
        Some(group.clone())
    }

    fn check(
        &self,
        fixture: &Fixture,
        joiner: &mut Client,
        group: &GroupId,
        ledger: &mut Ledger,
    ) -> Result<(), EngineError> {
        ledger.expect_eq(Check::Members, &joiner.members(group)?.len(), &fixture.members);
        agree(ledger, group, fixture.epoch, &*fixture.founder, &**joiner)
    }
}
