//! Hybrid KEMs of ML-KEM and a Diffie-Hellman group: the instances of
//! `draft-irtf-cfrg-concrete-hybrid-kems`, made by the CG framework of `draft-irtf-cfrg-hybrid-kems`.
//!
//! The drafts ask of X25519 no more than that it be computed. Here a public key or a ciphertext whose
//! X25519 half is of small order is refused, as DHKEM does and as all libraries but a few do: no honest
//! member makes one.

use std::marker::PhantomData;

use zeroize::Zeroizing;

use crate::{CryptoError, Random, Secret, primitives::Dh, seed_kem::FromSeed};

/// Which KEM is combined with which group, and how.
pub trait Combination: Send + Sync + 'static {
    /// The hybrid's number in HPKE.
    const KEM_ID: u16;
    /// What ends the combiner's input.
    const LABEL: &'static [u8];
    /// ML-KEM's number in HPKE.
    const ML_KEM_ID: u16;
    /// The length of its public key.
    const ML_KEM_NPK: usize;
    /// The length of its ciphertext.
    const ML_KEM_NENC: usize;
    /// The number of the group's DHKEM in HPKE.
    const DHKEM_ID: u16;
    /// How many random bytes a scalar of the group is made of (`Nseed`): so many candidates, of which
    /// the first that is a scalar is taken.
    const GROUP_SEED: usize;
}

macro_rules! combinations {
    ($($(#[$doc:meta])* $name:ident = $kem_id:literal, $label:literal,
        $ml_kem:literal: $npk:literal -> $nenc:literal, $dhkem:literal: $seed:literal;
    )+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Combination for $name {
            const KEM_ID: u16 = $kem_id;
            const LABEL: &'static [u8] = $label;
            const ML_KEM_ID: u16 = $ml_kem;
            const ML_KEM_NPK: usize = $npk;
            const ML_KEM_NENC: usize = $nenc;
            const DHKEM_ID: u16 = $dhkem;
            const GROUP_SEED: usize = $seed;
        }
    )+};
}

combinations! {
    /// MLKEM768-X25519, which is X-Wing.
    MlKem768X25519 = 0x647a, br"\.//^\", 0x0041: 1184 -> 1088, 0x0020: 32;
    /// MLKEM768-P256.
    MlKem768P256 = 0x0050, b"MLKEM768-P256", 0x0041: 1184 -> 1088, 0x0010: 128;
    /// MLKEM1024-P384.
    MlKem1024P384 = 0x0051, b"MLKEM1024-P384", 0x0042: 1568 -> 1568, 0x0011: 48;
}

/// SHA3-256, which a library provides for the combiner.
pub trait Sha3: Send + Sync + 'static {
    /// SHA3-256 of the input.
    fn sha3_256(input: &[u8], out: &mut [u8; 32]);
}

/// The hybrid `C` over a library's ML-KEM, group and SHA-3.
pub struct Hybrid<C, M, G, H>(PhantomData<(C, M, G, H)>);

/// A private key of a [`Hybrid`], expanded.
pub struct HybridKey<M, G> {
    ml_kem: M,
    scalar: G,
    /// The group's half of the public key.
    element: Vec<u8>,
}

impl<C: Combination, M: FromSeed, G: Dh, H: Sha3> Hybrid<C, M, G, H> {
    const MATCHES: () = assert!(M::KEM_ID == C::ML_KEM_ID && G::KEM_ID == C::DHKEM_ID);

    /// `RandomScalar(seed)`.
    fn scalar(seed: &[u8]) -> Result<G::PrivateKey, CryptoError> {
        let candidates = seed.chunks_exact(G::NSK);
        let mut scalars = candidates.filter_map(|candidate| G::private_key(candidate).ok());
        scalars.next().ok_or(CryptoError::Rejected)
    }

    fn split_public(public: &[u8]) -> Result<(&[u8], &[u8]), CryptoError> {
        public.split_at_checked(C::ML_KEM_NPK).ok_or(CryptoError::Rejected)
    }

