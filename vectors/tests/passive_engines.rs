//! The working group's passive clients, imported into every engine of the `mls` profile.

use engine_api::MlsRegistration;
use vectors::sessions::{Replayed, Session, replay};
use vectors::{FILES, Library};

fn engines() -> Vec<MlsRegistration> {
    [adapter_burrow::mls_engines(), adapter_openmls::mls_engines(), adapter_mls_rs::mls_engines()]
        .concat()
}

/// What a library is known to do differently: the file, the library, and what shows.
const KNOWN: &[(&str, &str, &str)] = &[
    ("branch.json", "openmls", NOT_ACCEPTABLE),
    ("external_join.json", "openmls", NOT_ACCEPTABLE),
    ("external_proposals.json", "openmls", NOT_ACCEPTABLE),
    ("reinit.json", "openmls", NOT_ACCEPTABLE),
];

/// The key packages and leaves of these flows carry GREASE extensions (section 13.5), and OpenMLS
/// 0.8.3 refuses the leaves in the tree for their extensions. burrow and mls-rs take them.
const NOT_ACCEPTABLE: &str = "Extensions are not acceptable";

/// How many cases each engine goes through at least, over all files.
const FLOORS: &[(&str, usize)] = &[
    ("burrow/aws-lc", 675),
    ("burrow/rustcrypto", 945),
    ("openmls/rustcrypto", 63),
    ("openmls/libcrux", 42),
    ("mls-rs/aws-lc", 675),
    ("mls-rs/rustcrypto", 540),
];

#[test]
fn every_engine_follows_the_working_groups_passive_clients() {
    let Some(library) = Library::from_env().inspect_err(|why| println!("{why}")).ok() else {
        return;
    };
    let mut shown = vec![false; KNOWN.len()];
    let mut wrong = Vec::new();
    for (name, floor) in FLOORS {
        let engine = engines().into_iter().find(|engine| engine.name() == *name).unwrap();
        let mut passed = 0;
        let passive = FILES.iter().filter(|file| {
            file.name.starts_with("passive-client") || file.folder == "mls-wg-passive"
        });
        for file in passive {
            let (mut here, mut compared, mut unsupported, mut declared) = (0, 0, 0, 0);
            for (number, case) in library.cases(file).unwrap().iter().enumerate() {
                let session = Session::from_working_group(&number.to_string(), case).unwrap();
                match replay(&engine, &session) {
                    Replayed::Agrees(count) => {
                        here += 1;
                        compared += count;
                    }
                    Replayed::Unsupported(_) => unsupported += 1,
                    Replayed::Differs(why) => {
                        let known = KNOWN.iter().position(|(of, library, shows)| {
                            *of == file.name && name.starts_with(library) && why.contains(shows)
                        });
                        match known {
                            Some(known) => {
                                shown[known] = true;
                                declared += 1;
                            }
                            None => wrong.push(format!("{name}: {} {number}: {why}", file.name)),
                        }
                    }
                }
            }
            println!(
                "{name}: {}: {here} passed, {compared} compared, {declared} different as declared, \
                 {unsupported} of a cipher suite that it doesn't have",
                file.name
            );
            passed += here;
        }
        assert!(passed >= *floor, "{name}: {passed} of {floor}");
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(shown.iter().all(|shown| *shown), "a declared difference doesn't show: {shown:?}");
}
