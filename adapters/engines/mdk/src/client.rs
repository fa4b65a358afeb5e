//! The client: the contract's calls, made of MDK's.

use std::collections::HashMap;

use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CommitBytes, Description, EncodedSizes, EngineError,
    Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested, KeyPackageBytes, LeafIndex,
    MarmotClient, Member, PublishedCommit, RejectReason, Rejection, StagedCommit, WelcomeBytes,
    Welcomes,
};
use mdk_core::prelude::{
    GroupId as MdkGroupId, NostrGroupConfigData, NostrGroupDataUpdate, UpdateGroupResult,
    group_types, welcome_types,
};
use nostr::{Event, EventBuilder, EventId, Keys, Kind, PublicKey, RelayUrl, UnsignedEvent};
use openmls::prelude::tls_codec::Size as _;

use crate::describe;
use crate::events;
use crate::ingest::{self, Outcome, identity, removed};
use crate::state::State;
use crate::store::{Memory, Store};

/// Goes into every key package and group. No relay is ever spoken to.
const RELAY: &str = "wss://relay.example.com";

/// What every group is called until it is renamed.
const GROUP_NAME: &str = "group";

/// The kind of a key package's event.
const KEY_PACKAGE: Kind = Kind::Custom(30443);

/// One Nostr account with one MDK instance.
pub(crate) struct MdkClient<S: Store = Memory> {
    /// The account. MDK doesn't keep it; it signs key packages only.
    pub(crate) keys: Keys,
    relay: RelayUrl,
    pub(crate) state: State<S>,
    /// The event of each group's staged commit.
    staged: HashMap<GroupId, EventId>,
    /// Messages that were given to `ingest_commit`: MDK has decrypted them, which works once, so
    /// they wait here for `ingest_app`.
    misdelivered: HashMap<EventId, AppMessage>,
    /// The event of the commit that MDK has made of each group's departures, and has pending.
    pub(crate) departures: HashMap<GroupId, Event>,
}

impl<S: Store> CgkaEngine for MdkClient<S> {
    fn describe() -> Description {
        describe::describe::<S>()
    }

    fn new_client(_: &str) -> Result<Self, EngineError> {
        Ok(Self {
            keys: Keys::generate(),
            relay: RelayUrl::parse(RELAY).map_err(EngineError::internal)?,
            state: State::new()?,
            staged: HashMap::new(),
            misdelivered: HashMap::new(),
            departures: HashMap::new(),
        })
    }

