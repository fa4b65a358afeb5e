//! A mixed group on the stage of a flow: its members, what they are told, and what is compared.

use std::collections::BTreeMap;
use std::fmt::Debug;

use engine_api::{
    AnyMlsClient, Declared, EngineError, EpochAuthenticator, GroupId, Ingested, KeyPackageBytes,
    Member, MlsEffect, MlsExtension, MlsProposal, MlsRegistration, PublishedCommit,
    RatchetTreeBytes, StagedCommit, TreePlace, WelcomeBytes,
};

/// What ends a flow early: words for the report.
pub(super) type Outcome<T = ()> = Result<T, String>;

/// Which member restarts from a snapshot, and at which boundary between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Restart {
    pub(super) boundary: usize,
    pub(super) member: usize,
}

/// One member.
pub(super) struct Actor {
    pub(super) name: String,
    pub(super) engine: MlsRegistration,
    pub(super) client: AnyMlsClient,
}

/// The group.
pub(super) struct Stage<'a> {
    engines: &'a [MlsRegistration],
    restart: Option<Restart>,
    /// Boundaries passed so far, and the most members that there were at one.
    pub(super) boundaries: usize,
    pub(super) most: usize,
    pub(super) checks: usize,
    pub(super) group: GroupId,
    pub(super) members: Vec<Actor>,
    declared: Declared,
    psks: Vec<(Vec<u8>, Vec<u8>)>,
    arrived: usize,
    step: String,
}

/// What a member sees of the present epoch.
#[derive(Debug, PartialEq, Eq)]
struct View {
    epoch: u64,
    authenticator: EpochAuthenticator,
    members: Vec<Member>,
    extensions: Vec<MlsExtension>,
    exported: Vec<u8>,
    tree: RatchetTreeBytes,
}

impl<'a> Stage<'a> {
    pub(super) fn new(engines: &'a [MlsRegistration], restart: Option<Restart>) -> Self {
        Self {
            engines,
            restart,
            boundaries: 0,
            most: 0,
            checks: 0,
            group: GroupId::new(Vec::new()),
            members: Vec::new(),
            declared: Declared::default(),
            psks: Vec::new(),
            arrived: 0,
            step: String::new(),
        }
    }

    /// Where a failure was.
    pub(super) fn place(&self) -> &str {
        &self.step
    }

    /// How many engines take turns.
    pub(super) fn kinds(&self) -> usize {
        self.engines.len()
    }

    /// What all that come from now on list in their capabilities.
    pub(super) fn declare(&mut self, declared: Declared) {
        self.declared = declared;
    }

    /// An external PSK that all have from now on.
    pub(super) fn share_psk(&mut self, id: &[u8], psk: &[u8]) -> Outcome {
        self.psks.push((id.to_vec(), psk.to_vec()));
        for member in &mut self.members {
            member.client.store_psk(id, psk).map_err(|why| format!("store_psk: {why}"))?;
        }
        Ok(())
    }

    /// A client of the engine whose turn it is.
    pub(super) fn newcomer(&mut self) -> Outcome<Actor> {
        self.newcomer_of(self.arrived % self.engines.len())
    }

    /// A client of an engine.
    pub(super) fn newcomer_of(&mut self, kind: usize) -> Outcome<Actor> {
        let engine = self.engines[kind];
        let name = format!("{}-{}", engine.name(), self.arrived);
        self.arrived += 1;
        let told = |why: EngineError| format!("{name}: {why}");
        let mut client = engine.new_client(&name).map_err(told)?;
        if self.declared != Declared::default() {
            client.declare(&self.declared).map_err(told)?;
        }
        for (id, psk) in &self.psks {
            client.store_psk(id, psk).map_err(told)?;
        }
        Ok(Actor { name, engine, client })
    }

