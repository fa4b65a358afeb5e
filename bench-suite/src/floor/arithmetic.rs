//! What RFC 9420 makes unavoidable in each case, as numbers of operations.
//!
//! Each function below writes one protocol step as a list of [`Term`]s with the section that asks
//! for it. What depends on the tree is counted on a [`Shape`], built as the case builds its group.
//! `docs/floor.md` has the formulas in words, and what is left out.

use engine_api::Operation as Measured;
use operation_counts::{Counts, Operation};

use super::lengths::{Lengths, TAG};
use super::tree::{Shape, common_ancestor};
use crate::case::{CaseId, ChangeKind};
use crate::cases::PAYLOAD;
use crate::world::Tree;

/// What a floor is made of: an operation that can be counted, or a cost that can't.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// A counted operation.
    Operation(Operation),
    /// Decoding a signature public key that was not seen before. A library does it inside the first
    /// verification, so it is in no count.
    DecodeSignatureKey,
}

impl Primitive {
    /// The primitive's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Operation(operation) => operation.name(),
            Self::DecodeSignatureKey => "decode_signature_key",
        }
    }
}

/// So many calls of one primitive, for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Which.
    pub primitive: Primitive,
    /// How often.
    pub calls: u64,
    /// Over how many bytes each, at least.
    pub bytes: u64,
    /// The section of RFC 9420.
    pub section: &'static str,
    /// For what.
    pub what: &'static str,
}

/// The least that a case takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// In the order of the protocol's steps.
    pub terms: Vec<Term>,
    /// Of the cipher suite.
    lengths: Lengths,
}

const SENDER_DATA: usize = 4 + 4 + 4;

impl Arithmetic {
    /// Calls of one operation, over all terms.
    #[must_use]
    pub fn calls(&self, operation: Operation) -> u64 {
        let terms = self.terms.iter();
        let of_it = terms.filter(|term| term.primitive == Primitive::Operation(operation));
        of_it.map(|term| term.calls).sum()
    }

    /// KEM key pairs, generated or derived: see [`Counts::kem_key_pairs`].
    #[must_use]
    pub fn kem_key_pairs(&self) -> u64 {
        self.calls(Operation::KemGenerate) + self.calls(Operation::KemDerive)
    }

    /// Where `counts` is below this: then one of the two is wrong.
    #[must_use]
    pub fn undercut(&self, counts: &Counts) -> Vec<(&'static str, u64, u64)> {
        self.compare(counts).into_iter().filter(|(_, is, least)| is < least).collect()
    }

    /// Where `counts` is above this: work that the RFC doesn't ask for.
    #[must_use]
    pub fn excess(&self, counts: &Counts) -> Vec<(&'static str, u64, u64)> {
        self.compare(counts).into_iter().filter(|(_, is, least)| is > least).collect()
    }

    /// Each compared number: its name, what was counted, and the least.
    #[must_use]
    pub fn compare(&self, counts: &Counts) -> Vec<(&'static str, u64, u64)> {
        let singly = COMPARED.iter().map(|operation| {
            (operation.name(), counts.of(*operation).calls, self.calls(*operation))
        });
        let key_pairs = ("kem_key_pairs", counts.kem_key_pairs(), self.kem_key_pairs());
        singly.chain(std::iter::once(key_pairs)).collect()
    }

    fn add(
        &mut self,
        operation: Operation,
        calls: usize,
        bytes: usize,
        section: &'static str,
        what: &'static str,
    ) {
        self.push(Primitive::Operation(operation), calls, bytes, section, what);
    }

    fn push(
        &mut self,
        primitive: Primitive,
        calls: usize,
        bytes: usize,
        section: &'static str,
        what: &'static str,
    ) {
        if calls > 0 {
            let (calls, bytes) = (calls as u64, bytes as u64);
            self.terms.push(Term { primitive, calls, bytes, section, what });
        }
    }
}

/// The operations that are compared one by one. KEM key pairs are compared in sum; random bytes are
/// not, because draws can be merged.
pub const COMPARED: &[Operation] = &[
    Operation::Sign,
    Operation::Verify,
    Operation::SignatureKeyGenerate,
    Operation::KemEncap,
    Operation::KemDecap,
    Operation::AeadSeal,
    Operation::AeadOpen,
    Operation::Hash,
    Operation::Mac,
    Operation::KdfExtract,
    Operation::KdfExpand,
];

