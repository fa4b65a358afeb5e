//! What proposals in commits ask for (sections 7.3, 10.1 and 12.1).

use super::commits::{commit_of, rekeyed};
use super::setting::Stage;
use super::spec::{Judged, SOME, Spec, bad, good};
use crate::own::Reason::{Rule, Signature, UnknownProposal};
use crate::own::forge::{Draft, LIFETIME, Leaf, Source};
use crate::own::forging::{Change, Sender};
use burrow::Result;

pub(super) fn specs() -> Vec<Spec> {
    [removes(), adds(), added_twice(), updates(), from_outside()].into_iter().flatten().collect()
}

fn removes() -> Vec<Spec> {
    const WHERE: (u8, &str) = (20, "12.1.3");
    vec![
        bad(("remove-blank", "remove"), "a Remove of a blank leaf", WHERE, Rule, |stage| {
            commit_of(stage, vec![Change::Remove(5)])
        })
        .on(SOME),
        bad(
            ("remove-outside", "remove"),
            "a Remove of a leaf beyond the tree",
            WHERE,
            Rule,
            |stage| commit_of(stage, vec![Change::Remove(1000)]),
        )
        .on(SOME),
        bad(
            ("remove-last", "remove"),
            "a Remove of leaf 2^32-1, whose node index isn't one",
            (30, "12.1.3"),
            Rule,
            |stage| commit_of(stage, vec![Change::Remove(u32::MAX)]),
        ),
    ]
}

fn add(stage: &Stage<'_>, change: impl FnOnce(&mut Draft)) -> Result<Judged> {
    let mut new = stage.draft()?;
    change(&mut new);
    commit_of(stage, vec![Change::Add(new)])
}

fn adds() -> Vec<Spec> {
    const SOURCE: (u8, &str) = (23, "7.3");
    vec![
        bad(("add-signature-wrong", "add"), "one bit of the key package's signature is another one", (0, "10.1"), Signature, |stage| {
            add(stage, |new| new.damage = |signature| signature[8] ^= 1)
        })
        .on(SOME),
        bad(("add-leaf-signature-wrong", "add"), "one bit of its leaf's signature is another one", (0, "7.3"), Signature, |stage| {
            add(stage, |new| new.leaf.damage = |signature| signature[8] ^= 1)
        })
        .on(SOME),
        bad(("add-source-update", "add"), "the leaf's leaf_node_source is update", SOURCE, Rule, |stage| {
            add(stage, |new| new.leaf.source = Source::Update)
        })
        .on(SOME),
        bad(("add-source-commit", "add"), "the leaf's leaf_node_source is commit", SOURCE, Rule, |stage| {
            add(stage, |new| new.leaf.source = Source::Commit(vec![0x5a; 32]))
        })
        .on(SOME),
        bad(("add-other-cipher-suite", "add"), "the key package is for another cipher suite, with the same kinds of keys where there is one", (30, "10.1"), Rule, |stage| {
            add(stage, |new| {
                new.cipher_suite = if new.cipher_suite == 1 { 3 } else { 1 };
                new.leaf.cipher_suites = vec![1, 2, 3];
            })
        })
        .on(SOME),
        bad(("add-other-version", "add"), "the key package is for version 2", (30, "10.1"), Rule, |stage| {
            add(stage, |new| new.version = 2)
        }),
        bad(("add-init-key-is-encryption-key", "add"), "the init_key is the leaf's encryption_key", (22, "10.1"), Rule, |stage| {
            add(stage, |new| new.init_key = new.leaf.encryption_key.clone())
        })
        .on(SOME),
        bad(("add-extension-not-listed", "add"), "the leaf has an extension that its capabilities don't list", (50, "7.3"), Rule, |stage| {
            add(stage, |new| new.leaf.extensions.push((0xf123, Vec::new())))
        })
        .on(SOME),
        bad(("add-credential-not-listed", "add"), "the leaf's capabilities don't list its own credential type", (51, "7.2"), Rule, |stage| {
            add(stage, |new| new.leaf.credential_types = vec![2])
        }),
        bad(("add-credential-not-supported", "add"), "the leaf has a credential type that no member lists", (51, "7.3"), Rule, |stage| {
            add(stage, |new| {
                new.leaf.credential_type = 0xf00c;
                new.leaf.credential_types.push(0xf00c);
            })
        }),
    ]
}

