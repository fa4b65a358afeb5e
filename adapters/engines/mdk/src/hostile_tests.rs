//! Damage inside the envelopes, which only a member, or an inviter, can do. Nothing may panic, a
//! refusal must change nothing, and the genuine bytes must be taken afterwards.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use engine_api::{
    AppBytes, CgkaEngine, Change, CommitBytes, EngineError, EpochAuthenticator, GroupId, Ingested,
    KeyPackageBytes, RejectReason, WelcomeBytes,
};
use nostr::{Event, EventBuilder, JsonUtil, Keys, Kind, Tag, TagKind, Timestamp, UnsignedEvent};
use openmls_traits::OpenMlsProvider;
use openmls_traits::crypto::OpenMlsCrypto;
use openmls_traits::random::OpenMlsRand;
use openmls_traits::types::AeadType;

use crate::client::{self, mdk_id};
use crate::events;

const OUTER: AeadType = AeadType::ChaCha20Poly1305;

type MdkClient = client::MdkClient;

fn pair() -> (MdkClient, MdkClient, GroupId) {
    let mut founder = MdkClient::new_client("").unwrap();
    let mut member = MdkClient::new_client("").unwrap();
    let key_package = member.publish_key_package().unwrap();
    let founded = founder.create_group(&[key_package]).unwrap();
    let welcome = founded.welcomes.for_invitee(0).unwrap();
    member.join_welcome(welcome).unwrap();
    (founder, member, founded.group)
}

fn authenticator(client: &MdkClient, group: &GroupId) -> EpochAuthenticator {
    client.epoch_authenticator(group).unwrap()
}

/// The same event with other content, by nobody in particular, as anybody can make it.
fn with_content(event: &Event, content: String, at: Timestamp) -> Vec<u8> {
    let forged = EventBuilder::new(event.kind, content)
        .tags(event.tags.clone())
        .custom_created_at(at)
        .sign_with_keys(&Keys::generate())
        .unwrap();
    events::to_json(&forged).unwrap()
}

/// A member's view of the envelope: opens it and closes it again around other bytes.
struct Envelope {
    member: MdkClient,
    key: Vec<u8>,
    event: Event,
    inside: Vec<u8>,
}

impl Envelope {
    fn open(member: &MdkClient, group: &GroupId, json: &[u8]) -> Self {
        let member = member.fork().unwrap();
        let event = events::signed(json).unwrap();
        let provider = &member.state.mdk.provider;
        let mls_group = member.state.mls_group(&mdk_id(group)).unwrap();
        let key = mls_group.export_secret(provider.crypto(), "marmot", b"group-event", 32);
        let key = key.unwrap();
        let content = BASE64.decode(&event.content).unwrap();
        let (nonce, sealed) = content.split_at(12);
        let inside = provider.crypto().aead_decrypt(OUTER, &key, sealed, nonce, b"");
        let inside = inside.unwrap();
        Self { member, key, event, inside }
    }

    fn around(&self, inside: &[u8], at: Timestamp) -> Vec<u8> {
        let provider = &self.member.state.mdk.provider;
        let nonce: [u8; 12] = provider.rand().random_array().unwrap();
        let sealed = provider.crypto().aead_encrypt(OUTER, &self.key, inside, &nonce, b"");
        let content = [nonce.as_slice(), &sealed.unwrap()].concat();
        with_content(&self.event, BASE64.encode(content), at)
    }
}

/// Every byte of `genuine` with a bit flipped, and every length cut to.
fn damaged(genuine: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let flips = (0..genuine.len()).map(|place| {
        let mut bytes = genuine.to_vec();
        bytes[place] ^= 1 << (place % 8);
        bytes
    });
    flips.chain((0..genuine.len()).map(|length| genuine[..length].to_vec()))
}

fn is_refused<T>(outcome: &Result<Ingested<T>, EngineError>) -> bool {
    matches!(outcome, Ok(Ingested::Rejected(_) | Ingested::Stale))
}

