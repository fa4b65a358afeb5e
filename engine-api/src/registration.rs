//! Engines as values: how a list of engines of different types is made and used.

use std::any::{Any, type_name};

use crate::{CgkaEngine, Description, EngineError, SnapshotBytes};

/// A client whose engine is not known at compile time.
pub type Client = Box<dyn CgkaEngine>;

/// An engine as a value, made from the type that implements it.
///
/// Make it in the adapter's own crate, in a function that isn't generic: then the engine's code
/// is compiled once, there, and not again in every program that lists it.
///
/// ```
/// # use engine_api::{CgkaEngine, Registration};
/// # fn engines<MyEngine: CgkaEngine>() -> Vec<Registration> {
/// vec![Registration::of::<MyEngine>()]
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Registration {
    alias: Option<&'static str>,
    describe: fn() -> Description,
    new_client: fn(&str) -> Result<Client, EngineError>,
    fork: fn(&dyn CgkaEngine) -> Result<Client, EngineError>,
    restore: fn(&SnapshotBytes) -> Result<Client, EngineError>,
}

impl Registration {
    /// The engine `E`.
    #[must_use]
    pub const fn of<E: CgkaEngine>() -> Self {
        Self {
            alias: None,
            describe: E::describe,
            new_client: new_client::<E>,
            fork: fork::<E>,
            restore: restore::<E>,
        }
    }

    /// The same engine under another name: the second half of an A/A pair.
    #[must_use]
    pub const fn renamed(mut self, name: &'static str) -> Self {
        self.alias = Some(name);
        self
    }

    /// The same engine in another configuration, on another cipher suite for instance: it differs in
    /// what it says of itself and in how a new client begins. Copied and restored clients are what
    /// they were before, so `new_client` must make clients of the same type.
    #[must_use]
    pub const fn configured(
        mut self,
        describe: fn() -> Description,
        new_client: fn(&str) -> Result<Client, EngineError>,
    ) -> Self {
        self.describe = describe;
        self.new_client = new_client;
        self
    }

    /// The name in every table.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.describe().name
    }

    /// [`CgkaEngine::describe`], with the name that this registration goes by.
    #[must_use]
    pub fn describe(&self) -> Description {
        let mut description = (self.describe)();
        if let Some(alias) = self.alias {
            description.name = alias;
        }
        description
    }

    /// [`CgkaEngine::new_client`].
    ///
    /// # Errors
    /// As there.
    pub fn new_client(&self, name: &str) -> Result<Client, EngineError> {
        (self.new_client)(name)
    }

    /// [`CgkaEngine::fork`].
    ///
    /// # Errors
    /// As there, and [`EngineError::Caller`] if `client` is another engine's.
    pub fn fork(&self, client: &dyn CgkaEngine) -> Result<Client, EngineError> {
        (self.fork)(client)
    }

    /// [`CgkaEngine::restore`].
    ///
    /// # Errors
    /// As there.
    pub fn restore(&self, snapshot: &SnapshotBytes) -> Result<Client, EngineError> {
        (self.restore)(snapshot)
    }
}

fn new_client<E: CgkaEngine>(name: &str) -> Result<Client, EngineError> {
    Ok(Box::new(E::new_client(name)?))
}

fn fork<E: CgkaEngine>(client: &dyn CgkaEngine) -> Result<Client, EngineError> {
    let client: &dyn Any = client;
    match client.downcast_ref::<E>() {
        Some(client) => Ok(Box::new(client.fork()?)),
        None => Err(EngineError::caller(format_args!("not a client of {}", type_name::<E>()))),
    }
}

fn restore<E: CgkaEngine>(snapshot: &SnapshotBytes) -> Result<Client, EngineError> {
    Ok(Box::new(E::restore(snapshot)?))
}