/// The least that a case takes at a size; none where there is no such case.
#[must_use]
pub fn least(case: CaseId, size: usize) -> Option<Arithmetic> {
    least_with(case, size, Lengths::default())
}

/// The same on a cipher suite whose keys and signatures are so long. The counts are the same; what is
/// hashed and sealed is longer.
#[must_use]
pub fn least_with(case: CaseId, size: usize, l: Lengths) -> Option<Arithmetic> {
    match (case.operation, case.change, case.tree) {
        (Measured::CreateGroup, None, None) => Some(create_group(l, size)),
        (Measured::JoinWelcome, None, None) if size >= 2 => Some(join_welcome(l, size)),
        (Measured::Send, None, None) if size >= 1 => Some(send(l)),
        (Measured::IngestApp, None, None) if size >= 2 => Some(ingest_app(l)),
        (Measured::Commit, Some(change), Some(tree)) if size >= 2 => commit(l, change, tree, size),
        (Measured::IngestCommit, Some(change), Some(tree)) if size >= 2 => {
            ingest_commit(l, change, tree, size)
        }
        _ => None,
    }
}

/// A group of one (section 11), then a commit that adds everybody (section 12.4.1). That commit is
/// signed, because its signature is in the transcript; it goes to nobody, so nothing encrypts it.
fn create_group(l: Lengths, invitees: usize) -> Arithmetic {
    let mut sum = Arithmetic { terms: Vec::new(), lengths: l };
    sum.add(Operation::KemGenerate, 1, 0, "11", "the creator's leaf");
    sum.add(Operation::Sign, 1, l.leaf(), "7.2", "the creator's leaf");
    sum.add(Operation::Hash, 1, l.leaf(), "7.8", "tree hash");
    epoch_secrets(&mut sum);
    confirm(&mut sum);
    if invitees == 0 {
        return sum;
    }
    let mut shape = Shape::single();
    let added: Vec<_> = (0..invitees).map(|_| shape.add()).collect();
    let path = shape.commit_path(0, &added);
    validate_key_packages(&mut sum, invitees);
    make_path(&mut sum, path.nodes.len(), path.ciphertexts);
    sum.add(
        Operation::Hash,
        shape.hashed() - invitees - 1,
        l.tree_hash(),
        "7.8",
        "tree hash: parents",
    );
    sum.add(Operation::Hash, invitees + 1, l.leaf(), "7.8", "tree hash: leaves");
    sum.add(Operation::Sign, 1, l.leaf(), "6.1", "the commit");
    sum.add(Operation::Hash, 1, l.leaf() + l.signature(), "8.2", "confirmed transcript hash");
    key_schedule(&mut sum);
    confirm(&mut sum);
    welcome(&mut sum, invitees, shape.members());
    sum
}

/// Section 12.4.3.1, for a member whom the founder has just added with all the others.
fn join_welcome(l: Lengths, members: usize) -> Arithmetic {
    let mut sum = Arithmetic { terms: Vec::new(), lengths: l };
    let shape = Shape::of(members, Tree::Cold);
    let own = members - 1;
    sum.add(Operation::Hash, 1, l.leaf(), "5.2", "KeyPackageRef");
    let sealed = l.group_secrets() + TAG;
    sum.add(Operation::KemDecap, 1, sealed, "12.4.3.1", "GroupSecrets");
    sum.add(Operation::KdfExtract, 1, l.secret, "8", "joiner secret with PSKs");
    sum.add(Operation::KdfExpand, 3, l.secret, "12.4.3.1", "welcome secret, key and nonce");
    let group_info = members * l.leaf() + TAG;
    sum.add(Operation::AeadOpen, 1, group_info, "12.4.3.1", "GroupInfo with the tree");
    sum.add(Operation::Verify, 1, members * l.leaf(), "12.4.3", "GroupInfo");
    sum.push(Primitive::DecodeSignatureKey, members - 1, 0, "7.3", "the others' keys");
    sum.add(Operation::Verify, members, l.leaf(), "7.3", "every leaf");
    sum.add(Operation::Hash, members, l.leaf(), "7.8", "tree hash: leaves");
    sum.add(Operation::Hash, shape.hashed() - members, l.tree_hash(), "7.8", "tree hash: parents");
    sum.add(Operation::Hash, shape.filled_parents(), l.tree_hash(), "7.9.2", "parent hashes");
    let from = common_ancestor(0, own);
    let path = shape.filtered_direct_path(0);
    let above = path.iter().filter(|(level, _)| *level >= from).count();
    sum.add(Operation::KdfExpand, above, l.secret, "7.4", "node secrets");
    sum.add(Operation::KdfExpand, above.saturating_sub(1), l.secret, "7.4", "path secrets");
    sum.add(Operation::KemDerive, above, l.secret, "7.4", "the nodes above");
    sum.add(Operation::KdfExpand, 1, l.secret, "8", "epoch secret");
    epoch_secrets(&mut sum);
    confirm(&mut sum);
    sum
}

