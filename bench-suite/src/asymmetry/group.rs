//! Pairs of an engine: send and `ingest_app`, commit and `ingest_commit`, founding and joining; and as
//! the control two members who send each other the same message.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use engine_api::{
    AppBytes, Change, Client, CommitBytes, EngineError, GroupId, Ingested, Registration,
    WelcomeBytes,
};

use super::primitive::{flipped_at, places, quickest};
use super::{Pair, Ready, Role, Unplayed};
use crate::case::{Case, ChangeKind, Row};
use crate::cases::{Commit, CreateGroup, IngestApp, IngestCommit, JoinWelcome, PAYLOAD, Send};
use crate::original::Original;
use crate::side_by_side::{Times, Work};
use crate::world::{Tree, World, update};

/// So many samples are made before their time is taken; what they hold is memory meanwhile.
const AT_ONCE: usize = 8;

/// Updates by each of the two of a control: more than any engine keeps epochs.
const SETTLING: usize = 8;

pub(super) fn pairs(engine: &Registration, size: usize) -> Vec<Pair> {
    let (change, tree) = (ChangeKind::Update, Tree::Warm);
    let invitees = size.saturating_sub(1);
    let named = |what: &str| format!("{} {what}", engine.name());
    vec![
        control(engine),
        pair(
            named(&format!("message/{size}")),
            ("send", "ingest_app"),
            (engine, size, Send),
            (engine, size, IngestApp),
            Object::Message,
        ),
        pair(
            named(&format!("commit/update/warm/{size}")),
            ("commit", "ingest_commit"),
            (engine, size, Commit { change, tree }),
            (engine, size, IngestCommit { change, tree }),
            Object::Commit,
        ),
        pair(
            named(&format!("welcome/{size}")),
            ("create_group", "join_welcome"),
            (engine, invitees, CreateGroup),
            (engine, size, JoinWelcome),
            Object::Welcome,
        ),
    ]
}

/// A case of an engine at a size.
type Cell<'a, C> = (&'a Registration, usize, C);

fn pair<S, R>(
    name: String,
    (sender, receiver): (&'static str, &'static str),
    sends: Cell<'_, S>,
    receives: Cell<'_, R>,
    object: Object,
) -> Pair
where
    S: Case + std::marker::Send + Sync + 'static,
    R: Case + std::marker::Send + Sync + 'static,
{
    let (engine, sending_size, sends) = (*sends.0, sends.1, sends.2);
    let (size, receives) = (receives.1, receives.2);
    let make = move |role| match role {
        Role::Sender => OfCase::ready(sends, &engine, sending_size),
        Role::Receiver => OfCase::ready(receives, &engine, size),
        Role::Refusing => Refusing::ready(&engine, size, object),
    };
    let make = move |role| make(role).map(Some).map_err(Unplayed::from);
    Pair { name, sender, receiver, equal: false, at_least: 1, make: Arc::new(make) }
}

/// A case, sample by sample.
struct OfCase<C: Case>(Row<C>);

impl<C: Case + 'static> OfCase<C> {
    fn ready(case: C, engine: &Registration, size: usize) -> Result<Ready, EngineError> {
        if let Some(reason) = case.absent(&engine.describe(), size) {
            return Err(EngineError::unsupported(reason));
        }
        let row = Row::new(case, engine, size)?;
        let mut sample = row.sample()?;
        sample.run();
        let bytes = sample.wire().map(|wire| {
            let all = if wire.received.is_empty() { wire.sent } else { wire.received };
            all.iter().map(|(_, bytes)| bytes).sum()
        });
        sample.spot_check().map_err(EngineError::internal)?;
        Ok(Ready { work: Box::new(Self(row)), wire_bytes: bytes, figures: Vec::new() })
    }
}

impl<C: Case> Work for OfCase<C> {
    fn turn(&mut self, repeats: u32) -> Result<Times, String> {
        let samples = |wanted| (0..wanted).map(|_| self.0.sample()).collect::<Result<Vec<_>, _>>();
        in_portions(repeats, |wanted| {
            let mut samples = samples(wanted).map_err(|why| why.to_string())?;
            let start = Instant::now();
            samples.iter_mut().for_each(crate::case::Sample::run);
            let taken = start.elapsed().as_nanos() as f64;
            samples.iter().try_for_each(crate::case::Sample::spot_check)?;
            Ok(taken)
        })
    }
}

