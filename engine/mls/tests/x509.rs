//! X.509 credentials through a validator of the application's. The engine doesn't look into a
//! certificate, so that these are of a small format of their own, with real signatures: a chain goes
//! from the member's certificate over an intermediate one to an authority that the application trusts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod members;

use std::sync::Arc;

use burrow::{
    codec::{Decode, Encode},
    codec_struct,
    crypto::SignaturePublicKey,
    group::{Application, Client, Config, Group, Identity, KeyPackageSecrets},
    types::{
        Certificate, Credential, CredentialType, Extensions, ExternalSender, ExternalSenders,
        KeyPackage, LeafNode, Lifetime, Proposal,
    },
};
use crypto_api::{CipherSuite, CryptoBackend, SigningKey, Suite};
use crypto_rustcrypto::RustCrypto;
use members::{NOW, package, receive_commit, welcome};

const SUITE: CipherSuite = CipherSuite(1);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Contents {
    subject: Vec<u8>,
    public_key: Vec<u8>,
    issuer: Vec<u8>,
}
codec_struct!(Contents { subject, public_key, issuer });

struct Signed {
    contents: Vec<u8>,
    signature: Vec<u8>,
}
codec_struct!(Signed { contents, signature });

/// One who signs certificates.
struct Authority<'a> {
    suite: &'a dyn Suite,
    name: &'a [u8],
    key: SigningKey,
}

impl<'a> Authority<'a> {
    fn new(suite: &'a dyn Suite, name: &'a [u8]) -> Self {
        Self { suite, name, key: suite.generate_signing_key().unwrap() }
    }

    fn certify(&self, subject: &[u8], public_key: &[u8]) -> Certificate {
        let contents = Contents {
            subject: subject.to_vec(),
            public_key: public_key.to_vec(),
            issuer: self.name.to_vec(),
        };
        let contents = contents.to_bytes().unwrap();
        let signature = self.suite.sign(&self.key, &contents).unwrap();
        Certificate(Signed { contents, signature }.to_bytes().unwrap())
    }
}

/// An application that trusts one authority.
struct Validator {
    backend: RustCrypto,
    root: (Vec<u8>, Vec<u8>),
    /// Whether the engine is told which key a certificate is for, and compares by itself.
    tells_keys: bool,
    /// Whether it takes any credential there is.
    is_careless: bool,
}

impl Validator {
    /// The first certificate's contents, if the chain leads to the root.
    fn validate(&self, chain: &[Certificate]) -> Option<Contents> {
        let suite = self.backend.suite(SUITE).unwrap();
        let read = |certificate: &Certificate| {
            let signed = Signed::decode_exact(&certificate.0).ok()?;
            Some((Contents::decode_exact(&signed.contents).ok()?, signed))
        };
        let chain: Vec<_> = chain.iter().map(read).collect::<Option<_>>()?;
        for (at, (contents, signed)) in chain.iter().enumerate() {
            let issuer = match chain.get(at + 1) {
                Some((issuer, _)) => (&issuer.subject, &issuer.public_key),
                None => (&self.root.0, &self.root.1),
            };
            let key = suite.verifying_key(issuer.1).ok()?;
            let is_signed = suite.verify(&key, &signed.contents, &signed.signature).is_ok();
            if contents.issuer != *issuer.0 || !is_signed {
                return None;
            }
        }
        chain.into_iter().next().map(|(contents, _)| contents)
    }
}

impl Application for Validator {
    fn now(&self) -> Option<u64> {
        Some(NOW)
    }

    fn is_credential_valid(&self, credential: &Credential, key: &SignaturePublicKey) -> bool {
        let Credential::X509(chain) = credential else { return false };
        if self.is_careless {
            return true;
        }
        self.validate(chain).is_some_and(|own| self.tells_keys || own.public_key == key.as_slice())
    }

    fn certified_key(&self, chain: &[Certificate]) -> Option<SignaturePublicKey> {
        let own = self.validate(chain).filter(|_| self.tells_keys)?;
        Some(own.public_key.into())
    }

    /// A renewed certificate of the same name.
    fn may_replace(&self, old: &LeafNode, new: &LeafNode) -> bool {
        let subject = |leaf: &LeafNode| match &leaf.credential {
            Credential::X509(chain) => self.validate(chain).map(|own| own.subject),
            _ => None,
        };
        subject(old) == subject(new)
    }
}

/// Two clients' applications, and who signs their certificates.
struct World<'a> {
    client: Client,
    /// One who doesn't look at credentials.
    careless: Client,
    suite: &'a dyn Suite,
    intermediate: Authority<'a>,
    intermediate_certificate: Certificate,
}

