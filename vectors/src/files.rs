//! The working group's files.

use serde_json::Value;

use crate::floors::{self, Floor};
use crate::formats::{
    crypto_basics, deserialization, key_schedule, message_protection, messages, passive_client,
    psk_secret, secret_tree, transcript_hashes, tree_math, tree_operations, tree_validation,
    treekem, welcome,
};
use crate::run::Bench;
use crate::{Stop, Tally};

/// One file of the working group's.
#[derive(Clone, Copy, Debug)]
pub struct VectorFile {
    /// Its name.
    pub name: &'static str,
    /// The folder that it belongs in.
    pub folder: &'static str,
    /// What there has to be in it.
    pub floor: Floor,
    /// The fields that may change without a failure.
    pub unnoticed: &'static [Unnoticed],
    /// Whether its fields are read and compared with themselves, so that only the expected half of
    /// one can be changed.
    pub round_trips: bool,
    pub(crate) check: Check,
}

/// A field that isn't an expected one, and that can change without a failure.
#[derive(Clone, Copy, Debug)]
pub struct Unnoticed {
    /// The field, as [`crate::mutation`] names it.
    pub field: &'static str,
    /// Why nobody notices.
    pub why: &'static str,
}

/// How a case is executed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    /// Without cryptography.
    Plain(fn(&Value, &mut Tally) -> Result<(), Stop>),
    /// With the cipher suite that it names.
    WithSuite(fn(&Bench<'_>, &Value, &mut Tally) -> Result<(), Stop>),
}

impl VectorFile {
    /// Whether each case is of a cipher suite, and runs on backends.
    #[must_use]
    pub fn has_suites(&self) -> bool {
        matches!(self.check, Check::WithSuite(_))
    }
}

const WORKING_GROUP: VectorFile = VectorFile {
    name: "",
    folder: "mls-wg",
    floor: floors::CRYPTO_BASICS,
    unnoticed: &[],
    round_trips: false,
    check: Check::WithSuite(crypto_basics::check),
};

const PASSIVE: VectorFile = VectorFile {
    unnoticed: passive_client::UNNOTICED,
    check: Check::WithSuite(passive_client::check),
    ..WORKING_GROUP
};

const PASSIVE_FLOW: VectorFile = VectorFile { folder: "mls-wg-passive", ..PASSIVE };

/// All of them: the fifteen, and the four flows that the working group publishes beside them.
pub const FILES: [VectorFile; 19] = [
    VectorFile {
        name: "tree-math.json",
        floor: floors::TREE_MATH,
        check: Check::Plain(tree_math::check),
        ..WORKING_GROUP
    },
    VectorFile { name: "crypto-basics.json", ..WORKING_GROUP },
    VectorFile {
        name: "secret-tree.json",
        floor: floors::SECRET_TREE,
        unnoticed: secret_tree::UNNOTICED,
        check: Check::WithSuite(secret_tree::check),
        ..WORKING_GROUP
    },
    VectorFile {
        name: "message-protection.json",
        floor: floors::MESSAGE_PROTECTION,
        check: Check::WithSuite(message_protection::check),
        ..WORKING_GROUP
    },
    VectorFile {
        name: "key-schedule.json",
        floor: floors::KEY_SCHEDULE,
        unnoticed: key_schedule::UNNOTICED,
        check: Check::WithSuite(key_schedule::check),
        ..WORKING_GROUP
    },
    VectorFile {
        name: "psk_secret.json",
        floor: floors::PSK_SECRET,
        unnoticed: psk_secret::UNNOTICED,
        check: Check::WithSuite(psk_secret::check),
        ..WORKING_GROUP
    },
    VectorFile {
        name: "transcript-hashes.json",
        floor: floors::TRANSCRIPT_HASHES,
        unnoticed: transcript_hashes::UNNOTICED,
        check: Check::WithSuite(transcript_hashes::check),
        ..WORKING_GROUP
    },
    VectorFile {
        name: "welcome.json",
        floor: floors::WELCOME,
        check: Check::WithSuite(welcome::check),
        ..WORKING_GROUP
    },
    VectorFile {
        name: "tree-operations.json",
        floor: floors::TREE_OPERATIONS,
        unnoticed: tree_operations::UNNOTICED,
        check: Check::WithSuite(tree_operations::check),
        ..WORKING_GROUP
    },
    VectorFile {
        name: "tree-validation.json",
        floor: floors::TREE_VALIDATION,
        check: Check::WithSuite(tree_validation::check),
        ..WORKING_GROUP
    },
    VectorFile {
        name: "treekem.json",
        floor: floors::TREEKEM,
        unnoticed: treekem::UNNOTICED,
        check: Check::WithSuite(treekem::check),
        ..WORKING_GROUP
    },
    VectorFile {
        name: "messages.json",
        floor: floors::MESSAGES,
        round_trips: true,
        check: Check::Plain(messages::check),
        ..WORKING_GROUP
    },
    VectorFile {
        name: "deserialization.json",
        floor: floors::DESERIALIZATION,
        check: Check::Plain(deserialization::check),
        ..WORKING_GROUP
    },
    VectorFile { name: "passive-client-welcome.json", floor: floors::PASSIVE_WELCOME, ..PASSIVE },
    VectorFile {
        name: "passive-client-handling-commit.json",
        floor: floors::PASSIVE_COMMIT,
        ..PASSIVE
    },
    VectorFile { name: "branch.json", floor: floors::BRANCH, ..PASSIVE_FLOW },
    VectorFile { name: "external_join.json", floor: floors::EXTERNAL_JOIN, ..PASSIVE_FLOW },
    VectorFile {
        name: "external_proposals.json",
        floor: floors::EXTERNAL_PROPOSALS,
        ..PASSIVE_FLOW
    },
    VectorFile { name: "reinit.json", floor: floors::REINIT, ..PASSIVE_FLOW },
];
