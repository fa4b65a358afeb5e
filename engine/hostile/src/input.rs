//! One input: chosen, mutated and sealed, all of it told by the run's seed and the input's number.

use crate::{
    Failure,
    dice::Dice,
    mutate::{MAX_LENGTH, Mutation, mutate},
    recipe,
    samples::{Kind, Sample, Samples},
    seal::{How, Seal, seal},
    shape::FRAMED_CONTENT,
    value::Value,
    world::{SPECS, World},
};
use burrow::codec::Encode;

/// One input.
#[derive(Debug, Clone)]
pub struct Input {
    /// Which of the worlds it is for.
    pub world: usize,
    /// What it was made from.
    pub kind: Kind,
    /// What was done to it after it was mutated.
    pub seal: Seal,
    /// How it was mutated.
    pub mutations: Vec<Mutation>,
    /// It.
    pub bytes: Vec<u8>,
}

/// Worlds and their samples.
pub struct Stage {
    /// One for each of [`SPECS`].
    pub worlds: Vec<(World, Samples)>,
}

impl Stage {
    /// All of it, the same each time.
    ///
    /// # Errors
    ///
    /// If the engine refuses what is right.
    pub fn new() -> Result<Self, Failure> {
        let mut worlds = Vec::new();
        for (seed, spec) in (1..).zip(SPECS) {
            let mut world = World::new(spec, seed)?;
            let samples = Samples::of(&world)?;
            world.kept = world.book.keep();
            worlds.push((world, samples));
        }
        Ok(Self { worlds })
    }

    /// The input of this number.
    ///
    /// # Errors
    ///
    /// If there is no such world.
    pub fn input(&self, seed: u64, index: u64) -> Result<Input, Failure> {
        let mut dice = Dice::new(seed, index);
        let at = world_of(&mut dice);
        let (world, samples) = self.worlds.get(at).ok_or("no such world")?;
        world.random.restart(dice.number());
        world.book.forget(&world.kept);
        // What can't be sealed any more is no input: the next try may be one.
        for _ in 0..64 {
            if let Some(input) = attempt(at, world, samples, &mut dice) {
                return Ok(input);
            }
        }
        Err("no input could be made".into())
    }
}

fn world_of(dice: &mut Dice) -> usize {
    let mut left = dice.below(SPECS.iter().map(|spec| spec.share).sum());
    let mut shares = SPECS.iter().map(|spec| spec.share);
    shares
        .position(|share| {
            let is_it = left < share;
            left = left.saturating_sub(share);
            is_it
        })
        .unwrap_or(0)
}

fn kind_of(dice: &mut Dice) -> Kind {
    let mut left = dice.below(Kind::ALL.iter().map(|(_, share)| share).sum());
    for (kind, share) in Kind::ALL {
        if left < share {
            return kind;
        }
        left -= share;
    }
    Kind::KeyPackage
}

fn attempt(at: usize, world: &World, samples: &Samples, dice: &mut Dice) -> Option<Input> {
    let kind = kind_of(dice);
    if matches!(kind, Kind::PublicCommit | Kind::ExternalCommit) && dice.one_in(6) {
        return forged(at, world, kind, dice);
    }
    let is_sealed = dice.one_in(2);
    let fits = |sample: &&Sample| sample.kind == kind && (sample.seal != Seal::Raw) == is_sealed;
    let mut candidates: Vec<_> = samples.all.iter().filter(fits).collect();
    if candidates.is_empty() {
        candidates = samples.all.iter().filter(|sample| sample.kind == kind).collect();
    }
    let mut sample = Sample::clone(dice.pick(&candidates)?);
    let alike: Vec<_> = candidates.iter().filter(|other| other.seal == sample.seal).collect();
    let donor = dice.pick(&alike)?;
    let mutations = mutate_sample(&mut sample, &donor.value, dice)?;
    let seal_with = sample.seal;
    if seal_with != Seal::Raw
        && let Value::Raw(bytes) = &sample.value
        && let Some(value) = Value::parse(seal_with.shape(), bytes)
    {
        sample.value = value;
    }
    let how = How { signs_inside: !dice.one_in(5), tags: !dice.one_in(10) };
    let bytes = seal(world, sample, how).ok()?;
    (bytes.len() <= 2 * MAX_LENGTH).then_some(Input {
        world: at,
        kind,
        seal: seal_with,
        mutations,
        bytes,
    })
}

fn forged(at: usize, world: &World, kind: Kind, dice: &mut Dice) -> Option<Input> {
    let commit = match kind {
        Kind::ExternalCommit => recipe::external_commit(world, dice),
        _ => recipe::commit(world, dice),
    };
    let value = Value::parse(&FRAMED_CONTENT, &commit.ok()?.framed.to_bytes().ok()?)?;
    let sample = Sample { kind, seal: Seal::Public, value };
    let how = How { signs_inside: false, tags: !dice.one_in(8) };
    let bytes = seal(world, sample, how).ok()?;
    let mutations = vec![Mutation::Forged];
    Some(Input { world: at, kind, seal: Seal::Public, mutations, bytes })
}

/// Mutates it once, or a few times, or seldom not at all.
fn mutate_sample(sample: &mut Sample, donor: &Value, dice: &mut Dice) -> Option<Vec<Mutation>> {
    if dice.one_in(200) {
        return Some(vec![Mutation::None]);
    }
    let times = if dice.one_in(4) { 2 + dice.below(3) } else { 1 };
    let mut mutations = Vec::new();
    for _ in 0..8 {
        let mutation = *dice.pick(&Mutation::ALL)?;
        // What was sealed is to be read, as a rule.
        if mutation.is_of_bytes() && sample.seal != Seal::Raw && !dice.one_in(3) {
            continue;
        }
        if mutate(&mut sample.value, donor, mutation, dice) {
            mutations.push(mutation);
        }
        if mutations.len() == times {
            break;
        }
    }
    (!mutations.is_empty()).then_some(mutations)
}
