//! Flows in which messages come out of order, late, early and twice.

use engine_api::{Ingested, TreePlace};

use super::stage::{Outcome, Stage};

const INSIDE: TreePlace = TreePlace::InGroupInfo;

/// Five messages of each kind of member are read in another order, then once more.
pub(super) fn out_of_order(stage: &mut Stage<'_>) -> Outcome {
    stage.found(stage.kinds() + 1, INSIDE)?;
    for by in 0..stage.kinds() {
        let mut sent = Vec::new();
        for number in 0..5_u8 {
            sent.push((stage.say(by, &[number; 9])?, [number; 9]));
        }
        stage.boundary()?;
        for reader in (0..stage.members.len()).filter(|reader| *reader != by) {
            for place in [4, 0, 3, 1, 2] {
                let (message, payload) = &sent[place];
                stage.hears(reader, by, message, payload)?;
            }
        }
        stage.boundary()?;
        for reader in (0..stage.members.len()).filter(|reader| *reader != by) {
            for (message, _) in &sent {
                repeated(stage, reader, message)?;
            }
        }
    }
    stage.commit(0, &[], Vec::new(), INSIDE)
}

/// A message has to be known again.
fn repeated(stage: &mut Stage<'_>, reader: usize, message: &[u8]) -> Outcome {
    let outcome = stage.ingest(reader, message)?;
    let known = matches!(outcome, Ingested::Duplicate | Ingested::Stale);
    stage.holds(reader, &format!("a repetition but {outcome:?}"), known)
}

/// Messages of one epoch are read in the next one, and in the one after it.
pub(super) fn late(stage: &mut Stage<'_>) -> Outcome {
    stage.found(stage.kinds() + 1, INSIDE)?;
    for by in 0..stage.kinds() {
        let other = (by + 1) % stage.members.len();
        let early = stage.say(by, b"one")?;
        let later = stage.say(by, b"two")?;
        stage.commit(other, &[], Vec::new(), INSIDE)?;
        for reader in (0..stage.members.len()).filter(|reader| *reader != by) {
            stage.hears(reader, by, &later, b"two")?;
        }
        stage.commit(by, &[], Vec::new(), INSIDE)?;
        for reader in (0..stage.members.len()).filter(|reader| *reader != by) {
            stage.hears(reader, by, &early, b"one")?;
            repeated(stage, reader, &later)?;
        }
    }
    stage.talk()
}

/// One member gets a message and a commit of an epoch before the commit that opens it; then the
/// commits in order, and each once more.
pub(super) fn early(stage: &mut Stage<'_>) -> Outcome {
    stage.found(stage.kinds() + 1, INSIDE)?;
    for place in 0..stage.kinds() {
        let behind = stage.members.remove(place);
        let first = commit_of(stage, 0)?;
        let message = stage.say(0, b"early")?;
        let second = commit_of(stage, 1)?;
        let sender = stage.members[0].name.clone();
        stage.members.insert(place, behind);
        stage.at("messages from an epoch that isn't there yet");
        for unread in [&message, &second] {
            let outcome = stage.ingest(place, unread)?;
            stage.same(place, "what is early", &outcome, &Ingested::RetryLater)?;
        }
        stage.boundary()?;
        let by = stage.members.iter().position(|member| member.name == sender);
        let by = by.ok_or("the sender is gone")?;
        stage.applied(place, &first)?;
        stage.hears(place, by, &message, b"early")?;
        stage.applied(place, &second)?;
        for commit in [&first, &second] {
            repeated(stage, place, commit)?;
        }
        stage.settle()?;
    }
    stage.talk()
}

/// An empty commit, which all on the stage apply.
fn commit_of(stage: &mut Stage<'_>, by: usize) -> Outcome<Vec<u8>> {
    let staged = stage.stage_commit(by, &[], INSIDE)?;
    let commit = staged.commit().as_slice().to_vec();
    stage.publish(by, staged.published(), Vec::new(), INSIDE)?;
    Ok(commit)
}
