//! The secret tree against a plain model of section 9, and what it promises beyond the keys: limits,
//! deletion, no trace of what failed, no reuse after a restart.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod secret_tree_model;

use std::collections::BTreeSet;

use burrow::{
    CallerError, Error, PeerError,
    codec::{Decode, Encode},
    schedule::{
        Consumed, EncryptionSecret, NextGenerations, PendingKey, RatchetLimits, RatchetType,
        SecretTree, StoredSecretTree,
    },
    types::LeafIndex,
};
use crypto_api::{CipherSuite, CryptoBackend, Secret, Suite};
use crypto_rustcrypto::RustCrypto;
use secret_tree_model::{Model, Numbers};

const BOTH: [RatchetType; 2] = [RatchetType::Handshake, RatchetType::Application];
const USED_UP: Error = Error::Peer(PeerError::KeyUsedUp);
const TOO_OLD: Error = Error::Peer(PeerError::KeyTooOld);
const TOO_FAR: Error = Error::Peer(PeerError::TooFarAhead);

fn with_suite(check: impl FnOnce(&dyn Suite)) {
    check(RustCrypto::new().suite(CipherSuite(1)).unwrap());
}

fn root() -> Secret {
    Secret::copy_from(&[0x5a; 32])
}

fn tree_of(leaf_count: u32, limits: RatchetLimits) -> SecretTree {
    SecretTree::new(EncryptionSecret::from(root()), leaf_count, limits)
}

fn limits(out_of_order: u32, forward: u32) -> RatchetLimits {
    RatchetLimits::new(out_of_order, forward).unwrap()
}

fn stored(tree: &SecretTree) -> StoredSecretTree {
    StoredSecretTree::decode_exact(&tree.to_bytes().unwrap()).unwrap()
}

/// Peeks at a key and uses it up.
fn take(
    suite: &dyn Suite,
    tree: &mut SecretTree,
    leaf: u32,
    ratchet: RatchetType,
    generation: u32,
) -> burrow::Result<()> {
    let pending = tree.peek(suite, LeafIndex(leaf), ratchet, generation)?;
    tree.advance(suite, pending.into_advance())
}

fn take_next(suite: &dyn Suite, tree: &mut SecretTree, leaf: u32, ratchet: RatchetType) -> u32 {
    let pending = tree.peek_next(suite, LeafIndex(leaf), ratchet).unwrap();
    let generation = pending.generation();
    tree.advance(suite, pending.into_advance()).unwrap();
    generation
}

/// Random messages, some of them forged, to a tree that is stored and restored now and then: after
/// each, the tree says what the model says.
#[test]
fn any_delivery_order_gives_the_keys_of_the_model() {
    with_suite(|suite| {
        let mut delivered = 0;
        for seed in 1..=24 {
            let mut numbers = Numbers::new(seed);
            let leaf_count = 1 + numbers.below(9);
            let limits = limits(numbers.below(12), 1 + numbers.below(20));
            let mut model = Model::new(suite, &root(), leaf_count, 80, limits);
            let mut tree = tree_of(leaf_count, limits);
            for _ in 0..250 {
                let leaf = numbers.below(leaf_count);
                let ratchet = BOTH[numbers.below(2) as usize];
                let generation = near(&mut numbers, &tree, leaf, ratchet).min(79);
                let result = tree.peek(suite, LeafIndex(leaf), ratchet, generation);
                delivered += check_peek(suite, &mut model, &mut tree, result, &mut numbers, {
                    Consumed { leaf: LeafIndex(leaf), ratchet_type: ratchet, generation }
                });
                let [_, _, skipped] = tree.secrets_held();
                assert!(skipped <= (2 * leaf_count * limits.out_of_order()) as usize);
                if numbers.below(20) == 0 {
                    let own = LeafIndex(0);
                    let next = NextGenerations::default();
                    tree = stored(&tree).resume(suite, limits, own, next, &[]).unwrap();
                }
            }
        }
        // Otherwise the generations drawn above are no good.
        assert!(delivered > 1000, "only {delivered} messages were delivered");
    });
}

/// A generation around the next one of the ratchet, so that all limits are met.
fn near(numbers: &mut Numbers, tree: &SecretTree, leaf: u32, ratchet: RatchetType) -> u32 {
    let next = tree.next_generation(LeafIndex(leaf), ratchet) as u32;
    match numbers.below(3) {
        0 => next + numbers.below(3),
        1 => next.saturating_sub(numbers.below(16)),
        _ => next + numbers.below(25),
    }
}

