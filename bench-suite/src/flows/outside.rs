//! Flows in which somebody joins by an external commit.

use engine_api::TreePlace;

use super::stage::{Outcome, Stage};

const INSIDE: TreePlace = TreePlace::InGroupInfo;
const APART: TreePlace = TreePlace::Apart;

/// A newcomer of each kind joins by each kind's GroupInfo, with the tree in it and beside it.
pub(super) fn external_join(stage: &mut Stage<'_>) -> Outcome {
    let kinds = stage.kinds();
    stage.found(kinds, INSIDE)?;
    for by in 0..kinds {
        for tree in [INSIDE, APART] {
            let kind = (by + 1) % kinds;
            enter(stage, by, kind, tree)?;
        }
    }
    stage.talk()?;
    let last = stage.members.len() - 1;
    stage.commit(last, &[], Vec::new(), INSIDE)
}

fn enter(stage: &mut Stage<'_>, by: usize, kind: usize, place: TreePlace) -> Outcome {
    stage.at(format!("external join by the GroupInfo of {}", stage.members[by].name));
    let told = |why: engine_api::EngineError| why.to_string();
    let info = stage.members[by].client.group_info(&stage.group, place).map_err(told)?;
    let tree = if place == APART { Some(stage.tree_of(by)?) } else { None };
    let mut newcomer = stage.newcomer_of(kind)?;
    let joined = newcomer.client.external_commit(&info, tree.as_ref(), false);
    let joined = joined.map_err(|why| format!("{}: external_commit: {why}", newcomer.name))?;
    let epoch = newcomer.client.epoch(&joined.group).map_err(told)?.0;
    stage.members.push(newcomer);
    let last = stage.members.len() - 1;
    stage.same(last, "the group joined", &joined.group, &stage.group.clone())?;
    stage.deliver(last, &joined.commit, epoch)?;
    stage.settle()
}

/// A member of each kind has lost its way and takes its own leaf anew.
pub(super) fn resync(stage: &mut Stage<'_>) -> Outcome {
    let kinds = stage.kinds();
    stage.found(kinds + 1, INSIDE)?;
    for lost in 0..kinds {
        let by = (lost + 1) % stage.members.len();
        stage.at(format!("{} takes its leaf anew", stage.members[lost].name));
        let told = |why: engine_api::EngineError| why.to_string();
        let size = stage.members.len();
        let before = stage.own_leaf(lost)?;
        let info = stage.members[by].client.group_info(&stage.group, INSIDE).map_err(told)?;
        let joined = stage.members[lost].client.external_commit(&info, None, true);
        let joined = joined.map_err(|why| format!("external_commit: {why}"))?;
        let epoch = stage.members[lost].client.epoch(&joined.group).map_err(told)?.0;
        stage.deliver(lost, &joined.commit, epoch)?;
        stage.same(lost, "the number of members", &stage.members.len(), &size)?;
        let after = stage.own_leaf(lost)?;
        stage.same(lost, "the leaf", &after, &before)?;
        stage.settle()?;
    }
    stage.talk()
}
