//! Groups of one engine, through everything that a group goes through.

use engine_api::{Change, EngineError, Epoch, Layer, Operation, Registration, Work};

use super::party::Party;
use crate::checks::{Check, Ledger};

type Scenario = fn(&Registration, &mut Ledger) -> Result<(), EngineError>;

/// The scenarios by name.
pub(super) const SCENARIOS: &[(&str, Scenario)] = &[
    ("founding", founding),
    ("talking", talking),
    ("committing", committing),
    ("staging", staging),
    ("superseding", superseding),
    ("another's commit", anothers_commit),
    ("removing", removing),
    ("renaming", renaming),
    ("measuring", measuring),
    ("describing", describing),
];

fn three(engine: &Registration) -> Result<Party, EngineError> {
    Party::found(&[*engine; 3])
}

/// Three members agree; a second group of the same engine has another authenticator; a group
/// without invitees is at epoch 0 with one member.
fn founding(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let party = three(engine)?;
    party.compare(ledger)?;
    let other = three(engine)?;
    separate(ledger, &party, &other)?;
    ledger.expect(Check::Separation, party.group != other.group, || "equal group ids".into());

    let alone = Party::found(&[*engine])?;
    let epoch = alone.compare(ledger)?;
    ledger.expect_eq(Check::Epoch, &epoch, &Epoch(0));
    Ok(())
}

fn separate(ledger: &mut Ledger, one: &Party, other: &Party) -> Result<(), EngineError> {
    let (one, other) = (one.authenticator()?, other.authenticator()?);
    ledger.expect(Check::Separation, one != other, || "two groups with one authenticator".into());
    Ok(())
}

/// Everybody sends, everybody reads; an empty payload, a large one, the same one twice.
fn talking(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let payload = b"a payload that is long enough to be searched for in a message".as_slice();
    for by in [0, 1, 2, 1, 0] {
        party.say(by, payload, ledger)?;
    }
    party.say(0, b"", ledger)?;
    party.say(2, &[0xa5; 10_000], ledger)?;
    party.compare(ledger)?;

    if engine.describe().spans.send.contains(&Work::NoCryptography) {
        ledger.unsupported(Check::Ciphertext, "the engine has no cryptography");
        return Ok(());
    }
    let one = party.say(1, payload, ledger)?;
    let two = party.say(1, payload, ledger)?;
    let visible = one.as_slice().windows(payload.len()).any(|window| window == payload);
    ledger.expect(Check::Ciphertext, !visible, || "the payload stands in the message".into());
    ledger.expect(Check::Ciphertext, one != two, || "the same message twice".into());
    Ok(())
}

/// Each kind of change moves everybody to the next epoch, with another authenticator.
fn committing(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let mut epoch = party.compare(ledger)?;
    let mut authenticators = vec![party.authenticator()?];
    let before_the_joiner = party.clients[1].send(&party.group, b"not for those to come")?;
    for step in 0..6 {
        match step {
            0 => drop(party.commit(1, &Change::Update)?),
            1 => drop(party.commit(0, &Change::Update)?),
            2 => party.add(0, engine, "the fourth")?,
            3 => drop(party.commit(3, &Change::Update)?),
            4 => drop(party.remove(0, 1, ledger)?),
            _ => party.add(0, engine, "the fifth")?,
        }
        let now = party.compare(ledger)?;
        ledger.expect_eq(Check::Epoch, &now, &Epoch(epoch.0 + 1));
        epoch = now;
        let authenticator = party.authenticator()?;
        ledger.expect(Check::Separation, !authenticators.contains(&authenticator), || {
            format!("step {step}: an authenticator of an earlier epoch")
        });
        authenticators.push(authenticator);
        if step == 2 {
            let read = party.clients[3].ingest_app(&party.group, &before_the_joiner)?.applied();
            ledger.expect(Check::LateJoiner, read.is_none(), || "the joiner read it".into());
        }
        party.say(step % party.clients.len(), b"still here", ledger)?;
    }
    Ok(())
}

