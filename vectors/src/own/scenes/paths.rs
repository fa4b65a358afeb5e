//! Update paths (sections 7.5, 7.6, 7.9 and 12.4.2).

use super::setting::{LISTED_EXTENSION, Stage};
use super::spec::{Judged, SOME, Spec, bad};
use crate::own::Reason::{Decryption, Key, Mac, Rule, Signature};
use crate::own::forge::{LIFETIME, Leaf, Source};
use crate::own::forging::{Change, PathNode, path_key, random};
use burrow::Result;

const CONTROL: &str = "empty";

pub(super) fn specs() -> Vec<Spec> {
    [leaves(), keys(), nodes(), secrets()].into_iter().flatten().collect()
}

fn leaf(stage: &Stage<'_>, change: impl FnOnce(&mut Leaf)) -> Result<Judged> {
    // What is captured may not live as long as the commit: it is applied to a description first.
    let mut draft = stage.leaf(0)?;
    change(&mut draft);
    let after = draft;
    let commit = stage.commit()?.leaf(move |leaf| {
        let (source, place, key) =
            (leaf.source.clone(), leaf.place.clone(), leaf.encryption_key.clone());
        *leaf = Leaf { source, place, encryption_key: key, ..after };
    });
    commit.make()?.try_into()
}

fn placed(stage: &Stage<'_>, change: fn(&mut Leaf)) -> Result<Judged> {
    stage.commit()?.leaf(change).make()?.try_into()
}

fn leaves() -> Vec<Spec> {
    const SOURCE: (u8, &str) = (23, "7.3");
    const HASH: (u8, &str) = (3, "7.5");
    vec![
        bad(
            ("path-leaf-signature-wrong", CONTROL),
            "one bit of the path's leaf's signature is another one",
            (0, "7.3"),
            Signature,
            |stage| placed(stage, |leaf| leaf.damage = |signature| signature[8] ^= 1),
        )
        .on(SOME),
        bad(
            ("path-leaf-source-key-package", CONTROL),
            "the path's leaf's leaf_node_source is key_package",
            SOURCE,
            Rule,
            |stage| placed(stage, |leaf| leaf.source = Source::KeyPackage(LIFETIME.0, LIFETIME.1)),
        )
        .on(SOME),
        bad(
            ("path-leaf-source-update", CONTROL),
            "the path's leaf's leaf_node_source is update",
            SOURCE,
            Rule,
            |stage| placed(stage, |leaf| leaf.source = Source::Update),
        )
        .on(SOME),
        bad(
            ("path-leaf-of-another-place", CONTROL),
            "the path's leaf is signed for another leaf_index",
            (23, "7.2"),
            Signature,
            |stage| placed(stage, |leaf| leaf.place.1 = 2),
        )
        .on(SOME),
        bad(
            ("path-leaf-of-another-group", CONTROL),
            "the path's leaf is signed for another group",
            (23, "7.2"),
            Signature,
            |stage| placed(stage, |leaf| leaf.place.0.push(b'!')),
        ),
        bad(
            ("path-parent-hash-wrong", CONTROL),
            "one bit of the leaf's parent_hash is another one; all is computed with it",
            HASH,
            Rule,
            |stage| {
                placed(stage, |leaf| {
                    if let Source::Commit(parent_hash) = &mut leaf.source {
                        parent_hash[0] ^= 1;
                    }
                })
            },
        )
        .on(SOME),
        bad(
            ("path-parent-hash-empty", CONTROL),
            "the leaf's parent_hash is empty; all is computed with it",
            HASH,
            Rule,
            |stage| placed(stage, |leaf| leaf.source = Source::Commit(Vec::new())),
        )
        .on(SOME),
        bad(
            ("path-leaf-extension-not-listed", CONTROL),
            "the path's leaf has an extension that its capabilities don't list",
            (50, "7.3"),
            Rule,
            |stage| leaf(stage, |leaf| leaf.extensions.push((0xf123, Vec::new()))),
        )
        .on(SOME),
        bad(
            ("path-leaf-lacks-required", "required-capabilities"),
            "the path's leaf doesn't list any more what the same commit requires",
            (24, "7.3"),
            Rule,
            |stage| {
                let [high, low] = LISTED_EXTENSION.to_be_bytes();
                let require = Change::Extensions(vec![(3, vec![2, high, low, 0, 0])]);
                let commit = stage.commit()?.with(require);
                commit.leaf(|leaf| leaf.extension_types.clear()).make()?.try_into()
            },
        ),
    ]
}

