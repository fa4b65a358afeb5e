//! Messages as such (sections 6 and 9): framing, encryption, and who may send what.

use super::private;
use super::setting::{self, Stage};
use super::spec::{Judged, SOME, SceneSpec, Spec, bad, good};
use crate::own::Reason::{Ignored, Mac, Malformed, Rule, Signature};
use crate::own::forging::{APPLICATION, Change, Frame, Group, Sender, opaque};
use burrow::Result;

pub(super) fn scenes() -> Vec<SceneSpec> {
    let lists = [accepted(), tags(), senders(), from_outside(), encodings(), private::specs()];
    vec![SceneSpec {
        name: "message",
        what: "A group of five, all leaves in use; the client is leaf 1. It has received a commit \
               of leaf 2 since it joined. There is one external sender.",
        setting: setting::later,
        cases: lists.into_iter().flatten().collect(),
    }]
}

/// What a message that isn't a commit leaves of the group: all of it.
pub(super) fn judged(stage: &Stage<'_>, message: Vec<u8>) -> Result<Judged> {
    let epoch_authenticator = Some(stage.group.epoch_authenticator()?);
    Ok(Judged { message, epoch_authenticator, ..Judged::default() })
}

/// Leaf 2 proposes to remove leaf 3, as a PublicMessage.
fn proposal(stage: &Stage<'_>) -> Result<Frame> {
    stage.proposal(stage.member(2)?, &Change::Remove(3))
}

fn proposed(stage: &Stage<'_>, change: impl FnOnce(&mut Frame)) -> Result<Judged> {
    let mut frame = proposal(stage)?;
    change(&mut frame);
    judged(stage, stage.message(frame)?)
}

fn external(stage: &Stage<'_>) -> Result<Frame> {
    let from = (Sender::External(0), stage.external_sender.clone());
    stage.proposal(from, &Change::Remove(3))
}

fn accepted() -> Vec<Spec> {
    vec![
        good("proposal", "leaf 2 proposes to remove leaf 3", (0, "6.2"), |stage| {
            proposed(stage, |_| ())
        })
        .on(SOME),
        good("proposal-with-data", "the same, with authenticated_data", (40, "6.1"), |stage| {
            proposed(stage, |frame| frame.authenticated_data = b"data".to_vec())
        }),
        good(
            "external-proposal",
            "the external sender proposes to remove leaf 3",
            (27, "12.1.8.1"),
            |stage| judged(stage, stage.message(external(stage)?)?),
        )
        .on(SOME),
        good("new-member-proposal", "a new client proposes to be added", (27, "12.1.8"), |stage| {
            let new = stage.draft()?;
            let from = (Sender::NewMemberProposal, new.signer.clone());
            let frame = stage.proposal(from, &Change::Add(new))?;
            judged(stage, stage.message(frame)?)
        }),
    ]
}

fn tags() -> Vec<Spec> {
    const MEMBERSHIP: (u8, &str) = (38, "6.2");
    const CONTROL: &str = "proposal";
    vec![
        bad(
            ("membership-tag-wrong", CONTROL),
            "one bit of the membership_tag is another one",
            MEMBERSHIP,
            Mac,
            |stage| {
                proposed(stage, |frame| {
                    frame.on_membership_tag = |tag| tag.iter_mut().for_each(|tag| tag[0] ^= 1)
                })
            },
        )
        .on(SOME),
        bad(
            ("membership-tag-empty", CONTROL),
            "the membership_tag is empty",
            MEMBERSHIP,
            Mac,
            |stage| {
                proposed(stage, |frame| {
                    frame.on_membership_tag = |tag| tag.iter_mut().for_each(Vec::clear)
                })
            },
        )
        .on(SOME),
        bad(
            ("membership-tag-truncated", CONTROL),
            "the membership_tag has its first byte only",
            MEMBERSHIP,
            Mac,
            |stage| {
                proposed(stage, |frame| {
                    frame.on_membership_tag = |tag| tag.iter_mut().for_each(|tag| tag.truncate(1))
                })
            },
        ),
        bad(
            ("membership-tag-missing", CONTROL),
            "there is no membership_tag",
            MEMBERSHIP,
            Malformed,
            |stage| proposed(stage, |frame| frame.on_membership_tag = |tag| *tag = None),
        )
        .on(SOME),
        bad(
            ("signature-wrong", CONTROL),
            "one bit of the signature is another one; the membership_tag covers that",
            (0, "6.1"),
            Signature,
            |stage| proposed(stage, |frame| frame.on_signature = |signature| signature[8] ^= 1),
        )
        .on(SOME),
        bad(
            ("signed-by-another", CONTROL),
            "leaf 3 signs for leaf 2",
            (0, "6.1"),
            Signature,
            |stage| {
                let signer = stage.leaf(3)?.signer;
                proposed(stage, |frame| frame.signer = signer)
            },
        )
        .on(SOME),
        bad(
            ("signed-for-private-message", CONTROL),
            "the signature is that of a PrivateMessage",
            (35, "6.1"),
            Signature,
            |stage| proposed(stage, |frame| frame.signed_wire_format = Some(2)),
        ),
        bad(
            ("signed-in-epoch-before", CONTROL),
            "the GroupContext that is signed is that of the epoch before",
            (17, "6.1"),
            Signature,
            |stage| {
                let past = past(stage)?;
                let mut frame = proposal(stage)?;
                frame.epoch = stage.group.epoch;
                // The tag is of this epoch, over what was signed.
                let signed = frame.sign(past)?;
                judged(stage, signed.protect(&stage.group, None)?)
            },
        ),
    ]
}

