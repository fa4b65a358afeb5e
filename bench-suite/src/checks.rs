//! The checks by name, and the ledger in which each execution of one is entered.

use std::fmt;

use engine_api::EngineError;
use serde::Serialize;

macro_rules! checks {
    ($($(#[doc = $doc:literal])* $check:ident = $name:literal,)+) => {
        /// Something that must hold of an engine. The documentation of each is what `list` prints.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Check {
            $($(#[doc = $doc])* $check,)+
        }

        impl Check {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$check),+];

            /// The check's name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$check => $name,)+
                }
            }

            /// What must hold.
            #[must_use]
            pub fn what(self) -> &'static str {
                match self {
                    $(Self::$check => concat!($($doc),*).trim_ascii(),)+
                }
            }
        }
    };
}

checks! {
    /// No call fails that the scenario needs to succeed, and none panics.
    Works = "works",
    /// The receiver reads what the sender sent.
    Plaintext = "plaintext",
    /// The receiver is told who sent it.
    Sender = "sender",
    /// The epoch is what the number of commits makes it.
    Epoch = "epoch",
    /// All members list the same members, the expected ones.
    Members = "members",
    /// A client's own leaf is the one that the member list gives for its identity.
    OwnLeaf = "own-leaf",
    /// All members report the same authenticator.
    Agreement = "agreement",
    /// Another epoch, or another group, has another authenticator.
    Separation = "separation",
    /// After a commit that renames the group, every member reports the new name.
    Name = "name",
    /// Staging a commit changes nothing yet, and there is one staged commit at a time.
    StagedOnly = "staged-only",
    /// A discarded commit leaves no trace.
    Discard = "discard",
    /// A staged commit whose epoch was taken by another's can be neither merged nor discarded.
    Superseded = "superseded",
    /// A commit that another client staged can be neither merged nor discarded.
    AnothersCommit = "anothers-commit",
    /// A removed member is told so.
    RemovedIsTold = "removed-is-told",
    /// A removed member can neither read nor send any more.
    RemovedIsOut = "removed-is-out",
    /// One who joins can't read what was sent before.
    LateJoiner = "late-joiner",
    /// A message that comes twice is delivered once.
    Replay = "replay",
    /// A commit that comes twice is applied once.
    CommitReplay = "commit-replay",
    /// A Welcome that comes twice doesn't take the group back.
    WelcomeReplay = "welcome-replay",
    /// A client's own messages, echoed by the network, change nothing.
    OwnEcho = "own-echo",
    /// Messages of one epoch that arrive in another order are all read.
    Reordered = "reordered",
    /// A message sent before a commit and delivered after it is read, or reported as stale.
    LateMessage = "late-message",
    /// A message or commit of an epoch not reached yet does no harm, and is asked for again.
    EarlyMessage = "early-message",
    /// The payload doesn't stand in the message, and sending it again gives another message.
    Ciphertext = "ciphertext",
    /// A message of another group is refused.
    OtherGroup = "other-group",
    /// A call about an unknown group is the caller's fault.
    UnknownGroup = "unknown-group",
    /// A commit given as a message, and a message given as a commit, are refused.
    WrongKind = "wrong-kind",
    /// Damaged bytes are refused with a typed error.
    DamageRefused = "damage-refused",
    /// Refusing damaged bytes changes nothing, and the undamaged ones are then accepted.
    DamageHarmless = "damage-harmless",
    /// A copy of a client lives its own life.
    Fork = "fork",
    /// A restored client is the one that was stored.
    Snapshot = "snapshot",
    /// The engine can do what it says it can, and nothing that it says it can't.
    Capabilities = "capabilities",
    /// The tree and the stored state have sizes that such a group can have.
    Sizes = "sizes",
    /// The description names versions, a suite, crypto and storage, and gives reasons.
    Description = "description",
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How one execution of a check ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "outcome", content = "why")]
pub enum Verdict {
    /// It holds.
    Passed,
    /// It doesn't.
    Failed(String),
    /// It couldn't be tried, for a reason that the engine gives. Never counted as passed.
    Unsupported(String),
}

/// One execution of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Of which engine, or pair of engines.
    pub subject: String,
    /// In which scenario.
    pub scenario: String,
    /// Which check.
    #[serde(serialize_with = "as_name")]
    pub check: Check,
    /// How it ended.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// How many faults a failed one stands for: 1, or the number of inputs that it failed on.
    pub faults: usize,
}

fn as_name<S: serde::Serializer>(check: &Check, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(check.name())
}

/// Every check that was executed.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    subject: String,
    scenario: String,
    entries: Vec<Entry>,
}

impl Ledger {
    /// What follows is about this engine (or pair) in this scenario.
    pub fn open(&mut self, subject: &str, scenario: impl fmt::Display) {
        subject.clone_into(&mut self.subject);
        self.scenario = scenario.to_string();
    }

    /// Enters a check that holds or not.
    pub fn expect(&mut self, check: Check, holds: bool, otherwise: impl FnOnce() -> String) {
        if holds {
            self.enter(check, Verdict::Passed, 0);
        } else {
            self.enter(check, Verdict::Failed(otherwise()), 1);
        }
    }

    /// Enters a check over many inputs, with a line for each that it failed on.
    pub fn expect_none(&mut self, check: Check, tried: usize, faults: &[String]) {
        if faults.is_empty() {
            return self.enter(check, Verdict::Passed, 0);
        }
        let shown: Vec<_> = faults.iter().take(3).map(String::as_str).collect();
        let text = format!("{} of {tried}: {}", faults.len(), shown.join("; "));
        self.enter(check, Verdict::Failed(text), faults.len());
    }

    /// Enters a check that two values are equal.
    pub fn expect_eq<T: PartialEq + fmt::Debug + ?Sized>(
        &mut self,
        check: Check,
        is: &T,
        should_be: &T,
    ) {
        self.expect(check, is == should_be, || format!("{is:?} instead of {should_be:?}"));
    }

    /// Enters a check that couldn't be tried.
    pub fn unsupported(&mut self, check: Check, why: impl fmt::Display) {
        self.enter(check, Verdict::Unsupported(why.to_string()), 0);
    }

    /// Enters the end of a scenario: [`Check::Works`], with the error that stopped it if one did.
    /// What an engine doesn't have is no failure, but the scenario didn't reach its end either.
    pub fn close(&mut self, end: Result<(), EngineError>) {
        match end {
            Ok(()) => self.enter(Check::Works, Verdict::Passed, 0),
            Err(EngineError::Unsupported(why)) => self.unsupported(Check::Works, why),
            Err(why) => self.enter(Check::Works, Verdict::Failed(why.to_string()), 1),
        }
    }

    /// All entries, in the order of execution.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The first entry that failed.
    #[must_use]
    pub fn first_failure(&self) -> Option<&Entry> {
        self.entries.iter().find(|entry| matches!(entry.verdict, Verdict::Failed(_)))
    }

    /// How many checks were executed: the unsupported ones are not.
    #[must_use]
    pub fn executed(&self) -> usize {
        self.count(|verdict| !matches!(verdict, Verdict::Unsupported(_)))
    }

    /// How many failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Failed(_)))
    }

    fn count(&self, which: impl Fn(&Verdict) -> bool) -> usize {
        self.entries.iter().filter(|entry| which(&entry.verdict)).count()
    }

    fn enter(&mut self, check: Check, verdict: Verdict, faults: usize) {
        self.entries.push(Entry {
            subject: self.subject.clone(),
            scenario: self.scenario.clone(),
            check,
            verdict,
            faults,
        });
    }
}