    /// The group's part of encapsulating, and the combination of both.
    fn finish(
        ml_kem: (Secret, Vec<u8>),
        element: &[u8],
        group_seed: &[u8],
    ) -> Result<(Secret, Vec<u8>), CryptoError> {
        let (ss_pq, mut kem_output) = ml_kem;
        let ephemeral = Self::scalar(group_seed)?;
        let ct_t = G::public_key(&ephemeral)?;
        let ss_t = G::agree(&ephemeral, element)?;
        let shared = Self::combine(&ss_pq, &ss_t, &ct_t, element);
        kem_output.extend_from_slice(&ct_t);
        Ok((shared, kem_output))
    }

    /// `C2PRICombiner`.
    fn combine(ss_pq: &Secret, ss_t: &Secret, ct_t: &[u8], ek_t: &[u8]) -> Secret {
        let parts = [ss_pq.as_slice(), ss_t.as_slice(), ct_t, ek_t, C::LABEL];
        let length = parts.iter().map(|part| part.len()).sum();
        let mut input = Zeroizing::new(Vec::with_capacity(length));
        parts.iter().for_each(|part| input.extend_from_slice(part));
        let mut shared = Zeroizing::new([0; 32]);
        H::sha3_256(&input, &mut shared);
        Secret::copy_from(&*shared)
    }
}

impl<C: Combination, M: FromSeed, G: Dh, H: Sha3> FromSeed for Hybrid<C, M, G, H> {
    const KEM_ID: u16 = {
        let () = Self::MATCHES;
        C::KEM_ID
    };
    const NSK: usize = 32;
    const RANDOMNESS: usize = M::RANDOMNESS + C::GROUP_SEED;
    type PrivateKey = HybridKey<M::PrivateKey, G::PrivateKey>;

    fn shake256(input: &[u8], out: &mut [u8]) {
        M::shake256(input, out);
    }

    fn key_pair(seed: &[u8]) -> Result<(Self::PrivateKey, Vec<u8>), CryptoError> {
        if seed.len() != Self::NSK {
            return Err(CryptoError::Rejected);
        }
        let seeds = Secret::from_fn(M::NSK + C::GROUP_SEED, |out| M::shake256(seed, out));
        let (ml_kem_seed, group_seed) = seeds.as_slice().split_at(M::NSK);
        let (ml_kem, mut public) = M::key_pair(ml_kem_seed)?;
        let scalar = Self::scalar(group_seed)?;
        let element = G::public_key(&scalar)?;
        public.extend_from_slice(&element);
        Ok((HybridKey { ml_kem, scalar, element }, public))
    }

    fn check_public_key(public: &[u8]) -> Result<(), CryptoError> {
        let (ml_kem, element) = Self::split_public(public)?;
        M::check_public_key(ml_kem)?;
        G::check_public_key(element)
    }

    fn encap_with(public: &[u8], randomness: &[u8]) -> Result<(Secret, Vec<u8>), CryptoError> {
        if randomness.len() != Self::RANDOMNESS {
            return Err(CryptoError::Rejected);
        }
        let (ml_kem, element) = Self::split_public(public)?;
        let (randomness, group_seed) = randomness.split_at(M::RANDOMNESS);
        Self::finish(M::encap_with(ml_kem, randomness)?, element, group_seed)
    }

    fn encap(public: &[u8], random: &dyn Random) -> Result<(Secret, Vec<u8>), CryptoError> {
        let (ml_kem, element) = Self::split_public(public)?;
        let encapsulated = M::encap(ml_kem, random)?;
        let group_seed = Secret::try_from_fn(C::GROUP_SEED, |out| random.fill(out))?;
        Self::finish(encapsulated, element, group_seed.as_slice())
    }

    fn decap(kem_output: &[u8], private: &Self::PrivateKey) -> Result<Secret, CryptoError> {
        let (ct_pq, ct_t) =
            kem_output.split_at_checked(C::ML_KEM_NENC).ok_or(CryptoError::Rejected)?;
        let ss_t = G::agree(&private.scalar, ct_t)?;
        let ss_pq = M::decap(ct_pq, &private.ml_kem)?;
        Ok(Self::combine(&ss_pq, &ss_t, ct_t, &private.element))
    }
}
