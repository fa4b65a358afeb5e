//! What is right: the objects that mutations start from.

use burrow::{
    codec::{Decode, Encode},
    framing::{MlsMessage, Sender},
    group::{ExternalProposer, Group, HandshakeFormat},
    tree::UnverifiedRatchetTree,
    types::{
        Extensions, GroupInfo, GroupSecrets, KeyPackage, LeafIndex, PathSecret, Proposal,
        ProposalOrRef, Psk, ReInit,
    },
};

use crate::{
    Failure,
    dice::Dice,
    forge::{self, Forged, PSK_ID},
    recipe,
    seal::Seal,
    shape::{
        self, FRAMED_CONTENT, GROUP_INFO, KEY_PACKAGE, MLS_MESSAGE, OPENED_WELCOME, RATCHET_TREE,
        Role, STORED_COMMIT, STORED_GROUP, STORED_KEY_PACKAGE, Shape,
    },
    value::Value,
    world::{GROUP_ID, World},
};

/// A kind of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "their names say it")]
pub enum Kind {
    KeyPackage,
    Welcome,
    GroupInfo,
    RatchetTree,
    PublicProposal,
    PublicCommit,
    PrivateApplication,
    PrivateProposal,
    PrivateCommit,
    OutsideProposal,
    ExternalCommit,
    OwnMessage,
    OldEpoch,
    StoredGroup,
    StoredCommit,
    StoredKeyPackage,
}

impl Kind {
    /// All of them, and of a hundred inputs how many are of each.
    pub const ALL: [(Self, usize); 16] = [
        (Self::KeyPackage, 12),
        (Self::Welcome, 9),
        (Self::GroupInfo, 7),
        (Self::RatchetTree, 8),
        (Self::PublicProposal, 9),
        (Self::PublicCommit, 12),
        (Self::PrivateApplication, 8),
        (Self::PrivateProposal, 6),
        (Self::PrivateCommit, 8),
        (Self::OutsideProposal, 4),
        (Self::ExternalCommit, 5),
        (Self::OwnMessage, 3),
        (Self::OldEpoch, 3),
        (Self::StoredGroup, 3),
        (Self::StoredCommit, 1),
        (Self::StoredKeyPackage, 2),
    ];

    /// Whether it comes from the client's own storage: what is in there is trusted, and has to do no
    /// worse than to fail.
    #[must_use]
    pub fn is_stored(self) -> bool {
        matches!(self, Self::StoredGroup | Self::StoredCommit | Self::StoredKeyPackage)
    }
}

/// An object that is right.
#[derive(Debug, Clone)]
pub struct Sample {
    /// What it is.
    pub kind: Kind,
    /// What is left to be done to it after it was mutated.
    pub seal: Seal,
    /// It.
    pub value: Value,
}

/// Genuine messages, to see that the group still takes them.
#[derive(Debug, Default)]
pub struct Genuine {
    /// Application data.
    pub application: Vec<u8>,
    /// A proposal.
    pub proposal: Vec<u8>,
    /// A commit.
    pub commit: Vec<u8>,
    /// The epoch authenticator after that.
    pub authenticator: Vec<u8>,
    /// A Welcome for the joiner.
    pub welcome: Vec<u8>,
    /// The tree beside it, if it isn't inside.
    pub tree: Option<Vec<u8>>,
}

/// All objects of a world.
#[derive(Debug, Default)]
pub struct Samples {
    /// In no order.
    pub all: Vec<Sample>,
    /// Some of them as they are.
    pub genuine: Genuine,
}

impl Samples {
    /// Makes them.
    ///
    /// # Errors
    ///
    /// If the engine refuses what is right.
    pub fn of(world: &World) -> Result<Self, Failure> {
        let mut samples = Self::default();
        for format in [HandshakeFormat::Public, HandshakeFormat::Private] {
            samples.proposals(world, format)?;
            samples.commits(world, format)?;
        }
        samples.application(world)?;
        samples.own(world)?;
        samples.joining(world)?;
        samples.outside(world)?;
        samples.forged(world)?;
        samples.welcomes(world)?;
        samples.stored(world)?;
        Ok(samples)
    }

