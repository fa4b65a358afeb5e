//! mls-rs as an MLS engine: [`MlsClient`].

use std::cell::RefCell;
use std::collections::BTreeMap;

use engine_api::{
    AppMessage, Declared, EngineError, Epoch, ExternallyJoined, GroupId, GroupInfoBytes, Ingested,
    LeafIndex, MlsCapabilities, MlsClient, MlsEffect, MlsExtension, MlsProposal, PassiveClient,
    ProposalBytes, RatchetTreeBytes, RejectReason, StagedCommit, Support, TreePlace, WelcomeBytes,
};
use mls_rs::group::{CommitEffect, ExportedTree, ProposalSender, ReceivedMessage};
use mls_rs::mls_rs_codec::MlsDecode;
use mls_rs::{CipherSuite, Extension, ExtensionList, KeyPackageStorage};
use mls_rs_core::extension::ExtensionType;
use mls_rs_core::key_package::KeyPackageData;
use mls_rs_core::psk::ExternalPskId;

use crate::client::{MlsRs, encoded, identity, welcomes};
use crate::describe::Backend;
use crate::ingest::{admit, malformed, ours, parse, peers, refused};
use crate::state::{GroupStore, Held, KeyPackages, Keys, Outbox, Staged, Told, random_number};

/// How long the version and the wire format in front of a message are.
const MESSAGE_HEADER: usize = 4;

const SELF_REMOVE: Support = Support::No(
    "mls-rs 0.57 has SelfRemove behind a feature, and under the private type 0xF003 instead of \
     0x000a",
);

