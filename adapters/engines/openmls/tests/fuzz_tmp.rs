#![allow(missing_docs, clippy::all)]
use engine_api::*;
use openmls::prelude::*;
use openmls_basic_credential::SignatureKeyPair;
use openmls_rust_crypto::OpenMlsRustCrypto;
struct Rng(u64);
impl Rng { fn next(&mut self) -> u64 { self.0 ^= self.0 << 13; self.0 ^= self.0 >> 7; self.0 ^= self.0 << 17; self.0 } fn below(&mut self, n: usize) -> usize { (self.next() % n as u64) as usize } }
fn mutate(r: &mut Rng, b: &[u8]) -> Vec<u8> {
    let mut v = b.to_vec();
    for _ in 0..1 + r.below(4) {
        if v.is_empty() { break; }
        let at = r.below(v.len());
        match r.below(7) {
            0 => v[at] = r.next() as u8,
            1 => v[at] = v[at].wrapping_add(1),
            2 => v[at] = v[at].wrapping_sub(1),
            3 => { v.truncate(at); }
            4 => { let n = r.below(80); let fill = r.next() as u8; let tail = v.split_off(at); v.extend(vec![fill; n]); v.extend(tail); }
            5 => { let n = r.below(40).min(v.len() - at); v.drain(at..at + n); }
            _ => { let from = r.below(v.len()); let n = r.below(64).min(v.len() - from); let piece = v[from..from + n].to_vec(); let tail = v.split_off(at); v.extend(piece); v.extend(tail); }
        }
    }
    v
}
#[test]
fn fuzz() {
    let provider = OpenMlsRustCrypto::default();
    let s = Ciphersuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519;
    let signer = SignatureKeyPair::new(s.signature_algorithm()).unwrap();
    let cwk = CredentialWithKey { credential: BasicCredential::new(b"x".to_vec()).into(), signature_key: signer.public().into() };
    let cfg = MlsGroupCreateConfig::builder().ciphersuite(s).wire_format_policy(PURE_PLAINTEXT_WIRE_FORMAT_POLICY).use_ratchet_tree_extension(true).build();
    let mut g = MlsGroup::new(&provider, &signer, &cfg, cwk).unwrap();
    let gi = g.export_group_info(provider.crypto(), &signer, true).unwrap().to_bytes().unwrap();
    let public = g.self_update(&provider, &signer, LeafNodeParameters::default()).unwrap().into_commit().to_bytes().unwrap();
    for engine in adapter_openmls::engines() {
        let mut ada = engine.new_client("ada").unwrap();
        let mut ben = engine.new_client("ben").unwrap();
        let kp = ben.publish_key_package().unwrap();
        let f = ada.create_group(&[kp.clone()]).unwrap();
        let w = f.welcomes.for_invitee(0).unwrap().clone();
        let mut joined = engine.fork(ben.as_ref()).unwrap();
        joined.join_welcome(&w).unwrap();
        let app = ada.send(&f.group, b"hello").unwrap();
        let staged = ada.stage_commit(&f.group, &Change::Update).unwrap();
        let mut r = Rng(0x1234567 + std::process::id() as u64);
        let start = std::time::Instant::now();
        let (mut n, mut oks) = (0u64, [0u64; 4]);
        while start.elapsed().as_secs() < 25 {
            n += 1;
            let mut a = engine.fork(ada.as_ref()).unwrap();
            for _ in 0..20 { if a.create_group(&[KeyPackageBytes::new(mutate(&mut r, kp.as_slice()))]).is_ok() { oks[0] += 1; } }
            let mut b = engine.fork(ben.as_ref()).unwrap();
            if b.join_welcome(&WelcomeBytes::new(mutate(&mut r, w.as_slice()))).is_ok() { oks[1] += 1; }
            for bytes in [app.as_slice(), staged.commit().as_slice(), &gi, &public] {
                let m = mutate(&mut r, bytes);
                match joined.ingest_app(&f.group, &AppBytes::new(m.clone())) { Ok(Ingested::Applied(_)) => oks[2] += 1, Ok(_) => {}, Err(e) => println!("{e:?}") }
                match joined.ingest_commit(&f.group, &CommitBytes::new(m)) { Ok(Ingested::Applied(_)) => oks[3] += 1, Ok(_) => {}, Err(e) => println!("{e:?}") }
            }
        }
        println!("{} rounds {n}, accepted kp/welcome/app/commit {oks:?}", engine.name());
    }
}