/// Compares one result with the model; a third of the keys turn out to be for a forged message.
/// How many messages were delivered.
fn check_peek(
    suite: &dyn Suite,
    model: &mut Model,
    tree: &mut SecretTree,
    result: burrow::Result<PendingKey>,
    numbers: &mut Numbers,
    consumed: Consumed,
) -> usize {
    let before = tree.to_bytes().unwrap();
    let pending = match (result, model.expect(consumed)) {
        (Ok(pending), Ok((key, nonce))) => {
            assert_eq!(pending.key().key(), key);
            assert_eq!(pending.key().nonce(), nonce);
            assert_eq!(pending.generation(), consumed.generation);
            pending
        }
        (Err(ours), Err(expected)) => {
            assert_eq!(ours, expected);
            assert_eq!(tree.to_bytes().unwrap(), before);
            return 0;
        }
        (ours, expected) => panic!("{consumed:?}: {ours:?}, but {expected:?}"),
    };
    if numbers.below(3) == 0 {
        drop(pending);
        assert_eq!(tree.to_bytes().unwrap(), before);
        return 0;
    }
    let advance = pending.into_advance();
    assert_eq!(advance.consumed(), consumed);
    tree.advance(suite, advance).unwrap();
    model.consume(consumed);
    assert_ne!(tree.to_bytes().unwrap(), before);
    1
}

#[test]
fn pitfall_14_other_sizes_are_the_full_tree_of_the_next_power_of_two() {
    with_suite(|suite| {
        for (leaf_count, full) in [(3, 4), (5, 8), (9, 16), (16, 16)] {
            let (tree, full) = (
                tree_of(leaf_count, RatchetLimits::default()),
                tree_of(full, RatchetLimits::default()),
            );
            for leaf in (0..leaf_count).map(LeafIndex) {
                for ratchet in BOTH {
                    let peek = |tree: &SecretTree| {
                        let pending = tree.peek(suite, leaf, ratchet, 2).unwrap();
                        pending.key().clone()
                    };
                    assert_eq!(peek(&tree), peek(&full));
                }
            }
        }
    });
}

#[test]
fn pitfall_44_limits_are_where_they_are_said_to_be() {
    with_suite(|suite| {
        let (mut tree, leaf) = (tree_of(4, RatchetLimits::default()), LeafIndex(2));
        let peek = |tree: &SecretTree, generation| {
            let pending = tree.peek(suite, leaf, RatchetType::Application, generation);
            pending.map(|pending| pending.generation())
        };
        for far in [1001, 1002, 1 << 16, u32::MAX - 1, u32::MAX] {
            assert_eq!(peek(&tree, far), Err(TOO_FAR));
        }
        take(suite, &mut tree, 2, RatchetType::Application, 1000).unwrap();
        assert_eq!(tree.secrets_held()[2], 99);
        assert_eq!(peek(&tree, 901), Ok(901));
        assert_eq!(peek(&tree, 900), Err(TOO_OLD));
        assert_eq!(peek(&tree, 2001), Ok(2001));
        assert_eq!(peek(&tree, 2002), Err(TOO_FAR));
        // The window moves on with the next message.
        take(suite, &mut tree, 2, RatchetType::Application, 1001).unwrap();
        assert_eq!(peek(&tree, 901), Err(TOO_OLD));
        assert_eq!(peek(&tree, 902), Ok(902));
        assert_eq!(peek(&tree, 1001), Err(USED_UP));
        // The other ratchet is as it was.
        assert_eq!(tree.next_generation(leaf, RatchetType::Handshake), 0);
    });
}

#[test]
fn pitfall_44_limits_are_bounded() {
    for (out_of_order, forward) in [(4097, 0), (0, 65_537), (u32::MAX, u32::MAX)] {
        let result = RatchetLimits::new(out_of_order, forward);
        assert_eq!(result.unwrap_err().fault(), "caller");
    }
    with_suite(|suite| {
        // None at all: messages in order only.
        let mut tree = tree_of(2, limits(0, 0));
        for generation in 0..3 {
            let next = tree.peek(suite, LeafIndex(1), RatchetType::Handshake, generation + 1);
            assert_eq!(next.unwrap_err(), TOO_FAR);
            take(suite, &mut tree, 1, RatchetType::Handshake, generation).unwrap();
            let again = take(suite, &mut tree, 1, RatchetType::Handshake, generation);
            assert_eq!(again, Err(TOO_OLD));
        }
        // The greatest there are.
        let mut tree = tree_of(2, limits(4096, 65_536));
        take(suite, &mut tree, 1, RatchetType::Handshake, 65_536).unwrap();
        assert_eq!(tree.secrets_held()[2], 4095);
    });
}

