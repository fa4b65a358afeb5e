//! Counters of cryptographic operations, one set for each thread.
//!
//! A wrapper around a crypto library calls [`record`] for each operation that an engine asks for;
//! whoever runs the engine calls [`take`] before and after. Nothing here is used by an engine that
//! is timed.
//!
//! # What is counted, and where
//!
//! Engines see their crypto library through different interfaces. What is counted is what all of
//! them show, at the level of RFC 9420 section 5.1:
//!
//! - an HPKE encryption is one [`Operation::KemEncap`] with its plaintext's bytes, a decryption one
//!   [`Operation::KemDecap`] with its ciphertext's (without the KEM output). The key schedule and
//!   the AEAD inside are in no other counter, nor is the ephemeral key pair: libraries that have
//!   HPKE in one piece don't show them;
//! - the same holds for what is inside `DeriveKeyPair` ([`Operation::KemDerive`]);
//! - [`Operation::KemGenerate`] is a key pair from fresh randomness. An engine whose library can't
//!   do that draws the bytes and derives, which is one [`Operation::Random`] and one
//!   [`Operation::KemDerive`]: compare [`Counts::kem_key_pairs`];
//! - a MAC that is checked is a MAC;
//! - HKDF counts as what was called: an `Extract` or an `Expand`, not as the HMACs inside.
//!
//! Not counted, because an engine's library does it unseen or does it elsewhere: the expansion of a
//! private key from its seed, the decoding of a public key, checks of a public key, the public key
//! of a private one that is read back, and random bytes that the library draws for itself.
#![forbid(unsafe_code)]

use std::cell::Cell;

/// How often, and over how many bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls.
    pub calls: u64,
    /// Bytes, as [`Operation`] says of what.
    pub bytes: u64,
}

macro_rules! operations {
    ($($(#[doc = $doc:literal])* $operation:ident = $field:ident,)+) => {
        /// A cryptographic operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Operation {
            $($(#[doc = $doc])* $operation,)+
        }

        impl Operation {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$operation),+];

            /// The operation's name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$operation => stringify!($field),)+
                }
            }
        }

        /// How often each operation was done.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $($(#[doc = $doc])* pub $field: Tally,)+
        }

        impl Counts {
            /// None at all.
            pub const NONE: Self = Self { $($field: Tally { calls: 0, bytes: 0 },)+ };

            /// The tally of one operation.
            #[must_use]
            pub const fn of(&self, operation: Operation) -> Tally {
                match operation {
                    $(Operation::$operation => self.$field,)+
                }
            }

            /// The tally of one operation, to be changed.
            pub const fn of_mut(&mut self, operation: Operation) -> &mut Tally {
                match operation {
                    $(Operation::$operation => &mut self.$field,)+
                }
            }
        }
    };
}

operations! {
    /// `Signature.Sign`; bytes of what is signed.
    Sign = sign,
    /// `Signature.Verify`; bytes of what was signed.
    Verify = verify,
    /// A fresh signature key pair; no bytes.
    SignatureKeyGenerate = signature_key_generate,
    /// `KEM.GenerateKeyPair`; no bytes.
    KemGenerate = kem_generate,
    /// `KEM.DeriveKeyPair`; bytes of the key material.
    KemDerive = kem_derive,
    /// HPKE to a public key; bytes of the plaintext.
    KemEncap = kem_encap,
    /// HPKE with a private key; bytes of the ciphertext.
    KemDecap = kem_decap,
    /// AEAD encryption; bytes of the plaintext.
    AeadSeal = aead_seal,
    /// AEAD decryption; bytes of the ciphertext.
    AeadOpen = aead_open,
    /// The hash; bytes of the input.
    Hash = hash,
    /// The MAC; bytes of the input.
    Mac = mac,
    /// `KDF.Extract`; bytes of the input key material.
    KdfExtract = kdf_extract,
    /// `KDF.Expand`; bytes of the output.
    KdfExpand = kdf_expand,
    /// Random bytes that an engine asks for.
    Random = random,
}

impl Counts {
    /// KEM key pairs made, in either way.
    #[must_use]
    pub const fn kem_key_pairs(&self) -> u64 {
        self.kem_generate.calls + self.kem_derive.calls
    }
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts::NONE) };
}

/// Counts one operation of this thread's over so many bytes.
pub fn record(operation: Operation, bytes: usize) {
    record_many(operation, 1, bytes);
}

/// Counts several operations of this thread's over so many bytes in all.
pub fn record_many(operation: Operation, calls: usize, bytes: usize) {
    let mut counts = COUNTS.get();
    let tally = counts.of_mut(operation);
    tally.calls = tally.calls.saturating_add(calls as u64);
    tally.bytes = tally.bytes.saturating_add(bytes as u64);
    COUNTS.set(counts);
}

/// What this thread has counted since the last call, which is forgotten.
pub fn take() -> Counts {
    COUNTS.replace(Counts::NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_forgets() {
        take();
        record(Operation::Hash, 3);
        record(Operation::Hash, 4);
        record_many(Operation::Verify, 5, 60);
        let counts = take();
        assert_eq!(counts.hash, Tally { calls: 2, bytes: 7 });
        assert_eq!(counts.verify, Tally { calls: 5, bytes: 60 });
        assert_eq!(counts.sign, Tally::default());
        assert_eq!(take(), Counts::NONE);
    }

    #[test]
    fn each_operation_has_a_tally_of_its_own() {
        for operation in Operation::ALL {
            record(*operation, 1);
            let counts = take();
            let found: u64 = Operation::ALL.iter().map(|one| counts.of(*one).calls).sum();
            assert_eq!((found, counts.of(*operation).calls), (1, 1), "{}", operation.name());
        }
    }

    #[test]
    fn threads_count_apart() {
        take();
        let other = std::thread::spawn(|| {
            record(Operation::Sign, 1);
            take().sign.calls
        });
        assert_eq!((other.join().ok(), take().sign.calls), (Some(1), 0));
    }
}