impl<B: Backend> MlsClient for MlsRs<B> {
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
            self_remove: SELF_REMOVE,
        }
    }

    fn import(passive: &PassiveClient) -> Result<Self, EngineError> {
        let told = Told { suite: CipherSuite::new(passive.cipher_suite), ..Told::default() };
        passive.external_psks.iter().for_each(|(id, psk)| told.psks.keep(id, psk));
        let suite = B::default().cipher_suite_provider(told.suite);
        let suite = suite.ok_or_else(|| EngineError::unsupported("the cipher suite"))?;
        let bytes = passive.key_package.as_slice();
        let message = parse(bytes).map_err(EngineError::Peer)?;
        let reference = message.key_package_reference(&suite).map_err(peers)?;
        let key_package = message.into_key_package();
        let (Some(reference), Some(key_package)) = (reference, key_package) else {
            return Err(EngineError::Peer(malformed("not a key package")));
        };
        let signing = key_package.signing_identity();
        let name = identity(signing).map_err(EngineError::unsupported)?;
        let public = signing.signature_key.clone();
        let secret = signature_secret(passive, &public);
        let keys = Keys::new(name.as_slice().to_vec(), public, secret.into());
        let mut key_packages = KeyPackages::default();
        let kept = key_packages.insert(
            reference.to_vec(),
            KeyPackageData::new(
                bytes.get(MESSAGE_HEADER..).unwrap_or_default().to_vec(),
                passive.init_priv.to_vec().into(),
                passive.encryption_priv.to_vec().into(),
                u64::MAX,
            ),
        );
        kept.map_err(EngineError::storage)?;
        let outbox = Outbox::default();
        Ok(Self {
            client: keys.client(&key_packages, GroupStore::new(&outbox), &told),
            told,
            keys,
            key_packages,
            outbox,
            groups: BTreeMap::new(),
            stages: random_number::<B>()?,
        })
    }

    fn declare(&mut self, declared: &Declared) -> Result<(), EngineError> {
        self.told.declared = declared.clone();
        let store = GroupStore::new(&self.outbox);
        self.client = self.keys.client(&self.key_packages, store, &self.told);
        Ok(())
    }

    fn store_psk(&mut self, id: &[u8], psk: &[u8]) -> Result<(), EngineError> {
        self.told.psks.keep(id, psk);
        Ok(())
    }

    fn join(
        &mut self,
        welcome: &WelcomeBytes,
        ratchet_tree: Option<&RatchetTreeBytes>,
    ) -> Result<GroupId, EngineError> {
        let ratchet_tree = ratchet_tree.map(tree).transpose()?;
        self.join_by(welcome, ratchet_tree)
    }

    fn propose(
        &mut self,
        group: &GroupId,
        proposal: &MlsProposal,
    ) -> Result<ProposalBytes, EngineError> {
        let group = &mut self.held_mut(group)?.group;
        let aad = Vec::new();
        let message = match proposal {
            MlsProposal::Add(bytes) => {
                let key_package = parse(bytes.as_slice()).map_err(EngineError::Peer)?;
                group.propose_add(key_package, aad).map_err(peers)?
            }
            MlsProposal::Remove(leaf) => {
                group.propose_remove(leaf.0, aad).map_err(EngineError::caller)?
            }
            MlsProposal::Update => group.propose_update(aad).map_err(ours)?,
            MlsProposal::ExternalPsk(id) => {
                let id = ExternalPskId::new(id.clone());
                group.propose_external_psk(id, aad).map_err(EngineError::caller)?
            }
            MlsProposal::GroupContextExtensions(list) => group
                .propose_group_context_extensions(extensions(list), aad)
                .map_err(EngineError::caller)?,
            MlsProposal::SelfRemove => {
                return Err(EngineError::unsupported(SELF_REMOVE.why_not().unwrap_or_default()));
            }
            other => return Err(EngineError::unsupported(format_args!("{other:?}"))),
        };
        Ok(ProposalBytes(encoded(&message)?))
    }

    fn commit_pending(
        &mut self,
        group: &GroupId,
        by_value: &[MlsProposal],
        tree: TreePlace,
    ) -> Result<StagedCommit, EngineError> {
        let stage = self.stages;
        let rules = self.told.rules.clone();
        let held = self.held_mut(group)?;
        if held.staged.is_some() {
            return Err(EngineError::caller("a commit is staged already"));
        }
        let base = Epoch(held.group.current_epoch());
        let mut builder = held.group.commit_builder();
        for proposal in by_value {
            let built = match proposal {
                MlsProposal::Add(bytes) => {
                    builder.add_member(parse(bytes.as_slice()).map_err(EngineError::Peer)?)
                }
                MlsProposal::Remove(leaf) => builder.remove_member(leaf.0),
                MlsProposal::ExternalPsk(id) => {
                    builder.add_external_psk(ExternalPskId::new(id.clone()))
                }
                MlsProposal::GroupContextExtensions(list) => {
                    builder.set_group_context_ext(extensions(list))
                }
                other => return Err(EngineError::caller(format_args!("{other:?} by value"))),
            };
            builder = built.map_err(peers)?;
        }
        rules.keep_tree_apart(tree == TreePlace::Apart);
        let built = builder.build_detached();
        rules.keep_tree_apart(false);
        let (output, secrets) = built.map_err(|why| match by_value {
            [] => ours(why),
            _ => peers(why),
        })?;
        let bytes = encoded(&output.commit_message)?;
        let welcomes = welcomes(&output)?;
        held.staged = Some(Staged { stage, secrets });
        self.stages = stage.wrapping_add(1);
        Ok(StagedCommit::new(group.clone(), base, stage, bytes, welcomes))
    }

    fn ratchet_tree(&self, group: &GroupId) -> Result<RatchetTreeBytes, EngineError> {
        let tree = self.held(group)?.group.export_tree().to_bytes();
        tree.map(RatchetTreeBytes).map_err(ours)
    }

    fn group_info(
        &mut self,
        group: &GroupId,
        tree: TreePlace,
    ) -> Result<GroupInfoBytes, EngineError> {
        let group = &self.held_mut(group)?.group;
        let with_tree = tree == TreePlace::InGroupInfo;
        let message = group.group_info_message_allowing_ext_commit(with_tree).map_err(ours)?;
        Ok(GroupInfoBytes(encoded(&message)?))
    }

    fn external_commit(
        &mut self,
        group_info: &GroupInfoBytes,
        ratchet_tree: Option<&RatchetTreeBytes>,
        resync: bool,
    ) -> Result<ExternallyJoined, EngineError> {
        let message = parse(&group_info.0).map_err(EngineError::Peer)?;
        let ratchet_tree = ratchet_tree.map(tree).transpose()?;
        let mut builder = self.client.external_commit_builder().map_err(ours)?;
        if resync {
            let info = message.as_group_info();
            let info =
                info.ok_or_else(|| EngineError::Peer(malformed("not a GroupInfo")))?.extensions();
            let inside = info.get(ExtensionType::RATCHET_TREE);
            let inside = inside
                .map(|extension| tree(&RatchetTreeBytes(extension.extension_data().to_vec())));
            let inside = inside.transpose()?;
            let tree = ratchet_tree.as_ref().or(inside.as_ref());
            let tree = tree.ok_or_else(|| EngineError::caller("no ratchet tree"))?;
            builder = builder.with_removal(self.old_leaf(tree)?);
        }
        if let Some(ratchet_tree) = ratchet_tree {
            builder = builder.with_tree_data(ratchet_tree);
        }
        let (group, commit) = builder.build(message).map_err(peers)?;
        let id = GroupId::new(group.group_id().to_vec());
        if !resync && self.groups.contains_key(&id) {
            return Err(EngineError::caller("this client is in the group"));
        }
        self.groups.insert(id.clone(), RefCell::new(Held::new(group, None)));
        Ok(ExternallyJoined { group: id, commit: encoded(&commit)? })
    }

    fn ingest(
        &mut self,
        group: &GroupId,
        message: &[u8],
    ) -> Result<Ingested<MlsEffect>, EngineError> {
        let held = self.held_mut(group)?;
        let message = match admit(message, None, held.group.context()) {
            Ok(message) => message,
            Err(outcome) => return Ok(outcome),
        };
        let received = match held.group.process_incoming_message(message) {
            Ok(received) => received,
            Err(why) => return refused(why),
        };
        let effect = match received {
            ReceivedMessage::ApplicationMessage(message) => {
                let sender = held.group.member_at_index(message.sender_index);
                let sender =
                    sender.ok_or_else(|| EngineError::internal("a sender off the tree"))?;
                MlsEffect::Application(AppMessage {
                    sender: identity(&sender.signing_identity)?,
                    payload: message.data().to_vec(),
                })
            }
            ReceivedMessage::Proposal(received) => {
                let sender = match received.sender {
                    ProposalSender::Member(leaf) => Some(LeafIndex(leaf)),
                    _ => None,
                };
                if sender == Some(LeafIndex(held.group.current_member_index())) {
                    // mls-rs knows its own proposals again.
                    return Ok(Ingested::Duplicate);
                }
                let proposal_type = received.proposal.proposal_type().raw_value();
                MlsEffect::Proposal { sender, proposal_type }
            }
            ReceivedMessage::Commit(commit) => match commit.effect {
                CommitEffect::Removed { .. } => {
                    self.groups.remove(group);
                    return Ok(Ingested::Removed);
                }
                _ => {
                    held.staged = None;
                    MlsEffect::Commit(Epoch(held.group.current_epoch()))
                }
            },
            other => return Err(crate::client::unexpected(&other)),
        };
        Ok(Ingested::Applied(effect))
    }

    fn group_context_extensions(&self, group: &GroupId) -> Result<Vec<MlsExtension>, EngineError> {
        let held = self.held(group)?;
        let extensions = held.group.context().extensions.iter();
        let extensions = extensions.map(|extension| MlsExtension {
            extension_type: extension.extension_type().raw_value(),
            extension_data: extension.extension_data().to_vec(),
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
        Ok(secret.map_err(ours)?.as_bytes().to_vec())
    }
}

impl<B: Backend> MlsRs<B> {
    /// The leaf of this client's that an external commit is to replace.
    fn old_leaf(&self, tree: &ExportedTree<'_>) -> Result<u32, EngineError> {
        let own = &self.keys.signing.signature_key;
        let roster = tree.roster();
        let mut members = roster.members_iter();
        let old = members.find(|member| member.signing_identity.signature_key == *own);
        let old = old.ok_or_else(|| EngineError::caller("this client has no leaf to replace"))?;
        Ok(old.index)
    }
}

/// For Ed25519 mls-rs keeps the public key behind the private one.
fn signature_secret(passive: &PassiveClient, public: &[u8]) -> Vec<u8> {
    const ED25519: [u16; 2] = [1, 3];
    let mut secret = passive.signature_priv.to_vec();
    if ED25519.contains(&passive.cipher_suite) && secret.len() == public.len() {
        secret.extend_from_slice(public);
    }
    secret
}

fn tree(bytes: &RatchetTreeBytes) -> Result<ExportedTree<'static>, EngineError> {
    let tree = ExportedTree::mls_decode_exhaustive(&bytes.0);
    tree.map_err(|why| EngineError::peer(RejectReason::Malformed, why))
}

fn extensions(list: &[MlsExtension]) -> ExtensionList {
    let mut extensions = ExtensionList::new();
    for extension in list {
        let extension_type = ExtensionType::new(extension.extension_type);
        extensions.set(Extension::new(extension_type, extension.extension_data.clone()));
    }
    extensions
}
