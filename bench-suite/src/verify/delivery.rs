//! What a network does to messages: repeat, reorder, delay, echo, misdirect.

use engine_api::{
    AppBytes, CgkaEngine, Change, CommitBytes, EngineError, GroupId, Ingested, Registration,
};

use super::party::{Party, State};
use crate::checks::{Check, Ledger};

type Scenario = fn(&Registration, &mut Ledger) -> Result<(), EngineError>;

/// The scenarios by name.
pub(super) const SCENARIOS: &[(&str, Scenario)] = &[
    ("repeated", repeated),
    ("welcomed twice", welcomed_twice),
    ("echoed", echoed),
    ("reordered", reordered),
    ("late", late),
    ("early", early),
    ("misdirected", misdirected),
    ("wrong kind", wrong_kind),
];

fn three(engine: &Registration) -> Result<Party, EngineError> {
    Party::found(&[*engine; 3])
}

/// Enters that `outcome` is one of `allowed` and that the client's state is what it was.
fn harmless<T: std::fmt::Debug>(
    ledger: &mut Ledger,
    check: Check,
    outcome: &Ingested<T>,
    allowed: &[&str],
    (before, after): (&State, &State),
) {
    ledger.expect(check, allowed.contains(&outcome.name()), || {
        format!("{outcome:?} instead of {}", allowed.join(" or "))
    });
    ledger.expect_eq(check, after, before);
}

/// A message and a commit come twice.
fn repeated(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let message = party.say(0, b"once", ledger)?;
    let before = party.state(1)?;
    let again = party.clients[1].ingest_app(&party.group, &message)?;
    let after = party.state(1)?;
    harmless(ledger, Check::Replay, &again, &["duplicate", "stale"], (&before, &after));
    party.say(0, b"and on", ledger)?;

    let publication = party.commit(0, &Change::Update)?;
    let before = party.state(1)?;
    let again = party.clients[1].ingest_commit(&party.group, &publication.commit)?;
    let after = party.state(1)?;
    harmless(ledger, Check::CommitReplay, &again, &["duplicate", "stale"], (&before, &after));
    party.compare(ledger)?;
    party.say(1, b"and on", ledger)?;
    Ok(())
}

/// A Welcome comes twice, the second time when the group has moved on.
fn welcomed_twice(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut founder = engine.new_client("founder")?;
    let mut joiner = engine.new_client("joiner")?;
    let founded = founder.create_group(&[joiner.publish_key_package()?])?;
    let Some(welcome) = founded.welcomes.for_invitee(0) else {
        return Err(EngineError::internal("no Welcome"));
    };
    let group = joiner.join_welcome(welcome)?;
    let mut party = Party { group, clients: vec![founder, joiner] };
    party.commit(0, &Change::Update)?;
    let before = party.state(1)?;
    let again = party.clients[1].join_welcome(welcome);
    let refused = matches!(again, Err(EngineError::Peer(_)));
    ledger.expect(Check::WelcomeReplay, refused, || format!("{again:?} for a second time"));
    ledger.expect_eq(Check::WelcomeReplay, &party.state(1)?, &before);
    party.say(0, b"and on", ledger)?;
    party.commit(1, &Change::Update)?;
    party.compare(ledger)?;
    Ok(())
}

/// The network hands a client its own message, its own pending commit and its own merged commit.
fn echoed(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    const ALLOWED: &[&str] = &["duplicate", "stale"];
    let mut party = three(engine)?;
    let message = party.say(1, b"hello, me", ledger)?;
    let before = party.state(1)?;
    let echo = party.clients[1].ingest_app(&party.group, &message)?;
    harmless(ledger, Check::OwnEcho, &echo, ALLOWED, (&before, &party.state(1)?));

    let staged = party.clients[1].stage_commit(&party.group, &Change::Update)?;
    let publication = staged.publication();
    let echo = party.clients[1].ingest_commit(&party.group, &publication.commit)?;
    harmless(ledger, Check::OwnEcho, &echo, ALLOWED, (&before, &party.state(1)?));
    party.clients[1].merge_staged(staged.published())?;
    for index in [0, 2] {
        let outcome = party.clients[index].ingest_commit(&party.group, &publication.commit)?;
        ledger.expect_eq(Check::OwnEcho, &outcome.name(), &"applied");
    }
    let before = party.state(1)?;
    let echo = party.clients[1].ingest_commit(&party.group, &publication.commit)?;
    harmless(ledger, Check::OwnEcho, &echo, ALLOWED, (&before, &party.state(1)?));
    party.compare(ledger)?;
    party.say(1, b"and on", ledger)?;
    Ok(())
}

/// Five messages of one epoch arrive in another order.
fn reordered(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let mut sent = Vec::new();
    for number in 0..5_u8 {
        let payload = [b'0' + number; 20];
        sent.push((party.clients[0].send(&party.group, &payload)?, payload));
    }
    for index in [4, 0, 3, 1, 2] {
        let (message, payload) = &sent[index];
        let read = party.clients[1].ingest_app(&party.group, message)?.applied();
        let read = read.map(|received| received.payload);
        ledger.expect_eq(Check::Reordered, &read.as_deref(), &Some(payload.as_slice()));
    }
    Ok(())
}

