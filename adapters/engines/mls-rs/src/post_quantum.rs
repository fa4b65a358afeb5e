//! mls-rs on its own post-quantum cipher suites, which only its AWS-LC provider has.
//!
//! Their numbers are private ones, and what stands behind them is mls-rs' alone: HPKE without a KEM
//! id of its own, another rule to derive key pairs, and a hybrid that combines as no published X-Wing
//! does. So they can be held against mls-rs on 0x0001 in time and in bytes, and against no other
//! engine on the wire.

use engine_api::{
    CgkaEngine, CipherSuite, Client, Description, Deviation, EngineError, Registration,
};
use mls_rs_crypto_awslc::AwsLcCryptoProvider;

use crate::client::MlsRs;
use crate::counting::Counting;
use crate::describe::{BURNT, Backend, ENTROPY, PAST, PROFILE, WRITES};
use crate::state::Told;

type AwsLc = AwsLcCryptoProvider;

const ML_KEM_512: u16 = 65_001;
const ML_KEM_768: u16 = 65_002;
const ML_KEM_1024: u16 = 65_003;
const ML_KEM_768_X25519: u16 = 65_100;

/// `mls-rs/aws-lc/0xFDE9` and so on.
pub(crate) fn engines() -> Vec<Registration> {
    vec![on::<ML_KEM_512>(), on::<ML_KEM_768>(), on::<ML_KEM_1024>(), on::<ML_KEM_768_X25519>()]
}

/// The same with their calls counted.
pub(crate) fn counted() -> Vec<Registration> {
    vec![
        counting::<ML_KEM_512>().renamed("mls-rs/aws-lc/0xFDE9/counted"),
        counting::<ML_KEM_768>().renamed("mls-rs/aws-lc/0xFDEA/counted"),
        counting::<ML_KEM_1024>().renamed("mls-rs/aws-lc/0xFDEB/counted"),
        counting::<ML_KEM_768_X25519>().renamed("mls-rs/aws-lc/0xFE4C/counted"),
    ]
}

fn on<const SUITE: u16>() -> Registration {
    Registration::of::<MlsRs<AwsLc>>().configured(describe::<SUITE>, new_client::<AwsLc, SUITE>)
}

fn counting<const SUITE: u16>() -> Registration {
    Registration::of::<MlsRs<Counting<AwsLc>>>()
        .configured(describe::<SUITE>, new_client::<Counting<AwsLc>, SUITE>)
}

fn new_client<B: Backend, const SUITE: u16>(name: &str) -> Result<Client, EngineError> {
    let told = Told { suite: SUITE.into(), ..Told::default() };
    Ok(Box::new(MlsRs::<B>::told(name, told)?))
}

const OWN: &str = "mls-rs' own suites agree with no draft and no other engine: HPKE's KEM id is 15, \
                   key pairs are derived by a rule of its own, and the hybrid's combiner is not that \
                   of X-Wing. Time and bytes are what there is to compare, and only with mls-rs.";
const NOTES_512: &[&str] = &[
    "Cipher suite ML_KEM_512: ML-KEM-512, AES-128-GCM, HKDF-SHA256, Ed25519.",
    OWN,
    PROFILE,
    PAST,
    WRITES,
    ENTROPY,
];
const NOTES_768: &[&str] = &[
    "Cipher suite ML_KEM_768: ML-KEM-768, AES-128-GCM, HKDF-SHA256, Ed25519.",
    OWN,
    PROFILE,
    PAST,
    WRITES,
    ENTROPY,
];
const NOTES_1024: &[&str] = &[
    "Cipher suite ML_KEM_1024: ML-KEM-1024, AES-256-GCM, HKDF-SHA384, ECDSA over P-384: the factors \
     over 0x0001 have the price of that signature and that hash in them.",
    OWN,
    PROFILE,
    PAST,
    WRITES,
    ENTROPY,
];
const NOTES_HYBRID: &[&str] = &[
    "Cipher suite ML_KEM_768_X25519: ML-KEM-768 and X25519 combined, AES-128-GCM, HKDF-SHA256, \
     Ed25519.",
    OWN,
    PROFILE,
    PAST,
    WRITES,
    ENTROPY,
];

// How many bytes of what `verify` damages stand behind the first 32 of the ciphertext: at most, as it
// damages no more than 1024 places of a long one.
const BURNT_BY_MESSAGE: usize = 110;
const BURNT_BY_COMMIT: usize = 1030;

const DEVIATIONS: &[Deviation] = &[
    Deviation {
        scenario: "damaged message",
        check: "damage-harmless",
        shows: "the genuine message then is duplicate",
        at_most: BURNT_BY_MESSAGE,
        why: BURNT,
    },
    Deviation {
        scenario: "damaged commit",
        check: "damage-harmless",
        shows: "the genuine commit then is duplicate",
        at_most: BURNT_BY_COMMIT,
        why: BURNT,
    },
];

fn describe<const SUITE: u16>() -> Description {
    let (name, notes) = match SUITE {
        ML_KEM_512 => ("mls-rs/aws-lc/0xFDE9", NOTES_512),
        ML_KEM_768 => ("mls-rs/aws-lc/0xFDEA", NOTES_768),
        ML_KEM_1024 => ("mls-rs/aws-lc/0xFDEB", NOTES_1024),
        _ => ("mls-rs/aws-lc/0xFE4C", NOTES_HYBRID),
    };
    Description {
        name,
        cipher_suites: const { &[CipherSuite(SUITE)] },
        notes,
        deviations: DEVIATIONS,
        ..MlsRs::<AwsLc>::describe()
    }
}
