//! Groups on the post-quantum cipher suites: on each library that has them, between libraries, and
//! with keys, ciphertexts and signatures of lengths that don't belong.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod members;

use std::sync::Arc;

use burrow::{
    CallerError, Error, PeerError,
    codec::{Decode, encode_opaque},
    crypto::{
        HpkePublicKey, Signature, decrypt_with_label, encrypt_with_label, sign_with_label,
        verify_with_label,
    },
    framing::MlsMessage,
    group::{Config, Group, HandshakeFormat, KeyPackageSecrets, Received},
    types::KeyPackage,
};
use crypto_api::{
    CipherSuite, CryptoBackend, HpkeCiphertext, PqSuite, PqSuites, SigningKey, Suite,
};
use crypto_aws_lc::AwsLc;
use crypto_libcrux::Libcrux;
use crypto_rustcrypto::RustCrypto;
use members::{Lab, Seeded, group_info, package, tree_of, welcome};

/// How many of the twelve suites need no curve of NIST's.
const WITHOUT_NIST: usize = 7;

/// The libraries, and how many of the suites each has.
fn libraries(suites: &PqSuites, seed: u64) -> [(Arc<dyn CryptoBackend>, usize); 3] {
    let random = || Arc::new(Seeded::new(seed));
    [
        (Arc::new(AwsLc::with_post_quantum(suites, random())), PqSuite::ALL.len()),
        (Arc::new(RustCrypto::with_post_quantum(suites, random())), PqSuite::ALL.len()),
        (Arc::new(Libcrux::with_post_quantum(suites, random())), WITHOUT_NIST),
    ]
}

/// Runs a test on every suite of every library.
fn on_all(test: impl Fn(&Arc<dyn CryptoBackend>, PqSuite, CipherSuite)) {
    let suites = PqSuites::default();
    for (backend, count) in libraries(&suites, 7) {
        let mut seen = 0;
        for (suite, code_point) in suites.iter() {
            if backend.suite(code_point).is_ok() {
                test(&backend, suite, code_point);
                seen += 1;
            }
        }
        assert_eq!(seen, count, "{}", backend.name());
    }
}

#[test]
fn everything_that_a_group_does() {
    on_all(|backend, suite, code_point| {
        for size in [2, 9] {
            for handshake_format in [HandshakeFormat::Public, HandshakeFormat::Private] {
                let config = Config { handshake_format, ..Config::default() };
                let mut lab = Lab::on(Arc::clone(backend), config, code_point, false);
                lab.create();
                lab.grow(size - 1);
                life(&mut lab);
                let sizes = lab.key_package().message().unwrap().len();
                println!("{} {}: KeyPackage {sizes}", backend.name(), suite.name());
            }
        }
    });
}

/// Whose tree has five levels, on the fastest library.
#[test]
fn groups_of_33() {
    let suites = PqSuites::default();
    let (backend, _) = &libraries(&suites, 9)[0];
    for (_, code_point) in suites.iter() {
        let mut lab = Lab::on(Arc::clone(backend), Config::default(), code_point, false);
        lab.create();
        lab.grow(32);
        for committer in [0, 7, 32] {
            lab.commit(committer, &[], |b| b);
            lab.talk(committer, b"hello");
        }
        let removed = lab.members[16].own_leaf();
        lab.commit(1, &[], |b| b.remove_member(removed));
        assert_eq!((lab.members.len(), lab.gone.len()), (32, 1));
    }
}

/// Sends, updates, adds, removes and external commits.
fn life(lab: &mut Lab) {
    for sender in 0..lab.members.len() {
        lab.talk(sender, b"hello");
    }
    for committer in 0..lab.members.len() {
        lab.commit(committer, &[], |b| b);
    }
    let update = lab.members[1].propose_update(None, b"").unwrap();
    lab.propose(1, &update.message);
    lab.commit(0, &[], |b| b);

    let new = [lab.key_package()];
    let removed = lab.members[1].own_leaf();
    lab.commit(0, &new, |b| b.remove_member(removed).add_member(package(&new[0])));
    assert_eq!(lab.gone.len(), 1);

    let identity = lab.identity();
    let info = group_info(&lab.members[0].group_info().unwrap());
    let joined = lab.client.join_externally(&identity, &info);
    let joined = joined.ratchet_tree(tree_of(&lab.members[0])).stage().unwrap();
    lab.accept_external(joined);
    let last = lab.members.len() - 1;
    lab.commit(last, &[], |b| b);
    lab.talk(last, b"from outside");

    let written = lab.members[last].write().unwrap();
    lab.members[last] = lab.client.restore(&written, &[]).unwrap();
    lab.commit(0, &[], |b| b);
    lab.talk(last, b"restored");
}

/// Each library with each other in one group, commits of both and an external one included.
#[test]
fn libraries_among_each_other() {
    let suites = PqSuites::default();
    let mut pairs = 0;
    for (one, _) in libraries(&suites, 1) {
        for (other, _) in libraries(&suites, 2) {
            for (suite, code_point) in suites.iter() {
                if one.suite(code_point).is_ok() && other.suite(code_point).is_ok() {
                    mixed([&one, &other], suite, code_point);
                    pairs += 1;
                }
            }
        }
    }
    assert_eq!(pairs, 2 * (2 * PqSuite::ALL.len()) + 5 * WITHOUT_NIST);
}