#[test]
fn damaged_ciphertext_of_a_message() {
    let (mut founder, mut member, group) = pair();
    let genuine = founder.send(&group, b"genuine").unwrap();
    let event = events::signed(genuine.as_slice()).unwrap();
    let before = authenticator(&member, &group);
    for content in damaged(&BASE64.decode(&event.content).unwrap()) {
        let forged = with_content(&event, BASE64.encode(content), event.created_at);
        match member.ingest_app(&group, &AppBytes::new(forged)).unwrap() {
            Ingested::Rejected(why) => assert_eq!(why.reason, RejectReason::Unauthenticated),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(authenticator(&member, &group), before);
    let read = member.ingest_app(&group, &genuine).unwrap().applied();
    assert_eq!(read.unwrap().payload, b"genuine");
}

#[test]
fn odd_events() {
    let (mut founder, mut member, group) = pair();
    let genuine = founder.send(&group, b"genuine").unwrap();
    let event = events::signed(genuine.as_slice()).unwrap();
    let h = event.tags.find(TagKind::h()).unwrap().clone();
    let short = Tag::custom(TagKind::h(), ["ab"]);
    let odd = |kind: u16, tags: &[&Tag], at: u64| {
        let odd = EventBuilder::new(Kind::from(kind), event.content.clone())
            .tags(tags.iter().map(|tag| (*tag).clone()))
            .custom_created_at(Timestamp::from(at))
            .sign_with_keys(&Keys::generate())
            .unwrap();
        AppBytes::new(odd.as_json().into_bytes())
    };
    let now = event.created_at.as_secs();
    for (odd, reason) in [
        (odd(444, &[&h], now), RejectReason::Malformed),
        (odd(445, &[], now), RejectReason::Malformed),
        (odd(445, &[&h, &short], now), RejectReason::Malformed),
        (odd(445, &[&short], now), RejectReason::Misdirected),
        (odd(445, &[&h], 0), RejectReason::Invalid),
        (odd(445, &[&h], u64::MAX), RejectReason::Invalid),
    ] {
        match member.ingest_app(&group, &odd).unwrap() {
            Ingested::Rejected(why) => assert_eq!(why.reason, reason, "{why}"),
            other => panic!("{other:?}"),
        }
        assert!(is_refused(&member.ingest_app(&group, &odd)));
    }
    let read = member.ingest_app(&group, &genuine).unwrap().applied();
    assert_eq!(read.unwrap().payload, b"genuine");
}

#[test]
fn damaged_mls_message() {
    let (mut founder, mut member, group) = pair();
    let genuine = founder.send(&group, b"genuine").unwrap();
    let envelope = Envelope::open(&member, &group, genuine.as_slice());
    let before = authenticator(&member, &group);
    for inside in damaged(&envelope.inside) {
        let forged = AppBytes::new(envelope.around(&inside, envelope.event.created_at));
        let outcome = member.ingest_app(&group, &forged);
        assert!(is_refused(&outcome), "{outcome:?}");
    }
    assert_eq!(authenticator(&member, &group), before);
    let read = member.ingest_app(&group, &genuine).unwrap().applied();
    assert_eq!(read.unwrap().payload, b"genuine");
}

#[test]
fn damaged_mls_commit() {
    let (mut founder, mut member, group) = pair();
    let mut newcomer = MdkClient::new_client("").unwrap();
    let key_package = newcomer.publish_key_package().unwrap();
    let add = Change::Add(std::slice::from_ref(&key_package));
    let genuine = founder.stage_commit(&group, &add).unwrap().commit().clone();
    let envelope = Envelope::open(&member, &group, genuine.as_slice());
    let before = authenticator(&member, &group);
    for inside in damaged(&envelope.inside) {
        let forged = CommitBytes::new(envelope.around(&inside, envelope.event.created_at));
        let outcome = member.ingest_commit(&group, &forged);
        assert!(is_refused(&outcome), "{outcome:?}");
        assert_eq!(authenticator(&member, &group), before);
    }
    let outcome = member.ingest_commit(&group, &genuine).unwrap();
    assert_eq!(outcome.name(), "applied");
}

/// Any member can do this to all others: MDK goes back an epoch before it looks at what for.
#[test]
fn a_bad_commit_of_an_earlier_epoch_rolls_mdk_back() {
    let (mut founder, mut member, group) = pair();
    let staged = founder.stage_commit(&group, &Change::Update).unwrap();
    let genuine = staged.commit().clone();
    let before = authenticator(&member, &group);
    let envelope = Envelope::open(&member, &group, genuine.as_slice());
    member.ingest_commit(&group, &genuine).unwrap();
    let mut inside = envelope.inside.clone();
    *inside.last_mut().unwrap() ^= 1;
    let earlier = envelope.event.created_at - 1_u64;
    let forged = CommitBytes::new(envelope.around(&inside, earlier));
    let outcome = member.ingest_commit(&group, &forged);
    assert!(matches!(outcome, Err(EngineError::Internal(_))), "{outcome:?}");
    assert_eq!(authenticator(&member, &group), before);
}

/// So can any invitee to those who got the same Welcome: its key package stays good for it, and
/// MDK replaces the group that it has.
#[test]
fn a_welcome_in_a_new_wrapper_takes_mdk_back() {
    let mut founder = MdkClient::new_client("").unwrap();
    let mut joiner = MdkClient::new_client("").unwrap();
    let key_package = joiner.publish_key_package().unwrap();
    let founded = founder.create_group(&[key_package]).unwrap();
    let genuine = founded.welcomes.for_invitee(0).unwrap();
    joiner.join_welcome(genuine).unwrap();
    let before = authenticator(&joiner, &founded.group);
    let staged = founder.stage_commit(&founded.group, &Change::Update);
    let commit = staged.unwrap().commit().clone();
    joiner.ingest_commit(&founded.group, &commit).unwrap();
    assert_ne!(authenticator(&joiner, &founded.group), before);
    let (_, mut rumor) = events::rumor(genuine.as_slice()).unwrap();
    rumor.created_at = rumor.created_at + 1_u64;
    rumor.id = None;
    rumor.ensure_id();
    let again = WelcomeBytes::new(rumor.as_json().into_bytes());
    assert_eq!(joiner.join_welcome(&again).unwrap(), founded.group);
    assert_eq!(authenticator(&joiner, &founded.group), before);
}

#[test]
fn damaged_mls_welcome() {
    let mut founder = MdkClient::new_client("").unwrap();
    let mut joiner = MdkClient::new_client("").unwrap();
    let key_package = joiner.publish_key_package().unwrap();
    let founded = founder.create_group(&[key_package]).unwrap();
    let genuine = founded.welcomes.for_invitee(0).unwrap();
    let (_, rumor) = events::rumor(genuine.as_slice()).unwrap();
    for inside in damaged(&BASE64.decode(&rumor.content).unwrap()) {
        let forged: UnsignedEvent = EventBuilder::new(rumor.kind, BASE64.encode(inside))
            .tags(rumor.tags.clone())
            .build(rumor.pubkey);
        let joined = joiner.join_welcome(&WelcomeBytes::new(forged.as_json().into_bytes()));
        assert!(matches!(joined, Err(EngineError::Peer(_))), "{joined:?}");
        assert!(joiner.epoch(&founded.group).is_err());
    }
    joiner.join_welcome(genuine).unwrap();
}

#[test]
fn damaged_mls_key_package() {
    let (mut founder, _, group) = pair();
    let mut newcomer = MdkClient::new_client("").unwrap();
    let genuine = newcomer.publish_key_package().unwrap();
    let event = events::signed(genuine.as_slice()).unwrap();
    let before = authenticator(&founder, &group);
    for inside in damaged(&BASE64.decode(&event.content).unwrap()) {
        let forged = EventBuilder::new(event.kind, BASE64.encode(inside))
            .tags(event.tags.clone())
            .sign_with_keys(&newcomer.keys)
            .unwrap();
        let forged = [KeyPackageBytes::new(forged.as_json().into_bytes())];
        let founded = founder.create_group(&forged);
        assert!(matches!(founded, Err(EngineError::Peer(_))), "{founded:?}");
        let staged = founder.stage_commit(&group, &Change::Add(&forged));
        assert!(matches!(staged, Err(EngineError::Peer(_))), "{staged:?}");
    }
    assert_eq!(authenticator(&founder, &group), before);
    let add = Change::Add(std::slice::from_ref(&genuine));
    assert!(founder.stage_commit(&group, &add).is_ok());
}
