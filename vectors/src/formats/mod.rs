//! How a case of each file is executed, down to its last output.

use serde::Deserialize;
use serde_json::Value;

use crate::{Stop, Tally};

pub(crate) mod crypto_basics;
pub(crate) mod deserialization;
pub(crate) mod key_schedule;
pub(crate) mod message_protection;
pub(crate) mod messages;
pub(crate) mod passive_client;
pub(crate) mod psk_secret;
pub(crate) mod secret_tree;
pub(crate) mod transcript_hashes;
pub(crate) mod tree_math;
pub(crate) mod tree_operations;
pub(crate) mod tree_validation;
pub(crate) mod treekem;
pub(crate) mod welcome;

/// Reads a case. A field that nobody knows is one that nobody checks, and so a failure.
fn read<'a, C: Deserialize<'a>>(case: &'a Value, tally: &mut Tally) -> Result<C, Stop> {
    tally.step("reading the case", C::deserialize(case))
}

/// A signature or HPKE private key. Some P-521 ones are written as integers, without their leading
/// zeros; the RFC, and the description of the vectors, have them at 66 bytes.
pub(crate) fn private_key(cipher_suite: u16, bytes: &[u8]) -> Vec<u8> {
    const P521: (u16, usize) = (5, 66);
    let length = if cipher_suite == P521.0 { P521.1 } else { 0 };
    let mut padded = vec![0; length.saturating_sub(bytes.len())];
    padded.extend_from_slice(bytes);
    padded
}
