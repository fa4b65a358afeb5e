//! Bytes: big-endian numbers, lengths in front, and nothing left over at the end.

use engine_api::{RejectReason, Rejection};
use zeroize::{Zeroize, Zeroizing};

/// What the first four bytes say that the others are.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Kind {
    KeyPackage = 1,
    Welcome = 2,
    Commit = 3,
    App = 4,
    Snapshot = 5,
}

/// Builds a message. It is wiped as it grows, since a snapshot is made of secrets.
pub(crate) struct Writer(Zeroizing<Vec<u8>>);

impl Writer {
    pub(crate) fn new(kind: Kind) -> Self {
        let mut writer = Self::headless();
        writer.fixed(&[b'F', b'L', 1, kind as u8]);
        writer
    }

    pub(crate) fn headless() -> Self {
        Self(Zeroizing::new(Vec::with_capacity(256)))
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.fixed(&value.to_be_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.fixed(&value.to_be_bytes());
    }

    /// A number of things that follow. Nothing here comes near the limit: `send` refuses a
    /// payload that would.
    pub(crate) fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    pub(crate) fn fixed(&mut self, bytes: &[u8]) {
        if self.0.capacity() - self.0.len() < bytes.len() {
            self.grow(bytes.len());
        }
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn variable(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.fixed(bytes);
    }

    pub(crate) fn optional<T>(&mut self, thing: Option<&T>, one: impl FnOnce(&mut Self, &T)) {
        self.fixed(&[u8::from(thing.is_some())]);
        if let Some(thing) = thing {
            one(self, thing);
        }
    }

    /// What has been written so far.
    pub(crate) fn written(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        std::mem::take(&mut *self.0)
    }

    /// `Vec` would leave the old buffer behind as it is.
    fn grow(&mut self, more: usize) {
        let mut larger = Vec::with_capacity((self.0.len() + more).next_power_of_two());
        larger.extend_from_slice(&self.0);
        std::mem::replace(&mut *self.0, larger).zeroize();
    }
}

/// Takes a message apart.
pub(crate) struct Reader<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], kind: Kind) -> Result<Self, Rejection> {
        let mut reader = Self { all: bytes, at: 0 };
        if reader.array()? == [b'F', b'L', 1, kind as u8] {
            Ok(reader)
        } else {
            Err(malformed("not a message of this kind"))
        }
    }

    pub(crate) fn headless(bytes: &'a [u8]) -> Self {
        Self { all: bytes, at: 0 }
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Rejection> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Rejection> {
        self.array().map(u64::from_be_bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Rejection> {
        let mut array = [0; N];
        array.copy_from_slice(self.slice(N)?);
        Ok(array)
    }

    pub(crate) fn variable(&mut self) -> Result<&'a [u8], Rejection> {
        let len = self.u32()? as usize;
        self.slice(len)
    }

    /// As many things as the count in front says. A count that lies runs into the end.
    pub(crate) fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, Rejection>,
    ) -> Result<Vec<T>, Rejection> {
        let count = self.u32()?;
        (0..count).map(|_| one(self)).collect()
    }

    pub(crate) fn optional<T>(
        &mut self,
        one: impl FnOnce(&mut Self) -> Result<T, Rejection>,
    ) -> Result<Option<T>, Rejection> {
        match self.array()? {
            [0] => Ok(None),
            [1] => one(self).map(Some),
            _ => Err(malformed("neither absent nor present")),
        }
    }

    /// What has been read so far.
    pub(crate) fn read(&self) -> &'a [u8] {
        &self.all[..self.at]
    }

    pub(crate) fn finish(self) -> Result<(), Rejection> {
        if self.at == self.all.len() { Ok(()) } else { Err(malformed("trailing bytes")) }
    }

    fn slice(&mut self, len: usize) -> Result<&'a [u8], Rejection> {
        let rest = &self.all[self.at..];
        let slice = rest.get(..len).ok_or_else(|| malformed("ends too early"))?;
        self.at += len;
        Ok(slice)
    }
}

pub(crate) fn malformed(detail: &str) -> Rejection {
    Rejection::new(RejectReason::Malformed, detail)
}
