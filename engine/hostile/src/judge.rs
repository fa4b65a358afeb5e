//! What has to hold of each input.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use burrow::{CallerError, Error};
use cpu_time::ThreadTime;

use crate::{
    Failure,
    input::Input,
    meter,
    report::Report,
    samples::Kind,
    target::{Outcome, Target},
};

/// No input takes longer, in the processor's time: the engine waits for nothing, and what else the
/// machine does isn't the input's fault.
pub const MAX_TIME: Duration = Duration::from_millis(100);

/// No input takes more memory, above what there was before.
pub const MAX_MEMORY: usize = 64 << 20;

/// So many times an input is tried before it is said to take too long: a cold cache isn't the input's
/// fault, either.
const TRIES: usize = 4;

/// Gives inputs to a target.
pub struct Judge<T> {
    /// What is judged.
    pub target: T,
    /// What came of it.
    pub report: Report,
    states: Vec<Vec<u8>>,
    check_every: u64,
    judged: u64,
}

/// One try.
struct Tried {
    outcome: Outcome,
    time: Duration,
    memory: usize,
}

impl<T: Target> Judge<T> {
    /// A judge of a target with so many worlds, who lets it receive what is right after each
    /// `check_every` inputs.
    ///
    /// # Errors
    ///
    /// If the target's state can't be written.
    pub fn new(target: T, worlds: usize, check_every: u64) -> Result<Self, Failure> {
        let states: Result<_, _> = (0..worlds).map(|world| target.state(world)).collect();
        let report = Report::default();
        Ok(Self { target, report, states: states?, check_every, judged: 0 })
    }

    /// Judges one input; whatever doesn't hold is in the report under `name`.
    ///
    /// # Errors
    ///
    /// If the target can't go back to its first state.
    pub fn judge(&mut self, name: &str, input: &Input) -> Result<(), Failure> {
        let faults = self.faults(input)?;
        self.judged += 1;
        let is_due = self.judged.is_multiple_of(self.check_every);
        let genuine = match is_due {
            true => self.guarded(|target| target.check_genuine(input.world)),
            false => Ok(()),
        };
        for fault in faults.into_iter().chain(genuine.err()) {
            self.report.fail(name, input, &fault);
            self.target.reset(input.world)?;
        }
        Ok(())
    }

    fn faults(&mut self, input: &Input) -> Result<Vec<String>, Failure> {
        let mut faults = Vec::new();
        let tried = match self.try_often(input)? {
            Ok(tried) => tried,
            Err(panic) => {
                self.report.count_panic(input);
                return Ok(vec![panic]);
            }
        };
        self.report.count(input, &tried.outcome, tried.time, tried.memory);
        if tried.time > MAX_TIME {
            faults.push(format!("it took {:?}", tried.time));
        }
        if tried.memory > MAX_MEMORY {
            faults.push(format!("it took {} bytes of memory", tried.memory));
        }
        if let Outcome::Rejected(error) = &tried.outcome
            && !is_expected(input.kind, error)
        {
            faults.push(format!("an error that is not a peer's: {error:?}"));
        }
        if !matches!(tried.outcome, Outcome::Accepted(_))
            && self.states.get(input.world) != Some(&self.target.state(input.world)?)
        {
            faults.push("the state is not what it was".to_owned());
        }
        if matches!(tried.outcome, Outcome::Accepted(_) | Outcome::Staged) {
            if self.target.is_forgery(input) {
                faults.push("a forgery was accepted".to_owned());
            }
            self.finish(input, &tried.outcome, &mut faults)?;
        }
        Ok(faults)
    }

    fn finish(
        &mut self,
        input: &Input,
        outcome: &Outcome,
        faults: &mut Vec<String>,
    ) -> Result<(), Failure> {
        if matches!(outcome, Outcome::Staged)
            && let Err(fault) = self.guarded(|target| target.finish(input))
        {
            faults.push(format!("after it was merged: {fault}"));
        }
        self.target.reset(input.world)
    }

    /// Tries it, and again if it took too long; the shortest time counts, and the most memory.
    fn try_often(&mut self, input: &Input) -> Result<Result<Tried, String>, Failure> {
        let mut tried = self.try_once(input);
        for _ in 1..TRIES {
            let (time, memory) = match &tried {
                Ok(tried) if tried.time > MAX_TIME => (tried.time, tried.memory),
                _ => break,
            };
            self.target.reset(input.world)?;
            tried = self.try_once(input);
            if let Ok(again) = &mut tried {
                again.time = again.time.min(time);
                again.memory = again.memory.max(memory);
            }
        }
        if tried.is_err() {
            self.target.reset(input.world)?;
        }
        Ok(tried)
    }

    fn try_once(&mut self, input: &Input) -> Result<Tried, String> {
        let before = meter::start();
        let start = ThreadTime::now();
        let target = AssertUnwindSafe(&mut self.target);
        let outcome = catch_unwind(move || { target }.run(input));
        let time = start.elapsed();
        let memory = meter::most_since(before);
        match outcome {
            Ok(outcome) => Ok(Tried { outcome, time, memory }),
            Err(panic) => Err(format!("a panic: {}", text_of(&*panic))),
        }
    }

    fn guarded(&mut self, call: impl FnOnce(&mut T) -> Result<(), Failure>) -> Result<(), String> {
        let target = AssertUnwindSafe(&mut self.target);
        match catch_unwind(AssertUnwindSafe(move || call({ target }.0))) {
            Ok(done) => done.map_err(|fault| fault.to_string()),
            Err(panic) => Err(format!("a panic: {}", text_of(&*panic))),
        }
    }
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}

/// Whether this is an error for a peer's bytes. What the caller lacks (a tree, a pre-shared key, the
/// key of an Update) is the caller's fault, although a peer asked for it.
fn is_expected(kind: Kind, error: &Error) -> bool {
    const LACKING: [&str; 5] = [
        "the tree is neither in the GroupInfo nor beside it",
        "a message that is not for a group",
        "an Update of ours whose private key is not there",
        "a Welcome that is not for this key package",
        "the group that this one comes from is to be given",
    ];
    match error {
        Error::Peer(_) | Error::Unsupported(_) | Error::UnsupportedSuite(_) => true,
        Error::Caller(CallerError::MissingPsk) => true,
        Error::Caller(CallerError::Invalid(text)) if LACKING.contains(text) => true,
        // To add somebody and to join a group is the caller's wish, and so is what is wrong with it
        // once the signatures are right. What is stored is the caller's altogether.
        Error::Caller(_) => {
            kind.is_stored()
                || matches!(kind, Kind::KeyPackage | Kind::GroupInfo | Kind::RatchetTree)
        }
        _ => false,
    }
}
