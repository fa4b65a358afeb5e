//! Welcomes and GroupInfos (section 12.4.3.1).

use super::psks::{self, two_psks, welcome_with_psks};
use super::setting::{self, Stage};
use super::spec::{ALL, Judged, SOME, SceneSpec, Spec, bad, good};
use super::trees;
use crate::own::Reason::{Decryption, Mac, Malformed, Misdirected, Rule, Signature};
use crate::own::forging::{Change, GROUP_ID, Info, Sealed, Secrets, Tree, Welcome};
use burrow::Result;

pub(super) const JOINING: &str = "12.4.3.1";

pub(super) fn scenes() -> Vec<SceneSpec> {
    let lists = [accepted(), infos(), secrets(), encodings(), psks::specs(), trees::specs()];
    vec![SceneSpec {
        name: "join",
        what: "A group of four with all leaves but the client's own in use; a commit of leaf 0 adds \
               the client at leaf 1. The cases are Welcomes.",
        setting: setting::outside,
        cases: lists.into_iter().flatten().collect(),
    }]
}

fn made(stage: &Stage<'_>) -> Result<Judged> {
    stage.add_us()?.welcome().make()?.try_into()
}

/// The good Welcome, but for one thing.
fn with<'a>(stage: &Stage<'a>, change: impl FnOnce(Welcome<'a>) -> Welcome<'a>) -> Result<Judged> {
    change(stage.add_us()?.welcome()).make()?.try_into()
}

fn info(stage: &Stage<'_>, change: fn(&mut Info)) -> Result<Judged> {
    with(stage, |welcome| welcome.info(change))
}

fn apart(stage: &Stage<'_>, tree: Option<Vec<u8>>) -> Result<Judged> {
    let welcomed = stage.add_us()?.welcome().without_tree().make()?;
    let ratchet_tree = Some(tree.unwrap_or_else(|| welcomed.ratchet_tree.clone()));
    Ok(Judged { ratchet_tree, ..welcomed.try_into()? })
}

fn accepted() -> Vec<Spec> {
    vec![
        good("genuine", "nothing is wrong with it", (0, JOINING), |stage| made(stage)).on(ALL),
        good(
            "without-path",
            "the commit had no path, and there is no path secret",
            (31, JOINING),
            |stage| {
                let add = Change::Add(stage.us.draft.clone());
                stage.commit()?.with(add).without_path().make()?.welcome().make()?.try_into()
            },
        )
        .on(SOME),
        good("tree-apart", "the tree is beside the Welcome", (0, "12.4.3.3"), |stage| {
            apart(stage, None)
        })
        .on(SOME),
        good("two-joiners", "another client joins by the same Welcome", (0, JOINING), |stage| {
            let new = stage.draft()?;
            let us = Change::Add(stage.us.draft.clone());
            stage.commit()?.with(us).with(Change::Add(new)).make()?.welcome().make()?.try_into()
        }),
        good(
            "key-rotated",
            "the commit gave the signer of the GroupInfo a new signature key",
            (32, JOINING),
            |stage| {
                let signer = stage.suite().generate_signing_key()?;
                let add = Change::Add(stage.us.draft.clone());
                let commit = stage.commit()?.with(add).leaf(move |leaf| {
                    leaf.signature_key = signer.public().to_vec();
                    leaf.signer = signer;
                });
                commit.make()?.welcome().make()?.try_into()
            },
        ),
        good("psk", "the commit has an external PSK", (34, "8.4"), |stage| {
            let psks = vec![stage.psk()?];
            welcome_with_psks(stage, psks)?.welcome().make()?.try_into()
        })
        .on(SOME),
        good("two-psks", "the commit has two external PSKs", (34, "8.4"), |stage| {
            let psks = two_psks(stage)?;
            welcome_with_psks(stage, psks)?.welcome().make()?.try_into()
        }),
    ]
}

