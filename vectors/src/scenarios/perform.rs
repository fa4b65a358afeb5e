//! Steps other than deliveries.

use engine_api::{
    CommitBytes, EngineError, GroupId, KeyPackageBytes, MlsProposal, WelcomeBytes, Welcomes,
};

use super::data::{Action, Change, Name, Step, Word};
use super::forge;
use super::stage::{End, Kind, Message, Outcome, Player, Stage, kit};

impl Stage {
    /// Does what a step says, and expects what it expects.
    pub(super) fn perform(&mut self, step: &Step) -> Outcome {
        match &step.action {
            Action::KeyPackage { by, r#as } => self.publish_key_package(by, Some(r#as)).map(drop),
            Action::Create { by, invite, group } => self.create(step, by, invite, group),
            Action::Join { who, from } => {
                who.iter().try_for_each(|name| self.join(step, name, from))
            }
            Action::Commit { by, change, r#as, hold, to, group } => {
                let made = self.stage_commit(step, by, (change, group), r#as.as_ref())?;
                match made {
                    Some(name) if !hold => {
                        self.merge(&name)?;
                        self.deliver_to(step, &name, to)
                    }
                    Some(name) => self.deliver_to(step, &name, to),
                    None => Ok(()),
                }
            }
            Action::Merge { what } => self.merge(what),
            Action::Discard { what } => self.discard(what),
            Action::Send { by, text, r#as, to, group } => {
                match self.send(step, (by, text), r#as.as_ref(), group)? {
                    Some(name) => self.deliver_to(step, &name, to),
                    None => Ok(()),
                }
            }
            Action::Deliver { what, to, faults, .. } => match faults {
                Some(faults) => to
                    .iter()
                    .try_for_each(|name| self.deliver_with_faults(step, what, name, faults)),
                None => to.iter().try_for_each(|receiver| {
                    what.iter().try_for_each(|name| self.deliver(step, name, receiver))
                }),
            },
            Action::Leave { by, r#as, to, group } => {
                let name = self.leave(by, r#as.as_ref(), group)?;
                self.deliver_to(step, &name, to)
            }
            Action::Restart { who } => who.iter().try_for_each(|name| self.restart(name)),
            Action::Advance { by, epochs, to, group } => (0..*epochs).try_for_each(|_| {
                let made = self.stage_commit(step, by, (&Change::Update, group), None)?;
                let name = made.ok_or_else(|| kit("an update that isn't expected to work"))?;
                self.merge(&name)?;
                self.deliver_to(step, &name, to)
            }),
            Action::Rank { what, r#as, authors } => self.rank(what, r#as, authors),
            Action::Forge { from, by, how, r#as } => {
                self.forge(from.as_deref(), by.as_deref(), how, r#as)
            }
            Action::Retracted { who, what, group } => self.retracted(who, what, group),
        }
    }

    fn deliver_to(&mut self, step: &Step, message: &str, to: &[Name]) -> Outcome {
        to.iter().try_for_each(|receiver| self.deliver(step, message, receiver))
    }

    fn publish_key_package(&mut self, by: &str, name: Option<&Name>) -> Outcome<Name> {
        let (client, engine) = self.client(by)?;
        let bytes = client.engine_mut().publish_key_package();
        let bytes = bytes.map_err(|why| End::of(&why, by, &engine, "publish_key_package"))?;
        let bytes = bytes.as_slice().to_vec();
        Ok(self.publish(name, Message::new(Kind::KeyPackage, by, "", bytes)))
    }

    /// Key packages by name, or fresh ones of actors; each with its owner.
    pub(super) fn key_packages(
        &mut self,
        invite: &[Name],
    ) -> Outcome<Vec<(Name, KeyPackageBytes)>> {
        let mut found = Vec::new();
        for name in invite {
            let name = match self.messages.contains_key(name) {
                true => name.clone(),
                false => self.publish_key_package(name, None)?,
            };
            let message = self.message(&name)?;
            found.push((message.author, KeyPackageBytes::new(message.bytes)));
        }
        Ok(found)
    }

    fn create(&mut self, step: &Step, by: &str, invite: &[Name], group: &str) -> Outcome {
        let invitees = self.key_packages(invite)?;
        let (owners, packages): (Vec<_>, Vec<_>) = invitees.into_iter().unzip();
        let actor = self.actor(by)?;
        let founded = match &mut actor.player {
            Player::Client(client) => client.engine_mut().create_group(&packages),
            Player::Insider(insider) => {
                let bytes: Vec<_> = packages.iter().map(KeyPackageBytes::as_slice).collect();
                let (id, welcomes) = insider.create(&bytes).map_err(kit)?;
                Ok(engine_api::Founded {
                    group: GroupId::new(id),
                    welcomes: Welcomes::PerInvitee(
                        welcomes.into_iter().map(WelcomeBytes::new).collect(),
                    ),
                    published_commits: Vec::new(),
                })
            }
        };
        let Some(founded) = self.called(step, by, "create_group", founded)? else {
            return Ok(());
        };
        self.groups.insert(group.to_owned(), founded.group);
        self.keep_welcomes(group, &owners, &founded.welcomes);
        self.moves(by)
    }

    pub(super) fn keep_welcomes(&mut self, from: &str, owners: &[Name], welcomes: &Welcomes) {
        let each = owners.iter().enumerate().filter_map(|(place, owner)| {
            Some((owner.clone(), welcomes.for_invitee(place)?.clone()))
        });
        self.welcomes.insert(from.to_owned(), each.collect());
    }

    fn join(&mut self, step: &Step, name: &str, from: &str) -> Outcome {
        let actor = self.resolve(name);
        let welcome = self.welcomes.get(from).and_then(|welcomes| welcomes.get(&actor)).cloned();
        let welcome = welcome.ok_or_else(|| kit(format!("no Welcome from {from} for {name}")))?;
        let (client, _) = self.client(name)?;
        let joined = client.engine_mut().join_welcome(&welcome);
        let Some(joined) = self.called(step, name, "join_welcome", joined)? else {
            return Ok(());
        };
        let known = self.groups.values().any(|group| *group == joined);
        self.holds(name, known, || format!("joined {joined:?}, which nobody founded"))?;
        self.moves(name)
    }

    fn send(
        &mut self,
        step: &Step,
        (by, text): (&str, &str),
        name: Option<&Name>,
        group: &str,
    ) -> Outcome<Option<Name>> {
        let id = self.group(group)?;
        let sent = match &mut self.actor(by)?.player {
            Player::Client(client) => client.engine_mut().send(&id, text.as_bytes()),
            Player::Insider(insider) => Ok(insider.send(text).map_err(kit)?.into()),
        };
        let Some(sent) = self.called(step, by, "send", sent)? else {
            return Ok(None);
        };
        let author = self.resolve(by);
        let mut message = Message::new(Kind::Application, &author, group, sent.as_slice().to_vec());
        message.text = Some(text.to_owned());
        Ok(Some(self.publish(name, message)))
    }

    fn leave(&mut self, by: &str, name: Option<&Name>, group: &str) -> Outcome<Name> {
        let id = self.group(group)?;
        let (client, engine) = self.client(by)?;
        let left = match client.mls() {
            Some(mls) => mls.propose(&id, &MlsProposal::SelfRemove),
            None => match client.engine_mut().marmot() {
                Some(marmot) => marmot.leave(&id),
                None => return Err(End::Unsupported("the contract has no leaving".into())),
            },
        };
        let left = left.map_err(|why| End::of(&why, by, &engine, "leave"))?;
        let author = self.resolve(by);
        Ok(self.publish(name, Message::new(Kind::Proposal, &author, group, left.0)))
    }

    fn restart(&mut self, name: &str) -> Outcome {
        let (client, engine) = self.client(name)?;
        let again = engine.restarted(client);
        *client = again.map_err(|why| End::of(&why, name, &engine, "restart"))?;
        Ok(())
    }

    fn retracted(&mut self, who: &str, what: &[Name], group: &str) -> Outcome {
        let mut wanted = Vec::new();
        for name in what {
            wanted.push(forge::order_of(&self.message(name)?.bytes).map_err(kit)?.1);
        }
        let id = self.group(group)?;
        let Some(marmot) = self.client(who)?.0.engine_mut().marmot() else {
            return Err(End::Unsupported("nothing is ever taken back".into()));
        };
        let mut found = marmot.take_retracted(&id);
        found.sort_unstable();
        wanted.sort_unstable();
        let (count, of) = (found.len(), wanted.len());
        self.holds(who, found == wanted, || {
            format!("says that {count} messages were taken back, which are not the {of} that were")
        })
    }

    /// What came of a call is what the step expects; the value, if it succeeded.
    pub(super) fn called<T>(
        &mut self,
        step: &Step,
        by: &str,
        call: &'static str,
        result: Result<T, EngineError>,
    ) -> Outcome<Option<T>> {
        let may =
            if step.delivers() { vec![Word::Done] } else { step.words("", by, &[Word::Done]) };
        let (word, detail, value) = match result {
            Ok(value) => (Word::Done, String::new(), Some(value)),
            Err(EngineError::Peer(why)) => (Word::Refused, why.to_string(), None),
            Err(EngineError::Caller(why)) => (Word::Caller, why, None),
            Err(why) => {
                let engine = self.actor(by)?.engine;
                return Err(End::of(&why, by, &engine, call));
            }
        };
        if let Some(note) = &step.note {
            self.notes.push(format!("{note}: {}", word.name()));
        }
        self.expect(by, (word, &detail), &may)?;
        Ok(value)
    }
}

impl Message {
    pub(super) fn new(kind: Kind, author: &str, group: &str, bytes: Vec<u8>) -> Self {
        let (author, group) = (author.to_owned(), group.to_owned());
        Self { kind, author, group, bytes, text: None, group_data: None }
    }

    pub(super) fn commit(&self) -> CommitBytes {
        CommitBytes::new(self.bytes.clone())
    }
}