fn mixed(backends: [&Arc<dyn CryptoBackend>; 2], suite: PqSuite, code_point: CipherSuite) {
    let [mut ours, mut theirs] =
        backends.map(|b| Lab::on(Arc::clone(b), Config::default(), code_point, false));
    ours.create();
    let new = theirs.key_package();
    let what = || format!("{} and {}, {}", backends[0].name(), backends[1].name(), suite.name());
    let staged = ours.members[0].commit().add_member(published(&new)).stage();
    let staged = staged.unwrap_or_else(|why| panic!("{}: {why}", what()));
    let invitation = welcome(staged.messages.welcome.as_ref().unwrap());
    ours.members[0].merge(staged).unwrap();
    let joined = theirs.client.join(&invitation, &new);
    theirs.members.push(joined.unwrap_or_else(|why| panic!("{}: {why}", what())));
    for _ in 0..2 {
        deliver_commit(&mut ours.members[0], &mut theirs.members[0]);
        deliver_commit(&mut theirs.members[0], &mut ours.members[0]);
        deliver_message(&mut ours.members[0], &mut theirs.members[0]);
        deliver_message(&mut theirs.members[0], &mut ours.members[0]);
    }
    let identity = theirs.identity();
    let info = group_info(&ours.members[0].group_info().unwrap());
    let joined = theirs.client.join_externally(&identity, &info);
    let joined = joined.ratchet_tree(tree_of(&ours.members[0])).stage().unwrap();
    for member in [&mut ours.members[0], &mut theirs.members[0]] {
        members::receive_commit(member, &joined.message);
        let authenticator = joined.group.epoch_authenticator();
        assert_eq!(member.epoch_authenticator(), authenticator, "{}", what());
    }
}

/// A key package as it is received: one that is handed over has keys that its own library decoded.
fn published(secrets: &KeyPackageSecrets) -> KeyPackage {
    match MlsMessage::decode_exact(&secrets.message().unwrap()).unwrap() {
        MlsMessage::KeyPackage(key_package) => *key_package,
        other => panic!("{other:?}"),
    }
}

fn deliver_commit(from: &mut Group, to: &mut Group) {
    let staged = from.commit().stage().unwrap();
    members::receive_commit(to, &staged.messages.message);
    from.merge(staged).unwrap();
    assert_eq!(from.epoch_authenticator(), to.epoch_authenticator());
}

fn deliver_message(from: &mut Group, to: &mut Group) {
    let sent = from.send(b"hello", b"").unwrap();
    match to.receive(&sent.message).unwrap() {
        Received::Application(message) => assert_eq!(message.data, b"hello"),
        other => panic!("{other:?}"),
    }
}

/// A member that derives keys by the older rule can join, and can't follow a path: the reason why the
/// rule is a group's and not a member's.
#[test]
fn another_derivation_is_noticed() {
    let suite = PqSuite::MlKem768Aes256Sha384Ed25519;
    let number = suite.default_code_point();
    let ours = PqSuites::private_range();
    let theirs = PqSuites::openmls().with_code_point(suite, number).unwrap();
    let backend = |suites: &PqSuites, seed| -> Arc<dyn CryptoBackend> {
        Arc::new(RustCrypto::with_post_quantum(suites, Arc::new(Seeded::new(seed))))
    };
    let config = Config::default;
    let mut labelled = Lab::on(backend(&ours, 3), config(), number, false);
    let mut unlabelled = Lab::on(backend(&theirs, 4), config(), number, false);
    labelled.create();
    let new = unlabelled.key_package();
    let staged = labelled.members[0].commit().add_member(package(&new)).stage().unwrap();
    let invitation = welcome(staged.messages.welcome.as_ref().unwrap());
    labelled.members[0].merge(staged).unwrap();
    let mismatch = unlabelled.client.join(&invitation, &new);
    assert!(matches!(mismatch, Err(Error::Peer(_))), "{mismatch:?}");
}

/// Lengths from none at all to more than there should be, the right one left out.
fn wrong_lengths(right: usize) -> impl Iterator<Item = usize> {
    (0..=right + 64).filter(move |length| *length != right)
}

fn cut(bytes: &[u8], length: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(length).collect()
}

#[test]
fn wrong_lengths_are_the_peers_fault() {
    on_all(|backend, _, code_point| {
        let suite = backend.suite(code_point).unwrap();
        wrong_keys_and_ciphertexts(suite);
        wrong_signatures(suite);
    });
}

