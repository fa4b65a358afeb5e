//! How the lies twist what `null` says. The engines `broken/<lie>` share this code.

use std::collections::{BTreeMap, BTreeSet};

use engine_api::{
    AppBytes, AppMessage, CgkaEngine, CommitBytes, EngineError, Epoch, GroupId, Ingested,
    KeyPackageBytes, Member, RejectReason, Rejection, StagedCommit, WelcomeBytes,
};

use crate::Lie;
use crate::client::Null;
use crate::group::Staged;
use crate::roster::Received;
use crate::wire::{self, App, Commit, Id, Welcome};

/// What some lies have to remember.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    /// The groups that this client founded.
    pub(crate) founded: Vec<GroupId>,
    /// How many messages were rejected, modulo 256.
    pub(crate) rejected: u8,
    /// Whether the last message was rejected.
    cross: bool,
    /// Whether the last genuine application message was delivered.
    delivered: bool,
    /// The highest sequence number by group and leaf.
    highest: BTreeMap<(GroupId, u32), u32>,
    /// Who has left which group.
    left: Vec<(GroupId, Member)>,
    key_package: Option<KeyPackageBytes>,
    /// Key packages that have been used for a join.
    used: BTreeSet<Id>,
}

impl Memory {
    pub(crate) fn first_key_package(&mut self, latest: KeyPackageBytes) -> KeyPackageBytes {
        self.key_package.get_or_insert(latest).clone()
    }

    pub(crate) fn join(
        &mut self,
        lie: Lie,
        null: &mut Null,
        welcome: &WelcomeBytes,
    ) -> Result<GroupId, EngineError> {
        let unused = null.key_packages.clone();
        let joined = null.join_welcome(welcome);
        self.used.extend(unused.difference(&null.key_packages));
        match (lie, joined) {
            (Lie::JoinsUninvited, Err(_)) => join_uninvited(null, welcome),
            (Lie::Rejoins, Err(_)) => join_again(null, &self.used, welcome),
            (_, joined) => joined,
        }
    }

    /// Whether a message is to be rejected unheard.
    pub(crate) fn turns_a_deaf_ear(&mut self, lie: Lie) -> bool {
        std::mem::take(&mut self.cross) && lie == Lie::DeafAfterRefusal
    }

    pub(crate) fn note_rejection<T>(&mut self, outcome: &Ingested<T>) {
        if matches!(outcome, Ingested::Rejected(_)) {
            self.cross = true;
            self.rejected = self.rejected.wrapping_add(1);
        }
    }

    pub(crate) fn retell_app(
        &mut self,
        lie: Lie,
        null: &Null,
        group: &GroupId,
        message: &AppBytes,
        outcome: Ingested<AppMessage>,
    ) -> Ingested<AppMessage> {
        match outcome {
            Ingested::Applied(app) => self.retell_applied(lie, null, group, message, app),
            outcome => retell_refused(lie, null, group, message, outcome),
        }
    }

    fn retell_applied(
        &mut self,
        lie: Lie,
        null: &Null,
        group: &GroupId,
        message: &AppBytes,
        mut app: AppMessage,
    ) -> Ingested<AppMessage> {
        let delivers = match lie {
            Lie::LosesMessages => {
                self.delivered = !self.delivered;
                self.delivered
            }
            Lie::InOrderOnly => self.comes_after_all_others(group, message),
            Lie::RefusesPast => is_of_the_present(null, group, message),
            _ => true,
        };
        if !delivers {
            return refusal();
        }
        match lie {
            Lie::WrongPlaintext => alter(&mut app.payload),
            Lie::WrongSender => name_another(&mut app, null, group),
            _ => {}
        }
        Ingested::Applied(app)
    }

    fn comes_after_all_others(&mut self, group: &GroupId, message: &AppBytes) -> bool {
        let Ok(app) = App::decode(message.as_slice()) else {
            return false;
        };
        let highest = self.highest.entry((group.clone(), app.header.sender)).or_default();
        let after = app.sequence >= *highest;
        *highest = app.sequence.max(*highest);
        after
    }