    /// A group of `size`, founded by a client of the first engine.
    pub(super) fn found(&mut self, size: usize, tree: TreePlace) -> Outcome {
        self.at("founding");
        let mut founder = self.newcomer()?;
        let founded = founder.client.create_group(&[]);
        self.group = founded.map_err(|why| format!("create_group: {why}"))?.group;
        self.members.push(founder);
        self.boundary()?;
        if size > 1 {
            let newcomers = (1..size).map(|_| self.newcomer()).collect::<Outcome<_>>()?;
            self.invite(0, newcomers, &[], tree)?;
        }
        Ok(())
    }

    /// Member `by` adds newcomers by value, beside other proposals by value.
    pub(super) fn invite(
        &mut self,
        by: usize,
        mut newcomers: Vec<Actor>,
        others: &[MlsProposal],
        tree: TreePlace,
    ) -> Outcome {
        let key_packages = newcomers.iter_mut().map(Actor::key_package);
        let adds = key_packages.map(|bytes| Ok(MlsProposal::Add(bytes?)));
        let mut proposals = adds.collect::<Outcome<Vec<_>>>()?;
        proposals.extend_from_slice(others);
        self.commit(by, &proposals, newcomers, tree)
    }

    /// Member `by` proposes by reference; all others get it, starting behind `first`.
    pub(super) fn propose(&mut self, by: usize, proposal: &MlsProposal, first: usize) -> Outcome {
        let message = self.proposal(by, proposal)?;
        let kind = proposal.proposal_type();
        for place in 0..self.members.len() {
            let reader = (first + place) % self.members.len();
            if reader != by {
                self.read_proposal(reader, by, &message, kind)?;
            }
        }
        self.boundary()
    }

    /// A proposal that nobody has got yet.
    pub(super) fn proposal(&mut self, by: usize, proposal: &MlsProposal) -> Outcome<Vec<u8>> {
        self.at(format!("{} proposes type {}", self.members[by].name, proposal.proposal_type()));
        let proposed = self.members[by].client.propose(&self.group, proposal);
        Ok(proposed.map_err(|why| format!("propose: {why}"))?.0)
    }

    /// Hands a proposal to one member.
    pub(super) fn read_proposal(
        &mut self,
        reader: usize,
        by: usize,
        message: &[u8],
        kind: u16,
    ) -> Outcome {
        let leaf = self.own_leaf(by)?;
        let outcome = self.ingest(reader, message)?;
        let wanted =
            Ingested::Applied(MlsEffect::Proposal { sender: Some(leaf), proposal_type: kind });
        self.same(reader, "the proposal", &outcome, &wanted)
    }

    /// Member `by` commits everything that was proposed and `by_value`, and `newcomers` join.
    /// Those that it removes are off the stage afterwards.
    pub(super) fn commit(
        &mut self,
        by: usize,
        by_value: &[MlsProposal],
        newcomers: Vec<Actor>,
        tree: TreePlace,
    ) -> Outcome {
        let staged = self.stage_commit(by, by_value, tree)?;
        self.boundary()?;
        self.publish(by, staged.published(), newcomers, tree)
    }

    /// Stages a commit and leaves everybody where they are.
    pub(super) fn stage_commit(
        &mut self,
        by: usize,
        by_value: &[MlsProposal],
        tree: TreePlace,
    ) -> Outcome<StagedCommit> {
        let kinds: Vec<_> = by_value.iter().map(MlsProposal::proposal_type).collect();
        self.at(format!("{} commits, by value {kinds:?}", self.members[by].name));
        let staged = self.members[by].client.commit_pending(&self.group, by_value, tree);
        staged.map_err(|why| format!("commit_pending: {why}"))
    }

