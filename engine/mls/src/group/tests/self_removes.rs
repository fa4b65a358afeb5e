//! SelfRemoves that are to be refused (MLS extensions draft, section 12.2).

use super::{
    forge::{bare, by_value, complete, forged_self_remove},
    is_not_made, labs_of,
    members::{Lab, package, public},
    pair, refuses,
};
use crate::{
    group::Received,
    types::{LeafIndex, Proposal, ProposalOrRef},
};

#[test]
fn by_reference_once_and_with_a_path() {
    let mut lab = Lab::of(public(), 4, 7);
    let sent = lab.members[2].propose_self_remove(b"").unwrap().message;
    lab.propose(2, &sent);
    let reference = lab.members[0].pending_proposals().next().unwrap().reference;
    let entry = ProposalOrRef::Reference(reference.to_vec());
    let (one, other) = pair(&mut lab);
    let message = bare(one, by_value(vec![Proposal::SelfRemove]));
    refuses(other, &message, "a SelfRemove that is not by reference");
    let mut list = by_value(vec![Proposal::Remove(LeafIndex(2))]);
    list.push(entry.clone());
    refuses(other, &bare(one, list), "12.2: more than one Update or Remove");
    refuses(
        other,
        &complete(one, vec![entry.clone()], false, None),
        "12.4: a commit without a path",
    );
    // Whoever leaves can't commit it.
    let message = bare(&mut lab.members[2], vec![entry]);
    refuses(&mut lab.members[1], &message, "12.2: the committer is removed");
    lab.commit(0, &[], |b| b);
    assert_eq!(lab.gone.len(), 1);
}

/// Draft MLS extensions and section 12.2: members who process a SelfRemove have to support it.
#[test]
fn self_removes_that_a_member_does_not_support() {
    for mut lab in labs_of(4) {
        let mut identity = lab.identity();
        identity.description.capabilities.proposals.clear();
        let unable = [lab.client.generate_key_package(&identity).unwrap()];
        lab.commit(0, &unable, |b| b.add_member(package(&unable[0])));
        let lacking = lab.members.last().unwrap().own_leaf();
        let self_remove = forged_self_remove(&mut lab.members[2]);
        lab.propose(2, &self_remove);
        let reference = lab.members[0].pending_proposals().next().unwrap().reference.to_vec();
        let entry = ProposalOrRef::Reference(reference.clone());
        let rule = "12.2: a proposal of a type that a member doesn't support";
        let (one, other) = pair(&mut lab);
        refuses(other, &complete(one, vec![entry.clone()], true, None), rule);
        is_not_made(one.commit().only(vec![reference.clone()]), rule);
        assert!(one.propose_self_remove(b"").is_err());
        assert!(one.commit().stage().unwrap().changes().removed.is_empty(), "left out");
        // From one who doesn't support it, too.
        let own = forged_self_remove(lab.members.last_mut().unwrap());
        let last = lab.members.len() - 1;
        lab.propose(last, &own);
        let found = lab.members[0].pending_proposals().nth(1).unwrap().reference.to_vec();
        let both = vec![entry, ProposalOrRef::Reference(found)];
        let (one, other) = pair(&mut lab);
        // Whoever goes by the same commit doesn't process it.
        let message = complete(one, both, true, None);
        assert!(matches!(other.receive(&message), Ok(Received::Commit(_))));
        let builder = one.commit().only(vec![reference]).remove_member(lacking);
        let staged = builder.stage().unwrap();
        assert_eq!(staged.changes().removed.len(), 2);
        assert!(matches!(other.receive(&staged.messages.message), Ok(Received::Commit(_))));
    }
}
