//! External commits (section 12.4.3.2).

use super::commits::rekeyed;
use super::setting::Stage;
use super::spec::{Judged, SOME, Spec, bad, good};
use crate::own::Reason::{Mac, Malformed, Rule, Signature};
use crate::own::forge::Draft;
use crate::own::forging::{COMMIT, Change, Commit, PrivateFrame, opaque, struct_of};
use burrow::Result;

const CONTROL: &str = "external";

/// A new client joins by such a commit.
fn external<'a>(
    stage: &Stage<'a>,
    change: impl FnOnce(Commit<'a>) -> Commit<'a>,
) -> Result<Judged> {
    let new = stage.draft()?;
    change(stage.group.external_commit(&new)?).make()?.try_into()
}

/// A new client with leaf 3's identity.
fn again(stage: &Stage<'_>) -> Result<Draft> {
    let old = stage.leaf(3)?;
    let mut new = stage.draft()?;
    new.leaf.name = old.name;
    rekeyed(&mut new, old.signer);
    Ok(new)
}

pub(super) fn specs() -> Vec<Spec> {
    [accepted(), lists(), others()].into_iter().flatten().collect()
}

fn accepted() -> Vec<Spec> {
    vec![
        good(CONTROL, "a new client joins by an external commit", (25, "12.4.3.2"), |stage| {
            external(stage, |commit| commit)
        })
        .on(SOME),
        good(
            "external-again",
            "leaf 3's client joins again, and removes its old leaf",
            (25, "12.4.3.2"),
            |stage| {
                let new = again(stage)?;
                stage.group.external_commit(&new)?.with(Change::Remove(3)).make()?.try_into()
            },
        )
        .on(SOME),
        good("external-psk", "an external commit with a PSK", (25, "12.4.3.2"), |stage| {
            let psk = stage.psk()?;
            external(stage, |commit| commit.with(Change::Psk(psk)))
        }),
    ]
}

fn lists() -> Vec<Spec> {
    const WHERE: (u8, &str) = (25, "12.2");
    vec![
        bad(
            ("external-without-init", CONTROL),
            "an external commit without an ExternalInit",
            WHERE,
            Rule,
            |stage| external(stage, Commit::without_proposals),
        )
        .on(SOME),
        bad(
            ("external-two-inits", CONTROL),
            "an external commit with two ExternalInits",
            WHERE,
            Rule,
            |stage| {
                let other = opaque(&[9; 32])?;
                external(stage, |commit| commit.with(Change::Raw(struct_of(&[&[0, 6], &other]))))
            },
        )
        .on(SOME),
        bad(
            ("external-two-removes", "external-again"),
            "an external commit with two Removes",
            WHERE,
            Rule,
            |stage| {
                let new = again(stage)?;
                let commit = stage.group.external_commit(&new)?;
                commit.with(Change::Remove(3)).with(Change::Remove(4)).make()?.try_into()
            },
        )
        .on(SOME),
        bad(("external-add", CONTROL), "an external commit with an Add", WHERE, Rule, |stage| {
            let mut other = stage.draft()?;
            other.leaf.name = b"newer";
            external(stage, |commit| commit.with(Change::Add(other)))
        })
        .on(SOME),
        bad(
            ("external-extensions", CONTROL),
            "an external commit with a GroupContextExtensions",
            WHERE,
            Rule,
            |stage| external(stage, |commit| commit.with(Change::Extensions(Vec::new()))),
        )
        .on(SOME),
        bad(
            ("external-reinit", CONTROL),
            "an external commit with a ReInit",
            WHERE,
            Rule,
            |stage| {
                let body = struct_of(&[&opaque(b"next")?, &[0, 1, 0, 1, 0]]);
                external(stage, |commit| commit.with(Change::ReInit(body)))
            },
        ),
        bad(
            ("external-update-by-value", CONTROL),
            "an external commit with an Update by value",
            WHERE,
            Rule,
            |stage| {
                let update = stage.update_of(2)?.encoded(stage.suite())?;
                external(stage, |commit| commit.with(Change::Raw(struct_of(&[&[0, 2], &update]))))
            },
        ),
        bad(
            ("external-by-reference", CONTROL),
            "an external commit with a Remove by reference",
            (25, "12.4.3.2"),
            Rule,
            |stage| {
                let remove = Change::Remove(3);
                let reference = stage.give(stage.member(2)?, &remove)?;
                external(stage, |commit| commit.by_reference(remove, reference))
            },
        )
        .on(SOME),
        bad(
            ("external-remove-blank", "external-again"),
            "an external commit removes a blank leaf",
            (20, "12.1.3"),
            Rule,
            |stage| external(stage, |commit| commit.with(Change::Remove(6))),
        ),
    ]
}