    fn put(&mut self, kind: Kind, seal: Seal, shape: &Shape, bytes: &[u8]) {
        // A layout that isn't known any more is mutated all the same.
        let value = Value::parse(shape, bytes).unwrap_or_else(|| Value::Raw(bytes.to_vec()));
        self.all.push(Sample { kind, seal, value });
    }

    /// A message as it was sent; and its content, to be sealed again, if it can be seen.
    fn message(&mut self, kind: Kind, seal: Seal, bytes: &[u8]) {
        self.put(kind, Seal::Raw, &MLS_MESSAGE, bytes);
        let content = self.all.last().and_then(|sample| sample.value.field(1)?.field(1)?.field(0));
        if let (Some(content), Ok(MlsMessage::PublicMessage(_))) =
            (content.cloned(), MlsMessage::decode_exact(bytes))
        {
            self.all.push(Sample { kind, seal, value: content });
        }
    }

    fn proposals(&mut self, world: &World, format: HandshakeFormat) -> Result<(), Failure> {
        let spare = world.spares.first().ok_or("no spare")?;
        let list = [
            Proposal::Add(Box::new(KeyPackage::clone(spare.key_package()))),
            Proposal::Remove(world.insider.tree.members().next().ok_or("nobody")?.0),
            Proposal::GroupContextExtensions(Extensions::new()),
            Proposal::ReInit(ReInit {
                group_id: b"next".to_vec(),
                version: world.insider.context.version,
                cipher_suite: world.insider.context.cipher_suite,
                extensions: Extensions::new(),
            }),
        ];
        let kind = match format {
            HandshakeFormat::Public => Kind::PublicProposal,
            HandshakeFormat::Private => Kind::PrivateProposal,
        };
        let mut messages = Vec::new();
        for proposal in list {
            let mut group = world.copy_with(world.sender, format)?;
            messages.push(group.propose(proposal, b"clear")?.message);
        }
        let psk = Psk::External { psk_id: PSK_ID.to_vec() };
        messages.push(world.copy_with(world.sender, format)?.propose_psk(psk, b"")?.message);
        messages.push(world.copy_with(world.sender, format)?.propose_update(None, b"")?.message);
        if format == HandshakeFormat::Public {
            messages.push(world.copy_of(world.sender)?.propose_self_remove(b"")?.message);
        }
        // One in the clear: encrypted, it and the commit would have the same key.
        if format == HandshakeFormat::Public {
            self.genuine.proposal = messages.first().cloned().unwrap_or_default();
        }
        for message in messages {
            self.message(kind, Seal::Public, &message);
        }
        // What is in the clear can be encrypted, too.
        if format == HandshakeFormat::Public {
            self.encrypted(world, Kind::PublicProposal, Kind::PrivateProposal);
        }
        Ok(())
    }

    /// The contents of one kind as those of another, which is encrypted.
    fn encrypted(&mut self, world: &World, from: Kind, to: Kind) {
        let of_kind = |sample: &&Sample| sample.kind == from && sample.seal == Seal::Public;
        let contents: Vec<_> = self.all.iter().filter(of_kind).cloned().collect();
        for sample in contents {
            let value = opened(world, sample.value, 0);
            self.all.push(Sample { kind: to, seal: Seal::Private, value });
        }
    }

    fn commits(&mut self, world: &World, format: HandshakeFormat) -> Result<(), Failure> {
        let kind = match format {
            HandshakeFormat::Public => Kind::PublicCommit,
            HandshakeFormat::Private => Kind::PrivateCommit,
        };
        let spare = KeyPackage::clone(world.spares.first().ok_or("no spare")?.key_package());
        for which in 0..4 {
            let mut group = world.copy_with(world.sender, format)?;
            let first = group.members().find(|(leaf, _)| *leaf != world.insider.leaf);
            let first = first.map_or(LeafIndex(0), |(leaf, _)| leaf);
            let builder = group.commit();
            let staged = match which {
                0 => builder,
                1 => builder.add_member(spare.clone()),
                2 => builder.only(Vec::new()).remove_member(first),
                _ => builder.only(Vec::new()).add_member(spare.clone()).without_path(),
            }
            .stage()?;
            self.put(kind, Seal::Raw, &MLS_MESSAGE, &staged.messages.message);
            if which == 0 {
                self.genuine.commit = staged.messages.message.clone();
                group.merge(staged)?;
                let authenticator = group.epoch_authenticator().as_secret();
                self.genuine.authenticator = authenticator.as_slice().to_vec();
            }
        }
        Ok(())
    }