fn infos() -> Vec<Spec> {
    const GENUINE: &str = "genuine";
    vec![
        bad(
            ("signature-wrong", GENUINE),
            "one bit of the GroupInfo's signature is another one",
            (33, JOINING),
            Signature,
            |stage| info(stage, |info| info.damage = |signature| signature[8] ^= 1),
        )
        .on(SOME),
        bad(
            ("signature-empty", GENUINE),
            "the GroupInfo's signature is empty",
            (38, JOINING),
            Signature,
            |stage| info(stage, |info| info.damage = Vec::clear),
        ),
        bad(
            ("signed-by-another", GENUINE),
            "the GroupInfo is signed by leaf 2, the signer is leaf 0",
            (32, JOINING),
            Signature,
            |stage| {
                let key = stage.leaf(2)?.signer;
                with(stage, |welcome| welcome.info(move |info| info.key = key))
            },
        ),
        bad(
            ("signed-with-old-key", "key-rotated"),
            "the GroupInfo is signed with the key that the commit has replaced",
            (32, JOINING),
            Signature,
            |stage| {
                let old = stage.leaf(0)?.signer;
                let signer = stage.suite().generate_signing_key()?;
                let add = Change::Add(stage.us.draft.clone());
                let commit = stage.commit()?.with(add).leaf(move |leaf| {
                    leaf.signature_key = signer.public().to_vec();
                    leaf.signer = signer;
                });
                commit.make()?.welcome().info(move |info| info.key = old).make()?.try_into()
            },
        ),
        bad(
            ("signer-blank", GENUINE),
            "the signer of the GroupInfo is a blank leaf",
            (33, JOINING),
            Rule,
            |stage| info(stage, |info| info.signer = 6),
        ),
        bad(
            ("signer-outside", GENUINE),
            "the signer of the GroupInfo is a leaf beyond the tree",
            (33, JOINING),
            Rule,
            |stage| info(stage, |info| info.signer = 1000),
        ),
        bad(
            ("confirmation-tag-wrong", GENUINE),
            "one bit of the confirmation_tag is another one",
            (33, JOINING),
            Mac,
            |stage| info(stage, |info| info.confirmation_tag[0] ^= 1),
        )
        .on(ALL),
        bad(
            ("confirmation-tag-empty", GENUINE),
            "the confirmation_tag is empty",
            (38, JOINING),
            Mac,
            |stage| info(stage, |info| info.confirmation_tag.clear()),
        )
        .on(SOME),
        bad(
            ("confirmation-tag-truncated", GENUINE),
            "the last byte of the confirmation_tag is missing",
            (38, JOINING),
            Mac,
            |stage| {
                info(stage, |info| {
                    info.confirmation_tag.pop();
                })
            },
        ),
        bad(
            ("confirmation-tag-zero", GENUINE),
            "the confirmation_tag is all zero",
            (38, JOINING),
            Mac,
            |stage| info(stage, |info| info.confirmation_tag.fill(0)),
        ),
        bad(
            ("epoch-wrong", GENUINE),
            "the GroupContext's epoch is one more than it was when secrets and tag were made",
            (33, JOINING),
            Mac,
            |stage| {
                info(stage, |info| {
                    let epoch = 2 + 2 + 1 + GROUP_ID.len() + 7;
                    info.context[epoch] += 1;
                })
            },
        ),
        bad(
            ("transcript-hash-wrong", GENUINE),
            "the GroupContext's confirmed_transcript_hash is not the one that the tag is of",
            (35, JOINING),
            Mac,
            |stage| {
                info(stage, |info| {
                    let length = info.confirmation_tag.len();
                    let tree_hash = 2 + 2 + 1 + GROUP_ID.len() + 8;
                    let transcript_hash = tree_hash + 2 * (1 + length) - 1;
                    info.context[transcript_hash] ^= 1;
                })
            },
        ),
        bad(
            ("tree-hash-wrong", GENUINE),
            "the GroupContext's tree_hash is not the tree's",
            (33, JOINING),
            Rule,
            |stage| {
                info(stage, |info| {
                    let tree_hash = 2 + 2 + 1 + GROUP_ID.len() + 8 + 1;
                    info.context[tree_hash] ^= 1;
                })
            },
        )
        .on(SOME),
        bad(
            ("group-cipher-suite", GENUINE),
            "the GroupContext's cipher_suite is not the Welcome's; secrets and tag are made with it",
            (33, JOINING),
            Rule,
            |stage| {
                with(stage, |welcome| {
                    welcome.group(|group| {
                        group.cipher_suite = if group.cipher_suite == 1 { 3 } else { 1 }
                    })
                })
            },
        ),
        bad(
            ("group-version", GENUINE),
            "the GroupContext's version is 2; secrets and tag are made with it",
            (33, JOINING),
            Rule,
            |stage| with(stage, |welcome| welcome.group(|group| group.version = 2)),
        ),
        bad(
            ("extension-not-supported", GENUINE),
            "the GroupContext has an extension that no member lists",
            (50, "13.4"),
            Rule,
            |stage| {
                with(stage, |welcome| {
                    welcome.group(|group| group.extensions.push((0xf123, Vec::new())))
                })
            },
        ),
        bad(
            ("grease-extension", GENUINE),
            "the GroupContext has a GREASE extension that no member lists",
            (48, "13.4"),
            Rule,
            |stage| {
                with(stage, |welcome| {
                    welcome.group(|group| group.extensions.push((0x1a1a, Vec::new())))
                })
            },
        ),
        bad(
            ("required-capability", GENUINE),
            "the GroupContext requires a proposal type that no member lists",
            (24, "7.3"),
            Rule,
            |stage| {
                with(stage, |welcome| {
                    welcome.group(|group| group.extensions.push((3, vec![0, 2, 0x77, 0x77, 0])))
                })
            },
        )
        .on(SOME),
        bad(
            ("required-capabilities-trailing", GENUINE),
            "a byte follows the required_capabilities",
            (47, "11.1"),
            Malformed,
            |stage| {
                with(stage, |welcome| {
                    welcome.group(|group| group.extensions.push((3, vec![0, 0, 0, 0])))
                })
            },
        ),
        bad(
            ("group-extension-twice", GENUINE),
            "two extensions of one type in the GroupContext",
            (50, "13.4"),
            Malformed,
            |stage| {
                with(stage, |welcome| {
                    welcome.group(|group| {
                        group.extensions.push((setting::LISTED_EXTENSION, vec![1]));
                        group.extensions.push((setting::LISTED_EXTENSION, vec![2]));
                    })
                })
            },
        ),
        bad(
            ("info-extension-twice", GENUINE),
            "two ratchet_tree extensions in the GroupInfo",
            (50, "13.4"),
            Malformed,
            |stage| {
                info(stage, |info| {
                    let tree = info.extensions.clone();
                    info.extensions.extend(tree);
                })
            },
        ),
    ]
}