fn others() -> Vec<Spec> {
    vec![
        bad(
            ("external-without-path", CONTROL),
            "an external commit without a path",
            (25, "12.4.3.2"),
            Rule,
            |stage| external(stage, Commit::without_path),
        )
        .on(SOME),
        bad(
            ("external-signature-key-of-member", CONTROL),
            "the new client's signature_key is leaf 3's, which stays",
            (21, "7.3"),
            Rule,
            |stage| {
                let new = again(stage)?;
                stage.group.external_commit(&new)?.make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("external-encryption-key-of-member", CONTROL),
            "the new client's encryption_key is leaf 3's",
            (21, "7.3"),
            Rule,
            |stage| {
                let key = stage.leaf(3)?.encryption_key;
                external(stage, |commit| commit.leaf(move |leaf| leaf.encryption_key = key))
            },
        ),
        bad(
            ("external-signed-by-another", CONTROL),
            "the commit isn't signed with the key of the path's leaf",
            (25, "6.1"),
            Signature,
            |stage| {
                let signer = stage.suite().generate_signing_key()?;
                external(stage, |commit| commit.frame(move |frame| frame.signer = signer))
            },
        )
        .on(SOME),
        bad(
            ("external-of-another-place", CONTROL),
            "the path's leaf is signed for another leaf_index than the leftmost blank one",
            (25, "7.2"),
            Signature,
            |stage| external(stage, |commit| commit.leaf(|leaf| leaf.place.1 += 1)),
        )
        .on(SOME),
        bad(
            ("external-wrong-kem-output", CONTROL),
            "all is computed with another init_secret than the ExternalInit's",
            (26, "8.3"),
            Mac,
            |stage| {
                let secret = crate::own::forging::random(stage.suite())?;
                external(stage, |commit| commit.init_secret(secret))
            },
        )
        .on(SOME),
        bad(
            ("external-membership-tag", CONTROL),
            "an external commit with a membership_tag",
            (25, "6.2"),
            Malformed,
            |stage| {
                external(stage, |commit| {
                    commit.frame(|frame| frame.on_membership_tag = |tag| *tag = Some(vec![7; 32]))
                })
            },
        ),
        bad(
            ("external-confirmation-tag-wrong", CONTROL),
            "one bit of the confirmation_tag is another one",
            (38, "12.4.2"),
            Mac,
            |stage| {
                external(stage, |commit| {
                    commit.frame(|frame| {
                        frame.on_confirmation_tag =
                            |tag| tag.iter_mut().for_each(|tag| tag[0] ^= 1);
                    })
                })
            },
        )
        .on(SOME),
        bad(
            ("external-private", CONTROL),
            "an external commit as a PrivateMessage of leaf 0's",
            (25, "6.1"),
            Signature,
            |stage| {
                external(stage, |commit| {
                    commit.frame(|frame| frame.private = Some(PrivateFrame::new(0, 0, COMMIT)))
                })
            },
        ),
        bad(
            ("external-extension-not-listed", CONTROL),
            "the new leaf has an extension that its capabilities don't list",
            (50, "7.3"),
            Rule,
            |stage| {
                external(stage, |commit| {
                    commit.leaf(|leaf| leaf.extensions.push((0xf123, Vec::new())))
                })
            },
        ),
    ]
}
