//! The floor of a case: the operations that RFC 9420 makes unavoidable, times what each costs here.
//!
//! [`least`] is the arithmetic, held against what engines do by [`counts`](crate::counts).
//! [`Primitives`] are costs measured in this process, on every crypto backend at hand. [`floor`] is
//! the sum, each term at the fastest backend's price. Encoding, allocation and copies cost nothing in
//! it, nor does what is left out of the arithmetic; `docs/floor.md` says what that is. An engine on a
//! backend that isn't priced here can be below it.

mod arithmetic;
mod lengths;
mod primitives;
mod tree;

pub use arithmetic::{Arithmetic, COMPARED, Primitive, Term, least, least_with};
pub use lengths::Lengths;
pub use primitives::{Measure, Price, Primitives, backends, post_quantum_backends};

use crate::case::CaseId;

/// The least time that a case can take with the primitives at hand.
#[derive(Clone, Debug)]
pub struct Floor {
    /// The sum of the terms.
    pub total_ns: f64,
    /// What it is made of.
    pub terms: Vec<Priced>,
}

/// One term of a floor.
#[derive(Clone, Debug)]
pub struct Priced {
    /// What is done how often, and for what.
    pub term: Term,
    /// What one call costs on the fastest backend.
    pub each_ns: f64,
    /// Which backend that is.
    pub backend: &'static str,
    /// The name of the measure that the price starts from.
    pub measure: String,
}

/// The floor of a case at a size; none where there is no such case, or where a primitive was not
/// measured.
#[must_use]
pub fn floor(case: CaseId, size: usize, primitives: &Primitives) -> Option<Floor> {
    floor_with(case, size, Lengths::default(), primitives)
}

/// The same on a cipher suite whose keys and signatures are so long, at its primitives' prices.
#[must_use]
pub fn floor_with(
    case: CaseId,
    size: usize,
    lengths: Lengths,
    primitives: &Primitives,
) -> Option<Floor> {
    let priced = least_with(case, size, lengths)?.terms.into_iter().map(|term| {
        let price = primitives.price(&term)?;
        let Price { each_ns, backend, measure } = price;
        Some(Priced { term, each_ns, backend, measure })
    });
    let terms = priced.collect::<Option<Vec<_>>>()?;
    let total_ns = terms.iter().map(|priced| priced.each_ns * priced.term.calls as f64).sum();
    Some(Floor { total_ns, terms })
}