    fn identity(&self) -> Identity {
        identity(&self.keys.public_key())
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        let account = self.keys.public_key();
        let data = self
            .state
            .mdk
            .create_key_package_for_event(&account, [self.relay.clone()])
            .map_err(ingest::own_fault)?;
        let event = EventBuilder::new(KEY_PACKAGE, data.content)
            .tags(data.tags_30443)
            .sign_with_keys(&self.keys)
            .map_err(EngineError::internal)?;
        Ok(KeyPackageBytes::new(events::to_json(&event)?))
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        let founder = self.keys.public_key();
        let config = NostrGroupConfigData::new(
            GROUP_NAME.to_owned(),
            String::new(),
            None,
            None,
            None,
            vec![self.relay.clone()],
            vec![founder],
        );
        let made = self
            .state
            .mdk
            .create_group(&founder, key_packages(invitees)?, config)
            .map_err(ingest::key_package_fault)?;
        Ok(Founded {
            group: GroupId::new(made.group.mls_group_id.to_vec()),
            welcomes: welcomes(made.welcome_rumors)?,
            published_commits: Vec::new(),
        })
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        let (id, rumor) = events::rumor(welcome.as_slice()).map_err(EngineError::Peer)?;
        let mdk = &self.state.mdk;
        // The first id is the gift wrap's, by which MDK knows a Welcome again.
        let welcome = mdk.process_welcome(&id, &rumor).map_err(ingest::welcome_fault)?;
        // MDK would accept it once more and put the group back to where it was then.
        if welcome.state != welcome_types::WelcomeState::Pending {
            let why = "the Welcome was accepted before";
            return Err(EngineError::peer(RejectReason::Invalid, why));
        }
        mdk.accept_welcome(&welcome).map_err(ingest::welcome_fault)?;
        Ok(GroupId::new(welcome.mls_group_id.to_vec()))
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        let rumor = events::wrap_payload(self.keys.public_key(), payload);
        let event = self
            .state
            .mdk
            .create_message(&mdk_id(group), rumor, None)
            .map_err(ingest::own_fault)?;
        Ok(AppBytes::new(events::to_json(&event)?))
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        let record = self.record(group)?;
        let event = match events::signed(message.as_slice()) {
            Ok(event) => event,
            Err(why) => return Ok(Ingested::Rejected(why)),
        };
        if let Some(message) = self.misdelivered.remove(&event.id) {
            return Ok(Ingested::Applied(message));
        }
        match self.process(group, &record, &event)? {
            Outcome::Message(message) => Ok(Ingested::Applied(message)),
            Outcome::Commit => {
                self.staged.remove(group);
                Err(EngineError::caller(
                    "a commit was given to ingest_app: MDK can't look first, and has applied it",
                ))
            }
            Outcome::Duplicate => Ok(Ingested::Duplicate),
            Outcome::Stale => Ok(Ingested::Stale),
            Outcome::Rejected(why) => Ok(Ingested::Rejected(why)),
        }
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        let record = self.record(group)?;
        let event = match events::signed(commit.as_slice()) {
            Ok(event) => event,
            Err(why) => return Ok(Ingested::Rejected(why)),
        };
        if self.misdelivered.contains_key(&event.id) {
            return Ok(not_a_commit());
        }
        match self.process(group, &record, &event)? {
            Outcome::Commit => self.entered(group),
            Outcome::Message(message) => {
                self.misdelivered.insert(event.id, message);
                Ok(not_a_commit())
            }
            Outcome::Duplicate => Ok(Ingested::Duplicate),
            Outcome::Stale => Ok(Ingested::Stale),
            Outcome::Rejected(why) => Ok(Ingested::Rejected(why)),
        }
    }

    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        self.stage(group, |client| client.change(&mdk_id(group), change))
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        let group = commit.staged().group();
        self.check_staged(commit.staged())?;
        self.state.mdk.merge_pending_commit(&mdk_id(group)).map_err(ingest::own_fault)?;
        self.staged.remove(group);
        Ok(Epoch(self.active(group)?.epoch))
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        self.check_staged(&commit)?;
        self.state.mdk.clear_pending_commit(&mdk_id(commit.group())).map_err(ingest::own_fault)?;
        self.staged.remove(commit.group());
        Ok(())
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        self.active(group)?;
        let group = self.state.mls_group(&mdk_id(group))?;
        Ok(Epoch(group.epoch().as_u64()))
    }

    fn group_name(&self, group: &GroupId) -> Result<String, EngineError> {
        Ok(self.active(group)?.name)
    }

    fn marmot(&mut self) -> Option<&mut dyn MarmotClient> {
        Some(self)
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        self.active(group)?;
        let leaves = self.state.mdk.group_leaf_map(&mdk_id(group)).map_err(ingest::own_fault)?;
        let members = leaves
            .into_iter()
            .map(|(leaf, key)| Member { leaf: LeafIndex(leaf), identity: identity(&key) });
        Ok(members.collect())
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        self.active(group)?;
        let leaf = self.state.mdk.own_leaf_index(&mdk_id(group));
        leaf.map(LeafIndex).map_err(ingest::own_fault)
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        self.active(group)?;
        let group = self.state.mls_group(&mdk_id(group))?;
        let authenticator = group.epoch_authenticator().as_slice().to_vec();
        Ok(EpochAuthenticator::new(authenticator))
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        self.active(group)?;
        let group = self.state.mls_group(&mdk_id(group))?;
        Ok(EncodedSizes {
            ratchet_tree: Some(group.export_ratchet_tree().tls_serialized_len()),
            stored_state: None,
        })
    }

    fn fork(&self) -> Result<Self, EngineError> {
        Ok(Self {
            keys: self.keys.clone(),
            relay: self.relay.clone(),
            state: self.state.fork()?,
            staged: self.staged.clone(),
            misdelivered: self.misdelivered.clone(),
            departures: self.departures.clone(),
        })
    }
}

impl<S: Store> MdkClient<S> {
    /// Stages the commit that `make` makes.
    pub(crate) fn stage(
        &mut self,
        group: &GroupId,
        make: impl FnOnce(&Self) -> Result<UpdateGroupResult, EngineError>,
    ) -> Result<StagedCommit, EngineError> {
        let base = Epoch(self.active(group)?.epoch);
        if self.staged.contains_key(group) {
            return Err(EngineError::caller("a commit is staged already"));
        }
        let (id, commit, welcomes) = match make(self).and_then(encoded) {
            Ok(encoded) => encoded,
            Err(why) => {
                // Where it failed after OpenMLS had staged: nobody else would clear that.
                let _ = self.state.mdk.clear_pending_commit(&mdk_id(group));
                return Err(why);
            }
        };
        self.staged.insert(group.clone(), id);
        Ok(StagedCommit::new(group.clone(), base, stage(&id), commit, welcomes))
    }

