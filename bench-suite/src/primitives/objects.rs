//! How large the algorithms' objects are, and how strong the algorithms are said to be.

use crypto_api::{
    CryptoError,
    primitives::{Dh, SignatureScheme},
    seed_kem::FromSeed,
};
use crypto_aws_lc as aws_lc;
use crypto_rustcrypto::{SystemRandom, dh, kem, signature};

use super::{fn_dsa, slh_dsa};

/// One algorithm's objects, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The algorithm, as the rows name it.
    pub algorithm: &'static str,
    /// What its authors claim: bits against classical attacks, or a category of NIST's.
    pub claimed: &'static str,
    /// The public key.
    pub public_key: usize,
    /// The private key as it is stored.
    pub private_key: usize,
    /// The private key in the scheme's own expanded format, where there is one that is larger.
    pub expanded: Option<usize>,
    /// The signature; of a KEM, the ciphertext. A key agreement sends its public key.
    pub sent: usize,
    /// The shared secret, if there is one.
    pub shared: Option<usize>,
}

/// The objects of every algorithm that is compiled in, in the order of the rows. `expanded` is the
/// standard's number; the other lengths are those of objects made for it, of one library: before they are timed, libraries have read each other's.
///
/// # Errors
///
/// Which algorithm has none.
pub fn objects() -> Result<Vec<Object>, String> {
    let mut objects = Vec::new();
    objects.extend(signatures()?);
    objects.extend(agreements()?);
    objects.extend(kems()?);
    #[cfg(feature = "oqs")]
    objects.extend(unregistered()?);
    Ok(objects)
}

/// The same for people.
pub(super) fn print() -> Result<(), String> {
    println!(
        "{:<24} {:>10} {:>11} {:>8} {:>9} {:>6}  claimed",
        "bytes", "public key", "private key", "expanded", "sent", "shared"
    );
    let optional = |size: Option<usize>| size.map_or("-".into(), |size| size.to_string());
    for object in objects()? {
        println!(
            "{:<24} {:>10} {:>11} {:>8} {:>9} {:>6}  {}",
            object.algorithm,
            object.public_key,
            object.private_key,
            optional(object.expanded),
            object.sent,
            optional(object.shared),
            object.claimed
        );
    }
    println!("sent: the signature, a KEM's ciphertext, a key agreement's public key");
    Ok(())
}

fn signatures() -> Result<Vec<Object>, String> {
    Ok(vec![
        signed::<signature::Ed25519>("ed25519", "128 bits, classical", None)?,
        signed::<signature::EcdsaP256>("ecdsa-p256", "128 bits, classical", None)?,
        signed::<signature::EcdsaP384>("ecdsa-p384", "192 bits, classical", None)?,
        signed::<signature::EcdsaP521>("ecdsa-p521", "256 bits, classical", None)?,
        signed::<signature::Ed448>("ed448", "224 bits, classical", None)?,
        signed::<signature::MlDsa44>("ml-dsa-44", "category 2", Some(2560))?,
        signed::<signature::MlDsa65>("ml-dsa-65", "category 3", Some(4032))?,
        signed::<signature::MlDsa87>("ml-dsa-87", "category 5", Some(4896))?,
        signed::<slh_dsa::SlhDsaSha2128s>("slh-dsa-sha2-128s", "category 1", Some(64))?,
        signed::<slh_dsa::SlhDsaSha2128f>("slh-dsa-sha2-128f", "category 1", Some(64))?,
        signed::<slh_dsa::SlhDsaSha2192f>("slh-dsa-sha2-192f", "category 3", Some(96))?,
        signed::<slh_dsa::SlhDsaSha2256f>("slh-dsa-sha2-256f", "category 5", Some(128))?,
        signed::<fn_dsa::Falcon512>("falcon-512", "category 1", Some(1281))?,
        signed::<fn_dsa::Falcon1024>("falcon-1024", "category 5", Some(2305))?,
    ])
}

fn agreements() -> Result<Vec<Object>, String> {
    Ok(vec![
        agreed::<dh::X25519>("x25519", "128 bits, classical")?,
        agreed::<dh::P256>("ecdh-p256", "128 bits, classical")?,
        agreed::<dh::P384>("ecdh-p384", "192 bits, classical")?,
        agreed::<dh::P521>("ecdh-p521", "256 bits, classical")?,
        agreed::<dh::X448>("x448", "224 bits, classical")?,
    ])
}

fn kems() -> Result<Vec<Object>, String> {
    Ok(vec![
        encapsulated::<kem::MlKem512>("ml-kem-512", "category 1", Some(1632))?,
        encapsulated::<kem::MlKem768>("ml-kem-768", "category 3", Some(2400))?,
        encapsulated::<kem::MlKem1024>("ml-kem-1024", "category 5", Some(3168))?,
        encapsulated::<kem::XWing>("x-wing", "128 bits, classical; category 3", Some(2432))?,
        encapsulated::<aws_lc::kem::MlKem768P256>(
            "mlkem768-p256",
            "128 bits, classical; category 3",
            Some(2432),
        )?,
        encapsulated::<aws_lc::kem::MlKem1024P384>(
            "mlkem1024-p384",
            "192 bits, classical; category 5",
            Some(3216),
        )?,
    ])
}

