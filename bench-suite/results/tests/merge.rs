//! Joining files gives the same bytes whatever the order and the nesting.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

mod synthetic;

use bench_results::format::ResultFile;
use bench_results::merge::merge;
use bench_results::read::parse;
use bench_results::write::to_text;

use synthetic::{Recipe, file};

fn joined(files: &[&ResultFile]) -> ResultFile {
    merge(files.iter().map(|file| (*file).clone())).unwrap()
}

#[test]
fn order_nesting_and_repetition_make_no_difference() {
    let single: Vec<ResultFile> =
        (1..=4).map(|seed| file(&[Recipe { seed, small: true, ..Recipe::default() }])).collect();
    let [a, b, c, d] = &single[..] else { panic!("four files") };
    let all = to_text(&joined(&[a, b, c, d])).unwrap();
    assert_eq!(parse("all.json", &all).unwrap().runs.len(), 4);
    let mut orders = 0;
    for first in 0..4 {
        for second in (0..4).filter(|i| *i != first) {
            for third in (0..4).filter(|i| *i != first && *i != second) {
                let fourth = 6 - first - second - third;
                let order = [first, second, third, fourth].map(|i| &single[i]);
                assert_eq!(to_text(&joined(&order)).unwrap(), all);
                let inner = joined(&order[1..3]);
                assert_eq!(to_text(&joined(&[order[0], &inner, order[3]])).unwrap(), all);
                let left = joined(&[&joined(&order[..2]), order[2], order[2]]);
                assert_eq!(to_text(&joined(&[order[3], &left, order[0]])).unwrap(), all);
                orders += 1;
            }
        }
    }
    assert_eq!(orders, 24);
    assert_eq!(to_text(&joined(&[a])).unwrap(), to_text(a).unwrap());
    assert_eq!(joined(&[]).runs, []);
}

#[test]
fn two_runs_of_one_name_are_refused() {
    let one = file(&[Recipe { small: true, ..Recipe::default() }]);
    let mut other = one.clone();
    other.runs[0].tool = "0.2.0".into();
    let clash = merge([one, other]).unwrap_err().to_string();
    assert!(clash.starts_with("two different runs are called "), "{clash}");
}
