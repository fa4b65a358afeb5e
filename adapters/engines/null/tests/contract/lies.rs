//! For each lie, what `null` shows and what the lying engine shows in its place.

use std::panic::{AssertUnwindSafe, catch_unwind};

use adapter_null::Lie::{self, *};
use engine_api::{AppBytes, Change, Registration, SnapshotBytes, WelcomeBytes, Work};

use crate::scene::{
    ADA, BEN, CLEO, Outcome, Scene, add, broken, null, remove, shown, shown_as, text, welcome,
};

/// Looks at an engine; says in words what it saw.
type Look = fn(&Registration) -> Outcome<String>;

/// The lie, where it shows, what `null` shows there, and what the liar shows.
const SHOWS: &[(Lie, Look, &str, &str)] = &[
    (WrongPlaintext, payload, "hello", "iello"),
    (WrongSender, sender, "ada", "ben"),
    (DropsPayload, payload, "hello", ""),
    (CutsPayload, long_payload, "2000 bytes", "1024 bytes"),
    (LosesMessages, three_messages, "applied applied applied", "applied unauthenticated applied"),
    (Replays, twice, "applied duplicate", "applied applied"),
    (Echoes, echo, "duplicate", "applied"),
    (InOrderOnly, reordered, "applied applied", "applied unauthenticated"),
    (CrossesGroups, foreign, "misdirected", "applied"),
    (RefusesFuture, early, "retry-later", "unauthenticated"),
    (RefusesPast, late, "applied", "unauthenticated"),
    (ReadsBeforeJoining, before_joining, "stale", "applied"),
    (ReadsCommits, commit_as_message, "malformed", "applied"),
    (WrongEpoch, epoch, "1", "2"),
    (WrongAppliedEpoch, applied_epoch, "2", "3"),
    (WrongMergedEpoch, merged_epoch, "2", "1"),
    (StuckEpoch, epoch_after_ingesting, "applied, now in 2", "applied, now in 1"),
    (StuckMerge, epoch_after_merging, "says 2, now in 2", "says 2, now in 1"),
    (SkipsEpochs, early_commit, "retry-later, now in 1", "applied, now in 3"),
    (ReappliesCommits, commit_twice, "applied duplicate", "applied applied"),
    (MergesEcho, commit_echo, "duplicate, now in 1", "duplicate, now in 2"),
    (AgreesWithEverybody, groups_agree, "no", "yes"),
    (Disagrees, members_agree, "yes", "no"),
    (StaleAuthenticator, epochs_agree, "no", "yes"),
    (WrongMembers, members, "0:ada 1:ben 2:cleo", "0:ada 1:ben"),
    (ListsRemoved, remaining, "0:ada 2:cleo", "0:ada 1:ben 2:cleo"),
    (UnsortedMembers, members, "0:ada 1:ben 2:cleo", "2:cleo 1:ben 0:ada"),
    (SwapsMembers, members, "0:ada 1:ben 2:cleo", "0:ben 1:ada 2:cleo"),
    (WrongLeaf, own_leaf, "1", "2"),
    (WrongIdentity, identity, "ben", "ben?"),
    (KeepsName, name, "team", ""),
    (InventsGroups, unknown_group, "caller", "known"),
    (KeepsRemoved, removed_reads, "removed, then caller", "applied, then applied"),
    (SendsAfterRemoval, removed_sends, "removed, then caller", "removed, then sent"),
    (AcceptsDamage, damage, "unauthenticated", "applied"),
    (DamagedByRefusal, damage_leaves_a_mark, "no", "yes"),
    (DeafAfterRefusal, after_damage, "applied", "unauthenticated"),
    (WrongFault, damaged_welcome, "unauthenticated", "internal"),
    (Panics, truncated, "malformed", "panicked"),
    (JoinsUninvited, uninvited, "misdirected", "joined"),
    (Rejoins, second_join, "misdirected, now in 2", "joined, now in 1"),
    (RepeatsKeyPackages, key_packages_equal, "no", "yes"),
    (MergesEarly, epoch_while_staged, "1", "2"),
    (DiscardApplies, epoch_after_discarding, "1", "2"),
    (MergesSuperseded, superseded, "caller, now in 2", "merged, now in 3"),
    (StagesTwice, staged_twice, "caller", "staged"),
    (MergesAnothers, anothers, "caller, caller, now in 1", "discarded, merged, now in 2"),
    (SharedFork, epoch_after_the_forks, "1", "2"),
    (LossySnapshot, restored_epoch, "1", "0"),
    (ForgetfulSnapshot, restored_receives_twice, "duplicate", "applied"),
    (KeylessSnapshot, restored_joins, "joined", "misdirected"),
    (ForgetsStaged, restored_merges, "merged", "caller"),
    (RestoresGarbage, garbage_restored, "storage", "restored"),
    (FalseCapability, snapshots, "declared, restored", "declared, unsupported"),
    (HiddenCapability, snapshots, "declared, restored", "undeclared, restored"),
    (ClaimsCryptography, secrecy, "plain, as declared", "plain, undeclared"),
    (NamesNoVersion, packages, "1 named", "0 named"),
    (FounderOnly, member_stages, "staged", "caller"),
    (DeclaresTooMuch, deviations, "0 declared", "1 declared"),
    (TellsNoReason, renames, "yes", "no, because ''"),
    (WrongSizes, tree_size, "None", "Some(0)"),
];

