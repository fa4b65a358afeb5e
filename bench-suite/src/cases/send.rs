//! `send/{members}`: a payload in, a message out.

use std::rc::Rc;

use engine_api::{
    AppBytes, CgkaEngine, Client, EngineError, GroupId, Ingested, Operation, Registration,
};

use super::{EARLIER, PAYLOAD, words};
use crate::case::{Case, CaseId, WireBytes};
use crate::checks::{Check, Ledger};
use crate::world::{Tree, World};

/// The founder sends its second message of the epoch: the first derives keys that the others
/// don't, and is sent before.
#[derive(Clone, Copy)]
pub struct Send;

impl Case for Send {
    type Fixture = World;
    type Input = Client;
    type Output = AppBytes;

    fn id(&self) -> CaseId {
        CaseId::plain(Operation::Send)
    }

    fn sizes(&self) -> &'static [usize] {
        &[1, 2, 9, 33]
    }

    fn large_sizes(&self) -> &'static [usize] {
        &[101, 1001, 10_001]
    }

    fn fixture(&self, engine: &Registration, size: usize) -> Result<Rc<World>, EngineError> {
        World::of(engine, size, Tree::Cold)
    }

    fn setup(&self, world: &World) -> Result<Client, EngineError> {
        let mut sender = world.founder.copy()?;
        sender.send(&world.group, EARLIER)?;
        Ok(sender)
    }

    fn operation(&self, world: &World, sender: &mut Client) -> Result<AppBytes, EngineError> {
        sender.send(&world.group, PAYLOAD)
    }

    fn spot_check(&self, world: &World, sender: &Client, message: &AppBytes) -> Result<(), String> {
        let epoch = sender.epoch(&world.group).map_err(words)?;
        if message.len() < PAYLOAD.len() || epoch != world.epoch {
            return Err(format!("a message of {} bytes in epoch {epoch}", message.len()));
        }
        Ok(())
    }

    fn wire(&self, _: &World, message: &AppBytes) -> WireBytes {
        WireBytes { sent: vec![("application", message.len())], received: Vec::new() }
    }

    fn client<'a>(&self, client: &'a Client) -> Option<&'a dyn CgkaEngine> {
        Some(&**client)
    }

    fn group(&self, world: &World, _: &AppBytes) -> Option<GroupId> {
        Some(world.group.clone())
    }

    fn check(
        &self,
        world: &World,
        sender: &mut Client,
        message: &AppBytes,
        ledger: &mut Ledger,
    ) -> Result<(), EngineError> {
        ledger.expect_eq(Check::Epoch, &sender.epoch(&world.group)?, &world.epoch);
        let Some(last) = &world.last else {
            return Ok(());
        };
        match last.copy()?.ingest_app(&world.group, message)? {
            Ingested::Applied(received) => {
                ledger.expect_eq(Check::Plaintext, &received.payload[..], &PAYLOAD[..]);
                ledger.expect_eq(Check::Sender, &received.sender, &sender.identity());
            }
            other => ledger.expect(Check::Plaintext, false, || other.name().into()),
        }
        Ok(())
    }
}
