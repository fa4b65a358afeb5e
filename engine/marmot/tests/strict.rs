//! What is written has one form, and what has another is refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod people;

use burrow::codec::{Decode, DecodeError, Encode};
use burrow_marmot::{
    Error, GroupData, KEY_PACKAGE_KIND, LEGACY_KEY_PACKAGE_KIND, PeerError, PublicKey,
    event::{Event, Rumor, Tag},
    is_relay,
};
use people::{Person, RELAY, Time, group_of};

const START: u64 = 1_800_000_000;

fn group_data() -> GroupData {
    GroupData {
        version: 2,
        nostr_group_id: [0x42; 32],
        name: "bench".into(),
        description: String::new(),
        admins: [PublicKey([2; 32]), PublicKey([1; 32])].into(),
        relays: ["wss://relay.example.com".to_owned()].into(),
        image_hash: None,
        image_key: None,
        image_nonce: None,
        image_upload_key: None,
    }
}

/// Field by field, as MIP-01's struct with the lengths of RFC 9420.
fn group_data_bytes() -> Vec<u8> {
    [
        &[0, 2][..],
        &[0x42; 32],
        b"\x05bench",
        b"\x00",
        &[0x40, 64],
        &[1; 32],
        &[2; 32],
        &[24, 23],
        b"wss://relay.example.com",
        &[0, 0, 0, 0],
    ]
    .concat()
}

#[test]
fn group_data_in_its_one_form() {
    assert_eq!(group_data().to_bytes().unwrap(), group_data_bytes());
    assert_eq!(GroupData::decode_exact(&group_data_bytes()), Ok(group_data()));
    let with_image = GroupData {
        version: 1,
        image_hash: Some([3; 32]),
        image_key: Some([4; 32]),
        image_nonce: Some([5; 12]),
        image_upload_key: Some([6; 32]),
        ..group_data()
    };
    let bytes = with_image.to_bytes().unwrap();
    assert_eq!(GroupData::decode_exact(&bytes), Ok(with_image));
}

#[test]
fn group_data_of_another_form_is_refused() {
    let good = group_data_bytes();
    for length in 0..good.len() {
        assert!(GroupData::decode_exact(&good[..length]).is_err(), "cut to {length}");
    }
    let with = |place: usize, bytes: &[u8]| {
        let mut changed = good.clone();
        changed[place..place + bytes.len()].copy_from_slice(bytes);
        GroupData::decode_exact(&changed)
    };
    let more = [&good[..], &[0]].concat();
    assert_eq!(GroupData::decode_exact(&more), Err(DecodeError::TrailingBytes));
    let version = Err(DecodeError::InvalidValue("version of group data"));
    assert_eq!(with(0, &[0, 0]), version);
    // A later version with the same fields is read, and keeps its number.
    assert_eq!(with(0, &[0, 3]).unwrap().version, 3);
    assert_eq!(with(35, &[0xff]), Err(DecodeError::InvalidValue("text of group data")));
    let relay = Err(DecodeError::InvalidValue("relay of group data"));
    assert_eq!(with(109, b"http"), relay);
    let mut key = good.clone();
    let last = key.len() - 1;
    key.splice(last.., [1, 0]);
    let length = Err(DecodeError::InvalidValue("length in group data"));
    assert_eq!(GroupData::decode_exact(&key), length);
    // Admins that are no whole number of keys, and a length in more bytes than it takes.
    let mut admins = good.clone();
    admins[41] = 63;
    assert!(GroupData::decode_exact(&admins).is_err());
    let mut long = good.clone();
    long.splice(34..35, [0x40, 5]);
    assert!(GroupData::decode_exact(&long).is_err());
}

#[test]
fn relays_are_websockets() {
    for good in ["wss://relay.example.com", "ws://127.0.0.1:8080", "wss://r.example/path/"] {
        assert!(is_relay(good), "{good}");
    }
    for bad in ["", "relay.example.com", "http://a.b", "wss://", "wss://a://b", "wss:// x"] {
        assert!(!is_relay(bad), "{bad}");
    }
}

#[test]
fn events_have_one_id_and_lower_case() {
    let time = Time::at(START);
    let person = Person::new(&time);
    let suite = person.client.suite().unwrap();
    let tags = vec![vec!["t".to_owned(), "a \"b\" \\ \u{8} \u{1f}".to_owned()]];
    let rumor = person.client.rumor(person.account(), 1, tags, "line\nline \u{e9}").unwrap();
    let event = person.client.sign(rumor, &person.keys).unwrap();
    event.verify().unwrap();
    let json = String::from_utf8(event.to_json()).unwrap();
    let read = |json: &str| Event::from_json(suite, json.as_bytes());
    assert_eq!(read(&json), Ok(event.clone()));
    assert!(nostr_reads(&json));
    let spaced = json.replace("\",\"", "\" , \"");
    assert_eq!(read(&spaced), Ok(event.clone()));
    let key = person.account().to_hex();
    for (what, bad) in [
        ("id", json.replace(&event.id().to_hex(), &event.id().to_hex().to_uppercase())),
        ("pubkey", json.replace(&key, &key.to_uppercase())),
        ("kind", json.replace("\"kind\":1", "\"kind\":2")),
        ("time", json.replace(&START.to_string(), &(START + 1).to_string())),
        ("content", json.replace("line", "lime")),
        ("tag", json.replace("\"t\"", "\"u\"")),
        ("twice", json.replace("\"kind\":1", "\"kind\":1,\"kind\":1")),
        ("number", json.replace("\"kind\":1", "\"kind\":65537")),
        ("negative", json.replace("\"kind\":1", "\"kind\":-1")),
        ("no sig", json.replace("\"sig\"", "\"gis\"")),
    ] {
        assert!(bad != json && matches!(read(&bad), Err(Error::Peer(_))), "{what}");
    }
    let other = person
        .client
        .sign(person.client.rumor(person.account(), 1, Vec::new(), "other").unwrap(), &person.keys);
    let tail = |json: &str| json.split("\"sig\"").last().unwrap().to_owned();
    let other = String::from_utf8(other.unwrap().to_json()).unwrap();
    let swapped = json.replace(&tail(&json), &tail(&other));
    let bad = Err(Error::Peer(PeerError::BadSignature));
    assert_eq!(read(&swapped).unwrap().verify(), bad);
}

