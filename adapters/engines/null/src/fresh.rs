//! Numbers that nobody else has. They stand where an engine would put fresh keys.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::wire::Id;

/// A number that this process gives out once.
pub(crate) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// An id that no other process gives out either: snapshots and messages outlive the process.
pub(crate) fn id() -> Id {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    let process = PROCESS.get_or_init(|| RandomState::new().hash_one(0));
    (u128::from(*process) << 64 | u128::from(number())).to_be_bytes()
}