/// The second message of a sender in an epoch (sections 6.1, 6.3 and 9.1).
fn send(l: Lengths) -> Arithmetic {
    let mut sum = Arithmetic { terms: Vec::new(), lengths: l };
    sum.add(Operation::Sign, 1, PAYLOAD.len(), "6.1", "the message");
    ratchet_step(&mut sum);
    sum.add(Operation::AeadSeal, 1, 2 + PAYLOAD.len() + l.signature(), "6.3.1", "the content");
    sum.add(Operation::KdfExpand, 2, l.secret / 2, "6.3.2", "sender data key and nonce");
    sum.add(Operation::AeadSeal, 1, SENDER_DATA, "6.3.2", "sender data");
    sum
}

/// The same from the receiver's side.
fn ingest_app(l: Lengths) -> Arithmetic {
    let mut sum = Arithmetic { terms: Vec::new(), lengths: l };
    open_message(&mut sum, 2 + PAYLOAD.len() + l.signature());
    ratchet_step(&mut sum);
    sum.add(Operation::Verify, 1, PAYLOAD.len(), "6.1", "the message");
    sum
}

/// The founder commits, as a PrivateMessage and with a path (section 12.4.1).
fn commit(l: Lengths, change: ChangeKind, tree: Tree, members: usize) -> Option<Arithmetic> {
    let mut sum = Arithmetic { terms: Vec::new(), lengths: l };
    let mut shape = Shape::of(members, tree);
    let old_depth = shape.depth();
    let Changed { added, changed } = apply(change, &mut shape)?;
    let path = shape.commit_path(0, &added);
    validate_key_packages(&mut sum, added.len());
    make_path(&mut sum, path.nodes.len(), path.ciphertexts);
    rehash(&mut sum, &shape, &changed);
    sum.add(Operation::Sign, 1, l.leaf(), "6.1", "the commit");
    sum.add(Operation::Hash, 1, l.leaf() + l.signature(), "8.2", "confirmed transcript hash");
    key_schedule(&mut sum);
    confirm(&mut sum);
    first_of_epoch(&mut sum, old_depth);
    ratchet_step(&mut sum);
    let content = content_of_commit(l, added.len(), path.nodes.len(), path.ciphertexts);
    sum.add(Operation::AeadSeal, 1, content, "6.3.1", "the content");
    sum.add(Operation::KdfExpand, 2, l.secret / 2, "6.3.2", "sender data key and nonce");
    sum.add(Operation::AeadSeal, 1, SENDER_DATA, "6.3.2", "sender data");
    if !added.is_empty() {
        welcome(&mut sum, added.len(), shape.members());
    }
    Some(sum)
}

