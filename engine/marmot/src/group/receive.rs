//! Receiving group events (MIP-03).

use burrow::{
    codec::Decode,
    framing::{ContentType, MlsMessage, Sender},
    group::{Changes, StagedRemoteCommit},
    types::{LeafIndex, Proposal},
};

use super::{CommitEvent, CommitOrder, Entry, Group};
use crate::{
    Error, PeerError, Result, envelope,
    event::{Event, EventId, Rumor},
    keys::PublicKey,
    policy,
};

/// A group event of which the outer layer is open.
#[derive(Debug)]
pub struct Opened {
    pub(super) message: MlsMessage,
    pub(super) content_type: ContentType,
    pub(super) epoch: u64,
    pub(super) commit: CommitEvent,
}

impl Opened {
    /// What kind of message is inside. Nothing of it is verified.
    #[must_use]
    pub fn content_type(&self) -> ContentType {
        self.content_type
    }

    /// The epoch that it was sealed in.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }
}

/// What a group event was.
#[derive(Debug)]
pub enum Received {
    /// A message.
    Message(Message),
    /// A commit; the group has entered the epoch that it starts.
    Commit(Box<Committed>),
    /// A commit that removes this member.
    Removed,
    /// A proposal, which waits for a commit: an Add or a Remove, which is for an admin to agree to,
    /// or a SelfRemove, which is to be committed by [`Group::commit_departures`].
    Proposal {
        /// Who proposes.
        sender: LeafIndex,
        /// What.
        proposal: Proposal,
    },
    /// Nothing that there is anything to do about.
    Ignored(Ignored),
}

/// A message of a member's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The group event that it came in.
    pub event: EventId,
    /// The message. Its author is its sender.
    pub rumor: Rumor,
    /// The sender's leaf in that epoch.
    pub sender: LeafIndex,
    /// The epoch that it was sent in.
    pub epoch: u64,
}

/// A commit that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The epoch that it starts.
    pub epoch: u64,
    /// What it changes.
    pub changes: Changes,
    /// If it won over the commit that had ended its epoch before: the messages that were sent or
    /// received in epochs that have never been. Others can't read those of this member's: send them
    /// again. The winner's messages, if they came before it, are to be given again.
    pub rolled_back: Option<Vec<EventId>>,
}

/// Why nothing came of an event that isn't wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ignored {
    /// No key opens it. It may be of an epoch that this member hasn't reached: keep it until there is
    /// another commit. It may as well be of an epoch that is over, or by nobody at all.
    Unopened,
    /// It is this member's own. If it is a commit, it was published: merge the pending one.
    Own,
    /// It was received before, in this event or in another one.
    Duplicate,
    /// It is too late: its keys aren't kept any more, or it is a proposal of an epoch that is over.
    Stale,
    /// It is a commit that came second to the one that ended its epoch.
    Lost,
    /// It is a proposal that isn't kept: of a kind that only commits may have, or of an admin that
    /// wants to leave.
    Proposal,
}

impl Group {
    /// Receives a group event.
    ///
    /// # Errors
    ///
    /// [`PeerError`] or an MLS error if there is something wrong with it. The group is then what it
    /// was, but for the key of a message that opened and had something else inside than a rumor of its
    /// sender's.
    pub fn receive(&mut self, event: &Event) -> Result<Received> {
        match self.open(event)? {
            Some(opened) => self.receive_opened(opened),
            None => Ok(Received::Ignored(Ignored::Unopened)),
        }
    }

    /// Opens an event's outer layer, if one of the epochs that are kept has the key.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if there is something wrong with the event.
    pub fn open(&self, event: &Event) -> Result<Option<Opened>> {
        let rumor = event.unsigned();
        let outside = envelope::read(&self.client, rumor)?;
        let id = outside.nostr_group_id;
        let mut candidates =
            self.kept.newest_first().filter(|kept| kept.state.nostr_group_id == id).peekable();
        if candidates.peek().is_none() {
            return Err(PeerError::OtherGroup.into());
        }
        for kept in candidates {
            if let Some(message) = outside.open(&self.client, &kept.state.outer_key)? {
                // What doesn't open isn't worth the time that this takes.
                self.client.check_signature(event)?;
                return self.opened(rumor, kept.state.epoch, &message).map(Some);
            }
        }
        Ok(None)
    }

    fn opened(&self, rumor: &Rumor, epoch: u64, message: &[u8]) -> Result<Opened> {
        let message = MlsMessage::decode_exact(message)?;
        let content_type = message.content_type();
        let content_type =
            content_type.ok_or(PeerError::Unexpected("a message that is not for a group"))?;
        if message.group_id() != Some(self.id()) {
            return Err(PeerError::OtherGroup.into());
        }
        if message.epoch() != Some(epoch) {
            return Err(PeerError::Unexpected("a message of another epoch than its event").into());
        }
        let order = CommitOrder { created_at: rumor.created_at(), id: rumor.id() };
        // Only rival commits are compared by it.
        let content = match content_type {
            ContentType::Commit => self.client.hash(rumor.content().as_bytes())?,
            _ => EventId([0; 32]),
        };
        Ok(Opened { message, content_type, epoch, commit: CommitEvent { order, content } })
    }

