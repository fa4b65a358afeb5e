//! Branches and reinitialised groups that are not what they should be (sections 11.2 and 11.3).

use crypto_api::CipherSuite;

use super::members::{Lab, NOW, package, welcome};
use crate::{
    Result,
    group::{Config, Group, Identity, JoinOptions, KeyPackageSecrets, Successor},
    types::{
        Extensions, KeyPackage, Lifetime, ProtocolVersion, ReInit, RequiredCapabilities,
        ResumptionPskUsage,
    },
};

/// A group and, for each member, an identity and a key package for what comes after it.
struct Old {
    lab: Lab,
    identities: Vec<Identity>,
    secrets: Vec<KeyPackageSecrets>,
}

impl Old {
    fn new(size: usize, suite: u16) -> Self {
        let lab = Lab::of(Config::default(), size, 1);
        let lifetime = Lifetime { not_before: NOW, not_after: NOW + 1000 };
        let leaves = lab.members[0].members();
        let identities: Vec<_> = leaves
            .map(|(_, leaf)| {
                let credential = leaf.credential.clone();
                let suite = CipherSuite(suite);
                lab.client.generate_identity(suite, credential, lifetime).unwrap()
            })
            .collect();
        let secrets = identities.iter();
        let secrets = secrets.map(|one| lab.client.generate_key_package(one).unwrap());
        let secrets = secrets.collect();
        Self { lab, identities, secrets }
    }

    fn packages(&self) -> Vec<KeyPackage> {
        self.secrets[1..].iter().map(package).collect()
    }

    /// A successor by member 0 that nobody has checked.
    fn start(
        &self,
        usage: ResumptionPskUsage,
        group_id: &[u8],
        extensions: Extensions,
        packages: Vec<KeyPackage>,
    ) -> Successor {
        let identity = &self.identities[0];
        let (old, id) = (&self.lab.members[0], group_id.to_vec());
        old.start(usage, identity, id, extensions, packages).unwrap()
    }

    /// Member 1 joins it.
    fn join(&self, message: Option<&Vec<u8>>, origin: Option<&Group>) -> Result<Group> {
        let options = JoinOptions { ratchet_tree: None, origin };
        let welcome = welcome(message.unwrap());
        self.lab.client.join_with(&welcome, &self.secrets[1], options)
    }

    #[track_caller]
    fn refuses(&self, successor: &Successor, rule: &str) {
        let message = successor.messages.welcome.as_ref();
        let error = self.join(message, Some(&self.lab.members[1])).unwrap_err();
        assert!(error.to_string().contains(rule), "{error}, not {rule}");
    }
}

fn required() -> Extensions {
    let mut extensions = Extensions::new();
    extensions.put(&RequiredCapabilities::default()).unwrap();
    extensions
}

#[test]
fn pitfall_28_reinit_is_as_proposed() {
    const USAGE: ResumptionPskUsage = ResumptionPskUsage::Reinit;
    let mut old = Old::new(4, 1);
    let early = old.start(USAGE, b"next", required(), old.packages());
    old.refuses(&early, "11.2: the old group was not reinitialised");
    let reinit = ReInit {
        group_id: b"next".to_vec(),
        version: ProtocolVersion::MLS10,
        cipher_suite: CipherSuite(1),
        extensions: required(),
    };
    old.lab.commit(2, &[], |b| b.reinit(reinit));
    // The PSK of the epoch before the ReInit.
    let message = early.messages.welcome.as_ref();
    assert!(old.join(message, Some(&old.lab.members[1])).is_err());
    let rule = "11.2: a group is not as its ReInit says";
    let other_id = old.start(USAGE, b"other", required(), old.packages());
    old.refuses(&other_id, rule);
    let other_extensions = old.start(USAGE, b"next", Extensions::new(), old.packages());
    old.refuses(&other_extensions, rule);
    let mut packages = old.packages();
    packages.pop();
    let one_missing = old.start(USAGE, b"next", required(), packages);
    old.refuses(&one_missing, "11: the members of a group don't match");
    let right = old.start(USAGE, b"next", required(), old.packages());
    let message = right.messages.welcome.as_ref();
    assert!(old.join(message, None).is_err());
    let joined = old.join(message, Some(&old.lab.members[1])).unwrap();
    assert_eq!(joined.epoch_authenticator(), right.group.epoch_authenticator());
}

#[test]
fn pitfall_28_reinit_with_another_suite() {
    let mut old = Old::new(3, 3);
    let reinit = ReInit {
        group_id: b"next".to_vec(),
        version: ProtocolVersion::MLS10,
        cipher_suite: CipherSuite(2),
        extensions: Extensions::new(),
    };
    old.lab.commit(2, &[], |b| b.reinit(reinit));
    let other = old.start(ResumptionPskUsage::Reinit, b"next", Extensions::new(), old.packages());
    old.refuses(&other, "11.2: a group is not as its ReInit says");
}

#[test]
fn branches() {
    const USAGE: ResumptionPskUsage = ResumptionPskUsage::Branch;
    let mut old = Old::new(4, 1);
    let stranger = old.lab.key_package();
    let mut packages = old.packages();
    packages.push(package(&stranger));
    let with_stranger = old.start(USAGE, b"branch", Extensions::new(), packages);
    old.refuses(&with_stranger, "11: the members of a group don't match");
    let mut subset = old.packages();
    subset.pop();
    let right = old.start(USAGE, b"branch", Extensions::new(), subset.clone());
    let message = right.messages.welcome.as_ref();
    assert!(old.join(message, Some(&old.lab.members[1])).is_ok());

    // A group that comes from nowhere, where one from here was expected.
    let client = &old.lab.client;
    let mut plain =
        client.create_group(&old.identities[0], b"plain".to_vec(), Extensions::new()).unwrap();
    let staged = plain.commit().add_member(subset.remove(0)).stage().unwrap();
    let joined = old.join(staged.messages.welcome.as_ref(), Some(&old.lab.members[1]));
    assert!(joined.unwrap_err().to_string().contains("11: a group that doesn't come from"));

    // Added later than with the first commit.
    let mut late = old.start(USAGE, b"late", Extensions::new(), subset);
    let builder = late.group.commit().successor_of(USAGE, &old.lab.members[0]);
    let staged = builder.add_member(package(&old.secrets[1])).stage().unwrap();
    let joined = old.join(staged.messages.welcome.as_ref(), Some(&old.lab.members[1]));
    assert!(joined.unwrap_err().to_string().contains("is not in epoch 1"));
}

#[test]
fn two_origins() {
    let old = Old::new(3, 1);
    let mut group = old
        .lab
        .client
        .create_group(&old.identities[0], b"twice".to_vec(), Extensions::new())
        .unwrap();
    let usage = ResumptionPskUsage::Branch;
    let origin = &old.lab.members[0];
    let builder = group.commit().successor_of(usage, origin).successor_of(usage, origin);
    let staged = builder.add_member(package(&old.secrets[1])).stage().unwrap();
    let joined = old.join(staged.messages.welcome.as_ref(), Some(&old.lab.members[1]));
    assert!(joined.unwrap_err().to_string().contains("12.4.3.1: more than one PSK"));
}
