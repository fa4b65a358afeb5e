//! Encrypted media (MIP-04), with mdk-core 0.8.0 as the judge.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "people/peer.rs"]
mod peer;
mod people;

use burrow_marmot::{CallerError, Error, Media, PeerError, group::Group};
use mdk_core::prelude::GroupId;
use peer::{Peer, assert_same};
use people::{Person, committed, deliver, present};

const FILE: &[u8] = b"a file that is nothing in particular \x00\xff";
const NAME: &str = "what \u{1f980} it is.mp4";

fn two() -> (Person, Group, Peer, GroupId) {
    let founder = Peer::new();
    let mut person = Person::new(&present());
    let (id, welcomes) = founder.create(&[person.publish()]);
    let group = person.join(&welcomes[0]).unwrap();
    assert_same(&founder, &id, &group);
    (person, group, founder, id)
}

/// What MDK encrypts burrow decrypts, in that epoch and five later; and the other way round.
#[test]
fn files_go_both_ways() {
    let (_, mut group, peer, id) = two();
    let manager = peer.mdk.media_manager(id.clone());
    let upload = manager.encrypt_for_upload(FILE, "Video/MP4; codecs=any", NAME).unwrap();
    let tag = manager.create_imeta_tag(&upload, "https://example.com/1").to_vec();
    let media = Media::from_tag(&tag).unwrap();
    assert_eq!(
        (media.url.as_str(), media.mime_type.as_str()),
        ("https://example.com/1", "video/mp4")
    );
    assert_eq!(media.tag(), tag);
    assert_eq!(group.decrypt_media(&media, &upload.encrypted_data).unwrap(), FILE);

    let (mut ours, encrypted) = group.encrypt_media(FILE, " VIDEO/mp4;x=y", NAME).unwrap();
    ours.url = "https://example.com/2".into();
    let reference = manager.parse_imeta_tag(&nostr::Tag::parse(ours.tag()).unwrap()).unwrap();
    assert_eq!(manager.decrypt_from_download(&encrypted, &reference).unwrap(), FILE);

    for late in 1..=6 {
        let update = group.self_update().unwrap();
        group.merge_pending().unwrap();
        peer.follow(&update.event);
        let read = group.decrypt_media(&media, &upload.encrypted_data);
        assert_eq!(read.is_ok(), late <= 5, "{late} epochs late");
    }
}

/// Nothing opens that isn't what the tag says, and nobody who joined later opens it.
#[test]
fn only_what_the_tag_says() {
    let (founder, mut group, _, _) = two();
    let (media, encrypted) = group.encrypt_media(FILE, "video/mp4", NAME).unwrap();
    let refused = |media: &Media, encrypted: &[u8]| {
        let read = group.decrypt_media(media, encrypted);
        assert!(matches!(read, Err(Error::Peer(PeerError::Media(_)))), "{read:?}");
    };
    refused(&Media { mime_type: "video/mp5".into(), ..media.clone() }, &encrypted);
    refused(&Media { filename: "another".into(), ..media.clone() }, &encrypted);
    refused(&Media { hash: [0; 32], ..media.clone() }, &encrypted);
    refused(&Media { nonce: [0; 12], ..media.clone() }, &encrypted);
    for place in [0, FILE.len(), encrypted.len() - 1] {
        let mut damaged = encrypted.clone();
        damaged[place] ^= 1;
        refused(&media, &damaged);
    }
    refused(&media, b"");
    let (again, other) = group.encrypt_media(FILE, "video/mp4", NAME).unwrap();
    assert!(again.nonce != media.nonce && other != encrypted);
    drop(founder);
    let update = group.self_update().unwrap();
    group.merge_pending().unwrap();
    drop(update);
    assert_eq!(group.decrypt_media(&media, &encrypted).unwrap(), FILE);
}

/// A member that joins after the file was sent has no key for it.
#[test]
fn a_latecomer_has_no_key() {
    let (_, mut group, peer, id) = two();
    let (media, encrypted) = group.encrypt_media(FILE, "video/mp4", NAME).unwrap();
    let mut late = Person::new(&present());
    let event = nostr::JsonUtil::from_json(late.publish()).unwrap();
    let add = peer.mdk.add_members(&id, &[event]).unwrap();
    peer.mdk.merge_pending_commit(&id).unwrap();
    let commit = nostr::JsonUtil::as_json(&add.evolution_event);
    committed(deliver(&mut group, &peer::event(&late, commit.as_bytes())));
    let joined = late.join(&peer::json_of(add.welcome_rumors.unwrap())[0]).unwrap();
    assert!(joined.decrypt_media(&media, &encrypted).is_err());
    let (media, encrypted) = group.encrypt_media(FILE, "video/mp4", NAME).unwrap();
    assert_eq!(joined.decrypt_media(&media, &encrypted).unwrap(), FILE);
}

#[test]
fn tags_are_read_strictly() {
    let (_, group, _, _) = two();
    let (media, _) = group.encrypt_media(FILE, "video/mp4", "name").unwrap();
    let media = Media { url: "https://example.com/1".into(), ..media };
    let tag = media.tag();
    assert_eq!(Media::from_tag(&tag).unwrap(), media);
    let mut with_more = tag.clone();
    with_more.extend(["dim 3x4".to_owned(), "blurhash abc".to_owned(), "odd".to_owned()]);
    assert_eq!(Media::from_tag(&with_more).unwrap(), media);
    for place in 0..tag.len() {
        let mut less = tag.clone();
        less.remove(place);
        assert!(Media::from_tag(&less).is_err(), "without {place}");
        if place > 0 {
            let mut twice = tag.clone();
            twice.push(tag[place].clone());
            assert!(Media::from_tag(&twice).is_err(), "{place} twice");
        }
    }
    for (from, to) in [
        ("v mip04-v2", "v mip04-v1"),
        ("m video/mp4", "m video"),
        ("filename name", "filename a/b"),
        ("filename name", "filename "),
    ] {
        let changed: Vec<String> =
            tag.iter().map(|field| if field == from { to.into() } else { field.clone() }).collect();
        assert_ne!(changed, tag);
        assert!(Media::from_tag(&changed).is_err(), "{to}");
    }
    let bad = group.encrypt_media(FILE, "video", "name");
    assert!(matches!(bad, Err(Error::Caller(CallerError::Invalid(_)))));
    assert!(group.encrypt_media(FILE, "video/mp4", "a/b").is_err());
}
