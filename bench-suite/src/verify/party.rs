//! A group whose members are all at hand, of one engine or of several.

use std::sync::Arc;

use engine_api::{
    AppBytes, CgkaEngine, Change, Client, EngineError, Epoch, EpochAuthenticator, GroupId,
    Identity, Ingested, LeafIndex, Member, Publication, Registration,
};

use crate::checks::{Check, Ledger};

/// A group and its members' clients; the founder is the first.
pub(super) struct Party {
    pub(super) group: GroupId,
    pub(super) clients: Vec<Client>,
}

/// What refusals must not change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct State {
    epoch: Epoch,
    members: Vec<Member>,
    own_leaf: LeafIndex,
    authenticator: EpochAuthenticator,
}

impl State {
    pub(super) fn of(client: &dyn CgkaEngine, group: &GroupId) -> Result<Self, EngineError> {
        Ok(Self {
            epoch: client.epoch(group)?,
            members: client.members(group)?,
            own_leaf: client.own_leaf(group)?,
            authenticator: client.epoch_authenticator(group)?,
        })
    }

    /// The part that two members of a group have in common.
    pub(super) fn authenticated(&self) -> (Epoch, &[Member], &EpochAuthenticator) {
        (self.epoch, &self.members, &self.authenticator)
    }
}

impl Party {
    /// The first engine founds, the others join, each under a name of its own.
    pub(super) fn found(engines: &[Registration]) -> Result<Self, EngineError> {
        let mut clients = Vec::with_capacity(engines.len());
        for (index, engine) in engines.iter().enumerate() {
            clients.push(engine.new_client(&format!("member {index}"))?);
        }
        let mut key_packages = Vec::with_capacity(engines.len());
        for client in clients.iter_mut().skip(1) {
            key_packages.push(client.publish_key_package()?);
        }
        let Some(founder) = clients.first_mut() else {
            return Err(EngineError::internal("a party of nobody"));
        };
        let founded = founder.create_group(&key_packages)?;
        for (index, client) in clients.iter_mut().skip(1).enumerate() {
            let welcome = founded.welcomes.for_invitee(index);
            client.join_welcome(welcome.ok_or_else(|| EngineError::internal("no Welcome"))?)?;
        }
        Ok(Self { group: founded.group, clients })
    }

    /// `by` commits a change and everybody else applies it.
    pub(super) fn commit(
        &mut self,
        by: usize,
        change: &Change<'_>,
    ) -> Result<Arc<Publication>, EngineError> {
        let committer = &mut self.clients[by];
        let staged = committer.stage_commit(&self.group, change)?;
        let publication = staged.publication();
        let entered = committer.merge_staged(staged.published())?;
        if entered != committer.epoch(&self.group)? {
            return Err(EngineError::internal(format_args!(
                "client {by} says that it entered epoch {entered}, and isn't there"
            )));
        }
        for (index, client) in self.clients.iter_mut().enumerate() {
            if index == by {
                continue;
            }
            match client.ingest_commit(&self.group, &publication.commit)? {
                Ingested::Applied(epoch) if epoch == entered => {}
                other => {
                    return Err(EngineError::internal(format_args!(
                        "client {index} took client {by}'s commit as {other:?}"
                    )));
                }
            }
        }
        Ok(publication)
    }

    /// `by` adds a new client of `engine`, which joins.
    pub(super) fn add(
        &mut self,
        by: usize,
        engine: &Registration,
        name: &str,
    ) -> Result<(), EngineError> {
        let mut joiner = engine.new_client(name)?;
        let key_package = joiner.publish_key_package()?;
        let publication = self.commit(by, &Change::Add(std::slice::from_ref(&key_package)))?;
        let welcome = publication.welcomes.for_invitee(0);
        joiner.join_welcome(welcome.ok_or_else(|| EngineError::internal("no Welcome"))?)?;
        self.clients.push(joiner);
        Ok(())
    }

    /// `by` removes the client at `victim`, which is told and leaves the party.
    pub(super) fn remove(
        &mut self,
        by: usize,
        victim: usize,
        ledger: &mut Ledger,
    ) -> Result<Client, EngineError> {
        let mut out = self.clients.remove(victim);
        let by = if victim < by { by - 1 } else { by };
        let identity = out.identity();
        let members = self.clients[by].members(&self.group)?;
        let Some(member) = members.into_iter().find(|member| member.identity == identity) else {
            return Err(EngineError::internal("the one to remove is not listed"));
        };
        let publication = self.commit(by, &Change::Remove(&[member]))?;
        let told = out.ingest_commit(&self.group, &publication.commit)?;
        ledger.expect_eq(Check::RemovedIsTold, &told.name(), &"removed");
        Ok(out)
    }

