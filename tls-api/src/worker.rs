//! Stacks in a process of their own, for libraries whose symbols clash with another's.
//!
//! One request a line on the worker's standard input, one answer a line on its standard output, both
//! JSON. A handshake, both peers, is done within the worker, so that what is timed is no longer than in
//! one process.

mod remote;
mod serve;

use serde::{Deserialize, Serialize};

pub use remote::Remote;
pub use serve::serve;

use crate::{Cell, Chain, Description, Flight, Handshake, Part, TlsError};

/// What is asked of a worker.
#[derive(Debug, Serialize, Deserialize)]
enum Request {
    Describe,
    Prepare { cell: Cell, chain: Chain },
    Handshake { prepared: usize },
    Handshakes { prepared: usize, count: usize },
    TimePart { prepared: usize, part: Part, count: u32 },
    Release { prepared: usize },
}

/// What it answers.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    Described(Description),
    Prepared(usize),
    Done { handshake: Handshake, wire: [Vec<u8>; Flight::ALL.len()] },
    AllDone(Vec<Handshake>),
    Timed(f64),
    Released,
}

type Reply = Result<Answer, TlsError>;
