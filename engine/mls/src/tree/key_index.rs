//! Where a key is in the tree, found without looking at every node.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{cow_vec::CowVec, math::NodeIndex};

/// The nodes by (a part of) their keys: a hash table that is as cheap to clone, and to change after
/// that, as the tree is. It may hold a key twice, because a list of proposals may go through trees
/// that wouldn't be valid.
#[derive(Debug, Clone)]
pub(super) struct KeyIndex {
    /// A power of two of them.
    buckets: CowVec<Arc<Bucket>>,
    len: usize,
}

/// As many as a bucket seldom exceeds lie within it.
#[derive(Debug, Default)]
struct Bucket(SmallVec<[Entry; 2 * LOAD]>);

impl Clone for Bucket {
    /// In one piece, where a `SmallVec` by itself would go from entry to entry.
    fn clone(&self) -> Self {
        Self(SmallVec::from_slice(&self.0))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    fingerprint: u32,
    node: NodeIndex,
}

/// How many entries a bucket has at most on average before the table grows. A change copies the
/// bucket and the pointers around it; few large ones take fewer allocations than many small ones.
const LOAD: usize = 32;

impl KeyIndex {
    pub(super) fn new() -> Self {
        Self::with_buckets(1)
    }

    fn with_buckets(count: usize) -> Self {
        let mut buckets = CowVec::new();
        buckets.resize_with(count, Arc::default);
        Self { buckets, len: 0 }
    }

    /// How many entries there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn insert(&mut self, key: &[u8], node: NodeIndex) {
        if self.len >= LOAD * self.buckets.len() {
            self.grow();
        }
        self.insert_entry(Entry { fingerprint: fingerprint(key), node });
    }

    /// Takes one entry out, if it is there.
    pub(super) fn remove(&mut self, key: &[u8], node: NodeIndex) {
        let entry = Entry { fingerprint: fingerprint(key), node };
        let place = self.place(entry.fingerprint);
        let Some(bucket) = self.buckets.get_mut(place) else {
            return;
        };
        if let Some(at) = bucket.0.iter().position(|e| *e == entry) {
            Arc::make_mut(bucket).0.swap_remove(at);
            self.len -= 1;
        }
    }

    /// The nodes that may have this key: all that have it, and by chance others.
    pub(super) fn candidates(&self, key: &[u8]) -> impl Iterator<Item = NodeIndex> + '_ {
        let fingerprint = fingerprint(key);
        let bucket = self.buckets.get(self.place(fingerprint));
        bucket.into_iter().flat_map(move |bucket| {
            let entries = bucket.0.iter();
            entries.filter_map(move |e| (e.fingerprint == fingerprint).then_some(e.node))
        })
    }

    fn insert_entry(&mut self, entry: Entry) {
        let place = self.place(entry.fingerprint);
        if let Some(bucket) = self.buckets.get_mut(place) {
            Arc::make_mut(bucket).0.push(entry);
            self.len += 1;
        }
    }

    fn place(&self, fingerprint: u32) -> usize {
        fingerprint as usize & (self.buckets.len() - 1)
    }

    fn grow(&mut self) {
        let mut bigger = Self::with_buckets(2 * self.buckets.len());
        for entry in self.buckets.iter().flat_map(|bucket| bucket.0.iter()) {
            bigger.insert_entry(*entry);
        }
        *self = bigger;
    }
}

/// Keys are as good as random, so that a few of their bytes tell them apart. Who makes keys that
/// aren't, makes his own group slow, and no more than a list would be.
fn fingerprint(key: &[u8]) -> u32 {
    let tail = &key[key.len().saturating_sub(8)..];
    let bytes = tail.iter();
    let number = bytes.fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    // The last bits of a key aren't always free; the multiplication mixes upwards.
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(index: &KeyIndex, key: &[u8]) -> Vec<u32> {
        let mut nodes: Vec<_> = index.candidates(key).map(|node| node.0).collect();
        nodes.sort_unstable();
        nodes
    }

    #[test]
    fn keys_are_found_until_they_are_removed() {
        let mut index = KeyIndex::new();
        for n in 0..1000_u32 {
            index.insert(&n.to_be_bytes(), NodeIndex(n));
        }
        let before = index.clone();
        assert_eq!(index.buckets.len(), 32);
        for n in (0..1000_u32).step_by(2) {
            index.remove(&n.to_be_bytes(), NodeIndex(n));
        }
        assert_eq!((index.len(), before.len()), (500, 1000));
        for n in 0..1000_u32 {
            let left = if n % 2 == 0 { vec![] } else { vec![n] };
            assert_eq!(nodes(&index, &n.to_be_bytes()), left);
            assert_eq!(nodes(&before, &n.to_be_bytes()), [n]);
        }
    }

    #[test]
    fn a_key_may_be_at_two_nodes() {
        let mut index = KeyIndex::new();
        index.insert(b"a key", NodeIndex(3));
        index.insert(b"a key", NodeIndex(4));
        index.remove(b"a key", NodeIndex(5));
        assert_eq!(nodes(&index, b"a key"), [3, 4]);
        index.remove(b"a key", NodeIndex(3));
        assert_eq!(nodes(&index, b"a key"), [4]);
        assert_eq!(nodes(&index, b""), []);
    }
}
