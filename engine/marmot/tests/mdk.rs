//! mdk-core 0.8.0 as the judge: it creates and burrow joins, the other way round, and each does what
//! the other has to follow.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "people/peer.rs"]
mod peer;
mod people;

use burrow::codec::{Decode, Encode};
use burrow_marmot::{
    GROUP_DATA, GroupData,
    event::Event,
    group::{Group, Ignored, NewGroup, Received},
};
use mdk_core::prelude::{MessageProcessingResult, NostrGroupDataUpdate};
use nostr::JsonUtil;
use peer::{Peer, assert_same, event, json_of, nostr_key};
use people::{Person, RELAY, committed, deliver, ignored, message, present};

/// MDK creates with one of burrow's and one of its own; then all of it.
#[test]
fn mdk_creates() {
    let time = present();
    let (founder, other) = (Peer::new(), Peer::new());
    let mut person = Person::new(&time);
    let (id, welcomes) = founder.create(&[person.publish(), other.publish()]);
    let mut group = person.join(&welcomes[0]).unwrap();
    other.join(&welcomes[1]);
    assert_same(&founder, &id, &group);
    canonical(&group);

    let said = founder.say(&id, "from MDK");
    assert_eq!(message(deliver(&mut group, &event(&person, &said))).rumor.content(), "from MDK");
    let said = person.say(&mut group, "from burrow: \"\\\u{1f980}\u{7}");
    for peer in [&founder, &other] {
        assert_eq!(peer.read(&said), "from burrow: \"\\\u{1f980}\u{7}");
    }
    // burrow commits.
    let update = group.self_update().unwrap();
    group.merge_pending().unwrap();
    founder.follow(&update.event);
    other.follow(&update.event);
    assert_same(&founder, &id, &group);
    // MDK commits: an update, a name, an admin.
    let update = founder.mdk.self_update(&id).unwrap().evolution_event.as_json();
    founder.mdk.merge_pending_commit(&id).unwrap();
    committed(deliver(&mut group, &event(&person, update.as_bytes())));
    let admins = vec![founder.keys.public_key(), nostr_key(person.account())];
    let change = NostrGroupDataUpdate::new().name("another name").admins(admins);
    let change = founder.mdk.update_group_data(&id, change).unwrap().evolution_event.as_json();
    founder.mdk.merge_pending_commit(&id).unwrap();
    committed(deliver(&mut group, &event(&person, change.as_bytes())));
    assert_same(&founder, &id, &group);
    assert!(group.is_admin() && group.data().name == "another name");
    canonical(&group);
    // The promoted one acts: it adds an account of MDK's, and demotes the founder.
    let late = Peer::new();
    let invitee = person.invite(&late.publish());
    let add = group.add_members(&[invitee]).unwrap();
    group.merge_pending().unwrap();
    founder.follow(&add.event);
    let joined = late.join(&add.welcomes[0].to_json());
    assert_same(&late, &joined, &group);
    let mut data = group.data().clone();
    data.admins = [person.account()].into();
    let demotion = group.set_data(&data).unwrap();
    group.merge_pending().unwrap();
    for peer in [&founder, &late] {
        peer.follow(&demotion.event);
        assert_same(peer, &id, &group);
    }
    assert!(founder.mdk.update_group_data(&id, NostrGroupDataUpdate::new().name("x")).is_err());
    // And removes it.
    let removal = group.remove_members(&[founder.account()]).unwrap();
    group.merge_pending().unwrap();
    late.follow(&removal.event);
    assert_same(&late, &id, &group);
    assert_eq!(late.read(&person.say(&mut group, "we two")), "we two");
}

