//! What is left to be done to an object after it was mutated: nothing, or all that one who holds a
//! member's keys can do, so that what was done to it is what it is refused for.

use burrow::{
    codec::{Decode, Encode, Reader, encode_opaque},
    crypto::{encrypt_with_label, sign_with_label},
    schedule::{JoinerSecret, PskSecret},
    tree::UnverifiedRatchetTree,
    types::{GroupContext, GroupSecrets},
};

use crate::{
    Failure, forge,
    insider::{Insider, Place, Sealing, sign_inside, sign_tree},
    samples::Sample,
    shape::{Name, Role, Shape},
    value::{Header, Value, sender_tag},
    world::{GROUP_ID, World},
};

/// What is left to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Seal {
    /// Nothing: it is what anybody can make.
    Raw,
    /// A KeyPackage: its owner's signatures.
    KeyPackage,
    /// A FramedContent: signature, tags, and it is a PublicMessage.
    Public,
    /// The parts of a PrivateMessage: signature, tag, encryption.
    Private,
    /// The same in the epoch before.
    OldPrivate,
    /// GroupSecrets and GroupInfo: tree hash, signature, tag, and it is a Welcome.
    Welcome,
    /// A GroupInfo: tree hash and signature.
    GroupInfo,
    /// A ratchet tree: the leaves' signatures, and it is in a GroupInfo that fits.
    Tree,
}

impl Seal {
    /// What is mutated: the shape of the value.
    #[must_use]
    pub fn shape(self) -> &'static Shape {
        match self {
            Self::Raw => &crate::shape::MLS_MESSAGE,
            Self::KeyPackage => &crate::shape::KEY_PACKAGE,
            Self::Public => &crate::shape::FRAMED_CONTENT,
            Self::Private | Self::OldPrivate => &crate::shape::OPENED_PRIVATE,
            Self::Welcome => &crate::shape::OPENED_WELCOME,
            Self::GroupInfo => &crate::shape::GROUP_INFO,
            Self::Tree => &crate::shape::RATCHET_TREE,
        }
    }
}

/// How well it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct How {
    /// Whether the signatures inside of the object are made anew, or stay what they were.
    pub signs_inside: bool,
    /// Whether the confirmation tag of a commit or of a Welcome is the right one.
    pub tags: bool,
}

impl How {
    /// As well as can be.
    pub const WELL: Self = Self { signs_inside: true, tags: true };
}

/// Does it.
///
/// # Errors
///
/// If the object is too broken for it: then there is nothing to try.
pub fn seal(world: &World, sample: Sample, how: How) -> Result<Vec<u8>, Failure> {
    let Sample { seal, mut value, .. } = sample;
    if how.signs_inside {
        sign_all(world, seal, &mut value)?;
    }
    match seal {
        Seal::Raw => Ok(value.to_bytes()),
        Seal::KeyPackage => Ok(message(5, &value)),
        Seal::Public => public(world, &value, how),
        Seal::Private => private(world, &world.insider, &value, how),
        Seal::OldPrivate => private(world, &world.old_insider, &value, how),
        Seal::Welcome => welcome(world, &mut value, how),
        Seal::GroupInfo => {
            sign_group_info(world, &mut value)?;
            Ok(message(4, &value))
        }
        Seal::Tree => group_info_of(world, value),
    }
}

/// Signs whatever leaves and key packages are inside.
fn sign_all(world: &World, seal: Seal, value: &mut Value) -> Result<(), Failure> {
    let suite = world.suite()?;
    let place = Place { group_id: GROUP_ID, leaf: world.insider.leaf.0 };
    match seal {
        Seal::Raw => {}
        Seal::Tree => sign_tree(suite, value, &world.ring, GROUP_ID),
        Seal::GroupInfo | Seal::Welcome => {
            let info = if seal == Seal::Welcome { value.field_mut(1) } else { Some(value) };
            if let Some(tree) = info.and_then(tree_in) {
                sign_tree(suite, tree, &world.ring, GROUP_ID);
            }
        }
        _ => sign_inside(suite, value, &world.ring, place),
    }
    Ok(())
}

/// The tree in a GroupInfo.
fn tree_in(info: &mut Value) -> Option<&mut Value> {
    let Some(Value::List(extensions, _)) = info.field_mut(1) else {
        return None;
    };
    let of_tree = |extension: &&mut Value| extension.field(0).and_then(Value::int) == Some(2);
    extensions.iter_mut().find(of_tree)?.field_mut(1)?.field_mut(0)
}

fn message(wire_format: u8, value: &Value) -> Vec<u8> {
    let mut bytes = vec![0, 1, 0, wire_format];
    value.write(&mut bytes);
    bytes
}

fn public(world: &World, framed: &Value, how: How) -> Result<Vec<u8>, Failure> {
    let suite = world.suite()?;
    let encoded = framed.to_bytes();
    let key = match sender_tag(framed) {
        Some(2) => Some(&world.external),
        Some(3 | 4) => leaf_key(framed).and_then(|public| world.ring.get(public)),
        _ => None,
    };
    let tag = |input: &[u8]| {
        how.tags.then(|| forge::tag(&world.insider, &world.book, suite, &encoded, input))?
    };
    let sealing = Sealing { wire_format: 1, signer: key, ring: &world.ring, tag: &tag };
    world.insider.public(suite, framed, &sealing)
}

