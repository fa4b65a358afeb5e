//! What each primitive costs here: on every crypto backend, medians of batches of calls.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use crypto_api::{CipherSuite, CryptoBackend, CryptoError, SealTo, Signed, Suite};
use operation_counts::Operation;

use super::arithmetic::{Primitive, Term};

/// The suite that all engines are benched with unless another is asked for.
const SUITE: CipherSuite = CipherSuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_ED25519;
/// How long one batch of calls takes at least.
const BATCH_NS: u128 = 200_000;
/// How many batches a median is of.
const BATCHES: usize = 21;
/// How often all primitives are gone through. A median is of some milliseconds in a row, in which a
/// neighbour on a shared core can double every one; of rounds a second apart the fastest is right.
const ROUNDS: usize = 9;
/// How many are handed to a function that takes many at once.
const AT_ONCE: usize = 32;

/// The cost of one primitive on one backend.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Which primitive.
    pub primitive: Primitive,
    /// Which backend.
    pub backend: &'static str,
    /// Over how many bytes.
    pub bytes: u64,
    /// How many at once: 1, or as many as were handed to a batch function.
    pub at_once: usize,
    /// The median cost of one, over [`Measure::n`] batches of calls, in the fastest of the rounds.
    pub median_ns: f64,
    /// Batches.
    pub n: usize,
}

impl Measure {
    /// What was measured, in words: no two measures of a backend have the same.
    #[must_use]
    pub fn name(&self) -> String {
        let one = format!("{}, {} bytes", self.primitive.name(), self.bytes);
        if self.at_once == 1 { one } else { format!("{one}, {} at once", self.at_once) }
    }
}

/// The costs of the primitives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitives {
    /// Each measure.
    pub measures: Vec<Measure>,
}

/// What one call costs, with whom, and from which measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// One call.
    pub each_ns: f64,
    /// The fastest backend.
    pub backend: &'static str,
    /// [`Measure::name`] of the measure that it starts from.
    pub measure: String,
}

/// The crypto backends in this binary.
#[must_use]
pub fn backends() -> Vec<Arc<dyn CryptoBackend>> {
    vec![
        #[cfg(feature = "burrow")]
        Arc::new(crypto_aws_lc::AwsLc::default()),
        #[cfg(feature = "burrow")]
        Arc::new(crypto_rustcrypto::RustCrypto::default()),
    ]
}

/// The crypto backends in this binary that have post-quantum suites, with all that they have of them
/// and with 0x0001.
#[must_use]
pub fn post_quantum_backends() -> Vec<Arc<dyn CryptoBackend>> {
    #[cfg(feature = "burrow")]
    {
        let suites = crypto_api::PqSuites::default();
        vec![
            Arc::new(crypto_aws_lc::AwsLc::with_post_quantum(
                &suites,
                Arc::new(crypto_aws_lc::SystemRandom),
            )),
            Arc::new(crypto_rustcrypto::RustCrypto::with_post_quantum(
                &suites,
                Arc::new(crypto_rustcrypto::SystemRandom),
            )),
            Arc::new(crypto_libcrux::Libcrux::with_post_quantum(
                &suites,
                Arc::new(crypto_libcrux::SystemRandom),
            )),
        ]
    }
    #[cfg(not(feature = "burrow"))]
    Vec::new()
}

impl Primitives {
    /// Measures every primitive on every backend in this binary. It takes some seconds.
    ///
    /// # Errors
    /// What a backend gives.
    pub fn measure() -> Result<Self, CryptoError> {
        Self::measure_on(&backends())
    }

    /// Measures every primitive on these backends.
    ///
    /// # Errors
    /// What a backend gives.
    pub fn measure_on(backends: &[Arc<dyn CryptoBackend>]) -> Result<Self, CryptoError> {
        Self::measure_suite(SUITE, backends)
    }

