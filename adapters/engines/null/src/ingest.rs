//! What becomes of a message from the network.
//!
//! In this order: does it parse, is its checksum right, is it for this group, is its epoch one
//! that this client has (had), does it come from the same branch of the group's history, is its
//! sender a member, is it new. Nothing changes until all is known.

use engine_api::{AppMessage, Epoch, Ingested, RejectReason, Rejection};

use crate::group::{Delta, Group};
use crate::wire::{self, App, Commit, Header};

impl Group {
    pub(crate) fn ingest_app(&mut self, message: &[u8]) -> Ingested<AppMessage> {
        self.receive(message).map_or_else(|why| why, Ingested::Applied)
    }

    fn receive(&mut self, message: &[u8]) -> Result<AppMessage, Ingested<AppMessage>> {
        let app = App::decode(message)?;
        self.locate(&app.header)?;
        if app.header.sender == self.own_leaf {
            return Err(Ingested::Duplicate);
        }
        let seat = self.roster.seat_in(app.header.sender, app.header.epoch);
        let seat = seat.ok_or_else(not_a_member)?;
        if !seat.received.insert(app.sequence) {
            return Err(Ingested::Duplicate);
        }
        Ok(AppMessage { sender: seat.identity.clone(), payload: app.body.to_vec() })
    }

    pub(crate) fn ingest_commit(&mut self, commit: &[u8]) -> Ingested<Epoch> {
        self.advance(commit).map_or_else(|why| why, Ingested::Applied)
    }

    fn advance(&mut self, commit: &[u8]) -> Result<Epoch, Ingested<Epoch>> {
        let Commit { header, delta, digest } = Commit::decode(commit)?;
        self.locate(&header)?;
        let authenticator = wire::chain(header.base, digest);
        if header.epoch < self.epoch {
            // The branch's next authenticator tells whether this is the commit that was applied.
            let next = self.authenticator_of(header.epoch + 1);
            let applied = next == Some(authenticator);
            return Err(if applied { Ingested::Duplicate } else { Ingested::Stale });
        }
        if header.sender == self.own_leaf {
            return Err(Ingested::Duplicate);
        }
        if self.roster.occupant(header.sender).is_none() {
            return Err(not_a_member().into());
        }
        self.check(&delta, header.sender)?;
        if matches!(&delta, Delta::Remove(leaves) if leaves.contains(&self.own_leaf)) {
            self.staged = None;
            self.removed = true;
            return Err(Ingested::Removed);
        }
        Ok(self.apply(delta, authenticator))
    }

    /// Whether this client has the epoch in which a message was made.
    fn locate<T>(&self, header: &Header) -> Result<(), Ingested<T>> {
        if header.group != self.id {
            let reason = RejectReason::Misdirected;
            return Err(Rejection::new(reason, "it is for another group").into());
        }
        if header.epoch > self.epoch {
            return Err(Ingested::RetryLater);
        }
        match self.authenticator_of(header.epoch) {
            None => Err(Ingested::Stale),
            Some(authenticator) if authenticator == header.base => Ok(()),
            Some(_) => {
                let why = "it is from another branch of the group's history";
                Err(Rejection::new(RejectReason::Unauthenticated, why).into())
            }
        }
    }
}

fn not_a_member() -> Rejection {
    Rejection::new(RejectReason::Forbidden, "its sender is not a member")
}
