//! What inputs are tried on.

use std::collections::HashSet;

use burrow::{
    Error,
    codec::{Decode, Encode},
    framing::MlsMessage,
    group::{Group, Ignored, JoinOptions, KeyPackageSecrets, Received, StagedRemoteCommit},
    tree::UnverifiedRatchetTree,
    types::{KeyPackage, Welcome},
};

use crate::{
    Failure,
    input::{Input, Stage},
    samples::{Genuine, Kind, Samples},
    seal::Seal,
    world::{World, welcome},
};

/// What came of an input.
#[derive(Debug)]
pub enum Outcome {
    /// It was refused: the state has to be what it was.
    Rejected(Error),
    /// It was passed over: the same.
    Ignored(&'static str),
    /// It was accepted, and nothing has happened yet: the same, until [`Target::finish`].
    Staged,
    /// It was accepted.
    Accepted(&'static str),
}

/// Whatever can be given inputs. The judge's own tests give it broken ones.
pub trait Target {
    /// Takes one input.
    fn run(&mut self, input: &Input) -> Outcome;

    /// Takes over what was staged, and tries what comes out.
    ///
    /// # Errors
    ///
    /// If that goes wrong.
    fn finish(&mut self, input: &Input) -> Result<(), Failure>;

    /// All of the state that an input can have changed.
    ///
    /// # Errors
    ///
    /// If it can't be written.
    fn state(&self, world: usize) -> Result<Vec<u8>, Failure>;

    /// Goes back to the first state.
    ///
    /// # Errors
    ///
    /// If it can't.
    fn reset(&mut self, world: usize) -> Result<(), Failure>;

    /// Sees whether what is right is accepted in the state that there is, on a copy of it.
    ///
    /// # Errors
    ///
    /// If it isn't.
    fn check_genuine(&self, world: usize) -> Result<(), Failure>;

    /// Whether anybody could have made this input without a key, and it isn't what a member sent: if
    /// it is accepted, it is a forgery.
    fn is_forgery(&self, input: &Input) -> bool;
}

/// burrow.
pub struct Burrow<'a> {
    stage: &'a Stage,
    receivers: Vec<Group>,
    staged: Option<Box<StagedRemoteCommit>>,
    genuine: Vec<HashSet<Vec<u8>>>,
}

impl<'a> Burrow<'a> {
    /// One receiver in each world.
    ///
    /// # Errors
    ///
    /// If a group can't be copied.
    pub fn new(stage: &'a Stage) -> Result<Self, Failure> {
        let worlds = stage.worlds.iter();
        let receivers: Result<_, _> =
            worlds.clone().map(|(world, _)| world.copy_of(world.receiver)).collect();
        let genuine = worlds.map(|(_, samples)| {
            let raw = samples.all.iter().filter(|sample| sample.seal == Seal::Raw);
            raw.map(|sample| sample.value.to_bytes()).collect()
        });
        Ok(Self { stage, receivers: receivers?, staged: None, genuine: genuine.collect() })
    }

    fn world(&self, at: usize) -> Result<&'a (World, Samples), Failure> {
        self.stage.worlds.get(at).ok_or_else(|| "no such world".into())
    }

    fn try_out(&mut self, input: &Input) -> Result<Outcome, Error> {
        let missing = Error::Internal("no such world");
        let (world, samples) = self.stage.worlds.get(input.world).ok_or(missing.clone())?;
        let group = self.receivers.get_mut(input.world).ok_or(missing)?;
        match input.kind {
            Kind::KeyPackage => add(world, group, &input.bytes),
            Kind::Welcome => join(world, &samples.genuine, &input.bytes),
            Kind::GroupInfo => join_externally(world, &input.bytes),
            Kind::RatchetTree if input.seal == Seal::Raw => {
                join_with_tree(world, &samples.genuine, &input.bytes)
            }
            Kind::RatchetTree => join_externally(world, &input.bytes),
            Kind::StoredGroup => restore(world, &samples.genuine, &input.bytes),
            Kind::StoredCommit => restore_staged(group, &input.bytes),
            Kind::StoredKeyPackage => restore_key_package(world, &samples.genuine, &input.bytes),
            _ => {
                let received = group.receive(&input.bytes)?;
                Ok(match received {
                    Received::Application(_) => Outcome::Accepted("application data"),
                    Received::Proposal(_) => Outcome::Accepted("a proposal"),
                    Received::Ignored(why) => Outcome::Ignored(name_of(why)),
                    Received::Commit(staged) => {
                        self.staged = Some(staged);
                        Outcome::Staged
                    }
                })
            }
        }
    }
}