    /// Measures every primitive of a cipher suite on these backends.
    ///
    /// # Errors
    /// What a backend gives.
    pub fn measure_suite(
        suite: CipherSuite,
        backends: &[Arc<dyn CryptoBackend>],
    ) -> Result<Self, CryptoError> {
        let mut fastest = Self::round(suite, backends)?;
        for _ in 1..ROUNDS {
            let again = Self::round(suite, backends)?.measures;
            for (known, now) in fastest.measures.iter_mut().zip(again) {
                if now.median_ns < known.median_ns {
                    *known = now;
                }
            }
        }
        Ok(fastest)
    }

    /// Each primitive once, always in the same order.
    fn round(suite: CipherSuite, backends: &[Arc<dyn CryptoBackend>]) -> Result<Self, CryptoError> {
        let mut measures = Vec::new();
        for backend in backends {
            let bench = Bench { backend: backend.name(), suite: backend.suite(suite)? };
            bench.signatures(&mut measures)?;
            bench.kem(&mut measures)?;
            bench.aead(&mut measures)?;
            bench.hashes(&mut measures)?;
        }
        Ok(Self { measures })
    }

    /// What one call of a term costs on the backend that is fastest at it.
    #[must_use]
    pub fn price(&self, term: &Term) -> Option<Price> {
        let of_it = self.measures.iter().filter(|measure| measure.primitive == term.primitive);
        let mut backends: Vec<_> = of_it.map(|measure| measure.backend).collect();
        backends.dedup();
        let prices = backends.into_iter().filter_map(|backend| self.price_with(term, backend));
        prices.min_by(|a, b| a.each_ns.total_cmp(&b.each_ns))
    }

    /// What one call of a term costs on a backend: on a line through the measured sizes, and no more
    /// than with a batch function if there is more than one call.
    #[must_use]
    pub fn price_with(&self, term: &Term, backend: &'static str) -> Option<Price> {
        let (first, _) = self.ends(term.primitive, backend)?;
        let per_byte = self.per_byte_ns(term.primitive, backend);
        let each_ns = |measure: &Measure| {
            measure.median_ns + term.bytes.saturating_sub(measure.bytes) as f64 * per_byte
        };
        let batched = self.of(term.primitive, backend).filter(|m| m.at_once > 1 && term.calls > 1);
        let least = batched.fold(first, |a, b| if each_ns(b) < each_ns(a) { b } else { a });
        Some(Price { each_ns: each_ns(least), backend, measure: least.name() })
    }

    /// What each byte beyond a measured size costs: the slope between the smallest and the largest
    /// that were measured singly; 0 if it was only one.
    #[must_use]
    pub fn per_byte_ns(&self, primitive: Primitive, backend: &str) -> f64 {
        self.ends(primitive, backend).map_or(0.0, |(first, last)| {
            let span = last.bytes.saturating_sub(first.bytes).max(1);
            ((last.median_ns - first.median_ns) / span as f64).max(0.0)
        })
    }

    fn of(&self, primitive: Primitive, backend: &str) -> impl Iterator<Item = &Measure> {
        let measures = self.measures.iter();
        measures.filter(move |m| m.primitive == primitive && m.backend == backend)
    }

    /// The smallest and the largest size that were measured singly.
    fn ends(&self, primitive: Primitive, backend: &str) -> Option<(&Measure, &Measure)> {
        let singly = || self.of(primitive, backend).filter(|measure| measure.at_once == 1);
        Some((singly().min_by_key(|m| m.bytes)?, singly().max_by_key(|m| m.bytes)?))
    }
}

/// One backend's suite on the bench.
struct Bench<'a> {
    backend: &'static str,
    suite: &'a dyn Suite,
}

