//! The mixed flows: they all hold, and an engine that lies is caught.

#[path = "flows/liar.rs"]
mod liar;

use bench_suite::flows::{self, Plan, Verdict};
use engine_api::MlsRegistration;
use liar::{Liar, ReadsNoProposal, TakesAnyTree, WrongAuthenticator};

/// The library's flows with members of the liar's, which is otherwise `burrow/aws-lc`.
fn caught(liar: MlsRegistration, flow: &str) -> Vec<String> {
    let honest = flows::leads(&flows::built_in());
    let engines = [liar].into_iter().chain(honest).collect();
    let plan = Plan { engines, flows: vec![flow.into()], restarts: false };
    let report = flows::run(&plan, &mut |_| ());
    assert!(!report.is_clean());
    let failures = report.rows.into_iter().filter_map(|row| match row.verdict {
        Verdict::Failed(why) => Some(why),
        _ => None,
    });
    failures.collect()
}

#[test]
fn every_flow_holds_for_every_cast() {
    let plan = Plan { engines: flows::built_in(), flows: Vec::new(), restarts: true };
    let report = flows::run(&plan, &mut |_| ());
    println!("{report}");
    assert!(report.is_clean());
    assert!(report.checks >= flows::FLOOR, "{} checks", report.checks);
    assert_eq!(report.failed, 0);
}

#[test]
fn an_honest_pair_is_not_accused() {
    let engines = flows::leads(&flows::built_in());
    let plan = Plan { engines, flows: vec!["updates".into()], restarts: false };
    let report = flows::run(&plan, &mut |_| ());
    assert!(report.is_clean(), "{report}");
}

#[test]
fn a_wrong_authenticator_is_caught() {
    let failures = caught(MlsRegistration::of::<Liar<WrongAuthenticator>>(), "updates");
    assert!(failures.iter().any(|why| why.contains("the authenticator")), "{failures:?}");
}

#[test]
fn a_dropped_proposal_is_caught() {
    let failures = caught(MlsRegistration::of::<Liar<ReadsNoProposal>>(), "updates");
    assert!(failures.iter().any(|why| why.contains("the commit")), "{failures:?}");
}

#[test]
fn a_wrong_tree_that_is_accepted_is_caught() {
    let failures = caught(MlsRegistration::of::<Liar<TakesAnyTree>>(), "wrong tree");
    assert!(failures.iter().any(|why| why.contains("refused by the newcomer")), "{failures:?}");
}

#[test]
fn a_declared_deviation_has_to_show() {
    let engines = flows::built_in();
    let declared = flows::KNOWN.iter().filter(|known| flows::names().contains(&known.flow));
    assert_eq!(declared.count(), flows::KNOWN.len(), "a declaration about a flow that isn't");
    let flow = flows::KNOWN[0].flow;
    let plan = Plan { engines, flows: vec![flow.into()], restarts: false };
    let report = flows::run(&plan, &mut |_| ());
    assert!(report.deviating > 0 && report.not_shown.is_empty(), "{report}");
}
