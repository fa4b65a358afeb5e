//! Engines of one wire profile in one group: every ordered pair, at several sizes.
//!
//! In a pair (X, Y) X founds and Y joins; after that each of the two commits, sends and receives
//! in turn. Members alternate X, Y, X, Y. After each step every member's epoch, member list, own
//! leaf and authenticator are compared.

use engine_api::{Change, CipherSuite, EngineError, Epoch, Registration, WireProfile};

use super::party::Party;
use crate::checks::{Check, Ledger};
use crate::engines;

/// The group sizes.
pub const SIZES: &[usize] = &[2, 9, 33];

/// Every ordered pair of different engines that speak the same bytes: one wire profile, and one
/// cipher suite in first place. An engine of another layer speaks as the one that it is made of, so
/// it is paired with one peer only.
#[must_use]
pub fn pairs(engines: &[Registration]) -> Vec<(Registration, Registration)> {
    let (layered, plain): (Vec<_>, Vec<_>) = engines.iter().copied().partition(engines::is_layered);
    let mut pairs = Vec::new();
    for one in &plain {
        for other in &plain {
            if one.name() != other.name() && language(one) == language(other) {
                pairs.push((*one, *other));
            }
        }
    }
    for one in &layered {
        if let Some(peer) = peer(one, &plain) {
            pairs.extend([(*one, peer), (peer, *one)]);
        }
    }
    pairs
}

/// The first that speaks the same and isn't the same engine at its own layer; that one, if there is
/// no other.
fn peer(layered: &Registration, plain: &[Registration]) -> Option<Registration> {
    let speaking = || plain.iter().filter(|other| language(other) == language(layered));
    let mut others = speaking().filter(|other| !layered.name().starts_with(other.name()));
    others.next().or_else(|| speaking().next()).copied()
}

/// The engines that no other here can talk to, and what they speak.
#[must_use]
pub fn alone(engines: &[Registration]) -> Vec<(&'static str, String)> {
    let understood = |one: &&Registration| {
        let mut others = engines.iter().filter(|other| other.name() != one.name());
        others.any(|other| language(other) == language(one))
    };
    let speaks = |engine: &Registration| {
        let (profile, suite) = language(engine);
        let suite = suite.map_or(String::new(), |suite| format!(" with suite {suite}"));
        (engine.name(), format!("{}{suite}", profile.name()))
    };
    engines.iter().filter(|one| !understood(one)).map(speaks).collect()
}

fn language(engine: &Registration) -> (WireProfile, Option<CipherSuite>) {
    let about = engine.describe();
    (about.wire_profile, about.cipher_suites.first().copied())
}

/// One pair at one size, from the founding to the last removal.
pub(super) fn pair(
    founder: &Registration,
    joiner: &Registration,
    size: usize,
    ledger: &mut Ledger,
) -> Result<(), EngineError> {
    let lineup: Vec<_> = (0..size).map(|i| if i % 2 == 0 { *founder } else { *joiner }).collect();
    let mut party = Party::found(&lineup)?;
    let mut epoch = party.compare(ledger)?;
    party.say(0, b"from the founding engine", ledger)?;
    party.say(1, b"from the joining engine", ledger)?;

    // The last members are the ones added and removed, so that 0 and 1 stay the two committers. Where
    // only the founder may add and remove, it does what 1 does elsewhere.
    let is_free =
        |engine: &Registration| engine.describe().capabilities.any_member_commits.is_yes();
    let other = usize::from(is_free(founder) && is_free(joiner));
    let last = party.clients.len() - 1;
    for step in 0..8 {
        match step {
            0 => drop(party.commit(1, &Change::Update)?),
            1 => drop(party.commit(0, &Change::Update)?),
            2 => party.add(0, joiner, "joined through the founder")?,
            3 => party.add(other, founder, "joined at last")?,
            4 => drop(party.commit(last + 1, &Change::Update)?),
            5 => drop(party.commit(last + 2, &Change::Update)?),
            6 => drop(party.remove(0, last + 1, ledger)?),
            _ => drop(party.remove(other, last + 1, ledger)?),
        }
        let now = party.compare(ledger)?;
        ledger.expect_eq(Check::Epoch, &now, &Epoch(epoch.0 + 1));
        epoch = now;
    }
    party.say(0, b"the founding engine, at the end", ledger)?;
    party.say(1, b"the joining engine, at the end", ledger)?;
    Ok(())
}
