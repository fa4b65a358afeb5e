//! PrivateMessages (sections 6.3 and 9).

use super::messages::{judged, past};
use super::setting::{OURS, Stage};
use super::spec::{ALL, Judged, SOME, Spec, bad, good};
use crate::own::Reason::{Decryption, Ignored, Malformed, Rule, Signature, TooFarAhead};
use crate::own::forging::{APPLICATION, Change, Frame, PROPOSAL, PrivateFrame};
use burrow::Result;

const CONTROL: &str = "application";

pub(super) fn specs() -> Vec<Spec> {
    [accepted(), contents(), generations(), sender_data(), headers()]
        .into_iter()
        .flatten()
        .collect()
}

/// Leaf 2 sends "hello".
fn application(stage: &Stage<'_>, change: impl FnOnce(&mut Frame)) -> Result<Judged> {
    let mut frame = stage.application(2, 0)?;
    change(&mut frame);
    let judged = judged(stage, stage.message(frame)?)?;
    Ok(Judged { application_data: Some(b"hello".to_vec()), ..judged })
}

fn private(stage: &Stage<'_>, change: impl FnOnce(&mut PrivateFrame)) -> Result<Judged> {
    application(stage, |frame| frame.private.iter_mut().for_each(change_once(change)))
}

/// There is at most one.
fn change_once<T>(change: impl FnOnce(&mut T)) -> impl FnMut(&mut T) {
    let mut change = Some(change);
    move |value| {
        if let Some(change) = change.take() {
            change(value);
        }
    }
}

/// Lets us have leaf 2's message of a generation.
fn sent_before(stage: &mut Stage<'_>, generation: u32) -> Result<()> {
    let message = stage.message(stage.application(2, generation)?)?;
    stage.before.push(message);
    Ok(())
}

/// Leaf 2 proposes to remove leaf 3, as a PrivateMessage.
fn proposal(stage: &Stage<'_>, change: impl FnOnce(&mut PrivateFrame)) -> Result<Judged> {
    let mut frame = stage.proposal(stage.member(2)?, &Change::Remove(3))?;
    let mut private = PrivateFrame::new(2, 0, PROPOSAL);
    change(&mut private);
    frame.private = Some(private);
    judged(stage, stage.message(frame)?)
}

fn accepted() -> Vec<Spec> {
    const ORDER: (u8, &str) = (44, "9.1");
    vec![
        good(CONTROL, "leaf 2 sends application data", (39, "6.3"), |stage| {
            application(stage, |_| ())
        })
        .on(ALL),
        good("with-data", "with authenticated_data", (40, "6.3.1"), |stage| {
            application(stage, |frame| frame.authenticated_data = b"data".to_vec())
        })
        .on(SOME),
        good("padded", "with padding", (42, "6.3.1"), |stage| {
            private(stage, |private| private.padding = vec![0; 100])
        })
        .on(SOME),
        good("empty-data", "the application data is empty", (39, "6.3.1"), |stage| {
            let judged = application(stage, |frame| frame.content = vec![0])?;
            Ok(Judged { application_data: Some(Vec::new()), ..judged })
        })
        .on(SOME),
        good("generation-3", "three messages are missing", ORDER, |stage| {
            private(stage, |private| *private = PrivateFrame::new(2, 3, APPLICATION))
        })
        .on(SOME),
        good("out-of-order", "the message comes after one that was sent later", ORDER, |stage| {
            sent_before(stage, 1)?;
            application(stage, |_| ())
        })
        .on(SOME),
        good(
            "private-epoch-before",
            "application data of the epoch before",
            (45, "15.2"),
            |stage| {
                let past = past(stage)?.clone();
                let mut frame = stage.application(2, 0)?;
                frame.epoch = past.epoch;
                let message = frame.sign(&past)?.protect(&past, None)?;
                let judged = judged(stage, message)?;
                Ok(Judged { application_data: Some(b"hello".to_vec()), ..judged })
            },
        ),
        good("private-proposal", "leaf 2 proposes to remove leaf 3", (39, "6.3"), |stage| {
            proposal(stage, |_| ())
        })
        .on(SOME),
    ]
}

