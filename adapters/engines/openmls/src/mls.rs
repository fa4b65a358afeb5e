//! OpenMLS as an MLS engine: [`MlsClient`].

use engine_api::{
    AppMessage, CommitBytes, Declared, EngineError, Epoch, ExternallyJoined, GroupId,
    GroupInfoBytes, Identity, Ingested, KeyPackageBytes, LeafIndex, MlsCapabilities, MlsClient,
    MlsEffect, MlsExtension, MlsProposal, PassiveClient, ProposalBytes, RatchetTreeBytes,
    RejectReason, StagedCommit, Support, TreePlace, WelcomeBytes, Welcomes,
};
use openmls::framing::{MlsMessageBodyIn, ProcessedMessageContent};
use openmls::group::{CreateCommitError, GroupContext, MlsGroup};
use openmls::key_packages::errors::KeyPackageVerifyError;
use openmls::key_packages::{KeyPackage, KeyPackageBundle};
use openmls::prelude::tls_codec::{Deserialize as _, Serialize as _, VLBytes};
use openmls::prelude::{
    Extension, Extensions, LeafNodeIndex, LeafNodeParameters, PreSharedKeyProposal, Proposal,
    QueuedProposal, RatchetTreeIn, Sender,
};
use openmls::schedule::{ExternalPsk, PreSharedKeyId, Psk};
use openmls::versions::ProtocolVersion;
use openmls_basic_credential::SignatureKeyPair;
use openmls_traits::OpenMlsProvider as _;
use openmls_traits::storage::StorageProvider as _;
use openmls_traits::types::{Ciphersuite, HpkePrivateKey};
use serde_json::json;

use crate::client::{Group, OpenMls, held, join_config, not_as_announced, plaintext_config};
use crate::describe::Backend;
use crate::ingest::{self, malformed};
use crate::profile::Profile;
use crate::signing::Signing;
use crate::state::{Provider, Unused};

impl<B: Backend> MlsClient for OpenMls<B> {
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

    /// OpenMLS has no way to take a key package's private keys. Its store has: what it holds is
    /// the encoding of a `KeyPackageBundle`, which can be made from the outside.
    fn import(passive: &PassiveClient) -> Result<Self, EngineError> {
        let provider = Provider::<B>::open()?;
        let suite =
            Ciphersuite::try_from(passive.cipher_suite).map_err(EngineError::unsupported)?;
        // libcrux' provider says that it doesn't have suite 1, and computes it all the same.
        if suite != Profile::default().suite {
            provider.crypto().supports(suite).map_err(EngineError::unsupported)?;
        }
        let key_package = recorded_key_package(&passive.key_package, &provider)?;
        let public = key_package.leaf_node().signature_key().as_slice().to_vec();
        let private = passive.signature_priv.to_vec();
        let signer = SignatureKeyPair::from_raw(suite.signature_algorithm(), private, public);
        let signer = Signing::<B>::new(signer);
        signer.store(provider.storage()).map_err(EngineError::storage)?;
        let made = Provider::<B>::open()?;
        keep_bundle(&made, &key_package, passive)?;
        let mut unused = Unused::default();
        unused.keep(&provider, &made)?;
        let credential = key_package.leaf_node().credential().serialized_content().to_vec();
        let mut client = Self {
            stages: provider.random_number()?,
            provider,
            signer,
            identity: Identity::new(credential),
            unused,
            groups: Default::default(),
            profile: Profile { suite, recorded: true, ..Profile::default() },
        };
        for (id, psk) in &passive.external_psks {
            client.store_psk(id, psk)?;
        }
        Ok(client)
    }

    fn declare(&mut self, declared: &Declared) -> Result<(), EngineError> {
        self.profile.declared = declared.clone();
        Ok(())
    }