fn secrets() -> Vec<Spec> {
    const GENUINE: &str = "genuine";
    fn secrets(stage: &Stage<'_>, change: fn(&mut Secrets)) -> Result<Judged> {
        with(stage, |welcome| welcome.secrets(change))
    }
    fn sealed(stage: &Stage<'_>, change: fn(&mut Sealed)) -> Result<Judged> {
        with(stage, |welcome| welcome.sealed(change))
    }
    vec![
        bad(
            ("path-secret-wrong", GENUINE),
            "the path_secret isn't that of the tree's keys",
            (31, JOINING),
            Rule,
            |stage| {
                secrets(stage, |secrets| {
                    secrets.path_secret.iter_mut().for_each(|secret| secret[0] ^= 1);
                })
            },
        )
        .on(SOME),
        bad(
            ("path-secret-of-next-node", GENUINE),
            "the path_secret is that of the node above",
            (31, JOINING),
            Rule,
            |stage| {
                let made = stage.add_us()?;
                let next = made.path.get(1).map(|path| path.path_secret.as_slice().to_vec());
                made.welcome().secrets(move |secrets| secrets.path_secret = next).make()?.try_into()
            },
        ),
        bad(
            ("path-secret-of-blank-node", "without-path"),
            "the commit had no path; there is a path_secret, and the node is blank",
            (31, JOINING),
            Rule,
            |stage| {
                let add = Change::Add(stage.us.draft.clone());
                let made = stage.commit()?.with(add).without_path().make()?;
                let length = stage.suite().kdf_nh();
                let welcome = made.welcome();
                welcome
                    .secrets(move |secrets| secrets.path_secret = Some(vec![7; length]))
                    .make()?
                    .try_into()
            },
        ),
        bad(
            ("joiner-secret-wrong", GENUINE),
            "the joiner_secret isn't the one that the GroupInfo is encrypted with",
            (33, JOINING),
            Decryption,
            |stage| secrets(stage, |secrets| secrets.joiner_secret[0] ^= 1),
        )
        .on(SOME),
        bad(
            ("secrets-garbled", GENUINE),
            "one bit of the encrypted GroupSecrets is another one",
            (33, JOINING),
            Decryption,
            |stage| sealed(stage, |sealed| sealed.secrets[0].1.ciphertext[0] ^= 1),
        ),
        bad(
            ("info-garbled", GENUINE),
            "one bit of the encrypted GroupInfo is another one",
            (33, JOINING),
            Decryption,
            |stage| sealed(stage, |sealed| sealed.encrypted_group_info[0] ^= 1),
        ),
        bad(
            ("info-truncated", GENUINE),
            "the encrypted GroupInfo is shorter than a tag",
            (47, JOINING),
            Decryption,
            |stage| sealed(stage, |sealed| sealed.encrypted_group_info.truncate(8)),
        ),
        bad(
            ("for-another", GENUINE),
            "the GroupSecrets are for another key package",
            (33, JOINING),
            Misdirected,
            |stage| sealed(stage, |sealed| sealed.secrets[0].0[0] ^= 1),
        ),
        bad(
            ("for-nobody", GENUINE),
            "there are no GroupSecrets",
            (33, JOINING),
            Misdirected,
            |stage| sealed(stage, |sealed| sealed.secrets.clear()),
        ),
        bad(
            ("welcome-cipher-suite", GENUINE),
            "the Welcome's cipher_suite is not the key package's",
            (33, JOINING),
            Rule,
            |stage| {
                sealed(stage, |sealed| {
                    sealed.cipher_suite = if sealed.cipher_suite == 1 { 3 } else { 1 }
                })
            },
        ),
    ]
}

