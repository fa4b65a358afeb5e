//! The groups that the scenes begin with.

use burrow::Result;
use crypto_api::{HpkePrivateKey, Secret, SigningKey, Suite};

use crate::own::forge::{Draft, Leaf, Source};
use crate::own::forging::{
    APPLICATION, Change, Commit, Frame, Group, Made, PROPOSAL, Path, PrivateFrame, Psk, Sender,
    opaque, random, struct_of, vector,
};

/// What all leaves of the settings list in their capabilities.
pub(super) const LISTED_EXTENSION: u16 = 0xf00f;

/// The leaf that is ours once we have joined.
pub(super) const OURS: u32 = 1;

const EXTERNAL_SENDERS: u16 = 5;

/// The client that is given things.
#[derive(Clone)]
pub(super) struct Us {
    pub(super) draft: Draft,
    pub(super) init_key: HpkePrivateKey,
    pub(super) leaf_key: HpkePrivateKey,
}

/// Where the cases of a scene begin.
pub(super) struct Setting<'a> {
    pub(super) us: Us,
    pub(super) group: Group<'a>,
    pub(super) psks: Vec<(Vec<u8>, Secret)>,
    /// The Welcome that we joined by, if we have joined.
    pub(super) welcome: Option<Vec<u8>>,
    pub(super) before: Vec<Vec<u8>>,
    /// The group in which `before` was received.
    pub(super) past: Option<Group<'a>>,
    pub(super) external_sender: SigningKey,
    /// The path of the commit that added us, which is leaf 0's.
    pub(super) last_path: Vec<Path>,
}

/// A case's own copy.
pub(super) struct Stage<'a> {
    pub(super) us: Us,
    pub(super) group: Group<'a>,
    pub(super) past: Option<Group<'a>>,
    pub(super) psks: Vec<(Vec<u8>, Secret)>,
    pub(super) external_sender: SigningKey,
    pub(super) last_path: Vec<Path>,
    pub(super) before: Vec<Vec<u8>>,
    pub(super) offered: Vec<Vec<u8>>,
}

/// Members 0, 2, 3 and 4, all of whom have committed; leaf 1 is blank. We are not in the group yet.
pub(super) fn outside(suite: &dyn Suite) -> Result<Setting<'_>> {
    const NAMES: [&[u8]; 5] = [b"member 0", b"member 1", b"member 2", b"member 3", b"member 4"];
    let drafts: Vec<_> = NAMES.iter().map(|name| draft(suite, name)).collect::<Result<_>>()?;
    let external_sender = suite.generate_signing_key()?;
    let mut group = Group::of(suite, &drafts)?;
    group.extensions = vec![(EXTERNAL_SENDERS, external_senders(external_sender.public())?)];
    for leaf in [0, 1, 3, 4] {
        group = group.commit(leaf)?.make()?.group;
    }
    let group = group.commit(2)?.with(Change::Remove(OURS)).make()?.group;
    let psks = [b"psk", b"two"].map(|id| Ok((id.to_vec(), random(suite)?)));
    Ok(Setting {
        us: us(suite)?,
        group,
        psks: psks.into_iter().collect::<Result<_>>()?,
        welcome: None,
        before: Vec::new(),
        past: None,
        external_sender,
        last_path: Vec::new(),
    })
}

/// The same with us at leaf 1.
pub(super) fn inside(suite: &dyn Suite) -> Result<Setting<'_>> {
    let setting = outside(suite)?;
    let made = setting.group.commit(0)?.with(Change::Add(setting.us.draft.clone())).make()?;
    let welcomed = made.welcome().make()?;
    Ok(Setting {
        group: welcomed.group,
        welcome: Some(welcomed.message),
        last_path: made.path,
        ..setting
    })
}

/// The same, one epoch later.
pub(super) fn later(suite: &dyn Suite) -> Result<Setting<'_>> {
    let setting = inside(suite)?;
    let made = setting.group.commit(2)?.make()?;
    Ok(Setting {
        group: made.group,
        before: vec![made.message],
        past: Some(setting.group),
        ..setting
    })
}

/// A key package that lists [`LISTED_EXTENSION`].
pub(super) fn draft(suite: &dyn Suite, name: &'static [u8]) -> Result<Draft> {
    let mut draft = Draft::new(suite, name)?;
    draft.leaf.extension_types.push(LISTED_EXTENSION);
    Ok(draft)
}

fn us(suite: &dyn Suite) -> Result<Us> {
    let (init_key, leaf_key) = (suite.generate_key_pair()?, suite.generate_key_pair()?);
    let mut draft = draft(suite, b"us")?;
    draft.init_key = init_key.public().to_vec();
    draft.leaf.encryption_key = leaf_key.public().to_vec();
    Ok(Us { draft, init_key, leaf_key })
}