    fn store_psk(&mut self, id: &[u8], psk: &[u8]) -> Result<(), EngineError> {
        let id = PreSharedKeyId::external(id.to_vec(), Vec::new());
        id.store(&self.provider, psk).map_err(EngineError::storage)
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
        let suite = self.profile.suite;
        let (provider, signer) = (&self.provider, &self.signer);
        let Group { mls, .. } = held(&mut self.groups, group)?;
        let message = match proposal {
            MlsProposal::Add(bytes) => {
                let key_package = ingest::key_package(bytes.as_slice(), provider.crypto())?;
                let made = mls.propose_add_member(provider, signer, &key_package);
                made.map_err(EngineError::caller)?.0
            }
            MlsProposal::Remove(leaf) => {
                let made = mls.propose_remove_member(provider, signer, LeafNodeIndex::new(leaf.0));
                made.map_err(EngineError::caller)?.0
            }
            MlsProposal::Update => {
                let same = LeafNodeParameters::default();
                let made = mls.propose_self_update(provider, signer, same);
                made.map_err(EngineError::caller)?.0
            }
            MlsProposal::ExternalPsk(id) => {
                let made = mls.propose_external_psk(provider, signer, psk(provider, suite, id)?);
                made.map_err(EngineError::caller)?.0
            }
            MlsProposal::GroupContextExtensions(list) => {
                let list = extensions(list)?;
                let made = mls.propose_group_context_extensions(provider, list, signer);
                made.map_err(EngineError::caller)?.0
            }
            MlsProposal::SelfRemove => {
                // OpenMLS sends it in the clear, and only if all handshake messages would be.
                let ours = mls.configuration().clone();
                let plain = plaintext_config(&self.profile);
                let stored = provider.storage();
                mls.set_configuration(stored, &plain).map_err(EngineError::storage)?;
                let made = mls.leave_group_via_self_remove(provider, signer);
                mls.set_configuration(stored, &ours).map_err(EngineError::storage)?;
                made.map_err(EngineError::caller)?
            }
            other => return Err(EngineError::unsupported(format_args!("{other:?}"))),
        };
        Ok(ProposalBytes(ingest::encoded(&message)?))
    }

    fn commit_pending(
        &mut self,
        group: &GroupId,
        by_value: &[MlsProposal],
        tree: TreePlace,
    ) -> Result<StagedCommit, EngineError> {
        let suite = self.profile.suite;
        let (provider, signer) = (&self.provider, &self.signer);
        let Group { mls, staged } = held(&mut self.groups, group)?;
        if staged.is_some() {
            return Err(EngineError::caller("a commit is staged already"));
        }
        let base = Epoch(mls.epoch().as_u64());
        let mut builder = mls.commit_builder().force_self_update(true);
        for proposal in by_value {
            builder = match proposal {
                MlsProposal::Add(bytes) => {
                    let key_package = ingest::key_package(bytes.as_slice(), provider.crypto())?;
                    builder.propose_adds([key_package])
                }
                MlsProposal::Remove(leaf) => builder.propose_removals([LeafNodeIndex::new(leaf.0)]),
                MlsProposal::ExternalPsk(id) => {
                    let psk = PreSharedKeyProposal::new(psk(provider, suite, id)?);
                    builder.add_proposal(Proposal::PreSharedKey(Box::new(psk)))
                }
                MlsProposal::GroupContextExtensions(list) => builder
                    .propose_group_context_extensions(extensions(list)?)
                    .map_err(EngineError::caller)?,
                other => return Err(EngineError::caller(format_args!("{other:?} by value"))),
            };
        }
        let made = builder
            .load_psks(provider.storage())
            .map_err(|why| not_committed(why, by_value))?
            .use_ratchet_tree_extension(tree == TreePlace::InGroupInfo)
            .build(provider.rand(), provider.crypto(), signer, |_| true)
            .map_err(|why| not_committed(why, by_value))?
            .stage_commit(provider)
            .map_err(EngineError::internal)?;
        let (commit, welcome, _) = made.into_messages();
        let commit = CommitBytes::new(ingest::encoded(&commit)?);
        let welcomes = match welcome {
            Some(welcome) => Welcomes::Shared(WelcomeBytes::new(ingest::encoded(&welcome)?)),
            None => Welcomes::None,
        };
        self.stages = self.stages.wrapping_add(1);
        *staged = Some(self.stages);
        Ok(StagedCommit::new(group.clone(), base, self.stages, commit, welcomes))
    }

    fn ratchet_tree(&self, group: &GroupId) -> Result<RatchetTreeBytes, EngineError> {
        let tree = self.group(group)?.export_ratchet_tree().tls_serialize_detached();
        tree.map(RatchetTreeBytes).map_err(EngineError::internal)
    }

    fn group_info(
        &mut self,
        group: &GroupId,
        tree: TreePlace,
    ) -> Result<GroupInfoBytes, EngineError> {
        let with_tree = tree == TreePlace::InGroupInfo;
        let made =
            self.group(group)?.export_group_info(self.provider.crypto(), &self.signer, with_tree);
        Ok(GroupInfoBytes(ingest::encoded(&made.map_err(EngineError::caller)?)?))
    }

