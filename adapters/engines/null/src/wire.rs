//! The plain protocol: what key packages, Welcomes, commits and application messages look like.
//!
//! A message is a tag, fields, and a [`checksum`] over both. Numbers are big-endian; strings of
//! bytes and lists start with their length as a `u64`. One value has one encoding.
//!
//! ```text
//! key package  'K' id identity
//! Welcome      'W' group epoch authenticator name [seat] [leaf id]
//! commit       'C' group epoch base sender fresh-id change
//! application  'A' group epoch base sender sequence body
//! ```
//!
//! `base` is the authenticator of the epoch that the message was made in. A seat is `0` for a
//! blank leaf, or `1` and an identity. A change is its kind and its operands.

use engine_api::{Identity, RejectReason, Rejection};

use crate::fresh;
use crate::group::{Delta, Group};

/// Ids of groups, key packages and commits.
pub(crate) type Id = [u8; 16];

/// The least that a length prefix takes.
const LENGTH: usize = size_of::<u64>();

/// What a message is; its first byte.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(crate) enum Tag {
    KeyPackage = b'K',
    Welcome = b'W',
    Commit = b'C',
    App = b'A',
    Snapshot = b'S',
}

// ---- The messages ---------------------------------------------------------------------------

/// Where and by whom a commit or an application message was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) group: Id,
    pub(crate) epoch: u64,
    pub(crate) base: u64,
    pub(crate) sender: u32,
}

#[derive(Debug)]
pub(crate) struct KeyPackage<'a> {
    pub(crate) id: Id,
    pub(crate) identity: &'a [u8],
}

impl<'a> KeyPackage<'a> {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new(Tag::KeyPackage, self.identity.len());
        writer.id(&self.id);
        writer.bytes(self.identity);
        writer.seal().0
    }

    pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self, Rejection> {
        let mut reader = Reader::open(bytes, Tag::KeyPackage)?;
        let key_package = Self { id: reader.id()?, identity: reader.bytes()? };
        reader.close()?;
        Ok(key_package)
    }
}

/// A whole group as an invitee gets it.
#[derive(Debug)]
pub(crate) struct Welcome {
    pub(crate) group: Id,
    pub(crate) epoch: u64,
    pub(crate) authenticator: u64,
    pub(crate) name: String,
    pub(crate) seats: Vec<Option<Identity>>,
    /// Where the owner of which key package sits.
    pub(crate) invitees: Vec<(u32, Id)>,
}

impl Welcome {
    /// Encodes the group as it will be once `added`, whose key packages are `invited`, are in it
    /// and the epoch's authenticator is `authenticator`.
    pub(crate) fn encode(
        group: &Group,
        authenticator: u64,
        added: &[Identity],
        invited: &[Id],
    ) -> Vec<u8> {
        let seats: Vec<_> = group.roster.seating(added).collect();
        let names: usize = seats.iter().flatten().map(|who| who.len()).sum();
        let lists = seats.len() * (1 + LENGTH) + invited.len() * size_of::<(u32, Id)>();
        let mut writer = Writer::new(Tag::Welcome, names + lists + group.name.len());
        writer.id(&group.id);
        writer.u64(group.epoch.saturating_add(1));
        writer.u64(authenticator);
        writer.bytes(group.name.as_bytes());
        writer.list(seats, |writer, seat| {
            writer.option(seat, |writer, who| writer.bytes(who.as_slice()));
        });
        let places = group.roster.vacancies().zip(invited);
        writer.u64(invited.len() as u64);
        for (leaf, id) in places {
            writer.u32(leaf);
            writer.id(id);
        }
        writer.seal().0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Rejection> {
        let mut reader = Reader::open(bytes, Tag::Welcome)?;
        let welcome = Self {
            group: reader.id()?,
            epoch: reader.u64()?,
            authenticator: reader.u64()?,
            name: reader.text()?,
            seats: reader.list(1, |reader| reader.option(Reader::identity))?,
            invitees: reader.list(20, |reader| Ok((reader.u32()?, reader.id()?)))?,
        };
        reader.close()?;
        Ok(welcome)
    }
}

#[derive(Debug)]
pub(crate) struct Commit {
    pub(crate) header: Header,
    pub(crate) delta: Delta,
    /// The checksum, by which the next epoch's authenticator remembers this commit.
    pub(crate) digest: u64,
}

impl Commit {
    /// Returns the bytes and their digest. No two commits are equal: each has a fresh id, as each
    /// MLS commit has fresh keys.
    pub(crate) fn encode(header: &Header, delta: &Delta) -> (Vec<u8>, u64) {
        let mut writer = Writer::new(Tag::Commit, 128);
        writer.header(header);
        writer.id(&fresh::id());
        writer.delta(delta);
        writer.seal()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Rejection> {
        let mut reader = Reader::open(bytes, Tag::Commit)?;
        let header = reader.header()?;
        reader.id()?;
        let delta = reader.delta()?;
        let digest = reader.close()?;
        Ok(Self { header, delta, digest })
    }
}

#[derive(Debug)]
pub(crate) struct App<'a> {
    pub(crate) header: Header,
    pub(crate) sequence: u32,
    pub(crate) body: &'a [u8],
}

impl<'a> App<'a> {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new(Tag::App, self.body.len());
        writer.header(&self.header);
        writer.u32(self.sequence);
        writer.bytes(self.body);
        writer.seal().0
    }

    pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self, Rejection> {
        let mut reader = Reader::open(bytes, Tag::App)?;
        let app = Self { header: reader.header()?, sequence: reader.u32()?, body: reader.bytes()? };
        reader.close()?;
        Ok(app)
    }
}

// ---- Checksums ------------------------------------------------------------------------------

/// In the manner of FNV-1a, but over words of eight bytes, and started with the length.
///
/// Each step is a bijection of the sum so far and of the word, so damage within one word never
/// goes unseen.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let start = mix(0xcbf2_9ce4_8422_2325, bytes.len() as u64);
    let sum = words.iter().fold(start, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let last = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    mix(sum, last)
}

/// The authenticator of the epoch that a commit of this `digest` leads to.
pub(crate) fn chain(authenticator: u64, digest: u64) -> u64 {
    mix(mix(0, authenticator), digest)
}

fn mix(sum: u64, word: u64) -> u64 {
    let product = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // A product's high bits depend on all bits; the low ones are to depend on the high ones too.
    product ^ (product >> 32)
}

/// The same message with a checksum that is right for it.
pub(crate) fn reseal(message: &[u8]) -> Vec<u8> {
    match message.split_last_chunk::<8>() {
        Some((covered, _)) => [covered, &checksum(covered).to_be_bytes()].concat(),
        None => message.to_vec(),
    }
}

// ---- Writing --------------------------------------------------------------------------------

pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// `size` is a guess at what the fields of variable length will take.
    pub(crate) fn new(tag: Tag, size: usize) -> Self {
        let mut bytes = Vec::with_capacity(size + 72);
        bytes.push(tag as u8);
        Self(bytes)
    }

    /// Ends the message; returns it and its checksum.
    pub(crate) fn seal(mut self) -> (Vec<u8>, u64) {
        let sum = checksum(&self.0);
        self.u64(sum);
        (self.0, sum)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub(crate) fn id(&mut self, id: &Id) {
        self.0.extend_from_slice(id);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.u8(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub(crate) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        let items = items.into_iter();
        self.u64(items.len() as u64);
        items.for_each(|item| write(self, item));
    }

    fn header(&mut self, header: &Header) {
        self.id(&header.group);
        self.u64(header.epoch);
        self.u64(header.base);
        self.u32(header.sender);
    }

    pub(crate) fn delta(&mut self, delta: &Delta) {
        match delta {
            Delta::Add(added) => {
                self.u8(1);
                self.list(added, |writer, who| writer.bytes(who.as_slice()));
            }
            Delta::Remove(leaves) => {
                self.u8(2);
                self.list(leaves, |writer, leaf| writer.u32(*leaf));
            }
            Delta::Update => self.u8(3),
            Delta::Rename(name) => {
                self.u8(4);
                self.bytes(name.as_bytes());
            }
        }
    }
}

// ---- Reading --------------------------------------------------------------------------------

/// Reads what [`Writer`] wrote. Nothing is allocated that the input isn't long enough for.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    covered: &'a [u8],
    sum: u64,
}

