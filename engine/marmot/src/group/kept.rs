//! What is kept of a group: of its present epoch and of the last ones before it, so that a late
//! message can be read, a late rival commit compared, and the group restored.
//!
//! A group lists what changes as [`Entry`]s ([`super::Group::take_changes`]). Whoever applies them
//! to a [`Kept`] of its own, in order, has what the group itself has: that is what a store does.

use std::{collections::VecDeque, sync::Arc};

use burrow::{
    codec::{Decode, DecodeError, Encode, EncodeError, Reader},
    codec_struct,
    group::KeyUse,
};
use crypto_api::Secret;
use zeroize::Zeroizing;

use crate::{CallerError, Result, event::EventId};

/// More of an epoch's messages than this aren't listed as invalid when it is rolled back.
const MAX_MESSAGES: usize = 1 << 16;

/// Secret bytes of some length, shared by their copies and wiped with the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written(Arc<Secret>);

impl Written {
    pub(crate) fn new(mut bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(Arc::new(Secret::new(std::mem::take(&mut *bytes))))
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// How many bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Encode for Written {
    fn encoded_len(&self) -> usize {
        self.0.encoded_len()
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.0.encode(out)
    }
}

impl Decode for Written {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(Arc::new(reader.read()?)))
    }
}

/// Where a commit stands among the commits of its epoch: the smallest wins (MIP-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitOrder {
    /// The event's time.
    pub created_at: u64,
    /// Its id.
    pub id: EventId,
}
codec_struct!(CommitOrder { created_at, id });

/// A commit, by its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitEvent {
    /// Where it stands.
    pub order: CommitOrder,
    /// The SHA-256 of the event's content: the same in another event is the same commit.
    pub content: EventId,
}
codec_struct!(CommitEvent { order, content });

/// A commit of our own that may still win its epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnCommit {
    /// Its event.
    pub event: CommitEvent,
    /// What [`burrow::group::StagedCommit::write`] wrote.
    pub staged: Written,
}
codec_struct!(OwnCommit { event, staged });

/// An epoch, as it was entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpochState {
    /// Its number.
    pub epoch: u64,
    /// What stood in the `h` tag of its events.
    pub nostr_group_id: [u8; 32],
    /// The key of its events' outer layer.
    pub outer_key: Secret,
    /// What [`burrow::group::Group::write`] wrote.
    pub group: Written,
}
codec_struct!(EpochState { epoch, nostr_group_id, outer_key, group });

/// An epoch that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptEpoch {
    pub(crate) state: EpochState,
    /// The keys used since the state was written: of this epoch and of those before it.
    pub(crate) uses: Vec<KeyUse>,
    /// The events of the epoch's application messages, sent and received.
    messages: Vec<EventId>,
    /// The commit that ended it.
    pub(crate) ended_by: Option<CommitEvent>,
    /// A commit of ours for this epoch: pending as long as the epoch hasn't ended, and after that
    /// the loser unless its event turns up and is the better one.
    pub(crate) own: Option<OwnCommit>,
}
codec_struct!(KeptEpoch { state, uses, messages, ended_by, own });

/// Something that changed.
#[derive(Debug, Clone)]
pub enum Entry {
    /// An epoch was entered.
    Epoch(EpochState),
    /// The state of this epoch was written anew: the uses so far are in it.
    Rewritten(u64, Written),
    /// A key was used up.
    KeyUse(KeyUse),
    /// An application message of this epoch was sent or received.
    Message(u64, EventId),
    /// A commit of ours for this epoch was made, or is given up.
    Own(u64, Option<OwnCommit>),
    /// This epoch was ended by a commit, or its commit is now known by another event.
    Ended(u64, CommitEvent),
    /// The group went back to this epoch: those after it are gone.
    RolledBack(u64),
}

/// A group as kept. It holds secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// From the oldest to the newest.
    epochs: VecDeque<KeptEpoch>,
    /// How many of them there may be.
    limit: u32,
}

impl Kept {
    /// Nothing yet, of a group that keeps this many past epochs beside the present one.
    #[must_use]
    pub fn new(past_epochs: usize) -> Self {
        let limit = u32::try_from(past_epochs).unwrap_or(u32::MAX).saturating_add(1);
        Self { epochs: VecDeque::new(), limit }
    }