/// So many operations in portions; `portion` says how many nanoseconds it took for so many.
fn in_portions(
    repeats: u32,
    mut portion: impl FnMut(usize) -> Result<f64, String>,
) -> Result<Times, String> {
    let mut left = repeats.max(1) as usize;
    let mut sum = 0.0;
    while left > 0 {
        let wanted = left.min(AT_ONCE);
        sum += portion(wanted)?;
        left -= wanted;
    }
    Ok(Times { whole_ns: sum / f64::from(repeats.max(1)), parts_ns: Vec::new() })
}

/// What is sent.
#[derive(Clone, Copy)]
enum Object {
    Message,
    Commit,
    Welcome,
}

/// A member, or somebody invited, who is given an object with one bit flipped.
struct Refusing {
    receiver: Receiver,
    bad: Bad,
}

enum Receiver {
    Member(Rc<World>),
    Invited(Original),
}

enum Bad {
    Message(GroupId, AppBytes),
    Commit(GroupId, CommitBytes),
    Welcome(WelcomeBytes),
}

impl Refusing {
    /// Of some places in which a bit is flipped, the one that it takes longest to refuse. Places whose
    /// change is accepted don't count: a transport's envelope can have some.
    fn ready(engine: &Registration, size: usize, object: Object) -> Result<Ready, EngineError> {
        let (receiver, good, make) = genuine(engine, size, object)?;
        let mut refusing = Self { receiver, bad: make(good.clone()) };
        let mut dearest: Option<(f64, usize)> = None;
        for at in places(good.len()) {
            refusing.bad = make(flipped(&good, at));
            let Some(time) = quickest(&mut refusing) else { continue };
            if dearest.is_none_or(|(most, _)| time > most) {
                dearest = Some((time, at));
            }
        }
        let Some((_, at)) = dearest else {
            return Err(EngineError::internal("no flipped bit is refused"));
        };
        refusing.bad = make(flipped(&good, at));
        let figures = vec![flipped_at(at)];
        Ok(Ready { work: Box::new(refusing), wire_bytes: Some(good.len()), figures })
    }

    fn copy(&self) -> Result<Client, EngineError> {
        match &self.receiver {
            Receiver::Invited(invited) => invited.copy(),
            Receiver::Member(world) => match &world.last {
                Some(last) => last.copy(),
                None => Err(EngineError::internal("nobody to receive")),
            },
        }
    }
}

impl Work for Refusing {
    /// Each time by a fresh copy: a refusal may leave traces.
    fn turn(&mut self, repeats: u32) -> Result<Times, String> {
        in_portions(repeats, |wanted| {
            let copies = (0..wanted).map(|_| self.copy()).collect::<Result<Vec<_>, _>>();
            let mut copies = copies.map_err(|why| why.to_string())?;
            let mut refused = 0;
            let start = Instant::now();
            for client in &mut copies {
                refused += usize::from(self.bad.is_refused(client));
            }
            let taken = start.elapsed().as_nanos() as f64;
            if refused == wanted { Ok(taken) } else { Err("a flipped bit was accepted".into()) }
        })
    }
}

impl Bad {
    fn is_refused(&self, client: &mut Client) -> bool {
        match self {
            Self::Message(group, bytes) => match client.ingest_app(group, bytes) {
                Ok(outcome) => !matches!(outcome, Ingested::Applied(_) | Ingested::Removed),
                Err(_) => true,
            },
            Self::Commit(group, bytes) => match client.ingest_commit(group, bytes) {
                Ok(outcome) => !matches!(outcome, Ingested::Applied(_) | Ingested::Removed),
                Err(_) => true,
            },
            Self::Welcome(bytes) => client.join_welcome(bytes).is_err(),
        }
    }
}

fn flipped(good: &[u8], at: usize) -> Vec<u8> {
    let mut bad = good.to_vec();
    if let Some(byte) = bad.get_mut(at) {
        *byte ^= 1;
    }
    bad
}

/// Wraps an object's bytes.
type Wrap = Box<dyn Fn(Vec<u8>) -> Bad>;

