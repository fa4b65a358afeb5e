//! Eight at once; the time of a row is for all eight. One at a time by dalek beside it.

use curve25519x8::{LANES, Lanes, Signed};
use divan::{Bencher, black_box};
use ed25519_dalek::{Signer, SigningKey};

fn main() {
    if Lanes::detect().is_none() {
        println!("this processor has no AVX-512 IFMA: nothing to measure");
        return;
    }
    divan::main();
}

fn scalars() -> [[u8; 32]; LANES] {
    core::array::from_fn(|lane| [lane as u8 + 1; 32])
}

#[divan::bench(name = "x25519/derive/8 lanes")]
fn derive(bencher: Bencher<'_, '_>) {
    let points = [x25519_dalek::X25519_BASEPOINT_BYTES; LANES];
    let lanes = Lanes::detect();
    bencher.bench_local(|| lanes.map(|lanes| lanes.x25519(black_box(&scalars()), &points)));
}

#[divan::bench(name = "x25519/derive/1 dalek")]
fn derive_one(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        x25519_dalek::x25519(black_box([7; 32]), x25519_dalek::X25519_BASEPOINT_BYTES)
    });
}

#[divan::bench(name = "x25519/base/8 lanes")]
fn base(bencher: Bencher<'_, '_>) {
    let lanes = Lanes::detect();
    bencher.bench_local(|| lanes.map(|lanes| lanes.x25519_base(black_box(&scalars()))));
}

const MESSAGE: [u8; 300] = [7; 300];

#[divan::bench(name = "ed25519/verify/from-bytes/8 lanes")]
fn verify(bencher: Bencher<'_, '_>) {
    let keys: [SigningKey; LANES] = scalars().map(|seed| SigningKey::from_bytes(&seed));
    let publics = keys.each_ref().map(|key| key.verifying_key().to_bytes());
    let signatures = keys.each_ref().map(|key| key.sign(&MESSAGE).to_bytes());
    let signed: [Signed<'_>; LANES] = core::array::from_fn(|lane| Signed {
        public: &publics[lane],
        message: &MESSAGE,
        signature: &signatures[lane],
    });
    let lanes = Lanes::detect();
    bencher.bench_local(|| lanes.map(|lanes| lanes.ed25519_verify(black_box(&signed))));
}

#[divan::bench(name = "ed25519/verify/parsed/1 dalek")]
fn verify_one(bencher: Bencher<'_, '_>) {
    let key = SigningKey::from_bytes(&[7; 32]);
    let signature = key.sign(&MESSAGE);
    let public = key.verifying_key();
    bencher.bench_local(|| public.verify_strict(black_box(&MESSAGE), &signature).is_ok());
}
