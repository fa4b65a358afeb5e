//! Scenarios as data: what the files in `vectors/scenarios` hold.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The name of an actor, a message or a group.
pub type Name = String;

/// The group of a step that names none.
pub const GROUP: &str = "g";

/// What happens to some members of a group, and what has to come of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// After what it checks; also the file's name.
    pub name: Name,
    /// In words.
    pub what: String,
    /// Public bug reports that it would have caught.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// The actors, each with the part that it plays.
    pub cast: BTreeMap<Name, Part>,
    /// Profiles that have no such thing, and why.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_for: BTreeMap<Profile, String>,
    /// Whether it is walked again for each actor and each boundary between two steps, at which the
    /// actor restarts from its snapshot.
    #[serde(default, skip_serializing_if = "is_default")]
    pub restarts: bool,
    /// What happens.
    pub steps: Vec<Step>,
}

/// Which engine an actor is a client of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The first engine.
    A,
    /// The second one; the first where there is only one.
    B,
    /// The kit, which knows the group's secrets and breaks the rules. In the `mls` profile the first
    /// engine, whose messages the kit changes.
    Insider,
}

/// The two families of wire profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// RFC 9420 as it is, and everything else that has neither admins nor a rule for rival commits:
    /// the delivery service takes one commit for an epoch.
    Mls,
    /// Marmot: admins, and a rule by which the members choose among rival commits.
    Marmot,
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What.
    #[serde(rename = "do")]
    pub action: Action,
    /// It happens in this profile only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Profile>,
    /// What comes of it. Of a step with `to` this is about the deliveries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// What came of it is to be in the report, under this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Who agrees with whom from here on, in the groups that this mentions. It is compared after this
    /// step and after each of those that follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Vec<Camp>>,
}

/// What happens in a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Action {
    /// Somebody publishes a key package.
    KeyPackage {
        /// Who.
        by: Name,
        /// The message's name.
        r#as: Name,
    },
    /// Somebody founds a group.
    Create {
        /// Who.
        by: Name,
        /// With whom: key packages by name, or actors, who then publish a fresh one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        invite: Vec<Name>,
        /// Which group; the Welcomes go by this name.
        #[serde(default = "group", skip_serializing_if = "is_group")]
        group: Name,
    },
    /// Actors join by a Welcome of theirs.
    Join {
        /// Who.
        who: Vec<Name>,
        /// The commit, or the group founded, that it comes from.
        #[serde(default = "group", skip_serializing_if = "is_group")]
        from: Name,
    },
    /// Somebody makes a commit, publishes it and merges it.
    Commit {
        /// Who.
        by: Name,
        /// Of what.
        change: Change,
        /// The message's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        r#as: Option<Name>,
        /// It is only staged: `merge` or `discard` follows, or another's commit comes first.
        #[serde(default, skip_serializing_if = "is_default")]
        hold: bool,
        /// Who gets it at once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        to: Vec<Name>,
        /// In which group.
        #[serde(default = "group", skip_serializing_if = "is_group")]
        group: Name,
    },
    /// The author of a staged commit merges it.
    Merge {
        /// Which.
        what: Name,
    },
    /// The author of a staged commit gives it up.
    Discard {
        /// Which.
        what: Name,
    },
    /// Somebody sends an application message.
    Send {
        /// Who.
        by: Name,
        /// What it says.
        text: String,
        /// The message's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        r#as: Option<Name>,
        /// Who gets it at once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        to: Vec<Name>,
        /// In which group.
        #[serde(default = "group", skip_serializing_if = "is_group")]
        group: Name,
    },
    /// Messages reach actors.
    Deliver {
        /// Which, in this order.
        what: Vec<Name>,
        /// Whom, one after the other.
        to: Vec<Name>,
        /// In which orders.
        #[serde(default, skip_serializing_if = "is_default")]
        order: Order,
        /// What the network does to them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        faults: Option<Faults>,
    },
    /// Somebody proposes to leave.
    Leave {
        /// Who.
        by: Name,
        /// The message's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        r#as: Option<Name>,
        /// Who gets it at once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        to: Vec<Name>,
        /// Which group.
        #[serde(default = "group", skip_serializing_if = "is_group")]
        group: Name,
    },
    /// Actors restart from what they have stored.
    Restart {
        /// Who.
        who: Vec<Name>,
    },
    /// Somebody commits to fresh keys again and again.
    Advance {
        /// Who.
        by: Name,
        /// How often.
        epochs: u64,
        /// Who gets each of these commits at once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        to: Vec<Name>,
        /// In which group.
        #[serde(default = "group", skip_serializing_if = "is_group")]
        group: Name,
    },
    /// Rival commits get names by who wins: in Marmot the one with the smallest time, then id; in
    /// `mls` the one that the delivery service has first, which is the first named.
    Rank {
        /// Commits.
        what: Vec<Name>,
        /// The names, best first. Staged commits go by them as well.
        r#as: Vec<Name>,
        /// What their authors go by as well from then on, in the same order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        authors: Vec<Name>,
    },
    /// The kit makes a message that breaks a rule.
    Forge {
        /// The message that it is made of; for `group-data` there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Name>,
        /// The insider at work, where the group's secrets are needed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Name>,
        /// What is wrong with it.
        how: Forgery,
        /// The message's name.
        r#as: Name,
    },
    /// An actor says which of its messages were taken back by a better commit: these, no more.
    Retracted {
        /// Who.
        who: Name,
        /// Which.
        what: Vec<Name>,
        /// In which group.
        #[serde(default = "group", skip_serializing_if = "is_group")]
        group: Name,
    },
}