    /// Delivers a staged commit to all, merges it, and lets newcomers join.
    pub(super) fn publish(
        &mut self,
        by: usize,
        commit: PublishedCommit,
        newcomers: Vec<Actor>,
        tree: TreePlace,
    ) -> Outcome {
        let publication = commit.staged().publication();
        let epoch = commit.staged().base().0 + 1;
        let merged = self.members[by].client.merge_staged(commit);
        let merged = merged.map_err(|why| format!("merge_staged: {why}"))?;
        self.same(by, "the epoch merged", &merged.0, &epoch)?;
        self.deliver(by, publication.commit.as_slice(), epoch)?;
        let tree = match tree {
            TreePlace::InGroupInfo => None,
            TreePlace::Apart => Some(self.tree_of(0)?),
        };
        for (place, newcomer) in newcomers.into_iter().enumerate() {
            let welcome = publication.welcomes.for_invitee(place).ok_or("no Welcome")?;
            self.seat(newcomer, welcome, tree.as_ref())?;
        }
        self.settle()
    }

    /// A newcomer joins.
    pub(super) fn seat(
        &mut self,
        mut newcomer: Actor,
        welcome: &WelcomeBytes,
        tree: Option<&RatchetTreeBytes>,
    ) -> Outcome {
        let joined = newcomer.client.join(welcome, tree);
        let joined = joined.map_err(|why| format!("{} joins: {why}", newcomer.name))?;
        self.members.push(newcomer);
        self.same(self.members.len() - 1, "the group joined", &joined, &self.group.clone())
    }

    /// Hands a commit to all but `by`. Those of whom `by` has no leaf any more have to see that
    /// they are removed.
    pub(super) fn deliver(&mut self, by: usize, commit: &[u8], epoch: u64) -> Outcome {
        let left = self.members[by].client.members(&self.group);
        let left = left.map_err(|why| why.to_string())?;
        let mut gone = Vec::new();
        for reader in (0..self.members.len()).filter(|reader| *reader != by) {
            let identity = self.members[reader].client.identity();
            let stays = left.iter().any(|member| member.identity == identity);
            let outcome = self.ingest(reader, commit)?;
            let wanted = if stays {
                Ingested::Applied(MlsEffect::Commit(engine_api::Epoch(epoch)))
            } else {
                gone.push(reader);
                Ingested::Removed
            };
            self.same(reader, "the commit", &outcome, &wanted)?;
        }
        for reader in gone.into_iter().rev() {
            self.members.remove(reader);
        }
        Ok(())
    }

    /// Gives a member any message.
    pub(super) fn ingest(&mut self, reader: usize, message: &[u8]) -> Outcome<Ingested<MlsEffect>> {
        let Actor { name, client, .. } = &mut self.members[reader];
        client.ingest(&self.group, message).map_err(|why| format!("{name} ingests: {why}"))
    }

    /// A member applies a commit.
    pub(super) fn applied(&mut self, reader: usize, commit: &[u8]) -> Outcome {
        let outcome = self.ingest(reader, commit)?;
        let applied = matches!(outcome, Ingested::Applied(MlsEffect::Commit(_)));
        self.holds(reader, &format!("the commit applied but {outcome:?}"), applied)
    }

    /// Every member says something, and all others read it.
    pub(super) fn talk(&mut self) -> Outcome {
        for by in 0..self.members.len() {
            let payload = format!("hello from {}", self.members[by].name);
            let message = self.say(by, payload.as_bytes())?;
            for reader in (0..self.members.len()).filter(|reader| *reader != by) {
                self.hears(reader, by, &message, payload.as_bytes())?;
            }
        }
        self.boundary()
    }

    /// A message of `by`.
    pub(super) fn say(&mut self, by: usize, payload: &[u8]) -> Outcome<Vec<u8>> {
        self.at(format!("{} sends", self.members[by].name));
        let sent = self.members[by].client.send(&self.group, payload);
        Ok(sent.map_err(|why| format!("send: {why}"))?.as_slice().to_vec())
    }

    /// A member reads a message of `by`.
    pub(super) fn hears(
        &mut self,
        reader: usize,
        by: usize,
        message: &[u8],
        payload: &[u8],
    ) -> Outcome {
        let sender = self.members[by].client.identity();
        let outcome = self.ingest(reader, message)?;
        let wanted = engine_api::AppMessage { sender, payload: payload.to_vec() };
        let wanted = Ingested::Applied(MlsEffect::Application(wanted));
        self.same(reader, "the message", &outcome, &wanted)
    }