#[test]
fn every_lie_shows() -> Outcome {
    for (lie, look, honest, told) in SHOWS {
        assert_eq!(look(&null())?, *honest, "null, where {} shows", lie.name());
        assert_eq!(look(&broken(*lie)?)?, *told, "{}: {}", lie.name(), lie.what());
    }
    Ok(())
}

/// Where else a lie shows, because what is looked at there rests on what the lie is about.
const ALSO: &[(Lie, &[Lie])] = &[
    (WrongPlaintext, &[DropsPayload]),
    (DropsPayload, &[WrongPlaintext, CutsPayload, AcceptsDamage, ClaimsCryptography]),
    (LosesMessages, &[InOrderOnly]),
    (Replays, &[ForgetfulSnapshot]),
    (
        WrongEpoch,
        &[
            StuckEpoch,
            StuckMerge,
            SkipsEpochs,
            MergesEcho,
            Rejoins,
            MergesEarly,
            DiscardApplies,
            MergesSuperseded,
            MergesAnothers,
            SharedFork,
            LossySnapshot,
        ],
    ),
    (WrongMergedEpoch, &[StuckMerge]),
    (StuckEpoch, &[ReappliesCommits, ListsRemoved, KeepsName, Rejoins, MergesSuperseded]),
    (StuckMerge, &[RefusesFuture, SkipsEpochs, StaleAuthenticator]),
    (AgreesWithEverybody, &[StaleAuthenticator]),
    (WrongMembers, &[ListsRemoved, UnsortedMembers, SwapsMembers]),
    (UnsortedMembers, &[WrongMembers, ListsRemoved, SwapsMembers]),
    (SwapsMembers, &[WrongMembers, ListsRemoved, UnsortedMembers, KeepsRemoved, SendsAfterRemoval]),
    (WrongIdentity, &[ListsRemoved, KeepsRemoved, SendsAfterRemoval]),
    (KeepsRemoved, &[SendsAfterRemoval]),
    (AcceptsDamage, &[DeafAfterRefusal, WrongFault]),
    (
        WrongFault,
        &[
            CrossesGroups,
            ReadsCommits,
            AcceptsDamage,
            DamagedByRefusal,
            DeafAfterRefusal,
            Panics,
            JoinsUninvited,
            Rejoins,
        ],
    ),
    (Panics, &[ReadsCommits]),
    (JoinsUninvited, &[Rejoins]),
    (MergesEarly, &[MergesEcho, DiscardApplies, MergesSuperseded, StagesTwice, MergesAnothers]),
    (LossySnapshot, &[ForgetfulSnapshot]),
    (
        FalseCapability,
        &[
            LossySnapshot,
            ForgetfulSnapshot,
            KeylessSnapshot,
            ForgetsStaged,
            RestoresGarbage,
            HiddenCapability,
        ],
    ),
    (HiddenCapability, &[FalseCapability]),
    (FounderOnly, &[MergesSuperseded, MergesAnothers, SharedFork]),
    (TellsNoReason, &[KeepsName]),
];

