//! burrow as an MLS engine: [`MlsClient`].

use std::collections::BTreeMap;
use std::marker::PhantomData;

use burrow::codec::{Decode, Encode};
use burrow::framing::{MlsMessage, Sender};
use burrow::group::{
    Client, CommitBuilder, Config, Identity, JoinOptions, KeyPackageSecrets, Received,
};
use burrow::tree::{LeafDescription, UnverifiedRatchetTree};
use burrow::types::{
    Extension, ExtensionType, Extensions, GroupInfo, LeafIndex as Leaf, Proposal, ProposalType, Psk,
};
use crypto_api::{CipherSuite, Secret};
use engine_api::{
    AppMessage, Declared, EngineError, Epoch, ExternallyJoined, GroupId, GroupInfoBytes, Ingested,
    LeafIndex, MlsCapabilities, MlsClient, MlsEffect, MlsExtension, MlsProposal, PassiveClient,
    ProposalBytes, RatchetTreeBytes, RejectReason, Rejection, StagedCommit, Support, TreePlace,
    WelcomeBytes,
};

use crate::client::{Burrow, Held, named, take_welcomes};
use crate::describe::Backend;
use crate::ingest::{ignored, key_package, malformed, ours, parse, peers, refused};
use crate::state::{Psks, Time, lifetime_now, new_client, present_identity, random_number};

impl<B: Backend> MlsClient for Burrow<B> {
    fn mls_capabilities() -> MlsCapabilities {
        MlsCapabilities {
            import: Support::Yes,
            declare: Support::Yes,
            external_psk: Support::Yes,
            tree_apart: Support::Yes,
            update_by_reference: Support::Yes,
            group_context_extensions: Support::Yes,
            group_context_extensions_by_reference: Support::Yes,
            external_psk_by_reference: Support::Yes,
            group_info: Support::Yes,
            external_commit: Support::Yes,
            resync: Support::Yes,
            self_remove: Support::Yes,
        }
    }

    fn import(passive: &PassiveClient) -> Result<Self, EngineError> {
        let psks = Psks::default();
        passive.external_psks.iter().for_each(|(id, psk)| psks.keep(id, psk));
        let client = new_client::<B>(&psks, Time::Recorded);
        let cipher_suite = CipherSuite(passive.cipher_suite);
        let suite = client.suite(cipher_suite).map_err(EngineError::unsupported)?;
        let key_package = key_package(passive.key_package.as_slice())?;
        let secrets = KeyPackageSecrets::from_parts(
            suite,
            key_package,
            &Secret::copy_from(&passive.init_priv),
            &Secret::copy_from(&passive.encryption_priv),
            &Secret::copy_from(&passive.signature_priv),
        )
        .map_err(peers)?;
        let reference = secrets.key_package().reference(suite).map_err(ours)?;
        let identity = Identity {
            cipher_suite,
            signer: suite.signing_key(&passive.signature_priv).map_err(EngineError::internal)?,
            description: LeafDescription::from(&secrets.key_package().leaf_node),
            lifetime: lifetime_now(),
        };
        Ok(Self {
            identity,
            key_packages: BTreeMap::from([(reference.as_slice().to_vec(), secrets)]),
            groups: BTreeMap::new(),
            psks,
            time: Time::Recorded,
            stages: random_number(&client)?,
            client,
            backend: PhantomData,
        })
    }

    fn declare(&mut self, declared: &Declared) -> Result<(), EngineError> {
        let capabilities = &mut self.identity.description.capabilities;
        let extensions = declared.extensions.iter().copied().map(ExtensionType);
        for extension in extensions.filter(|extension| !extension.is_default()) {
            if !capabilities.extensions.contains(&extension) {
                capabilities.extensions.push(extension);
            }
        }
        for proposal in declared.proposals.iter().copied().map(ProposalType) {
            if !capabilities.proposals.contains(&proposal) {
                capabilities.proposals.push(proposal);
            }
        }
        Ok(())
    }

    fn store_psk(&mut self, id: &[u8], psk: &[u8]) -> Result<(), EngineError> {
        self.psks.keep(id, psk);
        Ok(())
    }

    fn join(
        &mut self,
        welcome: &WelcomeBytes,
        ratchet_tree: Option<&RatchetTreeBytes>,
    ) -> Result<GroupId, EngineError> {
        let ratchet_tree = ratchet_tree.map(tree).transpose()?;
        self.join_by(welcome, JoinOptions { ratchet_tree, origin: None })
    }