/// The last member follows such a commit (section 12.4.2).
fn ingest_commit(l: Lengths, change: ChangeKind, tree: Tree, members: usize) -> Option<Arithmetic> {
    let mut sum = Arithmetic { terms: Vec::new(), lengths: l };
    let mut shape = Shape::of(members, tree);
    let (old_depth, own) = (shape.depth(), members - 1);
    let Changed { added, changed } = apply(change, &mut shape)?;
    if changed.contains(&own) {
        return None; // the receiver is the one removed
    }
    let path = shape.commit_path(0, &added);
    open_message(&mut sum, content_of_commit(l, added.len(), path.nodes.len(), path.ciphertexts));
    first_of_epoch(&mut sum, old_depth);
    ratchet_step(&mut sum);
    sum.add(Operation::Verify, 1, l.leaf(), "6.1", "the commit");
    validate_key_packages(&mut sum, added.len());
    sum.add(Operation::Verify, 1, l.leaf(), "7.3", "the committer's new leaf");
    rehash(&mut sum, &shape, &changed);
    sum.add(Operation::Hash, path.nodes.len(), l.tree_hash(), "7.9", "parent hashes");
    sum.add(Operation::KemDecap, 1, l.secret + TAG, "7.5", "the path secret");
    let from = common_ancestor(0, own);
    let above = path.nodes.iter().filter(|(level, _)| *level >= from).count();
    sum.add(Operation::KdfExpand, above, l.secret, "7.4", "node secrets");
    sum.add(Operation::KdfExpand, above, l.secret, "7.4", "path secrets, the commit secret last");
    sum.add(Operation::KemDerive, above, l.secret, "7.4", "the nodes above");
    sum.add(Operation::Hash, 1, l.leaf() + l.signature(), "8.2", "confirmed transcript hash");
    key_schedule(&mut sum);
    confirm(&mut sum);
    Some(sum)
}

/// What a commit's proposals have done to the tree.
struct Changed {
    added: Vec<usize>,
    /// The leaves that are not what they were, the committer's included.
    changed: Vec<usize>,
}

fn apply(change: ChangeKind, shape: &mut Shape) -> Option<Changed> {
    Some(match change {
        ChangeKind::Add => {
            let leaf = shape.add();
            Changed { added: vec![leaf], changed: vec![0, leaf] }
        }
        ChangeKind::Remove => {
            let leaf = shape.leaf_of_member(shape.members() / 2)?;
            shape.remove(leaf);
            Changed { added: Vec::new(), changed: vec![0, leaf] }
        }
        ChangeKind::Update => Changed { added: Vec::new(), changed: vec![0] },
    })
}

/// Sections 10.1 and 7.3: each key package and the leaf in it, both signed with one key.
fn validate_key_packages(sum: &mut Arithmetic, count: usize) {
    let l = sum.lengths;
    sum.push(Primitive::DecodeSignatureKey, count, 0, "10.1", "key package: the key");
    sum.add(Operation::Verify, count, l.leaf() + l.hpke_key(), "10.1", "key package");
    sum.add(Operation::Verify, count, l.leaf(), "7.3", "key package: the leaf");
}

/// Sections 7.4 to 7.6, the committer's side.
fn make_path(sum: &mut Arithmetic, nodes: usize, ciphertexts: usize) {
    let l = sum.lengths;
    sum.add(Operation::KemGenerate, 1, 0, "7.4", "the committer's new leaf");
    sum.add(Operation::KdfExpand, nodes, l.secret, "7.4", "node secrets");
    sum.add(Operation::KdfExpand, nodes, l.secret, "7.4", "path secrets, the commit secret last");
    sum.add(Operation::KemDerive, nodes, l.secret, "7.4", "the filtered direct path");
    sum.add(Operation::Hash, nodes, l.tree_hash(), "7.9", "parent hashes");
    sum.add(Operation::Sign, 1, l.leaf(), "7.2", "the committer's new leaf");
    sum.add(Operation::KemEncap, ciphertexts, l.secret, "7.6", "path secrets");
}

/// Section 7.8, with every hash kept that is still right.
fn rehash(sum: &mut Arithmetic, shape: &Shape, changed: &[usize]) {
    let l = sum.lengths;
    sum.add(Operation::Hash, shape.rehashed(changed), l.tree_hash(), "7.8", "tree hash");
}

/// Section 8: from the init secret and the commit secret to the secrets of the epoch.
fn key_schedule(sum: &mut Arithmetic) {
    let l = sum.lengths;
    sum.add(Operation::KdfExtract, 2, l.secret, "8", "with commit secret, with PSKs");
    sum.add(Operation::KdfExpand, 2, l.secret, "8", "joiner secret, epoch secret");
    epoch_secrets(sum);
}