#[test]
fn pitfall_44_a_replay_is_refused_and_changes_nothing() {
    with_suite(|suite| {
        let mut tree = tree_of(8, RatchetLimits::default());
        for generation in [3, 0, 2] {
            take(suite, &mut tree, 5, RatchetType::Application, generation).unwrap();
            let before = tree.to_bytes().unwrap();
            let again = take(suite, &mut tree, 5, RatchetType::Application, generation);
            assert_eq!(again, Err(USED_UP));
            assert_eq!(tree.to_bytes().unwrap(), before);
        }
        take(suite, &mut tree, 5, RatchetType::Application, 1).unwrap();
        assert_eq!(tree.secrets_held()[2], 0);
    });
}

#[test]
fn pitfall_44_what_is_used_up_is_gone() {
    with_suite(|suite| {
        let model = Model::new(suite, &root(), 8, 8, RatchetLimits::default());
        let mut tree = tree_of(8, RatchetLimits::default());
        let holds = |tree: &SecretTree, secret: &Secret| {
            let bytes = tree.to_bytes().unwrap();
            bytes.windows(secret.len()).any(|window| window == secret.as_slice())
        };
        assert!(holds(&tree, &root()));
        take(suite, &mut tree, 6, RatchetType::Application, 3).unwrap();

        // Section 9.2: the way from the root to the leaf, the ratchet up to here, the key.
        for node in model.path_to(LeafIndex(6)) {
            assert!(!holds(&tree, node));
        }
        let ratchet = model.ratchet_secrets(LeafIndex(6), RatchetType::Application);
        assert!(ratchet[..=3].iter().all(|secret| !holds(&tree, secret)));
        assert!(holds(&tree, &ratchet[4]));
        let key = |generation| {
            let consumed =
                Consumed { leaf: LeafIndex(6), ratchet_type: RatchetType::Application, generation };
            let (key, nonce) = model.key_of(consumed);
            (key.clone(), nonce.clone())
        };
        for generation in 0..3 {
            let (key, nonce) = key(generation);
            assert!(holds(&tree, &key) && holds(&tree, &nonce));
        }
        let (used, nonce) = key(3);
        assert!(!holds(&tree, &used) && !holds(&tree, &nonce));
        take(suite, &mut tree, 6, RatchetType::Application, 1).unwrap();
        let (used, nonce) = key(1);
        assert!(!holds(&tree, &used) && !holds(&tree, &nonce));

        // And what others need is still there.
        let handshake = model.ratchet_secrets(LeafIndex(6), RatchetType::Handshake);
        assert!(holds(&tree, &handshake[0]));
        assert_eq!(tree.secrets_held(), [3, 2, 2]);
        for leaf in 0..8 {
            take(suite, &mut tree, leaf, RatchetType::Handshake, 0).unwrap();
        }
        assert_eq!(tree.secrets_held()[..2], [0, 16]);
    });
}

#[test]
fn a_large_tree_costs_what_is_used_of_it() {
    with_suite(|suite| {
        for leaf_count in [1 << 20, (1 << 31) + 1, u32::MAX] {
            let mut tree = tree_of(leaf_count, RatchetLimits::default());
            assert_eq!(tree.secrets_held(), [1, 0, 0]);
            assert!(tree.to_bytes().unwrap().len() < 64);
            let last = leaf_count - 1;
            take(suite, &mut tree, last, RatchetType::Handshake, 0).unwrap();
            assert!(tree.secrets_held()[0] <= 32);
            take(suite, &mut tree, 0, RatchetType::Handshake, 0).unwrap();
            let restored = stored(&tree);
            let next = NextGenerations::default();
            let limits = RatchetLimits::default();
            let restored = restored.resume(suite, limits, LeafIndex(0), next, &[]);
            assert_eq!(restored.unwrap().to_bytes(), tree.to_bytes());
        }
    });
}

#[test]
fn a_leaf_outside_of_the_tree_is_refused() {
    with_suite(|suite| {
        let tree = tree_of(5, RatchetLimits::default());
        for leaf in [8, 9, 1 << 31, u32::MAX] {
            let result = tree.peek(suite, LeafIndex(leaf), RatchetType::Handshake, 0);
            let expected = Error::invalid("6.3.2: leaf_index is outside of the tree");
            assert_eq!(result.unwrap_err(), expected);
        }
        let single = tree_of(1, RatchetLimits::default());
        assert!(single.peek(suite, LeafIndex(0), RatchetType::Handshake, 0).is_ok());
        assert!(single.peek(suite, LeafIndex(1), RatchetType::Handshake, 0).is_err());
    });
}

