//! What is called a change, and what isn't.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

mod synthetic;

use bench_results::compare::{By, Changes, Refused, Said, choose, compare};
use bench_results::format::{Engine, Outcome, Row, Run};

use synthetic::{Recipe, file, finish, run, sign};

const OLD: Recipe = Recipe {
    seed: 1,
    machine: 1.0,
    slow: None,
    again: 1.0,
    kind: "linux-x86_64-vm-2",
    interrupted: false,
    quiet: false,
    small: true,
};

fn changes(recipe: Recipe) -> Changes {
    compare(&run(&OLD), &run(&recipe), 0.03, false).unwrap()
}

fn said_of(changes: &Changes, engine: &str) -> Vec<Said> {
    changes.times.iter().filter(|c| c.engine == engine).map(|c| c.said).collect()
}

#[test]
fn a_second_run_of_the_same_is_no_regression() {
    let changes = changes(Recipe { seed: 2, ..OLD });
    // The second entry is left out.
    assert_eq!(changes.times.len(), 4 * 8);
    assert!(!changes.is_regression(), "{changes}");
    assert_eq!(changes.outcomes, []);
    assert_eq!(changes.exact, []);
    assert!(changes.times.iter().all(|c| c.said != Said::Improved), "{changes}");
}

#[test]
fn an_engine_that_got_slower_is_a_regression_beyond_the_threshold_only() {
    let slower = Recipe { seed: 2, slow: Some(("burrow/aws-lc", 1.08)), ..OLD };
    let changes = changes(slower.clone());
    assert!(changes.is_regression());
    assert_eq!(said_of(&changes, "burrow/aws-lc"), [Said::Regressed; 4]);
    // And nobody else: the peers' median isn't moved by one of them.
    let others = changes.times.iter().filter(|c| c.engine != "burrow/aws-lc");
    assert!(others.clone().count() == 28 && others.clone().all(|c| c.said != Said::Regressed));
    let printed = changes.to_string();
    assert!(printed.contains("REGRESSED commit/update/warm/2"), "{printed}");
    let lenient = compare(&run(&OLD), &run(&slower), 0.2, false).unwrap();
    assert!(!lenient.is_regression());
    assert_eq!(said_of(&lenient, "burrow/aws-lc"), [Said::Moved; 4]);
}

/// One process in which everything of an engine took longer is what processes differ by, not a change
/// of the engine.
#[test]
fn a_single_slow_process_is_no_regression() {
    let recipe = Recipe { seed: 2, ..OLD };
    let mut new = run(&recipe);
    let last = new.plan.processes - 1;
    for row in new.rows.iter_mut().filter(|row| row.engine == "burrow/aws-lc") {
        for block in row.blocks.iter_mut().filter(|block| block.process == last) {
            for ns in &mut block.wall_ns {
                *ns = *ns * 5 / 4;
            }
        }
    }
    finish(&mut new, &recipe);
    let changes = compare(&run(&OLD), &new, 0.03, false).unwrap();
    assert!(!changes.is_regression(), "{changes}");
    let widened = changes.times.iter().filter(|c| c.engine == "burrow/aws-lc");
    for change in widened {
        let [_, low, high] = change.relative.unwrap();
        assert!(low < 1.0 && high > 1.1, "{low} {high}");
    }
}

#[test]
fn an_engine_that_got_faster_is_named_and_is_no_regression() {
    let changes = changes(Recipe { seed: 2, slow: Some(("mdk", 0.8)), ..OLD });
    assert!(!changes.is_regression());
    assert_eq!(said_of(&changes, "mdk"), [Said::Improved; 4]);
}

/// The whole machine is slower: each raw ratio says so, and the verdicts don't.
#[test]
fn a_slower_machine_is_no_slower_engine() {
    let changes = changes(Recipe { seed: 2, machine: 1.25, ..OLD });
    assert!(!changes.is_regression(), "{changes}");
    for change in changes.times.iter().filter(|c| c.engine != "null") {
        assert!(change.raw[1] > 1.2, "{change:?}");
        assert!(matches!(change.by, By::Peers(3..)));
    }
}

/// A faster machine doesn't hide a slower engine.
#[test]
fn a_faster_machine_hides_nothing() {
    let slow = Some(("burrow/aws-lc", 1.1));
    let changes = changes(Recipe { seed: 2, machine: 0.8, slow, ..OLD });
    assert_eq!(said_of(&changes, "burrow/aws-lc"), [Said::Regressed; 4]);
}

/// However many engines a family has, it is one voice: an optimised burrow makes nobody else slower.
#[test]
fn a_family_that_got_faster_makes_nobody_slower() {
    let three = |recipe: &Recipe| {
        let mut run = run(recipe);
        for name in ["burrow/lanes", "burrow/third"] {
            let like = run.engines.iter().find(|e| e.name == "burrow/aws-lc").unwrap().clone();
            run.engines.push(Engine { name: name.into(), ..like });
            let rows: Vec<_> = run.rows.iter().filter(|r| r.engine == "burrow/aws-lc").collect();
            let rows: Vec<_> =
                rows.into_iter().map(|row| Row { engine: name.into(), ..row.clone() }).collect();
            run.rows.extend(rows);
        }
        run.rows.retain(|row| row.engine != "burrow/rustcrypto");
        finish(&mut run, recipe);
        run
    };
    let faster = Recipe { seed: 2, slow: Some(("burrow/aws-lc", 0.7)), ..OLD };
    let changes = compare(&three(&OLD), &three(&faster), 0.03, false).unwrap();
    assert!(!changes.is_regression(), "{changes}");
    for name in ["burrow/aws-lc", "burrow/lanes", "burrow/third"] {
        assert_eq!(said_of(&changes, name), [Said::Improved; 4]);
    }
}