/// Section 8: the eight secrets that an epoch has, and the next init secret.
fn epoch_secrets(sum: &mut Arithmetic) {
    let l = sum.lengths;
    sum.add(Operation::KdfExpand, 9, l.secret, "8", "secrets of the epoch");
}

/// Sections 6.1 and 8.2.
fn confirm(sum: &mut Arithmetic) {
    let l = sum.lengths;
    sum.add(Operation::Mac, 1, l.secret, "6.1", "confirmation tag");
    sum.add(Operation::Hash, 1, 2 * l.secret, "8.2", "interim transcript hash");
}

/// Section 12.4.3.1, the committer's side, with the ratchet tree in the GroupInfo.
fn welcome(sum: &mut Arithmetic, invitees: usize, members: usize) {
    let l = sum.lengths;
    sum.add(Operation::Sign, 1, members * l.leaf(), "12.4.3", "GroupInfo");
    sum.add(Operation::KdfExpand, 3, l.secret, "12.4.3.1", "welcome secret, key and nonce");
    sum.add(Operation::AeadSeal, 1, members * l.leaf(), "12.4.3.1", "GroupInfo with the tree");
    sum.add(Operation::Hash, invitees, l.leaf(), "5.2", "KeyPackageRefs");
    sum.add(Operation::KemEncap, invitees, l.group_secrets(), "12.4.3.1", "GroupSecrets");
}

/// Section 9: the way down the secret tree to the sender's leaf, taken once in an epoch. The
/// siblings are derived with it, because what they are derived from has to be deleted (section 9.2).
fn first_of_epoch(sum: &mut Arithmetic, depth: u32) {
    let l = sum.lengths;
    sum.add(Operation::KdfExpand, 2 * depth as usize, l.secret, "9", "secret tree");
    sum.add(Operation::KdfExpand, 2, l.secret, "9", "the leaf's two ratchets");
}

/// Section 9.1: a key, a nonce and the next secret.
fn ratchet_step(sum: &mut Arithmetic) {
    let l = sum.lengths;
    sum.add(Operation::KdfExpand, 3, l.secret, "9.1", "key, nonce and next secret");
}

/// Section 6.3, the receiver's side.
fn open_message(sum: &mut Arithmetic, content: usize) {
    let l = sum.lengths;
    sum.add(Operation::KdfExpand, 2, l.secret / 2, "6.3.2", "sender data key and nonce");
    sum.add(Operation::AeadOpen, 1, SENDER_DATA + TAG, "6.3.2", "sender data");
    sum.add(Operation::AeadOpen, 1, content + TAG, "6.3.1", "the content");
}

