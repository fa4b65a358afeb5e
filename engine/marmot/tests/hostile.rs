//! Events mutated at every layer, by outsiders and by members: none may panic, be taken for what it
//! isn't, or change the state of a group that refuses it.
//!
//! `MARMOT_INPUTS` is how many (20,000 without it), `MARMOT_SEED` where they come from (1).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod people;

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use burrow::codec::{Decode, Encode};
use burrow_marmot::{
    Error, GROUP_DATA, GroupData, KEY_PACKAGE_KIND,
    event::{Event, Rumor, Tag},
    group::{Group, Kept, Received},
};
use people::{Insider, Person, Time, committed, deliver, group_with_admins, message};

const START: u64 = 1_800_000_000;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

/// Numbers without a pattern, the same for the same seed (xorshift64*).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap() % end.max(1)
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| u8::try_from(self.next() & 0xff).unwrap()).collect()
    }

    /// One to three changes to some bytes.
    fn mutate(&mut self, bytes: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(3) {
            self.change(&mut bytes, other);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let place = self.below(bytes.len() + 1);
        let rest = bytes.len() - place;
        let length = self.below(rest.min(40) + 1);
        match self.below(9) {
            0 | 1 if rest > 0 => bytes[place] ^= 1 << self.below(8),
            2 if rest > 0 => bytes[place] = self.bytes(1)[0],
            3 => bytes.truncate(place),
            4 => drop(bytes.drain(place..place + length)),
            5 => {
                let inserted = self.bytes(length);
                bytes.splice(place..place, inserted).for_each(drop);
            }
            6 => {
                let copy = bytes[place..place + length].to_vec();
                let to = self.below(bytes.len() + 1);
                bytes.splice(to..to, copy).for_each(drop);
            }
            7 => {
                let from = self.below(other.len() + 1);
                let to = from + self.below((other.len() - from).min(64) + 1);
                bytes.splice(place..place + length, other[from..to].iter().copied()).for_each(drop);
            }
            _ => {
                let fills = [0x00, 0x3f, 0x40, 0x7f, 0x80, 0xbf, 0xc0, 0xff];
                let fill = fills[self.below(fills.len())];
                bytes[place..place + length].fill(fill);
            }
        }
    }

    /// The same for JSON: half of the time with pieces that mean something in it.
    fn mutate_json(&mut self, json: &[u8], other: &[u8]) -> Vec<u8> {
        const PIECES: [&str; 16] = [
            "null",
            "[]",
            "{}",
            "\"\"",
            "-1",
            "18446744073709551616",
            "1e9",
            "\"id\":\"00\",",
            "\"sig\":null",
            "\\u0000",
            "\\ud800",
            "\"kind\":445",
            "\"tags\":[[]]",
            "[[\"h\"]]",
            ",",
            "\"",
        ];
        if self.below(2) == 0 {
            return self.mutate(json, other);
        }
        let mut json = json.to_vec();
        let place = self.below(json.len() + 1);
        let length = self.below((json.len() - place).min(16) + 1);
        let piece = PIECES[self.below(PIECES.len())];
        json.splice(place..place + length, piece.bytes()).for_each(drop);
        json
    }

    fn mutate_tags(&mut self, tags: &[Tag], other: &[Tag]) -> Vec<Tag> {
        let mut tags = tags.to_vec();
        let place = self.below(tags.len());
        match self.below(6) {
            0 => drop(tags.remove(place)),
            1 => tags.push(tags[place].clone()),
            2 => tags[place].truncate(1),
            3 => tags[place].clear(),
            4 => tags.extend_from_slice(&other[..self.below(other.len() + 1)]),
            _ => {
                let value = self.below(tags[place].len());
                let text = tags[place][value].clone().into_bytes();
                let text = String::from_utf8_lossy(&self.mutate(&text, b"0xffff")).into_owned();
                tags[place][value] = text;
            }
        }
        tags
    }
}

/// What came of how many inputs, by layer.
#[derive(Default)]
struct Counts(BTreeMap<(&'static str, &'static str), u64>);