    /// All members have to see the same, and that is a boundary.
    pub(super) fn settle(&mut self) -> Outcome {
        let mut first = None;
        for place in 0..self.members.len() {
            let view = self.view(place)?;
            match &first {
                None => first = Some(view),
                Some(first) => self.agree(place, &view, first)?,
            }
        }
        self.boundary()
    }

    fn view(&self, place: usize) -> Outcome<View> {
        const LABEL: &str = "flows";
        let Actor { name, client, .. } = &self.members[place];
        let told = |why: EngineError| format!("{name}: {why}");
        Ok(View {
            epoch: client.epoch(&self.group).map_err(told)?.0,
            authenticator: client.epoch_authenticator(&self.group).map_err(told)?,
            members: client.members(&self.group).map_err(told)?,
            extensions: client.group_context_extensions(&self.group).map_err(told)?,
            exported: client.export_secret(&self.group, LABEL, b"context", 32).map_err(told)?,
            tree: client.ratchet_tree(&self.group).map_err(told)?,
        })
    }

    fn agree(&mut self, place: usize, view: &View, first: &View) -> Outcome {
        self.same(place, "the epoch", &view.epoch, &first.epoch)?;
        self.same(place, "the authenticator", &view.authenticator, &first.authenticator)?;
        self.same(place, "the members", &view.members, &first.members)?;
        self.same(place, "the extensions", &view.extensions, &first.extensions)?;
        self.same(place, "the exported secret", &view.exported, &first.exported)?;
        self.holds(place, "the same tree", view.tree == first.tree)
    }

    /// Between two steps: here a member may restart.
    pub(super) fn boundary(&mut self) -> Outcome {
        self.boundaries += 1;
        self.most = self.most.max(self.members.len());
        let Some(restart) = self.restart.filter(|at| at.boundary + 1 == self.boundaries) else {
            return Ok(());
        };
        let Some(Actor { name, engine, client }) = self.members.get_mut(restart.member) else {
            return Ok(());
        };
        let told = |why: EngineError| format!("{name} restarts: {why}");
        let snapshot = client.snapshot().map_err(told)?;
        *client = engine.restore(&snapshot).map_err(told)?;
        Ok(())
    }

    pub(super) fn own_leaf(&self, place: usize) -> Outcome<engine_api::LeafIndex> {
        let leaf = self.members[place].client.own_leaf(&self.group);
        leaf.map_err(|why| why.to_string())
    }

    pub(super) fn tree_of(&self, place: usize) -> Outcome<RatchetTreeBytes> {
        let tree = self.members[place].client.ratchet_tree(&self.group);
        tree.map_err(|why| why.to_string())
    }

    /// Notes where the flow is.
    pub(super) fn at(&mut self, step: impl Into<String>) {
        self.step = step.into();
    }

    pub(super) fn same<T: PartialEq + Debug>(
        &mut self,
        place: usize,
        what: &str,
        found: &T,
        wanted: &T,
    ) -> Outcome {
        self.checks += 1;
        if found == wanted {
            return Ok(());
        }
        Err(format!("{}: {what} is {found:?} instead of {wanted:?}", self.members[place].name))
    }

    pub(super) fn holds(&mut self, place: usize, what: &str, holds: bool) -> Outcome {
        self.checks += 1;
        if holds { Ok(()) } else { Err(format!("{}: not {what}", self.members[place].name)) }
    }

    /// The first member of each engine among these.
    pub(super) fn one_of_each_kind_among(&self, places: &[usize]) -> Vec<usize> {
        let mut first = BTreeMap::new();
        for place in places {
            first.entry(self.members[*place].engine.name()).or_insert(*place);
        }
        first.into_values().collect()
    }
}

impl Actor {
    pub(super) fn key_package(&mut self) -> Outcome<KeyPackageBytes> {
        let published = self.client.publish_key_package();
        published.map_err(|why| format!("{}: {why}", self.name))
    }
}
