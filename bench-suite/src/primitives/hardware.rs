//! Which of the processor's instructions each library looks for, and which it finds here.

/// A library's look at the processor.
#[derive(Clone, Debug)]
pub struct Hardware {
    /// The library.
    pub library: &'static str,
    /// What it looks for when it runs, and whether that is there.
    pub features: Vec<(&'static str, bool)>,
}

/// Every library that is compiled in. liboqs and libsodium are asked themselves what they have found; of the
/// others it is what their sources look for, asked of the processor.
#[must_use]
pub fn hardware() -> Vec<Hardware> {
    let of = |library, looked_for: &[&'static str]| Hardware {
        library,
        features: looked_for.iter().map(|feature| (*feature, is_there(feature))).collect(),
    };
    vec![
        of("aws-lc", &AWS_LC),
        of("rustcrypto", &RUSTCRYPTO),
        of("fiat", &[]),
        of("graviola", &GRAVIOLA),
        of("libcrux", &LIBCRUX),
        of("dryoc", &DRYOC),
        of("fn-dsa", &["avx2"]),
        #[cfg(feature = "oqs")]
        Hardware { library: "oqs", features: crypto_oqs::processor() },
        #[cfg(feature = "sodium")]
        Hardware { library: "sodium", features: crypto_sodium::processor() },
    ]
}

/// What each library finds on this processor, in a sentence.
pub(super) fn sentence() -> String {
    let used = |library: &Hardware| {
        let there = library.features.iter().filter(|(_, there)| *there).map(|(name, _)| *name);
        let there: Vec<_> = there.collect();
        let missing = library.features.iter().filter(|(_, there)| !there).map(|(name, _)| *name);
        let missing: Vec<_> = missing.collect();
        let there = if there.is_empty() { "nothing".into() } else { there.join(", ") };
        let missing = match missing.as_slice() {
            [] => String::new(),
            some => format!(" (in vain for {})", some.join(", ")),
        };
        format!("{} {there}{missing}", library.library)
    };
    let used: Vec<_> = hardware().iter().map(used).collect();
    format!(
        "Instructions that each library looks for and finds here (oqs and sodium were asked, of the others \
         by their sources): {}.",
        used.join("; ")
    )
}

/// AES-GCM with `vaes`, `vpclmulqdq` and AVX-512, SHA-2 with `sha`, curves with `adx` and `bmi2`, ML-KEM
/// and ML-DSA with `avx2`.
const AWS_LC: [&str; 9] =
    ["aes", "pclmulqdq", "avx2", "bmi2", "adx", "sha", "avx512f", "vaes", "vpclmulqdq"];

/// `aes` and `polyval`, `chacha20` and `poly1305`, `sha2`, and dalek. (`aes` uses `vaes`, and dalek
/// `avx512ifma`, only if they were compiled to.)
const RUSTCRYPTO: [&str; 4] = ["aes", "pclmulqdq", "avx2", "sha"];

/// The first six it can't do without.
const GRAVIOLA: [&str; 11] = [
    "aes",
    "pclmulqdq",
    "avx2",
    "bmi1",
    "bmi2",
    "adx",
    "sha",
    "avx512f",
    "avx512vbmi",
    "vaes",
    "vpclmulqdq",
];

/// ML-KEM, ML-DSA and SHA-3 with `avx2`, AES-GCM with the others. The rest is portable.
const LIBCRUX: [&str; 3] = ["avx2", "aes", "pclmulqdq"];

/// Salsa20, ChaCha20, Poly1305, BLAKE2b, ML-KEM and Argon2 with `avx2` or AVX-512, curves with `bmi2`,
/// SHA-256 with `sha` by way of `sha2`.
const DRYOC: [&str; 6] = ["avx2", "bmi2", "avx512f", "avx512vl", "avx512ifma", "sha"];

#[cfg(target_arch = "x86_64")]
fn is_there(feature: &str) -> bool {
    match feature {
        "adx" => is_x86_feature_detected!("adx"),
        "aes" => is_x86_feature_detected!("aes"),
        "avx2" => is_x86_feature_detected!("avx2"),
        "avx512f" => is_x86_feature_detected!("avx512f"),
        "avx512ifma" => is_x86_feature_detected!("avx512ifma"),
        "avx512vl" => is_x86_feature_detected!("avx512vl"),
        "avx512vbmi" => is_x86_feature_detected!("avx512vbmi"),
        "bmi1" => is_x86_feature_detected!("bmi1"),
        "bmi2" => is_x86_feature_detected!("bmi2"),
        "pclmulqdq" => is_x86_feature_detected!("pclmulqdq"),
        "sha" => is_x86_feature_detected!("sha"),
        "vaes" => is_x86_feature_detected!("vaes"),
        "vpclmulqdq" => is_x86_feature_detected!("vpclmulqdq"),
        _ => false,
    }
}

/// The features above are x86's.
#[cfg(not(target_arch = "x86_64"))]
fn is_there(_: &str) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What two that were asked say is what the processor says; and each feature here is one that is
    /// looked for at all.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn libraries_and_the_processor_agree() {
        for hardware in hardware() {
            for (feature, present) in hardware.features {
                if !matches!(feature, "avx512" | "popcnt" | "sse4.1" | "ssse3") {
                    assert_eq!(present, is_there(feature), "{}: {feature}", hardware.library);
                }
            }
        }
    }
}