/// A message is delivered after the commit that ended its epoch.
fn late(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let message = party.clients[0].send(&party.group, b"late")?;
    party.commit(1, &Change::Update)?;
    let before = party.state(2)?;
    let outcome = party.clients[2].ingest_app(&party.group, &message)?;
    let allowed = &["applied", "stale"];
    harmless(ledger, Check::LateMessage, &outcome, allowed, (&before, &party.state(2)?));
    if let Ingested::Applied(received) = outcome {
        ledger.expect_eq(Check::LateMessage, &received.payload[..], &b"late"[..]);
    }
    party.say(0, b"and on", ledger)?;
    Ok(())
}

/// A message and a commit arrive before the commit that opens their epoch, and again after it.
fn early(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let mut behind = party.clients.remove(2);
    let group = party.group.clone();
    let first = party.commit(0, &Change::Update)?;
    let message = party.clients[0].send(&group, b"early")?;
    let second = party.commit(1, &Change::Update)?;

    let before = State::of(&*behind, &group)?;
    let outcome = behind.ingest_app(&group, &message)?;
    let after = State::of(&*behind, &group)?;
    harmless(ledger, Check::EarlyMessage, &outcome, &["retry-later"], (&before, &after));
    let outcome = behind.ingest_commit(&group, &second.commit)?;
    let after = State::of(&*behind, &group)?;
    harmless(ledger, Check::EarlyMessage, &outcome, &["retry-later"], (&before, &after));

    let applied = behind.ingest_commit(&group, &first.commit)?;
    ledger.expect_eq(Check::EarlyMessage, &applied.name(), &"applied");
    let read = behind.ingest_app(&group, &message)?.applied().map(|received| received.payload);
    ledger.expect_eq(Check::EarlyMessage, &read.as_deref(), &Some(&b"early"[..]));
    let applied = behind.ingest_commit(&group, &second.commit)?;
    ledger.expect_eq(Check::EarlyMessage, &applied.name(), &"applied");
    party.clients.push(behind);
    let agreement = party.compare(ledger);
    agreement.map(drop)
}

/// A message of another group, and calls about a group that the client isn't in.
fn misdirected(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let mut other = three(engine)?;
    let foreign = other.clients[0].send(&other.group, b"for others")?;
    let foreign_commit = other.commit(0, &Change::Update)?;
    let before = party.state(1)?;
    let outcome = party.clients[1].ingest_app(&party.group, &foreign)?;
    harmless(ledger, Check::OtherGroup, &outcome, &["rejected"], (&before, &party.state(1)?));
    let outcome = party.clients[1].ingest_commit(&party.group, &foreign_commit.commit)?;
    harmless(ledger, Check::OtherGroup, &outcome, &["rejected"], (&before, &party.state(1)?));
    unknown_group(ledger, &mut *party.clients[1], &other.group, &foreign);
    ledger.expect_eq(Check::UnknownGroup, &party.state(1)?, &before);
    party.say(0, b"and on", ledger)?;
    Ok(())
}

/// Every call that takes a group's id.
fn unknown_group(
    ledger: &mut Ledger,
    client: &mut dyn CgkaEngine,
    group: &GroupId,
    message: &AppBytes,
) {
    let commit = CommitBytes::new(message.as_slice().to_vec());
    let errors = [
        ("epoch", client.epoch(group).err()),
        ("members", client.members(group).err()),
        ("own_leaf", client.own_leaf(group).err()),
        ("epoch_authenticator", client.epoch_authenticator(group).err()),
        ("encoded_sizes", client.encoded_sizes(group).err()),
        ("send", client.send(group, b"").err()),
        ("ingest_app", client.ingest_app(group, message).err()),
        ("ingest_commit", client.ingest_commit(group, &commit).err()),
        ("stage_commit", client.stage_commit(group, &Change::Update).err()),
    ];
    for (call, error) in errors {
        ledger.expect(Check::UnknownGroup, matches!(error, Some(EngineError::Caller(_))), || {
            format!("{call} gives {error:?}")
        });
    }
}

/// A message is given as a commit and a commit as a message; then each as what it is.
fn wrong_kind(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let message = party.clients[0].send(&party.group, b"a message")?;
    let staged = party.clients[0].stage_commit(&party.group, &Change::Update)?;
    let commit = staged.commit().clone();
    party.clients[0].merge_staged(staged.published())?;

    let before = party.state(1)?;
    let as_commit = CommitBytes::new(message.as_slice().to_vec());
    let outcome = party.clients[1].ingest_commit(&party.group, &as_commit)?;
    harmless(ledger, Check::WrongKind, &outcome, &["rejected"], (&before, &party.state(1)?));
    let as_message = AppBytes::new(commit.as_slice().to_vec());
    let outcome = party.clients[1].ingest_app(&party.group, &as_message);
    ledger.expect(Check::WrongKind, matches!(outcome, Ok(Ingested::Rejected(_))), || {
        format!("a commit given as a message: {outcome:?}")
    });
    let now = party.state(1)?;
    ledger.expect(Check::WrongKind, now == before, || {
        format!("a commit given as a message left {now:?}")
    });

    let read = party.clients[1].ingest_app(&party.group, &message)?.applied();
    let read = read.map(|received| received.payload);
    ledger.expect_eq(Check::WrongKind, &read.as_deref(), &Some(&b"a message"[..]));
    for index in [1, 2] {
        let outcome = party.clients[index].ingest_commit(&party.group, &commit)?;
        ledger.expect(Check::WrongKind, outcome.name() == "applied", || {
            format!("the commit, given as what it is: {outcome:?}")
        });
    }
    party.compare(ledger)?;
    Ok(())
}
