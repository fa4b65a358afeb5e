//! Commits (sections 12.2 and 12.4): what is in the list, and whether there is a path.

use super::setting::{self, LISTED_EXTENSION, Stage};
use super::spec::{ALL, Judged, SOME, SceneSpec, Spec, bad, good};
use super::{external, paths, proposals, tags};
use crate::own::Reason::{Mac, Malformed, Psk as PskReason, Rule};
use crate::own::forging::{COMMIT, Change, Commit, Frame, PrivateFrame, Psk, opaque, struct_of};
use burrow::Result;
use crypto_api::SigningKey;

pub(super) fn scenes() -> Vec<SceneSpec> {
    let lists = [
        accepted(),
        path_required(),
        of_the_committer(),
        twice(),
        psks(),
        extensions(),
        reinits(),
        tags::specs(),
        proposals::specs(),
        paths::specs(),
        external::specs(),
    ];
    vec![SceneSpec {
        name: "commit",
        what: "A group of five, all leaves in use; the client is leaf 1, and was added by leaf 0. \
               There is one external sender. Most commits are leaf 0's.",
        setting: setting::inside,
        cases: lists.into_iter().flatten().collect(),
    }]
}

/// Leaf 0 commits these, with a path.
pub(super) fn commit_of(stage: &Stage<'_>, changes: Vec<Change>) -> Result<Judged> {
    commit(stage, changes)?.make()?.try_into()
}

fn commit<'a>(stage: &Stage<'a>, changes: Vec<Change>) -> Result<Commit<'a>> {
    Ok(changes.into_iter().fold(stage.commit()?, Commit::with))
}

fn without_path(stage: &Stage<'_>, changes: Vec<Change>) -> Result<Judged> {
    commit(stage, changes)?.without_path().make()?.try_into()
}

fn accepted() -> Vec<Spec> {
    vec![
        good("empty", "no proposals, and a path", (15, "12.4"), |stage| commit_of(stage, vec![]))
            .on(ALL),
        good("private", "the same as a PrivateMessage", (0, "12.4"), |stage| {
            let commit = stage.commit()?.frame(private);
            commit.make()?.try_into()
        })
        .on(SOME),
        good("remove", "leaf 3 is removed", (0, "12.1.3"), |stage| {
            commit_of(stage, vec![Change::Remove(3)])
        })
        .on(ALL),
        good("add", "a new client is added", (0, "12.1.1"), |stage| {
            let new = stage.draft()?;
            commit_of(stage, vec![Change::Add(new)])
        })
        .on(ALL),
        good("add-without-path", "a new client is added, without a path", (15, "12.4"), |stage| {
            let new = stage.draft()?;
            without_path(stage, vec![Change::Add(new)])
        }),
        good("two-adds", "two new clients are added", (20, "12.2"), |stage| {
            let [one, other] = two_new(stage)?;
            commit_of(stage, vec![Change::Add(one), Change::Add(other)])
        })
        .on(SOME),
        good(
            "remove-and-add",
            "leaf 3 is removed; its signature_key is added again, and takes its place",
            (18, "12.3"),
            |stage| {
                let leaf = stage.leaf(3)?;
                let mut new = stage.draft()?;
                new.leaf.name = leaf.name;
                rekeyed(&mut new, leaf.signer);
                commit_of(stage, vec![Change::Add(new), Change::Remove(3)])
            },
        )
        .on(SOME),
        good("removes-us", "the client is removed", (29, "12.4.2"), |stage| {
            let judged = commit_of(stage, vec![Change::Remove(setting::OURS)])?;
            Ok(Judged { epoch_authenticator: None, ..judged })
        })
        .on(SOME),
        good("update", "leaf 2 proposes an Update, leaf 0 commits it", (0, "12.1.2"), |stage| {
            let update = Change::Update(2, stage.update_of(2)?);
            let reference = stage.give(stage.member(2)?, &update)?;
            stage.commit()?.by_reference(update, reference).make()?.try_into()
        })
        .on(ALL),
        good(
            "remove-by-reference",
            "leaf 2 proposes to remove leaf 3, leaf 0 commits it",
            (0, "12.1.3"),
            |stage| {
                let remove = Change::Remove(3);
                let reference = stage.give(stage.member(2)?, &remove)?;
                stage.commit()?.by_reference(remove, reference).make()?.try_into()
            },
        )
        .on(SOME),
        good("psk", "an external PSK", (36, "12.1.4"), |stage| {
            let psk = stage.psk()?;
            commit_of(stage, vec![Change::Psk(psk)])
        })
        .on(ALL),
        good(
            "resumption-psk",
            "the present epoch's resumption PSK, for the application",
            (37, "12.1.4"),
            |stage| {
                let psk = stage.resumption(1)?;
                commit_of(stage, vec![Change::Psk(psk)])
            },
        ),
        good(
            "extensions",
            "the GroupContext has no extensions any more",
            (24, "12.1.7"),
            |stage| commit_of(stage, vec![Change::Extensions(Vec::new())]),
        )
        .on(ALL),
        good(
            "required-capabilities",
            "all members have what is required, and so has a new one",
            (24, "12.1.7"),
            |stage| {
                let new = stage.draft()?;
                commit_of(stage, vec![require(LISTED_EXTENSION), Change::Add(new)])
            },
        )
        .on(SOME),
        good("reinit", "the group is to be reinitialised", (28, "12.1.5"), |stage| {
            without_path(stage, vec![reinit(1)?])
        }),
    ]
}

