//! Deliveries: what a network does to messages, and what their receivers make of them.

use std::collections::BTreeMap;

use engine_api::{AppBytes, AppMessage, EngineError, Ingested, MlsEffect, ProposalBytes};

use super::data::{Action, Expect, Faults, Name, Step, Word};
use super::stage::{End, Kind, Message, Outcome, Stage, kit};

/// What came of a message that comes again.
const AGAIN: &[Word] = &[Word::Duplicate, Word::Stale];

impl Stage {
    /// Hands a message to a receiver, and expects what the step expects.
    pub(super) fn deliver(&mut self, step: &Step, name: &str, to: &str) -> Outcome {
        let (word, detail) = self.hand_over(name, to)?;
        if let Some(note) = &step.note {
            let line = format!("{note}: {}", word.name());
            if !self.notes.contains(&line) {
                self.notes.push(line);
            }
        }
        let may = self.may(step, name, to)?;
        self.expect(to, (word, &detail), &may)
    }

    fn may(&self, step: &Step, name: &str, to: &str) -> Outcome<Vec<Word>> {
        let is_own = self.message(name)?.author == self.resolve(to);
        Ok(step.words(name, to, if is_own { AGAIN } else { &[Word::Applied] }))
    }

    fn hand_over(&mut self, name: &str, to: &str) -> Outcome<(Word, String)> {
        let message = self.message(name)?;
        let group = self.group(&message.group)?;
        let (client, engine) = self.client(to)?;
        let ingested = match message.kind {
            Kind::KeyPackage => return Err(kit("a key package is not for delivery")),
            Kind::Commit => {
                let ingested = client.engine_mut().ingest_commit(&group, &message.commit());
                if let Ok(Ingested::Applied(said)) = &ingested {
                    let is_at = client.engine().epoch(&group);
                    let is_at = is_at.map_err(|why| End::of(&why, to, &engine, "epoch"))?;
                    let said = *said;
                    self.same(to, "epoch entered, as it says", &said, &is_at)?;
                }
                ingested.map(none)
            }
            Kind::Application => {
                let bytes = AppBytes::new(message.bytes.clone());
                client.engine_mut().ingest_app(&group, &bytes).map(some)
            }
            Kind::Proposal => match client.mls() {
                Some(mls) => mls.ingest(&group, &message.bytes).map(none::<MlsEffect>),
                None => match client.engine_mut().marmot() {
                    Some(marmot) => {
                        let bytes = ProposalBytes(message.bytes.clone());
                        marmot.ingest_proposal(&group, &bytes).map(none)
                    }
                    None => return Err(End::Unsupported("the contract has no proposals".into())),
                },
            },
        };
        let ingested = match ingested {
            Ok(ingested) => ingested,
            Err(EngineError::Caller(why)) => return Ok((Word::Caller, why)),
            Err(why) => return Err(End::of(&why, to, &engine, "ingest")),
        };
        self.received(&message, to, ingested)
    }

    fn received(
        &mut self,
        message: &Message,
        to: &str,
        ingested: Ingested<Option<AppMessage>>,
    ) -> Outcome<(Word, String)> {
        let word = match &ingested {
            Ingested::Applied(_) => Word::Applied,
            Ingested::Duplicate => Word::Duplicate,
            Ingested::Stale => Word::Stale,
            Ingested::RetryLater => Word::RetryLater,
            Ingested::Rejected(_) => Word::Rejected,
            Ingested::Removed => Word::Removed,
        };
        if message.kind == Kind::Commit && matches!(word, Word::Applied | Word::Removed) {
            self.moves(to)?;
            if let (Some(data), Word::Applied) = (&message.group_data, word) {
                self.has_group_data(to, &message.group, data)?;
            }
        }
        match ingested {
            Ingested::Applied(Some(read)) => {
                if let Some(text) = &message.text {
                    self.same(to, "text", &read.payload[..], text.as_bytes())?;
                }
                let author = self.identity(&message.author)?;
                self.same(to, "sender", &read.sender, &author)?;
                Ok((word, String::new()))
            }
            Ingested::Rejected(why) => Ok((word, why.to_string())),
            _ => Ok((word, String::new())),
        }
    }