    /// In a copy of the store, so that a refused GroupInfo leaves this one as it is. OpenMLS
    /// removes the member with the same signature key by itself.
    fn external_commit(
        &mut self,
        group_info: &GroupInfoBytes,
        ratchet_tree: Option<&RatchetTreeBytes>,
        resync: bool,
    ) -> Result<ExternallyJoined, EngineError> {
        let info = ingest::body(&group_info.0).map_err(EngineError::Peer)?;
        let MlsMessageBodyIn::GroupInfo(info) = info else {
            return Err(malformed("not a GroupInfo"));
        };
        let id = GroupId::new(info.group_id().as_slice().to_vec());
        if self.groups.contains_key(&id) && !resync {
            return Err(EngineError::caller("this client is in the group"));
        }
        let provider = self.provider.fork()?;
        if self.groups.contains_key(&id) {
            let deleted = provider.load(&id)?.delete(provider.storage());
            deleted.map_err(EngineError::storage)?;
        }
        let mut joining =
            MlsGroup::external_commit_builder().with_config(join_config(&self.profile));
        if let Some(ratchet_tree) = ratchet_tree {
            joining = joining.with_ratchet_tree(tree(ratchet_tree)?);
        }
        if self.profile.recorded {
            joining = joining.skip_lifetime_validation();
        }
        let leaf = LeafNodeParameters::builder()
            .with_credential_with_key(self.credential())
            .with_capabilities(self.profile.capabilities())
            .build();
        let peer = |why: &dyn std::fmt::Display| EngineError::peer(RejectReason::Invalid, why);
        let (mls, made) = joining
            .build_group(&provider, info, self.credential())
            .map_err(|why| peer(&why))?
            .leaf_node_parameters(leaf)
            .load_psks(provider.storage())
            .map_err(|why| peer(&why))?
            .build(provider.rand(), provider.crypto(), &self.signer, |_| true)
            .map_err(|why| peer(&why))?
            .finalize(&provider)
            .map_err(EngineError::internal)?;
        let commit = ingest::encoded(made.commit())?;
        self.provider = provider;
        self.groups.insert(id.clone(), Group { mls, staged: None });
        Ok(ExternallyJoined { group: id, commit })
    }

    fn ingest(
        &mut self,
        group: &GroupId,
        message: &[u8],
    ) -> Result<Ingested<MlsEffect>, EngineError> {
        let Group { mls, staged } = held(&mut self.groups, group)?;
        let message = match ingest::message(message, None, mls) {
            Ok(message) => message,
            Err(outcome) => return Ok(outcome),
        };
        let processed = match mls.process_message(&self.provider, message) {
            Ok(processed) => processed,
            Err(why) => return ingest::not_processed(why),
        };
        let sender = Identity::new(processed.credential().serialized_content().to_vec());
        let effect = match processed.into_content() {
            ProcessedMessageContent::ApplicationMessage(message) => {
                MlsEffect::Application(AppMessage { sender, payload: message.into_bytes() })
            }
            ProcessedMessageContent::ProposalMessage(proposal)
            | ProcessedMessageContent::ExternalJoinProposalMessage(proposal) => {
                let effect = proposed(&proposal);
                let stored = mls.store_pending_proposal(self.provider.storage(), *proposal);
                stored.map_err(EngineError::storage)?;
                effect
            }
            ProcessedMessageContent::StagedCommitMessage(commit) => {
                let removed = commit.self_removed();
                mls.merge_staged_commit(&self.provider, *commit).map_err(ingest::not_applied)?;
                *staged = None;
                if removed {
                    self.leave(group)?;
                    return Ok(Ingested::Removed);
                }
                MlsEffect::Commit(Epoch(mls.epoch().as_u64()))
            }
            #[allow(unreachable_patterns, reason = "OpenMLS has more of them with its drafts on")]
            _ => return Err(not_as_announced()),
        };
        Ok(Ingested::Applied(effect))
    }

