//! Storing a group and coming back from storage.
//!
//! [`Group::write`] writes all of it: do it after each change of epoch. In between it is enough to
//! store the [`KeyUse`] of each message, a few bytes: that of a message sent *before* it leaves, so
//! that no key is used twice, and that of a message received, so that it can't be opened again.
//! [`Client::restore`] takes both.

use crypto_api::{SigningKey, Suite};
use zeroize::Zeroizing;

use super::{
    Client, Group, KeyUse, OwnUpdate, Status,
    epoch::Epoch,
    past_epoch::PastEpoch,
    proposals::{CachedProposal, Checked, ProposalCache},
};
use crate::{
    CallerError, Result,
    codec::{Decode, DecodeError, Encode, Reader},
    framing::{AuthenticatedContent, Content, Sender, VerifiedContent},
    schedule::{RatchetType, SecretTree, StoredSecretTree, interim_transcript_hash},
    tree::{NodeIndex, TreePrivateKeys, UnverifiedRatchetTree},
    types::{GroupContext, LeafIndex, Proposal, VerifiedLeafNode},
};

/// How the encoding starts. Another layout gets another number.
pub(super) const LAYOUT: u8 = 2;

/// What is written, one after the other.
pub(super) type Parts<'a> = Vec<Box<dyn Encode + 'a>>;

impl Group {
    /// All of the group, to be stored; it holds secrets.
    ///
    /// # Errors
    ///
    /// If something is too long to encode.
    pub fn write(&self) -> Result<Zeroizing<Vec<u8>>> {
        let mut parts: Parts<'_> = Vec::new();
        parts.push(Box::new(LAYOUT));
        parts.push(Box::new(&self.epoch.context));
        parts.push(Box::new(self.signer.private()));
        self.epoch.parts(&mut parts);
        parts.push(Box::new(count(self.proposals.iter().len())));
        for proposal in self.proposals.iter() {
            let content: &AuthenticatedContent = &proposal.content;
            parts.push(Box::new(content));
        }
        parts.push(Box::new(count(self.own_updates.len())));
        for update in &self.own_updates {
            parts.push(Box::new(update.leaf_key.private()));
            parts.push(Box::new(update.signer.private()));
        }
        parts.push(Box::new(count(self.past.len())));
        for past in &self.past {
            past.parts(&self.epoch.tree, &mut parts);
        }
        parts.push(Box::new(count(self.resumption.len())));
        for (epoch, psk) in &self.resumption {
            parts.push(Box::new(epoch));
            parts.push(Box::new(psk));
        }
        parts.push(Box::new(&self.status));
        write_parts(&parts)
    }
}

/// Into a buffer that has its size from the start: growing would leave secrets behind.
pub(super) fn write_parts(parts: &Parts<'_>) -> Result<Zeroizing<Vec<u8>>> {
    let length = parts.iter().map(|part| part.encoded_len()).sum();
    let mut out = Zeroizing::new(Vec::with_capacity(length));
    parts.iter().try_for_each(|part| part.encode(&mut out))?;
    Ok(out)
}

/// No list in memory is longer.
fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Epoch {
    pub(super) fn parts<'a>(&'a self, parts: &mut Parts<'a>) {
        parts.push(Box::new(&self.tree));
        parts.push(Box::new(&self.confirmation_tag));
        parts.push(Box::new(self.keys.leaf()));
        parts.push(Box::new(self.keys.leaf_key().private()));
        parts.push(Box::new(count(self.keys.above().count())));
        for (node, key) in self.keys.above() {
            parts.push(Box::new(node.0));
            parts.push(Box::new(key.private()));
        }
        parts.push(Box::new(&self.secrets));
        parts.push(Box::new(&self.secret_tree));
    }
}

impl Encode for Status {
    fn encoded_len(&self) -> usize {
        1 + match self {
            Self::Active | Self::Removed => 0,
            Self::Reinitialized(reinit) => reinit.encoded_len(),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), crate::codec::EncodeError> {
        match self {
            Self::Active => 0_u8.encode(out),
            Self::Removed => 1_u8.encode(out),
            Self::Reinitialized(reinit) => {
                2_u8.encode(out)?;
                reinit.encode(out)
            }
        }
    }
}

impl Decode for Status {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.read::<u8>()? {
            0 => Ok(Self::Active),
            1 => Ok(Self::Removed),
            2 => reader.read().map(Self::Reinitialized),
            _ => Err(DecodeError::InvalidValue("stored status")),
        }
    }
}

impl Client {
    /// A group as it was written, with the keys used up that were used since: `uses` are all
    /// [`KeyUse`]s that were stored after [`Group::write`], in order. More of them do no harm.
    ///
    /// # Errors
    ///
    /// [`CallerError::Invalid`] if a key was used in an epoch after the one that was written: the
    /// written group is outdated and must not be used; or if one of our own is more than
    /// [`KeyUse::MAX_RESERVED`] ahead of those before it: a record is damaged or missing.
    /// [`crate::PeerError::Malformed`] if this isn't what [`Group::write`] wrote.
    pub fn restore(&self, written: &[u8], uses: &[KeyUse]) -> Result<Group> {
        let mut reader = Reader::new(written);
        if reader.read::<u8>()? != LAYOUT {
            return Err(CallerError::Invalid("a stored group of another layout").into());
        }
        let context: GroupContext = reader.read()?;
        if uses.iter().any(|key_use| key_use.epoch > context.epoch) {
            return Err(CallerError::Invalid("a stored group that is outdated").into());
        }
        let suite = self.suite(context.cipher_suite)?;
        let mut restoring = Restoring { client: self, suite, reader, uses };
        let signer = restoring.signing_key()?;
        let mut group = Group::new(self.clone(), signer, restoring.epoch(context)?);
        group.proposals = restoring.proposals()?;
        group.own_updates = restoring.list(Restoring::own_update)?;
        let tree = &group.epoch.tree;
        group.past = restoring.list(|restoring| PastEpoch::restore(restoring, tree))?.into();
        group.resumption = restoring
            .list(|restoring| Ok((restoring.reader.read()?, restoring.reader.read()?)))?
            .into();
        group.status = restoring.reader.read()?;
        restoring.reader.finish()?;
        Ok(group)
    }
}