/// `ExternalSenders` with one.
fn external_senders(signature_key: &[u8]) -> Result<Vec<u8>> {
    let basic = 1_u16.to_be_bytes();
    let sender = struct_of(&[&opaque(signature_key)?, &basic, &opaque(b"the server")?]);
    vector(&[sender])
}

impl<'a> Stage<'a> {
    /// With randomness of the case's own.
    pub(super) fn new(setting: &Setting<'a>, suite: &'a dyn Suite) -> Self {
        let own = |group: &Group<'a>| Group { suite, ..group.clone() };
        Self {
            us: setting.us.clone(),
            group: own(&setting.group),
            past: setting.past.as_ref().map(own),
            psks: setting.psks.clone(),
            external_sender: setting.external_sender.clone(),
            last_path: setting.last_path.clone(),
            before: Vec::new(),
            offered: Vec::new(),
        }
    }

    pub(super) fn suite(&self) -> &'a dyn Suite {
        self.group.suite
    }

    /// A new client's key package.
    pub(super) fn draft(&self) -> Result<Draft> {
        draft(self.suite(), b"new")
    }

    /// Leaf 0 adds us.
    pub(super) fn add_us(&self) -> Result<Made<'a>> {
        self.group.commit(0)?.with(Change::Add(self.us.draft.clone())).make()
    }

    /// Leaf 0 commits.
    pub(super) fn commit(&self) -> Result<Commit<'a>> {
        self.group.commit(0)
    }

    /// A PSK that we have.
    pub(super) fn psk(&self) -> Result<Psk> {
        self.psk_with(self.suite().kdf_nh())
    }

    /// The same, with a nonce of another length.
    pub(super) fn psk_with(&self, nonce: usize) -> Result<Psk> {
        let (id, secret) = self.psks[0].clone();
        Psk::external(&id, self.nonce(nonce)?, secret)
    }

    pub(super) fn nonce(&self, length: usize) -> Result<Vec<u8>> {
        let mut nonce = vec![0; length];
        self.suite().random(&mut nonce)?;
        Ok(nonce)
    }

    /// The resumption PSK of the present epoch.
    pub(super) fn resumption(&self, usage: u8) -> Result<Psk> {
        let secret = self.group.secret(b"resumption")?;
        let epoch = (&self.group.group_id[..], self.group.epoch);
        Psk::resumption(usage, epoch, self.nonce(self.suite().kdf_nh())?, secret)
    }

    /// A member's leaf for an Update, with a key of its own.
    pub(super) fn update_of(&self, leaf: u32) -> Result<Leaf> {
        let mut draft = self.leaf(leaf)?;
        draft.encryption_key = self.suite().generate_key_pair()?.public().to_vec();
        draft.source = Source::Update;
        draft.place = (self.group.group_id.clone(), leaf);
        Ok(draft)
    }

    /// A member's present leaf.
    pub(super) fn leaf(&self, leaf: u32) -> Result<Leaf> {
        let placed = self.group.tree.leaf(leaf);
        Ok(placed.ok_or(burrow::Error::Internal("no such leaf"))?.draft.clone())
    }

    pub(super) fn member(&self, leaf: u32) -> Result<(Sender, SigningKey)> {
        Ok((Sender::Member(leaf), self.leaf(leaf)?.signer))
    }

    /// A frame around a proposal.
    pub(super) fn proposal(&self, from: (Sender, SigningKey), change: &Change) -> Result<Frame> {
        Ok(Frame::new(&self.group, from, PROPOSAL, change.encoded(self.suite())?))
    }

    /// A member's application message, and what is in it.
    pub(super) fn application(&self, leaf: u32, generation: u32) -> Result<Frame> {
        let member = self.member(leaf)?;
        let mut frame = Frame::new(&self.group, member, APPLICATION, opaque(b"hello")?);
        frame.private = Some(PrivateFrame::new(leaf, generation, APPLICATION));
        Ok(frame)
    }

    /// Signs a frame and protects it.
    pub(super) fn message(&self, frame: Frame) -> Result<Vec<u8>> {
        frame.sign(&self.group)?.protect(&self.group, None)
    }

    /// Lets us have a proposal that is good; its ProposalRef.
    pub(super) fn give(&mut self, from: (Sender, SigningKey), change: &Change) -> Result<Vec<u8>> {
        let (message, reference) = self.proposed(from, change)?;
        self.before.push(message);
        Ok(reference)
    }

    /// Lets us have a proposal that isn't.
    pub(super) fn offer(&mut self, from: (Sender, SigningKey), change: &Change) -> Result<Vec<u8>> {
        let (message, reference) = self.proposed(from, change)?;
        self.offered.push(message);
        Ok(reference)
    }

    fn proposed(&self, from: (Sender, SigningKey), change: &Change) -> Result<(Vec<u8>, Vec<u8>)> {
        let signed = self.proposal(from, change)?.sign(&self.group)?;
        Ok((signed.protect(&self.group, None)?, signed.reference(self.suite())?))
    }
}
