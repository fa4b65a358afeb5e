//! What was counted: calls and bytes on the wire don't vary from run to run, allocations and what is
//! stored by a few percent.

use std::collections::BTreeMap;

use crate::format::{Row, Storage};

/// By how much allocations of one build were seen to vary, and a little more. What is stored varies
/// where it is text, in which a byte has one to three digits.
const BY_ITSELF: f64 = 0.05;
const VARYING: [&str; 2] = ["allocations:", "stored:"];

/// A number that is another one now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// `case/size of engine`.
    pub row: String,
    /// Which number.
    pub what: String,
    /// Before; `None` if it wasn't there.
    pub old: Option<u64>,
    /// Now.
    pub new: Option<u64>,
}

pub(super) fn differences(old: &Row, new: &Row) -> Vec<Difference> {
    let (was, is) = (numbers(old), numbers(new));
    // What one run didn't look at is no change.
    let looked = |numbers: &BTreeMap<(&str, String), u64>, kind: &str| {
        numbers.keys().any(|(other, _)| *other == kind)
    };
    let mut keys: Vec<_> = was.keys().chain(is.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .filter(|key| looked(&was, key.0) && looked(&is, key.0))
        .filter(|key| was.get(key) != is.get(key))
        .filter(|key| !VARYING.contains(&key.0) || beyond(was.get(key), is.get(key)))
        .map(|key| Difference {
            row: format!("{}/{} of {}", old.case, old.size, old.engine),
            what: format!("{} {}", key.0, key.1),
            old: was.get(key).copied(),
            new: is.get(key).copied(),
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "a share")]
fn beyond(was: Option<&u64>, is: Option<&u64>) -> bool {
    match (was, is) {
        (Some(was), Some(is)) => was.abs_diff(*is) as f64 > BY_ITSELF * *was as f64,
        _ => true,
    }
}

fn numbers(row: &Row) -> BTreeMap<(&'static str, String), u64> {
    let mut numbers = BTreeMap::new();
    if let Some(counts) = &row.counts {
        let calls = counts.calls.iter().map(|(name, n)| (("calls of", name.clone()), *n));
        let bytes = counts.bytes.iter().map(|(name, n)| (("bytes through", name.clone()), *n));
        numbers.extend(calls.chain(bytes));
    }
    if let Some(allocations) = &row.allocations {
        numbers.insert(("allocations:", "count".into()), allocations.count);
        numbers.insert(("allocations:", "bytes".into()), allocations.bytes);
        numbers.insert(("allocations:", "peak".into()), allocations.peak_bytes);
    }
    if let Some(storage) = &row.storage {
        let Storage { group_bytes, tree_bytes, written_bytes } = *storage;
        let all = [("group", group_bytes), ("tree", tree_bytes), ("written", written_bytes)];
        let known = all.into_iter().filter_map(|(name, bytes)| Some((name, bytes?)));
        numbers.extend(known.map(|(name, bytes)| (("stored:", name.into()), bytes)));
    }
    if let Some(wire) = &row.wire {
        let sent = wire.sent.iter().map(|(name, n)| (("bytes sent as", name.clone()), *n));
        let received = wire.received.iter();
        let received = received.map(|(name, n)| (("bytes received as", name.clone()), *n));
        numbers.extend(sent.chain(received));
    }
    numbers
}