    /// Receives an event that is open.
    ///
    /// # Errors
    ///
    /// As [`Self::receive`].
    pub fn receive_opened(&mut self, opened: Opened) -> Result<Received> {
        let is_present = opened.epoch == self.epoch() && !self.is_removed();
        match opened.content_type {
            ContentType::Application => self.receive_application(opened),
            ContentType::Commit if is_present => self.receive_commit(opened),
            ContentType::Commit => self.receive_rival(opened),
            ContentType::Proposal if is_present => self.receive_proposal(opened),
            ContentType::Proposal => Ok(Received::Ignored(Ignored::Stale)),
        }
    }

    fn receive_application(&mut self, opened: Opened) -> Result<Received> {
        self.check_active()?;
        let message = match self.mls.receive_message(opened.message)? {
            burrow::group::Received::Application(message) => message,
            burrow::group::Received::Ignored(why) => return Ok(Received::Ignored(why.into())),
            _ => return Err(Error::Internal("an application message that is none")),
        };
        self.use_up(Some(message.key_use))?;
        let rumor = Rumor::from_json(self.client.suite()?, &message.data)?;
        let sender = self.mls.member_at(message.epoch, message.sender);
        let sender = sender.and_then(|member| PublicKey::of_credential(member.credential));
        if sender != Some(rumor.author()) {
            return Err(PeerError::WrongAuthor("a message's author").into());
        }
        if rumor.tag("h").is_some() {
            return Err(PeerError::Unexpected("a rumor that names its group").into());
        }
        let event = opened.commit.order.id;
        self.change(Entry::Message(message.epoch, event));
        let (sender, epoch) = (message.sender, message.epoch);
        Ok(Received::Message(Message { event, rumor, sender, epoch }))
    }

    fn receive_commit(&mut self, opened: Opened) -> Result<Received> {
        let staged = match staged(&mut self.mls, opened.message)? {
            Ok(staged) => staged,
            Err(ignored) => return Ok(Received::Ignored(ignored)),
        };
        policy::check(&self.data, self.mls.tree(), &staged)?;
        let epoch = self.epoch();
        if staged.removes_us() {
            self.staged = None;
            self.change(Entry::Ended(epoch, opened.commit));
            return Ok(Received::Removed);
        }
        let changes = staged.changes().clone();
        self.mls.merge_remote(*staged)?;
        self.change(Entry::Ended(epoch, opened.commit));
        self.enter()?;
        let committed = Committed { epoch: self.epoch(), changes, rolled_back: None };
        Ok(Received::Commit(Box::new(committed)))
    }

    fn receive_proposal(&mut self, opened: Opened) -> Result<Received> {
        let received = match self.mls.receive_message(opened.message)? {
            burrow::group::Received::Proposal(received) => received,
            burrow::group::Received::Ignored(why) => return Ok(Received::Ignored(why.into())),
            _ => return Err(Error::Internal("a proposal that is none")),
        };
        self.use_up(received.key_use)?;
        match received.sender {
            Sender::Member(sender) if self.is_kept(sender, &received.proposal) => {
                // It belongs to the state: somebody's commit will refer to it.
                self.rewrite(self.epoch())?;
                Ok(Received::Proposal { sender, proposal: received.proposal })
            }
            _ => {
                self.mls.drop_proposal(&received.reference);
                Ok(Received::Ignored(Ignored::Proposal))
            }
        }
    }

    /// Whether a proposal may be committed by reference.
    fn is_kept(&self, sender: LeafIndex, proposal: &Proposal) -> bool {
        match proposal {
            Proposal::Add(_) | Proposal::Remove(_) => true,
            Proposal::SelfRemove => {
                let sender_is_admin = self
                    .members()
                    .any(|(leaf, account)| leaf == sender && self.data.is_admin(&account));
                let mut others = self.members().filter(|(leaf, _)| *leaf != sender);
                !sender_is_admin && others.any(|(_, account)| self.data.is_admin(&account))
            }
            _ => false,
        }
    }
}

/// Another's commit, staged in the group that it is for.
pub(super) fn staged(
    mls: &mut burrow::group::Group,
    message: MlsMessage,
) -> Result<Result<Box<StagedRemoteCommit>, Ignored>> {
    match mls.receive_message(message)? {
        burrow::group::Received::Commit(staged) => Ok(Ok(staged)),
        burrow::group::Received::Ignored(why) => Ok(Err(why.into())),
        _ => Err(Error::Internal("a commit that is none")),
    }
}

impl From<burrow::group::Ignored> for Ignored {
    fn from(why: burrow::group::Ignored) -> Self {
        use burrow::group::Ignored as Mls;
        match why {
            Mls::Own => Self::Own,
            Mls::Duplicate => Self::Duplicate,
            Mls::TooOld | Mls::PastEpoch => Self::Stale,
            Mls::FutureEpoch => Self::Unopened,
        }
    }
}