pub(super) struct Restoring<'a> {
    pub(super) client: &'a Client,
    pub(super) suite: &'a dyn Suite,
    pub(super) reader: Reader<'a>,
    pub(super) uses: &'a [KeyUse],
}

impl Restoring<'_> {
    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.reader.read::<u32>()?;
        (0..count).map(|_| read(self)).collect()
    }

    pub(super) fn epoch(&mut self, context: GroupContext) -> Result<Epoch> {
        let tree = self.reader.read::<UnverifiedRatchetTree>()?.trust();
        let confirmation_tag: Vec<u8> = self.reader.read()?;
        let leaf: LeafIndex = self.reader.read()?;
        let mut keys = TreePrivateKeys::new(leaf, self.hpke_key()?);
        for (node, key) in
            self.list(|restoring| Ok((NodeIndex(restoring.reader.read()?), restoring.hpke_key()?)))?
        {
            keys.set(node, key)?;
        }
        let secrets = self.reader.read()?;
        let secret_tree = self.secret_tree(context.epoch, leaf)?;
        let transcript = &context.confirmed_transcript_hash;
        let interim_transcript_hash =
            interim_transcript_hash(self.suite, transcript, &confirmation_tag)?;
        Ok(Epoch {
            encoded_context: context.to_bytes()?,
            context,
            tree,
            keys,
            secrets,
            secret_tree,
            confirmation_tag,
            interim_transcript_hash,
        })
    }

    pub(super) fn secret_tree(&mut self, epoch: u64, own_leaf: LeafIndex) -> Result<SecretTree> {
        let stored: StoredSecretTree = self.reader.read()?;
        let mut next = stored.next_generations(own_leaf);
        let mut received = Vec::new();
        for key_use in self.uses.iter().filter(|key_use| key_use.epoch == epoch) {
            let consumed = key_use.consumed;
            if consumed.leaf != own_leaf {
                received.push(consumed);
                continue;
            }
            let next = match consumed.ratchet_type {
                RatchetType::Handshake => &mut next.handshake,
                RatchetType::Application => &mut next.application,
            };
            let after = u64::from(consumed.generation) + 1;
            if after.saturating_sub(*next) > u64::from(KeyUse::MAX_RESERVED) {
                return Err(CallerError::Invalid("a stored key use is out of reach").into());
            }
            *next = (*next).max(after);
        }
        let limits = self.client.config().ratchet_limits;
        stored.resume(self.suite, limits, own_leaf, next, &received)
    }

    fn hpke_key(&mut self) -> Result<crypto_api::HpkePrivateKey> {
        let private: crypto_api::Secret = self.reader.read()?;
        let key = self.suite.private_key(private.as_slice());
        key.map_err(|_| CallerError::BadKey.into())
    }

    pub(super) fn signing_key(&mut self) -> Result<SigningKey> {
        let private: crypto_api::Secret = self.reader.read()?;
        let key = self.suite.signing_key(private.as_slice());
        key.map_err(|_| CallerError::BadKey.into())
    }

    fn own_update(&mut self) -> Result<OwnUpdate> {
        Ok(OwnUpdate { leaf_key: self.hpke_key()?, signer: self.signing_key()? })
    }

    fn proposals(&mut self) -> Result<ProposalCache> {
        let mut cache = ProposalCache::default();
        for content in self.list(|restoring| Ok(restoring.reader.read()?))? {
            let content = VerifiedContent::trusted(content);
            let checked = self.checked(&content)?;
            cache.insert(CachedProposal::new(self.suite, content, checked)?);
        }
        Ok(cache)
    }

    /// What was checked before it was stored. The application isn't asked again: it may have changed
    /// its mind, and the other members have not.
    fn checked(&self, content: &VerifiedContent) -> Result<Checked> {
        let Content::Proposal(proposal) = content.content() else {
            return Err(CallerError::Invalid("a stored proposal that is none").into());
        };
        Ok(match (proposal.clone(), content.sender()) {
            (Proposal::Add(key_package), _) => Checked::Add(key_package.verify(self.suite)?),
            (Proposal::Update(leaf_node), Sender::Member(leaf)) => {
                Checked::Update(leaf, VerifiedLeafNode::trusted(leaf_node))
            }
            (Proposal::Remove(leaf), _) => Checked::Remove(leaf),
            (Proposal::PreSharedKey(psk), _) => Checked::Psk(psk),
            (Proposal::ReInit(reinit), _) => Checked::ReInit(reinit),
            (Proposal::ExternalInit(kem_output), _) => Checked::ExternalInit(kem_output),
            (Proposal::GroupContextExtensions(extensions), _) => Checked::Extensions(extensions),
            (Proposal::AppDataUpdate(update), _) => Checked::AppDataUpdate(update),
            (Proposal::SelfRemove, Sender::Member(leaf)) => Checked::SelfRemove(leaf),
            (Proposal::Custom(custom), sender) => Checked::Custom(sender, custom),
            (Proposal::Update(_) | Proposal::SelfRemove, _) => {
                return Err(CallerError::Invalid("a stored proposal of nobody's").into());
            }
        })
    }
}