/// Every engine looks like `null` wherever its lie plays no part.
#[test]
fn a_lie_shows_nowhere_else() -> Outcome {
    for lie in Lie::ALL {
        let engine = broken(*lie)?;
        let shows = |(_, look, honest, _): &&(Lie, Look, &str, &str)| {
            let seen = catch_unwind(|| look(&engine));
            !matches!(seen, Ok(Ok(seen)) if seen == **honest)
        };
        let elsewhere = SHOWS.iter().filter(|(about, ..)| about != lie).filter(shows);
        let elsewhere: Vec<_> = elsewhere.map(|(about, ..)| *about).collect();
        let also = ALSO.iter().find(|(of, _)| of == lie).map(|(_, also)| *also);
        assert_eq!(elsewhere, also.unwrap_or_default(), "{}", lie.name());
    }
    Ok(())
}

#[test]
fn no_lie_is_left_out() {
    let shown: Vec<_> = SHOWS.iter().map(|(lie, ..)| *lie).collect();
    assert_eq!(shown, Lie::ALL);
    let registered: Vec<_> = adapter_null::broken().iter().map(Registration::name).collect();
    let named: Vec<_> = Lie::ALL.iter().map(|lie| lie.name()).collect();
    assert_eq!(registered, named);
}

// ---- Application messages -----------------------------------------------------------------------

fn payload(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let message = scene.clients[ADA].send(&scene.group, b"hello")?;
    let read = scene.clients[CLEO].ingest_app(&scene.group, &message)?.applied();
    let payload = read.map(|read| read.payload).unwrap_or_default();
    Ok(String::from_utf8_lossy(&payload).into_owned())
}

fn sender(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let message = scene.clients[ADA].send(&scene.group, b"hello")?;
    let read = scene.clients[CLEO].ingest_app(&scene.group, &message)?.applied();
    Ok(read.map(|read| text(&read.sender)).unwrap_or_default())
}

fn long_payload(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let message = scene.clients[ADA].send(&scene.group, &[1; 2000])?;
    let read = scene.clients[CLEO].ingest_app(&scene.group, &message)?.applied();
    let payload = read.map(|read| read.payload).unwrap_or_default();
    Ok(format!("{} bytes", payload.len()))
}

fn three_messages(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let mut outcomes = Vec::new();
    for payload in [b"1", b"2", b"3"] {
        outcomes.push(scene.say(ADA, BEN, payload)?);
    }
    Ok(outcomes.join(" "))
}

fn twice(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let message = scene.clients[ADA].send(&scene.group, b"once")?;
    let (ben, group) = (&mut scene.clients[BEN], &scene.group);
    let outcomes = [ben.ingest_app(group, &message), ben.ingest_app(group, &message)];
    Ok(outcomes.map(shown).join(" "))
}

fn echo(engine: &Registration) -> Outcome<String> {
    Scene::of(engine)?.say(ADA, ADA, b"hello, me")
}

fn reordered(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let first = scene.clients[ADA].send(&scene.group, b"first")?;
    let second = scene.clients[ADA].send(&scene.group, b"second")?;
    let (ben, group) = (&mut scene.clients[BEN], &scene.group);
    let outcomes = [ben.ingest_app(group, &second), ben.ingest_app(group, &first)];
    Ok(outcomes.map(shown).join(" "))
}

fn foreign(engine: &Registration) -> Outcome<String> {
    let (mut scene, mut other) = (Scene::of(engine)?, Scene::of(engine)?);
    let message = other.clients[ADA].send(&other.group, b"for others")?;
    Ok(shown(scene.clients[BEN].ingest_app(&scene.group, &message)))
}

fn early(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    scene.publish(ADA, &Change::Update)?;
    scene.say(ADA, BEN, b"early")
}

fn late(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let message = scene.clients[ADA].send(&scene.group, b"late")?;
    scene.commit(ADA, &Change::Update)?;
    Ok(shown(scene.clients[BEN].ingest_app(&scene.group, &message)))
}

fn before_joining(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let message = scene.clients[ADA].send(&scene.group, b"among us three")?;
    scene.add(ADA, "dan")?;
    Ok(shown(scene.clients[3].ingest_app(&scene.group, &message)))
}

fn commit_as_message(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let (commit, _) = scene.publish(ADA, &Change::Update)?;
    let message = AppBytes::new(commit.as_slice().to_vec());
    Ok(shown(scene.clients[BEN].ingest_app(&scene.group, &message)))
}

// ---- Epochs -------------------------------------------------------------------------------------

fn epoch(engine: &Registration) -> Outcome<String> {
    Ok(Scene::of(engine)?.epoch(BEN)?.to_string())
}

