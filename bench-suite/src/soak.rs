//! `soak`: a group of several engines that lives through hundreds of random epochs.
//!
//! All choices come from a seed: who commits what, who restarts from a snapshot, who delivers late
//! or twice. (Keys are random all the same.) Every member is compared at every epoch. A run that
//! fails returns the steps that led there, and the same seed walks the same way again.

use std::fmt;

use engine_api::{Change, Client, EngineError, GroupId, Ingested, Registration, Welcomes};
use serde::Serialize;

use crate::cases::PAYLOAD;

/// How long, how large, and along which way.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Where the choices come from.
    pub seed: u64,
    /// How many commits.
    pub epochs: usize,
    /// How many members at most.
    pub members: usize,
}

/// What a run went through.
#[derive(Debug, Default, Serialize)]
pub struct Soaked {
    /// The seed.
    pub seed: u64,
    /// Commits applied by everybody.
    pub epochs: usize,
    /// Members at the end.
    pub members: usize,
    /// The most members at a time.
    pub most_members: usize,
    /// Authenticators and member lists compared.
    pub comparisons: usize,
    /// Messages read.
    pub messages: usize,
    /// Commits that lost their epoch to another.
    pub superseded: usize,
    /// Restarts from a snapshot.
    pub restarts: usize,
    /// Commits that an engine could not make, with its words; the group was as before.
    pub refusals: Vec<String>,
}

/// Where and why a run ended early.
#[derive(Debug, Serialize)]
pub struct Broken {
    /// The seed.
    pub seed: u64,
    /// What was wrong.
    pub why: String,
    /// Every step up to there.
    pub steps: Vec<String>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            writeln!(f, "  {step}")?;
        }
        write!(f, "seed {}: {}", self.seed, self.why)
    }
}

/// Walks along `plan` with members of `engines`, which speak one language.
///
/// # Errors
/// The first thing that was wrong, with the steps that led there.
pub fn run(engines: &[Registration], plan: Plan) -> Result<Soaked, Broken> {
    let mut soak = Soak {
        engines,
        plan,
        choices: Choices(plan.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        group: GroupId::new(Vec::new()),
        members: Vec::new(),
        joined: 0,
        steps: Vec::new(),
        done: Soaked { seed: plan.seed, ..Soaked::default() },
    };
    match soak.walk() {
        Ok(()) => Ok(soak.done),
        Err(why) => Err(Broken { seed: plan.seed, why: why.to_string(), steps: soak.steps }),
    }
}

struct Soak<'a> {
    engines: &'a [Registration],
    plan: Plan,
    choices: Choices,
    group: GroupId,
    members: Vec<(Registration, Client)>,
    joined: usize,
    steps: Vec<String>,
    done: Soaked,
}

