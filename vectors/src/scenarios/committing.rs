//! Commits: made, merged, given up, and ranked among their rivals.

use engine_api::{
    Change as EngineChange, EngineError, GroupId, Member, MlsExtension, MlsProposal, StagedCommit,
    TreePlace,
};

use super::data::{Change, Name, Profile, Step};
use super::engine::{Held, NAME_EXTENSION};
use super::forge;
use super::stage::{End, Kind, Message, Outcome, Stage, kit};

const REQUIRED_CAPABILITIES: u16 = 3;

impl Stage {
    /// Stages a commit and puts it on the network; its name, if it was to work.
    pub(super) fn stage_commit(
        &mut self,
        step: &Step,
        by: &str,
        (change, group): (&Change, &str),
        name: Option<&Name>,
    ) -> Outcome<Option<Name>> {
        let id = self.group(group)?;
        let (owners, made) = self.make_commit(by, &id, change)?;
        let Some(staged) = self.called(step, by, "stage_commit", made)? else {
            return Ok(None);
        };
        let author = self.resolve(by);
        let bytes = staged.commit().as_slice().to_vec();
        let name = self.publish(name, Message::new(Kind::Commit, &author, group, bytes));
        self.keep_welcomes(&name, &owners, staged.welcomes());
        self.staged.insert(name.clone(), staged);
        Ok(Some(name))
    }

    fn make_commit(
        &mut self,
        by: &str,
        group: &GroupId,
        change: &Change,
    ) -> Outcome<(Vec<Name>, Result<StagedCommit, EngineError>)> {
        let mut owners = Vec::new();
        let made = match change {
            Change::Add(invite) => {
                let packages;
                (owners, packages) =
                    self.key_packages(invite)?.into_iter().unzip::<_, _, _, Vec<_>>();
                self.client(by)?.0.engine_mut().stage_commit(group, &EngineChange::Add(&packages))
            }
            Change::Remove(names) => {
                let leaving: Vec<_> =
                    names.iter().map(|name| self.identity(name)).collect::<Outcome<_>>()?;
                let client = self.client(by)?.0.engine_mut();
                client.members(group).and_then(|mut members: Vec<Member>| {
                    members.retain(|member| leaving.contains(&member.identity));
                    client.stage_commit(group, &EngineChange::Remove(&members))
                })
            }
            Change::Update => {
                self.client(by)?.0.engine_mut().stage_commit(group, &EngineChange::Update)
            }
            Change::Rename(name) => {
                let (client, engine) = self.client(by)?;
                if engine.has_names() {
                    client.engine_mut().stage_commit(group, &EngineChange::Rename(name))
                } else {
                    rename_by_extension(client, group, name)
                }
            }
            Change::Admins(names) => {
                let admins: Vec<_> =
                    names.iter().map(|name| self.identity(name)).collect::<Outcome<_>>()?;
                match self.client(by)?.0.engine_mut().marmot() {
                    Some(marmot) => marmot.stage_admins(group, &admins),
                    None => return Err(End::Unsupported("groups have no admins".into())),
                }
            }
            Change::Departures => self.commit_departures(by, group)?,
        };
        Ok((owners, made))
    }

    fn commit_departures(
        &mut self,
        by: &str,
        group: &GroupId,
    ) -> Outcome<Result<StagedCommit, EngineError>> {
        let client = self.client(by)?.0;
        if let Some(mls) = client.mls() {
            return Ok(mls.commit_pending(group, &[], TreePlace::InGroupInfo));
        }
        match client.engine_mut().marmot() {
            Some(marmot) => Ok(marmot.stage_departures(group)),
            None => Err(End::Unsupported("the contract has no leaving".into())),
        }
    }

    fn take_staged(&mut self, what: &str) -> Outcome<(Name, StagedCommit)> {
        let author = self.message(what)?.author;
        let staged = self.staged.remove(what);
        Ok((author, staged.ok_or_else(|| kit(format!("{what} isn't staged")))?))
    }

    pub(super) fn merge(&mut self, what: &str) -> Outcome {
        let (by, staged) = self.take_staged(what)?;
        let next = staged.base().0 + 1;
        let (client, engine) = self.client(&by)?;
        let merged = client.engine_mut().merge_staged(staged.published());
        let merged = merged.map_err(|why| End::of(&why, &by, &engine, "merge_staged"))?;
        self.same(&by, "epoch merged", &merged.0, &next)?;
        self.moves(&by)
    }

    pub(super) fn discard(&mut self, what: &str) -> Outcome {
        let (by, staged) = self.take_staged(what)?;
        let (client, engine) = self.client(&by)?;
        let discarded = client.engine_mut().discard_staged(staged);
        discarded.map_err(|why| End::of(&why, &by, &engine, "discard_staged"))
    }

    /// Gives rival commits, and their authors, the names that they are known by from here on.
    pub(super) fn rank(&mut self, what: &[Name], names: &[Name], authors: &[Name]) -> Outcome {
        let mut ranked = Vec::new();
        for name in what {
            let message = self.message(name)?;
            let order = match self.profile {
                Profile::Marmot => Some(forge::order_of(&message.bytes).map_err(kit)?),
                Profile::Mls => None,
            };
            ranked.push((order, name.clone(), message));
        }
        // Stable: what has no order stays as it was named.
        ranked.sort_by_key(|(order, ..)| *order);
        for (place, (_, old, message)) in ranked.into_iter().enumerate() {
            if let Some(author) = authors.get(place) {
                self.aliases.insert(author.clone(), message.author.clone());
            }
            let new = names.get(place).ok_or_else(|| kit("fewer ranks than commits"))?;
            if let Some(staged) = self.staged.remove(&old) {
                self.staged.insert(new.clone(), staged);
            }
            self.messages.insert(new.clone(), message);
        }
        Ok(())
    }
}

/// A GroupContextExtensions proposal with the name in a private extension, which
/// `required_capabilities` (RFC 9420 section 11.1) asks for as well.
fn rename_by_extension(
    client: &mut Held,
    group: &GroupId,
    name: &str,
) -> Result<StagedCommit, EngineError> {
    let Some(mls) = client.mls() else {
        return Err(EngineError::unsupported("groups have no name"));
    };
    let [high, low] = NAME_EXTENSION.to_be_bytes();
    let required = MlsExtension {
        extension_type: REQUIRED_CAPABILITIES,
        extension_data: vec![2, high, low, 0, 2, 0, 1],
    };
    let named =
        MlsExtension { extension_type: NAME_EXTENSION, extension_data: name.as_bytes().to_vec() };
    let proposal = MlsProposal::GroupContextExtensions(vec![required, named]);
    mls.commit_pending(group, &[proposal], TreePlace::InGroupInfo)
}
