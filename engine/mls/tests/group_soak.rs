//! A long random life of a group, the same in each run.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod members;

use burrow::{
    codec::Decode,
    framing::MlsMessage,
    group::{Config, HandshakeFormat, Received},
    types::{Extensions, Proposal, ProposalType, Psk, RequiredCapabilities, ResumptionPskUsage},
};
use members::{Lab, Seeded, group_info, package, tree_of};

const EPOCHS: u64 = 200;
const MAX_MEMBERS: usize = 40;

#[test]
fn encrypted_handshakes() {
    live(HandshakeFormat::Private, 0x5eed);
}

#[test]
fn public_handshakes() {
    live(HandshakeFormat::Public, 0xfeed);
}

fn live(handshake_format: HandshakeFormat, seed: u64) {
    let config = Config { handshake_format, ..Config::default() };
    let mut lab = Lab::new(config, seed);
    lab.app.psks.lock().unwrap().insert(b"id".to_vec(), b"key".to_vec());
    lab.create();
    let dice = Seeded::new(seed);
    let mut biggest = 0;
    while lab.members[0].epoch() < EPOCHS {
        step(&mut lab, &dice);
        biggest = biggest.max(lab.members.len());
        store_one(&mut lab, &dice);
    }
    println!("{} comparisons, up to {biggest} members", lab.comparisons);
    assert!(biggest > 30, "the group stayed small: {biggest}");
    assert!(lab.comparisons > 2000, "too few comparisons");
    assert!(lab.gone.len() > 20, "too few were removed");
}

/// Proposals of some, a commit of one, a few messages.
fn step(lab: &mut Lab, dice: &Seeded) {
    let size = lab.members.len();
    let committer = dice.below(size);
    let is_full = size + 4 > MAX_MEMBERS;
    if dice.below(8) == 0 && !is_full {
        return join_from_outside(lab, dice);
    }
    let mut victims = Vec::new();
    let may_remove = size > 4 && (is_full || dice.below(3) == 0);
    if may_remove {
        victims.push((committer + 1 + dice.below(size - 1)) % size);
    }
    propose(lab, dice, committer, &victims);
    let new: Vec<_> =
        (0..if is_full { 0 } else { dice.below(4) }).map(|_| lab.key_package()).collect();
    let leaves: Vec<_> = victims.iter().map(|v| lab.members[*v].own_leaf()).collect();
    let (with_psk, without_path) = (dice.below(5) == 0, dice.below(3) == 0);
    let epoch = lab.members[0].epoch();
    lab.commit(committer, &new, |mut builder| {
        for secrets in &new {
            builder = builder.add_member(package(secrets));
        }
        for leaf in leaves {
            builder = builder.remove_member(leaf);
        }
        if with_psk {
            builder = builder.psk(Psk::External { psk_id: b"id".to_vec() });
        }
        if with_psk && new.is_empty() {
            // Who joins doesn't have it.
            builder = builder.psk(Psk::Resumption {
                usage: ResumptionPskUsage::Application,
                psk_group_id: b"the group".to_vec(),
                psk_epoch: epoch,
            });
        }
        if without_path { builder.without_path() } else { builder }
    });
    for _ in 0..dice.below(3) {
        let sender = dice.below(lab.members.len());
        lab.talk(sender, b"some words");
    }
}

/// Updates, SelfRemoves and changes of the extensions, by reference.
fn propose(lab: &mut Lab, dice: &Seeded, committer: usize, victims: &[usize]) {
    let size = lab.members.len();
    for _ in 0..dice.below(3) {
        let sender = dice.below(size);
        if sender == committer || victims.contains(&sender) {
            continue;
        }
        let message = match dice.below(6) {
            0 if size > 6 => match lab.members[sender].propose_self_remove(b"") {
                Ok(sent) => sent.message,
                Err(_) => continue,
            },
            1 => {
                let mut extensions = Extensions::new();
                if dice.below(2) == 0 {
                    let required = RequiredCapabilities {
                        proposal_types: vec![ProposalType::SELF_REMOVE],
                        ..Default::default()
                    };
                    extensions.put(&required).unwrap();
                }
                let proposal = Proposal::GroupContextExtensions(extensions);
                lab.members[sender].propose(proposal, b"").unwrap().message
            }
            _ => lab.members[sender].propose_update(None, b"").unwrap().message,
        };
        for (index, member) in lab.members.iter_mut().enumerate() {
            if index != sender {
                let received = member.receive(&message).unwrap();
                assert!(matches!(received, Received::Proposal(_)), "{received:?}");
            }
        }
    }
}

fn join_from_outside(lab: &mut Lab, dice: &Seeded) {
    let host = dice.below(lab.members.len());
    let message = lab.members[host].group_info().unwrap();
    assert!(MlsMessage::decode_exact(&message).is_ok());
    let identity = lab.identity();
    let info = group_info(&message);
    let joined = lab.client.join_externally(&identity, &info);
    let joined = joined.ratchet_tree(tree_of(&lab.members[host])).stage().unwrap();
    lab.accept_external(joined);
}

/// One member goes to sleep and wakes up from what it stored.
fn store_one(lab: &mut Lab, dice: &Seeded) {
    let member = dice.below(lab.members.len());
    let written = lab.members[member].write().unwrap();
    let restored = lab.client.restore(&written, &[]).unwrap();
    assert_eq!(*restored.write().unwrap(), *written);
    lab.members[member] = restored;
}