impl Soak<'_> {
    fn walk(&mut self) -> Result<(), EngineError> {
        self.found()?;
        while self.done.epochs < self.plan.epochs {
            if self.done.refusals.len() > self.plan.epochs / 50 {
                return Err(wrong(format_args!("too many refusals: {:?}", self.done.refusals)));
            }
            match self.choices.below(10) {
                0..=3 if self.members.len() < self.plan.members => self.add()?,
                4 | 5 if self.members.len() > 2 => self.remove()?,
                6 => self.race()?,
                _ => self.update()?,
            }
            self.compare()?;
            if self.choices.below(3) == 0 {
                self.talk()?;
            }
            if self.choices.below(8) == 0 {
                self.restart()?;
            }
        }
        self.done.members = self.members.len();
        Ok(())
    }

    fn found(&mut self) -> Result<(), EngineError> {
        let engine = *self.choices.pick(self.engines);
        let mut founder = self.client(&engine)?;
        self.steps.push(format!("{} founds", engine.name()));
        self.group = founder.create_group(&[])?.group;
        self.members.push((engine, founder));
        self.add()
    }

    fn client(&mut self, engine: &Registration) -> Result<Client, EngineError> {
        self.joined += 1;
        engine.new_client(&format!("member {}", self.joined))
    }

    /// A random member adds one to three clients of random engines.
    fn add(&mut self) -> Result<(), EngineError> {
        let by = self.choices.below(self.members.len());
        let room = self.plan.members.saturating_sub(self.members.len()).clamp(1, 3);
        let count = 1 + self.choices.below(room);
        let mut joiners = Vec::with_capacity(count);
        let mut key_packages = Vec::with_capacity(count);
        for _ in 0..count {
            let engine = *self.choices.pick(self.engines);
            let mut joiner = self.client(&engine)?;
            key_packages.push(joiner.publish_key_package()?);
            joiners.push((engine, joiner));
        }
        let names: Vec<_> = joiners.iter().map(|(engine, _)| engine.name()).collect();
        self.steps.push(format!("{} adds {}", self.name(by), names.join(", ")));
        let Some(welcomes) = self.commit(by, &Change::Add(&key_packages), None)? else {
            return Ok(());
        };
        for (index, (engine, mut joiner)) in joiners.into_iter().enumerate() {
            let welcome = welcomes.for_invitee(index);
            joiner.join_welcome(welcome.ok_or_else(|| wrong("no Welcome"))?)?;
            self.members.push((engine, joiner));
        }
        self.done.most_members = self.done.most_members.max(self.members.len());
        Ok(())
    }

    /// A random member removes another.
    fn remove(&mut self) -> Result<(), EngineError> {
        let by = self.choices.below(self.members.len());
        let out = (by + 1 + self.choices.below(self.members.len() - 1)) % self.members.len();
        let identity = self.members[out].1.identity();
        let listed = self.members[by].1.members(&self.group)?;
        let Some(member) = listed.into_iter().find(|member| member.identity == identity) else {
            return Err(wrong("the one to remove is not listed"));
        };
        self.steps.push(format!("{} removes {}", self.name(by), self.name(out)));
        if self.commit(by, &Change::Remove(&[member]), Some(out))?.is_some() {
            self.members.remove(out);
        }
        Ok(())
    }

    fn update(&mut self) -> Result<(), EngineError> {
        let by = self.choices.below(self.members.len());
        self.steps.push(format!("{} updates", self.name(by)));
        self.commit(by, &Change::Update, None).map(drop)
    }

    /// Two members stage for one epoch; the second one's commit is the one that is delivered.
    fn race(&mut self) -> Result<(), EngineError> {
        let loser = self.choices.below(self.members.len());
        let winner = (loser + 1) % self.members.len();
        self.steps.push(format!("{} loses a race to {}", self.name(loser), self.name(winner)));
        let lost = self.members[loser].1.stage_commit(&self.group, &Change::Update)?;
        if self.commit(winner, &Change::Update, None)?.is_none() {
            return self.members[loser].1.discard_staged(lost);
        }
        match self.members[loser].1.merge_staged(lost.published()) {
            Err(EngineError::Caller(_)) => self.done.superseded += 1,
            other => return Err(wrong(format_args!("merging the lost commit: {other:?}"))),
        }
        Ok(())
    }

    /// `by` commits; everybody applies it, some twice, the removed one learns of it.
    fn commit(
        &mut self,
        by: usize,
        change: &Change<'_>,
        out: Option<usize>,
    ) -> Result<Option<Welcomes>, EngineError> {
        let late = self.members[by].1.send(&self.group, PAYLOAD)?;
        let sender = self.members[by].1.identity();
        let staged = match self.members[by].1.stage_commit(&self.group, change) {
            Ok(staged) => staged,
            Err(why) => {
                let tree = self.members[by].1.encoded_sizes(&self.group)?.ratchet_tree;
                let name = self.members[by].0.name();
                let tree = tree.unwrap_or_default();
                self.done.refusals.push(format!("{name}: {why} (tree of {tree} bytes)"));
                return Ok(None);
            }
        };
        let publication = staged.publication();
        self.members[by].1.merge_staged(staged.published())?;
        for index in (0..self.members.len()).filter(|index| *index != by) {
            let before = self.choices.below(2) == 0;
            let twice = self.choices.below(8) == 0;
            let name = self.name(index);
            let member = &mut self.members[index].1;
            let mut read = |member: &mut Client| match member.ingest_app(&self.group, &late)? {
                Ingested::Applied(got) if got.payload == PAYLOAD && got.sender == sender => {
                    self.done.messages += 1;
                    Ok(())
                }
                other => Err(wrong(format_args!("{name} reads {other:?}"))),
            };
            if before {
                read(member)?;
            }
            let outcome = member.ingest_commit(&self.group, &publication.commit)?;
            match (&outcome, out == Some(index)) {
                (Ingested::Applied(_), false) | (Ingested::Removed, true) => {}
                _ => return Err(wrong(format_args!("{name} takes the commit as {outcome:?}"))),
            }
            if out == Some(index) {
                continue;
            }
            if !before {
                read(member)?;
            }
            if twice {
                let again = member.ingest_commit(&self.group, &publication.commit)?;
                if !matches!(again, Ingested::Duplicate | Ingested::Stale) {
                    return Err(wrong(format_args!("{name} takes it again as {again:?}")));
                }
            }
        }
        self.done.epochs += 1;
        Ok(Some(publication.welcomes.clone()))
    }

    /// A random member sends three messages, which a random other reads in reverse, one of them
    /// twice.
    fn talk(&mut self) -> Result<(), EngineError> {
        let by = self.choices.below(self.members.len());
        let reader = (by + 1 + self.choices.below(self.members.len() - 1)) % self.members.len();
        self.steps.push(format!("{} talks to {}", self.name(by), self.name(reader)));
        let mut sent = Vec::new();
        for number in 0..3_u8 {
            sent.push((self.members[by].1.send(&self.group, &[number; 40])?, number));
        }
        for (message, number) in sent.iter().rev() {
            let outcome = self.members[reader].1.ingest_app(&self.group, message)?;
            if outcome.clone().applied().map(|read| read.payload) != Some(vec![*number; 40]) {
                return Err(wrong(format_args!("message {number} is read as {outcome:?}")));
            }
            self.done.messages += 1;
        }
        let again = self.members[reader].1.ingest_app(&self.group, &sent[0].0)?;
        if again.name() != "duplicate" {
            return Err(wrong(format_args!("a message again: {again:?}")));
        }
        Ok(())
    }

    /// A random member goes down and comes back from its snapshot, where its engine has them.
    fn restart(&mut self) -> Result<(), EngineError> {
        let index = self.choices.below(self.members.len());
        let (engine, client) = &self.members[index];
        if !engine.describe().capabilities.snapshot.is_yes() {
            return Ok(());
        }
        let restored = engine.restore(&client.snapshot()?)?;
        self.steps.push(format!("{} restarts", self.name(index)));
        self.members[index].1 = restored;
        self.done.restarts += 1;
        self.compare()
    }

    /// Every member against the first, and all members against who should be there.
    fn compare(&mut self) -> Result<(), EngineError> {
        let first = &self.members[0].1;
        let epoch = first.epoch(&self.group)?;
        let listed = first.members(&self.group)?;
        let authenticator = first.epoch_authenticator(&self.group)?;
        let mut here: Vec<_> = self.members.iter().map(|(_, client)| client.identity()).collect();
        let mut there: Vec<_> = listed.iter().map(|member| member.identity.clone()).collect();
        here.sort();
        there.sort();
        if here != there {
            return Err(wrong("the list is not of those who are here"));
        }
        for index in 1..self.members.len() {
            let member = &self.members[index].1;
            let same = member.epoch(&self.group)? == epoch
                && member.epoch_authenticator(&self.group)? == authenticator
                && member.members(&self.group)? == listed;
            if !same {
                let (one, other) = (self.name(0), self.name(index));
                return Err(wrong(format_args!("{one} and {other} differ at epoch {epoch}")));
            }
            self.done.comparisons += 1;
        }
        Ok(())
    }

    fn name(&self, index: usize) -> String {
        let (engine, client) = &self.members[index];
        let identity = client.identity();
        format!("{} ({})", String::from_utf8_lossy(identity.as_slice()), engine.name())
    }
}

fn wrong(what: impl fmt::Display) -> EngineError {
    EngineError::internal(what)
}

/// Choices that the same seed makes again (xorshift).
struct Choices(u64);

impl Choices {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from((self.0 >> 11) % end).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
