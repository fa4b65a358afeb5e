//! A live group, and what its members and their friends have.

use std::sync::Arc;

use burrow::{
    codec::Decode,
    crypto::SignaturePublicKey,
    framing::{MlsMessage, Sender},
    group::{
        Application, Client, CommitBuilder, Config, Group, HandshakeFormat, Identity, JoinOptions,
        KeyPackageSecrets, Received,
    },
    tree::UnverifiedRatchetTree,
    types::{
        ComponentId, Credential, Extensions, ExternalSender, ExternalSenders, KeyPackage,
        LeafIndex, Lifetime, Proposal, Psk, Welcome,
    },
};
use crypto_api::{CipherSuite, CryptoBackend, Secret, SigningKey, Suite};
use crypto_aws_lc::AwsLc;
use crypto_rustcrypto::RustCrypto;

use crate::{
    Failure,
    dice::Seeded,
    forge::{Book, Kept, PSK, PSK_ID},
    insider::{Insider, Ring},
};

/// When all of this takes place.
pub const NOW: u64 = 1_800_000_000;

/// The name of all groups.
pub const GROUP_ID: &[u8] = b"the group";

/// The one component that the application has.
pub const COMPONENT: ComponentId = ComponentId(0x8001);

/// An application that lets everything through that it can: what is refused, the engine refuses.
struct Open;

impl Application for Open {
    fn now(&self) -> Option<u64> {
        Some(NOW)
    }

    fn is_credential_valid(&self, _: &Credential, _: &SignaturePublicKey) -> bool {
        true
    }

    fn may_propose(&self, _: Sender, _: &Proposal) -> bool {
        true
    }

    fn knows_component(&self, component_id: ComponentId) -> bool {
        component_id == COMPONENT
    }

    fn update_component(
        &self,
        _: ComponentId,
        _: Option<&[u8]>,
        updates: &[&[u8]],
    ) -> Option<Vec<u8>> {
        updates.last().map(|update| update.to_vec())
    }

    fn external_psk(&self, psk_id: &[u8]) -> Option<Secret> {
        (psk_id == PSK_ID).then(|| Secret::copy_from(PSK))
    }
}

/// What group a world is of.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// How many members.
    pub size: usize,
    /// The cipher suite.
    pub suite: u16,
    /// How handshake messages of the members are sent.
    pub format: HandshakeFormat,
    /// Whether the tree is in the Welcome.
    pub tree_in_welcome: bool,
    /// How many of a hundred inputs are for this one.
    pub share: usize,
}

use HandshakeFormat::{Private, Public};

/// The groups that inputs are for. Suite 2 is slower by far than the others.
pub const SPECS: [Spec; 6] = [
    Spec { size: 2, suite: 1, format: Public, tree_in_welcome: true, share: 24 },
    Spec { size: 3, suite: 1, format: Private, tree_in_welcome: false, share: 26 },
    Spec { size: 7, suite: 1, format: Public, tree_in_welcome: true, share: 24 },
    Spec { size: 20, suite: 1, format: Private, tree_in_welcome: true, share: 10 },
    Spec { size: 4, suite: 2, format: Public, tree_in_welcome: false, share: 4 },
    Spec { size: 5, suite: 3, format: Private, tree_in_welcome: true, share: 12 },
];

/// One group.
pub struct World {
    /// What it is.
    pub spec: Spec,
    /// All members' client.
    pub client: Client,
    /// Its randomness.
    pub random: Arc<Seeded>,
    /// From left to right.
    pub members: Vec<Group>,
    /// Which of them receives everything.
    pub receiver: usize,
    /// Which of them is up to no good.
    pub sender: usize,
    /// The same in this epoch.
    pub insider: Insider,
    /// The same in the epoch before.
    pub old_insider: Insider,
    /// What was sent in the epoch before, and hasn't come in.
    pub late: Vec<Vec<u8>>,
    /// All signature keys.
    pub ring: Ring,
    /// One who is to join.
    pub joiner: KeyPackageSecrets,
    /// Others who could.
    pub spares: Vec<KeyPackageSecrets>,
    /// One who could join from outside.
    pub outsider: Identity,
    /// An external sender's key.
    pub external: SigningKey,
    /// What the forger remembers.
    pub book: Book,
    /// What it remembers for all inputs.
    pub kept: Kept,
}