/// A staged commit is not in force until merged; a discarded one never is.
fn staging(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let before = party.state(0)?;
    let mut newcomer = engine.new_client("newcomer")?;
    let key_package = newcomer.publish_key_package()?;
    let add = Change::Add(std::slice::from_ref(&key_package));

    let staged = party.clients[0].stage_commit(&party.group, &add)?;
    ledger.expect_eq(Check::StagedOnly, &party.state(0)?, &before);
    let second = party.clients[0].stage_commit(&party.group, &Change::Update);
    ledger.expect(Check::StagedOnly, matches!(second, Err(EngineError::Caller(_))), || {
        format!("a second commit is staged: {second:?}")
    });
    party.say(0, b"sent while a commit is staged", ledger)?;
    party.say(1, b"read while a commit is staged", ledger)?;
    ledger.expect_eq(Check::StagedOnly, &party.state(0)?, &before);

    party.clients[0].discard_staged(staged)?;
    ledger.expect_eq(Check::Discard, &party.state(0)?, &before);
    let staged = party.clients[0].stage_commit(&party.group, &Change::Update)?;
    let refused = staged.published().refused();
    party.clients[0].discard_staged(refused)?;
    ledger.expect_eq(Check::Discard, &party.state(0)?, &before);

    let epoch = party.compare(ledger)?;
    party.commit(0, &Change::Update)?;
    let now = party.compare(ledger)?;
    ledger.expect_eq(Check::Discard, &now, &Epoch(epoch.0 + 1));
    party.say(0, b"after the discarded ones", ledger)?;
    Ok(())
}

/// Two members stage for the same epoch; the one whose commit lost follows the winner.
fn superseding(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let epoch = party.compare(ledger)?;
    let lost = party.clients[0].stage_commit(&party.group, &Change::Update)?;
    let also_lost = party.clients[2].stage_commit(&party.group, &Change::Update)?;
    party.commit(1, &Change::Update)?;
    let discarded = party.clients[2].discard_staged(also_lost);
    ledger.expect(Check::Superseded, matches!(discarded, Err(EngineError::Caller(_))), || {
        format!("{discarded:?} instead of a caller's error")
    });
    let merged = party.clients[0].merge_staged(lost.published());
    ledger.expect(Check::Superseded, matches!(merged, Err(EngineError::Caller(_))), || {
        format!("{merged:?} instead of a caller's error")
    });
    let now = party.compare(ledger)?;
    ledger.expect_eq(Check::Superseded, &now, &Epoch(epoch.0 + 1));
    party.commit(0, &Change::Update)?;
    party.compare(ledger)?;
    party.say(0, b"the loser goes on", ledger)?;
    Ok(())
}

/// A client that has staged a commit is handed another's, to merge and to discard.
fn anothers_commit(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    let before = party.state(1)?;
    let theirs = party.clients[0].stage_commit(&party.group, &Change::Update)?;
    let own = party.clients[1].stage_commit(&party.group, &Change::Update)?;
    let merged = party.clients[1].merge_staged(theirs.published());
    ledger.expect(Check::AnothersCommit, matches!(merged, Err(EngineError::Caller(_))), || {
        format!("merging it: {merged:?}")
    });
    let theirs = party.clients[2].stage_commit(&party.group, &Change::Update)?;
    let discarded = party.clients[1].discard_staged(theirs);
    ledger.expect(Check::AnothersCommit, matches!(discarded, Err(EngineError::Caller(_))), || {
        format!("discarding it: {discarded:?}")
    });
    ledger.expect_eq(Check::AnothersCommit, &party.state(1)?, &before);

    let publication = own.publication();
    party.clients[1].merge_staged(own.published())?;
    for index in [0, 2] {
        let outcome = party.clients[index].ingest_commit(&party.group, &publication.commit)?;
        ledger.expect_eq(Check::AnothersCommit, outcome.name(), "applied");
    }
    party.compare(ledger)?;
    Ok(())
}

/// A removed member is told, and is out; the others go on.
fn removing(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = Party::found(&[*engine; 4])?;
    let mut out = party.remove(0, 2, ledger)?;
    party.compare(ledger)?;
    let message = party.say(1, b"not for the removed one", ledger)?;
    let read = out.ingest_app(&party.group, &message);
    let applied = matches!(&read, Ok(outcome) if outcome.clone().applied().is_some());
    ledger.expect(Check::RemovedIsOut, !applied, || format!("it read {read:?}"));
    let sent = out.send(&party.group, b"from outside");
    let refused = matches!(sent, Err(EngineError::Caller(_)));
    ledger.expect(Check::RemovedIsOut, refused, || format!("sending: {sent:?}"));
    let staged = out.stage_commit(&party.group, &Change::Update);
    let refused = matches!(staged, Err(EngineError::Caller(_)));
    ledger.expect(Check::RemovedIsOut, refused, || format!("staging: {staged:?}"));
    party.commit(2, &Change::Update)?;
    party.compare(ledger)?;
    Ok(())
}