fn added_twice() -> Vec<Spec> {
    const UNIQUE: (u8, &str) = (21, "7.3");
    vec![
        bad(
            ("add-signature-key-of-member", "add"),
            "the new client's signature_key is leaf 3's",
            UNIQUE,
            Rule,
            |stage| {
                let signer = stage.leaf(3)?.signer;
                add(stage, |new| rekeyed(new, signer))
            },
        )
        .on(SOME),
        bad(
            ("add-encryption-key-of-member", "add"),
            "the new leaf's encryption_key is leaf 3's",
            UNIQUE,
            Rule,
            |stage| {
                let key = stage.leaf(3)?.encryption_key;
                add(stage, |new| new.leaf.encryption_key = key)
            },
        )
        .on(SOME),
        bad(
            ("two-adds-signature-key", "two-adds"),
            "two new clients have one signature_key",
            UNIQUE,
            Rule,
            |stage| {
                let one = stage.draft()?;
                let mut other = stage.draft()?;
                other.leaf.name = b"newer";
                rekeyed(&mut other, one.signer.clone());
                commit_of(stage, vec![Change::Add(one), Change::Add(other)])
            },
        )
        .on(SOME),
        bad(
            ("two-adds-encryption-key", "two-adds"),
            "two new leaves have one encryption_key",
            UNIQUE,
            Rule,
            |stage| {
                let one = stage.draft()?;
                let mut other = stage.draft()?;
                other.leaf.name = b"newer";
                other.leaf.encryption_key = one.leaf.encryption_key.clone();
                commit_of(stage, vec![Change::Add(one), Change::Add(other)])
            },
        )
        .on(SOME),
    ]
}

/// Leaf 2 proposes such an Update; leaf 0 commits it, if it has been taken or not.
fn update(stage: &mut Stage<'_>, change: impl FnOnce(&mut Leaf)) -> Result<Judged> {
    let mut leaf = stage.update_of(2)?;
    change(&mut leaf);
    let update = Change::Update(2, leaf);
    let reference = stage.offer(stage.member(2)?, &update)?;
    stage.commit()?.by_reference(update, reference).make()?.try_into()
}

/// burrow refuses such a proposal when it comes in, and doesn't know it any more when it is
/// committed; where the rule is about the whole tree, it is refused in the commit.
fn updates() -> Vec<Spec> {
    const SOURCE: (u8, &str) = (23, "7.3");
    vec![
        bad(
            ("update-signature-wrong", "update"),
            "one bit of the Update's leaf's signature is another one",
            (0, "7.3"),
            UnknownProposal,
            |stage| update(stage, |leaf| leaf.damage = |signature| signature[8] ^= 1),
        )
        .on(SOME),
        bad(
            ("update-source-key-package", "update"),
            "the Update's leaf_node_source is key_package",
            SOURCE,
            UnknownProposal,
            |stage| update(stage, |leaf| leaf.source = Source::KeyPackage(LIFETIME.0, LIFETIME.1)),
        )
        .on(SOME),
        bad(
            ("update-source-commit", "update"),
            "the Update's leaf_node_source is commit",
            SOURCE,
            UnknownProposal,
            |stage| update(stage, |leaf| leaf.source = Source::Commit(Vec::new())),
        )
        .on(SOME),
        bad(
            ("update-of-another-place", "update"),
            "the Update's leaf is signed for another leaf_index",
            SOURCE,
            UnknownProposal,
            |stage| update(stage, |leaf| leaf.place.1 = 3),
        )
        .on(SOME),
        bad(
            ("update-of-another-group", "update"),
            "the Update's leaf is signed for another group",
            SOURCE,
            UnknownProposal,
            |stage| update(stage, |leaf| leaf.place.0.push(b'!')),
        ),
        bad(
            ("update-same-encryption-key", "update"),
            "the Update's encryption_key is the old one",
            (22, "7.3"),
            UnknownProposal,
            |stage| {
                let key = stage.leaf(2)?.encryption_key;
                update(stage, |leaf| leaf.encryption_key = key)
            },
        )
        .on(SOME),
        bad(
            ("update-extension-not-listed", "update"),
            "the Update's leaf has an extension that its capabilities don't list",
            (50, "7.3"),
            UnknownProposal,
            |stage| update(stage, |leaf| leaf.extensions.push((0xf123, Vec::new()))),
        ),
        bad(
            ("update-encryption-key-of-member", "update"),
            "the Update's encryption_key is leaf 3's",
            (21, "7.3"),
            Rule,
            |stage| {
                let key = stage.leaf(3)?.encryption_key;
                update(stage, |leaf| leaf.encryption_key = key)
            },
        )
        .on(SOME),
        bad(
            ("update-signature-key-of-member", "update"),
            "the Update's signature_key is leaf 3's",
            (21, "7.3"),
            Rule,
            |stage| {
                let other = stage.leaf(3)?;
                update(stage, |leaf| {
                    leaf.signature_key = other.signature_key;
                    leaf.signer = other.signer;
                })
            },
        )
        .on(SOME),
        bad(
            ("remove-blank-by-reference", "remove-by-reference"),
            "leaf 2 proposes to remove a blank leaf",
            (20, "12.1.3"),
            UnknownProposal,
            |stage| {
                let remove = Change::Remove(5);
                let reference = stage.offer(stage.member(2)?, &remove)?;
                stage.commit()?.by_reference(remove, reference).make()?.try_into()
            },
        ),
    ]
}