fn contents() -> Vec<Spec> {
    vec![
        bad(
            ("padding-not-zero", "padded"),
            "the last byte of the padding is 1",
            (42, "6.3.1"),
            Rule,
            |stage| {
                private(stage, |private| {
                    private.padding = vec![0; 100];
                    private.padding[99] = 1;
                })
            },
        )
        .on(SOME),
        bad(
            ("padding-starts-not-zero", "padded"),
            "the first byte of the padding is 1",
            (42, "6.3.1"),
            Rule,
            |stage| {
                private(stage, |private| {
                    private.padding = vec![0; 100];
                    private.padding[0] = 1;
                })
            },
        ),
        bad(
            ("private-signature-wrong", CONTROL),
            "one bit of the signature is another one",
            (0, "6.1"),
            Signature,
            |stage| application(stage, |frame| frame.on_signature = |signature| signature[8] ^= 1),
        )
        .on(SOME),
        bad(
            ("private-signature-empty", CONTROL),
            "the signature is empty",
            (38, "6.1"),
            Signature,
            |stage| application(stage, |frame| frame.on_signature = Vec::clear),
        ),
        bad(
            ("private-signed-by-another", CONTROL),
            "leaf 3 signs; key and sender data are leaf 2's",
            (0, "6.1"),
            Signature,
            |stage| {
                let signer = stage.leaf(3)?.signer;
                application(stage, |frame| frame.signer = signer)
            },
        )
        .on(SOME),
        bad(
            ("signed-for-public-message", CONTROL),
            "the signature is that of a PublicMessage",
            (35, "6.1"),
            Signature,
            |stage| application(stage, |frame| frame.signed_wire_format = Some(1)),
        ),
        bad(
            ("content-not-minimal", CONTROL),
            "the length of the application data is written in the next longer form",
            (46, "2.1.2"),
            Malformed,
            |stage| application(stage, |frame| drop(frame.content.splice(..1, [0x40, 5]))),
        ),
        bad(
            ("content-truncated", CONTROL),
            "the application data is longer than what is there, says its length",
            (47, "6.3.1"),
            Malformed,
            |stage| application(stage, |frame| frame.content = vec![0x7f, 0xff]),
        ),
    ]
}

fn generations() -> Vec<Spec> {
    const WHERE: (u8, &str) = (44, "9.1");
    vec![
        bad(
            ("generation-last", "generation-3"),
            "the generation is 2^32-1; the key is that of generation 0",
            WHERE,
            TooFarAhead,
            |stage| private(stage, |private| private.generation = u32::MAX),
        )
        .on(SOME),
        bad(("duplicate", CONTROL), "the message was received before", WHERE, Ignored, |stage| {
            sent_before(stage, 0)?;
            application(stage, |_| ())
        })
        .on(SOME),
        bad(
            ("generation-used", "out-of-order"),
            "another message with a key that was used before, and is passed over",
            WHERE,
            Ignored,
            |stage| {
                sent_before(stage, 0)?;
                sent_before(stage, 1)?;
                application(stage, |frame| frame.authenticated_data = b"again".to_vec())
            },
        ),
        bad(
            ("generation-of-another", CONTROL),
            "the generation is 1, the key that of generation 0",
            WHERE,
            Decryption,
            |stage| private(stage, |private| private.generation = 1),
        )
        .on(SOME),
        bad(
            ("handshake-key", CONTROL),
            "application data with the key of the handshake ratchet",
            (44, "9.1"),
            Decryption,
            |stage| private(stage, |private| private.ratchet = b"handshake"),
        ),
        bad(
            ("application-key", "private-proposal"),
            "a proposal with the key of the application ratchet",
            (44, "9.1"),
            Decryption,
            |stage| proposal(stage, |private| private.ratchet = b"application"),
        ),
        bad(
            ("reuse-guard-not-applied", CONTROL),
            "the nonce is used without the reuse_guard",
            (41, "6.3.1"),
            Decryption,
            |stage| private(stage, |private| private.applied_guard = [0; 4]),
        )
        .on(SOME),
    ]
}