fn signed<S: SignatureScheme>(
    algorithm: &'static str,
    claimed: &'static str,
    expanded: Option<usize>,
) -> Result<Object, String> {
    let make = || -> Result<Object, CryptoError> {
        let private = S::generate(&SystemRandom)?;
        let (key, public) = S::signing_key(private.as_slice())?;
        let sent = S::sign(&key, b"message")?.len();
        let (public_key, private_key) = (public.len(), private.len());
        Ok(Object { algorithm, claimed, public_key, private_key, expanded, sent, shared: None })
    };
    make().map_err(|why| format!("{algorithm}: {why}"))
}

fn agreed<G: Dh>(algorithm: &'static str, claimed: &'static str) -> Result<Object, String> {
    let make = || -> Result<Object, CryptoError> {
        let mut bytes = vec![3; G::NSK];
        bytes[0] = 0; // below every order
        let private = G::private_key(&bytes)?;
        let public = G::public_key(&private)?;
        Ok(Object {
            algorithm,
            claimed,
            public_key: public.len(),
            private_key: G::NSK,
            expanded: None,
            sent: public.len(),
            shared: Some(G::agree(&private, &public)?.len()),
        })
    };
    make().map_err(|why| format!("{algorithm}: {why}"))
}

fn encapsulated<K: FromSeed>(
    algorithm: &'static str,
    claimed: &'static str,
    expanded: Option<usize>,
) -> Result<Object, String> {
    let make = || -> Result<Object, CryptoError> {
        let (_, public) = K::key_pair(&vec![7; K::NSK])?;
        let (shared, kem_output) = K::encap(&public, &SystemRandom)?;
        Ok(Object {
            algorithm,
            claimed,
            public_key: public.len(),
            private_key: K::NSK,
            expanded,
            sent: kem_output.len(),
            shared: Some(shared.len()),
        })
    };
    make().map_err(|why| format!("{algorithm}: {why}"))
}

/// Those that only liboqs has. It also says what is claimed.
#[cfg(feature = "oqs")]
fn unregistered() -> Result<Vec<Object>, String> {
    use crypto_oqs::kem::{Algorithm, Unregistered};
    let make = |(name, algorithm): (&'static str, Algorithm)| -> Result<Object, CryptoError> {
        let kem = Unregistered::new(algorithm)?;
        let (private, public) = kem.generate_key_pair()?;
        let (shared, kem_output) = kem.encap(&public)?;
        Ok(Object {
            algorithm: name,
            claimed: match kem.claimed_level() {
                1 => "category 1",
                3 => "category 3",
                5 => "category 5",
                _ => return Err(CryptoError::Unsupported),
            },
            public_key: public.len(),
            private_key: private.len(),
            expanded: None,
            sent: kem_output.len(),
            shared: Some(shared.len()),
        })
    };
    super::unregistered::kems()
        .into_iter()
        .map(|kem| make(kem).map_err(|why| format!("{}: {why}", kem.0)))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// What the standards say, and the document's table.
    #[test]
    fn sizes_are_the_standards_and_the_documents() {
        let objects = objects().unwrap();
        let of = |name| objects.iter().find(|object| object.algorithm == name).unwrap();
        let [dsa, kem, slh] = [of("ml-dsa-65"), of("ml-kem-768"), of("slh-dsa-sha2-192f")];
        assert_eq!((dsa.public_key, dsa.private_key, dsa.sent), (1952, 32, 3309));
        assert_eq!((kem.public_key, kem.private_key, kem.sent), (1184, 64, 1088));
        assert_eq!((slh.public_key, slh.private_key, slh.sent), (48, 72, 35664));
        let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/crypto-libraries.md");
        let document = std::fs::read_to_string(document).unwrap();
        let mut missing = Vec::new();
        for object in &objects {
            // ECDSA's signatures are DER, and vary by a few bytes.
            let sent = match object.algorithm {
                "ecdsa-p256" => "at most 72".into(),
                "ecdsa-p384" => "at most 104".into(),
                "ecdsa-p521" => "at most 139".into(),
                _ => object.sent.to_string(),
            };
            let optional = |size: Option<usize>| size.map_or("-".into(), |size| size.to_string());
            let line = format!(
                "| {} | {} | {} | {} | {} | {sent} | {} |",
                object.algorithm,
                object.claimed,
                object.public_key,
                object.private_key,
                optional(object.expanded),
                optional(object.shared)
            );
            println!("{line}");
            missing.extend((!document.contains(&line)).then_some(line));
        }
        assert!(missing.is_empty(), "not in the document: {missing:?}");
    }
}