    /// The same of many messages over a network with faults. What can't be read yet is given again
    /// after each commit.
    pub(super) fn deliver_with_faults(
        &mut self,
        step: &Step,
        what: &[Name],
        to: &str,
        faults: &Faults,
    ) -> Outcome {
        let mut final_words: BTreeMap<Name, (Word, String)> = BTreeMap::new();
        let mut waiting: Vec<Name> = Vec::new();
        for name in faults.sequence(what, to) {
            let mut next = vec![name];
            while let Some(name) = next.pop() {
                let (word, detail) = self.hand_over(&name, to)?;
                if final_words.contains_key(&name) {
                    self.expect(to, (word, &detail), AGAIN)?;
                    continue;
                }
                if word == Word::RetryLater {
                    waiting.push(name);
                    continue;
                }
                let opened = word == Word::Applied && self.message(&name)?.kind == Kind::Commit;
                final_words.insert(name, (word, detail));
                if opened {
                    next.extend(std::mem::take(&mut waiting).into_iter().rev());
                }
            }
        }
        for name in what {
            let came = final_words.remove(name).unwrap_or((Word::RetryLater, String::new()));
            let may = self.may(step, name, to)?;
            self.expect(to, (came.0, &format!("{name}: {}", came.1)), &may)?;
        }
        Ok(())
    }
}

impl Step {
    /// Whether what is expected is about deliveries.
    pub(super) fn delivers(&self) -> bool {
        match &self.action {
            Action::Commit { to, .. }
            | Action::Send { to, .. }
            | Action::Leave { to, .. }
            | Action::Advance { to, .. } => !to.is_empty(),
            Action::Deliver { .. } => true,
            _ => false,
        }
    }

    /// What may come of this message at this actor.
    pub(super) fn words(&self, message: &str, actor: &str, otherwise: &[Word]) -> Vec<Word> {
        match &self.expect {
            None => otherwise.to_vec(),
            Some(Expect::One(word)) => vec![*word],
            Some(Expect::Any(words)) => words.clone(),
            Some(Expect::Each(each)) => {
                let named = each.get(message).or_else(|| each.get(actor));
                named.map_or_else(|| otherwise.to_vec(), |words| words.list().to_vec())
            }
        }
    }
}

impl Faults {
    /// In which order a receiver gets these messages: the last ones are those that were lost.
    fn sequence(&self, what: &[Name], to: &str) -> Vec<Name> {
        let mut dice = Dice::new(self.seed, to);
        let mut first = what.to_vec();
        if self.reorder {
            dice.shuffle(&mut first);
        }
        if self.duplicate {
            let again: Vec<_> = first.iter().filter(|_| dice.below(2) == 0).cloned().collect();
            for name in again {
                first.insert(dice.below(first.len() + 1), name);
            }
        }
        let mut behind = Vec::new();
        for is_on in [self.delay, self.drop] {
            if is_on {
                let (late, in_time) = first.into_iter().partition(|_| dice.below(4) == 0);
                first = in_time;
                let late: Vec<Name> = late;
                behind.extend(late);
            }
        }
        first.extend(behind);
        first
    }
}

/// xorshift64*: the same choices from the same seed, on any machine.
struct Dice(u64);

impl Dice {
    fn new(seed: u64, to: &str) -> Self {
        let mixed = to.bytes().fold(seed, |mixed, byte| {
            (mixed ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(number).unwrap_or_default() % end.max(1)
    }

    fn shuffle(&mut self, names: &mut [Name]) {
        for place in (1..names.len()).rev() {
            names.swap(place, self.below(place + 1));
        }
    }
}

fn none<T>(ingested: Ingested<T>) -> Ingested<Option<AppMessage>> {
    mapped(ingested, |_| None)
}

fn some(ingested: Ingested<AppMessage>) -> Ingested<Option<AppMessage>> {
    mapped(ingested, Some)
}

fn mapped<T, U>(ingested: Ingested<T>, change: impl FnOnce(T) -> U) -> Ingested<U> {
    match ingested {
        Ingested::Applied(value) => Ingested::Applied(change(value)),
        Ingested::Duplicate => Ingested::Duplicate,
        Ingested::Stale => Ingested::Stale,
        Ingested::RetryLater => Ingested::RetryLater,
        Ingested::Rejected(why) => Ingested::Rejected(why),
        Ingested::Removed => Ingested::Removed,
    }
}
