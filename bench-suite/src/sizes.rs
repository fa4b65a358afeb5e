//! `sizes`: what goes over the wire, engine by engine.

use engine_api::{Change, EngineError, Registration};
use serde::Serialize;

use crate::cases::PAYLOAD;
use crate::world::{Tree, World};

/// Encoded sizes in a group of one engine, in bytes.
#[derive(Debug, Serialize)]
pub struct Sizes {
    /// The engine.
    pub engine: &'static str,
    /// Members of the group.
    pub members: usize,
    /// The ratchet tree's shape.
    pub tree: &'static str,
    /// A key package.
    pub key_package: usize,
    /// An application message of 100 bytes.
    pub message: usize,
    /// A commit that adds one member.
    pub commit_add: usize,
    /// What the committer uploads for that member to join.
    pub welcome: usize,
    /// A commit that removes the member in the middle.
    pub commit_remove: usize,
    /// A commit that updates the committer's keys.
    pub commit_update: usize,
    /// The ratchet tree by itself.
    pub ratchet_tree: Option<usize>,
    /// What the founder would store for this group.
    pub stored_state: Option<usize>,
}

/// Looks at one group.
///
/// # Errors
/// What the engine gives.
pub fn look(engine: &Registration, members: usize, tree: Tree) -> Result<Sizes, EngineError> {
    let world = World::of(engine, members, tree)?;
    let mut newcomer = engine.new_client("newcomer")?;
    let key_package = newcomer.publish_key_package()?;
    let add = Change::Add(std::slice::from_ref(&key_package));
    let remove = world.members.get(members / 2).map(std::slice::from_ref).unwrap_or_default();
    let mut founder = world.founder.copy()?;
    let mut staged = |change: &Change<'_>| -> Result<(usize, usize), EngineError> {
        let staged = founder.stage_commit(&world.group, change)?;
        let lengths = (staged.commit().len(), staged.welcomes().encoded_len());
        founder.discard_staged(staged)?;
        Ok(lengths)
    };
    let (commit_add, welcome) = staged(&add)?;
    let (commit_remove, _) = staged(&Change::Remove(remove))?;
    let (commit_update, _) = staged(&Change::Update)?;
    let own = founder.encoded_sizes(&world.group)?;
    Ok(Sizes {
        engine: engine.name(),
        members,
        tree: tree.name(),
        key_package: key_package.len(),
        message: founder.send(&world.group, PAYLOAD)?.len(),
        commit_add,
        welcome,
        commit_remove,
        commit_update,
        ratchet_tree: own.ratchet_tree,
        stored_state: own.stored_state,
    })
}
