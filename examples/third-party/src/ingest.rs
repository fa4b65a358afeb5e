//! What comes from the group: outcomes, in the contract's words.

use engine_api::{AppMessage, EngineError, Epoch, Identity, Ingested, RejectReason, Rejection};

use crate::protocol::app::App;
use crate::protocol::chain::Taken;
use crate::protocol::commit::Commit;
use crate::protocol::crypto::invalid;
use crate::state::{Group, commit_digest};

/// Reads an application message. The chain moves only after the message has opened.
pub(crate) fn app(group: &mut Group, bytes: &[u8]) -> Result<Ingested<AppMessage>, EngineError> {
    let message = match App::decode(bytes) {
        Ok(message) => message,
        Err(why) => return Ok(why.into()),
    };
    if let Some(outcome) = elsewhere(group, &message.group, message.epoch) {
        return Ok(outcome);
    }
    let own = group.own;
    let Some(epoch) = group.epoch_mut(message.epoch) else {
        return Ok(Ingested::Stale);
    };
    let sender = match message.authenticate(epoch) {
        Ok(identity) => Identity::new(identity.to_vec()),
        Err(why) => return Ok(why.into()),
    };
    if message.sender == own {
        return Ok(Ingested::Duplicate);
    }
    let chain = epoch.chains.get_mut(&message.sender);
    let chain = chain.ok_or_else(|| EngineError::internal("a member has no chain"))?;
    let mut ahead = chain.clone();
    let key = match ahead.take(message.generation)? {
        Taken::Key(key) => key,
        Taken::Used => return Ok(Ingested::Duplicate),
        Taken::TooOld => return Ok(Ingested::Stale),
        Taken::TooFarAhead => return Ok(invalid("too many messages are missing before it").into()),
    };
    match message.open(&key) {
        Ok(payload) => {
            *chain = ahead;
            Ok(Ingested::Applied(AppMessage { sender, payload }))
        }
        Err(why) => Ok(why.into()),
    }
}

/// Follows another member's commit.
pub(crate) fn commit(group: &mut Group, bytes: &[u8]) -> Result<Ingested<Epoch>, EngineError> {
    match follow(group, bytes) {
        Err(EngineError::Peer(why)) => Ok(Ingested::Rejected(why)),
        outcome => outcome,
    }
}

fn follow(group: &mut Group, bytes: &[u8]) -> Result<Ingested<Epoch>, EngineError> {
    let commit = Commit::decode(bytes).map_err(EngineError::Peer)?;
    let digest = commit_digest(bytes);
    if group.knows(&digest) {
        return Ok(Ingested::Duplicate);
    }
    if let Some(outcome) = elsewhere(group, &commit.group, commit.epoch) {
        return Ok(outcome);
    }
    if commit.epoch < group.current.roster.epoch {
        return Ok(Ingested::Stale);
    }
    commit.authenticate(&group.current).map_err(EngineError::Peer)?;
    if commit.committer == group.own {
        // Discarded here, but sent out all the same.
        return Ok(Ingested::Duplicate);
    }
    let Some(membership) = &group.membership else {
        return Ok(no_member().into());
    };
    if commit.changes.removed.contains(&group.own) {
        commit.check(&group.current).map_err(EngineError::Peer)?;
        group.close(digest);
        return Ok(Ingested::Removed);
    }
    let next = commit.open(&group.current, group.own, &membership.keys)?;
    let epoch = Epoch(next.roster.epoch);
    group.follow(next, digest);
    Ok(Ingested::Applied(epoch))
}

/// What becomes of a message for another group, or of an epoch still to come.
fn elsewhere<T>(group: &Group, addressed: &[u8; 32], epoch: u64) -> Option<Ingested<T>> {
    if *addressed != group.current.roster.group {
        let why = Rejection::new(RejectReason::Misdirected, "for another group");
        return Some(why.into());
    }
    if epoch <= group.current.roster.epoch {
        return None;
    }
    match group.membership {
        Some(_) => Some(Ingested::RetryLater),
        None => Some(no_member().into()),
    }
}

fn no_member() -> Rejection {
    Rejection::new(RejectReason::Misdirected, "for those who are still in the group")
}

