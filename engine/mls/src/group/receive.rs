//! Receiving whatever comes (sections 6, 12.4.2 and 14).

use std::cmp::Ordering;

use super::{
    Group, KeyUse, StagedRemoteCommit,
    epoch::{Epoch, Senders},
    past_epoch::PastEpoch,
    proposals::CachedProposal,
};
use crate::{
    CallerError, Error, PeerError, Result,
    codec::Decode,
    framing::{
        Content, ContentType, EpochContext, MlsMessage, OpenedApplication, PrivateMessageRef,
        PublicMessage, Sender, VerifiedContent,
    },
    schedule::{Advance, SenderDataSecret},
    types::{LeafIndex, Proposal},
};

/// What a message was.
#[derive(Debug)]
#[must_use = "a commit has to be merged"]
pub enum Received {
    /// Application data.
    Application(ApplicationMessage),
    /// A proposal; the group keeps it until it is committed or the epoch ends.
    Proposal(ReceivedProposal),
    /// A commit; nothing has changed yet. Look at it, then merge it or drop it.
    Commit(Box<StagedRemoteCommit>),
    /// Nothing that there is anything to do about.
    Ignored(Ignored),
}

/// Why nothing came of a message that isn't wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ignored {
    /// It is our own. If it is a commit, it has been accepted: merge the staged one.
    Own,
    /// It was received before.
    Duplicate,
    /// It is so late in its epoch that its key isn't kept any more. It may have been received before:
    /// of keys outside of the window there is no record.
    TooOld,
    /// It is of an epoch that is over, and of which nothing is read any more.
    PastEpoch,
    /// It is of an epoch that we haven't reached: commits are missing. Keep it until they are here.
    FutureEpoch,
}

/// Application data from a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationMessage {
    /// Who sent it: the leaf of that epoch ([`Group::member_at`]).
    pub sender: LeafIndex,
    /// The epoch that it was sent in.
    pub epoch: u64,
    /// The data.
    pub data: Vec<u8>,
    /// The data that came with it in the clear; it is from the sender, too.
    pub authenticated_data: Vec<u8>,
    /// The key that it used up.
    pub key_use: KeyUse,
}

/// A proposal that somebody sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedProposal {
    /// Its ProposalRef.
    pub reference: Vec<u8>,
    /// Who sent it.
    pub sender: Sender,
    /// What it says.
    pub proposal: Proposal,
    /// The data that came with it in the clear.
    pub authenticated_data: Vec<u8>,
    /// The key that it used up, if it was encrypted.
    pub key_use: Option<KeyUse>,
}

impl Group {
    /// Receives an encoded MLSMessage of this group.
    ///
    /// # Errors
    ///
    /// [`PeerError`] if the message isn't valid; the group is then what it was, its keys included.
    pub fn receive(&mut self, message: &[u8]) -> Result<Received> {
        match PrivateMessageRef::in_message(message)? {
            Some(message) => self.receive_private(message),
            None => self.receive_message(MlsMessage::decode_exact(message)?),
        }
    }

    /// The same, for a message that is decoded already.
    ///
    /// # Errors
    ///
    /// As [`Self::receive`].
    pub fn receive_message(&mut self, message: MlsMessage) -> Result<Received> {
        match message {
            MlsMessage::PrivateMessage(message) => self.receive_private(message.borrow_parts()),
            MlsMessage::PublicMessage(message) => {
                match self.compare_epoch(message.group_id(), message.epoch())? {
                    Ordering::Greater => Ok(Received::Ignored(Ignored::FutureEpoch)),
                    Ordering::Less => Ok(Received::Ignored(Ignored::PastEpoch)),
                    Ordering::Equal => self.receive_public(*message),
                }
            }
            _ => Err(CallerError::Invalid("a message that is not for a group").into()),
        }
    }

    /// Where the epoch of a message of this group lies.
    fn compare_epoch(&self, group_id: &[u8], epoch: u64) -> Result<Ordering> {
        if group_id != self.group_id() {
            return Err(Error::invalid("6: the message is of another group"));
        }
        Ok(epoch.cmp(&self.epoch()))
    }

