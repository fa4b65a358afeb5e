//! `ingest_app/{members}`: a message in, its payload out.

use std::rc::Rc;

use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Client, EngineError, GroupId, Ingested, Operation,
    Registration,
};

use super::{EARLIER, PAYLOAD};
use crate::case::{Case, CaseId, WireBytes};
use crate::checks::{Check, Ledger};
use crate::world::{Tree, World};

/// The last member reads the founder's second message of the epoch, having read the first.
#[derive(Clone, Copy)]
pub struct IngestApp;

pub struct Fixture {
    world: Rc<World>,
    first: AppBytes,
    second: AppBytes,
}

impl Case for IngestApp {
    type Fixture = Fixture;
    type Input = Client;
    type Output = Ingested<AppMessage>;

    fn id(&self) -> CaseId {
        CaseId::plain(Operation::IngestApp)
    }

    fn sizes(&self) -> &'static [usize] {
        &[2, 9, 33]
    }

    fn large_sizes(&self) -> &'static [usize] {
        &[101, 1001, 10_001]
    }

    fn fixture(&self, engine: &Registration, size: usize) -> Result<Rc<Fixture>, EngineError> {
        let world = World::of(engine, size, Tree::Cold)?;
        let mut sender = world.founder.copy()?;
        let first = sender.send(&world.group, EARLIER)?;
        let second = sender.send(&world.group, PAYLOAD)?;
        Ok(Rc::new(Fixture { world, first, second }))
    }

    fn setup(&self, fixture: &Fixture) -> Result<Client, EngineError> {
        let Some(last) = &fixture.world.last else {
            return Err(EngineError::internal("setting up: nobody to receive"));
        };
        let mut receiver = last.copy()?;
        match receiver.ingest_app(&fixture.world.group, &fixture.first)? {
            Ingested::Applied(_) => Ok(receiver),
            other => Err(EngineError::internal(format_args!("the message before: {other:?}"))),
        }
    }

    fn operation(
        &self,
        fixture: &Fixture,
        receiver: &mut Client,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        receiver.ingest_app(&fixture.world.group, &fixture.second)
    }

    fn spot_check(
        &self,
        _: &Fixture,
        _: &Client,
        outcome: &Ingested<AppMessage>,
    ) -> Result<(), String> {
        match outcome {
            Ingested::Applied(received) if received.payload == PAYLOAD => Ok(()),
            other => Err(format!("{other:?}")),
        }
    }

    fn wire(&self, fixture: &Fixture, _: &Ingested<AppMessage>) -> WireBytes {
        WireBytes { sent: Vec::new(), received: vec![("application", fixture.second.len())] }
    }

    fn client<'a>(&self, client: &'a Client) -> Option<&'a dyn CgkaEngine> {
        Some(&**client)
    }

    fn group(&self, fixture: &Fixture, _: &Ingested<AppMessage>) -> Option<GroupId> {
        Some(fixture.world.group.clone())
    }

    fn check(
        &self,
        fixture: &Fixture,
        _: &mut Client,
        outcome: &Ingested<AppMessage>,
        ledger: &mut Ledger,
    ) -> Result<(), EngineError> {
        match outcome {
            Ingested::Applied(received) => {
                let founder = fixture.world.members.first().map(|member| &member.identity);
                ledger.expect_eq(Check::Plaintext, &received.payload[..], &PAYLOAD[..]);
                ledger.expect_eq(Check::Sender, &Some(&received.sender), &founder);
            }
            other => ledger.expect(Check::Plaintext, false, || other.name().into()),
        }
        Ok(())
    }
}
