//! The contract for TLS 1.3 stacks (RFC 8446): one full handshake in memory, both peers, no sockets.
//!
//! A [`Cell`] is a key-exchange group and a certificate algorithm. A [`TlsStack`] prepares a cell once
//! (keys loaded, configurations made) and then does handshakes one after the other, always full ones:
//! the server sends its certificate and signs, the client verifies both, nothing is resumed. Each peer
//! offers the cell's group, the cell's signature scheme and TLS_AES_128_GCM_SHA256, and nothing else.
//!
//! What was exchanged lies in a [`Wire`], so that [`check`] can read the negotiated group from the
//! bytes instead of believing the stack.
//!
//! A stack whose symbols clash with another's runs in a process of its own: [`worker`].
#![forbid(unsafe_code)]

mod cell;
mod chain;
pub mod check;
mod error;
pub mod hello;
mod pipe;
mod stack;
pub mod timing;
mod wire;
pub mod worker;

pub use cell::{Cell, Certificate, Group, Part, Peer};
pub use chain::Chain;
#[cfg(feature = "chain")]
pub use chain::{Chains, make};
pub use error::TlsError;
pub use pipe::Pipe;
pub use stack::{Description, Handshake, Negotiated, Prepared, TlsStack};
pub use wire::{Flight, Wire};
