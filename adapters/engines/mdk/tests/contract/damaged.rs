//! Bytes that were changed on the way.

use super::*;

/// Where the value of `field` lies in the event's JSON.
fn value_of(json: &[u8], field: &str) -> std::ops::Range<usize> {
    let text = std::str::from_utf8(json).unwrap();
    let key = format!("\"{field}\":\"");
    let start = text.find(&key).unwrap() + key.len();
    start..start + text[start..].find('"').unwrap()
}

/// `json` with one bit flipped, for each byte outside the signature.
fn flipped(json: &[u8], bit: impl Fn(usize) -> u8) -> impl Iterator<Item = (usize, Vec<u8>)> {
    let places = 0..json.len();
    places.map(move |place| {
        let mut bytes = json.to_vec();
        bytes[place] ^= 1 << bit(place);
        (place, bytes)
    })
}

#[test]
fn flipped_messages_are_refused_but_for_the_signature() {
    let (mut clients, group) = group_of(1);
    let genuine = clients[0].send(&group, b"genuine").unwrap();
    let signature = value_of(genuine.as_slice(), "sig");
    let before = state(&clients[1], &group);
    for bit in 0..8 {
        for (place, bytes) in flipped(genuine.as_slice(), |_| bit) {
            if !signature.contains(&place) {
                let outcome = clients[1].ingest_app(&group, &AppBytes::new(bytes)).unwrap();
                assert_eq!(reason(outcome), RejectReason::Malformed, "bit {bit} of {place}");
            }
        }
    }
    for length in 0..genuine.len() {
        let cut = AppBytes::new(genuine.as_slice()[..length].to_vec());
        let outcome = clients[1].ingest_app(&group, &cut).unwrap();
        assert_eq!(reason(outcome), RejectReason::Malformed);
    }
    assert_eq!(state(&clients[1], &group), before);
    let read = clients[1].ingest_app(&group, &genuine).unwrap().applied();
    assert_eq!(read.unwrap().payload, b"genuine");

    // Nobody but the relay pool, which isn't here, looks at the signature.
    let genuine = clients[0].send(&group, b"signed").unwrap();
    let mut unsigned = genuine.as_slice().to_vec();
    unsigned[value_of(genuine.as_slice(), "sig")].fill(b'0');
    let outcome = clients[1].ingest_app(&group, &AppBytes::new(unsigned)).unwrap();
    assert_eq!(outcome.applied().unwrap().payload, b"signed");
    let outcome = clients[1].ingest_app(&group, &genuine).unwrap();
    assert_eq!(outcome, Ingested::Duplicate);
}

#[test]
fn flipped_commits_are_refused_but_for_the_signature() {
    let (mut clients, group) = group_of(2);
    let key_package = client().publish_key_package().unwrap();
    let add = Change::Add(std::slice::from_ref(&key_package));
    let staged = clients[0].stage_commit(&group, &add).unwrap();
    let genuine = staged.commit().clone();
    let signature = value_of(genuine.as_slice(), "sig");
    let before = state(&clients[1], &group);
    for (place, bytes) in flipped(genuine.as_slice(), |place| (place % 8) as u8) {
        if !signature.contains(&place) {
            let outcome = clients[1].ingest_commit(&group, &CommitBytes::new(bytes));
            assert_eq!(reason(outcome.unwrap()), RejectReason::Malformed, "{place}");
        }
    }
    assert_eq!(state(&clients[1], &group), before);
    clients[0].merge_staged(staged.published()).unwrap();
    for index in [1, 2] {
        let outcome = clients[index].ingest_commit(&group, &genuine).unwrap();
        assert_eq!(outcome, Ingested::Applied(Epoch(2)));
    }
}

#[test]
fn flipped_welcomes_and_key_packages_are_refused() {
    let mut founder = client();
    let mut joiner = client();
    let genuine = joiner.publish_key_package().unwrap();
    let signature = value_of(genuine.as_slice(), "sig");
    for (place, bytes) in flipped(genuine.as_slice(), |place| (place % 8) as u8) {
        if !signature.contains(&place) {
            let founded = founder.create_group(&[KeyPackageBytes::new(bytes)]);
            assert!(matches!(founded, Err(EngineError::Peer(_))), "{place}: {founded:?}");
        }
    }
    let founded = founder.create_group(&[genuine]).unwrap();
    let welcome = founded.welcomes.for_invitee(0).unwrap();
    for bit in [0, 5] {
        for (place, bytes) in flipped(welcome.as_slice(), |_| bit) {
            let joined = joiner.join_welcome(&WelcomeBytes::new(bytes));
            assert!(matches!(joined, Err(EngineError::Peer(_))), "{place}: {joined:?}");
        }
    }
    joiner.join_welcome(welcome).unwrap();
    let mut clients = vec![founder, joiner];
    assert_agree(&clients, &founded.group);
    say(&mut clients, 1, &founded.group, b"joined");
}

/// The id is of what an event says, not of how it is spelt.
#[test]
fn another_spelling_is_the_same_event() {
    let (mut clients, group) = group_of(1);
    let text = |json: &AppBytes| std::str::from_utf8(json.as_slice()).unwrap().to_owned();
    let id = |json: &AppBytes| text(json)[value_of(json.as_slice(), "id")].to_owned();
    type Respell = fn(&str, &str) -> String;
    let respellings: [Respell; 5] = [
        |json, _| json.replacen(',', " ,\n", 1),
        |json, _| json.replacen('{', "{\"more\":1,", 1),
        |json, id| {
            let first = format!("\"id\":\"{id}\"");
            let rest = json.replacen(&format!("{first},"), "", 1);
            rest.strip_suffix('}').unwrap().to_owned() + "," + &first + "}"
        },
        |json, _| json.replacen("\"h\"", "\"\\u0068\"", 1),
        |json, id| {
            let upper = json.replacen(id, &id.to_uppercase(), 1);
            upper.replacen('{', &format!("{{\"more\":\"{id}\","), 1)
        },
    ];
    for (index, respell) in respellings.iter().enumerate() {
        let genuine = clients[0].send(&group, b"spelt").unwrap();
        let respelt = respell(&text(&genuine), &id(&genuine));
        assert_ne!(respelt.as_bytes(), genuine.as_slice());
        let outcome = clients[1].ingest_app(&group, &AppBytes::new(respelt.into_bytes())).unwrap();
        assert_eq!(outcome.applied().unwrap().payload, b"spelt", "respelling {index}");
        let outcome = clients[1].ingest_app(&group, &genuine).unwrap();
        assert_eq!(outcome, Ingested::Duplicate, "respelling {index}");
    }
    let genuine = clients[0].send(&group, b"spelt").unwrap();
    let upper = text(&genuine).replacen(&id(&genuine), &id(&genuine).to_uppercase(), 1);
    let outcome = clients[1].ingest_app(&group, &AppBytes::new(upper.into_bytes())).unwrap();
    assert_eq!(reason(outcome), RejectReason::Malformed);
}
