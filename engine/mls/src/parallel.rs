//! Work on many things at once: on several threads with the feature `parallel`, and one after the
//! other without it.
//!
//! The outcome is the same, errors included: of several faults the first in order counts, whichever
//! thread finds its own first.

use crypto_api::{CryptoError, HpkeCiphertext, SealTo, Signed, Suite};

use crate::Result;

/// What so few need is done before threads are woken up.
#[cfg(feature = "parallel")]
const FEW: usize = 16;

/// Checks all of them.
#[cfg(not(feature = "parallel"))]
pub(crate) fn check_all<T>(
    mut items: impl Iterator<Item = T>,
    check: impl Fn(T) -> Result<()>,
) -> Result<()> {
    items.try_for_each(check)
}

/// Checks all of them.
#[cfg(feature = "parallel")]
pub(crate) fn check_all<T: Send>(
    items: impl Iterator<Item = T>,
    check: impl Fn(T) -> Result<()> + Send + Sync,
) -> Result<()> {
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    let items: Vec<T> = items.collect();
    if items.len() < FEW {
        return items.into_iter().try_for_each(check);
    }
    let fault = items.into_par_iter().find_map_first(|item| check(item).err());
    fault.map_or(Ok(()), Err)
}

/// [`Suite::verify_batch`].
pub(crate) fn verify_batch(suite: &dyn Suite, signed: &[Signed<'_>]) -> Result<(), CryptoError> {
    #[cfg(feature = "parallel")]
    if signed.len() >= FEW {
        use rayon::{iter::ParallelIterator, slice::ParallelSlice};
        let parts = signed.par_chunks(part_length(signed.len()));
        let fault = parts.find_map_first(|part| suite.verify_batch(part).err());
        return fault.map_or(Ok(()), Err);
    }
    suite.verify_batch(signed)
}

/// [`Suite::seal_base_batch`] without additional data.
pub(crate) fn seal_base_batch(
    suite: &dyn Suite,
    recipients: &[SealTo<'_>],
    info: &[&[u8]],
) -> Result<Vec<HpkeCiphertext>, CryptoError> {
    #[cfg(feature = "parallel")]
    if recipients.len() >= FEW {
        use rayon::{iter::ParallelIterator, slice::ParallelSlice};
        let parts = recipients.par_chunks(part_length(recipients.len()));
        let sealed: Vec<_> = parts.map(|part| suite.seal_base_batch(part, info, b"")).collect();
        let sealed: Vec<Vec<_>> = sealed.into_iter().collect::<Result<_, _>>()?;
        return Ok(sealed.into_iter().flatten().collect());
    }
    suite.seal_base_batch(recipients, info, b"")
}

/// So that each thread has one part: a batch costs less by the piece the longer it is.
#[cfg(feature = "parallel")]
fn part_length(length: usize) -> usize {
    length.div_ceil(rayon::current_num_threads())
}
