//! A sender ratchet: one key and nonce per generation (section 9.1).

use std::collections::BTreeMap;

use crypto_api::{Digest, Secret, Suite};
use zeroize::Zeroizing;

use super::{
    KeyAndNonce,
    secret_store::{SecretStore, Slot},
};
use crate::{CallerError, Error, PeerError, Result, codec_struct, crypto::expand_with_label_into};

/// Which of a member's two ratchets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RatchetType {
    /// For proposals and commits.
    Handshake,
    /// For application messages.
    Application,
}

/// How far out of order messages may come (section 15.3). Both numbers bound work or memory that
/// a member can cause, and are bounded themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatchetLimits {
    out_of_order: u32,
    forward: u32,
}

impl RatchetLimits {
    /// The greatest `out_of_order` there is.
    pub const MAX_OUT_OF_ORDER: u32 = 4096;
    /// The greatest `forward` there is.
    pub const MAX_FORWARD: u32 = 65_536;

    /// A message opens if its generation is at most `out_of_order` below the next expected one,
    /// and at most `forward` above it. No ratchet keeps more than `out_of_order` keys.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] above the maxima.
    pub fn new(out_of_order: u32, forward: u32) -> Result<Self> {
        if out_of_order > Self::MAX_OUT_OF_ORDER || forward > Self::MAX_FORWARD {
            return Err(CallerError::Invalid("ratchet limits above their maxima").into());
        }
        Ok(Self { out_of_order, forward })
    }

    /// How far below the next expected generation a message may be.
    #[must_use]
    pub const fn out_of_order(&self) -> u32 {
        self.out_of_order
    }

    /// How far above the next expected generation a message may be.
    #[must_use]
    pub const fn forward(&self) -> u32 {
        self.forward
    }
}

impl Default for RatchetLimits {
    /// 100 and 1000.
    fn default() -> Self {
        Self { out_of_order: 100, forward: 1000 }
    }
}

/// The key and the nonce of one generation, the nonce without its reuse guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageKey {
    key: Secret,
    nonce: Secret,
}

codec_struct!(MessageKey { key, nonce });

impl MessageKey {
    fn derive(suite: &dyn Suite, ratchet_secret: &[u8], generation: u32) -> Result<Self> {
        let mut both = KeyAndNonce::zero(suite)?;
        both.expand(suite, ratchet_secret, &generation.to_be_bytes())?;
        Ok(Self::of(&both))
    }

    /// A copy of these.
    pub(super) fn of(both: &KeyAndNonce) -> Self {
        Self { key: Secret::copy_from(both.key()), nonce: Secret::copy_from(both.nonce()) }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &Secret {
        &self.key
    }

    /// The nonce as it comes out of the key schedule.
    #[must_use]
    pub fn nonce(&self) -> &Secret {
        &self.nonce
    }
}

/// A ratchet: the secret of the next generation, and keys that were passed over.
#[derive(Debug)]
pub(super) struct Ratchet {
    /// Where the secret lies.
    secret: Slot,
    /// The generation of the secret; 2^32 when the last one is used up.
    pub(super) next: u64,
    pub(super) skipped: BTreeMap<u32, MessageKey>,
}

/// A ratchet as it stands, whether its leaf was used before or not.
pub(super) struct Position<'a> {
    secret: &'a [u8],
    next: u64,
    skipped: &'a BTreeMap<u32, MessageKey>,
}

/// What using a key up does to its ratchet.
#[derive(Debug)]
pub(super) enum Step {
    /// A key that was passed over goes.
    Skipped,
    /// The ratchet moves on.
    Forward { secret: Secret, skipped: Vec<(u32, MessageKey)> },
}

/// A ratchet secret on the stack.
type OnStack = Zeroizing<[u8; Digest::MAX_LENGTH]>;

impl<'a> Position<'a> {
    /// That of a ratchet whose leaf is new.
    pub(super) fn first(ratchet_secret_0: &'a [u8]) -> Self {
        static NONE: BTreeMap<u32, MessageKey> = BTreeMap::new();
        Self { secret: ratchet_secret_0, next: 0, skipped: &NONE }
    }

    /// Fills `key` with the one of a generation, and says what using it up will do.
    pub(super) fn peek(
        &self,
        suite: &dyn Suite,
        limits: RatchetLimits,
        generation: u32,
        key: &mut KeyAndNonce,
    ) -> Result<Step> {
        match u64::from(generation).checked_sub(self.next) {
            None => match self.skipped.get(&generation) {
                Some(kept) => {
                    key.copy(kept.key.as_slice(), kept.nonce.as_slice())?;
                    Ok(Step::Skipped)
                }
                // All that was passed over within the window is kept until it is used.
                None if u64::from(generation) >= oldest_kept(self.next, limits) => {
                    Err(PeerError::KeyUsedUp.into())
                }
                None => Err(PeerError::KeyTooOld.into()),
            },
            Some(ahead) if ahead > u64::from(limits.forward) => Err(PeerError::TooFarAhead.into()),
            Some(_) => self.peek_forward(suite, limits, generation, key),
        }
    }