    pub(crate) fn note_leavers(&mut self, group: &GroupId, before: &Null, after: &Null) {
        if let (Ok(before), Ok(after)) = (before.members(group), after.members(group)) {
            let left = before.into_iter().filter(|member| !after.contains(member));
            self.left.extend(left.map(|member| (group.clone(), member)));
        }
    }

    pub(crate) fn list_those_who_left(&self, group: &GroupId, members: &mut Vec<Member>) {
        let left = self.left.iter().filter(|(of, _)| of == group);
        members.extend(left.map(|(_, member)| member.clone()));
        members.sort_by_key(|member| member.leaf);
    }
}

// ---- Outcomes ---------------------------------------------------------------------------------

fn retell_refused(
    lie: Lie,
    null: &Null,
    group: &GroupId,
    message: &AppBytes,
    outcome: Ingested<AppMessage>,
) -> Ingested<AppMessage> {
    let own = || App::decode(message.as_slice()).is_ok_and(|app| is_own(null, group, &app));
    let misdirected = |why: &Rejection| why.reason == RejectReason::Misdirected;
    let read = match (lie, &outcome) {
        (Lie::Replays, Ingested::Duplicate) if !own() => read_anyway(null, group, message),
        (Lie::Echoes, Ingested::Duplicate) if own() => read_anyway(null, group, message),
        (Lie::CrossesGroups, Ingested::Rejected(why)) if misdirected(why) => {
            read_anyway(null, group, message)
        }
        (Lie::ReadsBeforeJoining, Ingested::Stale) => read_anyway(null, group, message),
        (Lie::ReadsCommits, Ingested::Rejected(_)) => read_commit(null, group, message),
        (Lie::RefusesFuture, Ingested::RetryLater) => return refusal(),
        (Lie::Panics, Ingested::Rejected(why)) => {
            panic_if_malformed(why);
            None
        }
        _ => None,
    };
    read.map_or(outcome, Ingested::Applied)
}

pub(crate) fn retell_commit(
    lie: Lie,
    null: &mut Null,
    before: Null,
    group: &GroupId,
    commit: &CommitBytes,
    outcome: Ingested<Epoch>,
) -> Ingested<Epoch> {
    match (lie, outcome) {
        (Lie::WrongAppliedEpoch, Ingested::Applied(epoch)) => Ingested::Applied(after(epoch)),
        (Lie::StuckEpoch, Ingested::Applied(epoch)) => {
            *null = before;
            Ingested::Applied(epoch)
        }
        (Lie::SkipsEpochs, Ingested::RetryLater) => {
            skip_to(null, group, commit).unwrap_or(Ingested::RetryLater)
        }
        (Lie::ReappliesCommits, Ingested::Duplicate) => match own_pending(null, group, commit) {
            Some(_) => Ingested::Duplicate,
            None => null.epoch(group).map_or(Ingested::Duplicate, Ingested::Applied),
        },
        (Lie::MergesEcho, Ingested::Duplicate) => {
            if own_pending(null, group, commit).is_some() {
                merge_whatever_is_staged(null, group);
            }
            Ingested::Duplicate
        }
        (Lie::KeepsRemoved, Ingested::Removed) => {
            apply_own_removal(null, group, commit).unwrap_or(Ingested::Removed)
        }
        (Lie::MergesSuperseded, Ingested::Applied(epoch)) => {
            let staged = before.group(group).ok().and_then(|group| group.staged.clone());
            put_staged(null, group, staged);
            Ingested::Applied(epoch)
        }
        (_, outcome) => outcome,
    }
}

pub(crate) fn refusal<T>() -> Ingested<T> {
    Rejection::new(RejectReason::Unauthenticated, "the checksum is wrong").into()
}

pub(crate) fn blame(lie: Lie, why: EngineError) -> EngineError {
    match (lie, why) {
        (Lie::WrongFault, EngineError::Peer(why)) => EngineError::internal(why),
        (_, why) => why,
    }
}