fn applied_epoch(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let (commit, _) = scene.publish(ADA, &Change::Update)?;
    let outcome = scene.clients[BEN].ingest_commit(&scene.group, &commit)?;
    Ok(outcome.applied().map(|epoch| epoch.to_string()).unwrap_or_default())
}

fn merged_epoch(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let staged = scene.clients[ADA].stage_commit(&scene.group, &Change::Update)?;
    Ok(scene.clients[ADA].merge_staged(staged.published())?.to_string())
}

fn epoch_after_ingesting(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let (commit, _) = scene.publish(ADA, &Change::Update)?;
    let outcome = shown(scene.clients[BEN].ingest_commit(&scene.group, &commit));
    Ok(format!("{outcome}, now in {}", scene.epoch(BEN)?))
}

fn epoch_after_merging(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let staged = scene.clients[ADA].stage_commit(&scene.group, &Change::Update)?;
    let said = scene.clients[ADA].merge_staged(staged.published())?;
    Ok(format!("says {said}, now in {}", scene.epoch(ADA)?))
}

fn early_commit(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    scene.publish(ADA, &Change::Update)?;
    let (second, _) = scene.publish(ADA, &Change::Update)?;
    let outcome = shown(scene.clients[BEN].ingest_commit(&scene.group, &second));
    Ok(format!("{outcome}, now in {}", scene.epoch(BEN)?))
}

fn commit_twice(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let (commit, _) = scene.publish(ADA, &Change::Update)?;
    let (ben, group) = (&mut scene.clients[BEN], &scene.group);
    let outcomes = [ben.ingest_commit(group, &commit), ben.ingest_commit(group, &commit)];
    Ok(outcomes.map(shown).join(" "))
}

fn commit_echo(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let staged = scene.clients[ADA].stage_commit(&scene.group, &Change::Update)?;
    let outcome = shown(scene.clients[ADA].ingest_commit(&scene.group, staged.commit()));
    Ok(format!("{outcome}, now in {}", scene.epoch(ADA)?))
}

// ---- Agreement ----------------------------------------------------------------------------------

fn yes(it_is: bool) -> String {
    if it_is { "yes".into() } else { "no".into() }
}

fn groups_agree(engine: &Registration) -> Outcome<String> {
    let (one, other) = (Scene::of(engine)?, Scene::of(engine)?);
    Ok(yes(one.authenticator(ADA)? == other.authenticator(ADA)?))
}

fn members_agree(engine: &Registration) -> Outcome<String> {
    let scene = Scene::of(engine)?;
    Ok(yes(scene.authenticator(ADA)? == scene.authenticator(BEN)?))
}

fn epochs_agree(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let before = scene.authenticator(ADA)?;
    scene.publish(ADA, &Change::Update)?;
    Ok(yes(scene.authenticator(ADA)? == before))
}

// ---- Members ------------------------------------------------------------------------------------

fn members(engine: &Registration) -> Outcome<String> {
    Scene::of(engine)?.members(BEN)
}

fn remaining(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let ben = scene.member(BEN)?;
    scene.commit(ADA, &remove(&ben))?;
    scene.members(CLEO)
}

fn name(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    scene.commit(ADA, &Change::Rename("team"))?;
    scene.clients[BEN].group_name(&scene.group)
}

fn own_leaf(engine: &Registration) -> Outcome<String> {
    let scene = Scene::of(engine)?;
    Ok(scene.clients[BEN].own_leaf(&scene.group)?.to_string())
}

fn identity(engine: &Registration) -> Outcome<String> {
    Ok(text(&Scene::of(engine)?.clients[BEN].identity()))
}

fn unknown_group(engine: &Registration) -> Outcome<String> {
    let scene = Scene::of(engine)?;
    let stranger = engine.new_client("eve")?;
    Ok(shown_as("known", stranger.epoch(&scene.group)))
}

fn removed_reads(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let ben = scene.member(BEN)?;
    let (commit, _) = scene.publish(ADA, &remove(&ben))?;
    let told = shown(scene.clients[BEN].ingest_commit(&scene.group, &commit));
    Ok(format!("{told}, then {}", scene.say(ADA, BEN, b"without Ben")?))
}