#[cfg(test)]
mod tests {
    use engine_api::{CgkaEngine, Change, CommitBytes, GroupId, KeyPackageBytes};

    use super::*;
    use crate::Flat;
    use crate::protocol::commit::build;
    use crate::protocol::crypto::sign;
    use crate::protocol::leaf::Leaf;
    use crate::protocol::roster::Changes;

    /// A tag and a signature stand at a commit's end.
    const ENDING: usize = 32 + 64;

    fn two() -> (GroupId, Flat, Flat) {
        let mut ada = Flat::new_client("ada").unwrap();
        let mut ben = Flat::new_client("ben").unwrap();
        let founded = ada.create_group(&[ben.publish_key_package().unwrap()]).unwrap();
        let id = ben.join_welcome(founded.welcomes.for_invitee(0).unwrap()).unwrap();
        (id, ada, ben)
    }

    fn why(outcome: Ingested<Epoch>) -> RejectReason {
        let Ingested::Rejected(why) = outcome else { panic!("{outcome:?}") };
        why.reason
    }

    #[test]
    fn a_member_that_signs_a_wrong_tag_is_not_followed() {
        let (id, mut ada, mut ben) = two();
        let staged = ada.stage_commit(&id, &Change::Update).unwrap();
        let genuine = staged.commit().clone();
        let signed_by = |signer: &Flat, change: fn(&mut u8)| {
            let mut bytes = genuine.as_slice().to_vec();
            let tag = bytes.len() - ENDING;
            change(&mut bytes[tag]);
            let end = bytes.len() - 64;
            let signature = sign(&signer.signer, b"commit", &bytes[..end]);
            bytes[end..].copy_from_slice(&signature);
            CommitBytes::new(bytes)
        };
        let forged = ben.ingest_commit(&id, &signed_by(&ben, |_| {})).unwrap();
        assert_eq!(why(forged), RejectReason::Unauthenticated);
        let lie = ben.ingest_commit(&id, &signed_by(&ada, |tag| *tag ^= 1)).unwrap();
        assert_eq!(why(lie), RejectReason::Invalid);
        assert_eq!(ben.epoch(&id).unwrap(), Epoch(1));
        assert_eq!(ben.ingest_commit(&id, &genuine).unwrap(), Ingested::Applied(Epoch(2)));
    }

    #[test]
    fn a_commit_that_removes_its_author_is_neither_built_nor_followed() {
        let (id, ada, mut ben) = two();
        let current = &ada.groups[&id].current;
        let removes_ben = Changes { removed: vec![1], ..Changes::default() };
        let built = build(current, 0, &ada.signer, &removes_ben).unwrap();
        // The one removed leaf's index comes after the header, the committer and the count.
        let mut bytes = built.commit;
        bytes[52..56].copy_from_slice(&0_u32.to_be_bytes());
        let end = bytes.len() - 64;
        let signature = sign(&ada.signer, b"commit", &bytes[..end]);
        bytes[end..].copy_from_slice(&signature);
        let outcome = ben.ingest_commit(&id, &CommitBytes::new(bytes)).unwrap();
        assert_eq!(why(outcome), RejectReason::Invalid);

        let removes_ada = Changes { removed: vec![0], ..Changes::default() };
        let built = build(current, 0, &ada.signer, &removes_ada);
        assert!(
            matches!(built, Err(EngineError::Peer(why)) if why.reason == RejectReason::Invalid)
        );
    }

    #[test]
    fn a_key_that_nothing_can_be_wrapped_to_is_not_added() {
        let (id, mut ada, ben) = two();
        for low_order in [[0; 32], {
            let mut one = [0; 32];
            one[0] = 1;
            one
        }] {
            let leaf = Leaf::new(b"cy", &Flat::new_client("cy").unwrap().signer, low_order);
            let key_package = [KeyPackageBytes::new(leaf.to_key_package())];
            let staged = ada.stage_commit(&id, &Change::Add(&key_package));
            let Err(EngineError::Peer(why)) = staged else { panic!("{staged:?}") };
            assert_eq!(why.reason, RejectReason::Invalid);
        }
        assert_eq!(ada.members(&id).unwrap(), ben.members(&id).unwrap());
    }
}