impl<'a> World<'a> {
    fn new(suite: &'a dyn Suite, tells_keys: bool) -> Self {
        let root = Authority::new(suite, b"root");
        let intermediate = Authority::new(suite, b"intermediate");
        let client = |tells_keys, is_careless| {
            let validator = Validator {
                backend: RustCrypto::new(),
                root: (root.name.to_vec(), root.key.public().to_vec()),
                tells_keys,
                is_careless,
            };
            let backend: Arc<dyn CryptoBackend> = Arc::new(RustCrypto::new());
            Client::new(backend, Arc::new(validator), Config::default())
        };
        Self {
            client: client(tells_keys, false),
            careless: client(false, true),
            suite,
            intermediate_certificate: root.certify(b"intermediate", intermediate.key.public()),
            intermediate,
        }
    }

    /// An identity with the chain that `chain` makes for its key.
    fn identity(&self, chain: impl FnOnce(&[u8]) -> Vec<Certificate>) -> Identity {
        let lifetime = Lifetime { not_before: NOW - 10, not_after: NOW + 1000 };
        let credential = Credential::X509(Vec::new());
        let mut identity = self.client.generate_identity(SUITE, credential, lifetime).unwrap();
        identity.description.credential = Credential::X509(chain(identity.signer.public()));
        identity
    }

    fn certified(&self, name: &[u8]) -> Identity {
        self.identity(|key| {
            vec![self.intermediate.certify(name, key), self.intermediate_certificate.clone()]
        })
    }

    fn key_package(&self, identity: &Identity) -> KeyPackageSecrets {
        self.client.generate_key_package(identity).unwrap()
    }

    fn group(&self) -> Group {
        let identity = self.certified(b"alice");
        self.client.create_group(&identity, b"x509".to_vec(), Extensions::new()).unwrap()
    }
}