impl Counts {
    fn add(&mut self, layer: &'static str, outcome: &'static str) {
        *self.0.entry((layer, outcome)).or_default() += 1;
    }
}

/// A member of a group who gets it all, another who makes it, and the state before.
struct Scene {
    people: Vec<Person>,
    victim: Group,
    base: Kept,
    written: Vec<u8>,
    insider: Insider,
    insider_state: Vec<u8>,
    /// Genuine events, as JSON: a message, a commit, a leave, an event of the epoch before.
    events: Vec<Vec<u8>>,
    key_package: Vec<u8>,
    welcome: Vec<u8>,
    joiner: Person,
}

impl Scene {
    fn new() -> Self {
        let time = Time::at(START);
        let (people, mut groups) = group_with_admins(&time, 4, 2);
        let late = people[0].say(&mut groups[0], "late");
        let update = groups[0].self_update().unwrap();
        people::everybody_follows(&mut groups, 0, &update);
        let insider = Insider::of(&people[1], &groups[1]);
        let said = people[0].say(&mut groups[0], "genuine");
        let leave = groups[3].leave().unwrap();
        let mut joiner = Person::new(&time);
        let key_package = joiner.publish();
        let add = groups[0].add_members(&[people[0].invite(&key_package)]).unwrap();
        let events = [&said, &add.event, &leave, &late].map(Event::to_json);
        let mut victim = groups.swap_remove(2);
        victim.take_changes();
        Self {
            base: victim.kept().clone(),
            written: victim.mls().write().unwrap().to_vec(),
            people,
            victim,
            insider_state: insider.mls.write().unwrap().to_vec(),
            insider,
            events: events.into(),
            key_package,
            welcome: add.welcomes[0].to_json(),
            joiner,
        }
    }

    fn event(&self, json: &[u8]) -> Result<Event, Error> {
        Event::from_json(self.joiner.client.suite()?, json)
    }

