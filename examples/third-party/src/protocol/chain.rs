//! One sender's message keys within one epoch.

use std::collections::BTreeMap;

use engine_api::{EngineError, Rejection};

use super::crypto::Secret;
use super::wire::{Reader, Writer};

/// How far a message may run ahead of those before it, and how far behind it may come.
pub(crate) const WINDOW: u32 = 128;

/// A ratchet: each step gives one key and can't be undone.
#[derive(Clone)]
pub(crate) struct Chain {
    next: u32,
    key: Secret,
    /// Keys of messages that haven't come yet, none of them more than [`WINDOW`] behind.
    skipped: BTreeMap<u32, Secret>,
}

/// What a chain has for a message.
pub(crate) enum Taken {
    Key(Secret),
    /// The key was taken before.
    Used,
    TooOld,
    TooFarAhead,
}

impl Chain {
    pub(crate) fn new(key: Secret) -> Self {
        Self { next: 0, key, skipped: BTreeMap::new() }
    }

    /// The next message's number and key.
    pub(crate) fn step(&mut self) -> Result<(u32, Secret), EngineError> {
        let generation = self.next;
        let next = generation.checked_add(1);
        self.next = next.ok_or_else(|| EngineError::caller("the epoch's messages are used up"))?;
        let key = self.key.derive(b"message", &[])?;
        self.key = self.key.derive(b"chain", &[])?;
        Ok((generation, key))
    }

    /// The key of message `generation`. Receivers call it on a copy, and keep the copy if the
    /// message turns out to be genuine.
    pub(crate) fn take(&mut self, generation: u32) -> Result<Taken, EngineError> {
        if let Some(key) = self.skipped.remove(&generation) {
            return Ok(Taken::Key(key));
        }
        if generation < self.next {
            let old = self.next - generation > WINDOW;
            return Ok(if old { Taken::TooOld } else { Taken::Used });
        }
        if generation - self.next > WINDOW {
            return Ok(Taken::TooFarAhead);
        }
        while self.next < generation {
            let (skipped, key) = self.step()?;
            self.skipped.insert(skipped, key);
        }
        let (_, key) = self.step()?;
        self.skipped = self.skipped.split_off(&self.next.saturating_sub(WINDOW));
        Ok(Taken::Key(key))
    }

    pub(crate) fn encode(&self, writer: &mut Writer) {
        writer.u32(self.next);
        writer.fixed(self.key.as_bytes());
        writer.count(self.skipped.len());
        for (generation, key) in &self.skipped {
            writer.u32(*generation);
            writer.fixed(key.as_bytes());
        }
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Rejection> {
        let next = reader.u32()?;
        let key = Secret::new(reader.array()?);
        let skipped = reader.list(|r| Ok((r.u32()?, Secret::new(r.array()?))))?;
        Ok(Self { next, key, skipped: skipped.into_iter().collect() })
    }
}