impl World {
    /// A group that has lived a little: members have come, gone, and refreshed their keys, there are
    /// blank leaves, past epochs, and proposals that nobody has committed yet.
    ///
    /// # Errors
    ///
    /// If the engine refuses what is right.
    pub fn new(spec: Spec, seed: u64) -> Result<Self, Failure> {
        let random = Arc::new(Seeded::new(seed));
        let backend: Arc<dyn CryptoBackend> = match spec.suite {
            // AWS-LC draws the nonces of ECDSA itself, and an input couldn't be made twice.
            2 => Arc::new(RustCrypto::with_random(random.clone())),
            _ => Arc::new(AwsLc::with_random(random.clone())),
        };
        let config = Config {
            handshake_format: spec.format,
            tree_in_welcome: spec.tree_in_welcome,
            ..Config::default()
        };
        let client = Client::new(backend, Arc::new(Open), config);
        let mut founding =
            Founding { client, suite: CipherSuite(spec.suite), ring: Ring::default(), names: 0 };
        let external = founding.identity()?.signer;
        let mut members = founding.group(spec.size, &external)?;
        let (receiver, sender) = (1, if spec.size > 2 { spec.size / 2 + 1 } else { 0 });

        let [one, two] = [0, 1].map(|_| send(&mut members, sender));
        let late = vec![one?, two?];
        let old_insider = member(&members, sender).and_then(Insider::of)?;
        founding.commit(&mut members, 0, &[], |builder| builder)?;
        let insider = member(&members, sender).and_then(Insider::of)?;
        propose(&mut members, receiver)?;

        let spares: Result<Vec<_>, _> = (0..4).map(|_| founding.key_package()).collect();
        let mut book = Book::default();
        for pending in member(&members, sender)?.pending_proposals() {
            let entry = (pending.proposal.clone(), pending.sender);
            book.known.insert(pending.reference.to_vec(), entry);
        }
        for epoch in 0..=insider.context.epoch {
            let psk = member(&members, sender)?.resumption_psk(epoch).cloned();
            book.resumption.extend(psk.map(|psk| (epoch, psk)));
        }
        Ok(Self {
            spec,
            joiner: founding.key_package()?,
            spares: spares?,
            outsider: founding.identity()?,
            client: founding.client,
            random,
            members,
            receiver,
            sender,
            insider,
            old_insider,
            late,
            ring: founding.ring,
            external,
            book,
            kept: Kept::default(),
        })
    }

    /// Its cipher suite.
    ///
    /// # Errors
    ///
    /// Never: the group was made with it.
    pub fn suite(&self) -> Result<&dyn Suite, Failure> {
        Ok(self.client.suite(CipherSuite(self.spec.suite))?)
    }

    /// A second state of a member.
    ///
    /// # Errors
    ///
    /// If it can't be copied.
    pub fn copy_of(&self, at: usize) -> Result<Group, Failure> {
        Ok(member(&self.members, at)?.duplicate()?)
    }

    /// The same, with another format of its handshake messages.
    ///
    /// # Errors
    ///
    /// If it can't be copied.
    pub fn copy_with(&self, at: usize, format: HandshakeFormat) -> Result<Group, Failure> {
        let config = Config { handshake_format: format, ..self.client.config().clone() };
        let written = member(&self.members, at)?.write()?;
        Ok(self.client.with_config(config).restore(&written, &[])?)
    }
}

/// A member, if there is one.
fn member(members: &[Group], at: usize) -> Result<&Group, Failure> {
    members.get(at).ok_or_else(|| "no such member".into())
}

fn send(members: &mut [Group], at: usize) -> Result<Vec<u8>, Failure> {
    let sender = members.get_mut(at).ok_or("no such member")?;
    Ok(sender.send(b"late", b"")?.message)
}

/// Proposals that stay uncommitted: of the first member a key, of the receiver an Update.
fn propose(members: &mut [Group], receiver: usize) -> Result<(), Failure> {
    let psk = Psk::External { psk_id: PSK_ID.to_vec() };
    let first = members.get_mut(0).ok_or("no such member")?;
    let message = first.propose_psk(psk, b"")?.message;
    everybody(members, 0, &message)?;
    let receiving = members.get_mut(receiver).ok_or("no such member")?;
    let message = receiving.propose_update(None, b"")?.message;
    everybody(members, receiver, &message)
}