/// A receiver, the object that it would take, and how its bytes are wrapped.
fn genuine(
    engine: &Registration,
    size: usize,
    object: Object,
) -> Result<(Receiver, Vec<u8>, Wrap), EngineError> {
    Ok(match object {
        Object::Message => {
            let world = World::of(engine, size, Tree::Cold)?;
            let message = world.founder.copy()?.send(&world.group, PAYLOAD)?;
            let group = world.group.clone();
            let wrap: Wrap = Box::new(move |b| Bad::Message(group.clone(), b.into()));
            (Receiver::Member(world), message.as_slice().to_vec(), wrap)
        }
        Object::Commit => {
            let world = World::of(engine, size, Tree::Warm)?;
            let mut committer = world.founder.copy()?;
            let staged = committer.stage_commit(&world.group, &Change::Update)?;
            let bytes = staged.commit().as_slice().to_vec();
            let group = world.group.clone();
            let wrap: Wrap = Box::new(move |b| Bad::Commit(group.clone(), b.into()));
            (Receiver::Member(world), bytes, wrap)
        }
        Object::Welcome => {
            let (invited, welcome) = invited(engine, size)?;
            let wrap: Wrap = Box::new(|b| Bad::Welcome(b.into()));
            (Receiver::Invited(invited), welcome.as_slice().to_vec(), wrap)
        }
    })
}

/// The last of those whom a founder invites, before it joins, and its Welcome.
fn invited(engine: &Registration, size: usize) -> Result<(Original, WelcomeBytes), EngineError> {
    let mut founder = engine.new_client("founder")?;
    let mut key_packages = Vec::new();
    let mut last = None;
    for index in 1..size {
        let mut invitee = engine.new_client(&format!("member {index}"))?;
        key_packages.push(invitee.publish_key_package()?);
        last = Some(invitee);
    }
    let founded = founder.create_group(&key_packages)?;
    let welcome = founded.welcomes.for_invitee(size.saturating_sub(2)).cloned();
    let (Some(last), Some(welcome)) = (last, welcome) else {
        return Err(EngineError::internal("nobody was invited"));
    };
    Ok((Original::new(*engine, last)?, welcome))
}

/// Two members of one group who each read what the other sent: the same message, in the same state of
/// the sender's ratchet.
fn control(engine: &Registration) -> Pair {
    let engine = *engine;
    let make = move |role| -> Result<Option<Ready>, EngineError> {
        let (group, one, other) = settled(&engine)?;
        let (from, to) = match role {
            Role::Sender => (one, other),
            Role::Receiver => (other, one),
            Role::Refusing => return Ok(None),
        };
        let message = from.copy()?.send(&group, PAYLOAD)?;
        let bytes = message.len();
        let reading = Reading { group, to, message };
        Ok(Some(Ready { work: Box::new(reading), wire_bytes: Some(bytes), figures: Vec::new() }))
    };
    Pair {
        name: format!("{} the same message each way/2 (control)", engine.name()),
        sender: "ingest_app by the second",
        receiver: "ingest_app by the first",
        equal: true,
        at_least: 1,
        make: Arc::new(move |role| make(role).map_err(Unplayed::from)),
    }
}

/// Two members with the same behind them. Whoever founds a group has an epoch more than whoever joins,
/// which some engines keep, store and search: so many epochs later none has it any more.
fn settled(engine: &Registration) -> Result<(GroupId, Original, Original), EngineError> {
    let world = World::of(engine, 2, Tree::Warm)?;
    let Some(last) = &world.last else {
        return Err(EngineError::internal("nobody to receive"));
    };
    let (mut one, mut other) = (world.founder.copy()?, last.copy()?);
    for _ in 0..SETTLING {
        update(&mut one, &mut other, &world.group)?;
        update(&mut other, &mut one, &world.group)?;
    }
    Ok((world.group.clone(), Original::new(*engine, one)?, Original::new(*engine, other)?))
}

struct Reading {
    group: GroupId,
    to: Original,
    message: AppBytes,
}

impl Work for Reading {
    fn turn(&mut self, repeats: u32) -> Result<Times, String> {
        in_portions(repeats, |wanted| {
            let copies = (0..wanted).map(|_| self.to.copy()).collect::<Result<Vec<_>, _>>();
            let mut copies = copies.map_err(|why| why.to_string())?;
            let mut read = Vec::with_capacity(wanted);
            let start = Instant::now();
            for client in &mut copies {
                read.push(client.ingest_app(&self.group, &self.message));
            }
            let taken = start.elapsed().as_nanos() as f64;
            let good = |read: &Result<Ingested<_>, EngineError>| match read {
                Ok(Ingested::Applied(message)) => {
                    let message: &engine_api::AppMessage = message;
                    message.payload == PAYLOAD
                }
                _ => false,
            };
            if read.iter().all(good) { Ok(taken) } else { Err("a message wasn't read".into()) }
        })
    }
}
