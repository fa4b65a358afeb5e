//! The vectors of draft-connolly-cfrg-xwing-kem and of draft-ietf-hpke-pq, on every library.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Mutex;

use crypto_api::{
    CryptoError, HpkeCiphertext, Random,
    hpke::Hpke,
    primitives::{Aead, Hash, Kem},
    seed_kem::{FromSeed, Labelled, SeedKem, SeedRule, Unlabelled},
};
use crypto_aws_lc::{aead as aws_lc_aead, hash as aws_lc_hash, kem as aws_lc};
use crypto_dryoc::{aead as dryoc_aead, hash as dryoc_hash, kem as dryoc};
use crypto_libcrux::{aead as libcrux_aead, hash as libcrux_hash, kem as libcrux};
use crypto_rustcrypto::{aead as rustcrypto_aead, hash as rustcrypto_hash, kem as rustcrypto};
use serde::Deserialize;

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

/// A file of the folder that `CGKA_VECTORS` names. Without it, the run says in one line what it left
/// out.
fn shared(file: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("CGKA_VECTORS") else {
        println!("not run: CGKA_VECTORS doesn't say where {file} is");
        return None;
    };
    Some(std::fs::read_to_string(std::path::Path::new(&folder).join(file)).unwrap())
}

#[derive(Deserialize)]
struct XWingCase {
    seed: String,
    eseed: String,
    ss: String,
    pk: String,
    ct: String,
}

#[test]
fn x_wing_vectors() {
    let Some(vectors) = shared("xwing/test-vectors.json") else {
        return;
    };
    let cases: Vec<XWingCase> = serde_json::from_str(&vectors).unwrap();
    for case in &cases {
        x_wing::<dryoc::XWing>(case, true);
        x_wing::<libcrux::XWing>(case, true);
        x_wing::<rustcrypto::XWing>(case, true);
        x_wing::<aws_lc::XWing>(case, false);
    }
    assert_eq!(cases.len(), 3);
}

fn x_wing<K: FromSeed>(case: &XWingCase, takes_randomness: bool) {
    let (private, public) = K::key_pair(&unhex(&case.seed)).unwrap();
    assert_eq!(public, unhex(&case.pk));
    let encapsulated = K::encap_with(&public, &unhex(&case.eseed));
    if takes_randomness {
        let (shared, kem_output) = encapsulated.unwrap();
        assert_eq!(shared.as_slice(), unhex(&case.ss));
        assert_eq!(kem_output, unhex(&case.ct));
    } else {
        assert_eq!(encapsulated.err(), Some(CryptoError::Unsupported));
    }
    let shared = K::decap(&unhex(&case.ct), &private).unwrap();
    assert_eq!(shared.as_slice(), unhex(&case.ss));
}

#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the file's names")]
struct Case {
    kem_id: u16,
    kdf_id: u16,
    aead_id: u16,
    info: String,
    ikmE: String,
    ikmR: String,
    skRm: String,
    pkRm: String,
    enc: String,
    shared_secret: String,
    encryptions: Vec<Encryption>,
    exports: Vec<Export>,
}

#[derive(Deserialize)]
struct Encryption {
    aad: String,
    ct: String,
    pt: String,
}

#[derive(Deserialize)]
struct Export {
    exporter_context: String,
    #[serde(rename = "L")]
    length: usize,
    exported_value: String,
}

/// Gives out a string, piece by piece, and zeros after it: the vectors have fewer candidates for a
/// scalar of P-256 than the draft, whose first is always good.
struct Given(Mutex<Vec<u8>>);

impl Random for Given {
    fn fill(&self, out: &mut [u8]) -> Result<(), CryptoError> {
        let mut rest = self.0.lock().unwrap();
        let count = out.len().min(rest.len());
        out.fill(0);
        out[..count].copy_from_slice(&rest[..count]);
        rest.drain(..count);
        Ok(())
    }
}

impl Case {
    fn given(&self) -> Given {
        Given(Mutex::new(unhex(&self.ikmE)))
    }

    /// The key pair, the shared secret, and the ciphertext if the library takes randomness.
    fn kem<K: FromSeed>(&self, takes_randomness: bool) {
        let derived = SeedKem::<K>::derive_key_pair(&unhex(&self.ikmR)).unwrap();
        assert_eq!(derived.private.as_slice(), unhex(&self.skRm));
        assert_eq!(derived.public, unhex(&self.pkRm));
        let stored = SeedKem::<K>::private_key(&unhex(&self.skRm)).unwrap();
        assert_eq!(stored.public, derived.public);
        let (shared, kem_output) = K::encap(&derived.public, &self.given()).unwrap();
        assert_eq!(K::decap(&kem_output, &derived.key).unwrap(), shared);
        if takes_randomness {
            assert_eq!(kem_output, unhex(&self.enc));
            assert_eq!(shared.as_slice(), unhex(&self.shared_secret));
        }
        let decapsulated = K::decap(&unhex(&self.enc), &stored.key).unwrap();
        assert_eq!(decapsulated.as_slice(), unhex(&self.shared_secret));
        let older = SeedKem::<K, Unlabelled>::derive_private(&unhex(&self.ikmR));
        assert_ne!(older, derived.private);
    }

    /// Encryption, of which only the first of a context is within MLS's reach, and export.
    fn hpke<K: FromSeed, H: Hash, A: Aead>(&self, takes_randomness: bool) {
        self.hpke_by::<K, Labelled, H, A>(takes_randomness);
        // The rule is about deriving keys, and about nothing else.
        self.hpke_by::<K, Unlabelled, H, A>(takes_randomness);
    }