fn sender_data() -> Vec<Spec> {
    const WHERE: (u8, &str) = (43, "6.3.2");
    vec![
        bad(
            ("sender-of-another", CONTROL),
            "the sender data say leaf 3; key and signature are leaf 2's",
            WHERE,
            Decryption,
            |stage| private(stage, |private| private.sender_leaf = Some(3)),
        )
        .on(SOME),
        bad(
            ("private-sender-blank", CONTROL),
            "the sender is a blank leaf, with its key; leaf 2 signs",
            (43, "6.1"),
            Rule,
            |stage| {
                let mut frame = stage.application(2, 0)?;
                frame.sender = crate::own::forging::Sender::Member(6);
                frame.private = Some(PrivateFrame::new(6, 0, APPLICATION));
                judged(stage, stage.message(frame)?)
            },
        )
        .on(SOME),
        bad(
            ("private-sender-outside", CONTROL),
            "the sender is a leaf beyond the tree",
            (43, "6.1"),
            Rule,
            |stage| {
                // The key is leaf 2's: there is none beyond the tree.
                private(stage, |private| private.sender_leaf = Some(1000))
            },
        )
        .on(SOME),
        bad(
            ("sender-ourselves", CONTROL),
            "the client's own key, which it hasn't used; leaf 2 signs",
            WHERE,
            Signature,
            |stage| {
                let mut frame = stage.application(2, 0)?;
                frame.sender = crate::own::forging::Sender::Member(OURS);
                frame.private = Some(PrivateFrame::new(OURS, 0, APPLICATION));
                judged(stage, stage.message(frame)?)
            },
        ),
    ]
}

fn headers() -> Vec<Spec> {
    const AAD: (u8, &str) = (40, "6.3.1");
    vec![
        bad(
            ("data-changed", "with-data"),
            "the authenticated_data are others than those encrypted with",
            AAD,
            Decryption,
            |stage| {
                application(stage, |frame| {
                    frame.authenticated_data = b"data".to_vec();
                    frame.private.iter_mut().for_each(|private| {
                        private.outer = |header| header.authenticated_data = b"Data".to_vec();
                    });
                })
            },
        )
        .on(SOME),
        bad(
            ("data-removed", "with-data"),
            "the authenticated_data are missing",
            AAD,
            Decryption,
            |stage| {
                application(stage, |frame| {
                    frame.authenticated_data = b"data".to_vec();
                    frame.private.iter_mut().for_each(|private| {
                        private.outer = |header| header.authenticated_data.clear();
                    });
                })
            },
        ),
        bad(
            ("content-type-changed", CONTROL),
            "the content_type says proposal, in the sender data's AAD as well",
            AAD,
            Decryption,
            |stage| {
                private(stage, |private| private.outer = |header| header.content_type = PROPOSAL)
            },
        )
        .on(SOME),
        bad(
            ("content-type-unknown", CONTROL),
            "a ContentType that there isn't",
            (47, "6"),
            Malformed,
            |stage| private(stage, |private| private.outer = |header| header.content_type = 9),
        ),
        bad(
            ("ciphertext-changed", CONTROL),
            "one bit of the ciphertext is another one, behind the sample",
            (44, "6.3.1"),
            Decryption,
            |stage| {
                private(stage, |private| {
                    private.on_ciphertext = |ciphertext| {
                        ciphertext.iter_mut().last().into_iter().for_each(|byte| *byte ^= 1)
                    };
                })
            },
        )
        .on(ALL),
        bad(
            ("ciphertext-sample-changed", CONTROL),
            "one bit of the ciphertext is another one, in the sample",
            (39, "6.3.2"),
            Decryption,
            |stage| {
                private(stage, |private| {
                    private.on_ciphertext = |ciphertext| ciphertext[0] ^= 1;
                })
            },
        ),
        bad(
            ("ciphertext-empty", CONTROL),
            "the ciphertext is empty",
            (47, "6.3.1"),
            Decryption,
            |stage| private(stage, |private| private.on_ciphertext = Vec::clear),
        ),
        bad(
            ("ciphertext-truncated", CONTROL),
            "the ciphertext is shorter than a tag",
            (47, "6.3.1"),
            Decryption,
            |stage| {
                private(stage, |private| {
                    private.on_ciphertext = |ciphertext| ciphertext.truncate(8)
                })
            },
        ),
        bad(
            ("private-epoch-next", CONTROL),
            "the message says that it is of the next epoch",
            (0, "6"),
            Ignored,
            |stage| application(stage, |frame| frame.epoch += 1),
        )
        .on(SOME),
        bad(
            ("epoch-long-ago", CONTROL),
            "the message says that it is of epoch 0",
            (45, "15.2"),
            Ignored,
            |stage| application(stage, |frame| frame.epoch = 0),
        ),
        bad(
            ("private-another-group", CONTROL),
            "the message says that it is of another group",
            (0, "6"),
            Rule,
            |stage| application(stage, |frame| frame.group_id.push(b'!')),
        ),
    ]
}
