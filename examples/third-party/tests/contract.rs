//! The lab's own checks, with the suite as a library.

use bench_suite::{engines, verify};
use engine_api::Registration;
use third_party_engine::Flat;

/// Fewer checks than this means that scenarios ended early or weren't run.
const FLOOR: usize = 600;

#[test]
fn flat_keeps_the_contract() {
    let report = verify::run(&[Registration::of::<Flat>()], &mut |_| {});
    assert!(report.is_clean(), "{report}");
    assert!(report.executed >= FLOOR, "only {} checks were executed", report.executed);
    let subjects: Vec<_> = report.subjects.iter().map(|subject| subject.name.as_str()).collect();
    assert_eq!(subjects, ["flat"]);
}

#[test]
fn the_suite_takes_it_beside_its_own_engines() -> Result<(), String> {
    let mut present = engines::built_in();
    present.push(Registration::of::<Flat>());
    let names: Vec<_> = present.iter().map(Registration::name).collect();
    for peer in ["mdk", "openmls/rustcrypto", "mls-rs/aws-lc", "null"] {
        assert!(names.contains(&peer), "{peer} is not among {names:?}");
    }
    let select = |wanted: &str| engines::select(&present, &[wanted.into()]);
    let chosen: Vec<_> = select("flat")?.iter().map(Registration::name).collect();
    assert_eq!(chosen, ["flat"], "the name is also somebody else's");
    Ok(())
}
