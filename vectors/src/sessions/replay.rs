//! Replaying a session on an engine.

use engine_api::{
    AnyMlsClient, EngineError, GroupId, Ingested, MlsEffect, MlsRegistration, RatchetTreeBytes,
    WelcomeBytes,
};

use super::data::{bytes, to_hex};
use super::{Expected, Session, State, Step};

/// What came of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// It went as recorded, and this many things were compared.
    Agrees(usize),
    /// It went another way.
    Differs(String),
    /// The engine can't take the member.
    Unsupported(String),
}

/// Shows a session to the engine, to its end.
#[must_use]
pub fn replay(engine: &MlsRegistration, session: &Session) -> Replayed {
    let client = match session.client() {
        Ok(client) => client,
        Err(why) => return Replayed::Differs(why.to_string()),
    };
    let client = match engine.import(&client) {
        Ok(client) => client,
        Err(EngineError::Unsupported(why)) => return Replayed::Unsupported(why),
        Err(why) => return Replayed::Differs(format!("import: {why}")),
    };
    let mut viewer = Viewer { client, compared: 0 };
    match viewer.watch(session) {
        Ok(()) => Replayed::Agrees(viewer.compared),
        Err(why) => Replayed::Differs(why),
    }
}

struct Viewer {
    client: AnyMlsClient,
    compared: usize,
}

impl Viewer {
    fn watch(&mut self, session: &Session) -> Result<(), String> {
        let told = |why: &dyn std::fmt::Display| format!("Welcome: {why}");
        let welcome = WelcomeBytes::new(bytes(&session.welcome).map_err(|why| told(&why))?);
        let tree = session.ratchet_tree.as_deref().map(bytes).transpose();
        let tree = tree.map_err(|why| told(&why))?.map(RatchetTreeBytes);
        let group = self.client.join(&welcome, tree.as_ref()).map_err(|why| told(&why))?;
        self.compare(&group, &session.joined).map_err(|why| told(&why))?;
        for (number, step) in session.steps.iter().enumerate() {
            let done = self.take(&group, step);
            done.map_err(|why| format!("step {number}, {}: {why}", step.what))?;
        }
        Ok(())
    }

    fn take(&mut self, group: &GroupId, step: &Step) -> Result<(), String> {
        let message = bytes(&step.message).map_err(|why| why.to_string())?;
        let outcome = self.client.ingest(group, &message).map_err(|why| why.to_string())?;
        match (&step.expected, outcome) {
            (
                Expected::Proposal(wanted),
                Ingested::Applied(MlsEffect::Proposal { proposal_type, .. }),
            ) => self.same("proposal_type", &wanted.unwrap_or(proposal_type), &proposal_type),
            (Expected::Commit(state), Ingested::Applied(MlsEffect::Commit(_))) => {
                self.compare(group, state)
            }
            (
                Expected::Application { sender, payload },
                Ingested::Applied(MlsEffect::Application(message)),
            ) => {
                self.same("sender", sender, &to_hex(message.sender.as_slice()))?;
                self.same("payload", payload, &to_hex(&message.payload))
            }
            (Expected::Removed, Ingested::Removed) => self.same("removal", &(), &()),
            (_, outcome) => Err(format!("{outcome:?}")),
        }
    }

    fn compare(&mut self, group: &GroupId, wanted: &State) -> Result<(), String> {
        let told = |why: EngineError| why.to_string();
        if let Some(epoch) = wanted.epoch {
            self.same("epoch", &epoch, &self.client.epoch(group).map_err(told)?.0)?;
        }
        let authenticator = self.client.epoch_authenticator(group).map_err(told)?;
        let authenticator = to_hex(authenticator.as_slice());
        self.same("epoch_authenticator", &wanted.epoch_authenticator, &authenticator)?;
        if let Some(members) = &wanted.members {
            let found = self.client.members(group).map_err(told)?;
            let found = found.iter().map(|member| to_hex(member.identity.as_slice()));
            self.same("members", members, &found.collect())?;
        }
        Ok(())
    }

    fn same<T: PartialEq + std::fmt::Debug>(
        &mut self,
        what: &str,
        wanted: &T,
        found: &T,
    ) -> Result<(), String> {
        self.compared += 1;
        if wanted == found {
            Ok(())
        } else {
            Err(format!("{what} {found:?} instead of {wanted:?}"))
        }
    }
}