    /// Takes a change over.
    pub fn apply(&mut self, entry: Entry) {
        match entry {
            Entry::Epoch(state) => self.push(state),
            Entry::Rewritten(epoch, group) => {
                if let Some(kept) = self.at_mut(epoch) {
                    kept.state.group = group;
                    kept.uses.clear();
                }
            }
            // One of an older epoch is used up in every state that still has it.
            Entry::KeyUse(used) => {
                let having = self.epochs.iter_mut().filter(|kept| kept.state.epoch >= used.epoch);
                having.for_each(|kept| kept.uses.push(used));
            }
            Entry::Message(epoch, event) => {
                if let Some(kept) = self.at_mut(epoch)
                    && kept.messages.len() < MAX_MESSAGES
                {
                    kept.messages.push(event);
                }
            }
            Entry::Own(epoch, own) => {
                if let Some(kept) = self.at_mut(epoch) {
                    kept.own = own;
                }
            }
            Entry::Ended(epoch, commit) => {
                if let Some(kept) = self.at_mut(epoch) {
                    kept.ended_by = Some(commit);
                }
            }
            Entry::RolledBack(epoch) => {
                self.epochs.retain(|kept| kept.state.epoch <= epoch);
                if let Some(kept) = self.at_mut(epoch) {
                    kept.ended_by = None;
                }
            }
        }
    }

    fn push(&mut self, state: EpochState) {
        self.epochs.push_back(KeptEpoch {
            state,
            uses: Vec::new(),
            messages: Vec::new(),
            ended_by: None,
            own: None,
        });
        while self.epochs.len() > usize::try_from(self.limit).unwrap_or(usize::MAX) {
            self.epochs.pop_front();
        }
    }

    pub(crate) fn at(&self, epoch: u64) -> Option<&KeptEpoch> {
        self.epochs.iter().find(|kept| kept.state.epoch == epoch)
    }

    fn at_mut(&mut self, epoch: u64) -> Option<&mut KeptEpoch> {
        self.epochs.iter_mut().find(|kept| kept.state.epoch == epoch)
    }

    pub(crate) fn present(&self) -> Option<&KeptEpoch> {
        self.epochs.back()
    }

    pub(crate) fn newest_first(&self) -> impl Iterator<Item = &KeptEpoch> {
        self.epochs.iter().rev()
    }

    /// The messages of the epochs after this one.
    pub(crate) fn messages_after(&self, epoch: u64) -> Vec<EventId> {
        let after = self.epochs.iter().filter(|kept| kept.state.epoch > epoch);
        after.flat_map(|kept| kept.messages.iter().copied()).collect()
    }

    /// The event of the commit of ours that is pending.
    #[must_use]
    pub fn pending_commit(&self) -> Option<EventId> {
        let present = self.present().filter(|kept| kept.ended_by.is_none())?;
        present.own.as_ref().map(|own| own.event.order.id)
    }

    /// All of it as bytes.
    ///
    /// # Errors
    ///
    /// If something is too long to encode.
    pub fn write(&self) -> Result<Zeroizing<Vec<u8>>> {
        Ok(Zeroizing::new(self.to_bytes()?))
    }

    /// What [`Self::write`] wrote.
    ///
    /// # Errors
    ///
    /// [`CallerError::Stored`] if it didn't.
    pub fn read(written: &[u8]) -> Result<Self> {
        let kept = Self::decode_exact(written);
        Ok(kept.map_err(|_| CallerError::Stored("a group that doesn't decode"))?)
    }
}

impl Encode for Kept {
    fn encoded_len(&self) -> usize {
        let epochs: usize = self.epochs.iter().map(KeptEpoch::encoded_len).sum();
        self.limit.encoded_len() + 1 + self.epochs.len() + epochs
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.limit.encode(out)?;
        for kept in &self.epochs {
            1_u8.encode(out)?;
            kept.encode(out)?;
        }
        0_u8.encode(out)
    }
}

impl Decode for Kept {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let limit = reader.read()?;
        let mut epochs: VecDeque<KeptEpoch> = VecDeque::new();
        while reader.read::<u8>()? == 1 {
            let next: KeptEpoch = reader.read()?;
            let is_next = epochs
                .back()
                .is_none_or(|last| last.state.epoch.checked_add(1) == Some(next.state.epoch));
            if !is_next {
                return Err(DecodeError::InvalidValue("epoch of a stored group"));
            }
            epochs.push_back(next);
        }
        Ok(Self { epochs, limit })
    }
}