    fn hpke_by<K: FromSeed, R: SeedRule, H: Hash, A: Aead>(&self, takes_randomness: bool) {
        assert_eq!((K::KEM_ID, H::KDF_ID, A::AEAD_ID), (self.kem_id, self.kdf_id, self.aead_id));
        let hpke = Hpke::<SeedKem<K, R>, H, A>::new();
        let pair = SeedKem::<K, R>::private_key(&unhex(&self.skRm)).unwrap();
        let info = unhex(&self.info);
        let first = &self.encryptions[0];
        let (aad, plaintext) = (unhex(&first.aad), unhex(&first.pt));
        let expected =
            HpkeCiphertext { kem_output: unhex(&self.enc), ciphertext: unhex(&first.ct) };
        let open = |sealed: &HpkeCiphertext| {
            hpke.open_base(&pair.key, &pair.public, sealed, &[&info], &aad).unwrap()
        };
        assert_eq!(open(&expected).as_slice(), plaintext);
        let random = self.given();
        let ours = hpke.seal_base(&pair.public, &[&info], &aad, &plaintext, &random).unwrap();
        assert_eq!(open(&ours).as_slice(), plaintext);
        if takes_randomness {
            assert_eq!(ours, expected);
        }
        for export in &self.exports {
            let context = unhex(&export.exporter_context);
            let enc = &expected.kem_output;
            let (key, public) = (&pair.key, &pair.public);
            let exported =
                hpke.receive_export(key, public, enc, &[&info], &context, export.length).unwrap();
            assert_eq!(exported.as_slice(), unhex(&export.exported_value));
        }
        assert_eq!(self.exports.len(), 5);
    }
}

macro_rules! on_all {
    ($case:expr, $kem:ident, $hash:ident, $aead:ident) => {{
        $case.hpke::<libcrux::$kem, libcrux_hash::$hash, libcrux_aead::$aead>(true);
        on_two!($case, $kem, $hash, $aead);
    }};
}

macro_rules! on_two {
    ($case:expr, $kem:ident, $hash:ident, $aead:ident) => {{
        $case.hpke::<rustcrypto::$kem, rustcrypto_hash::$hash, rustcrypto_aead::$aead>(true);
        $case.hpke::<aws_lc::$kem, aws_lc_hash::$hash, aws_lc_aead::$aead>(false);
    }};
}

#[test]
fn hpke_pq_vectors() {
    let Some(vectors) = shared("hpke/hpke-pq.json") else {
        return;
    };
    let cases: Vec<Case> = serde_json::from_str(&vectors).unwrap();
    let (mut kems, mut schedules, mut others) = (0, 0, 0);
    for case in &cases {
        kems += 1;
        match case.kem_id {
            0x0040 => {
                case.kem::<libcrux::MlKem512>(true);
                case.kem::<rustcrypto::MlKem512>(true);
                case.kem::<aws_lc::MlKem512>(false);
            }
            0x0041 => {
                case.kem::<libcrux::MlKem768>(true);
                case.kem::<dryoc::MlKem768>(true);
                case.kem::<rustcrypto::MlKem768>(true);
                case.kem::<aws_lc::MlKem768>(false);
            }
            0x0042 => {
                case.kem::<libcrux::MlKem1024>(true);
                case.kem::<rustcrypto::MlKem1024>(true);
                case.kem::<aws_lc::MlKem1024>(false);
            }
            0x0050 => {
                case.kem::<rustcrypto::MlKem768P256>(true);
                case.kem::<aws_lc::MlKem768P256>(false);
            }
            0x0051 => {
                case.kem::<rustcrypto::MlKem1024P384>(true);
                case.kem::<aws_lc::MlKem1024P384>(false);
            }
            0x647a => {
                case.kem::<libcrux::XWing>(true);
                case.kem::<dryoc::XWing>(true);
                case.kem::<rustcrypto::XWing>(true);
                case.kem::<aws_lc::XWing>(false);
            }
            _ => {
                kems -= 1;
                others += 1;
                println!("not run: KEM {:#06x}, which is classical", case.kem_id);
            }
        }
        schedules += 1;
        match (case.kem_id, case.kdf_id, case.aead_id) {
            (0x0040, 1, 1) => on_all!(case, MlKem512, Sha256, Aes128Gcm),
            (0x0041, 1, 1) => on_all!(case, MlKem768, Sha256, Aes128Gcm),
            (0x0042, 2, 2) => on_all!(case, MlKem1024, Sha384, Aes256Gcm),
            (0x0050, 1, 1) => on_two!(case, MlKem768P256, Sha256, Aes128Gcm),
            (0x0051, 2, 2) => on_two!(case, MlKem1024P384, Sha384, Aes256Gcm),
            (0x647a, 1, 3) => {
                on_all!(case, XWing, Sha256, ChaCha20Poly1305);
                type Aead = dryoc_aead::ChaCha20Poly1305;
                case.hpke::<dryoc::XWing, dryoc_hash::Sha256, Aead>(true);
            }
            (kem_id, kdf_id, _) => {
                schedules -= 1;
                println!(
                    "not run: the key schedule of KEM {kem_id:#06x} with KDF {kdf_id:#06x}, \
                     which no cipher suite has"
                );
            }
        }
    }
    assert_eq!((cases.len(), kems, schedules, others), (13, 9, 6, 4));
}
