//! Hostile bytes: truncated, bit-flipped, extended and foreign ones, given to a client that must
//! refuse them, stay as it was, and take the genuine ones afterwards.
//!
//! Each damaged copy goes to a fresh copy of the client, which then gets the genuine bytes: what
//! one damaged input spoils can't hide what the next would do. Where an engine's clients can't be
//! copied, one client takes them all.

use engine_api::{
    AppBytes, Change, Client, CommitBytes, EngineError, Ingested, KeyPackageBytes, Registration,
    RejectReason, WelcomeBytes,
};

use super::party::{Party, State};
use crate::checks::{Check, Ledger};
use crate::original::Copying;

type Scenario = fn(&Registration, &mut Ledger) -> Result<(), EngineError>;

/// The scenarios by name.
pub(super) const SCENARIOS: &[(&str, Scenario)] = &[
    ("damaged message", message),
    ("damaged commit", commit),
    ("damaged welcome", welcome),
    ("damaged key package", key_package),
];

/// At most this many places are flipped, spread over the bytes.
const FLIPS: usize = 1024;

/// At most this many lengths are cut to.
const CUTS: usize = 128;

/// One way to damage some bytes, in words, and the result.
type Damaged = (String, Vec<u8>);

/// Every kind of damage to `genuine`.
fn damage(genuine: &[u8], foreign: &[u8]) -> Vec<Damaged> {
    let mut damaged = Vec::new();
    for length in (0..genuine.len()).step_by(genuine.len().div_ceil(CUTS).max(1)) {
        damaged.push((format!("cut to {length} bytes"), genuine[..length].to_vec()));
    }
    for place in (0..genuine.len()).step_by(genuine.len().div_ceil(FLIPS).max(1)) {
        let mut bytes = genuine.to_vec();
        bytes[place] ^= 1 << (place % 8);
        damaged.push((format!("bit {} of byte {place} flipped", place % 8), bytes));
    }
    let mut longer = genuine.to_vec();
    longer.push(0);
    damaged.push(("one zero byte appended".into(), longer));
    damaged.push(("doubled".into(), [genuine, genuine].concat()));
    damaged.push(("noise".into(), noise(genuine.len())));
    damaged.push(("64 KiB of 0xff".into(), vec![0xff; 1 << 16]));
    damaged.push(("foreign bytes".into(), foreign.to_vec()));
    damaged
}

/// Bytes without a pattern, the same in each run (xorshift).
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}

/// What a series of damaged inputs did.
#[derive(Default)]
struct Series {
    tried: usize,
    /// Inputs that were taken for good, or failed as somebody else's fault.
    accepted: Vec<String>,
    /// Inputs after which the client was another, or refused the genuine bytes.
    marked: Vec<String>,
    /// Refusals that came after parsing.
    past_parsing: usize,
}

impl Series {
    /// Counts a call's outcome. Nothing was read or applied before, so nothing is a duplicate.
    fn outcome<T: std::fmt::Debug>(&mut self, how: &str, end: &Result<Ingested<T>, EngineError>) {
        self.tried += 1;
        match end {
            Ok(Ingested::Rejected(why)) if why.reason == RejectReason::Malformed => {}
            Ok(Ingested::Rejected(_) | Ingested::Stale | Ingested::RetryLater) => {
                self.past_parsing += 1;
            }
            other => self.accepted.push(format!("{how}: {other:?}")),
        }
    }

    /// Counts a call that must fail as the peer's fault.
    fn failure<T: std::fmt::Debug>(&mut self, how: &str, end: &Result<T, EngineError>) {
        self.tried += 1;
        match end {
            Err(EngineError::Peer(why)) => {
                self.past_parsing += usize::from(why.reason != RejectReason::Malformed);
            }
            other => self.accepted.push(format!("{how}: {other:?}")),
        }
    }

    fn mark(&mut self, how: &str, unharmed: bool, what: impl FnOnce() -> String) {
        if !unharmed {
            self.marked.push(format!("{how}: {}", what()));
        }
    }