/// A new name travels in a commit like any other change.
fn renaming(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let mut party = three(engine)?;
    if let Some(why) = engine.describe().capabilities.rename.why_not() {
        ledger.unsupported(Check::Name, why);
        let refused = party.clients[0].stage_commit(&party.group, &Change::Rename("other"));
        ledger.expect(
            Check::Capabilities,
            matches!(refused, Err(EngineError::Unsupported(_))),
            || format!("rename is declared unsupported, but gives {refused:?}"),
        );
        return Ok(());
    }
    let epoch = party.compare(ledger)?;
    let name = "another name";
    let staged = party.clients[0].stage_commit(&party.group, &Change::Rename(name))?;
    let early = party.clients[0].group_name(&party.group)?;
    ledger.expect(Check::StagedOnly, early != name, || "the name of a staged commit".into());
    party.clients[0].discard_staged(staged)?;
    party.commit(0, &Change::Rename(name))?;
    let now = party.compare(ledger)?;
    ledger.expect_eq(Check::Epoch, &now, &Epoch(epoch.0 + 1));
    for client in &party.clients {
        ledger.expect_eq(Check::Name, client.group_name(&party.group)?.as_str(), name);
    }
    Ok(())
}

/// The tree is larger than what it lists, grows with the group, and fits into its Welcome.
fn measuring(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let small = Party::found(&[*engine; 2])?;
    let large = Party::found(&[*engine; 5])?;
    let of = |party: &Party| party.clients[1].encoded_sizes(&party.group);
    let (small, large) = (of(&small)?, of(&large)?);
    let grows = |small: Option<usize>, large: Option<usize>| match (small, large) {
        (Some(small), Some(large)) => 16 < small && small < large && large < 1 << 20,
        (None, None) => true,
        _ => false,
    };
    let plausible = grows(small.ratchet_tree, large.ratchet_tree);
    ledger.expect(Check::Sizes, plausible, || format!("trees: {small:?}, {large:?}"));
    let plausible = grows(small.stored_state, large.stored_state);
    ledger.expect(Check::Sizes, plausible, || format!("states: {small:?}, {large:?}"));
    Ok(())
}

/// The description says what a table must print.
fn describing(engine: &Registration, ledger: &mut Ledger) -> Result<(), EngineError> {
    let about = engine.describe();
    let mut expect = |holds: bool, otherwise: &str| {
        ledger.expect(Check::Description, holds, || otherwise.into());
    };
    let well_formed = |name: &str| !name.is_empty() && name.trim() == name;
    expect(well_formed(about.name), "no name, or one with blanks around it");
    expect(!about.packages.is_empty(), "no package is named");
    let versions = about.packages.iter().all(|package| {
        package.version.split('.').count() >= 3 && package.version.starts_with(char::is_numeric)
    });
    expect(versions, "a package without an exact version");
    let all = &about.capabilities;
    let reasons = [all.fork, all.snapshot, all.rename, all.any_member_commits];
    let reasons = reasons.iter().all(|support| support.why_not() != Some(""));
    expect(reasons, "a capability is missing without a reason");
    let plain = about.spans.send.contains(&Work::NoCryptography);
    expect(plain || !about.cipher_suites.is_empty(), "no cipher suite is named");
    expect(!about.crypto.is_empty() && !about.storage.is_empty(), "crypto or storage is empty");
    let stores = |operation| about.spans.of(operation).contains(&Work::StorageWrite);
    let stored = Operation::ALL.iter().filter(|operation| stores(**operation)).count();
    let told = match about.layer {
        Layer::Core => stored == 0,
        Layer::Memory | Layer::Sqlite => stored == Operation::ALL.len(),
    };
    expect(told, "the layer says one thing of storage writes and the spans another");
    Ok(())
}