#[test]
fn keys_peeked_at_together_are_used_up_one_by_one() {
    with_suite(|suite| {
        let mut tree = tree_of(8, RatchetLimits::default());
        let peek = |tree: &SecretTree, leaf, generation| {
            let pending = tree.peek(suite, LeafIndex(leaf), RatchetType::Application, generation);
            pending.unwrap().into_advance()
        };
        let advances = [peek(&tree, 3, 1), peek(&tree, 2, 0), peek(&tree, 3, 0)];
        let twice = peek(&tree, 3, 1);
        for advance in advances {
            tree.advance(suite, advance).unwrap();
        }
        let mut one_by_one = tree_of(8, RatchetLimits::default());
        for (leaf, generation) in [(3, 1), (2, 0), (3, 0)] {
            take(suite, &mut one_by_one, leaf, RatchetType::Application, generation).unwrap();
        }
        let state = tree.to_bytes().unwrap();
        assert_eq!(state, one_by_one.to_bytes().unwrap());
        assert_eq!(tree.advance(suite, twice), Err(USED_UP));
        assert_eq!(tree.to_bytes().unwrap(), state);
    });
}

/// A tree stored at the start of the epoch, and the generations since: no key is given again.
#[test]
fn a_restart_never_reuses_a_key() {
    with_suite(|suite| {
        let own = LeafIndex(3);
        let at_start = tree_of(6, RatchetLimits::default()).to_bytes().unwrap();
        let mut tree = tree_of(6, RatchetLimits::default());
        let mut used = BTreeSet::new();
        let mut numbers = Numbers::new(7);
        for _ in 0..40 {
            for _ in 0..numbers.below(9) {
                let ratchet = BOTH[numbers.below(2) as usize];
                let pending = tree.peek_next(suite, own, ratchet).unwrap();
                let key = pending.key().key().as_slice().to_vec();
                assert!(used.insert(key), "a key was used twice");
                tree.advance(suite, pending.into_advance()).unwrap();
            }
            let next = tree.next_generations(own);
            let on_disk = next.to_bytes().unwrap();
            assert_eq!(on_disk.len(), 16);
            let next = NextGenerations::decode_exact(&on_disk).unwrap();
            let stored = StoredSecretTree::decode_exact(&at_start).unwrap();
            tree = stored.resume(suite, RatchetLimits::default(), own, next, &[]).unwrap();
            assert_eq!(tree.next_generations(own), next);
            for ratchet in BOTH {
                let below = tree.next_generation(own, ratchet).checked_sub(1);
                for generation in below.into_iter().chain([0]).filter(|_| below.is_some()) {
                    let result = tree.peek(suite, own, ratchet, generation as u32);
                    assert_eq!(result.unwrap_err(), USED_UP);
                }
            }
        }
        assert!(used.len() > 50);
    });
}

#[test]
fn a_stored_generation_may_be_ahead_or_behind() {
    with_suite(|suite| {
        let (own, limits) = (LeafIndex(1), RatchetLimits::default());
        let mut tree = tree_of(2, limits);
        for _ in 0..5 {
            take_next(suite, &mut tree, 1, RatchetType::Application);
        }
        let resume = |application| {
            let next = NextGenerations { handshake: 0, application };
            stored(&tree).resume(suite, limits, own, next, &[])
        };
        let mut ahead = resume(64).unwrap();
        assert_eq!(take_next(suite, &mut ahead, 1, RatchetType::Application), 64);
        assert_eq!(take_next(suite, &mut ahead, 1, RatchetType::Handshake), 0);
        let mut behind = resume(2).unwrap();
        assert_eq!(take_next(suite, &mut behind, 1, RatchetType::Application), 5);
        let unreachable = CallerError::Invalid("a stored generation is out of reach");
        for next in [6 + StoredSecretTree::MAX_SENT, (1 << 32) + 1, u64::MAX] {
            assert_eq!(resume(next).unwrap_err(), Error::Caller(unreachable));
        }
    });
}