fn in_both_ways(check: impl Fn(World<'_>)) {
    let backend = RustCrypto::new();
    let suite = backend.suite(SUITE).unwrap();
    for tells_keys in [false, true] {
        check(World::new(suite, tells_keys));
    }
}

#[test]
fn chains_that_lead_to_the_root_are_accepted() {
    in_both_ways(|world| {
        let mut alice = world.group();
        let bobs = world.key_package(&world.certified(b"bob"));
        let staged = alice.commit().add_member(package(&bobs)).stage().unwrap();
        let message = staged.messages.welcome.clone().unwrap();
        alice.merge(staged).unwrap();
        let mut bob = world.client.join(&welcome(&message), &bobs).unwrap();
        let leaf = bob.tree().leaf(bob.own_leaf()).unwrap();
        assert_eq!(leaf.credential.credential_type(), CredentialType::X509);
        // The chain comes through as it was.
        assert_eq!(leaf.credential, package(&bobs).leaf_node.credential);
        // A renewed certificate with another key, in a commit and in an Update.
        let staged = bob.commit().identity(world.certified(b"bob")).stage().unwrap();
        receive_commit(&mut alice, &staged.messages.message);
        bob.merge(staged).unwrap();
        let update = bob.propose_update(Some(&world.certified(b"bob")), b"").unwrap();
        assert!(alice.receive(&update.message).is_ok());
        let staged = alice.commit().stage().unwrap();
        receive_commit(&mut bob, &staged.messages.message);
        alice.merge(staged).unwrap();
        assert_eq!(alice.epoch_authenticator(), bob.epoch_authenticator());
    });
}

/// A group refuses to add this one, by this rule.
#[track_caller]
fn refused(group: &mut Group, key_package: KeyPackage, rule: &str) {
    let error = group.commit().add_member(key_package).stage().unwrap_err();
    assert!(error.to_string().contains(rule), "{error}, not {rule}");
}

#[test]
fn other_chains_are_refused() {
    in_both_ways(|world| {
        let mut alice = world.group();
        let stranger = Authority::new(world.suite, b"root");
        let impostor = Authority::new(world.suite, b"intermediate");
        let chains: [(Identity, &str); 4] = [
            (
                world.identity(|key| vec![stranger.certify(b"bob", key)]),
                "5.3.1: a credential is not valid",
            ),
            // Without its intermediate certificate.
            (
                world.identity(|key| vec![world.intermediate.certify(b"bob", key)]),
                "5.3.1: a credential is not valid",
            ),
            (
                world.identity(|key| {
                    let own = impostor.certify(b"bob", key);
                    vec![own, world.intermediate_certificate.clone()]
                }),
                "5.3.1: a credential is not valid",
            ),
            (world.identity(|_| Vec::new()), "5.3: an X.509 credential without a certificate"),
        ];
        for (identity, rule) in &chains {
            refused(&mut alice, package(&world.key_package(identity)), rule);
        }
        let mut bob = world.certified(b"bob");
        bob.description.credential = Credential::Basic(b"bob".to_vec());
        bob.description.capabilities.credentials.push(CredentialType::BASIC);
        let basic = package(&world.key_package(&bob));
        refused(&mut alice, basic, "5.3.1: a credential is not valid");
        // Nobody makes a group with such a credential, either.
        let (identity, _) = &chains[0];
        let created = world.client.create_group(identity, b"x509".to_vec(), Extensions::new());
        assert_eq!(created.unwrap_err().fault(), "caller");
    });
}

/// A good chain that is somebody else's, or one's own for another key.
#[test]
fn a_certificate_is_for_the_leafs_key() {
    in_both_ways(|world| {
        let mut alice = world.group();
        let bob = world.certified(b"bob");
        let mut mallory = world.certified(b"mallory");
        mallory.description.credential = bob.description.credential.clone();
        let told = alice.client().clone();
        let stolen = package(&told.generate_key_package(&mallory).unwrap());
        let error = alice.commit().add_member(stolen).stage().unwrap_err().to_string();
        let rules =
            ["5.3.1: a credential is not valid", "5.3: a certificate is for another signature key"];
        assert!(rules.iter().any(|rule| error.contains(rule)), "{error}");
        // The engine compares if it is told the key, and the application if it isn't.
        let error_of = |tells_keys| {
            let world = World::new(world.suite, tells_keys);
            let mut group = world.group();
            let mut thief = world.certified(b"mallory");
            thief.description.credential = world.certified(b"bob").description.credential;
            let stolen = package(&world.key_package(&thief));
            group.commit().add_member(stolen).stage().unwrap_err().to_string()
        };
        assert!(error_of(false).contains(rules[0]));
        assert!(error_of(true).contains(rules[1]));
        // Nor does a member change to a leaf with a certificate for another key.
        let mut changed = world.certified(b"alice");
        changed.signer = world.certified(b"alice").signer;
        assert_eq!(alice.commit().identity(changed).stage().unwrap_err().fault(), "caller");
    });
}

/// What a careless member lets in, a member who looks doesn't: by a commit, by joining, as an external
/// sender's credential.
#[test]
fn receivers_and_joiners_look_by_themselves() {
    in_both_ways(|world| {
        let alice = world.certified(b"alice");
        let mut careless =
            world.careless.create_group(&alice, b"x509".to_vec(), Extensions::new()).unwrap();
        let bobs = world.key_package(&world.certified(b"bob"));
        let staged = careless.commit().add_member(package(&bobs)).stage().unwrap();
        let message = staged.messages.welcome.clone().unwrap();
        careless.merge(staged).unwrap();
        let mut bob = world.client.join(&welcome(&message), &bobs).unwrap();

        let stranger = Authority::new(world.suite, b"root");
        let mallory = world.identity(|key| vec![stranger.certify(b"mallory", key)]);
        let mallorys = world.key_package(&mallory);
        let rule = "5.3.1: a credential is not valid";
        let before = bob.write().unwrap();
        let proposal = Proposal::Add(Box::new(package(&mallorys)));
        let proposed = careless.propose(proposal, b"").unwrap().message;
        let senders = ExternalSenders(vec![ExternalSender {
            signature_key: mallory.signer.public().to_vec().into(),
            credential: mallory.description.credential.clone(),
        }]);
        let mut extensions = Extensions::new();
        extensions.put(&senders).unwrap();
        let only = Vec::new();
        let with_sender =
            careless.commit().only(only).group_context_extensions(extensions).stage().unwrap();
        let staged = careless.commit().stage().unwrap();
        let committed = [&proposed, &staged.messages.message, &with_sender.messages.message];
        let rules = [rule, "not known", "5.3.1: the credential of an external sender is not valid"];
        for (message, rule) in committed.into_iter().zip(rules) {
            let error = bob.receive(message).unwrap_err();
            assert_eq!(error.fault(), "peer");
            assert!(error.to_string().contains(rule), "{error}, not {rule}");
            assert_eq!(*bob.write().unwrap(), *before);
        }
        careless.merge(staged).unwrap();
        let carols = world.key_package(&world.certified(b"carol"));
        let staged = careless.commit().add_member(package(&carols)).stage().unwrap();
        let message = staged.messages.welcome.clone().unwrap();
        let error = world.client.join(&welcome(&message), &carols).unwrap_err();
        assert!(error.to_string().contains(rule), "{error}, not {rule}");
        assert!(world.careless.join(&welcome(&message), &carols).is_ok());
    });
}