    fn application(&mut self, world: &World) -> Result<(), Failure> {
        let mut group = without_proposals(world.copy_of(world.sender)?);
        for data in [b"".as_slice(), b"data", &[7; 300]] {
            let message = group.send(data, b"clear")?.message;
            self.put(Kind::PrivateApplication, Seal::Raw, &MLS_MESSAGE, &message);
            self.genuine.application = message;
        }
        for message in &world.late {
            self.put(Kind::OldEpoch, Seal::Raw, &MLS_MESSAGE, message);
        }
        for (kind, seal, insider) in [
            (Kind::PrivateApplication, Seal::Private, &world.insider),
            (Kind::OldEpoch, Seal::OldPrivate, &world.old_insider),
        ] {
            for generation in [0, 2, 40] {
                let content = application(insider.context.epoch, insider.leaf);
                let value = opened(world, content, generation);
                self.all.push(Sample { kind, seal, value });
            }
        }
        Ok(())
    }

    /// What comes back from the Delivery Service, and what a twin with the same keys sends.
    fn own(&mut self, world: &World) -> Result<(), Failure> {
        for format in [HandshakeFormat::Public, HandshakeFormat::Private] {
            let mut group = world.copy_with(world.receiver, format)?;
            let message = group.propose_update(None, b"")?.message;
            self.message(Kind::OwnMessage, Seal::Public, &message);
            let message = group.commit().stage()?.messages.message;
            self.message(Kind::OwnMessage, Seal::Public, &message);
        }
        let mut group = without_proposals(world.copy_of(world.receiver)?);
        let own_leaf = group.own_leaf();
        let message = group.send(b"own", b"")?.message;
        self.put(Kind::OwnMessage, Seal::Raw, &MLS_MESSAGE, &message);
        let mut value = opened(world, application(world.insider.context.epoch, own_leaf), 3);
        if let Some(leaf) = value.field_mut(1).and_then(|data| data.field_mut(0)) {
            *leaf = Value::Int(4, Role::Place, u64::from(own_leaf.0));
        }
        self.all.push(Sample { kind: Kind::OwnMessage, seal: Seal::Private, value });
        Ok(())
    }

    fn joining(&mut self, world: &World) -> Result<(), Failure> {
        for secrets in world.spares.iter().chain([&world.joiner]) {
            self.put(Kind::KeyPackage, Seal::Raw, &MLS_MESSAGE, &secrets.message()?);
            let bytes = secrets.key_package().as_bytes();
            self.put(Kind::KeyPackage, Seal::KeyPackage, &KEY_PACKAGE, bytes);
            self.put(Kind::StoredKeyPackage, Seal::Raw, &STORED_KEY_PACKAGE, &secrets.write()?);
        }
        for has_more in [false, true] {
            let mut group = world.copy_of(world.sender)?;
            let joiner = KeyPackage::clone(world.joiner.key_package());
            let mut builder = group.commit().add_member(joiner);
            if has_more {
                for spare in &world.spares {
                    builder = builder.add_member(KeyPackage::clone(spare.key_package()));
                }
                builder = builder.psk(Psk::External { psk_id: PSK_ID.to_vec() });
            }
            let messages = builder.stage()?.messages;
            let welcome = messages.welcome.unwrap_or_default();
            self.put(Kind::Welcome, Seal::Raw, &MLS_MESSAGE, &welcome);
            if !has_more {
                if let Some(tree) = &messages.ratchet_tree {
                    self.put(Kind::RatchetTree, Seal::Raw, &RATCHET_TREE, tree);
                }
                self.genuine.welcome = welcome;
                self.genuine.tree = messages.ratchet_tree;
            }
        }
        let mut group_info = world.copy_of(world.sender)?.group_info()?;
        self.put(Kind::GroupInfo, Seal::Raw, &MLS_MESSAGE, &group_info);
        group_info.drain(..4);
        self.put(Kind::GroupInfo, Seal::GroupInfo, &GROUP_INFO, &group_info);
        let tree = world.insider.tree.to_bytes()?;
        self.put(Kind::RatchetTree, Seal::Tree, &RATCHET_TREE, &tree);
        let tree = world.old_insider.tree.to_bytes()?;
        self.put(Kind::RatchetTree, Seal::Tree, &RATCHET_TREE, &tree);
        // Without parents, whose hashes cover the leaves, it is the leaves that are looked at.
        let mut leaves = Value::parse(&RATCHET_TREE, &tree).ok_or("a tree that doesn't parse")?;
        if let Value::List(nodes, _) = &mut leaves {
            for parent in nodes.iter_mut().skip(1).step_by(2) {
                *parent = Value::Struct(shape::Name::Other, vec![Value::Int(1, Role::Tag, 0)]);
            }
        }
        for _ in 0..2 {
            let (kind, seal, value) = (Kind::RatchetTree, Seal::Tree, leaves.clone());
            self.all.push(Sample { kind, seal, value });
        }
        Ok(())
    }