impl Target for Burrow<'_> {
    fn run(&mut self, input: &Input) -> Outcome {
        self.staged = None;
        self.try_out(input).unwrap_or_else(Outcome::Rejected)
    }

    fn finish(&mut self, input: &Input) -> Result<(), Failure> {
        let staged = self.staged.take().ok_or("nothing is staged")?;
        let group = self.receivers.get_mut(input.world).ok_or("no such world")?;
        let epoch = group.epoch();
        let removes_us = staged.removes_us();
        group.merge_remote(*staged)?;
        if !removes_us && group.epoch() != epoch + 1 {
            return Err("the epoch after a commit is not the next one".into());
        }
        comes_back(group)
    }

    fn state(&self, world: usize) -> Result<Vec<u8>, Failure> {
        let group = self.receivers.get(world).ok_or("no such world")?;
        Ok(group.write()?.to_vec())
    }

    fn reset(&mut self, world: usize) -> Result<(), Failure> {
        self.staged = None;
        let (base, _) = self.world(world)?;
        *self.receivers.get_mut(world).ok_or("no such world")? = base.copy_of(base.receiver)?;
        Ok(())
    }

    fn check_genuine(&self, world: usize) -> Result<(), Failure> {
        let (base, samples) = self.world(world)?;
        let genuine = &samples.genuine;
        let mut group = self.receivers.get(world).ok_or("no such world")?.duplicate()?;
        let Received::Application(_) = group.receive(&genuine.application)? else {
            return Err("genuine application data is not accepted".into());
        };
        let Received::Proposal(_) = group.receive(&genuine.proposal)? else {
            return Err("a genuine proposal is not accepted".into());
        };
        let Received::Commit(staged) = group.receive(&genuine.commit)? else {
            return Err("a genuine commit is not accepted".into());
        };
        group.merge_remote(*staged)?;
        if group.epoch_authenticator().as_secret().as_slice() != genuine.authenticator {
            return Err("the epoch after a genuine commit is not the others'".into());
        }
        for late in &base.late {
            let Received::Application(_) = group.receive(late)? else {
                return Err("a genuine late message is not accepted".into());
            };
        }
        Ok(())
    }

    fn is_forgery(&self, input: &Input) -> bool {
        let genuine = self.genuine.get(input.world);
        // Of a Welcome, what is for other joiners is nobody's to check.
        input.seal == Seal::Raw
            && !input.kind.is_stored()
            && input.kind != Kind::Welcome
            && !genuine.is_some_and(|genuine| genuine.contains(&input.bytes))
    }
}

fn name_of(why: Ignored) -> &'static str {
    match why {
        Ignored::Own => "our own",
        Ignored::Duplicate => "a duplicate",
        Ignored::TooOld => "too old",
        Ignored::PastEpoch => "a past epoch",
        Ignored::FutureEpoch => "a future epoch",
    }
}

const ANOTHER: Outcome = Outcome::Ignored("another kind of message");

/// Whether a group can be stored, and comes back as the same.
fn comes_back(group: &Group) -> Result<(), Failure> {
    let written = group.write()?;
    if group.client().restore(&written, &[])?.write()? != written {
        return Err("a group that was stored comes back as another".into());
    }
    Ok(())
}

/// Adds the owner of a key package.
fn add(world: &World, group: &mut Group, bytes: &[u8]) -> Result<Outcome, Error> {
    let MlsMessage::KeyPackage(key_package) = MlsMessage::decode_exact(bytes)? else {
        return Ok(ANOTHER);
    };
    let suite = world.client.suite(group.cipher_suite())?;
    let verified = key_package.verify(suite)?;
    let added = KeyPackage::clone(&verified);
    let _staged = group.commit().only(Vec::new()).add_member(added).stage()?;
    Ok(Outcome::Accepted("a key package"))
}

