//! `epoch-probe`: what a founding really did, engine by engine.

use engine_api::{EngineError, Epoch, Registration, Welcomes};
use serde::Serialize;

/// What one engine did when it founded a group with two invitees.
#[derive(Debug, Serialize)]
pub struct Founding {
    /// The engine.
    pub engine: &'static str,
    /// The founder's epoch in a group without invitees.
    pub epoch_alone: u64,
    /// The founder's epoch once the group with two invitees is made.
    pub epoch_after_create: u64,
    /// Commits that the engine wants published for the founding add.
    pub commits_published: usize,
    /// Welcome messages: 1 if all invitees share one.
    pub welcomes: usize,
    /// Their size in bytes, together.
    pub welcome_bytes: usize,
    /// The epoch that the first invitee lands in.
    pub epoch_of_invitee: u64,
    /// Whether founder and invitee agree there.
    pub agree: bool,
}

/// Founds a group and looks.
///
/// # Errors
/// What the engine gives.
pub fn probe(engine: &Registration) -> Result<Founding, EngineError> {
    let mut alone = engine.new_client("alone")?;
    let solo = alone.create_group(&[])?.group;
    let Epoch(epoch_alone) = alone.epoch(&solo)?;

    let mut founder = engine.new_client("founder")?;
    let mut one = engine.new_client("one")?;
    let mut other = engine.new_client("other")?;
    let key_packages = [one.publish_key_package()?, other.publish_key_package()?];
    let founded = founder.create_group(&key_packages)?;
    let Some(welcome) = founded.welcomes.for_invitee(0) else {
        return Err(EngineError::internal("no Welcome"));
    };
    let group = one.join_welcome(welcome)?;
    Ok(Founding {
        engine: engine.name(),
        epoch_alone,
        epoch_after_create: founder.epoch(&group)?.0,
        commits_published: founded.published_commits.len(),
        welcomes: match &founded.welcomes {
            Welcomes::None => 0,
            Welcomes::Shared(_) => 1,
            Welcomes::PerInvitee(all) => all.len(),
        },
        welcome_bytes: founded.welcomes.encoded_len(),
        epoch_of_invitee: one.epoch(&group)?.0,
        agree: one.epoch_authenticator(&group)? == founder.epoch_authenticator(&group)?,
    })
}