    /// Enters the epoch that another's commit starts.
    ///
    /// # Errors
    ///
    /// [`CallerError::Outdated`] if the epoch has changed since it was staged.
    pub fn merge_remote(&mut self, staged: StagedRemoteCommit) -> Result<()> {
        self.check_base(&staged.transition)?;
        if let Some(advance) = staged.advance {
            let client = self.client.clone();
            let suite = client.suite(self.cipher_suite())?;
            self.epoch.secret_tree.advance(suite, advance)?;
        }
        self.enter(staged.transition);
        Ok(())
    }

    fn receive_public(&mut self, message: PublicMessage) -> Result<Received> {
        let suite = self.suite()?;
        let frame = self.epoch.frame(suite);
        let membership_key = &self.epoch.secrets.membership_key;
        let content = message.unprotect(&frame, membership_key, &self.epoch.senders(suite))?;
        if content.sender() == Sender::Member(self.own_leaf()) {
            return Ok(Received::Ignored(Ignored::Own));
        }
        self.receive_content(content, None)
    }

    fn receive_private(&mut self, message: PrivateMessageRef<'_>) -> Result<Received> {
        let is_application = message.content_type() == ContentType::Application;
        match self.compare_epoch(message.group_id(), message.epoch())? {
            Ordering::Greater => Ok(Received::Ignored(Ignored::FutureEpoch)),
            Ordering::Less if is_application => self.receive_late(message),
            Ordering::Less => Ok(Received::Ignored(Ignored::PastEpoch)),
            Ordering::Equal if is_application => self.receive_application(message),
            Ordering::Equal => self.receive_handshake(message),
        }
    }

    fn receive_application(&mut self, message: PrivateMessageRef<'_>) -> Result<Received> {
        let client = self.client.clone();
        let suite = client.suite(self.epoch.context.cipher_suite)?;
        let own_leaf = self.own_leaf();
        let Epoch { context, encoded_context, tree, secrets, secret_tree, .. } = &mut self.epoch;
        let frame = EpochContext {
            suite,
            group_id: &context.group_id,
            epoch: context.epoch,
            group_context: encoded_context,
        };
        let secret = &secrets.sender_data_secret;
        let senders = Senders { suite, tree, extensions: None };
        let opened = message.open_application(&frame, own_leaf, secret, secret_tree, &senders);
        received_application(message, &frame, secret, own_leaf, opened)
    }

    fn receive_handshake(&mut self, message: PrivateMessageRef<'_>) -> Result<Received> {
        let suite = self.suite()?;
        let frame = self.epoch.frame(suite);
        let secret = &self.epoch.secrets.sender_data_secret;
        let senders = self.epoch.senders(suite);
        match message.unprotect(&frame, secret, &self.epoch.secret_tree, &senders) {
            Ok((content, _)) if content.sender() == Sender::Member(self.own_leaf()) => {
                // We never encrypt with a key that isn't used up at once: this is from a twin.
                Err(Error::invalid("9.1: a message of our own that we didn't send"))
            }
            Ok((content, advance)) => self.receive_content(content, Some(advance)),
            Err(Error::Peer(gone @ (PeerError::KeyUsedUp | PeerError::KeyTooOld))) => {
                let sender = message.sender_data(&frame, secret)?.leaf_index;
                Ok(Received::Ignored(ignored(gone, sender, self.own_leaf())))
            }
            Err(other) => Err(other),
        }
    }

    /// Application data of an epoch that is over, read with what is left of that epoch.
    fn receive_late(&mut self, message: PrivateMessageRef<'_>) -> Result<Received> {
        let epoch = message.epoch();
        let Some(place) = self.past.iter().position(|past| past.epoch == epoch) else {
            return Ok(Received::Ignored(Ignored::PastEpoch));
        };
        let client = self.client.clone();
        let suite = client.suite(self.cipher_suite())?;
        let group_id = &self.epoch.context.group_id;
        let Some(past) = self.past.get_mut(place) else {
            return Err(Error::Internal("a past epoch that was there"));
        };
        let PastEpoch { encoded_context, own_leaf, members, secret_tree, .. } = past;
        let (secret, own_leaf) = (&past.sender_data_secret, *own_leaf);
        let frame = EpochContext { suite, group_id, epoch, group_context: encoded_context };
        let senders = members.senders(suite);
        let opened = message.open_application(&frame, own_leaf, secret, secret_tree, &senders);
        received_application(message, &frame, secret, own_leaf, opened)
    }

