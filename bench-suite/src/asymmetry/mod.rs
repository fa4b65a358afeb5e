//! Sender and receiver: who pays for a message, and what refusing a bad one costs.
//!
//! A `Pair` is two roles in one exchange (sign and verify, encaps and decaps, send and `ingest_app`,
//! ...) and a third, the receiver's who is given a valid object with one bit flipped. Alone, the roles
//! are a row of a table under reference conditions (`alone`). Pressed, they are rows of a stress
//! table, another document (`stress`): every processor in one role, and one producer against many
//! consumers.

mod alone;
pub mod command;
mod crowd;
mod group;
mod primitive;
mod stress;

use std::sync::Arc;

use bench_results::format::Demerit;
use crypto_api::CryptoError;
use engine_api::{EngineError, Registration};

use crate::side_by_side::{Absent, Figure, Work, wrong};

/// One exchange.
#[derive(Clone)]
struct Pair {
    /// What, and by whom.
    name: String,
    /// What the sender does.
    sender: &'static str,
    /// What the receiver does.
    receiver: &'static str,
    /// Whether both do the same: a control.
    equal: bool,
    /// How many operations are the least to be averaged: more than one where their time is chance.
    at_least: u32,
    make: Make,
}

/// Makes a role ready, in the thread that will play it: neither engines nor keys go from thread to
/// thread.
type Make = Arc<dyn Fn(Role) -> Result<Option<Ready>, Unplayed> + Send + Sync>;

/// Why a role can't be played.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Unplayed {
    /// There is no such thing.
    Absent(String),
    /// It isn't what it should be.
    Wrong(String),
}

impl Unplayed {
    /// Whoever is missing for it; what is wrong is a demerit.
    fn told(self, row: &str, name: String, seen: &mut Vec<Demerit>) -> Absent {
        let reason = match self {
            Self::Absent(reason) => reason,
            Self::Wrong(reason) => {
                seen.push(wrong(row, &name, &reason));
                reason
            }
        };
        Absent { name, reason }
    }
}

impl From<EngineError> for Unplayed {
    fn from(why: EngineError) -> Self {
        match why {
            EngineError::Unsupported(_) => Self::Absent(why.to_string()),
            other => Self::Wrong(other.to_string()),
        }
    }
}

impl From<CryptoError> for Unplayed {
    fn from(why: CryptoError) -> Self {
        match why {
            CryptoError::Unsupported => Self::Absent(why.to_string()),
            other => Self::Wrong(other.to_string()),
        }
    }
}

/// Who does something in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Sender,
    Receiver,
    /// The receiver of an object with one bit flipped.
    Refusing,
}

impl Role {
    const ALL: [Self; 3] = [Self::Sender, Self::Receiver, Self::Refusing];
}

/// A role that can be played.
struct Ready {
    work: Box<dyn Work>,
    /// How many bytes the receiver is sent for one operation.
    wire_bytes: Option<usize>,
    figures: Vec<Figure>,
}

impl Pair {
    fn role_name(&self, role: Role) -> String {
        match role {
            Role::Sender => self.sender.into(),
            Role::Receiver => self.receiver.into(),
            Role::Refusing => format!("{}, refused", self.receiver),
        }
    }
}

/// All pairs: of the primitives, and of these engines at this size.
fn pairs(engines: &[Registration], size: usize) -> Vec<Pair> {
    let mut pairs = primitive::pairs();
    for engine in engines {
        pairs.extend(group::pairs(engine, size));
    }
    pairs
}
