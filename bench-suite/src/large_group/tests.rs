//! Groups by construction behave as ordinary ones, at sizes at which there are ordinary ones too. What
//! the cases do in large ones is in `tests/large_groups.rs`.

use engine_api::{Ingested, WireProfile};

use super::*;
use crate::engines;

const SIZES: [usize; 2] = [9, 33];

fn update(committer: &mut Client, follower: &mut Client, group: &GroupId) {
    let staged = committer.stage_commit(group, &Change::Update).unwrap();
    let commit = staged.publication().commit.clone();
    let epoch = committer.merge_staged(staged.published()).unwrap();
    assert_eq!(follower.ingest_commit(group, &commit).unwrap(), Ingested::Applied(epoch));
    let agreed = committer.epoch_authenticator(group).unwrap();
    assert_eq!(follower.epoch_authenticator(group).unwrap(), agreed);
}

fn say(sender: &mut Client, receiver: &mut Client, group: &GroupId) {
    let message = sender.send(group, b"to a member who is there").unwrap();
    match receiver.ingest_app(group, &message).unwrap() {
        Ingested::Applied(received) => assert_eq!(received.sender, sender.identity()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_engine_joins_commits_and_follows_as_in_any_group() {
    let mut groups = 0;
    let all = engines::with_layers(&engines::built_in());
    for engine in all.iter().filter(|one| one.describe().wire_profile == WireProfile::Mls) {
        for (size, tree) in SIZES.into_iter().flat_map(|s| [(s, Tree::Cold), (s, Tree::Warm)]) {
            println!("{} {size} {}", engine.name(), tree.name());
            let Founded { group, mut first, mut last, welcome } =
                found(engine, size, tree).unwrap();
            assert_eq!(last.join_welcome(&welcome).unwrap(), group);
            let members = first.members(&group).unwrap();
            assert_eq!(members.len(), size);
            assert_eq!(last.members(&group).unwrap(), members);
            let leaves = [&first, &last].map(|client| client.own_leaf(&group).unwrap().0);
            assert_eq!(leaves, [0, u32::try_from(size).unwrap() - 1]);
            // Each commits twice: before and after the other's path is its own sibling's.
            for _ in 0..2 {
                update(&mut last, &mut first, &group);
                update(&mut first, &mut last, &group);
            }
            say(&mut first, &mut last, &group);
            say(&mut last, &mut first, &group);
            groups += 1;
        }
    }
    assert!(groups >= 4 * 6, "{groups}");
}

/// A warm tree has no blank node but those above the place that was empty, a cold one hardly any that
/// isn't: by the size of the commit, which has a ciphertext for each node of the resolutions.
#[test]
fn a_warm_tree_is_warm_and_a_cold_one_is_cold() {
    let engine = &adapter_burrow::engines()[0];
    let commit = |tree| {
        let Founded { group, mut first, mut last, welcome } = found(engine, 33, tree).unwrap();
        last.join_welcome(&welcome).unwrap();
        update(&mut last, &mut first, &group);
        update(&mut first, &mut last, &group);
        let staged = first.stage_commit(&group, &Change::Update).unwrap();
        staged.publication().commit.len()
    };
    let (cold, warm) = (commit(Tree::Cold), commit(Tree::Warm));
    assert!(2 * warm < cold, "{warm} {cold}");
}
