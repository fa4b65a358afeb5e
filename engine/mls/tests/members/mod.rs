//! Many clients in one process: an application for tests, and a group with all of its members.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test uses a part of it")]

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use burrow::{
    codec::{Decode, Encode},
    crypto::SignaturePublicKey,
    framing::{MlsMessage, Sender},
    group::{
        Application, Client, CommitBuilder, CommitMessages, Config, Group, HandshakeFormat,
        Identity, JoinOptions, KeyPackageSecrets, Received, StagedCommit, Status,
    },
    tree::UnverifiedRatchetTree,
    types::{
        Capabilities, ComponentId, Credential, Extensions, GroupInfo, KeyPackage, LeafNode,
        Lifetime, Proposal, ProposalType, RequiredCapabilities, Welcome,
    },
};
use crypto_api::{CipherSuite, CryptoBackend, CryptoError, Random, Secret};
use crypto_aws_lc::AwsLc;
use crypto_rustcrypto::RustCrypto;

/// When the tests take place.
pub(crate) const NOW: u64 = 1_800_000_000;

/// A proposal type of the application's that needs no path.
pub(crate) const WITHOUT_PATH: ProposalType = ProposalType(0xf001);

/// The application's components are this one and those after it.
pub(crate) const LIST: ComponentId = ComponentId(0x8000);

/// An application that tests can change.
pub(crate) struct App {
    pub(crate) now: AtomicU64,
    pub(crate) psks: Mutex<HashMap<Vec<u8>, Vec<u8>>>,
    /// A credential that isn't valid.
    pub(crate) banned: Mutex<Option<Vec<u8>>>,
    /// Whether clients are told apart by their credentials.
    pub(crate) has_names: bool,
    /// Whether nobody may propose anything, or join from outside.
    pub(crate) is_closed: AtomicBool,
}

impl Application for App {
    fn now(&self) -> Option<u64> {
        Some(self.now.load(Ordering::Relaxed))
    }

    fn is_credential_valid(&self, credential: &Credential, _: &SignaturePublicKey) -> bool {
        let banned = self.banned.lock().unwrap();
        !matches!(credential, Credential::Basic(name) if Some(name) == banned.as_ref())
    }

    fn client_name(&self, leaf_node: &LeafNode) -> Option<Vec<u8>> {
        match &leaf_node.credential {
            Credential::Basic(name) if self.has_names => Some(name.clone()),
            _ => None,
        }
    }

    fn may_propose(&self, _: Sender, proposal: &Proposal) -> bool {
        // An external commit is what `may_join` is asked about.
        !self.is_closed.load(Ordering::Relaxed) || matches!(proposal, Proposal::ExternalInit(_))
    }

    fn may_join(&self, leaf_node: &LeafNode, replaces: Option<&LeafNode>) -> bool {
        !self.is_closed.load(Ordering::Relaxed)
            && replaces.is_none_or(|old| self.may_replace(old, leaf_node))
    }

    fn is_path_required(&self, proposal_type: ProposalType) -> bool {
        proposal_type != WITHOUT_PATH
    }

    fn knows_component(&self, component_id: ComponentId) -> bool {
        component_id >= LIST
    }

    /// Updates of a list are appended to it.
    fn update_component(
        &self,
        _: ComponentId,
        data: Option<&[u8]>,
        updates: &[&[u8]],
    ) -> Option<Vec<u8>> {
        let is_good = updates.iter().all(|update| *update != b"bad");
        is_good.then(|| [data.unwrap_or_default(), &updates.concat()].concat())
    }

    fn external_psk(&self, psk_id: &[u8]) -> Option<Secret> {
        let psks = self.psks.lock().unwrap();
        psks.get(psk_id).map(|psk| Secret::copy_from(psk))
    }
}

