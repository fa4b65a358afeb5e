//! Large groups, made by construction: their trees are filled with members who exist as leaves only,
//! and the clients that are measured join by a Welcome.
//!
//! To let every member join and commit takes the square of the group's size, and an engine that is
//! slow at that couldn't be measured at anything else. So the tree is made with burrow's own layers,
//! in steps that a group could have taken: members are added, each commits an update in a warm tree
//! (section 7.5 of RFC 9420), the first and the last are removed, and the founder's client is added in
//! the first place. A GroupInfo that the second member signs and a Welcome with its secrets make it a
//! group: whoever joins checks all of it, signatures, parent hashes and keys, as for any other. The
//! founder then adds the last member by a commit of its own.
//!
//! What comes out is a group like any other of its size, but that its past is invented and that the
//! last member was added alone: its Welcome has secrets for nobody else.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use burrow::codec::{Decode, Encode};
use burrow::crypto::{encrypt_with_label, make_key_package_ref};
use burrow::framing::MlsMessage;
use burrow::schedule::{JoinerSecret, PskSecret};
use burrow::tree::{LeafDescription, RatchetTree};
use burrow::types::{
    Capabilities, Credential, CredentialType, EncryptedGroupSecrets, Extensions, GroupContext,
    GroupInfoContent, GroupSecrets, KeyPackage, LeafIndex, LeafNodeContent, LeafNodeSource,
    Lifetime, ProtocolVersion, VerifiedLeafNode, Welcome,
};
use crypto_api::{CipherSuite, CryptoBackend, PqSuites, Secret, SigningKey, Suite};
use crypto_aws_lc::{AwsLc, SystemRandom};
use engine_api::{
    Change, Client, Description, EngineError, GroupId, KeyPackageBytes, Registration, WelcomeBytes,
};

use crate::world::Tree;

const GROUP_ID: &[u8] = b"a large group made by construction";

/// The epoch in which the founder joins.
const EPOCH: u64 = 1_000_000;

/// Who signs the GroupInfo.
const SIGNER: LeafIndex = LeafIndex(1);

/// A large group before its two clients have done anything.
pub(crate) struct Founded {
    pub(crate) group: GroupId,
    /// At leaf 0; has joined.
    pub(crate) first: Client,
    /// At the last leaf; has not joined.
    pub(crate) last: Client,
    /// The founder's, for the last.
    pub(crate) welcome: WelcomeBytes,
}

/// A group of `size` members with `tree` above all but the last, whom the founder has just added.
///
/// # Errors
/// What the engine gives.
pub(crate) fn found(
    engine: &Registration,
    size: usize,
    tree: Tree,
) -> Result<Founded, EngineError> {
    let mut first = engine.new_client("founder")?;
    let mut last = engine.new_client(&format!("member {}", size.saturating_sub(1)))?;
    let founders = first.publish_key_package()?;
    let made = welcome(suite_of(engine), &founders, size, tree).map_err(made)?;
    let group = first.join_welcome(&made.into())?;
    let invitation = last.publish_key_package()?;
    let staged = first.stage_commit(&group, &Change::Add(std::slice::from_ref(&invitation)))?;
    let welcome = staged.welcomes().for_invitee(0).cloned();
    let welcome = welcome.ok_or_else(|| EngineError::internal("a large group: no Welcome"))?;
    first.merge_staged(staged.published())?;
    Ok(Founded { group, first, last, welcome })
}

/// Whether groups can be made that this engine can be in.
pub(crate) fn is_possible(engine: &Description) -> bool {
    let suite = engine.cipher_suites.first().map_or(0, |suite| suite.0);
    BACKEND.with(|backend| backend.suite(CipherSuite(suite)).is_ok())
}

/// The cipher suite that the engine is benched with.
fn suite_of(engine: &Registration) -> CipherSuite {
    CipherSuite(engine.describe().cipher_suites.first().map_or(0, |suite| suite.0))
}

fn made(why: burrow::Error) -> EngineError {
    EngineError::internal(format_args!("making a large group: {why}"))
}

/// A tree with nobody at its first and at its last leaf.
struct Base {
    tree: RatchetTree,
    signer: SigningKey,
}

thread_local! {
    static BASES: RefCell<HashMap<(CipherSuite, usize, Tree), Rc<Base>>> = RefCell::default();
    static BACKEND: AwsLc =
        AwsLc::with_post_quantum(&PqSuites::default(), Arc::new(SystemRandom));
}

fn welcome(
    cipher_suite: CipherSuite,
    founders: &KeyPackageBytes,
    size: usize,
    tree: Tree,
) -> burrow::Result<Vec<u8>> {
    BACKEND.with(|backend| {
        let suite = backend.suite(cipher_suite).map_err(burrow::Error::from)?;
        let key = (cipher_suite, size, tree);
        let known = BASES.with_borrow(|bases| bases.get(&key).cloned());
        let base = match known {
            Some(base) => base,
            None => {
                let base = Rc::new(Base::make(suite, size, tree)?);
                BASES.with_borrow_mut(|bases| bases.insert(key, Rc::clone(&base)));
                base
            }
        };
        let message = MlsMessage::Welcome(base.welcome(suite, &key_package(founders)?)?);
        Ok(message.to_bytes()?)
    })
}

