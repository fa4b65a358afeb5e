//! HPKE in base mode, as each cipher suite has it: seal and open, 32 bytes.

use std::{hint::black_box, sync::Arc};

use crypto_api::{CipherSuite, CryptoBackend, HpkePrivateKey, PqSuite, PqSuites, Random};
use crypto_aws_lc::AwsLc;
use crypto_libcrux::Libcrux;
use crypto_rustcrypto::{RustCrypto, SystemRandom};

use super::{Contender, LIBRARIES, Operation, Row, absent, into_rows};

const INFO: &[u8] = b"info";
const SECRET: [u8; 32] = [9; 32];

type Backend = Arc<dyn CryptoBackend>;

pub(super) fn add(rows: &mut Vec<Row>) -> Result<(), String> {
    let suites = PqSuites::private_range();
    let random = || Arc::new(SystemRandom) as Arc<dyn Random>;
    let backends: Vec<Backend> = vec![
        Arc::new(AwsLc::with_post_quantum(&suites, Arc::new(crypto_aws_lc::SystemRandom))),
        Arc::new(RustCrypto::with_post_quantum(&suites, random())),
        Arc::new(crypto_fiat::Fiat::new()),
        Arc::new(crypto_graviola::Graviola::new()),
        Arc::new(Libcrux::with_post_quantum(&suites, random())),
        Arc::new(crypto_dryoc::Dryoc::new()),
        #[cfg(feature = "oqs")]
        Arc::new(crypto_oqs::Oqs::with_post_quantum(&suites, random())),
        #[cfg(feature = "sodium")]
        Arc::new(crypto_sodium::Sodium::new()),
    ];
    let reasons = LIBRARIES.map(|library| (library, "the backend doesn't have the suite"));
    let classical = (1..=7).map(|number| (format!("suite-{number}"), CipherSuite(number)));
    let post_quantum =
        PqSuite::ALL.map(|suite| (suite.name().to_owned(), suite.default_code_point()));
    for (name, suite) in classical.chain(post_quantum) {
        let able: Vec<_> =
            backends.iter().filter(|backend| backend.suite(suite).is_ok()).cloned().collect();
        let contenders: Result<Vec<_>, _> =
            able.iter().map(|backend| contender(backend, suite, &able)).collect();
        let contenders = contenders?;
        let absent = absent(&contenders, &reasons)?;
        into_rows(rows, &format!("hpke/{name}"), contenders, &absent);
    }
    Ok(())
}

/// A backend that has opened what every backend sealed to it.
fn contender(backend: &Backend, number: CipherSuite, all: &[Backend]) -> Result<Contender, String> {
    let library = backend.name();
    let failed = |_| format!("{library} doesn't do HPKE in {number:?}");
    let suite = backend.suite(number).map_err(failed)?;
    let key = suite.derive_key_pair(&[3; 66]).map_err(failed)?;
    for other in all {
        let sealer = other.suite(number).map_err(failed)?;
        let sealed = sealer.seal_base(key.public(), &[INFO], b"", &SECRET).map_err(failed)?;
        let opened = suite.open_base(&key, &sealed, &[INFO], b"");
        if opened.ok().as_ref().map(|opened| opened.as_slice()) != Some(&SECRET[..]) {
            let other = other.name();
            return Err(format!("{number:?}: {library} doesn't open what {other} sealed"));
        }
    }
    let sealed = suite.seal_base(key.public(), &[INFO], b"", &SECRET).map_err(failed)?;
    let open: Operation = {
        let (backend, key) = (Arc::clone(backend), key.clone());
        Box::new(move || {
            let suite = backend.suite(number);
            let _ = black_box(suite.and_then(|suite| suite.open_base(&key, &sealed, &[INFO], b"")));
        })
    };
    let operations =
        vec![("seal".into(), None, seal(backend, number, key)), ("open".into(), None, open)];
    Ok(Contender { library, operations })
}

fn seal(backend: &Backend, number: CipherSuite, to: HpkePrivateKey) -> Operation {
    let backend = Arc::clone(backend);
    Box::new(move || {
        let suite = backend.suite(number);
        let sealed = suite.and_then(|suite| suite.seal_base(to.public(), &[INFO], b"", &SECRET));
        let _ = black_box(sealed);
    })
}
