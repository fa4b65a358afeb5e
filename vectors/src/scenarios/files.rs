//! The scenarios in the repository.

use super::data::Scenario;

macro_rules! files {
    ($($name:literal)+) => {
        /// Name and text of each file in `vectors/scenarios`, without its ending.
        pub const FILES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../scenarios/", $name, ".json"))),)+
        ];
    };
}

files! {
    "creation-and-invitation"
    "creation-alone-then-invitation"
    "third-member"
    "add-by-the-invitee"
    "joining-others-who-know-each-other"
    "growth-one-by-one"
    "remove-each-leaf"
    "rename-each-way"
    "promote-act-demote"
    "several-messages-by-several-senders"
    "concurrent-commits-converge"
    "concurrent-commits-seen-by-others"
    "three-rival-commits"
    "rival-after-advances"
    "both-committers-of-a-fork"
    "leave"
    "offline-catch-up"
    "offline-catch-up-out-of-order"
    "catch-up-with-commits-backwards"
    "key-package-rotation"
    "re-add-after-removal"
    "welcome-before-its-commit"
    "welcome-of-a-commit-that-never-came"
    "everything-twice"
    "message-late-by-one-to-five-epochs"
    "message-late-by-one-commit"
    "late-message-whose-senders-leaf-is-taken"
    "forged-far-future-epoch-then-send"
    "damaged-message-then-the-good-one"
    "message-in-another-envelope"
    "own-commit-echoed"
    "restart-between-any-two-steps"
    "staged-commit-overtaken"
    "commit-given-up"
    "groups-are-isolated"
    "latecomer-reads-nothing-from-before"
    "leaver-reads-nothing-from-after"
    "progress-during-a-flood-of-commits"
    "messages-of-a-losing-branch-are-told"
    "key-package-framing"
    "welcome-framing"
    "group-data-encodings"
    "no-key-is-used-twice-after-a-restart"
    "faults-within-an-epoch"
    "faults-across-epochs"
}

/// All of them.
///
/// # Errors
/// If the data in the repository isn't what it should be.
pub fn scenarios() -> Result<Vec<Scenario>, String> {
    let read = |(name, text): &(&str, &str)| {
        let scenario: Scenario =
            serde_json::from_str(text).map_err(|why| format!("{name}: {why}"))?;
        scenario.check().map_err(|why| format!("{name}: {why}"))?;
        if scenario.name == *name { Ok(scenario) } else { Err(format!("{name}: another name")) }
    };
    FILES.iter().map(read).collect()
}
