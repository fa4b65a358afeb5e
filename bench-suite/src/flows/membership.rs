//! Flows in which members come, go and take fresh keys.

use engine_api::{LeafIndex, MlsProposal, TreePlace};

use super::stage::{Outcome, Stage};

const INSIDE: TreePlace = TreePlace::InGroupInfo;
const APART: TreePlace = TreePlace::Apart;

/// A group comes together, with the tree in the Welcome.
pub(super) fn tree_in_welcome(stage: &mut Stage<'_>) -> Outcome {
    come_together(stage, INSIDE)
}

/// The same with the tree beside the Welcome.
pub(super) fn tree_apart(stage: &mut Stage<'_>) -> Outcome {
    come_together(stage, APART)
}

/// The second member adds the last: no Welcome is the founder's alone.
fn come_together(stage: &mut Stage<'_>, tree: TreePlace) -> Outcome {
    stage.found(stage.kinds(), tree)?;
    let newcomers = vec![stage.newcomer()?, stage.newcomer()?];
    stage.invite(1, newcomers, &[], tree)?;
    stage.talk()
}

/// A tree that isn't the group's, beside the Welcome: refused, and the right one still taken.
pub(super) fn wrong_tree(stage: &mut Stage<'_>) -> Outcome {
    stage.found(stage.kinds(), APART)?;
    for by in 0..stage.kinds() {
        let old = stage.tree_of(by)?;
        let mut newcomer = stage.newcomer()?;
        let add = MlsProposal::Add(newcomer.key_package()?);
        let staged = stage.stage_commit(by, &[add], APART)?;
        let publication = staged.publication();
        stage.publish(by, staged.published(), Vec::new(), APART)?;
        let welcome = publication.welcomes.for_invitee(0).ok_or("no Welcome")?;
        let refused = newcomer.client.join(welcome, Some(&old)).is_err();
        stage.holds(by, "the tree of the epoch before refused by the newcomer", refused)?;
        let refused = newcomer.client.join(welcome, None).is_err();
        stage.holds(by, "no tree at all refused by the newcomer", refused)?;
        let tree = stage.tree_of(by)?;
        stage.seat(newcomer, welcome, Some(&tree))?;
        stage.settle()?;
    }
    stage.talk()
}

/// Each kind of member adds one by value, then one that another proposed.
pub(super) fn adds(stage: &mut Stage<'_>) -> Outcome {
    stage.found(stage.kinds(), INSIDE)?;
    for by in 0..stage.kinds() {
        let newcomer = stage.newcomer()?;
        stage.invite(by, vec![newcomer], &[], INSIDE)?;
        let proposer = (by + 1) % stage.kinds();
        let mut newcomer = stage.newcomer()?;
        let add = MlsProposal::Add(newcomer.key_package()?);
        stage.propose(proposer, &add, 0)?;
        stage.commit(by, &[], vec![newcomer], APART)?;
    }
    stage.talk()
}

/// Each kind of member updates by an empty commit, and by a proposal that another commits.
pub(super) fn updates(stage: &mut Stage<'_>) -> Outcome {
    stage.found(stage.kinds() + 1, INSIDE)?;
    for by in 0..stage.kinds() {
        stage.commit(by, &[], Vec::new(), INSIDE)?;
        let committer = (by + 1) % stage.kinds();
        stage.propose(by, &MlsProposal::Update, 0)?;
        stage.commit(committer, &[], Vec::new(), INSIDE)?;
        stage.commit(by, &[], Vec::new(), INSIDE)?;
    }
    stage.talk()
}

/// A member's Update that it doesn't get to see committed: it commits something else first.
pub(super) fn update_given_up(stage: &mut Stage<'_>) -> Outcome {
    stage.found(stage.kinds() + 1, INSIDE)?;
    for by in 0..stage.kinds() {
        stage.propose(by, &MlsProposal::Update, 0)?;
        stage.commit(by, &[], Vec::new(), INSIDE)?;
        stage.commit((by + 1) % stage.kinds(), &[], Vec::new(), INSIDE)?;
    }
    stage.talk()
}

/// Each kind of member removes by value, and commits a removal that another proposed.
pub(super) fn removals(stage: &mut Stage<'_>) -> Outcome {
    let kinds = stage.kinds();
    stage.found(3 * kinds, INSIDE)?;
    for by in 0..kinds {
        let last = stage.members.len() - 1;
        let leaf = stage.own_leaf(last)?;
        stage.commit(by, &[MlsProposal::Remove(leaf)], Vec::new(), INSIDE)?;
        let last = stage.members.len() - 1;
        let leaf = stage.own_leaf(last)?;
        stage.propose((by + 1) % kinds, &MlsProposal::Remove(leaf), 1)?;
        stage.commit(by, &[], Vec::new(), INSIDE)?;
    }
    stage.talk()
}

/// Proposals by value and by reference in one commit.
pub(super) fn mixed(stage: &mut Stage<'_>) -> Outcome {
    let kinds = stage.kinds();
    stage.found(kinds + 2, INSIDE)?;
    for by in 0..kinds {
        let proposer = (by + 1) % kinds;
        let last = stage.members.len() - 1;
        let leaf = stage.own_leaf(last)?;
        stage.propose(proposer, &MlsProposal::Update, 1)?;
        let mut proposed = stage.newcomer()?;
        let add = MlsProposal::Add(proposed.key_package()?);
        stage.propose(proposer, &add, 2)?;
        let mut direct = stage.newcomer()?;
        let by_value = [MlsProposal::Add(direct.key_package()?), MlsProposal::Remove(leaf)];
        stage.commit(by, &by_value, vec![proposed, direct], INSIDE)?;
    }
    stage.talk()
}

/// From trees of 2 to 9 leaves, each leaf is removed by a member of each other kind; somebody new
/// takes the place each time.
pub(super) fn each_leaf(stage: &mut Stage<'_>) -> Outcome {
    const MOST: usize = 9;
    stage.found(2, INSIDE)?;
    for size in 2..=MOST {
        for leaf in 0..size {
            for place in 0..stage.kinds() {
                remove_and_replace(stage, leaf, place)?;
            }
        }
        if size < MOST {
            let newcomer = stage.newcomer_of(size % stage.kinds())?;
            let by = size % stage.members.len();
            stage.invite(by, vec![newcomer], &[], INSIDE)?;
        }
    }
    stage.talk()
}

/// The leaf's owner is removed by the `place`-th kind of member, if there is one besides it.
fn remove_and_replace(stage: &mut Stage<'_>, leaf: usize, place: usize) -> Outcome {
    let leaf = LeafIndex(u32::try_from(leaf).map_err(|why| why.to_string())?);
    let others = (0..stage.members.len()).filter(|other| stage.own_leaf(*other) != Ok(leaf));
    let others: Vec<_> = others.collect();
    let committers = stage.one_of_each_kind_among(&others);
    let Some(by) = committers.get(place) else { return Ok(()) };
    let by_name = stage.members[*by].name.clone();
    stage.commit(*by, &[MlsProposal::Remove(leaf)], Vec::new(), INSIDE)?;
    let newcomer = stage.newcomer_of((leaf.0 as usize + place) % stage.kinds())?;
    let by = stage.members.iter().position(|member| member.name == by_name);
    stage.invite(by.ok_or("the committer is gone")?, vec![newcomer], &[], INSIDE)?;
    let last = stage.members.len() - 1;
    let taken = stage.own_leaf(last)?;
    stage.same(last, "the newcomer's leaf", &taken, &leaf)
}
