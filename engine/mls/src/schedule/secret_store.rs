//! Secrets side by side in one buffer.

use smallvec::SmallVec;
use zeroize::{Zeroize, Zeroizing};

/// Secrets of one length in one buffer. What is taken out of it is wiped at once and its place used
/// again; the rest is wiped when the buffer is dropped or outgrown.
pub(super) struct SecretStore {
    bytes: Zeroizing<Vec<u8>>,
    length: usize,
    free: SmallVec<[Slot; 4]>,
}

/// Where a secret lies in its store.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot(u32);

impl SecretStore {
    /// An empty one for secrets of `length` bytes, with room for some.
    pub(super) fn with_room_for(count: usize, length: usize) -> Self {
        let bytes = Zeroizing::new(Vec::with_capacity(count * length));
        Self { bytes, length, free: SmallVec::new() }
    }

    /// How long its secrets are.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    pub(super) fn get(&self, slot: Slot) -> &[u8] {
        let start = self.start(slot);
        self.bytes.get(start..start + self.length).unwrap_or_default()
    }

    /// Takes one in, if it is as long as the others.
    pub(super) fn put(&mut self, secret: &[u8]) -> Option<Slot> {
        if secret.len() != self.length {
            return None;
        }
        if let Some(slot) = self.free.pop() {
            self.replace(slot, secret);
            return Some(slot);
        }
        let slot = self.bytes.len().checked_div(self.length)?;
        let slot = Slot(u32::try_from(slot).ok()?);
        self.make_room();
        self.bytes.extend_from_slice(secret);
        Some(slot)
    }

    /// Takes another one on in place of the one that is there; it has to be as long.
    pub(super) fn replace(&mut self, slot: Slot, secret: &[u8]) {
        let place = self.place(slot);
        if place.len() == secret.len() {
            place.copy_from_slice(secret);
        }
    }

    /// Wipes one. Its slot is not to be used any more.
    pub(super) fn remove(&mut self, slot: Slot) {
        self.place(slot).zeroize();
        self.free.push(slot);
    }

    /// A `Vec` that grows leaves its old buffer behind as it is; here it is wiped.
    fn make_room(&mut self) {
        if self.bytes.len() + self.length > self.bytes.capacity() {
            let room = 2 * self.bytes.capacity().max(self.length);
            let mut larger = Zeroizing::new(Vec::with_capacity(room));
            larger.extend_from_slice(&self.bytes);
            self.bytes = larger;
        }
    }

    fn place(&mut self, slot: Slot) -> &mut [u8] {
        let start = self.start(slot);
        self.bytes.get_mut(start..start + self.length).unwrap_or_default()
    }

    fn start(&self, Slot(slot): Slot) -> usize {
        slot as usize * self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again_and_what_was_there_is_wiped() {
        let mut store = SecretStore::with_room_for(2, 3);
        let slots: Vec<_> = (1..=5).map(|n| store.put(&[n; 3]).unwrap()).collect();
        assert_eq!(&*store.bytes, &[1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5]);
        store.remove(slots[1]);
        store.remove(slots[3]);
        assert_eq!(&*store.bytes, &[1, 1, 1, 0, 0, 0, 3, 3, 3, 0, 0, 0, 5, 5, 5]);
        store.replace(slots[2], &[6; 3]);
        let again = [7, 8, 9].map(|n| store.put(&[n; 3]).unwrap());
        assert_eq!(again.map(|slot| store.get(slot)[0]), [7, 8, 9]);
        let kept = [slots[0], slots[2], slots[4]].map(|slot| store.get(slot)[0]);
        assert_eq!((kept, store.bytes.len()), ([1, 6, 5], 18));
    }

    #[test]
    fn another_length_is_refused() {
        let mut store = SecretStore::with_room_for(0, 3);
        assert!(store.put(&[1; 4]).is_none() && store.put(&[]).is_none());
        let slot = store.put(&[1; 3]).unwrap();
        store.replace(slot, &[2; 2]);
        assert_eq!(store.get(slot), [1; 3]);
    }
}