#[test]
fn runs_without_a_common_row_compare_nothing() {
    let other = changed(|new| new.rows.iter_mut().for_each(|row| row.size += 7000));
    assert!(other.is_nothing() && !other.is_regression(), "{other}");
    assert!(!changes(Recipe { seed: 2, ..OLD }).is_nothing());
}

/// An engine of another version is no yardstick; with fewer than three of them the raw ratio counts.
#[test]
fn without_peers_the_raw_ratio_counts() {
    let recipe = Recipe { seed: 2, machine: 1.25, ..OLD };
    let mut new = run(&recipe);
    for engine in &mut new.engines {
        if !engine.name.starts_with("mdk") {
            engine.packages[0].version = "0.9.0".into();
        }
    }
    sign(&mut new);
    let changes = compare(&run(&OLD), &new, 0.03, false).unwrap();
    assert!(changes.times.iter().all(|c| c.by == By::Raw && c.relative.is_none()));
    assert!(changes.is_raw_regression() && !changes.is_regression());
    let printed = changes.to_string();
    assert!(printed.contains("may be drift") && !printed.contains("REGRESSED"), "{printed}");
    assert!(changes.conditions.contains(&"null: null-core 0.8.0 -> null-core 0.9.0".into()));
}

#[test]
fn another_machine_is_refused_unless_told() {
    let new = run(&Recipe { seed: 2, kind: "linux-aarch64-4", ..OLD });
    let refused = compare(&run(&OLD), &new, 0.03, false).unwrap_err();
    assert!(matches!(refused, Refused::OtherMachine(_)));
    assert!(
        refused.to_string().contains("linux-aarch64-4") && refused.to_string().contains("--force")
    );
    assert!(compare(&run(&OLD), &new, 0.03, true).is_ok());
}

fn changed(change: impl FnOnce(&mut Run)) -> Changes {
    let recipe = Recipe { seed: 2, ..OLD };
    let mut new = run(&recipe);
    change(&mut new);
    finish(&mut new, &recipe);
    compare(&run(&OLD), &new, 0.03, false).unwrap()
}

fn row(run: &mut Run, engine: &str) -> usize {
    run.rows.iter().position(|row| row.engine == engine).unwrap()
}

#[test]
fn a_row_that_went_wrong_is_a_regression_and_one_that_is_gone_is_named() {
    let wrong = changed(|new| {
        let at = row(new, "burrow/aws-lc");
        let row = &mut new.rows[at];
        row.outcome = Outcome::Wrong { reason: "epoch".into() };
        row.blocks.clear();
        row.statistics = None;
    });
    assert!(wrong.is_regression());
    assert!(wrong.to_string().contains("send/1 of burrow/aws-lc: measured -> wrong (epoch)"));
    let gone = changed(|new| new.rows.retain(|row| row.engine != "mdk"));
    assert!(!gone.is_regression());
    assert_eq!(gone.outcomes.len(), 4);
    assert!(gone.to_string().contains("send/1 of mdk: measured -> not in this run"), "{gone}");
}

#[test]
fn counts_allocations_and_bytes_are_compared_exactly() {
    let changes = changed(|new| {
        let at = row(new, "burrow/aws-lc");
        let row = &mut new.rows[at];
        *row.counts.as_mut().unwrap().calls.get_mut("sign").unwrap() += 1;
        row.allocations.as_mut().unwrap().count += 1;
        row.wire.as_mut().unwrap().sent.insert("commit".into(), 7);
    });
    let printed = changes.to_string();
    assert_eq!(changes.exact.len(), 3, "{printed}");
    assert!(printed.contains("send/1 of burrow/aws-lc: calls of sign 1 -> 2"), "{printed}");
    assert!(printed.contains("send/1 of burrow/aws-lc: allocations: count 19 -> 20"), "{printed}");
    assert!(
        printed.contains("send/1 of burrow/aws-lc: bytes sent as commit none -> 7"),
        "{printed}"
    );
    // Allocations vary by themselves.
    let little = changed(|new| {
        let at = row(new, "burrow/aws-lc");
        let allocations = new.rows[at].allocations.as_mut().unwrap();
        allocations.bytes += allocations.bytes / 25;
    });
    assert_eq!(little.exact, []);
    // So does what is stored, where it is text.
    let stored = |factor: u64| {
        let changes = changed(|new| {
            let at = row(new, "burrow/aws-lc");
            let storage = new.rows[at].storage.as_mut().unwrap();
            storage.group_bytes = storage.group_bytes.map(|bytes| bytes * factor / 100);
        });
        changes.to_string()
    };
    assert!(!stored(104).contains("stored: group"), "{}", stored(104));
    assert!(stored(120).contains("send/1 of burrow/aws-lc: stored: group"), "{}", stored(120));
    // What was not looked at is no change.
    let unseen = changed(|new| new.rows.iter_mut().for_each(|row| row.allocations = None));
    assert_eq!(unseen.exact, []);
}

#[test]
fn a_run_is_chosen_by_the_beginning_of_its_id() {
    let two = file(&[OLD, Recipe { seed: 2, ..OLD }]);
    let id = two.runs[1].id.clone();
    assert_eq!(choose("f", &two, Some(&id[..10])).unwrap().id, id);
    let refused = choose("f", &two, None).unwrap_err().to_string();
    assert!(refused.contains("f has 2 runs") && refused.contains(&id[..12]), "{refused}");
    let refused = choose("f", &two, Some("xyz")).unwrap_err().to_string();
    assert_eq!(refused, "0 runs of f have an id that begins with xyz");
    assert!(choose("f", &file(&[OLD]), None).is_ok());
}