    /// Gives it to the victim and checks what came of it.
    fn give(&mut self, event: &Event) -> &'static str {
        let received = self.victim.receive(event);
        let is_unchanged = |victim: &mut Group| {
            victim.take_changes().is_empty() && *victim.mls().write().unwrap() == self.written
        };
        match received {
            Err(Error::Peer(_) | Error::Mls(burrow::Error::Peer(_))) => {
                // Of a message whose inside is no rumor the key is gone.
                if !is_unchanged(&mut self.victim) {
                    assert_eq!(self.victim.epoch(), 2);
                    self.reset();
                    return "refused, its key used";
                }
                "refused"
            }
            Err(Error::Mls(burrow::Error::Unsupported(_))) => {
                assert!(is_unchanged(&mut self.victim));
                "unsupported"
            }
            Err(other) => panic!("{other:?}: not a peer's fault"),
            Ok(Received::Ignored(_)) => {
                assert!(is_unchanged(&mut self.victim));
                "ignored"
            }
            Ok(_) => {
                self.reset();
                "taken"
            }
        }
    }

    fn reset(&mut self) {
        self.victim = self.people[2].client.restore(self.base.clone()).unwrap();
    }

    /// The state that was attacked still takes what is genuine.
    fn check_alive(&mut self) {
        let events: Vec<_> = self.events.iter().map(|json| self.event(json).unwrap()).collect();
        assert_eq!(message(deliver(&mut self.victim, &events[0])).rumor.content(), "genuine");
        assert_eq!(message(deliver(&mut self.victim, &events[3])).rumor.content(), "late");
        assert_eq!(committed(deliver(&mut self.victim, &events[1])).epoch, 3);
        self.reset();
    }

    /// The JSON as anybody can damage it. What is taken is what was genuine.
    fn json(&mut self, dice: &mut Dice) -> &'static str {
        let one = self.events[dice.below(self.events.len())].clone();
        let other = &self.events[dice.below(self.events.len())];
        let json = dice.mutate_json(&one, other);
        match self.event(&json) {
            Err(Error::Peer(_)) => "refused",
            Err(other) => panic!("{other:?}"),
            Ok(event) => {
                let genuine = self.event(&one).unwrap();
                let outcome = self.give(&event);
                assert!(outcome != "taken" || event == genuine, "a forgery was taken");
                outcome
            }
        }
    }

    /// Content and tags changed, and signed by somebody: what a relay can do.
    fn envelope(&mut self, dice: &mut Dice) -> &'static str {
        let json = self.events[dice.below(self.events.len())].clone();
        let event = self.event(&json).unwrap();
        let tags = event.unsigned().tags();
        let (tags, content) = if dice.below(3) == 0 {
            let other = [vec!["h".to_owned(), "00".repeat(32)], vec!["encoding".to_owned()]];
            (dice.mutate_tags(tags, &other), event.unsigned().content().to_owned())
        } else {
            let content = BASE64.decode(event.unsigned().content()).unwrap();
            let content = dice.mutate(&content, &json);
            if dice.below(8) == 0 {
                let text = event.unsigned().content().as_bytes();
                (tags.to_vec(), String::from_utf8_lossy(&dice.mutate(text, &json)).into_owned())
            } else {
                (tags.to_vec(), BASE64.encode(content))
            }
        };
        let is_genuine = content == event.unsigned().content();
        let outcome = self.give(&self.insider.wrap(&content, tags));
        assert!(outcome != "taken" || is_genuine, "a forgery was taken");
        outcome
    }

    /// The MLS message changed by a member, and sealed again.
    fn inside(&mut self, dice: &mut Dice) -> &'static str {
        let json = &self.events[dice.below(3)];
        let genuine = self.insider.open(&self.event(json).unwrap());
        let mutated = dice.mutate(&genuine, &self.events[0]);
        let outcome = self.give(&self.insider.seal(&mutated));
        assert!(outcome != "taken" || mutated == genuine, "a forgery was taken");
        outcome
    }

    /// What stands where a rumor should.
    fn rumor(&mut self, dice: &mut Dice) -> &'static str {
        let rumor = self.people[1].client.rumor(self.people[1].account(), 9, Vec::new(), "mine");
        let json = rumor.unwrap().to_json();
        let mutated = dice.mutate_json(&json, &self.welcome);
        let event = self.insider.say(&mutated);
        if dice.below(64) == 0 {
            // Back to the keys that it had, or its messages are too far ahead.
            let client = self.insider.mls.client().clone();
            self.insider.mls = client.restore(&self.insider_state, &[]).unwrap();
        }
        let suite = self.people[1].client.suite().unwrap();
        let is_good = Rumor::from_json(suite, &mutated)
            .is_ok_and(|rumor| rumor.author() == self.people[1].account());
        let outcome = self.give(&event);
        assert!(outcome != "taken" || is_good, "a forgery was taken");
        outcome
    }

    /// An admin's commit with other group data.
    fn group_data(&mut self, dice: &mut Dice) -> &'static str {
        let extensions = self.insider.mls.context().extensions.clone();
        let good = extensions.data(GROUP_DATA).unwrap().to_vec();
        let mutated = dice.mutate(&good, &self.events[0]);
        if let Ok(data) = GroupData::decode_exact(&mutated) {
            let again = GroupData::decode_exact(&data.to_bytes().unwrap());
            assert_eq!(again, Ok(data));
        }
        if dice.below(16) > 0 {
            return if GroupData::decode_exact(&mutated).is_ok() { "read" } else { "refused" };
        }
        let mut changed = extensions;
        changed.insert(burrow::types::Extension {
            extension_type: GROUP_DATA,
            extension_data: mutated.clone(),
        });
        let twin = self.insider.mls.write().unwrap();
        let mut twin = self.insider.mls.client().restore(&twin, &[]).unwrap();
        let staged = twin.commit().group_context_extensions(changed).stage().unwrap();
        let outcome = self.give(&self.insider.seal(&staged.messages.message));
        assert!(outcome != "taken" || GroupData::decode_exact(&mutated).is_ok());
        outcome
    }

    /// A key package, signed by its account all the same.
    fn key_package(&mut self, dice: &mut Dice) -> &'static str {
        let genuine = self.event(&self.key_package).unwrap();
        let event = match dice.below(3) {
            0 => self.event(&dice.mutate_json(&self.key_package, &self.welcome)),
            choice => {
                let old = genuine.unsigned();
                let (tags, content) = if choice == 1 {
                    let other = [vec!["relays".to_owned(), "wss://x".to_owned()]];
                    (dice.mutate_tags(old.tags(), &other), old.content().to_owned())
                } else {
                    let bytes = BASE64.decode(old.content()).unwrap();
                    let bytes = dice.mutate(&bytes, &self.welcome);
                    (old.tags().to_vec(), BASE64.encode(bytes))
                };
                let suite = self.joiner.client.suite().unwrap();
                let account = self.joiner.account();
                let rumor = Rumor::new(suite, account, START, KEY_PACKAGE_KIND, tags, content);
                self.joiner.client.sign(rumor, &self.joiner.keys)
            }
        };
        let read = event.and_then(|event| self.people[0].client.read_key_package(&event));
        match read {
            Err(Error::Peer(_)) => "refused",
            Err(other) => panic!("{other:?}"),
            Ok(read) => {
                let package = self.people[0].client.read_key_package(&genuine).unwrap();
                assert_eq!(read.key_package(), package.key_package());
                "taken"
            }
        }
    }

    /// A Welcome, by whoever can wrap gifts.
    fn welcome(&mut self, dice: &mut Dice) -> &'static str {
        let suite = self.joiner.client.suite().unwrap();
        let genuine = Rumor::with_id_from_json(suite, &self.welcome).unwrap();
        let mutated = if dice.below(2) == 0 {
            dice.mutate_json(&self.welcome, &self.key_package)
        } else {
            let bytes = BASE64.decode(genuine.content()).unwrap();
            let bytes = dice.mutate(&bytes, &self.key_package);
            let tags = genuine.tags().to_vec();
            let content = BASE64.encode(bytes);
            Rumor::new(suite, genuine.author(), START, 444, tags, content).to_json()
        };
        match self.joiner.join(&mutated) {
            Err(Error::Peer(_) | Error::Mls(burrow::Error::Peer(_))) => "refused",
            Err(Error::Mls(burrow::Error::Unsupported(_) | burrow::Error::UnsupportedSuite(_))) => {
                "unsupported"
            }
            // Which PSK or group it lacks, only the caller knows.
            Err(Error::Mls(burrow::Error::Caller(_))) => "lacking",
            Err(other) => panic!("{other:?}"),
            Ok(group) => {
                assert_eq!(group.epoch(), 3);
                "taken"
            }
        }
    }
}