    fn peek_forward(
        &self,
        suite: &dyn Suite,
        limits: RatchetLimits,
        generation: u32,
        key: &mut KeyAndNonce,
    ) -> Result<Step> {
        let next = u32::try_from(self.next).map_err(|_| Error::Internal("a ratchet's end"))?;
        let oldest = oldest_kept(u64::from(generation) + 1, limits);
        let mut on_stack = OnStack::new([0; Digest::MAX_LENGTH]);
        let secret = on_stack.get_mut(..self.secret.len()).ok_or(TOO_LONG)?;
        secret.copy_from_slice(self.secret);
        let mut skipped = Vec::new();
        for passed in next..generation {
            if u64::from(passed) >= oldest {
                skipped.push((passed, MessageKey::derive(suite, secret, passed)?));
            }
            step(suite, secret, passed)?;
        }
        key.expand(suite, secret, &generation.to_be_bytes())?;
        step(suite, secret, generation)?;
        Ok(Step::Forward { secret: Secret::copy_from(secret), skipped })
    }
}

impl Ratchet {
    pub(super) fn new(ratchet_secret_0: Slot) -> Self {
        Self::restore(ratchet_secret_0, 0, BTreeMap::new())
    }

    pub(super) fn restore(secret: Slot, next: u64, skipped: BTreeMap<u32, MessageKey>) -> Self {
        Self { secret, next, skipped }
    }

    pub(super) fn secret<'a>(&self, store: &'a SecretStore) -> &'a [u8] {
        store.get(self.secret)
    }

    pub(super) fn position<'a>(&'a self, store: &'a SecretStore) -> Position<'a> {
        Position { secret: self.secret(store), next: self.next, skipped: &self.skipped }
    }

    /// Uses the next key up, if `work` can be done with it: nothing is moved and nothing allocated.
    pub(super) fn use_next<T>(
        &mut self,
        store: &mut SecretStore,
        suite: &dyn Suite,
        limits: RatchetLimits,
        generation: u32,
        work: impl FnOnce(&mut KeyAndNonce) -> Result<T>,
    ) -> Result<T> {
        let mut key = KeyAndNonce::zero(suite)?;
        let secret = self.secret(store);
        key.expand(suite, secret, &generation.to_be_bytes())?;
        // Before the work, so that nothing can fail once a message was made with the key.
        let mut on_stack = OnStack::new([0; Digest::MAX_LENGTH]);
        let next = on_stack.get_mut(..secret.len()).ok_or(TOO_LONG)?;
        expand_secret(suite, secret, generation, next)?;
        let done = work(&mut key)?;
        store.replace(self.secret, next);
        self.next = u64::from(generation) + 1;
        self.drop_old(limits);
        Ok(done)
    }

    /// Uses the key of a generation up.
    pub(super) fn apply(
        &mut self,
        store: &mut SecretStore,
        limits: RatchetLimits,
        generation: u32,
        step: Step,
    ) {
        match step {
            Step::Skipped => {
                self.skipped.remove(&generation);
            }
            Step::Forward { secret, skipped } => {
                store.replace(self.secret, secret.as_slice());
                self.next = u64::from(generation) + 1;
                self.skipped.extend(skipped);
                self.drop_old(limits);
            }
        }
    }

    /// Drops the keys that are too old to be kept.
    pub(super) fn drop_old(&mut self, limits: RatchetLimits) {
        let oldest = oldest_kept(self.next, limits);
        while let Some(entry) = self.skipped.first_entry() {
            if u64::from(*entry.key()) >= oldest {
                break;
            }
            entry.remove();
        }
    }

    /// Moves on to `next` without keeping anything of what comes before it.
    pub(super) fn skip_to(
        &mut self,
        store: &mut SecretStore,
        suite: &dyn Suite,
        next: u64,
    ) -> Result<()> {
        self.skipped.clear();
        let mut on_stack = OnStack::new([0; Digest::MAX_LENGTH]);
        let secret = on_stack.get_mut(..store.length()).ok_or(TOO_LONG)?;
        secret.copy_from_slice(self.secret(store));
        while self.next < next {
            let generation =
                u32::try_from(self.next).map_err(|_| Error::Internal("a ratchet's end"))?;
            step(suite, secret, generation)?;
            store.replace(self.secret, secret);
            self.next += 1;
        }
        Ok(())
    }
}

const TOO_LONG: Error = Error::Internal("a KDF with so long an output");

fn oldest_kept(next: u64, limits: RatchetLimits) -> u64 {
    next.saturating_sub(u64::from(limits.out_of_order))
}

/// Moves a ratchet secret on to the next generation.
fn step(suite: &dyn Suite, secret: &mut [u8], generation: u32) -> Result<()> {
    let mut on_stack = OnStack::new([0; Digest::MAX_LENGTH]);
    let next = on_stack.get_mut(..secret.len()).ok_or(TOO_LONG)?;
    expand_secret(suite, secret, generation, next)?;
    secret.copy_from_slice(next);
    Ok(())
}

/// `DeriveTreeSecret` of the next generation's secret.
fn expand_secret(suite: &dyn Suite, secret: &[u8], generation: u32, out: &mut [u8]) -> Result<()> {
    expand_with_label_into(suite, secret, b"secret", &generation.to_be_bytes(), out)
}
