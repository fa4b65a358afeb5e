//! What an engine is, and what its operations include: printed beside every number.

use std::fmt;

/// What an engine says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The configuration's name in every table, as `engine` or `engine/backend`.
    pub name: &'static str,
    /// The packages that do the work with their exact versions, taken from the lockfile by
    /// [`locked_packages!`](crate::locked_packages).
    pub packages: &'static [Package],
    /// Which bytes it speaks. Only engines of one profile are put in one group.
    pub wire_profile: WireProfile,
    /// Cipher suites that this configuration can be used with; the first is the one benched.
    pub cipher_suites: &'static [CipherSuite],
    /// The library that computes, e.g. `aws-lc`.
    pub crypto: &'static str,
    /// How far each operation has brought its state when it returns. Rows of one layer compare.
    pub layer: Layer,
    /// Where state goes and in what encoding, e.g. `memory (serde_json)`; `none` if nothing is
    /// written. Of [`Layer::Sqlite`] it says whose provider writes, file or in-memory database,
    /// encrypted or not, journal mode and `synchronous`.
    pub storage: &'static str,
    /// How many threads an operation may use.
    pub threads: Threads,
    /// What each operation includes beyond the baseline.
    pub spans: Spans,
    /// What it can do beside the core.
    pub capabilities: Capabilities,
    /// How it was configured and anything a reader of a table must know, one sentence each.
    pub notes: &'static [&'static str],
    /// Where the engine is known not to keep the contract.
    pub deviations: &'static [Deviation],
}

/// A check that the engine is known to fail, with the reason: it is reported as a row of that
/// engine's, neither as passed nor as failed.
///
/// A declaration covers no more than it says: what exceeds `at_most`, or doesn't contain `shows`,
/// is a failure. So is a declaration that nothing showed. `works` can't be declared: a scenario
/// has to reach its end, without a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The scenario, as `cgka-bench verify` names it.
    pub scenario: &'static str,
    /// The check in it, by name.
    pub check: &'static str,
    /// Words that stand in each failure that this covers.
    pub shows: &'static str,
    /// How many faults it covers: failed checks, or within a check over many inputs, inputs.
    pub at_most: usize,
    /// What the engine does instead, and where that is known from.
    pub why: &'static str,
}

/// One package out of the lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package {
    /// The package's name.
    pub name: &'static str,
    /// Its exact version.
    pub version: &'static str,
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// Brings in the `PACKAGES` constant that `engine_lockfile::emit` wrote in the build script.
#[macro_export]
macro_rules! locked_packages {
    () => {
        include!(concat!(env!("OUT_DIR"), "/locked_packages.rs"));
    };
}

/// Which bytes an engine speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WireProfile {
    /// RFC 9420. Key packages and Welcomes are framed as `MLSMessage`, the ratchet tree is in the
    /// Welcome, commits are `PrivateMessage`s with proposals by value and an update path, nothing
    /// is padded.
    Mls,
    /// The Marmot profile as mdk-core 0.8 speaks it: Nostr events (kinds 30443, 444, 445) as JSON
    /// around RFC 9420 messages; a gift wrap is the application's.
    Marmot,
    /// A protocol of the engine's own, by name.
    Other(&'static str),
}

impl WireProfile {
    /// The profile's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mls => "mls",
            Self::Marmot => "marmot",
            Self::Other(name) => name,
        }
    }
}

/// A cipher suite's number in the MLS registry (RFC 9420 section 17.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CipherSuite(pub u16);

impl fmt::Display for CipherSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:04x}", self.0)
    }
}

/// Where a client's state is when an operation returns: everything that it takes to go on from
/// there, secrets included, and the keys that were used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Nothing is written: the state is in the client alone.
    Core,
    /// Every operation leaves its state in an in-memory store, from which the group could be
    /// reloaded in this process.
    Memory,
    /// Every operation has its state committed to a SQLite database before it returns.
    /// [`Description::storage`] says to which: a file or not, journal mode, `synchronous`.
    Sqlite,
}

impl Layer {
    /// All of them, each including what the one before it does.
    pub const ALL: [Self; 3] = [Self::Core, Self::Memory, Self::Sqlite];

    /// The layer's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Memory => "memory",
            Self::Sqlite => "sqlite",
        }
    }
}

/// How many threads an operation may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One. Engines that use rayon are held to a pool of one thread by the harness.
    One,
    /// As many as the machine has; the configuration's name says so.
    All,
}

impl Threads {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::All => "all",
        }
    }
}