    /// What is verified, but for the tag of a commit. The key is used up only if all goes well.
    fn receive_content(
        &mut self,
        content: VerifiedContent,
        advance: Option<Advance>,
    ) -> Result<Received> {
        match content.content() {
            // In the clear it isn't valid, and encrypted it goes another way.
            Content::Application(_) => Err(Error::Internal("application data as a handshake")),
            Content::Proposal(_) => self.receive_proposal(content, advance),
            Content::Commit(_) => {
                let staged = self.stage_remote(content, advance)?;
                Ok(Received::Commit(Box::new(staged)))
            }
        }
    }

    fn receive_proposal(
        &mut self,
        content: VerifiedContent,
        advance: Option<Advance>,
    ) -> Result<Received> {
        self.check_active()?;
        let suite = self.suite()?;
        if self.proposals.contains(&content.proposal_ref(suite)?) {
            return Ok(Received::Ignored(Ignored::Duplicate));
        }
        self.check_room()?;
        let Content::Proposal(proposal) = content.content() else {
            return Err(Error::Internal("a proposal that is none"));
        };
        let sender = content.sender();
        let view = self.view(suite);
        let checked = view.check_all(vec![(proposal.clone(), sender)])?.pop();
        let checked = checked.ok_or(Error::Internal("a proposal was lost"))?;
        let proposal = proposal.clone();
        let authenticated_data = content.authenticated_data().to_vec();
        let cached = CachedProposal::new(suite, content, checked)?;
        let received = ReceivedProposal {
            reference: cached.reference.as_slice().to_vec(),
            sender,
            proposal,
            authenticated_data,
            key_use: advance.as_ref().map(|a| key_use(self.epoch(), a)),
        };
        if let Some(advance) = advance {
            self.use_up(advance)?;
        }
        self.proposals.insert(cached);
        Ok(Received::Proposal(received))
    }

    /// Whether the epoch may have one more proposal.
    pub(super) fn check_room(&self) -> Result<()> {
        if self.proposals.iter().len() < self.client.config().max_proposals {
            Ok(())
        } else {
            Err(PeerError::TooManyProposals.into())
        }
    }

    fn use_up(&mut self, advance: Advance) -> Result<()> {
        let suite = self.client.suite(self.epoch.context.cipher_suite)?;
        self.epoch.secret_tree.advance(suite, advance)
    }
}

/// What a message is whose key is gone.
fn ignored(gone: PeerError, sender: LeafIndex, own_leaf: LeafIndex) -> Ignored {
    match gone {
        _ if sender == own_leaf => Ignored::Own,
        PeerError::KeyTooOld => Ignored::TooOld,
        _ => Ignored::Duplicate,
    }
}

pub(super) fn key_use(epoch: u64, advance: &Advance) -> KeyUse {
    KeyUse { epoch, consumed: advance.consumed() }
}

/// What comes of application data that was opened, or couldn't be.
fn received_application(
    message: PrivateMessageRef<'_>,
    frame: &EpochContext<'_>,
    secret: &SenderDataSecret,
    own_leaf: LeafIndex,
    opened: Result<OpenedApplication>,
) -> Result<Received> {
    match opened {
        Ok(OpenedApplication { sender, data, consumed }) => {
            Ok(Received::Application(ApplicationMessage {
                sender,
                epoch: message.epoch(),
                data,
                authenticated_data: message.authenticated_data().to_vec(),
                key_use: KeyUse { epoch: message.epoch(), consumed },
            }))
        }
        Err(Error::Peer(gone @ (PeerError::KeyUsedUp | PeerError::KeyTooOld))) => {
            let sender = message.sender_data(frame, secret)?.leaf_index;
            Ok(Received::Ignored(ignored(gone, sender, own_leaf)))
        }
        Err(other) => Err(other),
    }
}