type Layer = (&'static str, fn(&mut Scene, &mut Dice) -> &'static str);

const LAYERS: [Layer; 7] = [
    ("json", Scene::json),
    ("envelope", Scene::envelope),
    ("inside", Scene::inside),
    ("rumor", Scene::rumor),
    ("group data", Scene::group_data),
    ("key package", Scene::key_package),
    ("welcome", Scene::welcome),
];

#[test]
fn nothing_hostile_is_taken() {
    let inputs = number("MARMOT_INPUTS", 20_000);
    let mut dice = Dice(number("MARMOT_SEED", 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut scene = Scene::new();
    let mut counts = Counts::default();
    for input in 0..inputs {
        if input % 20_000 == 19_999 {
            scene = Scene::new();
        }
        let (name, layer) = LAYERS[dice.below(LAYERS.len())];
        counts.add(name, layer(&mut scene, &mut dice));
        if input % 500 == 0 {
            scene.check_alive();
        }
    }
    for ((layer, outcome), count) in &counts.0 {
        println!("{layer:12} {outcome:22} {count}");
    }
    // Each layer was reached, and most of what was tried there was no good.
    for (layer, _) in LAYERS {
        let of_layer = counts.0.iter().filter(|((name, _), _)| *name == layer);
        let refused = of_layer.filter(|((_, outcome), _)| *outcome != "taken");
        assert!(refused.map(|(_, count)| count).sum::<u64>() > inputs / 20, "{layer}");
    }
}