fn encodings() -> Vec<Spec> {
    const GENUINE: &str = "genuine";
    vec![
        bad(
            ("trailing-byte", GENUINE),
            "a byte follows the Welcome",
            (47, "6"),
            Malformed,
            |stage| with(stage, |welcome| welcome.message(|message| message.push(0))),
        )
        .on(SOME),
        bad(("truncated", GENUINE), "the last byte is missing", (47, "6"), Malformed, |stage| {
            with(stage, |welcome| {
                welcome.message(|message| {
                    message.pop();
                })
            })
        }),
        bad(("version", GENUINE), "the MLSMessage's version is 2", (30, "6"), Malformed, |stage| {
            with(stage, |welcome| welcome.message(|message| message[1] = 2))
        }),
        bad(
            ("length-not-minimal", GENUINE),
            "the length of the secrets is written in the next longer form",
            (46, "2.1.2"),
            Malformed,
            |stage| {
                with(stage, |welcome| {
                    welcome.message(|message| {
                        let short = [message[6] & 0x3f, message[7]];
                        message.splice(6..8, [0x80, 0, short[0], short[1]]);
                    })
                })
            },
        )
        .on(SOME),
        bad(
            ("length-prefix-11", GENUINE),
            "the length of the secrets is written with the prefix 11",
            (46, "2.1.2"),
            Malformed,
            |stage| {
                with(stage, |welcome| {
                    welcome.message(|message| {
                        let short = [message[6] & 0x3f, message[7]];
                        message.splice(6..8, [0xc0, 0, 0, 0, 0, 0, short[0], short[1]]);
                    })
                })
            },
        ),
        bad(
            ("secrets-trailing", GENUINE),
            "a byte follows the GroupSecrets, inside of the encryption",
            (47, JOINING),
            Malformed,
            |stage| with(stage, |welcome| welcome.secrets(|secrets| secrets.trailing.push(0))),
        ),
        bad(
            ("info-trailing", GENUINE),
            "a byte follows the GroupInfo, inside of the encryption",
            (47, JOINING),
            Malformed,
            |stage| with(stage, |welcome| welcome.encoded_info(|info| info.push(0))),
        ),
        bad(
            ("tree-trailing", GENUINE),
            "a byte follows the tree in its extension",
            (47, "12.4.3.3"),
            Malformed,
            |stage| {
                info(stage, |info| {
                    info.extensions.iter_mut().for_each(|(_, tree)| tree.push(0));
                })
            },
        ),
        bad(
            ("tree-empty", GENUINE),
            "the tree has no nodes",
            (6, "12.4.3.3"),
            Malformed,
            |stage| {
                info(stage, |info| {
                    info.extensions.iter_mut().for_each(|(_, tree)| *tree = vec![0]);
                })
            },
        ),
        bad(
            ("tree-trailing-blank", GENUINE),
            "the tree ends with a blank node",
            (6, "12.4.3.3"),
            Malformed,
            |stage| with(stage, |welcome| welcome.trailing_blanks(1)),
        )
        .on(SOME),
        bad(
            ("tree-trailing-blanks", GENUINE),
            "the tree ends with the blank nodes of the full tree",
            (6, "12.4.3.3"),
            Malformed,
            |stage| with(stage, |welcome| welcome.trailing_blanks(6)),
        ),
        bad(
            ("tree-apart-trailing-blank", "tree-apart"),
            "the tree beside the Welcome ends with a blank node",
            (6, "12.4.3.3"),
            Malformed,
            |stage| {
                let tree = stage.add_us()?.group.tree.encoded(1)?;
                apart(stage, Some(tree))
            },
        ),
        bad(
            ("tree-missing", GENUINE),
            "the tree is neither in the GroupInfo nor beside it",
            (0, JOINING),
            Misdirected,
            |stage| with(stage, Welcome::without_tree),
        )
        .on(SOME),
        bad(
            ("tree-apart-old", "tree-apart"),
            "the tree beside the Welcome is that of the epoch before",
            (33, JOINING),
            Rule,
            |stage| {
                let tree = stage.group.tree.encoded(0)?;
                apart(stage, Some(tree))
            },
        ),
        bad(
            ("tree-without-us", GENUINE),
            "the client's leaf is not in the tree; all is computed from that tree",
            (33, JOINING),
            Rule,
            |stage| {
                let old: Tree = stage.group.tree.clone();
                with(stage, |welcome| welcome.group(move |group| group.tree = old))
            },
        ),
    ]
}
