//! A client that serves as the pattern for many equal ones.

use std::cell::RefCell;

use engine_api::{
    CgkaEngine, Client, Description, EngineError, Identity, Registration, SnapshotBytes,
};

/// How copies of a client are made, by what its engine can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copying {
    /// By [`CgkaEngine::fork`].
    Fork,
    /// By [`CgkaEngine::snapshot`] and [`CgkaEngine::restore`].
    Restore,
    /// Not at all: whatever needs a second copy builds everything anew.
    Once,
}

impl Copying {
    /// The cheapest way that the engine declares.
    #[must_use]
    pub fn of(description: &Description) -> Self {
        if description.capabilities.fork.is_yes() {
            Self::Fork
        } else if description.capabilities.snapshot.is_yes() {
            Self::Restore
        } else {
            Self::Once
        }
    }
}

/// A client that is never used itself, so that each copy of it starts from the same state.
pub struct Original {
    engine: Registration,
    identity: Identity,
    pattern: RefCell<Pattern>,
}

enum Pattern {
    Live(Client),
    Stored(SnapshotBytes),
    Single(Option<Client>),
}

impl Original {
    /// Takes a client out of use and keeps it as the pattern.
    ///
    /// # Errors
    /// What [`CgkaEngine::snapshot`] gives, where copies are made by it.
    pub fn new(engine: Registration, client: Client) -> Result<Self, EngineError> {
        let identity = client.identity();
        let pattern = match Copying::of(&engine.describe()) {
            Copying::Fork => Pattern::Live(client),
            Copying::Restore => Pattern::Stored(client.snapshot()?),
            Copying::Once => Pattern::Single(Some(client)),
        };
        Ok(Self { engine, identity, pattern: RefCell::new(pattern) })
    }

    /// The identity of all its copies.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.identity.clone()
    }

    /// A client in the pattern's state.
    ///
    /// # Errors
    /// What the engine's `fork` or `restore` gives; [`EngineError::Unsupported`] for the second
    /// copy of an engine that can't be copied.
    pub fn copy(&self) -> Result<Client, EngineError> {
        match &mut *self.pattern.borrow_mut() {
            Pattern::Live(client) => {
                let client: &dyn CgkaEngine = &**client;
                self.engine.fork(client)
            }
            Pattern::Stored(snapshot) => self.engine.restore(snapshot),
            Pattern::Single(client) => client
                .take()
                .ok_or_else(|| EngineError::unsupported("a second copy of this client")),
        }
    }
}