    fn propose(
        &mut self,
        group: &GroupId,
        proposal: &MlsProposal,
    ) -> Result<ProposalBytes, EngineError> {
        let group = &mut self.held_mut(group)?.group;
        let sent = match proposal {
            MlsProposal::Add(bytes) => {
                let key_package = Box::new(key_package(bytes.as_slice())?);
                group.propose(Proposal::Add(key_package), b"").map_err(peers)
            }
            MlsProposal::Remove(leaf) => {
                group.propose(Proposal::Remove(Leaf(leaf.0)), b"").map_err(ours)
            }
            MlsProposal::Update => group.propose_update(None, b"").map_err(ours),
            MlsProposal::ExternalPsk(id) => group.propose_psk(external(id), b"").map_err(ours),
            MlsProposal::GroupContextExtensions(list) => {
                let proposal = Proposal::GroupContextExtensions(extensions(list)?);
                group.propose(proposal, b"").map_err(ours)
            }
            MlsProposal::SelfRemove => group.propose_self_remove(b"").map_err(ours),
            other => Err(EngineError::unsupported(format_args!("{other:?}"))),
        };
        Ok(ProposalBytes(sent?.message))
    }

    fn commit_pending(
        &mut self,
        group: &GroupId,
        by_value: &[MlsProposal],
        tree: TreePlace,
    ) -> Result<StagedCommit, EngineError> {
        let stage = self.stages;
        let client = self.client.clone();
        let held = self.held_mut(group)?;
        if held.staged.is_some() {
            return Err(EngineError::caller("a commit is staged already"));
        }
        let base = Epoch(held.group.epoch());
        let mut staged = held.with_tree(&client, tree, |held| {
            let mut builder = held.group.commit();
            for proposal in by_value {
                builder = by_value_in(builder, proposal)?;
            }
            builder.stage().map_err(|why| match by_value {
                [] => ours(why),
                _ => peers(why),
            })
        })?;
        let bytes = std::mem::take(&mut staged.messages.message).into();
        let welcomes = take_welcomes(&mut staged);
        held.staged = Some((stage, staged));
        self.stages = stage.wrapping_add(1);
        Ok(StagedCommit::new(group.clone(), base, stage, bytes, welcomes))
    }

    fn ratchet_tree(&self, group: &GroupId) -> Result<RatchetTreeBytes, EngineError> {
        let tree = self.held(group)?.group.tree().to_bytes();
        tree.map(RatchetTreeBytes).map_err(EngineError::internal)
    }

    fn group_info(
        &mut self,
        group: &GroupId,
        tree: TreePlace,
    ) -> Result<GroupInfoBytes, EngineError> {
        let client = self.client.clone();
        let held = self.held_mut(group)?;
        let info = held.with_tree(&client, tree, |held| held.group.group_info().map_err(ours))?;
        Ok(GroupInfoBytes(info))
    }

    fn external_commit(
        &mut self,
        group_info: &GroupInfoBytes,
        ratchet_tree: Option<&RatchetTreeBytes>,
        resync: bool,
    ) -> Result<ExternallyJoined, EngineError> {
        let MlsMessage::GroupInfo(info) = parse(&group_info.0).map_err(EngineError::Peer)? else {
            return Err(EngineError::Peer(malformed("not a GroupInfo")));
        };
        let ratchet_tree = ratchet_tree.map(tree).transpose()?;
        let identity = present_identity(&self.identity);
        let mut builder = self.client.join_externally(&identity, &info);
        if resync {
            builder = builder.replaces(old_leaf(&info, ratchet_tree.as_ref(), &identity)?);
        }
        if let Some(ratchet_tree) = ratchet_tree {
            builder = builder.ratchet_tree(ratchet_tree);
        }
        let joined = builder.stage().map_err(peers)?;
        let group = GroupId::new(joined.group.group_id().to_vec());
        if !resync && self.groups.contains_key(&group) {
            return Err(EngineError::caller("this client is in the group"));
        }
        self.groups.insert(group.clone(), Held { group: joined.group, staged: None });
        Ok(ExternallyJoined { group, commit: joined.message })
    }

