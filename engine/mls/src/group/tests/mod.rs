//! What the group layer has to refuse: commits, proposals and Welcomes of members who don't follow
//! the rules. Tests are named after the pitfall that they are about.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod commits;
mod forge;
mod proposals;
mod provisional;
mod self_removes;
mod successors;
mod welcomes;

#[path = "../../../tests/members/mod.rs"]
mod members;

use crate::group::{CommitBuilder, Config, Group};
use members::{Lab, Library, public};

/// Groups of so many members, in both wire formats and on both crypto libraries.
fn labs_of(size: usize) -> impl Iterator<Item = Lab> {
    [Library::RustCrypto, Library::AwsLc].into_iter().flat_map(move |library| {
        let configs = [public(), Config::default()];
        (1..).zip(configs).map(move |(seed, config)| Lab::of_on(library, config, size, seed))
    })
}

/// Members 0 and 1: who commits, and who refuses.
fn pair(lab: &mut Lab) -> (&mut Group, &mut Group) {
    let [one, other, ..] = &mut lab.members[..] else {
        panic!("too few members");
    };
    (one, other)
}

/// A member refuses a message by this rule, and is what it was.
#[track_caller]
fn refuses(member: &mut Group, message: &[u8], rule: &str) {
    let before = member.write().unwrap();
    let error = member.receive(message).unwrap_err();
    assert!(error.to_string().contains(rule), "{error}, not {rule}");
    assert_eq!(error.fault(), "peer", "{error}");
    assert!(*before == *member.write().unwrap(), "a refused message has changed something");
}

/// A member doesn't make such a commit itself.
#[track_caller]
fn is_not_made(builder: CommitBuilder<'_>, rule: &str) {
    let error = builder.stage().unwrap_err();
    assert!(error.to_string().contains(rule), "{error}, not {rule}");
    assert_eq!(error.fault(), "caller", "{error}");
}