pub(crate) fn blame_outcome<T>(lie: Lie, outcome: Ingested<T>) -> Result<Ingested<T>, EngineError> {
    match (lie, outcome) {
        (Lie::WrongFault, Ingested::Rejected(why)) => Err(EngineError::internal(why)),
        (_, outcome) => Ok(outcome),
    }
}

#[expect(clippy::panic, reason = "it is the lie")]
fn panic_if_malformed(why: &Rejection) {
    if why.reason == RejectReason::Malformed {
        panic!("{why}");
    }
}

// ---- Messages ---------------------------------------------------------------------------------

/// What of a message's bytes the engine takes notice of: all but the checksum, if that is the lie.
pub(crate) fn heard(lie: Lie, message: &[u8]) -> Vec<u8> {
    match lie {
        Lie::AcceptsDamage => wire::reseal(message),
        _ => message.to_vec(),
    }
}

pub(crate) fn heard_key_packages(
    lie: Lie,
    key_packages: &[KeyPackageBytes],
) -> Vec<KeyPackageBytes> {
    let heard = |bytes: &KeyPackageBytes| KeyPackageBytes::new(heard(lie, bytes.as_slice()));
    key_packages.iter().map(heard).collect()
}

fn is_own(null: &Null, group: &GroupId, app: &App<'_>) -> bool {
    null.group(group).is_ok_and(|group| group.own_leaf == app.header.sender)
}

fn is_of_the_present(null: &Null, group: &GroupId, message: &AppBytes) -> bool {
    let present = null.group(group).map(|group| group.epoch);
    let app = App::decode(message.as_slice());
    matches!((present, app), (Ok(present), Ok(app)) if app.header.epoch == present)
}

/// The commit, if it is this client's and for the present epoch.
fn own_pending(null: &Null, group: &GroupId, commit: &CommitBytes) -> Option<Commit> {
    let group = null.group(group).ok()?;
    let commit = Commit::decode(commit.as_slice()).ok()?;
    let Commit { header, .. } = &commit;
    (header.sender == group.own_leaf && header.epoch == group.epoch).then_some(commit)
}

/// Reads a message whatever its group and epoch, as one of whoever sits on the sender's leaf.
fn read_anyway(null: &Null, group: &GroupId, message: &AppBytes) -> Option<AppMessage> {
    let app = App::decode(message.as_slice()).ok()?;
    let sender = null.group(group).ok()?.roster.occupant(app.header.sender)?.clone();
    Some(AppMessage { sender, payload: app.body.to_vec() })
}

fn read_commit(null: &Null, group: &GroupId, message: &AppBytes) -> Option<AppMessage> {
    let commit = Commit::decode(message.as_slice()).ok()?;
    let sender = null.group(group).ok()?.roster.occupant(commit.header.sender)?.clone();
    Some(AppMessage { sender, payload: message.as_slice().to_vec() })
}

fn alter(payload: &mut Vec<u8>) {
    match payload.first_mut() {
        Some(first) => *first ^= 1,
        None => payload.push(0),
    }
}

fn name_another(app: &mut AppMessage, null: &Null, group: &GroupId) {
    let members = null.members(group).unwrap_or_default();
    let other = members.into_iter().find(|member| member.identity != app.sender);
    if let Some(other) = other {
        app.sender = other.identity;
    }
}

pub(crate) fn send_as_if_a_member(
    null: &mut Null,
    group: &GroupId,
    payload: &[u8],
) -> Result<AppBytes, EngineError> {
    let removed = null.group(group)?.removed;
    set_removed(null, group, false);
    let sent = null.send(group, payload);
    set_removed(null, group, removed);
    sent
}

fn set_removed(null: &mut Null, group: &GroupId, removed: bool) {
    if let Some(group) = null.groups.get_mut(group.as_slice()) {
        group.removed = removed;
    }
}

// ---- Epochs and members -----------------------------------------------------------------------