pub(super) fn past<'s, 'a>(stage: &'s Stage<'a>) -> Result<&'s Group<'a>> {
    stage.past.as_ref().ok_or(burrow::Error::Internal("there is no past"))
}

fn senders() -> Vec<Spec> {
    const CONTROL: &str = "proposal";
    vec![
        bad(
            ("sender-blank", CONTROL),
            "the sender is a blank leaf; leaf 2 signs",
            (43, "6.1"),
            Rule,
            |stage| proposed(stage, |frame| frame.sender = Sender::Member(6)),
        )
        .on(SOME),
        bad(
            ("sender-outside", CONTROL),
            "the sender is a leaf beyond the tree; leaf 2 signs",
            (43, "6.1"),
            Rule,
            |stage| proposed(stage, |frame| frame.sender = Sender::Member(1000)),
        ),
        bad(
            ("application-in-public", "application"),
            "application data in a PublicMessage",
            (43, "6"),
            Rule,
            |stage| {
                let frame =
                    Frame::new(&stage.group, stage.member(2)?, APPLICATION, opaque(b"hello")?);
                judged(stage, stage.message(frame)?)
            },
        )
        .on(SOME),
        bad(
            ("epoch-next", CONTROL),
            "the proposal says that it is of the next epoch",
            (0, "6"),
            Ignored,
            |stage| proposed(stage, |frame| frame.epoch += 1),
        ),
        bad(
            ("epoch-last", CONTROL),
            "the proposal says that it is of epoch 2^64-1",
            (0, "6"),
            Ignored,
            |stage| proposed(stage, |frame| frame.epoch = u64::MAX),
        ),
        bad(
            ("epoch-before", CONTROL),
            "a proposal of the epoch before, good in all else",
            (45, "12.4"),
            Ignored,
            |stage| {
                let past = past(stage)?;
                let mut frame = proposal(stage)?;
                frame.epoch = past.epoch;
                let signed = frame.sign(past)?;
                judged(stage, signed.protect(past, None)?)
            },
        )
        .on(SOME),
        bad(
            ("another-group", CONTROL),
            "the proposal says that it is of another group",
            (0, "6"),
            Rule,
            |stage| proposed(stage, |frame| frame.group_id.push(b'!')),
        ),
    ]
}