fn nostr_reads(json: &str) -> bool {
    let event = <nostr::Event as nostr::JsonUtil>::from_json(json).unwrap();
    event.verify().is_ok()
}

/// The key package's event with another kind and other tags, signed all the same.
fn changed(person: &mut Person, kind: u16, change: impl FnOnce(&mut Vec<Tag>)) -> Event {
    let json = person.publish();
    let suite = person.client.suite().unwrap();
    let event = Event::from_json(suite, &json).unwrap();
    let mut tags = event.unsigned().tags().to_vec();
    change(&mut tags);
    let content = event.unsigned().content();
    let rumor = Rumor::new(suite, person.account(), START, kind, tags, content);
    person.client.sign(rumor, &person.keys).unwrap()
}

#[test]
fn key_packages_with_all_their_tags() {
    let time = Time::at(START);
    let mut person = Person::new(&time);
    let read = |person: &Person, event: &Event| person.client.read_key_package(event);
    let good = changed(&mut person, KEY_PACKAGE_KIND, |_| ());
    assert_eq!(read(&person, &good).unwrap().account(), person.account());
    let other = changed(&mut person, 1, |_| ());
    assert_eq!(read(&person, &other), Err(PeerError::WrongKind(1).into()));
    let names = [
        "d",
        "mls_protocol_version",
        "mls_ciphersuite",
        "mls_extensions",
        "mls_proposals",
        "relays",
        "i",
        "encoding",
    ];
    for name in names {
        let without = |tags: &mut Vec<Tag>| tags.retain(|tag| tag[0] != name);
        let event = changed(&mut person, KEY_PACKAGE_KIND, without);
        assert_eq!(read(&person, &event), Err(PeerError::BadTag(name).into()));
        // Events of the former kind may lack three of them.
        let event = changed(&mut person, LEGACY_KEY_PACKAGE_KIND, without);
        let is_read = read(&person, &event).is_ok();
        assert_eq!(is_read, ["d", "mls_proposals", "i"].contains(&name), "{name}");
        for value in ["", "x", "0x0002", "hex"] {
            let event = changed(&mut person, KEY_PACKAGE_KIND, |tags| {
                tags.iter_mut().filter(|tag| tag[0] == name).for_each(|tag| {
                    tag.truncate(1);
                    tag.push(value.to_owned());
                });
            });
            assert_eq!(read(&person, &event), Err(PeerError::BadTag(name).into()), "{value}");
        }
    }
}

#[test]
fn a_key_package_is_its_accounts() {
    let time = Time::at(START);
    let (mut person, other) = (Person::new(&time), Person::new(&time));
    let json = person.publish();
    let event = Event::from_json(person.client.suite().unwrap(), &json).unwrap();
    let unsigned = event.unsigned();
    let suite = person.client.suite().unwrap();
    let tags = unsigned.tags().to_vec();
    let stolen =
        Rumor::new(suite, other.account(), START, KEY_PACKAGE_KIND, tags, unsigned.content());
    let stolen = other.client.sign(stolen, &other.keys).unwrap();
    let refused = Err(PeerError::WrongAuthor("a key package's credential").into());
    assert_eq!(other.client.read_key_package(&stolen), refused);
}

#[test]
fn welcomes_with_all_their_tags() {
    let time = Time::at(START);
    let (people, _) = group_of(&time, 1);
    let mut joiner = Person::new(&time);
    let invitee = people[0].invite(&joiner.publish());
    let new =
        burrow_marmot::group::NewGroup { relays: [RELAY.to_owned()].into(), ..Default::default() };
    let created = people[0].client.create_group(people[0].account(), new, &[invitee]).unwrap();
    let good = &created.1[0];
    let suite = joiner.client.suite().unwrap();
    let with = |kind: u16, tags: Vec<Tag>, content: &str| {
        Rumor::new(suite, good.author(), START, kind, tags, content)
    };
    for name in ["relays", "e", "encoding"] {
        let tags = good.tags().iter().filter(|tag| tag[0] != name).cloned().collect();
        let read = joiner.client.read_welcome(&with(444, tags, good.content()));
        assert_eq!(read.unwrap_err(), PeerError::BadTag(name).into());
    }
    let tags = good.tags().to_vec();
    let read = joiner.client.read_welcome(&with(443, tags.clone(), good.content()));
    assert_eq!(read.unwrap_err(), PeerError::WrongKind(443).into());
    let read = joiner.client.read_welcome(&with(444, tags.clone(), "%"));
    assert_eq!(read.unwrap_err(), PeerError::Base64.into());
    let read = joiner.client.read_welcome(&with(444, tags, &(good.content().to_owned() + "AAAA")));
    assert!(read.is_err());
    let invitation = joiner.client.read_welcome(good).unwrap();
    assert_eq!(invitation.inviter(), people[0].account());
    let mut stranger = Person::new(&time);
    stranger.publish();
    let refused = stranger.client.join(&invitation, &stranger.secrets[0]);
    assert_eq!(refused.unwrap_err(), PeerError::NotForUs.into());
    assert_eq!(joiner.join(&good.to_json()).unwrap().epoch(), 1);
}
