//! The other way in: bytes that a fuzzer makes, guided by what the engine does with them.
//!
//! An input is one byte and an object. The byte says which world it is for and whether the object is
//! sealed before it is tried; the fuzzer's mutator is that of this crate.

use crate::{
    Failure,
    dice::Dice,
    input::{Input, Stage},
    judge::Judge,
    mutate::{MAX_LENGTH, Mutation, mutate, mutate_bytes},
    samples::{Kind, Sample},
    seal::{How, Seal, seal},
    shape::{MLS_MESSAGE, RATCHET_TREE, STORED_COMMIT, STORED_GROUP, STORED_KEY_PACKAGE, Shape},
    target::Burrow,
    value::Value,
};

/// A fuzz target: the kinds of objects that it starts from.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// What is tried.
    pub kinds: &'static [Kind],
}

/// All of them.
pub const TARGETS: [Target; 7] = [
    Target { name: "key_package", kinds: &[Kind::KeyPackage] },
    Target {
        name: "public_message",
        kinds: &[
            Kind::PublicCommit,
            Kind::PublicProposal,
            Kind::OutsideProposal,
            Kind::ExternalCommit,
        ],
    },
    Target {
        name: "private_message",
        kinds: &[
            Kind::PrivateCommit,
            Kind::PrivateApplication,
            Kind::PrivateProposal,
            Kind::OldEpoch,
            Kind::OwnMessage,
        ],
    },
    Target { name: "welcome", kinds: &[Kind::Welcome] },
    Target { name: "group_info", kinds: &[Kind::GroupInfo] },
    Target { name: "ratchet_tree", kinds: &[Kind::RatchetTree] },
    Target {
        name: "stored_state",
        kinds: &[Kind::StoredGroup, Kind::StoredCommit, Kind::StoredKeyPackage],
    },
];

/// Which of the worlds a fuzzer's input is for: the small ones, for speed.
const WORLDS: u8 = 3;

/// What a fuzzer starts from.
#[derive(Debug)]
pub struct Seed {
    /// The target's name.
    pub target: &'static str,
    /// The input.
    pub bytes: Vec<u8>,
}

/// What all fuzz targets start from.
#[must_use]
pub fn seeds(stage: &Stage) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for target in TARGETS {
        for (world, (_, samples)) in (0..WORLDS).zip(&stage.worlds) {
            for sample in &samples.all {
                let Some(kind) = target.kinds.iter().position(|kind| *kind == sample.kind) else {
                    continue;
                };
                let mut bytes = vec![head(world, kind, sample.seal)];
                sample.value.write(&mut bytes);
                seeds.push(Seed { target: target.name, bytes });
            }
        }
    }
    seeds
}

/// World, kind and seal as a byte.
fn head(world: u8, kind: usize, seal: Seal) -> u8 {
    let is_sealed = u8::from(seal != Seal::Raw);
    is_sealed | world << 1 | (kind as u8) << 3
}

struct Head {
    world: usize,
    kind: Kind,
    seal: Seal,
}

impl Target {
    fn head(&self, byte: u8) -> Option<Head> {
        let kind = *self.kinds.get(usize::from(byte >> 3) % self.kinds.len().max(1))?;
        let seal = if byte & 1 == 0 { Seal::Raw } else { sealed(kind) };
        Some(Head { world: usize::from((byte >> 1 & 3) % WORLDS), kind, seal })
    }

    fn shape(head: &Head) -> &'static Shape {
        match (head.seal, head.kind) {
            (Seal::Raw, Kind::RatchetTree) => &RATCHET_TREE,
            (Seal::Raw, Kind::StoredGroup) => &STORED_GROUP,
            (Seal::Raw, Kind::StoredCommit) => &STORED_COMMIT,
            (Seal::Raw, Kind::StoredKeyPackage) => &STORED_KEY_PACKAGE,
            (Seal::Raw, _) => &MLS_MESSAGE,
            (seal, _) => seal.shape(),
        }
    }

    /// Mutates an input with the fields that it has.
    #[must_use]
    pub fn mutate(&self, input: &[u8], seed: u32) -> Option<Vec<u8>> {
        let mut dice = Dice::new(u64::from(seed), 0);
        let (first, object) = input.split_first()?;
        let head = self.head(*first)?;
        let mutation = *dice.pick(&Mutation::ALL)?;
        let mut out = vec![*first];
        match Value::parse(Self::shape(&head), object) {
            Some(mut value) => {
                let donor = value.clone();
                mutate(&mut value, &donor, mutation, &mut dice).then_some(())?;
                value.write(&mut out);
            }
            None => {
                let mut object = object.to_vec();
                mutate_bytes(&mut object, mutation, &mut dice);
                out.extend_from_slice(&object);
            }
        }
        Some(out)
    }

    /// Tries an input; what doesn't hold is a failure.
    ///
    /// # Errors
    ///
    /// The failure.
    pub fn run(
        &self,
        stage: &Stage,
        judge: &mut Judge<Burrow<'_>>,
        input: &[u8],
    ) -> Result<(), Failure> {
        let Some((first, object)) = input.split_first() else {
            return Ok(());
        };
        let (Some(head), true) = (self.head(*first), object.len() <= MAX_LENGTH) else {
            return Ok(());
        };
        let (world, _) = stage.worlds.get(head.world).ok_or("no such world")?;
        world.random.restart(1);
        let value = Value::parse(Self::shape(&head), object);
        let value = value.unwrap_or_else(|| Value::Raw(object.to_vec()));
        let sample = Sample { kind: head.kind, seal: head.seal, value };
        let Ok(bytes) = seal(world, sample, How::WELL) else {
            return Ok(());
        };
        let Head { world, kind, seal } = head;
        let input = Input { world, kind, seal, mutations: Vec::new(), bytes };
        judge.judge(self.name, &input)?;
        match judge.report.failures.first() {
            Some(failure) => Err(failure.clone().into()),
            None => Ok(()),
        }
    }
}

fn sealed(kind: Kind) -> Seal {
    match kind {
        Kind::KeyPackage => Seal::KeyPackage,
        Kind::Welcome => Seal::Welcome,
        Kind::GroupInfo => Seal::GroupInfo,
        Kind::RatchetTree => Seal::Tree,
        Kind::PrivateApplication | Kind::PrivateProposal | Kind::PrivateCommit => Seal::Private,
        Kind::OldEpoch => Seal::OldPrivate,
        Kind::StoredGroup | Kind::StoredCommit | Kind::StoredKeyPackage => Seal::Raw,
        _ => Seal::Public,
    }
}
