//! A group whose members are burrow's and another engine's.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    sync::{Arc, atomic::Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use burrow::{
    codec::Decode,
    framing::MlsMessage,
    group::{Config, HandshakeFormat, Received},
    types::LeafIndex,
};
use crypto_api::{CipherSuite, CryptoBackend};

use crate::members::{Lab, group_info, receive_commit, welcome};

/// What makes clients of the other engine.
pub(crate) trait Others {
    type Peer: Peer;

    /// A new client that is in no group.
    fn client(&self, name: &str, format: HandshakeFormat) -> Self::Peer;
}

/// A client of the other engine, and its group.
pub(crate) trait Peer {
    fn key_package(&self) -> Vec<u8>;
    fn create(&mut self);
    fn join(&mut self, message: &[u8]);
    /// Joins from outside; the commit.
    fn join_externally(&mut self, message: &[u8]) -> Vec<u8>;
    /// The commit, not merged, and the Welcome.
    fn add(&mut self, key_package: &[u8]) -> [Vec<u8>; 2];
    /// The commit, not merged.
    fn update(&mut self) -> Vec<u8>;
    fn merge(&mut self);
    fn send(&mut self, data: &[u8]) -> Vec<u8>;
    /// Application data, or nothing for a commit, which is merged.
    fn receive(&mut self, message: &[u8]) -> Option<Vec<u8>>;
    fn group_info(&self) -> Vec<u8>;
    fn epoch_authenticator(&self) -> &[u8];
    fn own_leaf(&self) -> u32;
}

/// A group of members of both.
pub(crate) struct Mixed<O: Others> {
    others: O,
    format: HandshakeFormat,
    pub(crate) ours: Lab,
    pub(crate) theirs: Vec<O::Peer>,
    compared: usize,
}

impl<O: Others> Mixed<O> {
    pub(crate) fn new(
        backend: &Arc<dyn CryptoBackend>,
        suite: CipherSuite,
        format: HandshakeFormat,
        others: O,
    ) -> Self {
        let config = Config { handshake_format: format, ..Config::default() };
        let ours = Lab::on(Arc::clone(backend), config, suite, false);
        // The other engine has a clock of its own.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        ours.app.now.store(now, Ordering::Relaxed);
        Self { others, format, ours, theirs: Vec::new(), compared: 0 }
    }

    fn peer(&self) -> O::Peer {
        self.others.client(&format!("peer {}", self.theirs.len()), self.format)
    }

    /// One of ours founds the group and adds one of theirs.
    pub(crate) fn we_found(&mut self) {
        self.ours.create();
        self.we_add_one_of_them();
    }

    /// One of theirs founds the group and adds one of ours.
    pub(crate) fn they_found(&mut self) {
        let mut founder = self.peer();
        founder.create();
        self.theirs.push(founder);
        self.they_add_one_of_us();
    }

    /// A commit, received by all but its author: one of ours, one of theirs, or somebody new.
    fn deliver(&mut self, commit: &[u8], our: Option<usize>, their: Option<usize>) {
        for (index, member) in self.ours.members.iter_mut().enumerate() {
            if our != Some(index) {
                receive_commit(member, commit);
            }
        }
        for (index, member) in self.theirs.iter_mut().enumerate() {
            if their != Some(index) {
                assert_eq!(member.receive(commit), None);
            }
        }
    }

    fn our_commit(&mut self, member: usize) {
        let staged = self.ours.members[member].commit().stage().unwrap();
        let commit = staged.messages.message.clone();
        self.ours.members[member].merge(staged).unwrap();
        self.deliver(&commit, Some(member), None);
        self.compare();
    }

    fn their_commit(&mut self, member: usize) {
        let commit = self.theirs[member].update();
        self.deliver(&commit, None, Some(member));
        self.theirs[member].merge();
        self.compare();
    }

    /// One of ours adds one of theirs.
    fn we_add_one_of_them(&mut self) {
        let mut peer = self.peer();
        let MlsMessage::KeyPackage(new) = MlsMessage::decode_exact(&peer.key_package()).unwrap()
        else {
            panic!("no key package");
        };
        let staged = self.ours.members[0].commit().add_member(*new).stage().unwrap();
        let messages = staged.messages.clone();
        self.ours.members[0].merge(staged).unwrap();
        self.deliver(&messages.message, Some(0), None);
        peer.join(messages.welcome.as_ref().unwrap());
        self.theirs.push(peer);
        self.compare();
    }

    /// One of theirs adds one of ours.
    fn they_add_one_of_us(&mut self) {
        let new = self.ours.key_package();
        let [commit, invitation] = self.theirs[0].add(&new.message().unwrap());
        self.deliver(&commit, None, Some(0));
        self.theirs[0].merge();
        let joined = self.ours.client.join(&welcome(&invitation), &new).unwrap();
        self.ours.members.push(joined);
        self.compare();
    }

