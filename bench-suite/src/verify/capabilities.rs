//! Fork, snapshot and the rest: what is declared works, what isn't declared doesn't.

use engine_api::{Change, Client, EngineError, Registration, SnapshotBytes, Support};

use super::party::{Party, State};
use crate::checks::{Check, Ledger};

type Scenario = fn(&Registration, &mut Ledger) -> Result<(), EngineError>;

/// The scenarios by name.
pub(super) const SCENARIOS: &[(&str, Scenario)] =
    &[("forking", forking), ("storing", storing), ("members committing", members_committing)];

/// Enters that the capability is what the call shows it to be; returns what the call gave.
fn declared<T>(
    ledger: &mut Ledger,
    check: Check,
    support: Support,
    result: Result<T, EngineError>,
) -> Result<Option<T>, EngineError> {
    match (support, result) {
        (Support::Yes, Ok(value)) => {
            ledger.expect(Check::Capabilities, true, String::new);
            Ok(Some(value))
        }
        (Support::Yes, Err(why)) => {
            ledger.expect(Check::Capabilities, false, || format!("declared, but: {why}"));
            Err(why)
        }
        (Support::No(_), Ok(_)) => {
            ledger.expect(Check::Capabilities, false, || "it works, but isn't declared".into());
            Ok(None)
        }
        (Support::No(why), Err(error)) => {
            let typed = matches!(error, EngineError::Unsupported(_) | EngineError::Caller(_));
            ledger.expect(Check::Capabilities, typed, || format!("undeclared, and {error}"));
            ledger.unsupported(check, why);
            Ok(None)
        }
    }
}

/// Original and fork start equal and then don't see each other.
fn forking(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = Party::found(&[*engine; 3])?;
    let support = engine.describe().capabilities.fork;
    let fork = engine.fork(&*party.clients[1]);
    let Some(mut fork) = declared(ledger, Check::Fork, support, fork)? else {
        return Ok(());
    };
    let before = party.state(1)?;
    ledger.expect_eq(Check::Fork, &State::of(&*fork, &party.group)?, &before);

    let message = party.clients[0].send(&party.group, b"for both")?;
    for client in [&mut party.clients[1], &mut fork] {
        let read = client.ingest_app(&party.group, &message)?.applied();
        ledger.expect_eq(Check::Fork, &read.map(|r| r.payload).as_deref(), &Some(&b"for both"[..]));
    }
    let staged = fork.stage_commit(&party.group, &Change::Update)?;
    let commit = staged.commit().clone();
    fork.merge_staged(staged.published())?;
    ledger.expect_eq(Check::Fork, &party.state(1)?, &before);

    // The fork's commit reaches the others; the original stays behind alone.
    let outcome = party.clients[0].ingest_commit(&party.group, &commit)?;
    ledger.expect_eq(Check::Fork, &outcome.name(), &"applied");
    let (ahead, founder) = (State::of(&*fork, &party.group)?, party.state(0)?);
    ledger.expect_eq(Check::Fork, &ahead.authenticated(), &founder.authenticated());
    ledger.expect_eq(Check::Fork, &party.state(1)?, &before);
    drop(fork);
    ledger.expect_eq(Check::Fork, &party.state(1)?, &before);
    Ok(())
}