    fn outside(&mut self, world: &World) -> Result<(), Failure> {
        let epoch = world.insider.context.epoch;
        let spare = world.spares.first().ok_or("no spare")?;
        let message = world.client.propose_own_add(spare, GROUP_ID, epoch)?;
        self.message(Kind::OutsideProposal, Seal::Public, &message);
        let suite = world.insider.context.cipher_suite;
        let proposer = ExternalProposer::new(&world.client, suite, world.external.clone(), 0);
        let remove = Proposal::Remove(world.insider.leaf);
        let message = proposer.propose(GROUP_ID, epoch, remove)?;
        self.message(Kind::OutsideProposal, Seal::Public, &message);
        let group_info = world.copy_of(world.sender)?.group_info()?;
        let MlsMessage::GroupInfo(info) = MlsMessage::decode_exact(&group_info)? else {
            return Err("not a GroupInfo".into());
        };
        let mut builder = world.client.join_externally(&world.outsider, &info);
        if !world.spec.tree_in_welcome {
            let tree = UnverifiedRatchetTree::decode_exact(&world.insider.tree.to_bytes()?)?;
            builder = builder.ratchet_tree(tree);
        }
        let message = builder.stage()?.message;
        self.put(Kind::ExternalCommit, Seal::Raw, &MLS_MESSAGE, &message);
        Ok(())
    }

    /// Commits whose secrets the forger knows, so that the tag can be made anew.
    fn forged(&mut self, world: &World) -> Result<(), Failure> {
        let insider = &world.insider;
        let sender = Sender::Member(insider.leaf);
        let mut references: Vec<_> = world.book.known.keys().cloned().collect();
        references.sort_unstable();
        let references: Vec<_> = references.into_iter().map(ProposalOrRef::Reference).collect();
        let spare = KeyPackage::clone(world.spares.first().ok_or("no spare")?.key_package());
        let add = ProposalOrRef::Proposal(Proposal::Add(Box::new(spare)));
        let path = || recipe::own_path(world).map(Some);
        let mut forged = vec![
            recipe::make(world, sender, Vec::new(), path()?)?,
            recipe::make(world, sender, references, path()?)?,
            recipe::make(world, sender, vec![add.clone()], path()?)?,
            recipe::make(world, sender, vec![add], None)?,
        ];
        let mut dice = Dice::new(u64::from(world.spec.suite), world.spec.size as u64);
        forged.extend((0..16).filter_map(|_| recipe::commit(world, &mut dice).ok()));
        for commit in &forged {
            let bytes = commit.framed.to_bytes()?;
            self.put(Kind::PublicCommit, Seal::Public, &FRAMED_CONTENT, &bytes);
        }
        self.encrypted(world, Kind::PublicCommit, Kind::PrivateCommit);
        for _ in 0..12 {
            if let Ok(commit) = recipe::external_commit(world, &mut dice) {
                let bytes = commit.framed.to_bytes()?;
                self.put(Kind::ExternalCommit, Seal::Public, &FRAMED_CONTENT, &bytes);
            }
        }
        Ok(())
    }

