//! The matrix: a row a cell, in it every stack.

use bench_results::format::Demerit;
use bench_results::tables::{self, Table};
use bench_results::units;
use tls_api::check::Failure;
use tls_api::{Cell, Certificate, Chains, Group};

use super::counted::Counts;
use super::work::{CLIENT_HELLO, PACKET, Timed, timed};
use super::{Stacks, price, ready};
use crate::side_by_side::{Absent, Plan, Row, measured_or_why, wrong};

/// Fewer handshakes in a turn would leave ML-DSA's signing time to chance.
pub(super) const AT_LEAST: u32 = 8;

/// Cells of the short table: classical, hybrid key exchange, and all of it post-quantum.
const HEADLINES: [Cell; 3] = [
    Cell { group: Group::X25519, certificate: Certificate::Ed25519 },
    Cell { group: Group::X25519MlKem768, certificate: Certificate::Ed25519 },
    Cell { group: Group::X25519MlKem768, certificate: Certificate::MlDsa65 },
];

/// The matrix' table, of these cells. What was wrong is a demerit, and absent from its row.
pub(super) fn table(
    stacks: &Stacks,
    cells: &[Cell],
    chains: &Chains,
    plan: &Plan,
    counts: &Counts,
) -> (Table, Vec<Demerit>) {
    let mut seen = stacks.broken.clone();
    let rows = cells.iter().map(|cell| row(stacks, *cell, chains, plan, counts, &mut seen));
    let rows: Vec<_> = rows.collect();
    let sentences = hellos(&rows, cells).into_iter().collect();
    let table = Table {
        name: "tls".into(),
        title: "TLS 1.3: full handshakes, both peers".into(),
        about: about(stacks, counts),
        rows,
        sentences,
    };
    (table, seen)
}

/// How long each group's `ClientHello` is, on the stack that has most rows, and whether it fits.
fn hellos(rows: &[tables::Row], cells: &[Cell]) -> Option<String> {
    let entries = || rows.iter().flat_map(|row| &row.entries);
    let has = |name: &str| entries().filter(|entry| entry.name == name).count();
    // Of equals, the first.
    let stack = &entries().rev().max_by_key(|entry| has(&entry.name))?.name;
    let length = |group: &Group| {
        let mut rows = rows.iter().zip(cells).filter(|(_, cell)| cell.group == *group);
        let entry = rows.find_map(|(row, _)| row.entries.iter().find(|one| one.name == *stack))?;
        let figure = entry.figures.iter().find(|figure| figure.name == CLIENT_HELLO)?;
        let bytes = figure.value as usize;
        let fits = if bytes <= PACKET { "" } else { ", more than one packet" };
        Some(format!("{} {} bytes{fits}", group.name(), units::count(bytes as u64)))
    };
    let lengths: Vec<_> = Group::ALL.iter().filter_map(length).collect();
    Some(format!(
        "The ClientHello of {stack}, with this group and one signature scheme, against packets of {} \
         bytes: {}.",
        units::count(PACKET as u64),
        lengths.join("; ")
    ))
}

fn about(stacks: &Stacks, counts: &Counts) -> Vec<String> {
    let mut about = vec![
        "A row is a key-exchange group and the algorithm of the certificates. A time is that of one \
         full handshake in memory, connections made, both peers one after the other: the server \
         sends one certificate and signs, the client verifies the chain, the name and the signature. \
         Nothing is resumed, no ticket is sent. Each peer offers one group, one signature scheme and \
         TLS_AES_128_GCM_SHA256, so a browser's ClientHello is longer."
            .into(),
        "Before a stack's cell is timed, group, cipher suite and scheme were read from the bytes of \
         its hellos, and its client refused a chain of another issuer and another name. Each timed \
         handshake had the same lengths; only the length of an ECDSA signature differs."
            .into(),
        price::NOT_IN_IT.into(),
    ];
    for stack in &stacks.present {
        let stack = stack.describe();
        let counted = stack.uncounted.map(|why| format!("; allocations not counted: {why}"));
        let (name, tls, crypto) = (stack.name, stack.tls, stack.crypto);
        let on = if tls == crypto { String::new() } else { format!(" on {crypto}") };
        about.push(format!("{name}: {tls}{on}{}.", counted.unwrap_or_default()));
    }
    about.extend(stacks.missing.iter().map(|(name, why)| format!("Not here: {name}, {why}.")));
    about.extend(counts.missing().map(|why| format!("Allocations are not counted: {why}.")));
    about
}

fn row(
    stacks: &Stacks,
    cell: Cell,
    chains: &Chains,
    plan: &Plan,
    counts: &Counts,
    seen: &mut Vec<Demerit>,
) -> tables::Row {
    let (mut all, mut absent) = (Vec::new(), Vec::new());
    for stack in &stacks.present {
        let name = stack.describe().name;
        match ready(stack.as_ref(), cell, chains) {
            Ok(ready) => all.push(timed(name, ready)),
            Err(failure) => {
                if let Failure::Wrong(why) = &failure {
                    seen.push(wrong(&cell.to_string(), &name, why));
                }
                absent.push(Absent { name, reason: failure.to_string() });
            }
        }
    }
    let (name, headline) = (cell.to_string(), HEADLINES.contains(&cell));
    let counted = |stack: &str| counts.of(stack, cell);
    finished(name, headline, all, absent, plan, &counted, seen)
}

/// Times a row of entries that passed their checks, and adds what is known beside the times.
pub(super) fn finished(
    name: String,
    headline: bool,
    all: Vec<Timed>,
    absent: Vec<Absent>,
    plan: &Plan,
    counted: &dyn Fn(&str) -> Vec<tables::Figure>,
    seen: &mut Vec<Demerit>,
) -> tables::Row {
    let (mut entries, mut beside) = (Vec::new(), Vec::new());
    for Timed { entry, prepared, done } in all {
        beside.push((entry.name.clone(), prepared, done));
        entries.push(entry);
    }
    let mut row =
        Row { name, bytes: None, at_least: AT_LEAST, headline, equal: false, entries, absent };
    let (mut measured, failed) = measured_or_why(&mut row, plan);
    seen.extend(failed);
    for entry in &mut measured.entries {
        let Some((_, prepared, done)) = beside.iter().find(|(name, ..)| *name == entry.name) else {
            continue;
        };
        entry.figures.extend(done.borrow().figures());
        entry.figures.extend(counted(&entry.name));
        match price::parts(prepared.borrow_mut().as_mut()) {
            Ok(parts) => {
                let (whole, ..) = tables::statistics::interval(&entry.rounds_ns);
                let rest = price::rest(whole, &parts);
                entry.parts.extend(parts.into_iter().chain(rest));
            }
            Err(why) => seen.push(wrong(&row.name, &entry.name, &why.to_string())),
        }
    }
    measured
}
