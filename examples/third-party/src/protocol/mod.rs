//! The protocol, without the contract: what a client keeps is in [`crate::state`].

pub(crate) mod app;
pub(crate) mod chain;
pub(crate) mod commit;
pub(crate) mod crypto;
pub(crate) mod epoch;
pub(crate) mod leaf;
pub(crate) mod roster;
pub(crate) mod welcome;
pub(crate) mod wire;