    fn we_join_from_outside(&mut self) {
        let info = group_info(&self.theirs[0].group_info());
        let identity = self.ours.identity();
        let joined = self.ours.client.join_externally(&identity, &info).stage().unwrap();
        self.deliver(&joined.message, None, None);
        self.ours.members.push(joined.group);
        self.compare();
    }

    fn they_join_from_outside(&mut self) {
        let mut peer = self.peer();
        let commit = peer.join_externally(&self.ours.members[0].group_info().unwrap());
        self.deliver(&commit, None, None);
        self.theirs.push(peer);
        self.compare();
    }

    fn remove_a_peer(&mut self) {
        let gone = self.theirs.pop().unwrap();
        let leaf = LeafIndex(gone.own_leaf());
        let staged = self.ours.members[0].commit().remove_member(leaf).stage().unwrap();
        let commit = staged.messages.message.clone();
        self.ours.members[0].merge(staged).unwrap();
        self.deliver(&commit, Some(0), None);
        self.compare();
    }

    /// All have the same epoch authenticator, and read what each sends.
    fn compare(&mut self) {
        let authenticator = self.ours.members.first().map(|member| member.epoch_authenticator());
        let authenticator = authenticator.unwrap().as_secret().as_slice().to_vec();
        for member in &self.ours.members {
            assert_eq!(member.epoch_authenticator().as_secret().as_slice(), authenticator);
        }
        for member in &self.theirs {
            assert_eq!(member.epoch_authenticator(), authenticator);
        }
        let sent = self.ours.members[0].send(b"from burrow", b"").unwrap().message;
        for member in &mut self.theirs {
            assert_eq!(member.receive(&sent).as_deref(), Some(&b"from burrow"[..]));
        }
        if let Some(sender) = self.theirs.first_mut() {
            let sent = sender.send(b"from the others");
            for member in &mut self.ours.members {
                match member.receive(&sent).unwrap() {
                    Received::Application(message) => assert_eq!(message.data, b"from the others"),
                    other => panic!("{other:?}"),
                }
            }
        }
        self.compared += 1;
    }

    /// Commits of both, with paths, and members of both who come and go.
    pub(crate) fn live_together(mut self) {
        for round in 0..3 {
            for member in 0..self.ours.members.len() {
                self.our_commit(member);
            }
            for member in 0..self.theirs.len() {
                self.their_commit(member);
            }
            match round {
                0 => {
                    self.we_add_one_of_them();
                    self.they_add_one_of_us();
                }
                1 => {
                    self.we_join_from_outside();
                    self.they_join_from_outside();
                }
                _ => self.remove_a_peer(),
            }
        }
        assert!(self.compared > 15);
    }
}