fn join(world: &World, genuine: &Genuine, bytes: &[u8]) -> Result<Outcome, Error> {
    let MlsMessage::Welcome(welcome) = MlsMessage::decode_exact(bytes)? else {
        return Ok(ANOTHER);
    };
    let tree = genuine.tree.as_deref().map(UnverifiedRatchetTree::decode_exact).transpose()?;
    // The one that goes with the genuine Welcome; where the insider has put one in, that one.
    match join_by(world, &welcome, tree) {
        Err(Error::Peer(fault)) if genuine.tree.is_some() => {
            match join_by(world, &welcome, None) {
                // There was none in it, either: it is the first verdict that counts.
                Err(Error::Caller(_)) => Err(fault.into()),
                other => other,
            }
        }
        other => other,
    }
}

fn join_by(
    world: &World,
    welcome: &Welcome,
    ratchet_tree: Option<UnverifiedRatchetTree>,
) -> Result<Outcome, Error> {
    let options = JoinOptions { ratchet_tree, origin: None };
    let mut group = world.client.join_with(welcome, &world.joiner, options)?;
    let _sent = group.send(b"here", b"")?;
    let _written = group.write()?;
    Ok(Outcome::Accepted("a Welcome"))
}

fn join_with_tree(world: &World, genuine: &Genuine, tree: &[u8]) -> Result<Outcome, Error> {
    let tree = UnverifiedRatchetTree::decode_exact(tree)?;
    let unreadable = |_| Error::Internal("the genuine Welcome doesn't read");
    let welcome = welcome(&genuine.welcome).map_err(unreadable)?;
    join_by(world, &welcome, Some(tree)).map(|_| Outcome::Accepted("a ratchet tree"))
}

fn join_externally(world: &World, bytes: &[u8]) -> Result<Outcome, Error> {
    let MlsMessage::GroupInfo(info) = MlsMessage::decode_exact(bytes)? else {
        return Ok(ANOTHER);
    };
    let mut builder = world.client.join_externally(&world.outsider, &info);
    let tree = info.extensions.find::<UnverifiedRatchetTree>();
    if matches!(tree, Ok(None)) {
        let tree = world.insider.tree.to_bytes()?;
        builder = builder.ratchet_tree(UnverifiedRatchetTree::decode_exact(&tree)?);
    }
    let joined = builder.stage()?;
    let _written = joined.group.write()?;
    Ok(Outcome::Accepted("a GroupInfo"))
}

/// What is stored is trusted. Whatever comes back has to be usable without harm, if not with success.
fn restore(world: &World, genuine: &Genuine, bytes: &[u8]) -> Result<Outcome, Error> {
    let mut group = world.client.restore(bytes, &[])?;
    let _ = group.write()?;
    for message in [&genuine.application, &genuine.commit] {
        if let Ok(Received::Commit(staged)) = group.receive(message) {
            let _ = group.merge_remote(*staged);
        }
    }
    if let Ok(staged) = group.commit().stage() {
        let _ = group.merge(staged);
    }
    let _ = group.send(b"here", b"");
    let _ = group.write()?;
    Ok(Outcome::Accepted("a stored group"))
}

fn restore_staged(group: &Group, bytes: &[u8]) -> Result<Outcome, Error> {
    let staged = group.restore_staged(bytes)?;
    let mut group = group.duplicate()?;
    if group.merge(staged).is_ok() {
        let _ = group.send(b"here", b"");
        let _ = group.write()?;
    }
    Ok(Outcome::Accepted("a stored commit"))
}

fn restore_key_package(world: &World, genuine: &Genuine, bytes: &[u8]) -> Result<Outcome, Error> {
    let secrets = KeyPackageSecrets::read(&world.client, bytes)?;
    if let Ok(welcome) = welcome(&genuine.welcome) {
        let _ = world.client.join(&welcome, &secrets);
    }
    let _ = secrets.message()?;
    Ok(Outcome::Accepted("a stored key package"))
}
