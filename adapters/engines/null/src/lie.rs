//! The lies, each an engine of its own.

use engine_api::Registration;

use crate::broken::Broken;

macro_rules! lies {
    ($($(#[doc = $what:literal])+ $lie:ident = $name:literal;)+) => {
        /// One way in which an engine breaks the contract.
        ///
        /// In all else the engine `broken/<lie>` is `null`. It speaks the same bytes, but under a
        /// wire profile of its own, so that no other engine is blamed for it in a mixed group.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Lie {
            $($(#[doc = $what])+ $lie,)+
        }

        impl Lie {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$lie),+];

            /// The engine's name: `broken/` and the lie's.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$lie => concat!("broken/", $name),)+
                }
            }

            /// What the engine does wrong.
            #[must_use]
            pub const fn what(self) -> &'static str {
                match self {
                    $(Self::$lie => concat!($($what),+).trim_ascii(),)+
                }
            }
        }

        pub(crate) fn registrations() -> Vec<Registration> {
            vec![$(Registration::of::<Broken<{ Lie::$lie as usize }>>()),+]
        }
    };
}

lies! {
    // ---- Application messages ----

    /// `ingest_app` returns an altered payload.
    WrongPlaintext = "wrong-plaintext";
    /// `ingest_app` names another member as the sender.
    WrongSender = "wrong-sender";
    /// `send` drops the payload: what arrives is empty.
    DropsPayload = "drops-payload";
    /// `send` cuts the payload after 1024 bytes.
    CutsPayload = "cuts-payload";
    /// `ingest_app` refuses every second genuine message, for good.
    LosesMessages = "loses-messages";
    /// `ingest_app` delivers a message again that it has delivered before.
    Replays = "replays";
    /// `ingest_app` delivers this client's own messages to it.
    Echoes = "echoes";
    /// `ingest_app` rejects a message if a later one of the same sender's has come before.
    InOrderOnly = "in-order-only";
    /// `ingest_app` delivers a message that is for another group.
    CrossesGroups = "crosses-groups";
    /// `ingest_app` rejects a message from an epoch that is still to come.
    RefusesFuture = "refuses-future";

    /// `ingest_app` rejects a message from a past epoch.
    RefusesPast = "refuses-past";
    /// `ingest_app` delivers a message that was sent before this client joined.
    ReadsBeforeJoining = "reads-before-joining";
    /// `ingest_app` delivers a commit as if it were a message.
    ReadsCommits = "reads-commits";

    // ---- Epochs ----

    /// `epoch` reports the epoch after the present one.
    WrongEpoch = "wrong-epoch";
    /// `ingest_commit` says that it entered the epoch after the one it did enter.
    WrongAppliedEpoch = "wrong-applied-epoch";
    /// `merge_staged` says that it entered the epoch it has left.
    WrongMergedEpoch = "wrong-merged-epoch";
    /// `ingest_commit` says `Applied` and applies nothing.
    StuckEpoch = "stuck-epoch";
    /// `merge_staged` says that it entered the next epoch and applies nothing.
    StuckMerge = "stuck-merge";
    /// `ingest_commit` applies a commit from an epoch that is still to come.
    SkipsEpochs = "skips-epochs";
    /// `ingest_commit` says `Applied` to a commit that it has applied before.
    ReappliesCommits = "reapplies-commits";

    /// `ingest_commit` merges this client's staged commit when the network echoes it.
    MergesEcho = "merges-echo";

    // ---- Agreement ----

    /// `epoch_authenticator` is the same for everybody, always.
    AgreesWithEverybody = "agrees-with-everybody";
    /// `epoch_authenticator` is another for each client.
    Disagrees = "disagrees";
    /// `epoch_authenticator` is another for each group, but the same in all of its epochs.
    StaleAuthenticator = "stale-authenticator";

    // ---- Members ----

    /// `members` leaves out the last one.
    WrongMembers = "wrong-members";
    /// `members` goes on listing those who were removed.
    ListsRemoved = "lists-removed";
    /// `members` lists them in reverse.
    UnsortedMembers = "unsorted-members";
    /// `members` has the first two members' identities the wrong way round.
    SwapsMembers = "swaps-members";
    /// `own_leaf` is the leaf after this client's.
    WrongLeaf = "wrong-leaf";
    /// `identity` isn't what the members of a group see.
    WrongIdentity = "wrong-identity";
    /// `group_name` is empty, whatever the group was renamed to.
    KeepsName = "keeps-name";
    /// `epoch` has an answer for a group that doesn't exist.
    InventsGroups = "invents-groups";
    /// `ingest_commit` says `Applied` to a commit that removes this client, which reads on.
    KeepsRemoved = "keeps-removed";
    /// `send` works for a client that was removed.
    SendsAfterRemoval = "sends-after-removal";

    // ---- Refusals ----

    /// Checksums are ignored: damaged bytes are accepted where they still parse.
    AcceptsDamage = "accepts-damage";
    /// Each message that is rejected changes what `epoch_authenticator` reports.
    DamagedByRefusal = "damaged-by-refusal";
    /// After a message that was rejected, the next genuine one is rejected too.
    DeafAfterRefusal = "deaf-after-refusal";
    /// A peer's bad bytes are reported as the engine's internal error.
    WrongFault = "wrong-fault";
    /// `ingest_app` panics on a truncated message.
    Panics = "panics";

    // ---- Joining ----

    /// `join_welcome` joins with a Welcome that is for somebody else.
    JoinsUninvited = "joins-uninvited";
    /// `join_welcome` takes a Welcome a second time, and the group back to where it was then.
    Rejoins = "rejoins";
    /// `publish_key_package` returns the first key package over and over.
    RepeatsKeyPackages = "repeats-key-packages";

    // ---- Staging ----

    /// `stage_commit` applies the commit at once.
    MergesEarly = "merges-early";
    /// `discard_staged` applies the commit.
    DiscardApplies = "discard-applies";
    /// `merge_staged` applies a commit that another one has superseded.
    MergesSuperseded = "merges-superseded";
    /// `stage_commit` works while a commit is staged, and forgets that one.
    StagesTwice = "stages-twice";
    /// `merge_staged` and `discard_staged` take another client's commit for the staged one.
    MergesAnothers = "merges-anothers";

    // ---- Capabilities ----

    /// `fork` returns a client that shares its state with the original.
    SharedFork = "shared-fork";
    /// `restore` returns a client whose groups are in epoch 0.
    LossySnapshot = "lossy-snapshot";
    /// `restore` returns a client that takes messages again which it had received.
    ForgetfulSnapshot = "forgetful-snapshot";
    /// `restore` returns a client without its unused key packages.
    KeylessSnapshot = "keyless-snapshot";
    /// `restore` returns a client without its staged commits.
    ForgetsStaged = "forgets-staged";
    /// `restore` makes a client out of any bytes.
    RestoresGarbage = "restores-garbage";
    /// Says that it has snapshots, and has none.
    FalseCapability = "false-capability";
    /// Says that it has no snapshots, and has them.
    HiddenCapability = "hidden-capability";
    /// Says that it has cryptography, and sends payloads as they are.
    ClaimsCryptography = "claims-cryptography";
    /// Doesn't say which package at which version it is.
    NamesNoVersion = "names-no-version";
    /// Says that any member may commit, and refuses all but the founder.
    FounderOnly = "founder-only";
    /// Declares that it deviates where it doesn't.
    DeclaresTooMuch = "declares-too-much";
    /// Groups can't be renamed, and the reason given for that is empty.
    TellsNoReason = "tells-no-reason";
    /// `encoded_sizes` has a ratchet tree of no bytes.
    WrongSizes = "wrong-sizes";
}