impl Bench<'_> {
    fn signatures(&self, measures: &mut Vec<Measure>) -> Result<(), CryptoError> {
        let suite = self.suite;
        let key = suite.generate_signing_key()?;
        let decode =
            || suite.verifying_key(black_box(key.public())).map(|key| drop(black_box(key)));
        self.enter(measures, Primitive::DecodeSignatureKey, 0, 1, decode)?;
        let public = suite.verifying_key(key.public())?;
        for length in [100, 4096] {
            let message = vec![7; length];
            let signature = suite.sign(&key, &message)?;
            self.operation(measures, Operation::Sign, length, || {
                suite.sign(&key, black_box(&message)).map(|signature| drop(black_box(signature)))
            })?;
            self.operation(measures, Operation::Verify, length, || {
                suite.verify(&public, black_box(&message), &signature)
            })?;
            if length == 100 {
                let one = Signed { key: &public, message: &message, signature: &signature };
                let many = [one; AT_ONCE];
                let verify = Primitive::Operation(Operation::Verify);
                self.enter(measures, verify, length, AT_ONCE, || {
                    suite.verify_batch(black_box(&many))
                })?;
            }
        }
        Ok(())
    }

    fn kem(&self, measures: &mut Vec<Measure>) -> Result<(), CryptoError> {
        let suite = self.suite;
        self.operation(measures, Operation::KemGenerate, 0, || {
            suite.generate_key_pair().map(|key| drop(black_box(key)))
        })?;
        let ikm = [3; 32];
        self.operation(measures, Operation::KemDerive, ikm.len(), || {
            suite.derive_key_pair(black_box(&ikm)).map(|key| drop(black_box(key)))
        })?;
        let derive = Primitive::Operation(Operation::KemDerive);
        self.enter(measures, derive, ikm.len(), AT_ONCE, || {
            let keys = suite.derive_key_pair_batch(black_box(&[&ikm[..]; AT_ONCE]));
            keys.map(|keys| drop(black_box(keys)))
        })?;
        let key = suite.derive_key_pair(&ikm)?;
        let info: [&[u8]; 1] = [&[5; 64]];
        for length in [32, 68] {
            let plaintext = vec![7; length];
            let sealed = suite.seal_base(key.public(), &info, b"", &plaintext)?;
            self.operation(measures, Operation::KemEncap, length, || {
                let sealed = suite.seal_base(key.public(), &info, b"", black_box(&plaintext));
                sealed.map(|sealed| drop(black_box(sealed)))
            })?;
            self.operation(measures, Operation::KemDecap, sealed.ciphertext.len(), || {
                let opened = suite.open_base(&key, black_box(&sealed), &info, b"");
                opened.map(|opened| drop(black_box(opened)))
            })?;
            if length == 32 {
                let many = [SealTo { public: key.public(), plaintext: &plaintext }; AT_ONCE];
                let encap = Primitive::Operation(Operation::KemEncap);
                self.enter(measures, encap, length, AT_ONCE, || {
                    let sealed = suite.seal_base_batch(black_box(&many), &info, b"");
                    sealed.map(|sealed| drop(black_box(sealed)))
                })?;
            }
        }
        Ok(())
    }

    fn aead(&self, measures: &mut Vec<Measure>) -> Result<(), CryptoError> {
        let suite = self.suite;
        let (key, nonce) = (vec![1; suite.aead_nk()], vec![2; suite.aead_nn()]);
        for length in [12, 16384] {
            let mut sealed = vec![7; length];
            suite.aead_seal(&key, &nonce, b"", &mut sealed)?;
            let mut buffer = Vec::with_capacity(length + suite.aead_nt());
            self.operation(measures, Operation::AeadSeal, length, || {
                buffer.clear();
                buffer.resize(length, 7);
                suite.aead_seal(black_box(&key), &nonce, b"", &mut buffer)
            })?;
            self.operation(measures, Operation::AeadOpen, sealed.len(), || {
                buffer.clear();
                buffer.extend_from_slice(&sealed);
                suite.aead_open(black_box(&key), &nonce, b"", &mut buffer)
            })?;
        }
        Ok(())
    }

    fn hashes(&self, measures: &mut Vec<Measure>) -> Result<(), CryptoError> {
        let suite = self.suite;
        for length in [64, 16384] {
            let data = vec![7; length];
            self.operation(measures, Operation::Hash, length, || {
                black_box(suite.hash(&[black_box(&data)]));
                Ok(())
            })?;
        }
        let secret = [9; 32];
        self.operation(measures, Operation::Mac, secret.len(), || {
            black_box(suite.mac(&secret, &[black_box(&secret)]));
            Ok(())
        })?;
        self.operation(measures, Operation::KdfExtract, secret.len(), || {
            black_box(suite.extract(&secret, &[black_box(&secret)]));
            Ok(())
        })?;
        self.operation(measures, Operation::KdfExpand, secret.len(), || {
            let mut out = [0; 32];
            suite.expand(black_box(&secret), &[b"label"], &mut out)?;
            black_box(out);
            Ok(())
        })
    }

    fn operation(
        &self,
        measures: &mut Vec<Measure>,
        operation: Operation,
        bytes: usize,
        call: impl FnMut() -> Result<(), CryptoError>,
    ) -> Result<(), CryptoError> {
        self.enter(measures, Primitive::Operation(operation), bytes, 1, call)
    }

    fn enter(
        &self,
        measures: &mut Vec<Measure>,
        primitive: Primitive,
        bytes: usize,
        at_once: usize,
        call: impl FnMut() -> Result<(), CryptoError>,
    ) -> Result<(), CryptoError> {
        measures.push(Measure {
            primitive,
            backend: self.backend,
            bytes: bytes as u64,
            at_once,
            median_ns: median_ns(call)? / at_once as f64,
            n: BATCHES,
        });
        Ok(())
    }
}