fn keys() -> Vec<Spec> {
    const UNIQUE: (u8, &str) = (21, "7.3");
    const FRESH: (u8, &str) = (22, "12.4.2");
    vec![
        bad(
            ("path-leaf-same-encryption-key", CONTROL),
            "the path's leaf has the encryption_key of the old leaf",
            (22, "7.3"),
            Rule,
            |stage| {
                let key = stage.leaf(0)?.encryption_key;
                stage.commit()?.leaf(move |leaf| leaf.encryption_key = key).make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("path-leaf-encryption-key-of-member", CONTROL),
            "the path's leaf has leaf 3's encryption_key",
            UNIQUE,
            Rule,
            |stage| {
                let key = stage.leaf(3)?.encryption_key;
                stage.commit()?.leaf(move |leaf| leaf.encryption_key = key).make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("path-leaf-signature-key-of-member", CONTROL),
            "the path's leaf has leaf 3's signature_key",
            UNIQUE,
            Rule,
            |stage| {
                let other = stage.leaf(3)?;
                leaf(stage, |leaf| {
                    leaf.signature_key = other.signature_key;
                    leaf.signer = other.signer;
                })
            },
        )
        .on(SOME),
        bad(
            ("path-key-of-new-leaf", "add"),
            "a leaf that the commit adds has the encryption_key of the path's first node",
            FRESH,
            Rule,
            |stage| {
                let secret = random(stage.suite())?;
                let mut new = stage.draft()?;
                new.leaf.encryption_key = path_key(stage.suite(), &secret)?;
                stage.commit()?.path_secret(secret).with(Change::Add(new)).make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("path-keys-same", CONTROL),
            "the path has the keys that the committer's last one had",
            FRESH,
            Rule,
            |stage| {
                let secret = stage.last_path[0].path_secret.clone();
                stage.commit()?.path_secret(secret).make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("path-key-short", CONTROL),
            "the root's new encryption_key is one byte short",
            (0, "5.1.1"),
            Key,
            |stage| {
                let commit = stage.commit()?;
                commit
                    .path(|path| {
                        if let Some(root) = path.last_mut() {
                            root.encryption_key.pop();
                        }
                    })
                    .make()?
                    .try_into()
            },
        ),
        bad(
            ("path-key-not-of-secret", CONTROL),
            "the root's new encryption_key isn't the one that its path_secret gives",
            (22, "7.5"),
            Rule,
            |stage| {
                let key = stage.suite().generate_key_pair()?.public().to_vec();
                let commit = stage.commit()?.path(move |path| {
                    if let Some(root) = path.last_mut() {
                        root.encryption_key = key;
                    }
                });
                commit.make()?.try_into()
            },
        )
        .on(SOME),
    ]
}

fn nodes() -> Vec<Spec> {
    const COUNT: (u8, &str) = (9, "7.5");
    const CIPHERTEXTS: (u8, &str) = (10, "7.6");
    fn nodes(stage: &Stage<'_>, change: fn(&mut Vec<PathNode>)) -> Result<Judged> {
        stage.commit()?.nodes(change).make()?.try_into()
    }
    vec![
        bad(("path-node-missing", CONTROL), "the path lacks the root", COUNT, Rule, |stage| {
            nodes(stage, |nodes| {
                nodes.pop();
            })
        })
        .on(SOME),
        bad(
            ("path-node-more", CONTROL),
            "the path has a node more than there are",
            COUNT,
            Rule,
            |stage| nodes(stage, |nodes| nodes.extend(nodes.last().cloned())),
        )
        .on(SOME),
        bad(("path-empty", CONTROL), "the path has no nodes", COUNT, Rule, |stage| {
            nodes(stage, Vec::clear)
        }),
        bad(
            ("path-ciphertext-missing", CONTROL),
            "a node has no ciphertext",
            CIPHERTEXTS,
            Rule,
            |stage| nodes(stage, |nodes| nodes[0].encrypted_path_secret.clear()),
        )
        .on(SOME),
        bad(
            ("path-ciphertext-more", CONTROL),
            "a node has a ciphertext more than its copath has nodes",
            CIPHERTEXTS,
            Rule,
            |stage| {
                nodes(stage, |nodes| {
                    let more = nodes[0].encrypted_path_secret.clone();
                    nodes[0].encrypted_path_secret.extend(more);
                })
            },
        )
        .on(SOME),
        bad(
            ("path-ciphertext-for-others-missing", CONTROL),
            "a node that the client is not encrypted to has no ciphertext",
            CIPHERTEXTS,
            Rule,
            |stage| nodes(stage, |nodes| nodes[2].encrypted_path_secret.clear()),
        )
        .on(SOME),
        bad(
            ("path-ciphertext-for-new", "add"),
            "a leaf that the commit adds has a ciphertext as well",
            CIPHERTEXTS,
            Rule,
            |stage| {
                let new = stage.draft()?;
                let commit = stage.commit()?.with(Change::Add(new));
                commit
                    .nodes(|nodes| {
                        let more = nodes[2].encrypted_path_secret.clone();
                        nodes[2].encrypted_path_secret.extend(more);
                    })
                    .make()?
                    .try_into()
            },
        ),
        bad(
            ("path-ciphertext-garbled", CONTROL),
            "one bit of the client's ciphertext is another one",
            (11, "7.5"),
            Decryption,
            |stage| nodes(stage, |nodes| nodes[0].encrypted_path_secret[0].ciphertext[0] ^= 1),
        )
        .on(SOME),
        bad(
            ("path-ciphertext-empty", CONTROL),
            "the client's ciphertext is empty",
            (47, "7.5"),
            Decryption,
            |stage| nodes(stage, |nodes| nodes[0].encrypted_path_secret[0].ciphertext.clear()),
        ),
    ]
}

fn secrets() -> Vec<Spec> {
    vec![
        bad(
            ("path-secret-other", CONTROL),
            "the client is sent a path_secret that isn't the one of the node's key",
            (22, "7.5"),
            Rule,
            |stage| {
                let secret = random(stage.suite())?;
                let commit = stage.commit()?.sealing(move |path| path[0].path_secret = secret);
                commit.make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("path-secret-truncated", CONTROL),
            "the client is sent a path_secret that is a byte short",
            (47, "7.5"),
            Rule,
            |stage| {
                let commit = stage.commit()?.sealing(|path| {
                    let secret = path[0].path_secret.as_slice();
                    path[0].path_secret = crypto_api::Secret::copy_from(&secret[1..]);
                });
                commit.make()?.try_into()
            },
        ),
        bad(
            ("path-context-of-old-epoch", CONTROL),
            "the path is encrypted under the GroupContext of the epoch that it ends",
            (16, "12.4.1"),
            Decryption,
            |stage| {
                let context = stage.group.context()?;
                stage.commit()?.sealing_context(context).make()?.try_into()
            },
        )
        .on(SOME),
        bad(
            ("init-secret-other", CONTROL),
            "all is computed without the epoch's init_secret",
            (12, "8"),
            Mac,
            |stage| {
                let commit = stage.commit()?.init_secret(random(stage.suite())?);
                commit.make()?.try_into()
            },
        ),
    ]
}