    fn change(
        &self,
        group: &MdkGroupId,
        change: &Change<'_>,
    ) -> Result<UpdateGroupResult, EngineError> {
        let mdk = &self.state.mdk;
        match change {
            Change::Add(invitees) => {
                mdk.add_members(group, &key_packages(invitees)?).map_err(ingest::key_package_fault)
            }
            Change::Remove(members) => {
                mdk.remove_members(group, &accounts(members)?).map_err(ingest::change_fault)
            }
            Change::Update => mdk.self_update(group).map_err(ingest::own_fault),
            Change::Rename(name) => {
                // MDK checks this when it stores the new name: after the merge.
                if name.len() > self.state.max_name_len() {
                    return Err(EngineError::caller("the name is longer than MDK stores"));
                }
                let update = NostrGroupDataUpdate::new().name(*name);
                mdk.update_group_data(group, update).map_err(ingest::change_fault)
            }
            _ => Err(EngineError::unsupported("a change of this kind")),
        }
    }

    fn process(
        &self,
        group: &GroupId,
        record: &group_types::Group,
        event: &Event,
    ) -> Result<Outcome, EngineError> {
        // MDK would take the echo of a staged commit as word that it is published, and merge it.
        if self.staged.get(group) == Some(&event.id) {
            return Ok(Outcome::Duplicate);
        }
        ingest::process(&self.state, record, event)
    }

    /// A commit was applied: whatever was staged for the epoch before it is gone.
    fn entered(&mut self, group: &GroupId) -> Result<Ingested<Epoch>, EngineError> {
        self.staged.remove(group);
        self.departures.remove(group);
        let record = self.record(group)?;
        Ok(match record.state {
            group_types::GroupState::Inactive => Ingested::Removed,
            _ => Ingested::Applied(Epoch(record.epoch)),
        })
    }

    /// MDK's record of a group that this client is or was in.
    fn record(&self, group: &GroupId) -> Result<group_types::Group, EngineError> {
        let record = self.state.mdk.get_group(&mdk_id(group)).map_err(ingest::own_fault)?;
        match record {
            // Pending: a Welcome that was read but could not be accepted.
            Some(record) if record.state != group_types::GroupState::Pending => Ok(record),
            _ => Err(EngineError::caller("no such group")),
        }
    }

    /// MDK's record of a group that this client is in.
    pub(crate) fn active(&self, group: &GroupId) -> Result<group_types::Group, EngineError> {
        let record = self.record(group)?;
        match record.state {
            group_types::GroupState::Inactive => Err(removed()),
            _ => Ok(record),
        }
    }

    fn check_staged(&self, commit: &StagedCommit) -> Result<(), EngineError> {
        match self.staged.get(commit.group()) {
            Some(event) if stage(event) == commit.stage() => Ok(()),
            _ => Err(EngineError::caller("not the group's staged commit")),
        }
    }
}

pub(crate) fn mdk_id(group: &GroupId) -> MdkGroupId {
    MdkGroupId::from_slice(group.as_slice())
}

/// The number by which a staged commit is known again: the head of its event's id.
fn stage(event: &EventId) -> u64 {
    let head = event.as_bytes().iter().take(8);
    head.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn key_packages(bytes: &[KeyPackageBytes]) -> Result<Vec<Event>, EngineError> {
    let parse = |one: &KeyPackageBytes| events::signed(one.as_slice()).map_err(EngineError::Peer);
    bytes.iter().map(parse).collect()
}

fn accounts(members: &[Member]) -> Result<Vec<PublicKey>, EngineError> {
    let parse = |one: &Member| PublicKey::from_slice(one.identity.as_slice());
    let keys: Result<_, _> = members.iter().map(parse).collect();
    keys.map_err(EngineError::caller)
}

/// A commit's event by id and as bytes, and its Welcomes.
fn encoded(made: UpdateGroupResult) -> Result<(EventId, CommitBytes, Welcomes), EngineError> {
    let event = made.evolution_event;
    let commit = CommitBytes::new(events::to_json(&event)?);
    Ok((event.id, commit, welcomes(made.welcome_rumors.unwrap_or_default())?))
}

fn welcomes(rumors: Vec<UnsignedEvent>) -> Result<Welcomes, EngineError> {
    if rumors.is_empty() {
        return Ok(Welcomes::None);
    }
    let encode = |mut rumor: UnsignedEvent| {
        rumor.ensure_id();
        events::to_json(&rumor).map(WelcomeBytes::new)
    };
    let each: Result<_, _> = rumors.into_iter().map(encode).collect();
    each.map(Welcomes::PerInvitee)
}

fn not_a_commit() -> Ingested<Epoch> {
    Rejection::new(RejectReason::Invalid, "an application message, not a commit").into()
}
