//! What liboqs's algorithms draw, and what it has found in the processor: the things that `oqs` has no
//! safe functions for, hence the only file with `unsafe`.
//!
//! liboqs has one source of random bytes for the whole process, a function that C code calls. The one
//! that is set here gives the bytes that [`given`] has put there for the calling thread, and otherwise
//! the operating system's.
#![allow(unsafe_code, reason = "liboqs takes its source of randomness as a C function")]

use std::cell::RefCell;
use std::sync::Once;

use crypto_api::{CryptoError, Random};
use zeroize::Zeroize;

/// The operating system's generator.
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        getrandom::fill(out).map_err(|_| CryptoError::Internal)
    }
}

/// Where a thread's next random bytes come from.
struct Source {
    /// To be given out in order, if anything is.
    given: Option<Vec<u8>>,
    /// How many of them have been.
    used: usize,
    /// Whether some were asked for that there were not.
    failed: bool,
}

impl Source {
    const SYSTEM: Self = Self { given: None, used: 0, failed: false };

    fn fill(&mut self, out: &mut [u8]) {
        let filled = match &self.given {
            None => getrandom::fill(out).is_ok(),
            Some(bytes) => match bytes.get(self.used..self.used.saturating_add(out.len())) {
                Some(next) => {
                    out.copy_from_slice(next);
                    self.used += out.len();
                    true
                }
                None => false,
            },
        };
        if !filled {
            // C code can't be told. What it makes of this is thrown away.
            out.fill(0);
            self.failed = true;
        }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        self.given.zeroize();
    }
}

thread_local! {
    static SOURCE: RefCell<Source> = const { RefCell::new(Source::SYSTEM) };
}

/// Does `work`, which draws exactly these bytes.
pub(crate) fn given<T>(
    bytes: &[u8],
    work: impl FnOnce() -> Result<T, oqs::Error>,
) -> Result<T, CryptoError> {
    let source = Source { given: Some(bytes.to_vec()), used: 0, failed: false };
    let (result, after) = with(source, work);
    if after.failed {
        return Err(CryptoError::Internal);
    }
    let result = result.map_err(|_| CryptoError::Rejected)?;
    // Less than all would mean that the result isn't what these bytes stand for.
    if after.used == bytes.len() { Ok(result) } else { Err(CryptoError::Internal) }
}

/// Does `work`, which draws from the operating system.
pub(crate) fn drawn<T>(work: impl FnOnce() -> Result<T, oqs::Error>) -> Result<T, CryptoError> {
    let (result, after) = with(Source::SYSTEM, work);
    if after.failed {
        return Err(CryptoError::Internal);
    }
    result.map_err(|_| CryptoError::Rejected)
}

fn with<T>(source: Source, work: impl FnOnce() -> T) -> (T, Source) {
    start();
    SOURCE.with(|place| place.replace(source));
    let result = work();
    (result, SOURCE.with(|place| place.replace(Source::SYSTEM)))
}

/// Readies liboqs, once.
pub(crate) fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        oqs::init();
        // SAFETY: `fill` is a function of the type that liboqs asks for and lives as long as the
        // process. Nothing else sets the source, and no algorithm runs before `start` has returned.
        unsafe { oqs::ffi::rand::OQS_randombytes_custom_algorithm(Some(fill)) };
    });
}

/// What liboqs has found in the processor, of what its algorithms here look for.
#[must_use]
pub fn processor() -> Vec<(&'static str, bool)> {
    use oqs::ffi::common::{OQS_CPU_EXT, OQS_CPU_has_extension};
    start();
    let extensions = [
        ("aes", OQS_CPU_EXT::OQS_CPU_EXT_AES),
        ("avx2", OQS_CPU_EXT::OQS_CPU_EXT_AVX2),
        ("avx512", OQS_CPU_EXT::OQS_CPU_EXT_AVX512),
        ("bmi2", OQS_CPU_EXT::OQS_CPU_EXT_BMI2),
        ("popcnt", OQS_CPU_EXT::OQS_CPU_EXT_POPCNT),
    ];
    // SAFETY: the argument is one of the extensions that liboqs names, and `start` has had it look.
    extensions
        .map(|(name, extension)| (name, unsafe { OQS_CPU_has_extension(extension) } == 1))
        .into()
}

/// liboqs's source of randomness.
///
/// It must not unwind into C: nothing in it panics. A thread whose storage is gone already is given
/// zeros and has nobody left to use them.
unsafe extern "C" fn fill(out: *mut u8, length: usize) {
    if out.is_null() {
        return;
    }
    // SAFETY: liboqs calls this with the start and the length of memory that is to be written. The
    // memory may not be initialised; it is before a slice of it is made.
    let out = unsafe {
        out.write_bytes(0, length);
        std::slice::from_raw_parts_mut(out, length)
    };
    let _ = SOURCE.try_with(|source| {
        if let Ok(mut source) = source.try_borrow_mut() {
            source.fill(out);
        }
    });
}