fn from_outside() -> Vec<Spec> {
    fn external_sender(stage: &Stage<'_>) -> (Sender, crypto_api::SigningKey) {
        (Sender::External(0), stage.external_sender.clone())
    }
    vec![
        good(
            "external-proposal",
            "the external sender proposes to remove leaf 3, leaf 0 commits it",
            (27, "12.1.8.1"),
            |stage| {
                let remove = Change::Remove(3);
                let reference = stage.give(external_sender(stage), &remove)?;
                stage.commit()?.by_reference(remove, reference).make()?.try_into()
            },
        )
        .on(SOME),
        good(
            "new-member-proposal",
            "a new client proposes to be added, leaf 0 commits it",
            (27, "12.1.8"),
            |stage| {
                let new = stage.draft()?;
                let from = (Sender::NewMemberProposal, new.signer.clone());
                let add = Change::Add(new);
                let reference = stage.give(from, &add)?;
                stage.commit()?.by_reference(add, reference).make()?.try_into()
            },
        ),
        bad(
            ("external-update", "external-proposal"),
            "the external sender proposes an Update of leaf 2, leaf 0 commits it",
            (27, "12.1.8"),
            UnknownProposal,
            |stage| {
                let update = Change::Update(2, stage.update_of(2)?);
                let reference = stage.offer(external_sender(stage), &update)?;
                stage.commit()?.by_reference(update, reference).make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("external-init", "external-proposal"),
            "the external sender proposes an ExternalInit, leaf 0 commits it",
            (27, "12.1.8"),
            UnknownProposal,
            |stage| {
                let init = Change::ExternalInit(vec![9; 32]);
                let reference = stage.offer(external_sender(stage), &init)?;
                stage.commit()?.by_reference(init, reference).make()?.try_into()
            },
        ),
        bad(
            ("external-index", "external-proposal"),
            "the proposal is of an external sender that there isn't",
            (27, "12.1.8.1"),
            UnknownProposal,
            |stage| {
                let remove = Change::Remove(3);
                let from = (Sender::External(1), stage.external_sender.clone());
                let reference = stage.offer(from, &remove)?;
                stage.commit()?.by_reference(remove, reference).make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("external-signed-by-member", "external-proposal"),
            "the external sender's proposal is signed by leaf 2",
            (27, "12.1.8.1"),
            UnknownProposal,
            |stage| {
                let remove = Change::Remove(3);
                let from = (Sender::External(0), stage.leaf(2)?.signer);
                let reference = stage.offer(from, &remove)?;
                stage.commit()?.by_reference(remove, reference).make()?.try_into()
            },
        ),
        bad(
            ("new-member-remove", "new-member-proposal"),
            "a new client proposes to remove leaf 3, leaf 0 commits it",
            (27, "12.1.8"),
            UnknownProposal,
            |stage| {
                let remove = Change::Remove(3);
                let from = (Sender::NewMemberProposal, stage.suite().generate_signing_key()?);
                let reference = stage.offer(from, &remove)?;
                stage.commit()?.by_reference(remove, reference).make()?.try_into()
            },
        ),
        bad(
            ("new-member-signed-by-another", "new-member-proposal"),
            "a new client's proposal is not signed with its key package's key",
            (27, "6.1"),
            UnknownProposal,
            |stage| {
                let add = Change::Add(stage.draft()?);
                let from = (Sender::NewMemberProposal, stage.suite().generate_signing_key()?);
                let reference = stage.offer(from, &add)?;
                stage.commit()?.by_reference(add, reference).make()?.try_into()
            },
        ),
    ]
}
