//! Hostile bytes: truncated, bit-flipped, extended and foreign ones, given to a client that must
//! refuse them, stay as it was, and take the genuine ones afterwards.

use engine_api::{
    AppBytes, Change, CommitBytes, EngineError, Ingested, KeyPackageBytes, Registration,
    WelcomeBytes,
};

use super::party::{Party, State};
use crate::checks::{Check, Ledger};

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
fn damage(genuine: &[u8], foreign: &[&[u8]]) -> Vec<Damaged> {
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
    for (index, bytes) in foreign.iter().enumerate() {
        damaged.push((format!("foreign bytes {index}"), bytes.to_vec()));
    }
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

/// Enters what a series of damaged inputs did: how many were accepted, how many left a mark.
struct Series {
    tried: usize,
    accepted: Vec<String>,
    marked: Vec<String>,
}

impl Series {
    fn new() -> Self {
        Self { tried: 0, accepted: Vec::new(), marked: Vec::new() }
    }

    fn enter(self, ledger: &mut Ledger) {
        let Self { tried, accepted, marked } = self;
        ledger.expect(Check::DamageRefused, accepted.is_empty(), || summary(tried, &accepted));
        ledger.expect(Check::DamageHarmless, marked.is_empty(), || summary(tried, &marked));
    }
}

fn summary(tried: usize, faults: &[String]) -> String {
    let shown: Vec<_> = faults.iter().take(3).map(String::as_str).collect();
    format!("{} of {tried}: {}", faults.len(), shown.join("; "))
}

/// For `ingest_app`.
fn message(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = Party::found(&[*engine; 3])?;
    let mut other = Party::found(&[*engine; 2])?;
    let foreign = other.clients[0].send(&other.group, b"of another group")?;
    let genuine = party.clients[0].send(&party.group, b"genuine")?;
    let before = party.state(1)?;
    let mut series = Series::new();
    for (how, bytes) in damage(genuine.as_slice(), &[foreign.as_slice()]) {
        series.tried += 1;
        let outcome = party.clients[1].ingest_app(&party.group, &AppBytes::new(bytes));
        if !matches!(&outcome, Ok(outcome) if refused(outcome)) {
            series.accepted.push(format!("{how}: {outcome:?}"));
        }
        if party.state(1)? != before {
            series.marked.push(how);
        }
    }
    series.enter(ledger);
    let read = party.clients[1].ingest_app(&party.group, &genuine)?.applied();
    let read = read.map(|received| received.payload);
    ledger.expect_eq(Check::DamageHarmless, &read.as_deref(), &Some(&b"genuine"[..]));
    party.say(0, b"and on", ledger)?;
    party.say(1, b"and on", ledger)?;
    Ok(())
}

/// Whether an outcome changes nothing.
fn refused<T>(outcome: &Ingested<T>) -> bool {
    !matches!(outcome, Ingested::Applied(_) | Ingested::Removed)
}

/// For `ingest_commit`, with the richest commit: one that adds.
fn commit(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = Party::found(&[*engine; 3])?;
    let mut other = Party::found(&[*engine; 2])?;
    let foreign = other.commit(0, &Change::Update)?;
    let mut newcomer = engine.new_client("newcomer")?;
    let key_package = newcomer.publish_key_package()?;
    let change = Change::Add(std::slice::from_ref(&key_package));
    let staged = party.clients[0].stage_commit(&party.group, &change)?;
    let genuine = staged.commit().clone();
    let before = party.state(1)?;
    let mut series = Series::new();
    for (how, bytes) in damage(genuine.as_slice(), &[foreign.commit.as_slice()]) {
        series.tried += 1;
        let outcome = party.clients[1].ingest_commit(&party.group, &CommitBytes::new(bytes));
        if !matches!(&outcome, Ok(outcome) if refused(outcome)) {
            series.accepted.push(format!("{how}: {outcome:?}"));
        }
        if party.state(1)? != before {
            series.marked.push(how);
        }
    }
    series.enter(ledger);
    party.clients[0].merge_staged(staged.published())?;
    for index in [1, 2] {
        let outcome = party.clients[index].ingest_commit(&party.group, &genuine)?;
        ledger.expect_eq(Check::DamageHarmless, &outcome.name(), &"applied");
    }
    let (follower, committer) = (party.state(1)?, party.state(0)?);
    let (follower, committer) = (follower.authenticated(), committer.authenticated());
    ledger.expect_eq(Check::DamageHarmless, &follower, &committer);
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
    let before = home.state(1)?;
    let mut series = Series::new();
    for (how, bytes) in damage(genuine.as_slice(), &[foreign.as_slice()]) {
        series.tried += 1;
        match home.clients[1].join_welcome(&WelcomeBytes::new(bytes)) {
            Err(EngineError::Peer(_)) => {}
            other => series.accepted.push(format!("{how}: {other:?}")),
        }
        if home.state(1)? != before {
            series.marked.push(how);
        }
    }
    series.enter(ledger);
    let joined = home.clients[1].join_welcome(genuine);
    let same = match &joined {
        Ok(group) => {
            State::of(&*home.clients[1], group)?.authenticated()
                == State::of(&*host, group)?.authenticated()
        }
        Err(_) => false,
    };
    ledger.expect(Check::DamageHarmless, same, || format!("the genuine Welcome: {joined:?}"));
    home.say(1, b"and on", ledger)?;
    Ok(())
}

/// For `create_group` and `stage_commit`.
fn key_package(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = Party::found(&[*engine; 2])?;
    let mut newcomer = engine.new_client("newcomer")?;
    let genuine = newcomer.publish_key_package()?;
    let foreign = party.clients[0].send(&party.group, b"not a key package")?;
    let before = party.state(0)?;
    let mut series = Series::new();
    for (how, bytes) in damage(genuine.as_slice(), &[foreign.as_slice()]) {
        series.tried += 1;
        let damaged = KeyPackageBytes::new(bytes);
        match party.clients[0].create_group(std::slice::from_ref(&damaged)) {
            Err(EngineError::Peer(_)) => {}
            other => series.accepted.push(format!("{how}: founding: {other:?}")),
        }
        let change = Change::Add(std::slice::from_ref(&damaged));
        match party.clients[0].stage_commit(&party.group, &change) {
            Err(EngineError::Peer(_)) => {}
            Err(other) => series.accepted.push(format!("{how}: adding: {other:?}")),
            Ok(staged) => {
                series.accepted.push(format!("{how}: staged an add"));
                party.clients[0].discard_staged(staged)?;
            }
        }
        if party.state(0)? != before {
            series.marked.push(how);
        }
    }
    series.enter(ledger);
    let publication = party.commit(0, &Change::Add(std::slice::from_ref(&genuine)))?;
    let welcome = publication.welcomes.for_invitee(0);
    newcomer.join_welcome(welcome.ok_or_else(|| EngineError::internal("no Welcome"))?)?;
    party.clients.push(newcomer);
    party.compare(ledger)?;
    Ok(())
}