fn from_outside() -> Vec<Spec> {
    const CONTROL: &str = "external-proposal";
    vec![
        bad(
            ("external-index", CONTROL),
            "an external sender that there isn't",
            (27, "6.1"),
            Rule,
            |stage| {
                let mut frame = external(stage)?;
                frame.sender = Sender::External(1);
                judged(stage, stage.message(frame)?)
            },
        )
        .on(SOME),
        bad(
            ("external-signed-by-member", CONTROL),
            "the external sender's proposal is signed by leaf 2",
            (27, "6.1"),
            Signature,
            |stage| {
                let mut frame = external(stage)?;
                frame.signer = stage.leaf(2)?.signer;
                judged(stage, stage.message(frame)?)
            },
        )
        .on(SOME),
        bad(
            ("external-membership-tag", CONTROL),
            "the external sender's proposal has a membership_tag",
            (27, "6.2"),
            Malformed,
            |stage| {
                let mut frame = external(stage)?;
                frame.on_membership_tag = |tag| *tag = Some(vec![7; 32]);
                judged(stage, stage.message(frame)?)
            },
        ),
        bad(
            ("external-commit", CONTROL),
            "the external sender commits",
            (27, "6.1"),
            Rule,
            |stage| {
                let external = (Sender::External(0), stage.external_sender.clone());
                let commit = stage.group.commit(0)?.frame(move |frame| {
                    (frame.sender, frame.signer) = external;
                });
                judged(stage, commit.make()?.message)
            },
        )
        .on(SOME),
        bad(
            ("external-application", CONTROL),
            "the external sender sends application data",
            (27, "6"),
            Rule,
            |stage| {
                let from = (Sender::External(0), stage.external_sender.clone());
                let frame = Frame::new(&stage.group, from, APPLICATION, opaque(b"hello")?);
                judged(stage, stage.message(frame)?)
            },
        ),
        bad(
            ("new-member-remove", "new-member-proposal"),
            "a new client proposes to remove leaf 3",
            (27, "6.1"),
            Rule,
            |stage| {
                let from = (Sender::NewMemberProposal, stage.suite().generate_signing_key()?);
                let frame = stage.proposal(from, &Change::Remove(3))?;
                judged(stage, stage.message(frame)?)
            },
        ),
        bad(
            ("new-member-signed-by-another", "new-member-proposal"),
            "a new client's proposal is not signed with its key package's key",
            (27, "6.1"),
            Signature,
            |stage| {
                let from = (Sender::NewMemberProposal, stage.suite().generate_signing_key()?);
                let frame = stage.proposal(from, &Change::Add(stage.draft()?))?;
                judged(stage, stage.message(frame)?)
            },
        ),
        bad(
            ("new-member-commit-proposes", "new-member-proposal"),
            "the sender of a proposal is new_member_commit",
            (27, "6.1"),
            Rule,
            |stage| {
                let from = (Sender::NewMemberCommit, stage.suite().generate_signing_key()?);
                let frame = stage.proposal(from, &Change::Remove(3))?;
                judged(stage, stage.message(frame)?)
            },
        ),
    ]
}

fn encodings() -> Vec<Spec> {
    const CONTROL: &str = "proposal";
    const WHERE: (u8, &str) = (47, "6");
    fn bytes(stage: &Stage<'_>, change: fn(&mut Vec<u8>)) -> Result<Judged> {
        let mut judged = proposed(stage, |_| ())?;
        change(&mut judged.message);
        Ok(judged)
    }
    vec![
        bad(
            ("trailing-byte", CONTROL),
            "a byte follows the PublicMessage",
            WHERE,
            Malformed,
            |stage| bytes(stage, |message| message.push(0)),
        )
        .on(SOME),
        bad(("truncated", CONTROL), "the last byte is missing", WHERE, Malformed, |stage| {
            bytes(stage, |message| {
                message.pop();
            })
        }),
        bad(("empty", CONTROL), "there is nothing", WHERE, Malformed, |stage| {
            bytes(stage, Vec::clear)
        }),
        bad(("version", CONTROL), "the MLSMessage's version is 2", (30, "6"), Malformed, |stage| {
            bytes(stage, |message| message[1] = 2)
        })
        .on(SOME),
        bad(
            ("wire-format", CONTROL),
            "a wire_format that there isn't",
            WHERE,
            Malformed,
            |stage| bytes(stage, |message| message[3] = 9),
        ),
        bad(
            ("length-not-minimal", CONTROL),
            "the length of the group_id is written in the next longer form",
            (46, "2.1.2"),
            Malformed,
            |stage| {
                bytes(stage, |message| {
                    let length = message[4];
                    message.splice(4..5, [0x40, length]);
                })
            },
        )
        .on(SOME),
        bad(
            ("length-prefix-11", CONTROL),
            "the length of the group_id is written with the prefix 11",
            (46, "2.1.2"),
            Malformed,
            |stage| {
                bytes(stage, |message| {
                    let length = message[4];
                    message.splice(4..5, [0xc0, 0, 0, 0, 0, 0, 0, length]);
                })
            },
        ),
        bad(
            ("length-too-long", CONTROL),
            "the group_id is 2^30-1 bytes long, says its length",
            (46, "2.1.2"),
            Malformed,
            |stage| bytes(stage, |message| drop(message.splice(4..5, [0xbf, 0xff, 0xff, 0xff]))),
        ),
        bad(("sender-type", CONTROL), "a SenderType that there isn't", WHERE, Malformed, |stage| {
            // After version, wire_format, group_id and epoch.
            bytes(stage, |message| message[4 + 1 + crate::own::forging::GROUP_ID.len() + 8] = 5)
        }),
        bad(
            ("content-type", CONTROL),
            "a ContentType that there isn't",
            WHERE,
            Malformed,
            |stage| {
                // After the sender and authenticated_data as well.
                bytes(stage, |message| {
                    message[4 + 1 + crate::own::forging::GROUP_ID.len() + 8 + 5 + 1] = 4
                })
            },
        ),
    ]
}
