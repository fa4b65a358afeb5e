//! Groups for the cases to start from: named tree shapes, built the same way on every engine.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use engine_api::{
    Change, Client, Description, EngineError, Epoch, EpochAuthenticator, GroupId, Member,
    Registration, WelcomeBytes, WireProfile,
};

use crate::original::{Copying, Original};

/// The shape of the ratchet tree, on which the cost of a commit depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tree {
    /// The founder added everybody in one commit and nobody has committed since: the inner nodes
    /// off the founder's own path are blank, so a committer encrypts to almost every leaf.
    Cold,
    /// Every member has committed an update after joining, the founder last: the inner nodes are
    /// filled, so a committer encrypts to about log2(n) nodes.
    Warm,
}

impl Tree {
    /// The shape's name in row names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
        }
    }
}

/// A group with two of its members at hand: the founder at leaf 0, and the last to join.
pub struct World {
    /// Whose clients these are.
    pub engine: Registration,
    /// The group's id.
    pub group: GroupId,
    /// Where it stands.
    pub epoch: Epoch,
    /// Its members in leaf order.
    pub members: Vec<Member>,
    /// What its members agree on.
    pub authenticator: EpochAuthenticator,
    /// The founder.
    pub founder: Original,
    /// The last member to join; none in a group of one.
    pub last: Option<Original>,
}