fn removed_sends(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let ben = scene.member(BEN)?;
    let (commit, _) = scene.publish(ADA, &remove(&ben))?;
    let told = shown(scene.clients[BEN].ingest_commit(&scene.group, &commit));
    let sent = shown_as("sent", scene.clients[BEN].send(&scene.group, b"still here"));
    Ok(format!("{told}, then {sent}"))
}

// ---- Refusals -----------------------------------------------------------------------------------

fn damage(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let (_, damaged) = scene.genuine_and_damaged()?;
    Ok(shown(scene.clients[BEN].ingest_app(&scene.group, &damaged)))
}

fn damage_leaves_a_mark(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let (_, damaged) = scene.genuine_and_damaged()?;
    let before = scene.authenticator(BEN)?;
    scene.clients[BEN].ingest_app(&scene.group, &damaged)?;
    Ok(yes(scene.authenticator(BEN)? != before))
}

fn after_damage(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let (genuine, damaged) = scene.genuine_and_damaged()?;
    scene.clients[BEN].ingest_app(&scene.group, &damaged)?;
    Ok(shown(scene.clients[BEN].ingest_app(&scene.group, &genuine)))
}

fn damaged_welcome(engine: &Registration) -> Outcome<String> {
    let mut ada = engine.new_client("ada")?;
    let mut ben = engine.new_client("ben")?;
    let founded = ada.create_group(&[ben.publish_key_package()?])?;
    let mut bytes = welcome(&founded.welcomes, 0)?.as_slice().to_vec();
    bytes[1] ^= 1;
    Ok(shown_as("joined", ben.join_welcome(&WelcomeBytes::new(bytes))))
}

fn truncated(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let message = scene.clients[ADA].send(&scene.group, b"hello")?;
    let cut = AppBytes::new(message.as_slice()[..message.len() / 2].to_vec());
    let ben = &mut scene.clients[BEN];
    let ingest = AssertUnwindSafe(|| shown(ben.ingest_app(&scene.group, &cut)));
    Ok(catch_unwind(ingest).unwrap_or_else(|_| "panicked".into()))
}

// ---- Joining ------------------------------------------------------------------------------------

fn uninvited(engine: &Registration) -> Outcome<String> {
    let mut ada = engine.new_client("ada")?;
    let mut ben = engine.new_client("ben")?;
    let mut eve = engine.new_client("eve")?;
    let founded = ada.create_group(&[ben.publish_key_package()?])?;
    Ok(shown_as("joined", eve.join_welcome(welcome(&founded.welcomes, 0)?)))
}

fn second_join(engine: &Registration) -> Outcome<String> {
    let mut ada = engine.new_client("ada")?;
    let mut ben = engine.new_client("ben")?;
    let founded = ada.create_group(&[ben.publish_key_package()?])?;
    let welcome = welcome(&founded.welcomes, 0)?;
    let group = ben.join_welcome(welcome)?;
    let staged = ada.stage_commit(&group, &Change::Update)?;
    ben.ingest_commit(&group, staged.commit())?;
    let again = shown_as("joined", ben.join_welcome(welcome));
    Ok(format!("{again}, now in {}", ben.epoch(&group)?))
}

fn key_packages_equal(engine: &Registration) -> Outcome<String> {
    let mut ben = engine.new_client("ben")?;
    Ok(yes(ben.publish_key_package()? == ben.publish_key_package()?))
}

// ---- Staging ------------------------------------------------------------------------------------

fn epoch_while_staged(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let _staged = scene.clients[ADA].stage_commit(&scene.group, &Change::Update)?;
    Ok(scene.epoch(ADA)?.to_string())
}

fn epoch_after_discarding(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let staged = scene.clients[ADA].stage_commit(&scene.group, &Change::Update)?;
    scene.clients[ADA].discard_staged(staged)?;
    Ok(scene.epoch(ADA)?.to_string())
}

fn superseded(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let lost = scene.clients[ADA].stage_commit(&scene.group, &Change::Update)?;
    scene.commit(BEN, &Change::Update)?;
    let merged = shown_as("merged", scene.clients[ADA].merge_staged(lost.published()));
    Ok(format!("{merged}, now in {}", scene.epoch(ADA)?))
}

fn staged_twice(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let _first = scene.clients[ADA].stage_commit(&scene.group, &Change::Update)?;
    let second = scene.clients[ADA].stage_commit(&scene.group, &Change::Update);
    Ok(shown_as("staged", second))
}