/// The median cost of a call, over batches that are long enough for the clock.
fn median_ns(mut call: impl FnMut() -> Result<(), CryptoError>) -> Result<f64, CryptoError> {
    let mut batch = |calls: u128| -> Result<u128, CryptoError> {
        let start = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        Ok(start.elapsed().as_nanos())
    };
    let mut calls = 1;
    while batch(calls)? < BATCH_NS / 2 {
        calls *= 2;
    }
    let mut costs = Vec::with_capacity(BATCHES);
    for _ in 0..BATCHES {
        costs.push(batch(calls)? as f64 / calls as f64);
    }
    costs.sort_by(f64::total_cmp);
    Ok(costs.get(BATCHES / 2).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(backend: &'static str, bytes: u64, at_once: usize, median_ns: f64) -> Measure {
        let primitive = Primitive::Operation(Operation::Hash);
        Measure { primitive, backend, bytes, at_once, median_ns, n: 1 }
    }

    fn price(primitives: &Primitives, calls: u64, bytes: u64) -> Option<Price> {
        let primitive = Primitive::Operation(Operation::Hash);
        primitives.price(&Term { primitive, calls, bytes, section: "", what: "" })
    }

    #[test]
    fn the_fastest_backend_at_the_size_counts() {
        let primitives = Primitives {
            measures: vec![
                measure("flat", 10, 1, 100.0),
                measure("flat", 110, 1, 100.0),
                measure("steep", 10, 1, 50.0),
                measure("steep", 110, 1, 250.0),
            ],
        };
        let at = |bytes| price(&primitives, 1, bytes);
        let is =
            |each_ns, backend| Some(Price { each_ns, backend, measure: "hash, 10 bytes".into() });
        assert_eq!(at(0), is(50.0, "steep"));
        assert_eq!(at(20), is(70.0, "steep"));
        assert_eq!(at(1000), is(100.0, "flat"));
    }

    #[test]
    fn a_batch_is_for_more_than_one() {
        let measures = vec![measure("one", 10, 1, 100.0), measure("one", 10, 32, 80.0)];
        let primitives = Primitives { measures };
        assert_eq!(price(&primitives, 1, 10).map(|price| price.each_ns), Some(100.0));
        let two = price(&primitives, 2, 10).map(|price| (price.each_ns, price.measure));
        assert_eq!(two, Some((80.0, "hash, 10 bytes, 32 at once".into())));
        assert_eq!(price(&Primitives::default(), 1, 10), None);
    }
}