/// What a commit's content is at least: key packages by value, and the path.
fn content_of_commit(l: Lengths, added: usize, nodes: usize, ciphertexts: usize) -> usize {
    added * (l.leaf() + l.hpke_key() + l.signature())
        + l.leaf()
        + nodes * l.hpke_key()
        + ciphertexts * l.encrypted_secret()
        + l.signature()
        + (1 + l.secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [usize; 11] = [2, 3, 4, 7, 8, 9, 16, 33, 64, 100, 1000];

    /// Signatures, verifications, KEM key pairs, encapsulations, decapsulations, MACs, extractions,
    /// expansions and hashes.
    fn numbers(sum: &Arithmetic) -> [u64; 9] {
        let calls = |operation| sum.calls(operation);
        [
            calls(Operation::Sign),
            calls(Operation::Verify),
            sum.kem_key_pairs(),
            calls(Operation::KemEncap),
            calls(Operation::KemDecap),
            calls(Operation::Mac),
            calls(Operation::KdfExtract),
            calls(Operation::KdfExpand),
            calls(Operation::Hash),
        ]
    }

    fn row(operation: Measured, change: Option<ChangeKind>, tree: Option<Tree>) -> CaseId {
        CaseId { operation, change, tree }
    }

    /// How many nodes of a tree have a member below them, if the leaves are taken from the left.
    fn inhabited(members: usize) -> u64 {
        let depth = members.next_power_of_two().trailing_zeros();
        (0..=depth).map(|level| members.div_ceil(1 << level) as u64).sum()
    }

    /// The table in `docs/floor.md`, where no proposal leaves a hole in the tree.
    #[test]
    fn closed_forms() {
        for size in SIZES {
            let n = size as u64;
            let d = u64::from(size.next_power_of_two().trailing_zeros());

            let invitees = size - 1;
            let found = least(row(Measured::CreateGroup, None, None), invitees).unwrap_or_default();
            let hashes = 4 + (n - 1) + d + inhabited(size);
            let expected = [4, 2 * (n - 1), 2 + d, n - 1, 0, 2, 2, 23 + 2 * d, hashes];
            assert_eq!(numbers(&found), expected, "create {invitees}");

            let join = least(row(Measured::JoinWelcome, None, None), size).unwrap_or_default();
            let expected = [0, n + 1, 1, 0, 1, 1, 1, 14, 2 + inhabited(size) + d];
            assert_eq!(numbers(&join), expected, "join {size}");

            for (tree, c) in [(Tree::Cold, n - 1), (Tree::Warm, d)] {
                let update = Some(ChangeKind::Update);
                let commit = least(row(Measured::Commit, update, Some(tree)), size);
                let expected = [2, 0, 1 + d, c, 0, 1, 2, 18 + 4 * d, 3 + 2 * d];
                assert_eq!(numbers(&commit.unwrap_or_default()), expected, "update {size}");
                let ingest = least(row(Measured::IngestCommit, update, Some(tree)), size);
                let expected = [0, 2, 1, 0, 1, 1, 2, 20 + 2 * d, 3 + 2 * d];
                assert_eq!(numbers(&ingest.unwrap_or_default()), expected, "ingest {size}");

                // A full tree grows by a level, and has a blank half.
                let grown = u64::from(size.is_power_of_two());
                let f = d + grown;
                let add = Some(ChangeKind::Add);
                let commit = least(row(Measured::Commit, add, Some(tree)), size);
                let commit = numbers(&commit.unwrap_or_default());
                assert_eq!(commit[..4], [3, 2, 1 + f, c + 1], "add {size} {tree:?}");
                assert_eq!(commit[7], 18 + 2 * f + 2 * d + 3, "add {size} {tree:?}");
                let ingest = least(row(Measured::IngestCommit, add, Some(tree)), size);
                let ingest = numbers(&ingest.unwrap_or_default());
                assert_eq!(ingest[..5], [0, 4, 1 + grown, 0, 1], "add {size} {tree:?}");
                assert_eq!(ingest[7], 18 + 2 * (1 + grown) + 2 * d, "add {size} {tree:?}");
            }
        }
    }

    #[test]
    fn messages_do_not_depend_on_the_group() {
        for size in SIZES {
            let send = least(row(Measured::Send, None, None), size).unwrap_or_default();
            assert_eq!(numbers(&send), [1, 0, 0, 0, 0, 0, 0, 5, 0]);
            let read = least(row(Measured::IngestApp, None, None), size).unwrap_or_default();
            assert_eq!(numbers(&read), [0, 1, 0, 0, 0, 0, 0, 5, 0]);
        }
    }

    #[test]
    fn a_removal_in_the_middle_costs_the_blanked_path() {
        let commit = |tree, size| {
            let change = Some(ChangeKind::Remove);
            least(row(Measured::Commit, change, Some(tree)), size).map(|sum| numbers(&sum)[3])
        };
        for size in [9, 33, 100] {
            assert_eq!(commit(Tree::Cold, size), Some(size as u64 - 2));
        }
        // Leaf 4 of 9: of its subtree of four, leaf 5 and the parent of 6 and 7 are left.
        assert_eq!(commit(Tree::Warm, 9), Some(5));
        // Of two, one is left, with nobody to encrypt to and nobody to follow.
        assert_eq!(commit(Tree::Cold, 2), Some(0));
        let change = Some(ChangeKind::Remove);
        assert_eq!(least(row(Measured::IngestCommit, change, Some(Tree::Cold)), 2), None);
    }

    #[test]
    fn rows_that_there_are_not() {
        assert_eq!(least(row(Measured::IngestApp, None, None), 1), None);
        assert_eq!(least(row(Measured::Commit, None, None), 9), None);
        assert_eq!(least(row(Measured::Commit, Some(ChangeKind::Add), Some(Tree::Cold)), 1), None);
    }
}