/// The operations that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// [`create_group`](crate::CgkaEngine::create_group).
    CreateGroup,
    /// [`join_welcome`](crate::CgkaEngine::join_welcome).
    JoinWelcome,
    /// [`send`](crate::CgkaEngine::send).
    Send,
    /// [`ingest_app`](crate::CgkaEngine::ingest_app).
    IngestApp,
    /// [`stage_commit`](crate::CgkaEngine::stage_commit), then
    /// [`merge_staged`](crate::CgkaEngine::merge_staged).
    Commit,
    /// [`ingest_commit`](crate::CgkaEngine::ingest_commit).
    IngestCommit,
}

impl Operation {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 6] = [
        Self::CreateGroup,
        Self::JoinWelcome,
        Self::Send,
        Self::IngestApp,
        Self::Commit,
        Self::IngestCommit,
    ];

    /// The operation's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CreateGroup => "create_group",
            Self::JoinWelcome => "join_welcome",
            Self::Send => "send",
            Self::IngestApp => "ingest_app",
            Self::Commit => "commit",
            Self::IngestCommit => "ingest_commit",
        }
    }
}

/// Work inside an operation beyond the baseline.
///
/// The baseline, the same for all: decode the input bytes, validate them, the protocol's
/// cryptography, the new state in memory, encode the output bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Work {
    /// State is written to the engine's store.
    StorageWrite,
    /// The group is loaded from the engine's store, at least once per call.
    StateReload,
    /// An outer layer around the protocol's message: encryption, base64, JSON.
    TransportEnvelope,
    /// A fresh key pair for the envelope, and a signature with it.
    EventSigning,
    /// Records of messages, events or groups for the application.
    Records,
    /// A copy of the group, kept for rolling back.
    RollbackSnapshot,
    /// Input that is decrypted and verified twice.
    ProcessedTwice,
    /// A GroupInfo that is made and signed with each commit and goes nowhere.
    UnusedGroupInfo,
    /// A new signature key pair, where an update asks for a new encryption key only.
    NewSignatureKey,
    /// No cryptography at all.
    NoCryptography,
    /// Something else, in a few words.
    Other(&'static str),
}

impl Work {
    /// In a few words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StorageWrite => "storage write",
            Self::StateReload => "state reload",
            Self::TransportEnvelope => "transport envelope",
            Self::EventSigning => "event signing",
            Self::Records => "records",
            Self::RollbackSnapshot => "rollback snapshot",
            Self::ProcessedTwice => "processed twice",
            Self::UnusedGroupInfo => "unused GroupInfo",
            Self::NewSignatureKey => "new signature key (update)",
            Self::NoCryptography => "no cryptography",
            Self::Other(words) => words,
        }
    }
}

/// What each operation includes beyond the baseline of [`Work`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// Of [`Operation::CreateGroup`].
    pub create_group: &'static [Work],
    /// Of [`Operation::JoinWelcome`].
    pub join_welcome: &'static [Work],
    /// Of [`Operation::Send`].
    pub send: &'static [Work],
    /// Of [`Operation::IngestApp`].
    pub ingest_app: &'static [Work],
    /// Of [`Operation::Commit`].
    pub commit: &'static [Work],
    /// Of [`Operation::IngestCommit`].
    pub ingest_commit: &'static [Work],
}

impl Spans {
    /// The same for every operation.
    #[must_use]
    pub const fn uniform(work: &'static [Work]) -> Self {
        Self {
            create_group: work,
            join_welcome: work,
            send: work,
            ingest_app: work,
            commit: work,
            ingest_commit: work,
        }
    }

    /// Of one operation.
    #[must_use]
    pub fn of(&self, operation: Operation) -> &'static [Work] {
        match operation {
            Operation::CreateGroup => self.create_group,
            Operation::JoinWelcome => self.join_welcome,
            Operation::Send => self.send,
            Operation::IngestApp => self.ingest_app,
            Operation::Commit => self.commit,
            Operation::IngestCommit => self.ingest_commit,
        }
    }
}

/// Whether an engine has something, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It does.
    Yes,
    /// It doesn't, for this reason.
    No(&'static str),
}

impl Support {
    /// Whether it does.
    #[must_use]
    pub fn is_yes(self) -> bool {
        self == Self::Yes
    }

    /// The reason why not.
    #[must_use]
    pub fn why_not(self) -> Option<&'static str> {
        match self {
            Self::Yes => None,
            Self::No(why) => Some(why),
        }
    }
}

/// What an engine can do beside the core. Checked: a `Yes` that fails and a `No` that works are
/// both errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// [`fork`](crate::CgkaEngine::fork).
    pub fork: Support,
    /// [`snapshot`](crate::CgkaEngine::snapshot) and [`restore`](crate::CgkaEngine::restore).
    pub snapshot: Support,
    /// [`Change::Rename`](crate::Change::Rename).
    pub rename: Support,
    /// Any member may add and remove, not only the group's founder.
    pub any_member_commits: Support,
}
