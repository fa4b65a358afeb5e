//! The roles alone, one after the other on one thread: what each costs by itself.

use bench_results::format::Demerit;
use bench_results::grade::demerit;
use bench_results::tables::{self, Figure, Table};
use bench_results::units;

use super::{Pair, Role};
use crate::side_by_side::{Entry, Plan, Row, measured_or_why};

/// Times each pair's roles. What couldn't be played is missing with its reason.
pub(super) fn table(pairs: &[Pair], plan: &Plan) -> Result<(Table, Vec<Demerit>), String> {
    let mut rows = Vec::new();
    let mut seen = Vec::new();
    for pair in pairs {
        eprintln!("{}", pair.name);
        let (mut row, bytes) = row(pair, &mut seen);
        let (mut measured, failed) = measured_or_why(&mut row, plan);
        seen.extend(failed);
        per_byte(&mut measured, &pair.role_name(Role::Refusing), bytes);
        rows.push(measured);
    }
    if !rows.iter().any(|row| row.equal) {
        seen.push(demerit("control", "no pair that does equal work was among those timed"));
    }
    let mut table = Table {
        name: "asymmetry".into(),
        title: "Sender and receiver, each alone".into(),
        about: vec![
            "A row is one exchange. Its entries are what the sender does, what the receiver does, and \
             what the receiver does with the same object after one bit of it was flipped: of eight \
             places over the object, the one that is refused last."
                .into(),
            "In the controls both sides do the same work. If they differ by more than 1 % beyond their \
             interval, the run is void."
                .into(),
        ],
        rows,
        sentences: Vec::new(),
    };
    tables::statistics::fill(std::slice::from_mut(&mut table));
    table.sentences = pairs.iter().filter_map(|pair| sentence(pair, &table.rows)).collect();
    Ok((table, seen))
}

fn row(pair: &Pair, seen: &mut Vec<Demerit>) -> (Row, Option<usize>) {
    let mut row = Row {
        name: pair.name.clone(),
        bytes: None,
        at_least: pair.at_least,
        headline: false,
        equal: pair.equal,
        entries: Vec::new(),
        absent: Vec::new(),
    };
    let mut bytes = None;
    for role in Role::ALL {
        let name = pair.role_name(role);
        match (pair.make)(role) {
            Ok(Some(ready)) => {
                let wire = ready.wire_bytes.map(|bytes| byte_figure("object", bytes as f64));
                let figures = wire.into_iter().chain(ready.figures).collect();
                if role == Role::Refusing {
                    bytes = ready.wire_bytes;
                }
                row.entries.push(Entry { name, work: ready.work, figures });
            }
            Ok(None) => {}
            Err(why) => row.absent.push(why.told(&pair.name, name, seen)),
        }
    }
    (row, bytes)
}

fn byte_figure(name: &str, value: f64) -> Figure {
    Figure { name: name.into(), value, unit: "B".into() }
}

/// What an attacker's byte costs the receiver.
fn per_byte(row: &mut tables::Row, refusing: &str, bytes: Option<usize>) {
    let Some(bytes) = bytes.filter(|bytes| *bytes > 0) else { return };
    for entry in row.entries.iter_mut().filter(|entry| entry.name == refusing) {
        let median = tables::statistics::interval(&entry.rounds_ns).0;
        let value = (median / bytes as f64 * 100.0).round() / 100.0;
        entry.figures.push(Figure { name: "per byte sent".into(), value, unit: "ns".into() });
    }
}

/// Two who differ by less pay the same, for what anybody does with the number.
const ALIKE: f64 = 0.05;