/// Ada has a commit staged and is handed Ben's.
fn anothers(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let (bens, cleos) = (scene.stage(BEN)?, scene.stage(CLEO)?);
    let _own = scene.stage(ADA)?;
    let discarded = shown_as("discarded", scene.clients[ADA].discard_staged(bens));
    // Fails if the first one is staged still.
    let _own = scene.stage(ADA);
    let merged = shown_as("merged", scene.clients[ADA].merge_staged(cleos.published()));
    Ok(format!("{discarded}, {merged}, now in {}", scene.epoch(ADA)?))
}

// ---- Capabilities -------------------------------------------------------------------------------

fn epoch_after_the_forks(engine: &Registration) -> Outcome<String> {
    let scene = Scene::of(engine)?;
    let mut fork = engine.fork(&*scene.clients[BEN])?;
    let staged = fork.stage_commit(&scene.group, &Change::Update)?;
    fork.merge_staged(staged.published())?;
    Ok(scene.epoch(BEN)?.to_string())
}

fn restored_epoch(engine: &Registration) -> Outcome<String> {
    let scene = Scene::of(engine)?;
    let restored = engine.restore(&scene.clients[BEN].snapshot()?)?;
    Ok(restored.epoch(&scene.group)?.to_string())
}

fn restored_receives_twice(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let message = scene.clients[ADA].send(&scene.group, b"once")?;
    scene.clients[BEN].ingest_app(&scene.group, &message)?;
    let mut restored = engine.restore(&scene.clients[BEN].snapshot()?)?;
    Ok(shown(restored.ingest_app(&scene.group, &message)))
}

fn restored_joins(engine: &Registration) -> Outcome<String> {
    let mut ada = engine.new_client("ada")?;
    let mut ben = engine.new_client("ben")?;
    let founded = ada.create_group(&[ben.publish_key_package()?])?;
    let mut restored = engine.restore(&ben.snapshot()?)?;
    Ok(shown_as("joined", restored.join_welcome(welcome(&founded.welcomes, 0)?)))
}

fn restored_merges(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let staged = scene.clients[ADA].stage_commit(&scene.group, &Change::Update)?;
    let mut restored = engine.restore(&scene.clients[ADA].snapshot()?)?;
    Ok(shown_as("merged", restored.merge_staged(staged.published())))
}

fn garbage_restored(engine: &Registration) -> Outcome<String> {
    Ok(shown_as("restored", engine.restore(&SnapshotBytes::new(vec![0xff; 100]))))
}

fn snapshots(engine: &Registration) -> Outcome<String> {
    let declared = engine.describe().capabilities.snapshot.is_yes();
    let declared = if declared { "declared" } else { "undeclared" };
    let scene = Scene::of(engine)?;
    let snapshot = scene.clients[BEN].snapshot();
    let restored = snapshot.and_then(|snapshot| engine.restore(&snapshot));
    Ok(format!("{declared}, {}", shown_as("restored", restored)))
}

fn secrecy(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let message = scene.clients[ADA].send(&scene.group, b"a secret")?;
    let visible = message.as_slice().windows(8).any(|window| window == b"a secret");
    let declared = engine.describe().spans.send.contains(&Work::NoCryptography);
    Ok(format!(
        "{}, {}",
        if visible { "plain" } else { "secret" },
        if declared { "as declared" } else { "undeclared" },
    ))
}

fn packages(engine: &Registration) -> Outcome<String> {
    Ok(format!("{} named", engine.describe().packages.len()))
}

fn member_stages(engine: &Registration) -> Outcome<String> {
    let mut scene = Scene::of(engine)?;
    let key_package = engine.new_client("dan")?.publish_key_package()?;
    let staged = scene.clients[BEN].stage_commit(&scene.group, &add(&key_package));
    Ok(shown_as("staged", staged))
}

fn deviations(engine: &Registration) -> Outcome<String> {
    Ok(format!("{} declared", engine.describe().deviations.len()))
}

fn renames(engine: &Registration) -> Outcome<String> {
    let why_not = engine.describe().capabilities.rename.why_not();
    Ok(why_not.map_or("yes".into(), |why| format!("no, because '{why}'")))
}

fn tree_size(engine: &Registration) -> Outcome<String> {
    let scene = Scene::of(engine)?;
    Ok(format!("{:?}", scene.clients[BEN].encoded_sizes(&scene.group)?.ratchet_tree))
}