pub(crate) fn after(epoch: Epoch) -> Epoch {
    Epoch(epoch.0.wrapping_add(1))
}

pub(crate) fn swap_the_first_two(members: &mut [Member]) {
    if let [first, second, ..] = members {
        std::mem::swap(&mut first.identity, &mut second.identity);
    }
}

/// Pretends to be in the commit's epoch, and applies it.
fn skip_to(null: &mut Null, group: &GroupId, commit: &CommitBytes) -> Option<Ingested<Epoch>> {
    let header = Commit::decode(commit.as_slice()).ok()?.header;
    let group = null.groups.get_mut(group.as_slice())?;
    let mut ahead = group.clone();
    ahead.epoch = header.epoch;
    ahead.authenticator = header.base;
    let outcome = ahead.ingest_commit(commit.as_slice());
    if matches!(outcome, Ingested::Applied(_)) {
        *group = ahead;
    }
    Some(outcome)
}

fn apply_own_removal(
    null: &mut Null,
    group: &GroupId,
    commit: &CommitBytes,
) -> Option<Ingested<Epoch>> {
    let commit = Commit::decode(commit.as_slice()).ok()?;
    let group = null.groups.get_mut(group.as_slice())?;
    group.removed = false;
    let authenticator = wire::chain(group.authenticator, commit.digest);
    Some(Ingested::Applied(group.apply(commit.delta, authenticator)))
}

pub(crate) fn put_staged(null: &mut Null, group: &GroupId, staged: Option<Staged>) {
    if let Some(group) = null.groups.get_mut(group.as_slice()) {
        group.staged = staged;
    }
}

/// The commit under the number of the one that this client has staged, if it has one.
pub(crate) fn taken_for_own(null: &Null, commit: StagedCommit) -> StagedCommit {
    let group = null.group(commit.group()).ok();
    let Some(own) = group.and_then(|group| group.staged.as_ref()) else {
        return commit;
    };
    let (group, bytes) = (commit.group().clone(), commit.commit().clone());
    StagedCommit::new(group, commit.base(), own.stage, bytes, commit.welcomes().clone())
}

pub(crate) fn merge_whatever_is_staged(null: &mut Null, group: &GroupId) {
    let group = null.groups.get_mut(group.as_slice());
    if let Some(group) = group
        && let Some(staged) = group.staged.take()
    {
        group.apply(staged.delta, staged.authenticator);
    }
}

// ---- Joining and restoring --------------------------------------------------------------------

/// Takes a Welcome on the first invitee's behalf.
fn join_uninvited(null: &mut Null, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
    let decoded = Welcome::decode(welcome.as_slice()).map_err(EngineError::Peer)?;
    let mut stranger = null.clone();
    if let Some((leaf, key_package)) = decoded.invitees.first()
        && let Some(Some(identity)) = decoded.seats.get(*leaf as usize)
    {
        stranger.identity = identity.clone();
        stranger.key_packages = BTreeSet::from([*key_package]);
    }
    let joined = stranger.join_welcome(welcome)?;
    null.groups = stranger.groups;
    Ok(joined)
}

/// Takes a Welcome as if its key package hadn't been used and its group not been joined.
fn join_again(
    null: &mut Null,
    used: &BTreeSet<Id>,
    welcome: &WelcomeBytes,
) -> Result<GroupId, EngineError> {
    let decoded = Welcome::decode(welcome.as_slice()).map_err(EngineError::Peer)?;
    let mut earlier = null.clone();
    earlier.key_packages.extend(used);
    earlier.groups.remove(&decoded.group);
    let joined = earlier.join_welcome(welcome)?;
    null.groups = earlier.groups;
    Ok(joined)
}

pub(crate) fn forget_what_was_received(null: &mut Null) {
    for group in null.groups.values_mut() {
        let present = group.roster.seats.iter_mut().flatten();
        let departed = group.roster.departed.iter_mut().map(|was| &mut was.seat);
        for seat in present.chain(departed) {
            seat.received = Received::default();
        }
    }
}