    fn enter(self, ledger: &mut Ledger) {
        ledger.expect_none(Check::DamageRefused, self.tried, &self.accepted);
        ledger.expect_none(Check::DamageHarmless, self.tried, &self.marked);
        if self.past_parsing == 0 {
            let why = "no damaged input got past parsing, so nothing behind it was tried here";
            ledger.unsupported(Check::DamageRefused, why);
        }
    }
}

/// A fresh copy of `client`, or the client itself where there are no copies.
fn fresh<'a>(
    engine: &Registration,
    client: &'a mut Client,
    copy: &'a mut Option<Client>,
) -> Result<&'a mut Client, EngineError> {
    if Copying::of(&engine.describe()) == Copying::Fork {
        Ok(copy.insert(engine.fork(&**client)?))
    } else {
        Ok(client)
    }
}

fn can_fork(engine: &Registration) -> bool {
    Copying::of(&engine.describe()) == Copying::Fork
}

/// For `ingest_app`.
fn message(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = Party::found(&[*engine; 3])?;
    let mut other = Party::found(&[*engine; 2])?;
    let foreign = other.clients[0].send(&other.group, b"of another group")?;
    let genuine = party.clients[0].send(&party.group, b"genuine")?;
    let before = party.state(1)?;
    let group = party.group.clone();
    let read = |client: &mut Client| -> Result<String, EngineError> {
        Ok(match client.ingest_app(&group, &genuine)? {
            Ingested::Applied(received) if received.payload == b"genuine" => String::new(),
            other => format!("the genuine message then is {}", other.name()),
        })
    };
    let mut series = Series::default();
    for (how, bytes) in damage(genuine.as_slice(), foreign.as_slice()) {
        let mut copy = None;
        let client = fresh(engine, &mut party.clients[1], &mut copy)?;
        series.outcome(&how, &client.ingest_app(&group, &AppBytes::new(bytes)));
        let unchanged = State::of(&**client, &group)? == before;
        series.mark(&how, unchanged, || "the state is another".into());
        if can_fork(engine) {
            let end = read(client)?;
            series.mark(&how, end.is_empty(), || end);
        }
    }
    series.enter(ledger);
    let end = read(&mut party.clients[1])?;
    ledger.expect(Check::DamageHarmless, end.is_empty(), || end);
    party.say(0, b"and on", ledger)?;
    party.say(1, b"and on", ledger)?;
    Ok(())
}

/// For `ingest_commit`, with the richest commit: one that adds.
fn commit(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = Party::found(&[*engine; 3])?;
    let mut other = Party::found(&[*engine; 2])?;
    let foreign = other.commit(0, &Change::Update)?;
    let mut newcomer = engine.new_client("newcomer")?;
    let key_package = newcomer.publish_key_package()?;
    let change = Change::Add(std::slice::from_ref(&key_package));
    let group = party.group.clone();
    let staged = party.clients[0].stage_commit(&group, &change)?;
    let genuine = staged.commit().clone();
    let before = party.state(1)?;
    party.clients[0].merge_staged(staged.published())?;
    let after = party.state(0)?;
    let follow = |client: &mut Client| -> Result<String, EngineError> {
        let outcome = client.ingest_commit(&group, &genuine)?;
        let there = State::of(&**client, &group)?.authenticated() == after.authenticated();
        Ok(match outcome {
            Ingested::Applied(_) if there => String::new(),
            other => format!("the genuine commit then is {}", other.name()),
        })
    };
    let mut series = Series::default();
    for (how, bytes) in damage(genuine.as_slice(), foreign.commit.as_slice()) {
        let mut copy = None;
        let client = fresh(engine, &mut party.clients[1], &mut copy)?;
        series.outcome(&how, &client.ingest_commit(&group, &CommitBytes::new(bytes)));
        let unchanged = State::of(&**client, &group)? == before;
        series.mark(&how, unchanged, || "the state is another".into());
        if can_fork(engine) {
            let end = follow(client)?;
            series.mark(&how, end.is_empty(), || end);
        }
    }
    series.enter(ledger);
    for index in [1, 2] {
        let end = follow(&mut party.clients[index])?;
        ledger.expect(Check::DamageHarmless, end.is_empty(), || end);
    }
    Ok(())
}

