//! burrow and MDK in one group through many epochs, over a network that repeats and reorders: in the
//! end of each epoch everybody is at the same place.
//!
//! `MARMOT_EPOCHS` is how many (300 without it), `MARMOT_SEED` where they come from (1). MDK gets
//! what it can take: the commits of an epoch after its messages, and no rival of its own commits.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "people/peer.rs"]
mod peer;
mod people;

use burrow_marmot::{
    event::Event,
    group::{Group, Ignored, NewGroup, Received},
};
use mdk_core::prelude::{GroupId, MessageProcessingResult, NostrGroupDataUpdate};
use nostr::JsonUtil;
use peer::{Peer, assert_same, event};
use people::{Person, RELAY, assert_agree, deliver, present};

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16;
        usize::try_from(number).unwrap() % end.max(1)
    }

    fn shuffled(&mut self, events: &[Event]) -> Vec<Event> {
        let mut events = events.to_vec();
        for place in (1..events.len()).rev() {
            events.swap(place, self.below(place + 1));
        }
        // And some of them twice.
        let again = self.below(events.len() + 1);
        events.extend_from_within(..again);
        events
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

struct Mixed {
    dice: Dice,
    people: Vec<Person>,
    groups: Vec<Group>,
    peers: Vec<Peer>,
    id: GroupId,
    /// How many messages were read by whom.
    read: (usize, usize),
    went_back: usize,
}

impl Mixed {
    /// Three of burrow's, one of them the founder, and two of MDK's, one of them an admin.
    fn new(seed: u64) -> Self {
        let time = present();
        let mut people: Vec<_> = (0..3).map(|_| Person::new(&time)).collect();
        let peers = vec![Peer::new(), Peer::new()];
        let mut events: Vec<_> = people[1..].iter_mut().map(Person::publish).collect();
        events.extend(peers.iter().map(Peer::publish));
        let invitees: Vec<_> = events.iter().map(|event| people[0].invite(event)).collect();
        let new = NewGroup {
            relays: [RELAY.to_owned()].into(),
            admins: [peers[0].account()].into(),
            ..NewGroup::default()
        };
        let created = people[0].client.create_group(people[0].account(), new, &invitees);
        let (group, welcomes) = created.unwrap();
        let welcomes: Vec<_> = welcomes.iter().map(|welcome| welcome.to_json()).collect();
        let mut groups = vec![group];
        groups.extend(people[1..].iter().zip(&welcomes).map(|(p, w)| p.join(w).unwrap()));
        let id = peers[0].join(&welcomes[2]);
        peers[1].join(&welcomes[3]);
        let dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        Self { dice, people, groups, peers, id, read: (0, 0), went_back: 0 }
    }

    fn messages(&mut self) -> Vec<Event> {
        let mut said = Vec::new();
        for _ in 0..self.dice.below(4) {
            let by = self.dice.below(5);
            said.push(match by {
                0..3 => self.people[by].say(&mut self.groups[by], "from burrow"),
                _ => event(&self.people[0], &self.peers[by - 3].say(&self.id, "from MDK")),
            });
        }
        said
    }

    /// One of MDK's, which merges it, or one or two of burrow's.
    fn commits(&mut self) -> (Vec<Event>, Option<usize>) {
        let by = self.dice.below(5);
        if by >= 3 {
            let peer = &self.peers[by - 3];
            let made = if by == 3 && self.dice.below(2) == 0 {
                let update = NostrGroupDataUpdate::new().name(format!("name {}", self.dice.0));
                peer.mdk.update_group_data(&self.id, update).unwrap()
            } else {
                peer.mdk.self_update(&self.id).unwrap()
            };
            peer.mdk.merge_pending_commit(&self.id).unwrap();
            let json = made.evolution_event.as_json();
            return (vec![event(&self.people[0], json.as_bytes())], Some(by - 3));
        }
        let mut made = vec![self.groups[by].self_update().unwrap().event];
        self.groups[by].merge_pending().unwrap();
        if self.dice.below(2) == 0 {
            let rival = (by + 1) % 3;
            made.push(self.groups[rival].self_update().unwrap().event);
            self.groups[rival].merge_pending().unwrap();
        }
        (made, None)
    }

    fn give_burrow(&mut self, place: usize, events: &[Event]) {
        let mut inbox = self.dice.shuffled(events);
        for _ in 0..4 {
            let mut later = Vec::new();
            for event in inbox {
                if self.dice.below(8) == 0 {
                    self.groups[place] = self.people[place].restart(&self.groups[place]);
                }
                match deliver(&mut self.groups[place], &event).unwrap() {
                    Received::Message(_) => self.read.0 += 1,
                    Received::Commit(commit) => {
                        self.went_back += usize::from(commit.rolled_back.is_some());
                    }
                    Received::Ignored(Ignored::Unopened) => later.push(event),
                    Received::Ignored(_) => {}
                    other => panic!("{other:?}"),
                }
            }
            inbox = later;
        }
    }

    fn give_mdk(&mut self, place: usize, events: &[Event]) {
        for event in self.dice.shuffled(events) {
            let received = self.peers[place].receive(&event);
            if matches!(received, MessageProcessingResult::ApplicationMessage(_)) {
                self.read.1 += 1;
            }
        }
    }
}

#[test]
fn they_stay_together() {
    let seed = number("MARMOT_SEED", 1);
    let epochs = number("MARMOT_EPOCHS", 300);
    let mut mixed = Mixed::new(seed);
    for round in 0..epochs {
        let said = mixed.messages();
        let (commits, by) = mixed.commits();
        let all = [said.clone(), commits.clone()].concat();
        (0..3).for_each(|place| mixed.give_burrow(place, &all));
        for place in 0..2 {
            mixed.give_mdk(place, &said);
            if by != Some(place) {
                mixed.give_mdk(place, &commits);
            }
        }
        assert_eq!(mixed.groups[0].epoch(), round + 2, "seed {seed}");
        assert_agree(&mixed.groups);
        for peer in &mixed.peers {
            assert_same(peer, &mixed.id, &mixed.groups[0]);
        }
        mixed.groups.iter_mut().for_each(|group| drop(group.take_changes()));
    }
    println!("read {:?} messages, went back {} times", mixed.read, mixed.went_back);
    let enough = usize::try_from(epochs).unwrap() / 10;
    assert!(mixed.read.0 > enough && mixed.read.1 > enough && mixed.went_back > enough);
}
