//! What all fuzz targets have in common.

use std::cell::RefCell;

use burrow_hostile::{
    fuzz::{TARGETS, Target},
    input::Stage,
    judge::Judge,
    target::Burrow,
};

thread_local! {
    static STATE: RefCell<Option<(&'static Stage, Judge<Burrow<'static>>)>> =
        const { RefCell::new(None) };
}

/// The target of this name.
#[must_use]
pub fn target(name: &str) -> Target {
    let found = TARGETS.into_iter().find(|target| target.name == name);
    found.expect("a target of this name")
}

/// Tries an input. A panic of the engine's is one here; whatever else doesn't hold becomes one.
pub fn run(target: &Target, input: &[u8]) {
    STATE.with_borrow_mut(|state| {
        let (stage, judge) = state.get_or_insert_with(|| {
            let stage: &'static Stage = Box::leak(Box::new(Stage::new().expect("a stage")));
            let burrow = Burrow::new(stage).expect("a target");
            (stage, Judge::new(burrow, stage.worlds.len(), 1000).expect("a judge"))
        });
        if let Err(failure) = target.run(stage, judge, input) {
            panic!("{failure}");
        }
    });
}

/// Mutates `data` in place with the fields that it has; its new size. None, if they can't be, or if
/// the result is too long for the fuzzer.
#[must_use]
pub fn mutate(
    target: &Target,
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
) -> Option<usize> {
    let mutated = target.mutate(data.get(..size)?, seed)?;
    if mutated.len() > max_size {
        return None;
    }
    data.get_mut(..mutated.len())?.copy_from_slice(&mutated);
    Some(mutated.len())
}

/// A fuzz target. Of four mutations three are made with the fields, and one is the fuzzer's own,
/// which knows what the engine compares with.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

        fuzz_target!(|data: &[u8]| {
            $crate::run(&$crate::target($name), data);
        });

        fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            let target = $crate::target($name);
            let mutated = match seed % 4 {
                0 => None,
                _ => $crate::mutate(&target, data, size, max_size, seed),
            };
            mutated.unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
        });
    };
}
