//! Trees that a joiner has to refuse (sections 7.3, 7.9.2 and 12.4.3.1). Tree hash, signatures,
//! tags and secrets are those of the bad tree.

use super::setting::Stage;
use super::spec::{Judged, SOME, Spec, bad, good};
use crate::own::Reason::{Key, Malformed, Rule, Signature};
use crate::own::forge::{Leaf, Source};
use crate::own::forging::{Change, Group, Node, PlacedLeaf, Tree};
use burrow::Result;

pub(super) fn specs() -> Vec<Spec> {
    [unmerged(), parent_hashes(), keys(), leaves()].into_iter().flatten().collect()
}

/// Leaf 0 adds us, after the tree was changed; the path is made in what it then is.
fn before_path(stage: &Stage<'_>, change: impl FnOnce(&mut Tree) -> Result<()>) -> Result<Judged> {
    let mut group = stage.group.clone();
    change(&mut group.tree)?;
    let add = Change::Add(stage.us.draft.clone());
    group.commit(0)?.with(add).make()?.welcome().make()?.try_into()
}

/// Leaf 0 adds us; then the tree is changed, and all that is made of it follows.
fn after_path<'a>(
    stage: &Stage<'a>,
    change: impl FnOnce(&mut Group<'a>) -> Result<()>,
) -> Result<Judged> {
    let mut made = stage.add_us()?;
    change(&mut made.group)?;
    made.welcome().make()?.try_into()
}

/// Leaf 4 adds us without a path: the root and the node above leaves 0 to 3 have us as unmerged.
fn without_path(stage: &Stage<'_>, change: fn(&mut Tree)) -> Result<Judged> {
    let add = Change::Add(stage.us.draft.clone());
    let mut made = stage.group.commit(4)?.with(add).without_path().make()?;
    change(&mut made.group.tree);
    made.welcome().make()?.try_into()
}

/// The same with another new member, at leaf 5.
fn with_two(stage: &Stage<'_>, change: fn(&mut Tree)) -> Result<Judged> {
    let (us, new) = (Change::Add(stage.us.draft.clone()), Change::Add(stage.draft()?));
    let mut made = stage.group.commit(4)?.with(us).with(new).without_path().make()?;
    change(&mut made.group.tree);
    made.welcome().make()?.try_into()
}

const ROOT: usize = 7;
const ABOVE_US: usize = 3;

fn set_unmerged(tree: &mut Tree, node: usize, leaves: &[u32]) {
    if let Some(parent) = tree.parent_mut(node) {
        parent.unmerged_leaves = leaves.to_vec();
    }
}

fn unmerged() -> Vec<Spec> {
    const SORTED: (u8, &str) = (1, "12.4.3.1");
    vec![
        good(
            "unmerged",
            "the client is unmerged at the two nodes above it that are not blank",
            SORTED,
            |stage| without_path(stage, |_| ()),
        )
        .on(SOME),
        good("two-unmerged", "the root has two unmerged leaves", SORTED, |stage| {
            with_two(stage, |_| ())
        }),
        bad(
            ("unmerged-missing-between", "unmerged"),
            "the client is unmerged at the root, not at the node between",
            SORTED,
            Rule,
            |stage| without_path(stage, |tree| set_unmerged(tree, ABOVE_US, &[])),
        )
        .on(SOME),
        bad(
            ("unmerged-unsorted", "two-unmerged"),
            "the root's unmerged leaves are not in order",
            (1, "7.1"),
            Malformed,
            |stage| with_two(stage, |tree| set_unmerged(tree, ROOT, &[5, 1])),
        ),
        bad(
            ("unmerged-twice", "unmerged"),
            "the root has an unmerged leaf twice",
            (1, "7.1"),
            Malformed,
            |stage| without_path(stage, |tree| set_unmerged(tree, ROOT, &[1, 1])),
        ),
        bad(
            ("unmerged-not-below", "unmerged"),
            "a node has an unmerged leaf that is not below it",
            SORTED,
            Rule,
            |stage| without_path(stage, |tree| set_unmerged(tree, ABOVE_US, &[1, 4])),
        ),
        bad(
            ("unmerged-blank", "unmerged"),
            "the root has an unmerged leaf that is blank",
            SORTED,
            Rule,
            |stage| without_path(stage, |tree| set_unmerged(tree, ROOT, &[1, 6])),
        )
        .on(SOME),
        bad(
            ("unmerged-outside", "unmerged"),
            "the root has an unmerged leaf beyond the tree",
            SORTED,
            Rule,
            |stage| without_path(stage, |tree| set_unmerged(tree, ROOT, &[1, 1000])),
        ),
        bad(
            ("unmerged-merged", "unmerged"),
            "the root has an unmerged leaf that the parent hashes say is merged",
            (4, "7.9.2"),
            Rule,
            |stage| without_path(stage, |tree| set_unmerged(tree, ROOT, &[1, 4])),
        ),
    ]
}