/// The clients of one version of OpenMLS, whose calls are the same in all that are tested.
macro_rules! openmls_peer {
    ($openmls:ident, $traits:ident, $provider:ty, $signer:ty) => {
        use $openmls::{
            prelude::{
                BasicCredential, Capabilities, CredentialWithKey, KeyPackage,
                MIXED_CIPHERTEXT_WIRE_FORMAT_POLICY, MIXED_PLAINTEXT_WIRE_FORMAT_POLICY, MlsGroup,
                MlsGroupCreateConfig, MlsGroupJoinConfig, MlsMessageBodyIn, MlsMessageIn,
                MlsMessageOut, ProcessedMessageContent, ProtocolVersion, StagedWelcome,
                WireFormatPolicy, tls_codec::Deserialize as _,
            },
            treesync::LeafNodeParameters,
        };
        use $traits::{OpenMlsProvider as _, types::Ciphersuite};

        /// A client of OpenMLS.
        pub(crate) struct OpenMls {
            suite: Ciphersuite,
            provider: $provider,
            signer: $signer,
            credential: CredentialWithKey,
            policy: WireFormatPolicy,
            group: Option<MlsGroup>,
        }

        impl OpenMls {
            pub(crate) fn new(
                name: &str,
                suite: CipherSuite,
                format: HandshakeFormat,
                provider: $provider,
                (signer, public): ($signer, Vec<u8>),
            ) -> Self {
                let credential = CredentialWithKey {
                    credential: BasicCredential::new(name.as_bytes().to_vec()).into(),
                    signature_key: public.into(),
                };
                let policy = match format {
                    HandshakeFormat::Public => MIXED_PLAINTEXT_WIRE_FORMAT_POLICY,
                    HandshakeFormat::Private => MIXED_CIPHERTEXT_WIRE_FORMAT_POLICY,
                };
                let suite = Ciphersuite::try_from(suite.0).unwrap();
                Self { suite, provider, signer, credential, policy, group: None }
            }

            /// With the suite, which not every version lists by itself.
            fn capabilities(&self) -> Capabilities {
                Capabilities::new(None, Some(&[self.suite]), None, None, None)
            }

            fn join_config(&self) -> MlsGroupJoinConfig {
                MlsGroupJoinConfig::builder()
                    .wire_format_policy(self.policy)
                    .use_ratchet_tree_extension(true)
                    .build()
            }
        }

        impl Peer for OpenMls {
            fn key_package(&self) -> Vec<u8> {
                let built = KeyPackage::builder()
                    .leaf_node_capabilities(self.capabilities())
                    .build(self.suite, &self.provider, &self.signer, self.credential.clone());
                MlsMessageOut::from(built.unwrap().key_package().clone()).to_bytes().unwrap()
            }

            fn create(&mut self) {
                let config = MlsGroupCreateConfig::builder()
                    .ciphersuite(self.suite)
                    .wire_format_policy(self.policy)
                    .use_ratchet_tree_extension(true)
                    .capabilities(self.capabilities())
                    .build();
                let group =
                    MlsGroup::new(&self.provider, &self.signer, &config, self.credential.clone());
                self.group = Some(group.unwrap());
            }

            fn join(&mut self, message: &[u8]) {
                let MlsMessageBodyIn::Welcome(welcome) = body(message) else {
                    panic!("no Welcome")
                };
                let config = self.join_config();
                let staged =
                    StagedWelcome::new_from_welcome(&self.provider, &config, welcome, None);
                self.group = Some(staged.unwrap().into_group(&self.provider).unwrap());
            }

            fn join_externally(&mut self, message: &[u8]) -> Vec<u8> {
                let MlsMessageBodyIn::GroupInfo(info) = body(message) else {
                    panic!("no GroupInfo")
                };
                let (provider, signer) = (&self.provider, &self.signer);
                let (group, bundle) = MlsGroup::external_commit_builder()
                    .with_config(self.join_config())
                    .build_group(provider, info, self.credential.clone())
                    .unwrap()
                    .leaf_node_parameters(
                        LeafNodeParameters::builder()
                            .with_capabilities(self.capabilities())
                            .build(),
                    )
                    .load_psks(provider.storage())
                    .unwrap()
                    .build(provider.rand(), provider.crypto(), signer, |_| true)
                    .unwrap()
                    .finalize(provider)
                    .unwrap();
                self.group = Some(group);
                bundle.into_commit().to_bytes().unwrap()
            }

            fn add(&mut self, key_package: &[u8]) -> [Vec<u8>; 2] {
                let MlsMessageBodyIn::KeyPackage(key_package) = body(key_package) else {
                    panic!("no key package");
                };
                let version = ProtocolVersion::Mls10;
                let key_package = key_package.validate(self.provider.crypto(), version).unwrap();
                let group = self.group.as_mut().unwrap();
                let (commit, welcome, _) =
                    group.add_members(&self.provider, &self.signer, &[key_package]).unwrap();
                [commit, welcome].map(|message| message.to_bytes().unwrap())
            }

            fn update(&mut self) -> Vec<u8> {
                let parameters = LeafNodeParameters::default();
                let group = self.group.as_mut().unwrap();
                let bundle = group.self_update(&self.provider, &self.signer, parameters).unwrap();
                bundle.into_commit().to_bytes().unwrap()
            }

            fn merge(&mut self) {
                self.group.as_mut().unwrap().merge_pending_commit(&self.provider).unwrap();
            }

            fn send(&mut self, data: &[u8]) -> Vec<u8> {
                let group = self.group.as_mut().unwrap();
                group
                    .create_message(&self.provider, &self.signer, data)
                    .unwrap()
                    .to_bytes()
                    .unwrap()
            }

            fn receive(&mut self, message: &[u8]) -> Option<Vec<u8>> {
                let message = MlsMessageIn::tls_deserialize_exact(message).unwrap();
                let message = message.try_into_protocol_message().unwrap();
                let group = self.group.as_mut().unwrap();
                match group.process_message(&self.provider, message).unwrap().into_content() {
                    ProcessedMessageContent::StagedCommitMessage(staged) => {
                        group.merge_staged_commit(&self.provider, *staged).unwrap();
                        None
                    }
                    ProcessedMessageContent::ApplicationMessage(message) => {
                        Some(message.into_bytes())
                    }
                    _ => panic!("neither a commit nor application data"),
                }
            }

            fn group_info(&self) -> Vec<u8> {
                let group = self.group.as_ref().unwrap();
                let info = group.export_group_info(self.provider.crypto(), &self.signer, true);
                info.unwrap().to_bytes().unwrap()
            }

            fn epoch_authenticator(&self) -> &[u8] {
                self.group.as_ref().unwrap().epoch_authenticator().as_slice()
            }

            fn own_leaf(&self) -> u32 {
                self.group.as_ref().unwrap().own_leaf_index().u32()
            }
        }

        fn body(message: &[u8]) -> MlsMessageBodyIn {
            MlsMessageIn::tls_deserialize_exact(message).unwrap().extract()
        }
    };
}

pub(crate) use openmls_peer;