    /// Welcomes of a forged Add: the insider knows what is inside.
    fn welcomes(&mut self, world: &World) -> Result<(), Failure> {
        let joiner = KeyPackage::clone(world.joiner.key_package());
        let add = vec![ProposalOrRef::Proposal(Proposal::Add(Box::new(joiner)))];
        for path in [Some(recipe::own_path(world)?), None] {
            let sender = Sender::Member(world.insider.leaf);
            let forged = recipe::make(world, sender, add.clone(), path)?;
            let (secrets, info) = opened_welcome(world, forged)?;
            let mut bytes = secrets;
            bytes.extend_from_slice(info.as_bytes());
            self.put(Kind::Welcome, Seal::Welcome, &OPENED_WELCOME, &bytes);
        }
        Ok(())
    }

    fn stored(&mut self, world: &World) -> Result<(), Failure> {
        let mut group = world.copy_of(world.receiver)?;
        self.put(Kind::StoredGroup, Seal::Raw, &STORED_GROUP, &group.write()?);
        let staged = group.commit().stage()?;
        self.put(Kind::StoredCommit, Seal::Raw, &STORED_COMMIT, &staged.write()?);
        self.put(Kind::StoredGroup, Seal::Raw, &shape::BYTES, &group.write()?);
        Ok(())
    }
}

/// The GroupSecrets and the GroupInfo of a Welcome to what a commit leads to.
fn opened_welcome(world: &World, forged: Forged) -> Result<(Vec<u8>, GroupInfo), Failure> {
    let suite = world.suite()?;
    let insider = &world.insider;
    let mut context = forged.context;
    let commit_secret = forged.commit_secret.as_ref();
    let secret =
        forge::joiner_secret(insider, suite, &mut context, None, commit_secret, b"a commit")?;
    let path_secret = forged.path_secrets.into_iter().next().flatten();
    let secrets = GroupSecrets {
        joiner_secret: secret.as_secret().clone(),
        path_secret: path_secret.map(PathSecret),
        psks: forged.psks,
    };
    let mut extensions = Extensions::new();
    extensions.insert(forged.tree.to_extension()?);
    let content = burrow::types::GroupInfoContent {
        group_context: context,
        extensions,
        confirmation_tag: Vec::new(),
        signer: insider.leaf,
    };
    Ok((secrets.to_bytes()?, content.sign(suite, &insider.signer)?))
}

fn without_proposals(mut group: Group) -> Group {
    let references: Vec<_> =
        group.pending_proposals().map(|pending| pending.reference.to_vec()).collect();
    references.iter().for_each(|reference| {
        group.drop_proposal(reference);
    });
    group
}

/// A FramedContent with application data.
fn application(epoch: u64, leaf: LeafIndex) -> Value {
    let mut bytes = vec![GROUP_ID.len() as u8];
    bytes.extend_from_slice(GROUP_ID);
    bytes.extend_from_slice(&epoch.to_be_bytes());
    bytes.push(1);
    bytes.extend_from_slice(&leaf.0.to_be_bytes());
    bytes.extend_from_slice(&[0, 1, 4]);
    bytes.extend_from_slice(b"data");
    Value::parse(&FRAMED_CONTENT, &bytes).unwrap_or(Value::Raw(bytes))
}

/// A content as [`shape::OPENED_PRIVATE`] has it.
fn opened(world: &World, content: Value, generation: u64) -> Value {
    let leaf = u64::from(world.insider.leaf.0);
    let sender_data = vec![
        Value::Int(4, Role::Place, leaf),
        Value::Int(4, Role::Place, generation),
        Value::Int(4, Role::Number, 0x0102_0304),
    ];
    Value::Struct(
        shape::Name::Other,
        vec![content, Value::Struct(shape::Name::Other, sender_data), Value::opaque(&[])],
    )
}