/// burrow creates with two of MDK's; then all of it.
#[test]
fn burrow_creates() {
    let time = present();
    let founder = Person::new(&time);
    let (first, second) = (Peer::new(), Peer::new());
    let invitees = [&first, &second].map(|peer| founder.invite(&peer.publish()));
    let new = NewGroup {
        name: "of burrow's".into(),
        relays: [RELAY.to_owned()].into(),
        admins: [first.account()].into(),
        ..NewGroup::default()
    };
    let created = founder.client.create_group(founder.account(), new, &invitees);
    let (mut group, welcomes) = created.unwrap();
    let id = first.join(&welcomes[0].to_json());
    assert_eq!(second.join(&welcomes[1].to_json()), id);
    assert_same(&first, &id, &group);
    for (by, reader) in [(&first, &second), (&second, &first)] {
        let said = by.say(&id, "from MDK");
        let said = event(&founder, &said);
        assert_eq!(message(deliver(&mut group, &said)).rumor.content(), "from MDK");
        assert_eq!(reader.read(&said), "from MDK");
        assert_eq!(by.read(&founder.say(&mut group, "from burrow")), "from burrow");
    }
    // An admin of MDK's adds one of burrow's.
    let mut joiner = Person::new(&time);
    let key_package = nostr::Event::from_json(joiner.publish()).unwrap();
    let add = first.mdk.add_members(&id, &[key_package]).unwrap();
    first.mdk.merge_pending_commit(&id).unwrap();
    let commit = event(&founder, add.evolution_event.as_json().as_bytes());
    committed(deliver(&mut group, &commit));
    second.follow(&commit);
    let mut joined = joiner.join(&json_of(add.welcome_rumors.unwrap())[0]).unwrap();
    assert_same(&second, &id, &joined);
    // It rotates its keys, as it should.
    let update = joined.self_update().unwrap();
    joined.merge_pending().unwrap();
    committed(deliver(&mut group, &update.event));
    for peer in [&first, &second] {
        peer.follow(&update.event);
        assert_same(peer, &id, &joined);
    }
    // MDK removes it.
    let removal = first.mdk.remove_members(&id, &[nostr_key(joiner.account())]).unwrap();
    first.mdk.merge_pending_commit(&id).unwrap();
    let removal = event(&founder, removal.evolution_event.as_json().as_bytes());
    committed(deliver(&mut group, &removal));
    second.follow(&removal);
    assert!(matches!(deliver(&mut joined, &removal), Ok(Received::Removed)));
    assert_same(&second, &id, &group);
    // And adds it again, by another key package in the first one's place.
    let slot = Some([9; 32]);
    let relays = [RELAY.to_owned()];
    let new = joiner.client.generate_key_package(joiner.account(), &relays, slot).unwrap();
    assert_eq!((new.slot, joiner.secrets.len()), ([9; 32], 1));
    joiner.secrets = vec![new.secrets];
    let published = joiner.client.sign(new.unsigned, &joiner.keys).unwrap().to_json();
    let add = first.mdk.add_members(&id, &[nostr::Event::from_json(published).unwrap()]).unwrap();
    first.mdk.merge_pending_commit(&id).unwrap();
    let commit = event(&founder, add.evolution_event.as_json().as_bytes());
    committed(deliver(&mut group, &commit));
    second.follow(&commit);
    let mut joined = joiner.join(&json_of(add.welcome_rumors.unwrap())[0]).unwrap();
    assert_same(&second, &id, &joined);
    assert_eq!(second.read(&joiner.say(&mut joined, "back again")), "back again");
}

/// Leaving, each way: SelfRemove as a proposal, committed by the other library.
#[test]
fn leaving_each_way() {
    let time = present();
    let mut founder = Person::new(&time);
    let (peer, other) = (Peer::new(), Peer::new());
    let mut person = Person::new(&time);
    let events = [peer.publish(), other.publish(), person.publish()];
    let invitees: Vec<_> = events.iter().map(|event| founder.invite(event)).collect();
    let new = NewGroup { relays: [RELAY.to_owned()].into(), ..NewGroup::default() };
    let created = founder.client.create_group(founder.account(), new, &invitees).unwrap();
    let (mut group, welcomes) = created;
    let id = peer.join(&welcomes[0].to_json());
    other.join(&welcomes[1].to_json());
    let mut leaver = person.join(&welcomes[2].to_json()).unwrap();
    founder.secrets.clear();
    // burrow's proposes, MDK's commits by itself.
    let leave = leaver.leave().unwrap();
    assert!(matches!(deliver(&mut group, &leave), Ok(Received::Proposal { .. })));
    let MessageProcessingResult::Proposal(commit) = peer.receive(&leave) else {
        panic!("MDK doesn't commit the SelfRemove");
    };
    peer.mdk.merge_pending_commit(&id).unwrap();
    let commit = event(&founder, commit.evolution_event.as_json().as_bytes());
    committed(deliver(&mut group, &commit));
    assert!(matches!(deliver(&mut leaver, &commit), Ok(Received::Removed)));
    assert_same(&peer, &id, &group);
    // `other` had a commit of its own for that proposal, until this one came.
    other.receive(&leave);
    other.follow(&commit);
    // MDK's proposes, burrow's commits.
    let leave = other.mdk.leave_group(&id).unwrap().evolution_event.as_json();
    let leave = event(&founder, leave.as_bytes());
    assert!(matches!(deliver(&mut group, &leave), Ok(Received::Proposal { .. })));
    peer.receive(&leave);
    let commit = group.commit_departures().unwrap();
    group.merge_pending().unwrap();
    peer.follow(&commit.event);
    assert_same(&peer, &id, &group);
    assert_eq!(peer.read(&founder.say(&mut group, "we two")), "we two");
}

