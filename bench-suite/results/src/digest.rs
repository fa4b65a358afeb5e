//! A run's name: what its content hashes to.

use sha2::{Digest, Sha256};

use crate::format::Run;

/// The identity of a run, see [`Run::id`]: SHA-256 over its compact JSON with the field `id` empty.
///
/// # Errors
/// If the run can't be written as JSON.
pub fn run_id(run: &Run) -> Result<String, serde_json::Error> {
    let bare = Run { id: String::new(), ..run.clone() };
    Ok(sha256_hex(&serde_json::to_vec(&bare)?))
}

/// SHA-256 in hex.
pub(crate) fn sha256_hex(text: &[u8]) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// As much of a run's identity as people are shown.
#[must_use]
pub fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}