/// Bytes that look random and are the same in each run.
pub(crate) struct Seeded(Mutex<u64>);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }

    pub(crate) fn next(&self) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Below `end`.
    pub(crate) fn below(&self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

impl Random for Seeded {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        for chunk in out.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_be_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

/// What the cryptography comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Library {
    RustCrypto,
    AwsLc,
}

/// The one that a test target runs on if it doesn't say which.
const LIBRARY: Library = match env!("CARGO_CRATE_NAME").as_bytes() {
    b"on_aws_lc" => Library::AwsLc,
    _ => Library::RustCrypto,
};

impl Library {
    fn backend(self, seed: u64) -> Arc<dyn CryptoBackend> {
        let random = Arc::new(Seeded::new(seed));
        match self {
            Self::RustCrypto => Arc::new(RustCrypto::with_random(random)),
            Self::AwsLc => Arc::new(AwsLc::with_random(random)),
        }
    }
}

/// All cipher suites that there are to run on.
pub(crate) fn suites() -> Vec<u16> {
    let backend = LIBRARY.backend(0);
    backend.cipher_suites().iter().map(|suite| suite.0).collect()
}

/// A group and all of its members.
pub(crate) struct Lab {
    pub(crate) app: Arc<App>,
    pub(crate) client: Client,
    pub(crate) suite: CipherSuite,
    pub(crate) members: Vec<Group>,
    /// Those who were removed.
    pub(crate) gone: Vec<Group>,
    names: u32,
    pub(crate) comparisons: usize,
    /// What the members' capabilities have besides what they have by default.
    pub(crate) more: Capabilities,
}

pub(crate) fn public() -> Config {
    Config { handshake_format: HandshakeFormat::Public, ..Config::default() }
}

impl Lab {
    pub(crate) fn new(config: Config, seed: u64) -> Self {
        Self::with_suite(config, seed, 1, false)
    }

    pub(crate) fn with_suite(config: Config, seed: u64, suite: u16, has_names: bool) -> Self {
        Self::with(LIBRARY, config, seed, suite, has_names)
    }

    pub(crate) fn with(
        library: Library,
        config: Config,
        seed: u64,
        suite: u16,
        has_names: bool,
    ) -> Self {
        Self::on(library.backend(seed), config, CipherSuite(suite), has_names)
    }

    pub(crate) fn on(
        backend: Arc<dyn CryptoBackend>,
        config: Config,
        suite: CipherSuite,
        has_names: bool,
    ) -> Self {
        let app = Arc::new(App {
            now: AtomicU64::new(NOW),
            psks: Mutex::default(),
            banned: Mutex::default(),
            has_names,
            is_closed: AtomicBool::new(false),
        });
        Self {
            client: Client::new(backend, app.clone(), config),
            app,
            suite,
            members: Vec::new(),
            gone: Vec::new(),
            names: 0,
            comparisons: 0,
            more: Capabilities::default(),
        }
    }

    /// A group of so many, all added in one commit.
    pub(crate) fn of(config: Config, size: usize, seed: u64) -> Self {
        Self::of_on(LIBRARY, config, size, seed)
    }

    pub(crate) fn of_on(library: Library, config: Config, size: usize, seed: u64) -> Self {
        let mut lab = Self::with(library, config, seed, 1, false);
        lab.create();
        lab.grow(size - 1);
        lab
    }

    pub(crate) fn create(&mut self) {
        let identity = self.identity();
        let group =
            self.client.create_group(&identity, b"the group".to_vec(), Default::default()).unwrap();
        self.members.push(group);
    }

    pub(crate) fn grow(&mut self, by: usize) {
        if by == 0 {
            return;
        }
        let new: Vec<_> = (0..by).map(|_| self.key_package()).collect();
        self.commit(0, &new, |builder| {
            new.iter().fold(builder, |builder, one| builder.add_member(package(one)))
        });
    }

    pub(crate) fn identity(&mut self) -> Identity {
        self.names += 1;
        let name = format!("member {}", self.names);
        self.identity_of(name.as_bytes())
    }

    pub(crate) fn identity_of(&self, name: &[u8]) -> Identity {
        let now = self.app.now.load(Ordering::Relaxed);
        let lifetime = Lifetime { not_before: now - 3600, not_after: now + 84 * 24 * 3600 };
        let credential = Credential::Basic(name.to_vec());
        let identity = self.client.generate_identity(self.suite, credential, lifetime);
        let mut identity = identity.unwrap();
        let capabilities = &mut identity.description.capabilities;
        capabilities.extensions.extend(&self.more.extensions);
        capabilities.proposals.extend(&self.more.proposals);
        identity
    }

    pub(crate) fn key_package(&mut self) -> KeyPackageSecrets {
        let identity = self.identity();
        self.client.generate_key_package(&identity).unwrap()
    }

    /// A commit of one member, received by all others; `new` join by its Welcome.
    pub(crate) fn commit(
        &mut self,
        committer: usize,
        new: &[KeyPackageSecrets],
        build: impl FnOnce(CommitBuilder<'_>) -> CommitBuilder<'_>,
    ) {
        let staged = build(self.members[committer].commit()).stage().unwrap();
        self.accept(committer, staged, new);
    }

    pub(crate) fn accept(
        &mut self,
        committer: usize,
        staged: StagedCommit,
        new: &[KeyPackageSecrets],
    ) {
        let messages = staged.messages.clone();
        let changes = staged.changes().clone();
        self.members[committer].merge(staged).unwrap();
        let committer_leaf = self.members[committer].own_leaf();
        for (index, member) in self.members.iter_mut().enumerate() {
            if index != committer {
                let seen = receive_commit(member, &messages.message);
                assert_eq!(seen, changes);
                assert_eq!(seen.committer, committer_leaf);
            }
        }
        self.join(&messages, new);
        self.sort_out();
        self.assert_same();
    }

    /// An external commit, received by all; the new member is the last one.
    pub(crate) fn accept_external(&mut self, joined: burrow::group::ExternalJoin) {
        for member in &mut self.members {
            receive_commit(member, &joined.message);
        }
        self.members.push(joined.group);
        self.sort_out();
        self.assert_same();
    }

    fn join(&mut self, messages: &CommitMessages, new: &[KeyPackageSecrets]) {
        for secrets in new {
            let welcome = welcome(messages.welcome.as_ref().unwrap());
            let tree = messages.ratchet_tree.as_ref();
            let options = JoinOptions {
                ratchet_tree: tree.map(|t| UnverifiedRatchetTree::decode_exact(t).unwrap()),
                origin: None,
            };
            let group = self.client.join_with(&welcome, secrets, options).unwrap();
            self.members.push(group);
        }
    }

    fn sort_out(&mut self) {
        let members = std::mem::take(&mut self.members).into_iter();
        let (gone, members): (Vec<_>, Vec<_>) =
            members.partition(|member| *member.status() == Status::Removed);
        self.members = members;
        self.gone.extend(gone);
    }

    /// A proposal of one member, received by all others.
    pub(crate) fn propose(&mut self, sender: usize, message: &[u8]) {
        for (index, member) in self.members.iter_mut().enumerate() {
            if index != sender {
                let received = member.receive(message);
                assert!(matches!(received, Ok(Received::Proposal(_))), "{received:?}");
            }
        }
    }

    /// A message from outside, received by all.
    pub(crate) fn propose_from_outside(&mut self, message: &[u8]) {
        self.propose(usize::MAX, message);
    }

    /// All members see the same group.
    #[track_caller]
    pub(crate) fn assert_same(&mut self) {
        let first = &self.members[0];
        for other in &self.members[1..] {
            assert_eq!(first.epoch(), other.epoch());
            assert_eq!(first.epoch_authenticator(), other.epoch_authenticator());
            assert_eq!(first.context(), other.context());
            self.comparisons += 1;
        }
        assert_eq!(first.tree().member_count(), self.members.len());
        for gone in &self.gone {
            assert_ne!(first.epoch_authenticator(), gone.epoch_authenticator());
        }
    }

    /// A message of one member, read by all others.
    pub(crate) fn talk(&mut self, sender: usize, data: &[u8]) {
        let sent = self.members[sender].send(data, b"clear").unwrap();
        let leaf = self.members[sender].own_leaf();
        for (index, member) in self.members.iter_mut().enumerate() {
            if index == sender {
                continue;
            }
            match member.receive(&sent.message).unwrap() {
                Received::Application(message) => {
                    assert_eq!(message.data, data);
                    assert_eq!(message.authenticated_data, b"clear");
                    assert_eq!(message.sender, leaf);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Receives a commit and merges it; what it changed.
pub(crate) fn receive_commit(member: &mut Group, message: &[u8]) -> burrow::group::Changes {
    match member.receive(message) {
        Ok(Received::Commit(staged)) => {
            let changes = staged.changes().clone();
            member.merge_remote(*staged).unwrap();
            changes
        }
        other => panic!("{other:?}"),
    }
}

pub(crate) fn package(secrets: &KeyPackageSecrets) -> KeyPackage {
    KeyPackage::clone(secrets.key_package())
}

pub(crate) fn welcome(message: &[u8]) -> Welcome {
    match MlsMessage::decode_exact(message).unwrap() {
        MlsMessage::Welcome(welcome) => welcome,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn group_info(message: &[u8]) -> GroupInfo {
    match MlsMessage::decode_exact(message).unwrap() {
        MlsMessage::GroupInfo(group_info) => *group_info,
        other => panic!("{other:?}"),
    }
}

/// A tree as it is given beside a Welcome.
pub(crate) fn tree_of(group: &Group) -> UnverifiedRatchetTree {
    UnverifiedRatchetTree::decode_exact(&group.tree().to_bytes().unwrap()).unwrap()
}

const SIZES: [usize; 4] = [2, 3, 9, 33];

/// Runs a flow at all sizes, in both wire formats, with the tree inside and beside.
pub(crate) fn at_all_sizes(flow: impl Fn(Lab)) {
    for size in SIZES {
        for format in [HandshakeFormat::Public, HandshakeFormat::Private] {
            let config = Config {
                handshake_format: format,
                tree_in_welcome: format == HandshakeFormat::Public,
                ..Config::default()
            };
            flow(Lab::of(config, size, size as u64));
        }
    }
}

/// Extensions of a GroupContext that require a proposal type.
pub(crate) fn required(proposal_type: ProposalType) -> Extensions {
    let mut extensions = Extensions::new();
    extensions
        .put(&RequiredCapabilities { proposal_types: vec![proposal_type], ..Default::default() })
        .unwrap();
    extensions
}