impl<'a> Reader<'a> {
    /// Starts on a message that should be of this kind. The checksum is looked at by
    /// [`close`](Self::close), so that bytes that make no sense are called malformed.
    pub(crate) fn open(bytes: &'a [u8], tag: Tag) -> Result<Self, Rejection> {
        let (covered, sum) = bytes.split_last_chunk().ok_or_else(truncated)?;
        let mut reader = Self { rest: covered, covered, sum: u64::from_be_bytes(*sum) };
        if reader.u8()? != tag as u8 {
            return Err(malformed(format_args!("not a {tag:?}")));
        }
        Ok(reader)
    }

    /// Checks that nothing is left and that the checksum is right, and returns it.
    pub(crate) fn close(self) -> Result<u64, Rejection> {
        if !self.rest.is_empty() {
            return Err(malformed("bytes after the end"));
        }
        if checksum(self.covered) != self.sum {
            let reason = RejectReason::Unauthenticated;
            return Err(Rejection::new(reason, "the checksum is wrong"));
        }
        Ok(self.sum)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Rejection> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(truncated)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Rejection> {
        self.take().map(u8::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Rejection> {
        self.take().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Rejection> {
        self.take().map(u64::from_be_bytes)
    }

    pub(crate) fn id(&mut self) -> Result<Id, Rejection> {
        self.take()
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Rejection> {
        let length = self.length(1)?;
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn identity(&mut self) -> Result<Identity, Rejection> {
        Ok(Identity::new(self.bytes()?.to_vec()))
    }

    pub(crate) fn text(&mut self) -> Result<String, Rejection> {
        let text = str::from_utf8(self.bytes()?).map_err(malformed)?;
        Ok(text.to_owned())
    }

    pub(crate) fn bool(&mut self) -> Result<bool, Rejection> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(malformed("neither 0 nor 1")),
        }
    }

    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Rejection>,
    ) -> Result<Option<T>, Rejection> {
        Ok(if self.bool()? { Some(read(self)?) } else { None })
    }

    /// A list whose items take at least `least` bytes each.
    pub(crate) fn list<T>(
        &mut self,
        least: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, Rejection>,
    ) -> Result<Vec<T>, Rejection> {
        let length = self.length(least)?;
        let mut items = Vec::with_capacity(length);
        for _ in 0..length {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// A length prefix, refused if so many items of `least` bytes can't follow.
    fn length(&mut self, least: usize) -> Result<usize, Rejection> {
        let length = self.u64()?;
        match usize::try_from(length) {
            Ok(length) if length <= self.rest.len() / least => Ok(length),
            _ => Err(truncated()),
        }
    }

    fn header(&mut self) -> Result<Header, Rejection> {
        Ok(Header { group: self.id()?, epoch: self.u64()?, base: self.u64()?, sender: self.u32()? })
    }

    pub(crate) fn delta(&mut self) -> Result<Delta, Rejection> {
        match self.u8()? {
            1 => self.list(LENGTH, Self::identity).map(Delta::Add),
            2 => self.list(4, Self::u32).map(Delta::Remove),
            3 => Ok(Delta::Update),
            4 => self.text().map(Delta::Rename),
            kind => Err(malformed(format_args!("no change is of kind {kind}"))),
        }
    }
}

pub(crate) fn malformed(detail: impl std::fmt::Display) -> Rejection {
    Rejection::new(RejectReason::Malformed, detail)
}

fn truncated() -> Rejection {
    malformed("truncated")
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn one_flipped_bit_changes_the_checksum() {
        for length in 0..40 {
            let mut bytes: Vec<u8> = (0..length).collect();
            let sum = checksum(&bytes);
            for bit in 0..bytes.len() * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(checksum(&bytes), sum, "bit {bit} of {length} bytes");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }

    #[test]
    fn two_flipped_bits_change_the_checksum() {
        let mut bytes: Vec<u8> = (0..40).collect();
        let sum = checksum(&bytes);
        for first in 0..bytes.len() * 8 {
            bytes[first / 8] ^= 1 << (first % 8);
            for second in 0..first {
                bytes[second / 8] ^= 1 << (second % 8);
                assert_ne!(checksum(&bytes), sum, "bits {first} and {second}");
                bytes[second / 8] ^= 1 << (second % 8);
            }
            bytes[first / 8] ^= 1 << (first % 8);
        }
    }

    #[test]
    fn lengths_of_nothing_but_zeros_differ() {
        let zeros = [0; 64];
        let mut sums: Vec<u64> = (0..64).map(|end| checksum(&zeros[..end])).collect();
        sums.sort_unstable();
        sums.dedup();
        assert_eq!(sums.len(), 64);
    }
}