/// Two rivals reach MDK and burrow in both orders: they agree on the winner.
#[test]
fn rivals_win_the_same_way() {
    for burrow_first in [false, true] {
        let time = present();
        let founder = Person::new(&time);
        let mut second = Person::new(&time);
        let mut third = Person::new(&time);
        let peer = Peer::new();
        let events = [second.publish(), third.publish(), peer.publish()];
        let invitees: Vec<_> = events.iter().map(|event| founder.invite(event)).collect();
        let new = NewGroup { relays: [RELAY.to_owned()].into(), ..NewGroup::default() };
        let created = founder.client.create_group(founder.account(), new, &invitees).unwrap();
        let (mut by_one, welcomes) = created;
        let mut by_other = second.join(&welcomes[0].to_json()).unwrap();
        let mut reader = third.join(&welcomes[1].to_json()).unwrap();
        let id = peer.join(&welcomes[2].to_json());
        let one = by_one.self_update().unwrap();
        let other = by_other.self_update().unwrap();
        by_one.merge_pending().unwrap();
        by_other.merge_pending().unwrap();
        let order = |event: &Event| (event.unsigned().created_at(), event.id());
        let (winner, loser) = if order(&one.event) < order(&other.event) {
            (&one.event, &other.event)
        } else {
            (&other.event, &one.event)
        };
        let both = if burrow_first { [winner, loser] } else { [loser, winner] };
        for event in both {
            peer.receive(event);
            deliver(&mut reader, event).unwrap();
            deliver(&mut by_one, event).unwrap();
            deliver(&mut by_other, event).unwrap();
        }
        assert_eq!(peer.epoch(&id), 2);
        for group in [&reader, &by_one, &by_other] {
            assert_same(&peer, &id, group);
        }
        assert_eq!(peer.read(&third.say(&mut reader, "agreed")), "agreed");
        assert_eq!(ignored(deliver(&mut by_one, loser)), Ignored::Lost);
    }
}

/// What burrow reads of MDK's group data it writes as the same bytes.
fn canonical(group: &Group) {
    let bytes = group.mls().context().extensions.data(GROUP_DATA).unwrap();
    let data = GroupData::decode_exact(bytes).unwrap();
    assert_eq!(data.to_bytes().unwrap(), bytes);
    assert_eq!(data.encoded_len(), bytes.len());
}

/// The tags, extensions and capabilities that MDK writes are those that burrow writes, in their order.
#[test]
fn key_packages_look_the_same() {
    let mut person = Person::new(&present());
    let peer = Peer::new();
    let (ours, theirs) = (person.publish(), peer.publish());
    let names = |json: &[u8]| -> Vec<String> {
        let event = event(&person, json);
        let tags = event.unsigned().tags().iter().filter(|tag| tag[0] != "client");
        tags.map(|tag| match tag[0].as_str() {
            "d" | "i" => format!("{} {}", tag[0], tag[1].len()),
            _ => tag.join(" "),
        })
        .collect()
    };
    assert_eq!(names(&ours), names(&theirs));
    let shape = |json: &[u8]| {
        let read = person.invite(json);
        let package = read.key_package();
        let mut capabilities = package.leaf_node.capabilities.clone();
        // One GREASE value at the end of each list.
        let grease = [
            capabilities.cipher_suites.pop().unwrap().0,
            capabilities.extensions.pop().unwrap().0,
            capabilities.proposals.pop().unwrap().0,
            capabilities.credentials.pop().unwrap().0,
        ];
        assert!(grease.into_iter().all(burrow::types::is_grease));
        let burrow::types::LeafNodeSource::KeyPackage(lifetime) =
            package.leaf_node.leaf_node_source
        else {
            panic!("another source");
        };
        (
            capabilities,
            package.extensions.clone(),
            package.leaf_node.extensions.clone(),
            lifetime.total(),
            package.as_bytes().len(),
        )
    };
    assert_eq!(shape(&ours), shape(&theirs));
}
