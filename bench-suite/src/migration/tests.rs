use super::*;

#[test]
fn rows_are_of_groups_as_large_as_asked() {
    let (sizes, only) = rows(&[2, 33], &[]);
    assert_eq!(sizes, [2, 33, 1, 32]);
    assert_eq!(only, ["2", "33", "create_group/1", "create_group/32"]);
    for (part, expected) in [("send", vec![2, 33]), ("create_group", vec![2, 33, 1, 32])] {
        let (sizes, only) = rows(&[2, 33], &[part.to_owned()]);
        assert_eq!((sizes, only), (expected, vec![part.to_owned()]));
    }
}

#[cfg(all(feature = "burrow", feature = "openmls", feature = "mls-rs"))]
#[test]
fn every_engine_comes_behind_its_baseline() {
    let present = engines::built_in();
    let of = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        chosen(&names, &present)
    };
    let default = of(&[]).unwrap();
    for name in CHOSEN {
        let at = default.iter().position(|known| known == name).unwrap();
        let base = name.rsplit_once('/').unwrap().0;
        assert!(default[..at].iter().any(|known| known == base), "{name}: {default:?}");
    }
    assert_eq!(default[0], "burrow/aws-lc");
    assert_eq!(default.len(), CHOSEN.len() + 3);
    assert_eq!(
        of(&["0x004d"]).unwrap(),
        [
            "burrow/aws-lc",
            "burrow/aws-lc/0x004D",
            "burrow/rustcrypto",
            "burrow/rustcrypto/0x004D",
            "burrow/libcrux",
            "burrow/libcrux/0x004D",
            "openmls/libcrux",
            "openmls/libcrux/0x004D",
        ]
    );
    let all = of(&["all"]).unwrap();
    assert_eq!(all.len(), 31 + 5 + 5, "{all:?}");
    assert!(
        of(&["burrow"]).unwrap_err().contains("no engine on a post-quantum suite is called burrow")
    );
}

/// What the engines say of their suites is what the report knows of them.
#[test]
fn every_suite_has_a_phase() {
    for engine in engines::post_quantum() {
        let about = engine.describe();
        let suite = named(&about.cipher_suites[0].to_string());
        assert!(suite.is_some(), "{}", about.name);
        let is_base = about.cipher_suites[0].0 == BASELINE;
        assert_eq!(is_base, !is_moved(&about), "{}", about.name);
        assert!(baseline(&engines::everything(&engines::built_in()), &about).is_some());
    }
}
