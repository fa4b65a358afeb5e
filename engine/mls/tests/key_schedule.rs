//! What section 8 says of the key schedule beyond its vectors.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod backends;

use backends::backends;
use burrow::{
    Error, PeerError,
    crypto::HpkePublicKey,
    schedule::{EpochSecret, EpochSecrets, InitSecret, JoinerSecret, PskSecret},
};
use crypto_api::{CipherSuite, Secret, Suite};

/// Runs `check` on every suite of every backend.
fn each_suite(check: impl Fn(&dyn Suite)) {
    for (backend, suites) in backends() {
        for number in suites {
            check(backend.suite(CipherSuite(*number)).unwrap());
        }
    }
}

fn random_epoch(suite: &dyn Suite) -> EpochSecrets {
    let secret = EpochSecret::random(suite).unwrap();
    assert_eq!(secret.as_secret().len(), suite.kdf_nh());
    secret.schedule(suite).unwrap().0
}

#[test]
fn pitfall_12_no_path_means_a_zero_commit_secret() {
    each_suite(|suite| {
        let init = random_epoch(suite).init_secret;
        let zero = Secret::zero(suite.kdf_nh());
        let without = JoinerSecret::derive(suite, &init, None, b"context").unwrap();
        let with = JoinerSecret::derive(suite, &init, Some(&zero), b"context").unwrap();
        assert_eq!(without, with);
    });
}

#[test]
fn pitfall_26_external_init_agrees_within_an_epoch_only() {
    each_suite(|suite| {
        let (epoch, other) = (random_epoch(suite), random_epoch(suite));
        let key_pair = epoch.external_secret.key_pair(suite).unwrap();
        let external_pub = HpkePublicKey::from(key_pair.public().to_vec());
        let (kem_output, sent) = InitSecret::send_external(suite, &external_pub).unwrap();
        assert_eq!(sent.as_secret().len(), suite.kdf_nh());
        let receive = |epoch: &EpochSecrets, kem_output: &[u8]| {
            InitSecret::receive_external(suite, &epoch.external_secret, kem_output)
        };
        assert_eq!(receive(&epoch, &kem_output).unwrap(), sent);
        // The label and the empty info are those of section 8.3.
        let label = b"MLS 1.0 external init secret";
        let by_hand = suite.receive_export(key_pair, &kem_output, &[], label, suite.kdf_nh());
        assert_eq!(by_hand.unwrap(), *sent.as_secret());
        assert_ne!(receive(&other, &kem_output).unwrap(), sent);

        let undecryptable = Err(Error::Peer(PeerError::Undecryptable));
        assert_eq!(receive(&epoch, &kem_output[1..]), undecryptable);
        assert_eq!(receive(&epoch, b""), undecryptable);
        let bad = HpkePublicKey::from(external_pub.as_slice()[1..].to_vec());
        let sent = InitSecret::send_external(suite, &bad);
        assert_eq!(sent.unwrap_err(), Error::Peer(PeerError::BadKey));
    });
}

#[test]
fn pitfall_38_macs_are_compared_with_their_length() {
    each_suite(|suite| {
        let epoch = random_epoch(suite);
        let tag = epoch.confirmation_key.confirmation_tag(suite, b"transcript");
        let confirm = |tag: &[u8]| epoch.confirmation_key.verify(suite, b"transcript", tag);
        check_tags(tag.as_slice(), &confirm);
        let other = epoch.confirmation_key.verify(suite, b"other", tag.as_slice());
        assert_eq!(other, Err(Error::Peer(PeerError::BadMac)));

        let tag = epoch.membership_key.membership_tag(suite, &[b"con", b"tent"]);
        let member = |tag: &[u8]| epoch.membership_key.verify(suite, &[b"content"], tag);
        check_tags(tag.as_slice(), &member);
    });
}

/// Only the whole tag passes: not a shorter one, not a longer one, not one with a bit changed.
fn check_tags(tag: &[u8], verify: &dyn Fn(&[u8]) -> burrow::Result<()>) {
    let bad = Err(Error::Peer(PeerError::BadMac));
    assert_eq!(verify(tag), Ok(()));
    for length in 0..tag.len() {
        assert_eq!(verify(&tag[..length]), bad);
    }
    assert_eq!(verify(&[tag, &[0]].concat()), bad);
    for at in 0..tag.len() {
        let mut changed = tag.to_vec();
        changed[at] ^= 0x80;
        assert_eq!(verify(&changed), bad);
    }
}

#[test]
fn a_welcome_opens_with_its_own_secret_only() {
    each_suite(|suite| {
        let psks = PskSecret::none(suite);
        let welcome_secret = || {
            let init = random_epoch(suite).init_secret;
            let joiner = JoinerSecret::derive(suite, &init, None, b"context").unwrap();
            joiner.welcome_secret(suite, &psks).unwrap()
        };
        let (ours, other) = (welcome_secret(), welcome_secret());
        let mut encrypted = ours.encrypt_group_info(suite, b"group info").unwrap();
        assert_eq!(ours.decrypt_group_info(suite, &encrypted).unwrap(), b"group info");
        let undecryptable = Err(Error::Peer(PeerError::Undecryptable));
        assert_eq!(other.decrypt_group_info(suite, &encrypted), undecryptable);
        encrypted[3] ^= 1;
        assert_eq!(ours.decrypt_group_info(suite, &encrypted), undecryptable);
        assert_eq!(ours.decrypt_group_info(suite, b""), undecryptable);
    });
}

#[test]
fn the_exporter_tells_labels_contexts_and_lengths_apart() {
    each_suite(|suite| {
        let epoch = random_epoch(suite);
        let export = |label: &[u8], context: &[u8], length| {
            epoch.exporter_secret.export(suite, label, context, length)
        };
        let secret = export(b"label", b"context", 32).unwrap();
        assert_eq!(secret.len(), 32);
        assert_ne!(secret, export(b"other", b"context", 32).unwrap());
        assert_ne!(secret, export(b"label", b"other", 32).unwrap());
        let longer = export(b"label", b"context", 33).unwrap();
        assert_ne!(secret.as_slice(), &longer.as_slice()[..32]);

        let most = 255 * suite.kdf_nh();
        assert_eq!(export(b"label", b"context", most).unwrap().len(), most);
        assert_eq!(export(b"label", b"", most + 1).unwrap_err().fault(), "caller");
    });
}

#[test]
fn secrets_are_silent() {
    each_suite(|suite| {
        let epoch = random_epoch(suite);
        epoch.external_secret.key_pair(suite).unwrap();
        let text = format!("{epoch:?}");
        for bytes in epoch.init_secret.as_secret().as_slice().windows(4) {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let list = format!("{bytes:?}");
            assert!(!text.contains(&hex) && !text.contains(list.trim_matches(['[', ']'])));
        }
    });
}