    fn ingest(
        &mut self,
        group: &GroupId,
        message: &[u8],
    ) -> Result<Ingested<MlsEffect>, EngineError> {
        let held = self.held_mut(group)?;
        let message = match parse(message) {
            Ok(message) if message.content_type().is_some() => message,
            Ok(_) => return Ok(malformed("not a message to a group").into()),
            Err(why) => return Ok(why.into()),
        };
        if message.group_id() != Some(held.group.group_id()) {
            return Ok(Rejection::new(RejectReason::Misdirected, "for another group").into());
        }
        match held.group.receive_message(message) {
            Ok(Received::Proposal(received)) => Ok(Ingested::Applied(MlsEffect::Proposal {
                sender: match received.sender {
                    Sender::Member(leaf) => Some(LeafIndex(leaf.0)),
                    _ => None,
                },
                proposal_type: received.proposal.proposal_type().0,
            })),
            Ok(Received::Application(message)) => {
                let sender = held.group.member_at(message.epoch, message.sender);
                let sender =
                    sender.ok_or_else(|| EngineError::internal("a sender off the tree"))?;
                let sender = named(sender.credential);
                let message = AppMessage { sender, payload: message.data };
                Ok(Ingested::Applied(MlsEffect::Application(message)))
            }
            Ok(Received::Commit(staged)) if staged.removes_us() => {
                self.groups.remove(group);
                Ok(Ingested::Removed)
            }
            Ok(Received::Commit(staged)) => {
                held.group.merge_remote(*staged).map_err(ours)?;
                held.staged = None;
                Ok(Ingested::Applied(MlsEffect::Commit(Epoch(held.group.epoch()))))
            }
            Ok(Received::Ignored(why)) => Ok(ignored(why)),
            Err(why) => refused(why),
        }
    }

    fn group_context_extensions(&self, group: &GroupId) -> Result<Vec<MlsExtension>, EngineError> {
        let extensions = self.held(group)?.group.context().extensions.iter();
        let extensions = extensions.map(|extension| MlsExtension {
            extension_type: extension.extension_type.0,
            extension_data: extension.extension_data.clone(),
        });
        Ok(extensions.collect())
    }

    fn export_secret(
        &self,
        group: &GroupId,
        label: &str,
        context: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, EngineError> {
        let secret = self.held(group)?.group.export_secret(label.as_bytes(), context, length);
        Ok(secret.map_err(ours)?.as_slice().to_vec())
    }
}

impl Held {
    /// Does something while the group is configured to have its tree elsewhere: burrow has that in
    /// a client's configuration, and a group gets another client by being restored under it.
    fn with_tree<T>(
        &mut self,
        client: &Client,
        tree: TreePlace,
        work: impl FnOnce(&mut Self) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        if tree == TreePlace::InGroupInfo {
            return work(self);
        }
        let config = Config { tree_in_welcome: false, ..client.config().clone() };
        let other = client.with_config(config);
        let group = other.restore(&self.group.write().map_err(ours)?, &[]).map_err(ours)?;
        let mut held = Self { group, staged: None };
        let done = work(&mut held);
        // The message keys that the work took are used up in this one as well.
        self.group = client.restore(&held.group.write().map_err(ours)?, &[]).map_err(ours)?;
        done
    }
}

fn by_value_in<'a>(
    builder: CommitBuilder<'a>,
    proposal: &MlsProposal,
) -> Result<CommitBuilder<'a>, EngineError> {
    Ok(match proposal {
        MlsProposal::Add(bytes) => builder.add_member(key_package(bytes.as_slice())?),
        MlsProposal::Remove(leaf) => builder.remove_member(Leaf(leaf.0)),
        MlsProposal::ExternalPsk(id) => builder.psk(external(id)),
        MlsProposal::GroupContextExtensions(list) => {
            builder.group_context_extensions(extensions(list)?)
        }
        other => return Err(EngineError::caller(format_args!("{other:?} by value"))),
    })
}

/// The leaf of the client's that an external commit is to replace.
fn old_leaf(
    info: &GroupInfo,
    beside: Option<&UnverifiedRatchetTree>,
    identity: &Identity,
) -> Result<Leaf, EngineError> {
    let inside: Option<UnverifiedRatchetTree>;
    let tree = match beside {
        Some(tree) => tree,
        None => {
            inside = info.extensions.find().map_err(malformed).map_err(EngineError::Peer)?;
            inside.as_ref().ok_or_else(|| EngineError::caller("no ratchet tree"))?
        }
    };
    let own = identity.signer.public();
    let mut members = tree.members();
    let old = members.find(|(_, leaf)| leaf.signature_key.as_slice() == own);
    let (leaf, _) = old.ok_or_else(|| EngineError::caller("this client has no leaf to replace"))?;
    Ok(leaf)
}

fn tree(bytes: &RatchetTreeBytes) -> Result<UnverifiedRatchetTree, EngineError> {
    let tree = UnverifiedRatchetTree::decode_exact(&bytes.0);
    tree.map_err(malformed).map_err(EngineError::Peer)
}

fn external(id: &[u8]) -> Psk {
    Psk::External { psk_id: id.to_vec() }
}

fn extensions(list: &[MlsExtension]) -> Result<Extensions, EngineError> {
    let list = list.iter().map(|extension| Extension {
        extension_type: ExtensionType(extension.extension_type),
        extension_data: extension.extension_data.clone(),
    });
    Extensions::from_vec(list.collect()).map_err(EngineError::caller)
}