/// A client restored from bytes goes on where it was stored; damaged bytes are refused.
fn storing(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = Party::found(&[*engine; 3])?;
    party.commit(0, &Change::Update)?;
    let read_before = party.say(0, b"read before the storing", ledger)?;
    let key_package = party.clients[1].publish_key_package()?;
    let support = engine.describe().capabilities.snapshot;
    let snapshot = party.clients[1].snapshot();
    let Some(snapshot) = declared(ledger, Check::Snapshot, support, snapshot)? else {
        return Ok(());
    };
    let before = party.state(1)?;
    let mut restored: Client = engine.restore(&snapshot)?;
    ledger.expect_eq(Check::Snapshot, &State::of(&*restored, &party.group)?, &before);
    ledger.expect_eq(Check::Snapshot, &restored.identity(), &party.clients[1].identity());
    std::mem::swap(&mut party.clients[1], &mut restored);
    drop(restored);

    let again = party.clients[1].ingest_app(&party.group, &read_before)?.applied();
    ledger.expect(Check::Snapshot, again.is_none(), || "it reads a message again".into());
    party.say(0, b"for the restored one", ledger)?;
    party.say(1, b"of the restored one", ledger)?;
    party.commit(1, &Change::Update)?;
    party.commit(0, &Change::Update)?;
    party.compare(ledger)?;
    stored_while_staged(engine, &mut party, ledger)?;
    let mut host = engine.new_client("host")?;
    let invited = host.create_group(std::slice::from_ref(&key_package))?;
    let welcome = invited.welcomes.for_invitee(0);
    let welcome = welcome.ok_or_else(|| EngineError::internal("no Welcome"))?;
    let joined = party.clients[1].join_welcome(welcome);
    ledger.expect(Check::Snapshot, joined.is_ok(), || {
        format!("a key package published before: {joined:?}")
    });
    damaged_snapshots(engine, &snapshot, ledger);
    Ok(())
}

/// A staged commit survives the storing: published before, it is merged after.
fn stored_while_staged(
    engine: &Registration,
    party: &mut Party,
    ledger: &mut Ledger,
) -> Result<(), EngineError> {
    let staged = party.clients[1].stage_commit(&party.group, &Change::Update)?;
    let publication = staged.publication();
    party.clients[1] = engine.restore(&party.clients[1].snapshot()?)?;
    let merged = party.clients[1].merge_staged(staged.published());
    ledger.expect(Check::Snapshot, merged.is_ok(), || format!("a staged commit: {merged:?}"));
    for index in [0, 2] {
        party.clients[index].ingest_commit(&party.group, &publication.commit)?;
    }
    party.compare(ledger)?;
    Ok(())
}

fn damaged_snapshots(engine: &Registration, snapshot: &SnapshotBytes, ledger: &mut Ledger) {
    let bytes = snapshot.as_slice();
    let cuts = (0..bytes.len()).step_by(bytes.len().div_ceil(32).max(1));
    let mut damaged: Vec<Vec<u8>> = cuts.map(|length| bytes[..length].to_vec()).collect();
    for place in (0..bytes.len()).step_by(bytes.len().div_ceil(256).max(1)) {
        let mut flipped = bytes.to_vec();
        flipped[place] ^= 1 << (place % 8);
        damaged.push(flipped);
    }
    damaged.push([bytes, &[0]].concat());
    damaged.push(vec![0xff; 1000]);
    let tried = damaged.len();
    let mut taken = Vec::new();
    for bytes in damaged {
        let length = bytes.len();
        match engine.restore(&SnapshotBytes::new(bytes)) {
            Err(EngineError::Storage(_)) => {}
            Err(other) => taken.push(format!("{length} bytes: {other}")),
            Ok(_) => taken.push(format!("{length} bytes: restored")),
        }
    }
    ledger.expect_none(Check::Snapshot, tried, &taken);
}

/// Whether a member who isn't the founder may add.
fn members_committing(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = Party::found(&[*engine; 3])?;
    let support = engine.describe().capabilities.any_member_commits;
    let mut newcomer = engine.new_client("newcomer")?;
    let key_package = newcomer.publish_key_package()?;
    let change = Change::Add(std::slice::from_ref(&key_package));
    let before = party.state(1)?;
    let staged = party.clients[1].stage_commit(&party.group, &change);
    match declared(ledger, Check::Members, support, staged)? {
        Some(staged) => party.clients[1].discard_staged(staged)?,
        None => {
            ledger.expect_eq(Check::Capabilities, &party.state(1)?, &before);
            return Ok(());
        }
    }
    party.add(1, engine, "added by a member")?;
    party.compare(ledger)?;
    let out = party.remove(2, 0, ledger)?;
    drop(out);
    party.compare(ledger)?;
    Ok(())
}
