//! A walk on the stage: the actors, what is on the network, and who has to agree.

use std::collections::BTreeMap;

use engine_api::{
    EngineError, EpochAuthenticator, GroupId, Identity, LeafIndex, Member, StagedCommit,
    WelcomeBytes,
};

use super::data::{Camp, Name, Part, Profile, Scenario, Word};
use super::engine::{Engine, Held};
use super::forge::Insider;

/// What ends a walk early.
#[derive(Debug)]
pub(super) enum End {
    Unsupported(String),
    /// Words, whose fault, and of which engine.
    Differs {
        what: String,
        actor: Option<Name>,
        engine: Option<&'static str>,
    },
}

pub(super) type Outcome<T = ()> = Result<T, End>;

/// One actor.
pub(super) struct Actor {
    pub(super) engine: Engine,
    pub(super) player: Player,
    /// Where it was in each group, unless something has moved it since.
    pub(super) last: BTreeMap<Name, State>,
}

/// Who plays an actor.
pub(super) enum Player {
    Client(Held),
    Insider(Box<Insider>),
}

/// What a member sees of the present epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) epoch: u64,
    pub(super) members: Vec<Member>,
    pub(super) own_leaf: LeafIndex,
    pub(super) authenticator: EpochAuthenticator,
    pub(super) exported: Option<Vec<u8>>,
    pub(super) extensions: Option<Vec<engine_api::MlsExtension>>,
}

/// What kind of message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    KeyPackage,
    Commit,
    Application,
    Proposal,
}

/// A message on the network.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) kind: Kind,
    pub(super) author: Name,
    pub(super) group: Name,
    pub(super) bytes: Vec<u8>,
    pub(super) text: Option<String>,
    /// The group data in it, if the kit has made it.
    pub(super) group_data: Option<Vec<u8>>,
}

/// The stage.
pub(super) struct Stage {
    pub(super) profile: Profile,
    pub(super) actors: BTreeMap<Name, Actor>,
    pub(super) groups: BTreeMap<Name, GroupId>,
    pub(super) messages: BTreeMap<Name, Message>,
    /// By the name of the commit or the group, then by the invitee's.
    pub(super) welcomes: BTreeMap<Name, BTreeMap<Name, WelcomeBytes>>,
    pub(super) staged: BTreeMap<Name, StagedCommit>,
    pub(super) camps: Vec<Camp>,
    pub(super) compared: usize,
    pub(super) notes: Vec<String>,
    /// Names that actors go by beside their own.
    pub(super) aliases: BTreeMap<Name, Name>,
    /// For names of messages that have none.
    pub(super) unnamed: usize,
}

impl Stage {
    /// The actors of a walk, each a fresh client.
    pub(super) fn new(walk: &Scenario, engines: &[Engine]) -> Outcome<Self> {
        let (Some(first), Some(last)) = (engines.first(), engines.last()) else {
            return Err(End::Unsupported("no engine".into()));
        };
        let profile = first.profile();
        let mut actors = BTreeMap::new();
        for (name, part) in &walk.cast {
            let engine = if *part == Part::B { *last } else { *first };
            let player = if *part == Part::Insider && profile == Profile::Marmot {
                Player::Insider(Box::new(Insider::new().map_err(kit)?))
            } else {
                let client = engine.new_client(name, walk);
                Player::Client(client.map_err(|why| End::of(&why, name, &engine, "new client"))?)
            };
            let actor = Actor { engine, player, last: BTreeMap::new() };
            actors.insert(name.clone(), actor);
        }
        Ok(Self {
            profile,
            actors,
            groups: BTreeMap::new(),
            messages: BTreeMap::new(),
            welcomes: BTreeMap::new(),
            staged: BTreeMap::new(),
            camps: Vec::new(),
            compared: 0,
            notes: Vec::new(),
            aliases: BTreeMap::new(),
            unnamed: 0,
        })
    }

    pub(super) fn actor(&mut self, name: &str) -> Outcome<&mut Actor> {
        let known = self.resolve(name);
        self.actors.get_mut(&known).ok_or_else(|| kit(format!("no actor is called {name}")))
    }

    /// The name that an actor has in the cast.
    pub(super) fn resolve(&self, name: &str) -> Name {
        self.aliases.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// An actor's client, and its engine.
    pub(super) fn client(&mut self, name: &str) -> Outcome<(&mut Held, Engine)> {
        let actor = self.actor(name)?;
        match &mut actor.player {
            Player::Client(client) => Ok((client, actor.engine)),
            Player::Insider(_) => Err(kit(format!("{name} is an insider, and does no such thing"))),
        }
    }

    pub(super) fn group(&self, name: &str) -> Outcome<GroupId> {
        let group = self.groups.get(name).cloned();
        group.ok_or_else(|| kit(format!("no group is called {name}")))
    }

    pub(super) fn message(&self, name: &str) -> Outcome<Message> {
        let message = self.messages.get(name).cloned();
        message.ok_or_else(|| kit(format!("no message is called {name}")))
    }

    pub(super) fn identity(&self, name: &str) -> Outcome<Identity> {
        match self.actors.get(&self.resolve(name)).map(|actor| &actor.player) {
            Some(Player::Client(client)) => Ok(client.engine().identity()),
            Some(Player::Insider(insider)) => Ok(Identity::new(insider.account().0.to_vec())),
            None => Err(kit(format!("no actor is called {name}"))),
        }
    }

    /// Puts a message on the network.
    pub(super) fn publish(&mut self, name: Option<&Name>, message: Message) -> Name {
        self.unnamed += 1;
        let name = name.cloned().unwrap_or_else(|| format!("message {}", self.unnamed));
        self.messages.insert(name.clone(), message);
        name
    }

    /// Notes that an actor's state may be another now.
    pub(super) fn moves(&mut self, name: &str) -> Outcome {
        self.actor(name)?.last.clear();
        Ok(())
    }

    /// Enters that something was compared.
    pub(super) fn holds(
        &mut self,
        name: &str,
        holds: bool,
        otherwise: impl FnOnce() -> String,
    ) -> Outcome {
        self.compared += 1;
        if holds {
            return Ok(());
        }
        let engine = self.actors.get(&self.resolve(name)).map(|actor| actor.engine.name());
        Err(End::Differs { what: otherwise(), actor: Some(name.to_owned()), engine })
    }

    /// That what came is one of what may come.
    pub(super) fn expect(&mut self, name: &str, came: (Word, &str), may: &[Word]) -> Outcome {
        let (word, detail) = came;
        self.holds(name, may.contains(&word), || {
            let may: Vec<_> = may.iter().map(|word| word.name()).collect();
            let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
            format!("{}{detail} instead of {}", word.name(), may.join(" or "))
        })
    }
}

impl End {
    /// An engine's error, where the scenario has no place for one.
    pub(super) fn of(why: &EngineError, actor: &str, engine: &Engine, call: &str) -> Self {
        match why {
            EngineError::Unsupported(why) => Self::Unsupported(why.clone()),
            why => Self::Differs {
                what: format!("{call}: {why}"),
                actor: Some(actor.to_owned()),
                engine: Some(engine.name()),
            },
        }
    }
}

/// What is the scenario's own fault, or the kit's.
pub(super) fn kit(why: impl Into<String>) -> End {
    End::Differs { what: why.into(), actor: None, engine: None }
}