pub(super) fn private(frame: &mut Frame) {
    frame.private = Some(PrivateFrame::new(0, 0, COMMIT));
}

fn two_new(stage: &Stage<'_>) -> Result<[crate::own::forge::Draft; 2]> {
    let one = stage.draft()?;
    let mut other = stage.draft()?;
    other.leaf.name = b"newer";
    Ok([one, other])
}

/// Signs a key package with another key.
pub(super) fn rekeyed(draft: &mut crate::own::forge::Draft, signer: SigningKey) {
    draft.leaf.signature_key = signer.public().to_vec();
    draft.leaf.signer = signer.clone();
    draft.signer = signer;
}

/// A GroupContextExtensions that requires an extension type.
fn require(extension_type: u16) -> Change {
    let [high, low] = extension_type.to_be_bytes();
    Change::Extensions(vec![(3, vec![2, high, low, 0, 0])])
}

/// A ReInit to the same cipher suite family.
fn reinit(version: u16) -> Result<Change> {
    let suite = 1_u16.to_be_bytes();
    Ok(Change::ReInit(struct_of(&[&opaque(b"next")?, &version.to_be_bytes(), &suite, &[0]])))
}

fn path_required() -> Vec<Spec> {
    const WHERE: (u8, &str) = (15, "12.4");
    vec![
        bad(("empty-without-path", "empty"), "no proposals, and no path", WHERE, Rule, |stage| {
            without_path(stage, vec![])
        })
        .on(SOME),
        bad(("remove-without-path", "remove"), "a Remove, and no path", WHERE, Rule, |stage| {
            without_path(stage, vec![Change::Remove(3)])
        })
        .on(SOME),
        bad(("update-without-path", "update"), "an Update, and no path", WHERE, Rule, |stage| {
            let update = Change::Update(2, stage.update_of(2)?);
            let reference = stage.give(stage.member(2)?, &update)?;
            let commit = stage.commit()?.by_reference(update, reference).without_path();
            commit.make()?.try_into()
        })
        .on(SOME),
        bad(
            ("extensions-without-path", "extensions"),
            "a GroupContextExtensions, and no path",
            WHERE,
            Rule,
            |stage| without_path(stage, vec![Change::Extensions(Vec::new())]),
        )
        .on(SOME),
        bad(
            ("add-and-remove-without-path", "remove-and-add"),
            "an Add and a Remove, and no path",
            WHERE,
            Rule,
            |stage| {
                let new = stage.draft()?;
                without_path(stage, vec![Change::Add(new), Change::Remove(3)])
            },
        ),
    ]
}

