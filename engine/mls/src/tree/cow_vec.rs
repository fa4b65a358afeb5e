//! A vector that copies in chunks.

use std::sync::Arc;

use arrayvec::ArrayVec;
use smallvec::SmallVec;

/// How many values a chunk has, and how many chunks a page has.
const CHUNK: usize = 32;
const PAGE: usize = CHUNK * CHUNK;

/// A vector that is cheap to clone and that copies, when a clone changes, no more than the chunk
/// that changes and the list of the chunks beside it. Clones share all else, and don't even touch it
/// but for one counter per page: in a big tree that is what costs.
#[derive(Debug, Clone)]
pub(super) struct CowVec<T> {
    pages: SmallVec<[Page<T>; 2]>,
    len: usize,
}

/// Full, but for the last.
type Page<T> = Arc<ArrayVec<Chunk<T>, CHUNK>>;
/// Full, but for the last.
type Chunk<T> = Arc<ArrayVec<T, CHUNK>>;

impl<T: Clone> CowVec<T> {
    pub(super) fn new() -> Self {
        Self { pages: SmallVec::new(), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, at: usize) -> Option<&T> {
        let page = self.pages.get(at / PAGE)?;
        page.get(at % PAGE / CHUNK)?.get(at % CHUNK)
    }

    /// For writing: it copies what is shared.
    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        if at >= self.len {
            return None;
        }
        let page = self.pages.get_mut(at / PAGE)?;
        let chunk = Arc::make_mut(page).get_mut(at % PAGE / CHUNK)?;
        Arc::make_mut(chunk).get_mut(at % CHUNK)
    }

    pub(super) fn push(&mut self, value: T) {
        if self.len.is_multiple_of(PAGE) {
            self.pages.push(Arc::default());
        }
        let Some(page) = self.pages.last_mut().map(Arc::make_mut) else {
            return;
        };
        if self.len.is_multiple_of(CHUNK) {
            page.push(Arc::default());
        }
        if let Some(chunk) = page.last_mut() {
            Arc::make_mut(chunk).push(value);
            self.len += 1;
        }
    }

    /// Makes it `len` long: cuts it off, or fills it up with what `fill` makes.
    pub(super) fn resize_with(&mut self, len: usize, fill: impl Fn() -> T) {
        if len < self.len {
            self.pages.truncate(len.div_ceil(PAGE));
            if let (Some(page), 1..) = (self.pages.last_mut(), len % PAGE) {
                let chunks = Arc::make_mut(page);
                chunks.truncate((len % PAGE).div_ceil(CHUNK));
                if let (Some(chunk), 1..) = (chunks.last_mut(), len % CHUNK) {
                    Arc::make_mut(chunk).truncate(len % CHUNK);
                }
            }
            self.len = len;
        }
        while self.len < len {
            self.push(fill());
        }
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        let chunks = self.pages.iter().flat_map(|page| page.iter());
        chunks.flat_map(|chunk| chunk.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_changes_alone() {
        let mut first = CowVec::new();
        first.resize_with(3000, || 7);
        let mut second = first.clone();
        *second.get_mut(40).unwrap() = 8;
        second.push(9);
        assert_eq!((first.len(), second.len()), (3000, 3001));
        assert_eq!(first.iter().filter(|v| **v == 7).count(), 3000);
        assert_eq!((second.get(40), second.get(3000)), (Some(&8), Some(&9)));
        // What didn't change is still the same.
        assert!(Arc::ptr_eq(&first.pages[1], &second.pages[1]));
        assert!(Arc::ptr_eq(&first.pages[0][0], &second.pages[0][0]));
        assert!(!Arc::ptr_eq(&first.pages[0][1], &second.pages[0][1]));
    }

    #[test]
    fn resizing_keeps_what_is_before_the_cut() {
        for len in [0, 1, 31, 32, 33, 1023, 1024, 1025, 1056, 2048, 2049] {
            let mut vec = CowVec::new();
            (0..2100).for_each(|v| vec.push(v));
            vec.resize_with(len, || 0);
            assert_eq!(vec.len(), len);
            assert!(vec.iter().copied().eq(0..len));
            assert_eq!(vec.get_mut(len), None);
            vec.resize_with(len + 1, || 9999);
            assert_eq!(vec.get(len), Some(&9999));
        }
    }
}