/// Changes a leaf that is in the tree and signs it again.
fn resign(group: &mut Group<'_>, leaf: u32, change: impl FnOnce(&mut Leaf)) -> Result<()> {
    let placed = group.tree.leaf(leaf).ok_or(burrow::Error::Internal("no such leaf"))?;
    let mut draft = placed.draft.clone();
    change(&mut draft);
    let placed = PlacedLeaf::new(draft, group.suite)?;
    group.tree.put(leaf, placed);
    Ok(())
}

fn parent_hashes() -> Vec<Spec> {
    const GENUINE: &str = "genuine";
    const WHERE: (u8, &str) = (3, "7.9.2");
    vec![
        bad(
            ("parent-hash-of-leaf", GENUINE),
            "one bit of a leaf's parent_hash is another one; the leaf is signed",
            WHERE,
            Rule,
            |stage| {
                after_path(stage, |group| {
                    resign(group, 0, |leaf| {
                        if let Source::Commit(parent_hash) = &mut leaf.source {
                            parent_hash[0] ^= 1;
                        }
                    })
                })
            },
        )
        .on(SOME),
        bad(
            ("parent-hash-of-leaf-empty", GENUINE),
            "a leaf's parent_hash is empty; the leaf is signed",
            WHERE,
            Rule,
            |stage| {
                after_path(stage, |group| {
                    resign(group, 0, |leaf| leaf.source = Source::Commit(Vec::new()))
                })
            },
        ),
        bad(
            ("parent-hash-between", GENUINE),
            "one bit of the parent_hash between leaf and root is another one; what is below fits",
            WHERE,
            Rule,
            |stage| after_path(stage, |group| break_link(group, |parent_hash| parent_hash[0] ^= 1)),
        )
        .on(SOME),
        bad(
            ("parent-hash-between-empty", GENUINE),
            "the parent_hash between leaf and root is empty; what is below fits",
            WHERE,
            Rule,
            |stage| after_path(stage, |group| break_link(group, Vec::clear)),
        ),
        bad(
            ("parent-without-chain", GENUINE),
            "a node has a key that came with no path",
            WHERE,
            Rule,
            |stage| {
                let key = stage.suite().generate_key_pair()?.public().to_vec();
                after_path(stage, |group| {
                    group.tree.nodes[11] = Some(Node::Parent(crate::own::forging::Parent {
                        encryption_key: key,
                        parent_hash: Vec::new(),
                        unmerged_leaves: Vec::new(),
                    }));
                    rehash(group, 0)
                })
            },
        ),
    ]
}

/// Changes the parent_hash of the node above leaves 0 to 3, and has leaf 0 sign what is below.
fn break_link(group: &mut Group<'_>, change: fn(&mut Vec<u8>)) -> Result<()> {
    if let Some(parent) = group.tree.parent_mut(ABOVE_US) {
        change(&mut parent.parent_hash);
    }
    let below = group.tree.parent_hash_below(group.suite, ABOVE_US, 5)?;
    if let Some(parent) = group.tree.parent_mut(1) {
        parent.parent_hash = below;
    }
    let below = group.tree.parent_hash_below(group.suite, 1, 2)?;
    resign(group, 0, |leaf| leaf.source = Source::Commit(below))
}

/// Computes a leaf's parent hashes again and has it sign.
fn rehash(group: &mut Group<'_>, leaf: u32) -> Result<()> {
    let parent_hash = group.tree.set_parent_hashes(group.suite, leaf)?;
    resign(group, leaf, |leaf| leaf.source = Source::Commit(parent_hash))
}