fn of_the_committer() -> Vec<Spec> {
    const WHERE: (u8, &str) = (19, "12.2");
    vec![
        bad(
            ("removes-committer", "remove"),
            "the committer removes itself, and its path puts it back",
            WHERE,
            Rule,
            |stage| commit_of(stage, vec![Change::Remove(0)]),
        )
        .on(SOME),
        bad(
            ("removes-committer-by-reference", "remove-by-reference"),
            "leaf 2 proposes to remove leaf 0, which commits it",
            WHERE,
            Rule,
            |stage| {
                let remove = Change::Remove(0);
                let reference = stage.give(stage.member(2)?, &remove)?;
                stage.commit()?.by_reference(remove, reference).make()?.try_into()
            },
        ),
        bad(
            ("updates-committer", "update"),
            "leaf 0 proposes an Update, and commits it",
            WHERE,
            Rule,
            |stage| {
                let update = Change::Update(0, stage.update_of(0)?);
                let reference = stage.give(stage.member(0)?, &update)?;
                stage.commit()?.by_reference(update, reference).make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("update-by-value", "update"),
            "an Update of the committer's, by value",
            WHERE,
            Rule,
            |stage| {
                let update = Change::Update(0, stage.update_of(0)?);
                commit_of(stage, vec![update])
            },
        )
        .on(SOME),
        bad(
            ("external-init-by-member", "empty"),
            "an ExternalInit in a member's commit",
            (25, "12.2"),
            Rule,
            |stage| commit_of(stage, vec![Change::ExternalInit(vec![9; 32])]),
        )
        .on(SOME),
    ]
}

fn twice() -> Vec<Spec> {
    const WHERE: (u8, &str) = (20, "12.2");
    vec![
        bad(("remove-twice", "remove"), "two Removes of one leaf", WHERE, Rule, |stage| {
            commit_of(stage, vec![Change::Remove(3), Change::Remove(3)])
        })
        .on(SOME),
        bad(
            ("update-and-remove", "update"),
            "an Update and a Remove of one leaf",
            WHERE,
            Rule,
            |stage| {
                let update = Change::Update(2, stage.update_of(2)?);
                let reference = stage.give(stage.member(2)?, &update)?;
                let commit =
                    stage.commit()?.by_reference(update, reference).with(Change::Remove(2));
                commit.make()?.try_into()
            },
        )
        .on(SOME),
        bad(("update-twice", "update"), "two Updates of one leaf", WHERE, Rule, |stage| {
            let updates = [stage.update_of(2)?, stage.update_of(2)?];
            let mut commit = stage.commit()?;
            for update in updates {
                let update = Change::Update(2, update);
                let reference = stage.give(stage.member(2)?, &update)?;
                commit = commit.by_reference(update, reference);
            }
            commit.make()?.try_into()
        })
        .on(SOME),
        bad(("reference-twice", "update"), "one ProposalRef twice", WHERE, Rule, |stage| {
            let update = Change::Update(2, stage.update_of(2)?);
            let reference = stage.give(stage.member(2)?, &update)?;
            let commit = stage.commit()?.by_reference(update.clone(), reference.clone());
            commit.by_reference(update, reference).make()?.try_into()
        }),
        bad(
            ("psk-twice", "psk"),
            "one PreSharedKeyID twice, with one nonce",
            WHERE,
            Rule,
            |stage| {
                let psk = stage.psk()?;
                commit_of(stage, vec![Change::Psk(psk.clone()), Change::Psk(psk)])
            },
        )
        .on(SOME),
        bad(
            ("extensions-twice", "extensions"),
            "two GroupContextExtensions",
            WHERE,
            Rule,
            |stage| {
                let changes = vec![Change::Extensions(Vec::new()), Change::Extensions(Vec::new())];
                commit_of(stage, changes)
            },
        )
        .on(SOME),
        bad(
            ("add-twice", "two-adds"),
            "one key package is added twice",
            (20, "7.3"),
            Rule,
            |stage| {
                let new = stage.draft()?;
                commit_of(stage, vec![Change::Add(new.clone()), Change::Add(new)])
            },
        )
        .on(SOME),
    ]
}

fn psks() -> Vec<Spec> {
    const NONCE: (u8, &str) = (36, "12.1.4");
    const USAGE: (u8, &str) = (37, "12.1.4");
    vec![
        bad(
            ("psk-nonce-short", "psk"),
            "the psk_nonce is one byte short; all is computed with it",
            NONCE,
            Rule,
            |stage| {
                let psk = stage.psk_with(stage.suite().kdf_nh() - 1)?;
                commit_of(stage, vec![Change::Psk(psk)])
            },
        )
        .on(ALL),
        bad(
            ("psk-nonce-long", "psk"),
            "the psk_nonce is one byte too long; all is computed with it",
            NONCE,
            Rule,
            |stage| {
                let psk = stage.psk_with(stage.suite().kdf_nh() + 1)?;
                commit_of(stage, vec![Change::Psk(psk)])
            },
        ),
        bad(
            ("psk-nonce-empty", "psk"),
            "the psk_nonce is empty; all is computed with it",
            NONCE,
            Rule,
            |stage| {
                let psk = stage.psk_with(0)?;
                commit_of(stage, vec![Change::Psk(psk)])
            },
        ),
        bad(
            ("psk-unknown", "psk"),
            "an external PSK that the client doesn't have",
            (36, "12.4.2"),
            PskReason,
            |stage| {
                let nonce = stage.nonce(stage.suite().kdf_nh())?;
                let psk = Psk::external(b"unknown", nonce, stage.psks[0].1.clone())?;
                commit_of(stage, vec![Change::Psk(psk)])
            },
        )
        .on(SOME),
        bad(
            ("psk-other", "psk"),
            "all is computed with another key than the PSK's",
            (36, "12.4.2"),
            Mac,
            |stage| {
                let mut psk = stage.psk()?;
                psk.secret = stage.psks[1].1.clone();
                commit_of(stage, vec![Change::Psk(psk)])
            },
        ),
        bad(
            ("psk-for-reinit", "resumption-psk"),
            "a resumption PSK for a reinitialisation",
            USAGE,
            Rule,
            |stage| {
                let psk = stage.resumption(2)?;
                commit_of(stage, vec![Change::Psk(psk)])
            },
        ),
        bad(
            ("psk-for-branch", "resumption-psk"),
            "a resumption PSK for a branch",
            USAGE,
            Rule,
            |stage| {
                let psk = stage.resumption(3)?;
                commit_of(stage, vec![Change::Psk(psk)])
            },
        ),
        bad(
            ("psk-of-no-usage", "resumption-psk"),
            "a resumption PSK for a usage that there isn't",
            USAGE,
            Malformed,
            |stage| {
                let psk = stage.resumption(4)?;
                commit_of(stage, vec![Change::Psk(psk)])
            },
        ),
        bad(
            ("psk-of-no-type", "psk"),
            "a PSK of a type that there isn't",
            (37, "8.4"),
            Malformed,
            |stage| {
                let mut psk = stage.psk()?;
                psk.id[0] = 9;
                commit_of(stage, vec![Change::Psk(psk)])
            },
        ),
    ]
}

fn extensions() -> Vec<Spec> {
    const REQUIRED: (u8, &str) = (24, "7.3");
    vec![
        bad(
            ("requires-too-much", "required-capabilities"),
            "members lack an extension type that is now required",
            REQUIRED,
            Rule,
            |stage| commit_of(stage, vec![require(0xf123)]),
        )
        .on(SOME),
        bad(
            ("add-lacks-required", "required-capabilities"),
            "a new client lacks an extension type that the same commit requires",
            REQUIRED,
            Rule,
            |stage| {
                let mut new = stage.draft()?;
                new.leaf.extension_types.clear();
                commit_of(stage, vec![require(LISTED_EXTENSION), Change::Add(new)])
            },
        )
        .on(SOME),
        bad(
            ("extension-not-supported", "extensions"),
            "the GroupContext gets an extension that no member lists",
            (50, "13.4"),
            Rule,
            |stage| commit_of(stage, vec![Change::Extensions(vec![(0xf123, Vec::new())])]),
        )
        .on(SOME),
        bad(
            ("grease-extension", "extensions"),
            "the GroupContext gets a GREASE extension that no member lists",
            (48, "13.4"),
            Rule,
            |stage| commit_of(stage, vec![Change::Extensions(vec![(0x1a1a, Vec::new())])]),
        ),
        bad(
            ("extension-twice", "extensions"),
            "the GroupContext gets two extensions of one type",
            (50, "13.4"),
            Malformed,
            |stage| {
                let extension = (LISTED_EXTENSION, vec![1]);
                commit_of(stage, vec![Change::Extensions(vec![extension.clone(), extension])])
            },
        ),
        bad(
            ("external-senders-trailing", "extensions"),
            "a byte follows the external_senders",
            (47, "12.1.8.1"),
            Malformed,
            |stage| commit_of(stage, vec![Change::Extensions(vec![(5, vec![0, 0])])]),
        )
        .on(SOME),
        bad(
            ("required-capabilities-truncated", "required-capabilities"),
            "the required_capabilities lack a list",
            (47, "11.1"),
            Malformed,
            |stage| commit_of(stage, vec![Change::Extensions(vec![(3, vec![0, 0])])]),
        ),
    ]
}

fn reinits() -> Vec<Spec> {
    const WHERE: (u8, &str) = (28, "12.2");
    vec![
        bad(("reinit-and-remove", "reinit"), "a ReInit and a Remove", WHERE, Rule, |stage| {
            commit_of(stage, vec![reinit(1)?, Change::Remove(3)])
        }),
        bad(("reinit-and-psk", "reinit"), "a ReInit and a PSK", WHERE, Rule, |stage| {
            let psk = stage.psk()?;
            without_path(stage, vec![Change::Psk(psk), reinit(1)?])
        }),
        bad(("reinit-twice", "reinit"), "two ReInits", WHERE, Rule, |stage| {
            without_path(stage, vec![reinit(1)?, reinit(1)?])
        }),
        bad(
            ("reinit-to-version-before", "reinit"),
            "a ReInit to version 0",
            (28, "12.1.5"),
            Rule,
            |stage| without_path(stage, vec![reinit(0)?]),
        ),
    ]
}