    fn group_context_extensions(&self, group: &GroupId) -> Result<Vec<MlsExtension>, EngineError> {
        let mut list = Vec::new();
        for extension in self.group(group)?.extensions().iter() {
            let encoded = extension.tls_serialize_detached().map_err(EngineError::internal)?;
            let data = encoded.get(size_of::<u16>()..).unwrap_or_default();
            let data = VLBytes::tls_deserialize_exact(data).map_err(EngineError::internal)?;
            list.push(MlsExtension {
                extension_type: extension.extension_type().into(),
                extension_data: data.into(),
            });
        }
        Ok(list)
    }

    fn export_secret(
        &self,
        group: &GroupId,
        label: &str,
        context: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, EngineError> {
        let crypto = self.provider.crypto();
        let secret = self.group(group)?.export_secret(crypto, label, context, length);
        secret.map_err(EngineError::caller)
    }
}

/// A key package that was good when it was recorded.
fn recorded_key_package<B: Backend>(
    bytes: &KeyPackageBytes,
    provider: &Provider<B>,
) -> Result<KeyPackage, EngineError> {
    let body = ingest::body(bytes.as_slice()).map_err(EngineError::Peer)?;
    let MlsMessageBodyIn::KeyPackage(key_package) = body else {
        return Err(malformed("not a key package"));
    };
    match key_package.clone().validate(provider.crypto(), ProtocolVersion::Mls10) {
        Ok(key_package) => Ok(key_package),
        // Looked at last, when all the rest was good. Whether the extensions are listed is for those
        // to judge who add the client. The two types are encoded the same way.
        Err(
            KeyPackageVerifyError::InvalidLifetime | KeyPackageVerifyError::UnsupportedExtension,
        ) => {
            let encoded = serde_json::to_value(key_package).map_err(EngineError::internal)?;
            serde_json::from_value(encoded).map_err(EngineError::internal)
        }
        Err(why) => Err(EngineError::peer(RejectReason::Invalid, why)),
    }
}

/// Has the store hold the key package with its private keys.
fn keep_bundle<B: Backend>(
    provider: &Provider<B>,
    key_package: &KeyPackage,
    passive: &PassiveClient,
) -> Result<(), EngineError> {
    let bundle = json!({
        "key_package": key_package,
        "private_init_key": HpkePrivateKey::from(&**passive.init_priv),
        "private_encryption_key": { "key": HpkePrivateKey::from(&**passive.encryption_priv) },
    });
    let bundle: KeyPackageBundle = serde_json::from_value(bundle).map_err(EngineError::internal)?;
    let reference = key_package.hash_ref(provider.crypto()).map_err(EngineError::internal)?;
    let kept = provider.storage().write_key_package(&reference, &bundle);
    kept.map_err(EngineError::storage)
}

fn proposed(proposal: &QueuedProposal) -> MlsEffect {
    MlsEffect::Proposal {
        sender: match proposal.sender() {
            Sender::Member(leaf) => Some(LeafIndex(leaf.u32())),
            _ => None,
        },
        proposal_type: proposal.proposal().proposal_type().into(),
    }
}

fn psk<B: Backend>(
    provider: &Provider<B>,
    suite: Ciphersuite,
    id: &[u8],
) -> Result<PreSharedKeyId, EngineError> {
    let psk = Psk::External(ExternalPsk::new(id.to_vec()));
    PreSharedKeyId::new(suite, provider.rand(), psk).map_err(EngineError::internal)
}

fn tree(bytes: &RatchetTreeBytes) -> Result<RatchetTreeIn, EngineError> {
    RatchetTreeIn::tls_deserialize_exact(&bytes.0).map_err(malformed)
}

fn extensions(list: &[MlsExtension]) -> Result<Extensions<GroupContext>, EngineError> {
    let mut extensions = Vec::new();
    for extension in list {
        let mut encoded = extension.extension_type.to_be_bytes().to_vec();
        let data = VLBytes::new(extension.extension_data.clone());
        data.tls_serialize(&mut encoded).map_err(EngineError::caller)?;
        let extension = Extension::tls_deserialize_exact(encoded).map_err(EngineError::caller)?;
        extensions.push(extension);
    }
    Extensions::from_vec(extensions).map_err(EngineError::caller)
}

fn not_committed(why: CreateCommitError, by_value: &[MlsProposal]) -> EngineError {
    match why {
        CreateCommitError::LibraryError(why) => EngineError::internal(why),
        why if by_value.iter().any(|proposal| matches!(proposal, MlsProposal::Add(_))) => {
            EngineError::peer(RejectReason::Invalid, why)
        }
        why => EngineError::caller(why),
    }
}