type Shared = HashMap<(&'static str, usize, Tree), Rc<World>>;

thread_local! {
    static SHARED: RefCell<Shared> = RefCell::default();
}

impl World {
    /// A group of `size` members with the given tree. Built once per engine, size and tree, if
    /// the engine's clients can be copied; each time anew, if not.
    ///
    /// # Errors
    /// What the engine gives; [`EngineError::Internal`] if it does something unexpected.
    pub fn of(engine: &Registration, size: usize, tree: Tree) -> Result<Rc<Self>, EngineError> {
        let description = engine.describe();
        if Copying::of(&description) == Copying::Once {
            return Self::build(engine, size, tree).map(Rc::new);
        }
        let key = (description.name, size, tree);
        if let Some(world) = SHARED.with_borrow(|shared| shared.get(&key).cloned()) {
            return Ok(world);
        }
        let world = Rc::new(Self::build(engine, size, tree)?);
        SHARED.with_borrow_mut(|shared| shared.insert(key, Rc::clone(&world)));
        Ok(world)
    }

    fn build(engine: &Registration, size: usize, tree: Tree) -> Result<Self, EngineError> {
        let (group, founder, last) = match tree {
            _ if is_constructed(&engine.describe(), size) => large(engine, size, tree)?,
            Tree::Cold => cold(engine, size)?,
            Tree::Warm => warm(engine, size)?,
        };
        let members = founder.members(&group)?;
        if members.len() != size {
            return Err(unexpected("a group of another size"));
        }
        Ok(Self {
            engine: *engine,
            epoch: founder.epoch(&group)?,
            authenticator: founder.epoch_authenticator(&group)?,
            members,
            founder: Original::new(*engine, founder)?,
            last: last.map(|client| Original::new(*engine, client)).transpose()?,
            group,
        })
    }
}

type Built = (GroupId, Client, Option<Client>);

/// Groups up to this size come about as they would in use, by messages between their members.
pub(crate) const LARGEST_PLAYED: usize = 64;

/// And warm trees of engines with another profile than plain MLS up to this one.
const LARGEST_WARM: usize = 101;

/// Whether a group of this size is made by construction.
pub(crate) fn is_constructed(engine: &Description, size: usize) -> bool {
    size > LARGEST_PLAYED && engine.wire_profile == WireProfile::Mls
}

/// Why an engine has no group of this size and tree, if it hasn't.
pub(crate) fn absent(engine: &Description, size: usize, tree: Tree) -> Option<String> {
    if is_constructed(engine, size) && !large_groups(engine) {
        return Some(format!(
            "groups of more than {LARGEST_PLAYED} members are made by construction, by burrow, which \
             doesn't have the cipher suite"
        ));
    }
    let too_large = size > LARGEST_WARM && engine.wire_profile == WireProfile::Marmot;
    (too_large && tree == Tree::Warm).then(|| {
        format!(
            "warm trees of more than {LARGEST_WARM} members are made by construction, in groups of \
             plain MLS; by messages between members they take the square of their size"
        )
    })
}

/// By construction ([`crate::large_group`]). In a cold tree the founder alone has committed since, in
/// a warm one the last member and then the founder.
fn large(engine: &Registration, size: usize, tree: Tree) -> Result<Built, EngineError> {
    let Founded { group, first: mut founder, mut last, welcome } = large_group(engine, size, tree)?;
    last.join_welcome(&welcome)?;
    if tree == Tree::Warm {
        update(&mut last, &mut founder, &group)?;
    }
    update(&mut founder, &mut last, &group)?;
    Ok((group, founder, Some(last)))
}

#[cfg(feature = "burrow")]
pub(crate) use crate::large_group::{Founded, found as large_group, is_possible as large_groups};

/// A large group, if it could be made.
#[cfg(not(feature = "burrow"))]
pub(crate) struct Founded {
    pub(crate) group: GroupId,
    pub(crate) first: Client,
    pub(crate) last: Client,
    pub(crate) welcome: WelcomeBytes,
}

/// Without burrow none can be made, which its making says.
#[cfg(not(feature = "burrow"))]
pub(crate) fn large_groups(_: &Description) -> bool {
    true
}

#[cfg(not(feature = "burrow"))]
pub(crate) fn large_group(_: &Registration, _: usize, _: Tree) -> Result<Founded, EngineError> {
    Err(EngineError::unsupported("large groups are made by burrow, which isn't built"))
}

/// Everybody in one commit; only the last invitee needs to join.
fn cold(engine: &Registration, size: usize) -> Result<Built, EngineError> {
    let mut founder = engine.new_client("founder")?;
    let mut key_packages = Vec::with_capacity(size);
    let mut last = None;
    for index in 1..size {
        let mut invitee = engine.new_client(&format!("member {index}"))?;
        key_packages.push(invitee.publish_key_package()?);
        last = Some(invitee);
    }
    let founded = founder.create_group(&key_packages)?;
    if let Some(last) = &mut last {
        let welcome = founded.welcomes.for_invitee(size.saturating_sub(2));
        last.join_welcome(welcome.ok_or_else(|| unexpected("no Welcome"))?)?;
    }
    Ok((founded.group, founder, last))
}

/// One member after the other: added by the founder, then committing an update, which only the
/// founder follows (the earlier members' states are not needed any more). At the end the founder
/// commits an update and the last member follows. About 3n operations instead of n squared.
fn warm(engine: &Registration, size: usize) -> Result<Built, EngineError> {
    let mut founder = engine.new_client("founder")?;
    let mut group = None;
    let mut last = None;
    for index in 1..size {
        let mut joiner = engine.new_client(&format!("member {index}"))?;
        let key_package = joiner.publish_key_package()?;
        let welcome = match &group {
            None => {
                let founded = founder.create_group(&[key_package])?;
                group = Some(founded.group);
                first(founded.welcomes.for_invitee(0))?
            }
            Some(group) => {
                let change = Change::Add(std::slice::from_ref(&key_package));
                let staged = founder.stage_commit(group, &change)?;
                let welcome = first(staged.welcomes().for_invitee(0))?;
                founder.merge_staged(staged.published())?;
                welcome
            }
        };
        let group = joiner.join_welcome(&welcome)?;
        update(&mut joiner, &mut founder, &group)?;
        last = Some(joiner);
    }
    let group = match group {
        Some(group) => group,
        None => founder.create_group(&[])?.group,
    };
    if let Some(last) = &mut last {
        update(&mut founder, last, &group)?;
    }
    Ok((group, founder, last))
}

fn first(welcome: Option<&WelcomeBytes>) -> Result<WelcomeBytes, EngineError> {
    welcome.cloned().ok_or_else(|| unexpected("no Welcome"))
}

/// `committer` commits an update and `follower` ingests it.
pub(crate) fn update(
    committer: &mut Client,
    follower: &mut Client,
    group: &GroupId,
) -> Result<(), EngineError> {
    let staged = committer.stage_commit(group, &Change::Update)?;
    let publication = staged.publication();
    committer.merge_staged(staged.published())?;
    let outcome = follower.ingest_commit(group, &publication.commit)?;
    match outcome.applied() {
        Some(_) => Ok(()),
        None => Err(unexpected("an update that was not applied")),
    }
}

fn unexpected(what: &str) -> EngineError {
    EngineError::internal(format_args!("setting up: {what}"))
}