fn private(world: &World, insider: &Insider, opened: &Value, how: How) -> Result<Vec<u8>, Failure> {
    let suite = world.suite()?;
    let encoded = opened.field(0).ok_or("no content")?.to_bytes();
    let tag = |input: &[u8]| {
        how.tags.then(|| forge::tag(insider, &world.book, suite, &encoded, input))?
    };
    let sealing = Sealing { wire_format: 2, signer: None, ring: &world.ring, tag: &tag };
    insider.private(suite, opened, &sealing)
}

/// The signature key of the last leaf inside: that of a path, or that of an Add.
fn leaf_key(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Struct(Name::LeafNode, fields) => fields.get(1)?.bytes(),
        Value::Struct(_, fields) | Value::List(fields, _) => fields.iter().rev().find_map(leaf_key),
        _ => None,
    }
}

/// Puts the hash of the tree that is in it into a GroupInfo's context, if there is one that reads.
fn fit_tree_hash(world: &World, info: &mut Value) -> Result<(), Failure> {
    let suite = world.suite()?;
    let tree = tree_in(info).map(|tree| UnverifiedRatchetTree::decode_exact(&tree.to_bytes()));
    if let Some(Ok(tree)) = tree
        && let Some(hash) = info.field_mut(0).and_then(|context| context.field_mut(4))
    {
        *hash = Value::opaque(tree.tree_hash(suite)?.as_slice());
    }
    Ok(())
}

/// Signs a GroupInfo as whom it says, if that key is there.
fn sign_group_info(world: &World, info: &mut Value) -> Result<(), Failure> {
    fit_tree_hash(world, info)?;
    let suite = world.suite()?;
    let leaf = info.field(3).and_then(Value::int).and_then(|leaf| u32::try_from(leaf).ok());
    let leaf = leaf.and_then(|leaf| world.insider.tree.leaf(burrow::types::LeafIndex(leaf)));
    let key = leaf.and_then(|leaf| world.ring.get(leaf.signature_key.as_slice()));
    let key = key.unwrap_or(&world.insider.signer);
    let Value::Struct(_, fields) = info else {
        return Err("not a GroupInfo".into());
    };
    let (signature, content) = fields.split_last_mut().ok_or("not a GroupInfo")?;
    let mut tbs = Vec::new();
    content.iter().for_each(|field| field.write(&mut tbs));
    *signature = Value::opaque(sign_with_label(suite, key, b"GroupInfoTBS", &[&tbs])?.as_slice());
    Ok(())
}

/// A GroupInfo for external joiners with this tree in it.
fn group_info_of(world: &World, tree: Value) -> Result<Vec<u8>, Failure> {
    let insider = &world.insider;
    let suite = world.suite()?;
    let external_pub = insider.secrets.external_secret.key_pair(suite)?.public().to_vec();
    let extension = |number, content| {
        let inside = Value::List(vec![content], Header::Right);
        Value::Struct(Name::Other, vec![Value::Int(2, Role::Type, number), inside])
    };
    let extensions = vec![extension(2, tree), extension(4, Value::opaque(&external_pub))];
    let context = Value::parse(&crate::shape::GROUP_CONTEXT, &insider.encoded_context);
    let mut info = Value::Struct(
        Name::GroupInfo,
        vec![
            context.ok_or("not a GroupContext")?,
            Value::List(extensions, Header::Right),
            Value::opaque(&[7; 32]),
            Value::Int(4, Role::Place, u64::from(insider.leaf.0)),
            Value::opaque(&[]),
        ],
    );
    sign_group_info(world, &mut info)?;
    Ok(message(4, &info))
}

/// Seals GroupSecrets and a GroupInfo to the joiner, with a confirmation tag that fits both.
fn welcome(world: &World, opened: &mut Value, how: How) -> Result<Vec<u8>, Failure> {
    let suite = world.suite()?;
    let secrets = opened.field(0).ok_or("no GroupSecrets")?.to_bytes();
    let joiner_secret = Reader::new(&secrets).read::<crypto_api::Secret>();
    let joiner_secret = JoinerSecret::from(joiner_secret.map_err(|_| "no joiner_secret")?);
    let psk_secret = match GroupSecrets::decode_exact(&secrets) {
        Ok(secrets) => world.book.psk_secret(suite, &secrets.psks),
        Err(_) => None,
    };
    let psk_secret = psk_secret.unwrap_or_else(|| PskSecret::none(suite));
    let info = opened.field_mut(1).ok_or("no GroupInfo")?;
    fit_tree_hash(world, info)?;
    let context = info.field(0).map(Value::to_bytes).unwrap_or_default();
    if how.tags
        && let Ok(context) = GroupContext::decode_exact(&context)
        && let Some(tag @ Value::Opaque(..)) = info.field_mut(2)
        && tag.bytes() == Some(b"")
    {
        let fitting = forge::epoch_tag(suite, &joiner_secret, &psk_secret, &context)?;
        *tag = Value::opaque(fitting.as_slice());
    }
    sign_group_info(world, info)?;
    let welcome_secret = joiner_secret.welcome_secret(suite, &psk_secret)?;
    let encrypted = welcome_secret.encrypt_group_info(suite, &info.to_bytes())?;
    let key_package = world.joiner.key_package();
    let sealed =
        encrypt_with_label(suite, &key_package.init_key, b"Welcome", &encrypted, &secrets)?;
    let mut entry = Vec::new();
    encode_opaque(key_package.reference(suite)?.as_slice(), &mut entry)?;
    sealed.encode(&mut entry)?;
    let mut message = vec![0, 1, 0, 3];
    message.extend_from_slice(&world.spec.suite.to_be_bytes());
    encode_opaque(&entry, &mut message)?;
    encode_opaque(&encrypted, &mut message)?;
    Ok(message)
}