/// Who pays how much, if the rounds tell.
fn sentence(pair: &Pair, rows: &[tables::Row]) -> Option<String> {
    let row = rows.iter().find(|row| row.name == pair.name && !row.equal)?;
    let of = |role| {
        let name = pair.role_name(role);
        row.entries.iter().find(|entry| entry.name == name)
    };
    let (sender, receiver) = (of(Role::Sender)?, of(Role::Receiver)?);
    let pays = tables::statistics::ratio(&receiver.rounds_ns, &sender.rounds_ns);
    let [median, low, high] = [pays.median, pays.low, pays.high].map(units::ratio);
    let name = &pair.name;
    let paid = match (pays.low > 1.0, pays.high < 1.0) {
        (true, _) => format!("a receiver pays {median} times [{low}, {high}] what the sender pays"),
        (_, true) => format!("a receiver pays {median} [{low}, {high}] of what the sender pays"),
        _ if pays.low > 1.0 - ALIKE && pays.high < 1.0 + ALIKE => {
            format!("a receiver pays what the sender pays ({median} [{low}, {high}])")
        }
        _ => format!("who pays more is undecided ({median} [{low}, {high}])"),
    };
    let mut text = format!("{name}: {paid}");
    if let Some(refused) = of(Role::Refusing) {
        let share = tables::statistics::ratio(&refused.rounds_ns, &receiver.rounds_ns);
        let per_byte = refused.figures.iter().find(|figure| figure.name == "per byte sent");
        let per_byte = per_byte.map_or(String::new(), |figure| {
            format!(", {} ns of its time per byte sent", units::ratio(figure.value))
        });
        let (median, share) = (units::time(refused.median_ns), units::ratio(share.median));
        text.push_str(&format!(
            "; refusing one with a flipped bit costs {median}, {share} of accepting it{per_byte}"
        ));
    }
    text.push('.');
    Some(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::Arc;
    use std::time::Duration;

    use super::super::{Ready, Unplayed};
    use super::*;
    use crate::side_by_side::{Times, WRONG, Work};

    /// Takes as long as it says, by its own clock.
    struct Says(f64);

    impl Work for Says {
        fn turn(&mut self, _: u32) -> Result<Times, String> {
            Ok(Times { whole_ns: self.0, parts_ns: Vec::new() })
        }
    }

    fn pair(name: &str, equal: bool, times: [f64; 3]) -> Pair {
        let make = move |role: Role| {
            let time = times[role as usize];
            let work = Box::new(Says(time));
            Ok((time > 0.0).then_some(Ready { work, wire_bytes: Some(10), figures: Vec::new() }))
        };
        let (sender, receiver) = ("give", "take");
        Pair { name: name.into(), sender, receiver, equal, at_least: 1, make: Arc::new(make) }
    }

    fn table_of(pairs: &[Pair]) -> (Table, Vec<Demerit>) {
        let plan = Plan { rounds: 9, turn: Duration::from_nanos(1) };
        table(pairs, &plan).unwrap()
    }

    #[test]
    fn the_sentence_says_who_pays() {
        let pairs = [
            pair("c", true, [100.0, 100.0, 0.0]),
            pair("p", false, [100.0, 250.0, 50.0]),
            pair("q", false, [100.0, 25.0, 0.0]),
            pair("r", false, [100.0, 100.0, 0.0]),
        ];
        let (table, seen) = table_of(&pairs);
        assert!(seen.is_empty(), "{seen:?}");
        assert_eq!(
            table.sentences,
            [
                "p: a receiver pays 2.50 times [2.50, 2.50] what the sender pays; refusing one with \
                 a flipped bit costs 50.0 ns, 0.200 of accepting it, 5.00 ns of its time per byte sent.",
                "q: a receiver pays 0.250 [0.250, 0.250] of what the sender pays.",
                "r: a receiver pays what the sender pays (1.00 [1.00, 1.00]).",
            ]
        );
    }

    #[test]
    fn a_run_without_a_control_says_so() {
        let (_, seen) = table_of(&[pair("p", false, [1.0, 1.0, 1.0])]);
        assert_eq!(seen[0].kind, "control");
    }

    #[test]
    fn a_pair_that_fails_is_a_demerit() {
        let make = |role| match role {
            Role::Sender => Err(Unplayed::Absent("it has none".into())),
            _ => Err(Unplayed::Wrong("it is broken".into())),
        };
        let broken = Pair { make: Arc::new(make), ..pair("b", false, [1.0; 3]) };
        let (table, seen) = table_of(&[broken, pair("c", true, [1.0, 1.0, 0.0])]);
        let reasons: Vec<_> = table.rows[0].absent.iter().map(|one| one.reason.as_str()).collect();
        assert_eq!(reasons, ["it has none", "it is broken", "it is broken"]);
        let seen: Vec<_> = seen.iter().map(|demerit| demerit.seen.as_str()).collect();
        assert_eq!(seen, ["b, take: it is broken", "b, take, refused: it is broken"]);
    }

    #[test]
    fn a_row_that_cannot_be_timed_says_why() {
        struct Fails;
        impl Work for Fails {
            fn turn(&mut self, _: u32) -> Result<Times, String> {
                Err("not any more".into())
            }
        }
        let make =
            |_| Ok(Some(Ready { work: Box::new(Fails), wire_bytes: None, figures: Vec::new() }));
        let failing = Pair { make: Arc::new(make), ..pair("f", false, [1.0; 3]) };
        let (table, seen) = table_of(&[failing, pair("c", true, [1.0, 1.0, 0.0])]);
        assert_eq!(table.rows[0].absent.len(), 3);
        assert!(table.rows[0].absent[0].reason.contains("not any more"));
        assert_eq!((seen[0].kind.as_str(), seen.len()), (WRONG, 1));
    }
}