fn everybody(members: &mut [Group], but: usize, message: &[u8]) -> Result<(), Failure> {
    for (at, member) in members.iter_mut().enumerate() {
        if at != but {
            let _ = member.receive(message)?;
        }
    }
    Ok(())
}

struct Founding {
    client: Client,
    suite: CipherSuite,
    ring: Ring,
    names: u32,
}

impl Founding {
    fn identity(&mut self) -> Result<Identity, Failure> {
        self.names += 1;
        let credential = Credential::Basic(format!("client {}", self.names).into_bytes());
        let lifetime = Lifetime { not_before: NOW - 3600, not_after: NOW + 84 * 24 * 3600 };
        let identity = self.client.generate_identity(self.suite, credential, lifetime)?;
        self.ring.add(&identity.signer);
        Ok(identity)
    }

    fn key_package(&mut self) -> Result<KeyPackageSecrets, Failure> {
        let identity = self.identity()?;
        Ok(self.client.generate_key_package(&identity)?)
    }

    fn group(&mut self, size: usize, external: &SigningKey) -> Result<Vec<Group>, Failure> {
        let mut extensions = Extensions::new();
        extensions.put(&ExternalSenders(vec![ExternalSender {
            signature_key: external.public().to_vec().into(),
            credential: Credential::Basic(b"external".to_vec()),
        }]))?;
        let founder = self.identity()?;
        let mut members =
            vec![self.client.create_group(&founder, GROUP_ID.to_vec(), extensions)?];
        let others: Result<Vec<_>, _> = (0..size).map(|_| self.key_package()).collect();
        self.add(&mut members, 0, &others?)?;
        // Somebody goes, which leaves a blank.
        let gone = members.len() / 2;
        let leaf = member(&members, gone)?.own_leaf();
        members.remove(gone);
        self.commit(&mut members, 0, &[], |builder| builder.remove_member(leaf))?;
        let last = members.len() - 1;
        self.commit(&mut members, last, &[], |builder| builder)?;
        Ok(members)
    }

    fn add(
        &mut self,
        members: &mut Vec<Group>,
        by: usize,
        new: &[KeyPackageSecrets],
    ) -> Result<(), Failure> {
        self.commit(members, by, new, |builder| {
            new.iter().fold(builder, |builder, new| {
                builder.add_member(KeyPackage::clone(new.key_package()))
            })
        })
    }

    fn commit(
        &mut self,
        members: &mut Vec<Group>,
        by: usize,
        new: &[KeyPackageSecrets],
        build: impl FnOnce(CommitBuilder<'_>) -> CommitBuilder<'_>,
    ) -> Result<(), Failure> {
        let committer = members.get_mut(by).ok_or("no such member")?;
        let staged = build(committer.commit()).stage()?;
        let messages = staged.messages.clone();
        committer.merge(staged)?;
        for (at, member) in members.iter_mut().enumerate() {
            if at != by {
                let Received::Commit(staged) = member.receive(&messages.message)? else {
                    return Err("a commit that isn't taken for one".into());
                };
                member.merge_remote(*staged)?;
            }
        }
        for secrets in new {
            let welcome = welcome(messages.welcome.as_deref().unwrap_or_default())?;
            let tree = messages.ratchet_tree.as_deref();
            let ratchet_tree = tree.map(UnverifiedRatchetTree::decode_exact).transpose()?;
            let options = JoinOptions { ratchet_tree, origin: None };
            members.push(self.client.join_with(&welcome, secrets, options)?);
        }
        Ok(())
    }
}

/// A Welcome out of its message.
///
/// # Errors
///
/// If it is something else.
pub fn welcome(message: &[u8]) -> Result<Welcome, Failure> {
    match MlsMessage::decode_exact(message)? {
        MlsMessage::Welcome(welcome) => Ok(welcome),
        _ => Err("not a Welcome".into()),
    }
}

/// A leaf's number.
#[must_use]
pub fn leaf_of(group: &Group) -> LeafIndex {
    group.own_leaf()
}
