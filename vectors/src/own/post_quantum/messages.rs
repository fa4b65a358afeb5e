//! Framing, transcript hashes and Welcomes (sections 6, 8.2 and 12.4.3.1).

use burrow::Result;
use crypto_api::Suite;
use serde_json::{Value, json};

use super::{Joiner, bytes, group_of, secret_hex};
use crate::own::forging::{
    APPLICATION, COMMIT, Change, Frame, Group, PROPOSAL, PrivateFrame, Sender, opaque, random,
    struct_of, vector,
};
use crate::own::generate::hex;

/// The sender that the format has.
const SENDER: u32 = 1;

pub(super) fn message_protection(suite: &dyn Suite, _: usize) -> Result<Value> {
    let (group, members) = group_of(suite, 2)?;
    let signer = &members[SENDER as usize].draft.signer;
    let proposal = Change::Remove(0).encoded(suite)?;
    let commit = commit_to(&proposal)?;
    let application = bytes(suite, 60)?;
    let tag = bytes(suite, suite.kdf_nh())?;
    let protect = |content_type, content: &[u8], private| -> Result<String> {
        let from = (Sender::Member(SENDER), signer.clone());
        let mut frame = Frame::new(&group, from, content_type, content.to_vec());
        if private {
            frame.private = Some(PrivateFrame::new(SENDER, 0, content_type));
        }
        let tag = (content_type == COMMIT).then(|| tag.clone());
        Ok(hex(&frame.sign(&group)?.protect(&group, tag)?))
    };
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "group_id": hex(&group.group_id),
        "epoch": group.epoch,
        "tree_hash": hex(&group.tree.tree_hash(suite)?),
        "confirmed_transcript_hash": hex(&group.confirmed_transcript_hash),
        "signature_priv": secret_hex(signer.private()),
        "signature_pub": hex(signer.public()),
        "encryption_secret": secret_hex(&group.secret(b"encryption")?),
        "sender_data_secret": secret_hex(&group.secret(b"sender data")?),
        "membership_key": secret_hex(&group.secret(b"membership")?),
        "proposal": hex(&proposal),
        "proposal_pub": protect(PROPOSAL, &proposal, false)?,
        "proposal_priv": protect(PROPOSAL, &proposal, true)?,
        "commit": hex(&commit),
        "commit_pub": protect(COMMIT, &commit, false)?,
        "commit_priv": protect(COMMIT, &commit, true)?,
        "application": hex(&application),
        "application_priv": protect(APPLICATION, &opaque(&application)?, true)?,
    }))
}

/// A Commit of one proposal by value, without a path.
fn commit_to(proposal: &[u8]) -> Result<Vec<u8>> {
    let by_value = struct_of(&[&[1], proposal]);
    Ok(struct_of(&[&vector(&[by_value])?, &[0]]))
}

pub(super) fn transcript_hashes(suite: &dyn Suite, _: usize) -> Result<Value> {
    let (group, members) = group_of(suite, 2)?;
    let from = (Sender::Member(0), members[0].draft.signer.clone());
    let commit = commit_to(&Change::Remove(1).encoded(suite)?)?;
    let signed = Frame::new(&group, from, COMMIT, commit).sign(&group)?;
    let input = signed.transcript_hash_input()?;
    let before = bytes(suite, suite.hash_length())?;
    let confirmed = suite.hash(&[&before, &input]);
    let confirmation_key = random(suite)?;
    let tag = suite.mac(confirmation_key.as_slice(), &[confirmed.as_slice()]);
    let tag = opaque(tag.as_slice())?;
    let interim = suite.hash(&[confirmed.as_slice(), &tag]);
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "confirmation_key": secret_hex(&confirmation_key),
        "authenticated_content": hex(&struct_of(&[&input, &tag])),
        "interim_transcript_hash_before": hex(&before),
        "confirmed_transcript_hash_after": hex(confirmed.as_slice()),
        "interim_transcript_hash_after": hex(interim.as_slice()),
    }))
}

pub(super) fn welcome(suite: &dyn Suite, _: usize) -> Result<Value> {
    let group = Group::of(suite, &[Joiner::new(suite, b"founder")?.draft])?;
    let us = Joiner::new(suite, b"us")?;
    let made = group.commit(0)?.with(Change::Add(us.draft.clone())).make()?;
    let signer = group.signers.get(&0).map(|signer| hex(signer.public()));
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "init_priv": secret_hex(us.init_key.private()),
        "signer_pub": signer.unwrap_or_default(),
        "key_package": hex(&us.draft.message(suite)?),
        "welcome": hex(&made.welcome().make()?.message),
    }))
}
