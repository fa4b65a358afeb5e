//! The roles under pressure: every processor in one role, and one producer against many consumers.

use bench_results::format::Demerit;
use bench_results::tables::Table;

use super::crowd::Crowd;
use super::{Pair, Role};
use crate::side_by_side::{Entry, Plan, Row, measured_or_why};

/// Who stands where in a crowd, and who of them is timed.
struct Scene {
    words: String,
    roles: Vec<Role>,
    timed: Role,
}

/// Times each pair in each scene.
pub(super) fn table(pairs: &[Pair], plan: &Plan) -> Result<(Table, Vec<Demerit>), String> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut rows = Vec::new();
    let mut seen = Vec::new();
    for pair in pairs {
        eprintln!("{}, pressed", pair.name);
        let mut row = row(pair, processors, &mut seen);
        let (measured, failed) = measured_or_why(&mut row, plan);
        seen.extend(failed);
        rows.push(measured);
    }
    let table = Table {
        name: "stress".into(),
        title: "Sender and receiver, all processors busy".into(),
        about: vec![
            format!(
                "Not to be read beside tables of the usual kind: {processors} processors are pressed on \
                 purpose. A time is the mean of an operation over the threads that play the role, \
                 waiting for a processor included."
            ),
            "`everybody` has as many threads as processors, all in one role. `one against many` has one \
             sender and as many receivers as processors, so that they share."
                .into(),
            "What a thread prepares between operations isn't timed, but loads the machine as well.".into(),
        ],
        rows,
        sentences: Vec::new(),
    };
    Ok((table, seen))
}

fn row(pair: &Pair, processors: usize, seen: &mut Vec<Demerit>) -> Row {
    let mut row = Row {
        name: pair.name.clone(),
        bytes: None,
        at_least: pair.at_least,
        headline: false,
        // Where processors are shared, equal work need not take the same time.
        equal: false,
        entries: Vec::new(),
        absent: Vec::new(),
    };
    for scene in scenes(pair, processors) {
        match Crowd::new(pair, &scene.roles, scene.timed) {
            Ok(crowd) => row.entries.push(Entry {
                name: scene.words,
                work: Box::new(crowd),
                figures: Vec::new(),
            }),
            Err(why) => row.absent.push(why.told(&pair.name, scene.words, seen)),
        }
    }
    row
}

fn scenes(pair: &Pair, processors: usize) -> Vec<Scene> {
    let roles = if pair.equal { &Role::ALL[..2] } else { &Role::ALL[..] };
    let everybody = roles.iter().map(|role| Scene {
        words: format!("everybody: {}", pair.role_name(*role)),
        roles: vec![*role; processors],
        timed: *role,
    });
    let mut one_against_many = vec![Role::Sender];
    one_against_many.extend(std::iter::repeat_n(Role::Receiver, processors));
    let against = [Role::Sender, Role::Receiver].map(|timed| Scene {
        words: format!("one against many: {}", pair.role_name(timed)),
        roles: one_against_many.clone(),
        timed,
    });
    everybody.chain(against).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn every_role_is_timed_with_the_others_around_it() {
        let make = Arc::new(|_| Ok(None));
        let pair = Pair {
            name: "p".into(),
            sender: "give",
            receiver: "take",
            equal: false,
            at_least: 1,
            make,
        };
        let scenes = scenes(&pair, 2);
        let words: Vec<_> = scenes.iter().map(|scene| scene.words.as_str()).collect();
        assert_eq!(
            words,
            [
                "everybody: give",
                "everybody: take",
                "everybody: take, refused",
                "one against many: give",
                "one against many: take",
            ]
        );
        assert_eq!(scenes[0].roles, [Role::Sender; 2]);
        assert_eq!(scenes[4].roles, [Role::Sender, Role::Receiver, Role::Receiver]);
    }
}