    /// `by` sends, and everybody else reads it.
    pub(super) fn say(
        &mut self,
        by: usize,
        payload: &[u8],
        ledger: &mut Ledger,
    ) -> Result<AppBytes, EngineError> {
        let sender = self.clients[by].identity();
        let message = self.clients[by].send(&self.group, payload)?;
        let others: Vec<usize> = (0..self.clients.len()).filter(|index| *index != by).collect();
        self.read(&others, &message, (&sender, payload), ledger)?;
        Ok(message)
    }

    /// The clients at `readers` read `message` and find the given sender and payload.
    pub(super) fn read(
        &mut self,
        readers: &[usize],
        message: &AppBytes,
        (sender, payload): (&Identity, &[u8]),
        ledger: &mut Ledger,
    ) -> Result<(), EngineError> {
        let mut wrong_payload = Vec::new();
        let mut wrong_sender = Vec::new();
        for index in readers {
            match self.clients[*index].ingest_app(&self.group, message)? {
                Ingested::Applied(received) => {
                    if received.payload != payload {
                        wrong_payload.push(format!("client {index} read something else"));
                    }
                    if received.sender != *sender {
                        wrong_sender.push(format!("client {index}: {:?}", received.sender));
                    }
                }
                other => wrong_payload.push(format!("client {index}: {other:?}")),
            }
        }
        ledger.expect(Check::Plaintext, wrong_payload.is_empty(), || wrong_payload.join("; "));
        ledger.expect(Check::Sender, wrong_sender.is_empty(), || wrong_sender.join("; "));
        Ok(())
    }

    /// All members stand at the same point and list just the clients of this party.
    pub(super) fn compare(&self, ledger: &mut Ledger) -> Result<Epoch, EngineError> {
        let first = State::of(&*self.clients[0], &self.group)?;
        let mut expected: Vec<_> = self.clients.iter().map(|client| client.identity()).collect();
        expected.sort();
        let mut listed: Vec<_> =
            first.members.iter().map(|member| member.identity.clone()).collect();
        listed.sort();
        ledger.expect_eq(Check::Members, &listed, &expected);

        let in_order = first.members.is_sorted_by(|one, next| one.leaf < next.leaf);
        ledger
            .expect(Check::Members, in_order, || format!("not in leaf order: {:?}", first.members));

        let (mut epochs, mut members, mut leaves, mut authenticators) =
            (vec![], vec![], vec![], vec![]);
        for (index, client) in self.clients.iter().enumerate() {
            let state = State::of(&**client, &self.group)?;
            let own = client.identity();
            let listed = state.members.iter().find(|member| member.identity == own);
            if listed.map(|member| member.leaf) != Some(state.own_leaf) {
                leaves.push(format!("client {index} at {}", state.own_leaf));
            }
            if state.epoch != first.epoch {
                epochs.push(format!("client {index} at {}", state.epoch));
            }
            if state.members != first.members {
                members.push(format!("client {index}: {:?}", state.members));
            }
            if state.authenticator != first.authenticator {
                authenticators.push(format!("client {index}: {:?}", state.authenticator));
            }
        }
        ledger.expect(Check::OwnLeaf, leaves.is_empty(), || leaves.join("; "));
        if self.clients.len() > 1 {
            ledger.expect(Check::Epoch, epochs.is_empty(), || epochs.join("; "));
            ledger.expect(Check::Members, members.is_empty(), || members.join("; "));
            let agree = authenticators.is_empty();
            ledger.expect(Check::Agreement, agree, || authenticators.join("; "));
        }
        Ok(first.epoch)
    }

    /// The state of the client at `index`.
    pub(super) fn state(&self, index: usize) -> Result<State, EngineError> {
        State::of(&*self.clients[index], &self.group)
    }

    /// The authenticator that the founder reports.
    pub(super) fn authenticator(&self) -> Result<EpochAuthenticator, EngineError> {
        self.clients[0].epoch_authenticator(&self.group)
    }
}
