//! A client that joins by a Welcome and follows commits (section 12.4).

use burrow::Result;
use crypto_api::Suite;
use serde_json::{Value, json};

use super::{Joiner, bytes, group_of, secret_hex};
use crate::own::forge::Source;
use crate::own::forging::{Change, Frame, Group, Made, PROPOSAL, Psk, Sender, random};
use crate::own::generate::hex;

/// On every other suite the tree is beside the Welcome.
pub(super) fn passive_client(suite: &dyn Suite, number: usize) -> Result<Value> {
    let (group, members) = group_of(suite, 2)?;
    let us = Joiner::new(suite, b"us")?;
    let (id, secret) = (bytes(suite, 12)?, random(suite)?);
    let psk = || Psk::external(&id, bytes(suite, suite.kdf_nh())?, secret.clone());

    let added = Change::Add(us.draft.clone());
    let made = group.commit(0)?.with(added).with(Change::Psk(psk()?)).make()?;
    let is_inside = number.is_multiple_of(2);
    let welcome = if is_inside { made.welcome() } else { made.welcome().without_tree() };
    let welcomed = welcome.make()?;
    let initial = welcomed.group.epoch_authenticator()?;

    let path = welcomed.group.commit(1)?.make()?;
    let proposal = update_of(suite, &path.group, &members[1])?;
    let update = path.group.commit(0)?.by_reference(proposal.change, proposal.reference).make()?;
    let exchange = update.group.commit(0)?.with(Change::Remove(1)).with(Change::Psk(psk()?));
    let exchange = exchange.make()?;
    let epochs = [(None, &path), (Some(proposal.message), &update), (None, &exchange)];
    let epochs = epochs.into_iter().map(|(proposal, made)| epoch(proposal, made));
    Ok(json!({
        "cipher_suite": suite.cipher_suite().0,
        "external_psks": [{ "psk_id": hex(&id), "psk": secret_hex(&secret) }],
        "key_package": hex(&us.draft.message(suite)?),
        "signature_priv": secret_hex(us.draft.signer.private()),
        "encryption_priv": secret_hex(us.leaf_key.private()),
        "init_priv": secret_hex(us.init_key.private()),
        "welcome": hex(&welcomed.message),
        "ratchet_tree": (!is_inside).then(|| hex(&welcomed.ratchet_tree)),
        "initial_epoch_authenticator": hex(&initial),
        "epochs": epochs.collect::<Result<Vec<_>>>()?,
    }))
}

/// A proposal, as it is sent and as it is referred to.
struct Proposed {
    change: Change,
    message: Vec<u8>,
    reference: Vec<u8>,
}

/// An Update of the member at leaf 1.
fn update_of(suite: &dyn Suite, group: &Group<'_>, member: &Joiner) -> Result<Proposed> {
    let mut leaf = member.draft.leaf.clone();
    leaf.encryption_key = suite.generate_key_pair()?.public().to_vec();
    leaf.source = Source::Update;
    leaf.place = (group.group_id.clone(), 1);
    let change = Change::Update(1, leaf);
    let from = (Sender::Member(1), member.draft.signer.clone());
    let signed = Frame::new(group, from, PROPOSAL, change.encoded(suite)?).sign(group)?;
    let message = signed.protect(group, None)?;
    Ok(Proposed { change, message, reference: signed.reference(suite)? })
}

fn epoch(proposal: Option<Vec<u8>>, made: &Made<'_>) -> Result<Value> {
    Ok(json!({
        "proposals": proposal.iter().map(|message| hex(message)).collect::<Vec<_>>(),
        "commit": hex(&made.message),
        "epoch_authenticator": hex(&made.group.epoch_authenticator()?),
    }))
}
