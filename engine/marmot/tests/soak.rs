//! Many epochs with rival commits over a network that drops, repeats, reorders and delays: whoever
//! has got everything in the end is where everybody is.
//!
//! `MARMOT_EPOCHS` is how many (300 without it), `MARMOT_SEED` where they come from (1).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod people;

use std::collections::BTreeSet;

use burrow_marmot::{
    Error,
    event::{Event, EventId},
    group::{Group, Ignored, Publication, Received},
};
use people::{Person, Time, assert_agree, assert_all_talk, deliver, group_with_admins};

const START: u64 = 1_800_000_000;

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16;
        usize::try_from(number).unwrap() % end.max(1)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.below(place + 1));
        }
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

struct Member {
    person: Person,
    group: Group,
    read: BTreeSet<EventId>,
}

struct World {
    time: Time,
    dice: Dice,
    members: Vec<Member>,
    /// What was published in this round.
    events: Vec<Event>,
    /// By whom, and which Welcome goes with it.
    commits: Vec<(EventId, Publication, Option<Person>)>,
    said: Vec<EventId>,
    /// How often a member has gone back.
    went_back: usize,
}

impl World {
    fn new(seed: u64) -> Self {
        let time = Time::at(START);
        let (people, groups) = group_with_admins(&time, 5, 3);
        let members = people.into_iter().zip(groups);
        let members = members
            .map(|(person, group)| Member { person, group, read: BTreeSet::new() })
            .collect();
        Self {
            time,
            dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            members,
            events: Vec::new(),
            commits: Vec::new(),
            said: Vec::new(),
            went_back: 0,
        }
    }

    /// Somebody says something, and one to three commit for the same epoch.
    fn publish(&mut self) {
        for _ in 0..self.dice.below(4) {
            let by = self.dice.below(self.members.len());
            self.say(by);
        }
        let mut committers: Vec<_> = (0..self.members.len()).collect();
        self.dice.shuffle(&mut committers);
        committers.truncate(1 + self.dice.below(3));
        for by in committers {
            self.time.pass(u64::try_from(self.dice.below(2)).unwrap());
            self.commit(by);
            // Some go on before they know of the others.
            if self.dice.below(2) == 0 {
                self.members[by].group.merge_pending().unwrap();
                self.say(by);
                // And even commit again, on a branch that may lose.
                if self.dice.below(2) == 0 {
                    let next = self.members[by].group.self_update().unwrap();
                    self.events.push(next.event);
                    self.members[by].group.merge_pending().unwrap();
                    self.say(by);
                }
            }
        }
    }

    fn say(&mut self, by: usize) {
        let member = &mut self.members[by];
        let event = member.person.say(&mut member.group, "something");
        self.said.push(event.id());
        member.read.insert(event.id());
        self.events.push(event);
    }

    fn commit(&mut self, by: usize) {
        let choice = self.dice.below(6);
        let victim = self.dice.below(self.members.len());
        let victim_account = self.members[victim].person.account();
        let count = self.members.len();
        let Member { person, group, .. } = &mut self.members[by];
        let victim_is_admin = group.data().is_admin(&victim_account);
        let mut joiner = None;
        let made = match choice {
            0 if group.is_admin() && count < 9 => {
                let mut new = Person::new(&self.time);
                let invitee = person.invite(&new.publish());
                joiner = Some(new);
                group.add_members(&[invitee])
            }
            1 if group.is_admin() && count > 4 && victim != by && !victim_is_admin => {
                group.remove_members(&[victim_account])
            }
            2 if group.is_admin() => {
                let mut data = group.data().clone();
                data.name = format!("name {}", self.time.read());
                group.set_data(&data)
            }
            _ => group.self_update(),
        };
        let made = made.unwrap();
        self.events.push(made.event.clone());
        self.commits.push((made.event.id(), made, joiner));
    }

    /// Everybody gets everything some time: in any order, some of it twice, some after a restart.
    fn deliver_all(&mut self) {
        (0..self.members.len()).for_each(|place| self.deliver_to(place));
    }

    fn deliver_to(&mut self, place: usize) {
        let mut inbox: Vec<Event> = self.events.clone();
        self.dice.shuffle(&mut inbox);
        let doubled = self.dice.below(inbox.len() + 1);
        inbox.extend_from_slice(&self.events[..doubled]);
        // What is dropped or too early comes again, until nothing new comes of it.
        for _ in 0..8 {
            let mut later = Vec::new();
            for event in inbox {
                if self.dice.below(8) == 0 || !self.give(place, &event) {
                    later.push(event);
                }
            }
            inbox = later;
        }
    }

    /// Whether the event is done with.
    fn give(&mut self, place: usize, event: &Event) -> bool {
        let member = &mut self.members[place];
        if self.dice.below(16) == 0 {
            member.group = member.person.restart(&member.group);
        }
        match deliver(&mut member.group, event) {
            Ok(Received::Message(message)) => {
                assert!(member.read.insert(message.event), "a message was read twice");
                true
            }
            Ok(Received::Commit(committed)) => {
                self.went_back += usize::from(committed.rolled_back.is_some());
                for lost in committed.rolled_back.unwrap_or_default() {
                    member.read.remove(&lost);
                }
                true
            }
            Ok(Received::Ignored(Ignored::Own)) => {
                if member.group.pending_commit() == Some(event.id()) {
                    member.group.merge_pending().unwrap();
                }
                true
            }
            Ok(Received::Ignored(Ignored::Unopened)) => false,
            Ok(Received::Ignored(_) | Received::Removed) => true,
            Err(Error::Caller(burrow_marmot::CallerError::Removed)) => false,
            other => panic!("{other:?}"),
        }
    }

    /// Who was added by the winner joins, who was removed by it goes.
    fn settle(&mut self) {
        let order = |publication: &Publication| {
            (publication.event.unsigned().created_at(), publication.event.id())
        };
        let winner = self.commits.iter_mut().min_by_key(|(_, made, _)| order(made)).unwrap();
        if let Some(person) = winner.2.take() {
            let group = person.join(&winner.1.welcomes[0].to_json()).unwrap();
            self.members.push(Member { person, group, read: BTreeSet::new() });
            // Its inviter may have gone on.
            self.deliver_to(self.members.len() - 1);
        }
        self.members.retain(|member| !member.group.is_removed());
        self.members.iter_mut().for_each(|member| drop(member.group.take_changes()));
        self.events.clear();
        self.commits.clear();
        self.said.clear();
    }
}

#[test]
fn all_come_together() {
    let seed = number("MARMOT_SEED", 1);
    let mut world = World::new(seed);
    let mut sizes = BTreeSet::new();
    for round in 0..number("MARMOT_EPOCHS", 300) {
        world.publish();
        world.deliver_all();
        world.settle();
        let epochs: Vec<_> = world.members.iter().map(|member| member.group.epoch()).collect();
        let ahead = epochs.iter().all(|epoch| *epoch == epochs[0]);
        assert!(ahead, "seed {seed}, round {round}: {epochs:?}");
        assert_agree(world.members.iter().map(|member| &member.group));
        sizes.insert(world.members.len());
    }
    assert!(sizes.len() > 2, "the group never changed: {sizes:?}");
    println!("{} times a member went back", world.went_back);
    assert!(world.went_back > 100, "{} times", world.went_back);
    let (people, mut groups): (Vec<_>, Vec<_>) =
        world.members.into_iter().map(|member| (member.person, member.group)).unzip();
    assert_all_talk(&people, &mut groups);
}