fn keys() -> Vec<Spec> {
    const GENUINE: &str = "genuine";
    const UNIQUE: (u8, &str) = (21, "7.3");
    vec![
        bad(
            ("encryption-key-twice", GENUINE),
            "two leaves have one encryption_key",
            UNIQUE,
            Rule,
            |stage| {
                let key = stage.leaf(4)?.encryption_key;
                before_path(stage, |tree| changed(stage, tree, 3, |leaf| leaf.encryption_key = key))
            },
        ),
        bad(
            ("signature-key-twice", GENUINE),
            "two leaves have one signature_key",
            UNIQUE,
            Rule,
            |stage| {
                let other = stage.leaf(4)?;
                before_path(stage, |tree| {
                    changed(stage, tree, 3, |leaf| {
                        leaf.signature_key = other.signature_key;
                        leaf.signer = other.signer;
                    })
                })
            },
        )
        .on(SOME),
        bad(
            ("our-encryption-key-twice", GENUINE),
            "another leaf has the client's encryption_key",
            UNIQUE,
            Rule,
            |stage| {
                let key = stage.us.draft.leaf.encryption_key.clone();
                before_path(stage, |tree| changed(stage, tree, 3, |leaf| leaf.encryption_key = key))
            },
        ),
        bad(
            ("parent-key-of-leaf", GENUINE),
            "a parent node has a leaf's encryption_key",
            (21, "12.4.3.1"),
            Rule,
            |stage| {
                let key = stage.leaf(4)?.encryption_key;
                after_path(stage, |group| {
                    if let Some(parent) = group.tree.parent_mut(ABOVE_US) {
                        parent.encryption_key = key;
                    }
                    rehash(group, 0)
                })
            },
        ),
        bad(
            ("signature-key-short", GENUINE),
            "a leaf's signature_key is one byte short",
            (0, "5.1.2"),
            Key,
            |stage| {
                after_path(stage, |group| {
                    resign(group, 3, |leaf| {
                        leaf.signature_key.pop();
                    })?;
                    refresh(group)
                })
            },
        ),
    ]
}

/// After a change below node 5: its path is no more, and those above are made to fit.
fn refresh(group: &mut Group<'_>) -> Result<()> {
    group.tree.nodes[5] = None;
    rehash(group, 0)
}

/// Puts a changed leaf into the tree as if its owner had just been added.
fn changed(
    stage: &Stage<'_>,
    tree: &mut Tree,
    leaf: u32,
    change: impl FnOnce(&mut Leaf),
) -> Result<()> {
    let mut draft = stage.leaf(leaf)?;
    draft.source = Source::KeyPackage(crate::own::forge::LIFETIME.0, crate::own::forge::LIFETIME.1);
    change(&mut draft);
    let placed = PlacedLeaf::new(draft, stage.suite())?;
    tree.update(leaf, placed);
    Ok(())
}

/// Joins a group with such a leaf 3, which signs as an Update of its owner would be signed.
fn with_leaf(stage: &Stage<'_>, change: impl FnOnce(&mut Leaf)) -> Result<Judged> {
    let mut draft = stage.update_of(3)?;
    change(&mut draft);
    let placed = PlacedLeaf::new(draft, stage.suite())?;
    before_path(stage, |tree| {
        tree.update(3, placed);
        Ok(())
    })
}

fn leaves() -> Vec<Spec> {
    const CONTROL: &str = "updated-leaf";
    vec![
        good(CONTROL, "a member's leaf came by an Update", (23, "7.3"), |stage| {
            with_leaf(stage, |_| ())
        })
        .on(SOME),
        bad(
            ("leaf-signature-wrong", CONTROL),
            "one bit of a leaf's signature is another one",
            (33, "7.3"),
            Signature,
            |stage| with_leaf(stage, |leaf| leaf.damage = |signature| signature[8] ^= 1),
        )
        .on(SOME),
        bad(
            ("leaf-signature-empty", CONTROL),
            "a leaf's signature is empty",
            (38, "7.3"),
            Signature,
            |stage| with_leaf(stage, |leaf| leaf.damage = Vec::clear),
        ),
        bad(
            ("leaf-of-another-group", CONTROL),
            "a leaf is signed for another group",
            (23, "7.2"),
            Signature,
            |stage| with_leaf(stage, |leaf| leaf.place.0.push(b'!')),
        ),
        bad(
            ("leaf-of-another-place", CONTROL),
            "a leaf is signed for another leaf_index",
            (23, "7.2"),
            Signature,
            |stage| with_leaf(stage, |leaf| leaf.place.1 = 2),
        )
        .on(SOME),
        bad(
            ("leaf-extension-not-listed", CONTROL),
            "a leaf has an extension that its capabilities don't list",
            (50, "7.3"),
            Rule,
            |stage| with_leaf(stage, |leaf| leaf.extensions.push((0xf123, Vec::new()))),
        ),
        bad(
            ("leaf-credential-not-listed", CONTROL),
            "a leaf's capabilities don't list its own credential type",
            (51, "7.3"),
            Rule,
            |stage| with_leaf(stage, |leaf| leaf.credential_types = vec![2]),
        ),
        bad(
            ("leaf-credential-not-supported", CONTROL),
            "a leaf has a credential type that no other member lists",
            (51, "7.3"),
            Rule,
            |stage| {
                with_leaf(stage, |leaf| {
                    leaf.credential_type = 0xf00c;
                    leaf.credential_types.push(0xf00c);
                })
            },
        ),
    ]
}