fn key_package(bytes: &KeyPackageBytes) -> burrow::Result<KeyPackage> {
    match MlsMessage::decode_exact(bytes.as_slice())? {
        MlsMessage::KeyPackage(key_package) => Ok(*key_package),
        _ => Err(burrow::Error::Unsupported("a key package that is none of MLS")),
    }
}

impl Base {
    fn make(suite: &dyn Suite, size: usize, shape: Tree) -> burrow::Result<Self> {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let signers: Vec<SigningKey> = (0..size)
            .map(|_| suite.generate_signing_key().map_err(burrow::Error::from))
            .collect::<burrow::Result<_>>()?;
        let mut tree: Option<RatchetTree> = None;
        for (index, signer) in (0..).zip(&signers) {
            let leaf = leaf(suite, index, signer)?;
            match &mut tree {
                None => tree = Some(RatchetTree::new(leaf)),
                Some(tree) => tree.add_leaf(leaf).map(drop)?,
            }
        }
        let mut tree = tree.ok_or(burrow::Error::Internal("a group of nobody"))?;
        if shape == Tree::Warm {
            for (index, signer) in (0..).map(LeafIndex).zip(&signers) {
                let leaf = tree.leaf(index).ok_or(burrow::Error::Internal("a blank leaf"))?;
                let description = LeafDescription::from(leaf);
                tree.rekey_path(suite, index, description, signer, GROUP_ID)?;
            }
        }
        tree.remove_leaf(LeafIndex(0))?;
        tree.remove_leaf(LeafIndex(size.saturating_sub(1)))?;
        let signer = signers.into_iter().nth(SIGNER.0 as usize);
        let signer = signer.ok_or(burrow::Error::Internal("a large group of less than three"))?;
        Ok(Self { tree, signer })
    }

    /// The Welcome for one more member, into the first place.
    fn welcome(&self, suite: &dyn Suite, key_package: &KeyPackage) -> burrow::Result<Welcome> {
        let mut tree = self.tree.clone();
        tree.add_leaf(VerifiedLeafNode::trusted(key_package.leaf_node.clone()))?;
        let random = |length| Secret::try_from_fn(length, |out| suite.random(out));
        let group_context = GroupContext {
            version: ProtocolVersion::MLS10,
            cipher_suite: suite.cipher_suite(),
            group_id: GROUP_ID.to_vec(),
            epoch: EPOCH,
            tree_hash: tree.tree_hash(suite)?.as_slice().to_vec(),
            confirmed_transcript_hash: random(suite.hash_length())?.as_slice().to_vec(),
            extensions: Extensions::new(),
        };
        let joiner_secret = JoinerSecret::from(random(suite.kdf_nh())?);
        let none = PskSecret::derive(suite, &[])?;
        let context = group_context.to_bytes()?;
        let epoch_secret = joiner_secret.epoch_secret(suite, &none, &context)?;
        let (secrets, _) = epoch_secret.schedule(suite)?;
        let transcript = &group_context.confirmed_transcript_hash;
        let confirmation_tag = secrets.confirmation_key.confirmation_tag(suite, transcript);
        let mut extensions = Extensions::new();
        extensions.insert(tree.to_extension()?);
        let group_info = GroupInfoContent {
            group_context,
            extensions,
            confirmation_tag: confirmation_tag.as_slice().to_vec(),
            signer: SIGNER,
        }
        .sign(suite, &self.signer)?;
        let welcome_secret = joiner_secret.welcome_secret(suite, &none)?;
        let encrypted_group_info =
            welcome_secret.encrypt_group_info(suite, group_info.as_bytes())?;
        let secrets = GroupSecrets {
            joiner_secret: joiner_secret.as_secret().clone(),
            path_secret: None,
            psks: Vec::new(),
        }
        .to_bytes()?;
        let (key, info) = (&key_package.init_key, &encrypted_group_info);
        let reference = make_key_package_ref(suite, &key_package.to_bytes()?)?;
        let secrets = vec![EncryptedGroupSecrets {
            new_member: reference.as_slice().to_vec(),
            encrypted_group_secrets: encrypt_with_label(suite, key, b"Welcome", info, &secrets)?,
        }];
        Ok(Welcome { cipher_suite: suite.cipher_suite(), secrets, encrypted_group_info })
    }
}

/// A member who is no more than this.
fn leaf(suite: &dyn Suite, index: u32, signer: &SigningKey) -> burrow::Result<VerifiedLeafNode> {
    let key = suite.generate_key_pair()?;
    let content = LeafNodeContent {
        encryption_key: key.public().into(),
        signature_key: signer.public().into(),
        credential: Credential::Basic(format!("member {index}").into_bytes()),
        capabilities: Capabilities {
            versions: vec![ProtocolVersion::MLS10],
            cipher_suites: vec![suite.cipher_suite()],
            credentials: vec![CredentialType::BASIC],
            ..Capabilities::default()
        },
        leaf_node_source: LeafNodeSource::KeyPackage(lifetime()),
        extensions: Extensions::new(),
    };
    let leaf = content.sign(suite, signer, GROUP_ID, LeafIndex(index))?;
    Ok(VerifiedLeafNode::trusted(leaf))
}

/// Around now: some engines look at the lifetimes of those whom they find in a tree.
fn lifetime() -> Lifetime {
    const DAY: u64 = 24 * 3600;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map(|since| since.as_secs()).unwrap_or_default();
    Lifetime { not_before: now.saturating_sub(DAY), not_after: now + 60 * DAY }
}

#[cfg(test)]
mod tests;
