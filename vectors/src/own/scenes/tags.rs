//! Commits whose signature, tags, epoch or encoding is wrong (sections 6.1, 6.2 and 12.4.2).

use super::commits::{commit_of, private};
use super::setting::Stage;
use super::spec::{ALL, Judged, SOME, Spec, bad};
use crate::own::Reason::{Ignored, Mac, Malformed, Rule, Signature, UnknownProposal};
use crate::own::forging::{Change, Frame};
use burrow::Result;

pub(super) fn specs() -> Vec<Spec> {
    [tags(), encodings()].into_iter().flatten().collect()
}

fn framed(stage: &Stage<'_>, change: fn(&mut Frame)) -> Result<Judged> {
    stage.commit()?.frame(change).make()?.try_into()
}

fn tags() -> Vec<Spec> {
    const CONFIRMATION: (u8, &str) = (38, "12.4.2");
    const MEMBERSHIP: (u8, &str) = (38, "6.2");
    vec![
        bad(
            ("confirmation-tag-wrong", "empty"),
            "one bit of the confirmation_tag is another one",
            CONFIRMATION,
            Mac,
            |stage| {
                framed(stage, |frame| {
                    frame.on_confirmation_tag = |tag| tag.iter_mut().for_each(|tag| tag[0] ^= 1)
                })
            },
        )
        .on(ALL),
        bad(
            ("confirmation-tag-zero", "empty"),
            "the confirmation_tag is all zero",
            CONFIRMATION,
            Mac,
            |stage| {
                framed(stage, |frame| {
                    frame.on_confirmation_tag = |tag| tag.iter_mut().for_each(|tag| tag.fill(0))
                })
            },
        ),
        bad(
            ("confirmation-tag-empty", "empty"),
            "the confirmation_tag is empty",
            CONFIRMATION,
            Mac,
            |stage| {
                framed(stage, |frame| {
                    frame.on_confirmation_tag = |tag| tag.iter_mut().for_each(Vec::clear)
                })
            },
        )
        .on(SOME),
        bad(
            ("confirmation-tag-truncated", "empty"),
            "the last byte of the confirmation_tag is missing",
            CONFIRMATION,
            Mac,
            |stage| {
                framed(stage, |frame| {
                    frame.on_confirmation_tag = |tag| {
                        tag.iter_mut().for_each(|tag| {
                            tag.pop();
                        })
                    }
                })
            },
        )
        .on(SOME),
        bad(
            ("confirmation-tag-longer", "empty"),
            "a byte follows the confirmation_tag, inside",
            CONFIRMATION,
            Mac,
            |stage| {
                framed(stage, |frame| {
                    frame.on_confirmation_tag = |tag| tag.iter_mut().for_each(|tag| tag.push(0))
                })
            },
        ),
        bad(
            ("confirmation-tag-missing", "empty"),
            "there is no confirmation_tag",
            CONFIRMATION,
            Malformed,
            |stage| framed(stage, |frame| frame.on_confirmation_tag = |tag| *tag = None),
        ),
        bad(
            ("private-confirmation-tag-empty", "private"),
            "the confirmation_tag in a PrivateMessage is empty",
            CONFIRMATION,
            Mac,
            |stage| {
                framed(stage, |frame| {
                    private(frame);
                    frame.on_confirmation_tag = |tag| tag.iter_mut().for_each(Vec::clear);
                })
            },
        ),
        bad(
            ("membership-tag-wrong", "empty"),
            "one bit of the membership_tag is another one",
            MEMBERSHIP,
            Mac,
            |stage| {
                framed(stage, |frame| {
                    frame.on_membership_tag = |tag| tag.iter_mut().for_each(|tag| tag[0] ^= 1)
                })
            },
        )
        .on(ALL),
        bad(
            ("membership-tag-empty", "empty"),
            "the membership_tag is empty",
            MEMBERSHIP,
            Mac,
            |stage| {
                framed(stage, |frame| {
                    frame.on_membership_tag = |tag| tag.iter_mut().for_each(Vec::clear)
                })
            },
        )
        .on(SOME),
        bad(
            ("membership-tag-truncated", "empty"),
            "the last byte of the membership_tag is missing",
            MEMBERSHIP,
            Mac,
            |stage| {
                framed(stage, |frame| {
                    frame.on_membership_tag = |tag| {
                        tag.iter_mut().for_each(|tag| {
                            tag.pop();
                        })
                    }
                })
            },
        ),
        bad(
            ("membership-tag-missing", "empty"),
            "there is no membership_tag",
            MEMBERSHIP,
            Malformed,
            |stage| framed(stage, |frame| frame.on_membership_tag = |tag| *tag = None),
        ),
        bad(
            ("signature-wrong", "empty"),
            "one bit of the signature is another one; the tags cover that",
            (0, "6.1"),
            Signature,
            |stage| framed(stage, |frame| frame.on_signature = |signature| signature[8] ^= 1),
        )
        .on(SOME),
        bad(
            ("signature-empty", "empty"),
            "the signature is empty; the tags cover that",
            (38, "6.1"),
            Signature,
            |stage| framed(stage, |frame| frame.on_signature = Vec::clear),
        ),
        bad(
            ("signed-by-another", "empty"),
            "leaf 2 signs for leaf 0",
            (0, "6.1"),
            Signature,
            |stage| {
                let signer = stage.leaf(2)?.signer;
                stage.commit()?.frame(move |frame| frame.signer = signer).make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("epoch-next", "empty"),
            "the commit says that it is of the next epoch",
            (0, "12.4.2"),
            Ignored,
            |stage| framed(stage, |frame| frame.epoch += 1),
        )
        .on(SOME),
        bad(
            ("epoch-before", "empty"),
            "the commit says that it is of the epoch before",
            (0, "12.4.2"),
            Ignored,
            |stage| framed(stage, |frame| frame.epoch -= 1),
        )
        .on(SOME),
        bad(
            ("another-group", "empty"),
            "the commit says that it is of another group",
            (0, "6"),
            Rule,
            |stage| framed(stage, |frame| frame.group_id.push(b'!')),
        ),
    ]
}

fn encodings() -> Vec<Spec> {
    const WHERE: (u8, &str) = (47, "12.4");
    fn content(stage: &Stage<'_>, change: fn(&mut Vec<u8>)) -> Result<Judged> {
        stage.commit()?.with(Change::Remove(3)).content(change).make()?.try_into()
    }
    vec![
        bad(
            ("path-presence-2", "remove"),
            "the byte that says whether there is a path is 2",
            WHERE,
            Malformed,
            |stage| {
                // The list is a Remove: a length, its type, the proposal's type and a leaf index.
                content(stage, |content| content[8] = 2)
            },
        ),
        bad(
            ("proposal-or-ref-3", "remove"),
            "a ProposalOrRefType that there isn't",
            WHERE,
            Malformed,
            |stage| content(stage, |content| content[1] = 3),
        ),
        bad(
            ("list-not-minimal", "remove"),
            "the length of the list is written in the next longer form",
            (46, "2.1.2"),
            Malformed,
            |stage| {
                content(stage, |content| {
                    let length = content[0];
                    content.splice(..1, [0x40, length]);
                })
            },
        ),
        bad(
            ("trailing-byte", "empty"),
            "a byte follows the PublicMessage",
            (47, "6"),
            Malformed,
            |stage| {
                let mut judged = commit_of(stage, vec![])?;
                judged.message.push(0);
                Ok(judged)
            },
        ),
        bad(
            ("proposal-of-no-type", "empty"),
            "a proposal of a private type that no member lists",
            (48, "12.2"),
            Malformed,
            |stage| commit_of(stage, vec![Change::Raw(vec![0xf1, 0x23])]),
        ),
        bad(
            ("reference-unknown", "remove-by-reference"),
            "a ProposalRef of a proposal that the client hasn't got",
            (0, "12.4.2"),
            UnknownProposal,
            |stage| {
                let reference = vec![7; stage.suite().hash_length()];
                stage.commit()?.by_reference(Change::Remove(3), reference).make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("reference-truncated", "remove-by-reference"),
            "the last byte of a ProposalRef is missing",
            (38, "12.4.2"),
            UnknownProposal,
            |stage| {
                let remove = Change::Remove(3);
                let mut reference = stage.give(stage.member(2)?, &remove)?;
                reference.pop();
                stage.commit()?.by_reference(remove, reference).make()?.try_into()
            },
        ),
    ]
}