/// Key packages with nothing wrong but the length of a key, signatures included, as a founder gets them.
#[test]
fn key_packages_with_keys_of_wrong_lengths() {
    let suites = PqSuites::default();
    let (backend, _) = &libraries(&suites, 5)[0];
    for (_, code_point) in suites.iter() {
        let mut lab = Lab::on(Arc::clone(backend), Config::default(), code_point, false);
        lab.create();
        let suite = backend.suite(code_point).unwrap();
        let signer = suite.generate_signing_key().unwrap();
        let key = suite.generate_key_pair().unwrap();
        let key = key.public();
        assert!(add(&mut lab, suite, &signer, [key, suite.derive_key_pair(b"").unwrap().public()]));
        for length in wrong_lengths(key.len()) {
            let wrong = cut(key, length);
            assert!(!add(&mut lab, suite, &signer, [&wrong, key]), "init_key, {length}");
            assert!(!add(&mut lab, suite, &signer, [key, &wrong]), "encryption_key, {length}");
        }
    }
}

/// Whether a founder takes a key package with these keys for init_key and encryption_key. If not, it
/// says that it was given a bad key, and no more.
fn add(lab: &mut Lab, suite: &dyn Suite, signer: &SigningKey, keys: [&[u8]; 2]) -> bool {
    let message = key_package(suite, signer, keys);
    let MlsMessage::KeyPackage(received) = MlsMessage::decode_exact(&message).unwrap() else {
        panic!("no key package");
    };
    match lab.members[0].commit().add_member(*received).stage() {
        Ok(_) => true,
        Err(Error::Caller(CallerError::BadKey)) => false,
        Err(other) => panic!("{other:?}"),
    }
}

/// A key package by hand: the engine refuses to sign a key that isn't one.
fn key_package(suite: &dyn Suite, signer: &SigningKey, [init, leaf]: [&[u8]; 2]) -> Vec<u8> {
    let put = |bytes: &[u8], out: &mut Vec<u8>| encode_opaque(bytes, out).unwrap();
    let sign = |label: &[u8], content: &mut Vec<u8>, from: usize| {
        let signature = sign_with_label(suite, signer, label, &[&content[from..]]).unwrap();
        put(signature.as_slice(), content);
    };
    let number = suite.cipher_suite().0.to_be_bytes();
    let mut message = vec![0, 1, 0, 5]; // MLS 1.0, mls_key_package
    message.extend([0, 1]);
    message.extend(number);
    put(init, &mut message);
    let start = message.len();
    put(leaf, &mut message);
    put(signer.public(), &mut message);
    message.extend([0, 1]); // a basic credential
    put(b"new", &mut message);
    put(&[0, 1], &mut message); // versions
    put(&number, &mut message); // cipher suites
    message.extend([0, 0]); // neither extensions nor proposals
    put(&[0, 1], &mut message); // credentials
    message.push(1); // key_package, and its lifetime
    message.extend((members::NOW - 1).to_be_bytes());
    message.extend((members::NOW + 1).to_be_bytes());
    message.push(0); // no extensions
    sign(b"LeafNodeTBS", &mut message, start);
    message.push(0); // no extensions
    sign(b"KeyPackageTBS", &mut message, 4);
    message
}

fn wrong_keys_and_ciphertexts(suite: &dyn Suite) {
    let private = suite.derive_key_pair(b"a key").unwrap();
    let public = private.public();
    let seal = |public: &[u8]| {
        encrypt_with_label(suite, &HpkePublicKey::from(public), b"label", b"context", b"text")
    };
    let open =
        |sealed: &HpkeCiphertext| decrypt_with_label(suite, &private, b"label", b"context", sealed);
    for length in wrong_lengths(public.len()) {
        let refused = seal(&cut(public, length));
        assert!(matches!(refused, Err(Error::Peer(PeerError::BadKey))), "{length}: {refused:?}");
    }
    let good = seal(public).unwrap();
    for length in wrong_lengths(good.kem_output.len()) {
        let sealed = HpkeCiphertext { kem_output: cut(&good.kem_output, length), ..good.clone() };
        let refused = open(&sealed);
        assert!(matches!(refused, Err(Error::Peer(PeerError::Undecryptable))), "{length}");
    }
    for length in wrong_lengths(good.ciphertext.len()) {
        let sealed = HpkeCiphertext { ciphertext: cut(&good.ciphertext, length), ..good.clone() };
        let refused = open(&sealed);
        assert!(matches!(refused, Err(Error::Peer(PeerError::Undecryptable))), "{length}");
    }
    assert_eq!(open(&good).unwrap().as_slice(), b"text");
}

fn wrong_signatures(suite: &dyn Suite) {
    let signer = suite.generate_signing_key().unwrap();
    let verifying = suite.verifying_key(signer.public()).unwrap();
    let good = sign_with_label(suite, &signer, b"label", &[b"content"]).unwrap();
    let verify = |signature: &[u8]| {
        let signature = Signature::from(signature);
        verify_with_label(suite, &verifying, b"label", &[b"content"], &signature)
    };
    for length in wrong_lengths(good.as_slice().len()) {
        let refused = verify(&cut(good.as_slice(), length));
        assert!(matches!(refused, Err(Error::Peer(PeerError::BadSignature))), "{length}");
    }
    for length in wrong_lengths(signer.public().len()) {
        assert!(suite.verifying_key(&cut(signer.public(), length)).is_err(), "{length}");
    }
    verify(good.as_slice()).unwrap();
}