/// For `join_welcome`: the joiner is in another group already, which must not suffer. It is the
/// only invitee, since nobody can tell whether another's part of a Welcome is damaged.
fn welcome(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut home = Party::found(&[*engine; 2])?;
    let mut host = engine.new_client("host")?;
    let mut third = engine.new_client("third")?;
    let founded = host.create_group(&[home.clients[1].publish_key_package()?])?;
    let strangers = host.create_group(&[third.publish_key_package()?])?;
    let (Some(genuine), Some(foreign)) =
        (founded.welcomes.for_invitee(0), strangers.welcomes.for_invitee(0))
    else {
        return Err(EngineError::internal("no Welcome"));
    };
    let there = State::of(&*host, &founded.group)?;
    let before = home.state(1)?;
    let mut series = Series::default();
    for (how, bytes) in damage(genuine.as_slice(), foreign.as_slice()) {
        let mut copy = None;
        let client = fresh(engine, &mut home.clients[1], &mut copy)?;
        series.failure(&how, &client.join_welcome(&WelcomeBytes::new(bytes)));
        let unchanged = State::of(&**client, &home.group)? == before;
        series.mark(&how, unchanged, || "the state is another".into());
        if can_fork(engine) {
            let end = joined(client, genuine, &there)?;
            series.mark(&how, end.is_empty(), || end);
        }
    }
    series.enter(ledger);
    let end = joined(&mut home.clients[1], genuine, &there)?;
    ledger.expect(Check::DamageHarmless, end.is_empty(), || end);
    home.say(1, b"and on", ledger)?;
    Ok(())
}

/// Joins with the genuine Welcome; says what was wrong.
fn joined(
    client: &mut Client,
    genuine: &WelcomeBytes,
    there: &State,
) -> Result<String, EngineError> {
    let joined = client.join_welcome(genuine);
    Ok(match joined {
        Ok(group) if State::of(&**client, &group)?.authenticated() == there.authenticated() => {
            String::new()
        }
        Ok(_) => "the genuine Welcome then leads elsewhere".into(),
        Err(why) => format!("the genuine Welcome then is refused: {why}"),
    })
}

/// For `create_group` and `stage_commit`: two attempts per damaged key package, by one client.
fn key_package(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = Party::found(&[*engine; 2])?;
    let mut newcomer = engine.new_client("newcomer")?;
    let genuine = newcomer.publish_key_package()?;
    let foreign = party.clients[0].send(&party.group, b"not a key package")?;
    let before = party.state(0)?;
    let mut series = Series::default();
    for (how, bytes) in damage(genuine.as_slice(), foreign.as_slice()) {
        let damaged = KeyPackageBytes::new(bytes);
        let founded = party.clients[0].create_group(std::slice::from_ref(&damaged));
        series.failure(&format!("founding, {how}"), &founded.map(|_| "founded a group"));
        let change = Change::Add(std::slice::from_ref(&damaged));
        let staged = party.clients[0].stage_commit(&party.group, &change);
        let staged = staged.map(|staged| party.clients[0].discard_staged(staged));
        series.failure(&format!("adding, {how}"), &staged.map(|_| "staged an add"));
        let unchanged = party.state(0)? == before;
        series.mark(&how, unchanged, || "the state is another".into());
    }
    series.enter(ledger);
    let publication = party.commit(0, &Change::Add(std::slice::from_ref(&genuine)))?;
    let welcome = publication.welcomes.for_invitee(0);
    newcomer.join_welcome(welcome.ok_or_else(|| EngineError::internal("no Welcome"))?)?;
    party.clients.push(newcomer);
    party.compare(ledger)?;
    Ok(())
}
