//! The provisional GroupContext (section 12.4.1), put together by hand.

use super::{labs_of, members::required, pair};
use crate::{
    PeerError,
    codec::{Decode, Encode},
    crypto::decrypt_with_label,
    framing::{Content, MlsMessage},
    group::Group,
    types::{GroupContext, ProposalType, UpdatePath},
};

/// P16: path secrets are sealed under the provisional GroupContext, put together here by hand.
#[test]
fn pitfall_16_the_context_of_path_secrets() {
    for mut lab in labs_of(5) {
        let (one, other) = pair(&mut lab);
        let extensions = required(ProposalType::SELF_REMOVE);
        let builder = one.commit().group_context_extensions(extensions.clone());
        let staged = builder.stage().unwrap();
        let next = staged.transition.next.as_ref().unwrap();
        let old = other.context().clone();
        let right = GroupContext {
            epoch: old.epoch + 1,
            tree_hash: next.context.tree_hash.clone(),
            extensions,
            ..old.clone()
        };
        let new_transcript = next.context.confirmed_transcript_hash.clone();
        assert_ne!(new_transcript, old.confirmed_transcript_hash);
        let wrong = [
            old.clone(),
            GroupContext { epoch: old.epoch, ..right.clone() },
            GroupContext { tree_hash: old.tree_hash.clone(), ..right.clone() },
            GroupContext { extensions: old.extensions.clone(), ..right.clone() },
            GroupContext { confirmed_transcript_hash: new_transcript, ..right.clone() },
        ];
        let path = path_in(other, &staged.messages.message);
        // Leaf 1 is the sibling of the committer's: the first ciphertext is for its key.
        let sealed = path.nodes[0].encrypted_path_secret.get(0).unwrap();
        let open = |context: &GroupContext| {
            let suite = other.suite().unwrap();
            let (key, context) = (other.epoch.keys.leaf_key(), context.to_bytes().unwrap());
            decrypt_with_label(suite, key, b"UpdatePathNode", &context, &sealed)
        };
        assert!(open(&right).is_ok());
        for context in wrong {
            assert_eq!(open(&context), Err(PeerError::Undecryptable.into()));
        }
    }
}

/// The path of a commit that a member receives.
fn path_in(member: &Group, message: &[u8]) -> UpdatePath {
    let suite = member.suite().unwrap();
    let frame = member.epoch.frame(suite);
    let secrets = &member.epoch.secrets;
    let senders = member.epoch.senders(suite);
    let content = match MlsMessage::decode_exact(message).unwrap() {
        MlsMessage::PublicMessage(message) => {
            message.unprotect(&frame, &secrets.membership_key, &senders).unwrap()
        }
        MlsMessage::PrivateMessage(message) => {
            let tree = &member.epoch.secret_tree;
            message.unprotect(&frame, &secrets.sender_data_secret, tree, &senders).unwrap().0
        }
        other => panic!("{other:?}"),
    };
    match content.into_framed_content().content {
        Content::Commit(commit) => commit.path.unwrap(),
        other => panic!("{other:?}"),
    }
}
