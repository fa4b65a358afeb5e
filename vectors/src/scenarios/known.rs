//! What peers are known to do differently.

/// A scenario that an engine doesn't get through, for a reason.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The engine, or the library of it.
    pub engine: &'static str,
    /// The scenario's name.
    pub scenario: &'static str,
    /// What the failure says: one of these.
    pub shows: &'static [&'static str],
    /// Why that is so.
    pub why: &'static str,
}

const BURNT: &str = "mls-rs takes a message's key out of the secret tree before it verifies the \
    ciphertext and doesn't put it back: after a damaged copy the genuine message is refused as a \
    repetition";
const SENDER_GONE: &str = "mls-rs looks up the sender of a late message among the present members: \
    one who has left since is nobody";
const COMMITTER_STAYS: &str = "MDK takes no snapshot when it merges its own commit \
    (merge_pending_commit): a committer whose commit lost can't go back, and stays behind alone";
const EARLY: &str = "MDK can't tell an event of a later epoch from a damaged one, and files it as \
    failed for good: it is refused after the missing commit, too";

/// All of them. One that doesn't show where its engine plays a part is a failure.
pub const KNOWN: &[Known] = &[
    known("mls-rs", "damaged-message-then-the-good-one", &["duplicate instead of applied"], BURNT),
    known("mls-rs", "message-late-by-one-commit", &["No member found"], SENDER_GONE),
    known("mls-rs", "late-message-whose-senders-leaf-is-taken", &["No member found"], SENDER_GONE),
    known("mdk", "concurrent-commits-converge", FORKED, COMMITTER_STAYS),
    known("mdk", "concurrent-commits-seen-by-others", FORKED, COMMITTER_STAYS),
    known("mdk", "three-rival-commits", FORKED, COMMITTER_STAYS),
    known("mdk", "rival-after-advances", FORKED, COMMITTER_STAYS),
    known("mdk", "both-committers-of-a-fork", FORKED, COMMITTER_STAYS),
    known("mdk", "messages-of-a-losing-branch-are-told", FORKED, COMMITTER_STAYS),
    known("mdk", "catch-up-with-commits-backwards", &["rejected (unauthenticated"], EARLY),
    known("mdk", "faults-across-epochs", &["rejected (unauthenticated"], EARLY),
    known("mdk", "offline-catch-up-out-of-order", &["rejected (unauthenticated"], EARLY),
];

/// How it shows that a member stayed in its own epoch.
const FORKED: &[&str] = &["stale instead of applied", "authenticator: "];

const fn known(
    engine: &'static str,
    scenario: &'static str,
    shows: &'static [&'static str],
    why: &'static str,
) -> Known {
    Known { engine, scenario, shows, why }
}

impl Known {
    /// Whether it is about this failure with this cast.
    #[must_use]
    pub fn covers(&self, scenario: &str, engines: &[&str], failure: &str) -> bool {
        self.scenario == scenario
            && engines.iter().any(|engine| self.is_about(engine))
            && self.shows.iter().any(|words| failure.contains(words))
    }

    /// Whether it is about this engine.
    #[must_use]
    pub fn is_about(&self, engine: &str) -> bool {
        let rest = engine.strip_prefix(self.engine);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}