#[test]
fn messages_received_since_a_tree_was_stored_stay_used_up() {
    with_suite(|suite| {
        let (own, limits) = (LeafIndex(0), limits(8, 20));
        let mut tree = tree_of(4, limits);
        take(suite, &mut tree, 2, RatchetType::Application, 0).unwrap();
        let at_start = tree.to_bytes().unwrap();
        let mut journal = Vec::new();
        for (leaf, ratchet_type, generation) in [
            (2, RatchetType::Application, 20),
            (2, RatchetType::Application, 17),
            (1, RatchetType::Handshake, 0),
            (2, RatchetType::Application, 33),
        ] {
            let leaf = LeafIndex(leaf);
            let pending = tree.peek(suite, leaf, ratchet_type, generation).unwrap();
            let advance = pending.into_advance();
            journal.push(advance.consumed());
            tree.advance(suite, advance).unwrap();
        }
        // Written, read, and with one from before the tree was stored in front of it.
        let mut entries = vec![Consumed {
            leaf: LeafIndex(2),
            ratchet_type: RatchetType::Application,
            generation: 0,
        }];
        for entry in journal {
            let entry = entry.to_bytes().unwrap();
            assert_eq!(entry.len(), 9);
            entries.push(Consumed::decode_exact(&entry).unwrap());
        }
        let next = NextGenerations::default();
        let resume = |entries: &[Consumed]| {
            let stored = StoredSecretTree::decode_exact(&at_start).unwrap();
            stored.resume(suite, limits, own, next, entries)
        };
        assert_eq!(resume(&entries).unwrap().to_bytes(), tree.to_bytes());
        // Without what came in between, the last one is too far ahead.
        assert_eq!(resume(&entries[4..]).unwrap_err().fault(), "caller");
    });
}

#[test]
fn the_last_generation_is_the_end() {
    with_suite(|suite| {
        let mut tree = tree_of(1, RatchetLimits::default());
        take_next(suite, &mut tree, 0, RatchetType::Handshake);
        let mut bytes = tree.to_bytes().unwrap();
        // depth, nodes<V>, leaves<V> header (2 bytes), leaf, secret<V>: then the generation.
        let at = 1 + 1 + 2 + 4 + 33;
        assert_eq!(bytes[at..at + 8], 1_u64.to_be_bytes());
        bytes[at..at + 8].copy_from_slice(&u64::from(u32::MAX).to_be_bytes());
        let (own, limits) = (LeafIndex(0), RatchetLimits::default());
        let next = NextGenerations::default();
        let stored = StoredSecretTree::decode_exact(&bytes).unwrap();
        let mut tree = stored.resume(suite, limits, own, next, &[]).unwrap();

        assert_eq!(take_next(suite, &mut tree, 0, RatchetType::Handshake), u32::MAX);
        assert_eq!(tree.next_generation(own, RatchetType::Handshake), 1 << 32);
        let end = tree.peek_next(suite, own, RatchetType::Handshake);
        assert_eq!(end.unwrap_err().fault(), "caller");
        for (generation, gone) in [(0, TOO_OLD), (1, TOO_OLD), (u32::MAX, USED_UP)] {
            let result = tree.peek(suite, own, RatchetType::Handshake, generation);
            assert_eq!(result.unwrap_err(), gone);
        }
        assert_eq!(take_next(suite, &mut tree, 0, RatchetType::Application), 0);
        // And it can be stored like any other.
        let next = tree.next_generations(own);
        let restored = self::stored(&tree).resume(suite, limits, own, next, &[]);
        assert_eq!(restored.unwrap().to_bytes(), tree.to_bytes());
    });
}

#[test]
fn a_damaged_store_is_refused_or_harmless() {
    with_suite(|suite| {
        let (own, limits) = (LeafIndex(0), RatchetLimits::default());
        let mut tree = tree_of(5, limits);
        take(suite, &mut tree, 4, RatchetType::Application, 3).unwrap();
        take(suite, &mut tree, 1, RatchetType::Handshake, 0).unwrap();
        let bytes = tree.to_bytes().unwrap();
        for end in 0..bytes.len() {
            assert!(StoredSecretTree::decode_exact(&bytes[..end]).is_err());
        }
        assert!(StoredSecretTree::decode_exact(&[&bytes[..], &[0]].concat()).is_err());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let Ok(stored) = StoredSecretTree::decode_exact(&damaged) else {
                    continue;
                };
                let next = NextGenerations::default();
                let tree = stored.resume(suite, limits, own, next, &[]).unwrap();
                for leaf in (0..5).map(LeafIndex) {
                    // Any result is fine, but there has to be one.
                    let _ = tree.peek(suite, leaf, RatchetType::Application, 4).is_ok();
                }
            }
        }
    });
}