/// What a commit changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Key packages by name, or actors, who then publish a fresh one.
    Add(Vec<Name>),
    /// Actors.
    Remove(Vec<Name>),
    /// The committer's keys and nothing else.
    Update,
    /// The group's name. In `mls` a private extension of the group context stands for it.
    Rename(String),
    /// Who the admins are from then on.
    Admins(Vec<Name>),
    /// The pending proposals to leave.
    Departures,
}

/// In which orders messages reach their receivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As listed.
    #[default]
    Given,
    /// The scenario is walked once for each order at each receiver.
    Every,
}

/// What the network does, drawn from a seed. Whatever it loses comes again at the end, and the
/// receiver gives again what can't be read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Faults {
    /// Where the choices come from.
    pub seed: u64,
    /// A quarter of the messages is lost at first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub drop: bool,
    /// Half of them come twice.
    #[serde(default, skip_serializing_if = "is_default")]
    pub duplicate: bool,
    /// They come in another order.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reorder: bool,
    /// A quarter of them comes behind all others.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delay: bool,
}

/// What is wrong with a forged message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forgery {
    /// It says that it is of this epoch. In Marmot the outer layer is right.
    Epoch(u64),
    /// A key package or Welcome in the framing of the other profile: an MLSMessage where the bare
    /// structure belongs, or the reverse.
    OtherFraming,
    /// A bit of its ciphertext is flipped. In Marmot the outer layer is right.
    Damaged,
    /// The same ciphertext in an event of somebody else's.
    Rewrapped,
    /// An event of nobody's in the group's name, with noise inside.
    Junk,
    /// It is handed over as a message of this group, which it isn't.
    OtherGroup(Name),
    /// A commit of group data that is not as it should be, or not as most have it.
    GroupData(GroupDataShape),
}

/// Encodings of Marmot's group data (MIP-01).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupDataShape {
    /// Version 1, which is good.
    Version1,
    /// Version 3 with the fields of version 2, which is good.
    Version3,
    /// Version 2 with a byte behind its last field.
    TrailingByte,
    /// Version 0.
    Version0,
    /// Version 1 as the text has it: lengths of 16 bits, hexadecimal keys and URLs with commas.
    CommaLists,
}

/// What came of a call or a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// The call succeeded.
    Done,
    /// The call failed by a peer's fault.
    Refused,
    /// The call failed by the caller's fault.
    Caller,
    /// The message took effect.
    Applied,
    /// It had before, or is the receiver's own.
    Duplicate,
    /// It is too late.
    Stale,
    /// It can't be read yet.
    RetryLater,
    /// It is no good.
    Rejected,
    /// It is a commit that removes the receiver.
    Removed,
}

/// What has to come of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Expect {
    /// One thing.
    One(Word),
    /// One of several.
    Any(Vec<Word>),
    /// By the message's name or the receiver's; for those not named, what is expected otherwise.
    Each(BTreeMap<Name, Words>),
}

/// One word, or several of which one has to come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Words {
    /// This.
    One(Word),
    /// One of these.
    Any(Vec<Word>),
}

/// Actors who agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Camp {
    /// In which group.
    #[serde(default = "group", skip_serializing_if = "is_group")]
    pub group: Name,
    /// Who.
    pub who: Vec<Name>,
    /// On this epoch.
    pub epoch: u64,
    /// On these members; on themselves, if there is no list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<Vec<Name>>,
    /// On this name of the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// On these admins, in Marmot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admins: Option<Vec<Name>>,
}

impl Words {
    /// As a list.
    #[must_use]
    pub fn list(&self) -> &[Word] {
        match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::Any(words) => words,
        }
    }
}

impl Word {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Done,
        Self::Refused,
        Self::Caller,
        Self::Applied,
        Self::Duplicate,
        Self::Stale,
        Self::RetryLater,
        Self::Rejected,
        Self::Removed,
    ];

    /// As the files have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Caller => "caller",
            Self::Applied => "applied",
            Self::Duplicate => "duplicate",
            Self::Stale => "stale",
            Self::RetryLater => "retry-later",
            Self::Rejected => "rejected",
            Self::Removed => "removed",
        }
    }
}

impl Profile {
    /// As the files have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mls => "mls",
            Self::Marmot => "marmot",
        }
    }
}

fn group() -> Name {
    GROUP.to_owned()
}

fn is_group(name: &str) -> bool {
    name == GROUP
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
