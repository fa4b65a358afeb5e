//! Who has to agree, on what.

use engine_api::{EngineError, GroupId, Identity, MARMOT_GROUP_DATA};

use super::data::{Camp, Name, Profile};
use super::engine::{Held, NAME_EXTENSION};
use super::stage::{End, Outcome, Stage, State};

/// What the exported secrets that are compared go by.
const LABEL: &str = "scenarios";

impl Stage {
    /// Compares everybody in every camp, and those whom nothing has moved with what they were.
    pub(super) fn compare(&mut self) -> Outcome {
        let camps = self.camps.clone();
        let mut authenticators = Vec::new();
        for camp in &camps {
            let mut first: Option<(Name, State)> = None;
            for name in &camp.who {
                let state = self.state(name, &camp.group)?;
                self.as_expected(name, camp, &state)?;
                self.unmoved(name, &camp.group, &state)?;
                match &first {
                    None => first = Some((name.clone(), state)),
                    Some((other, first)) => self.agree(name, &state, other, first)?,
                }
            }
            if let Some((name, state)) = first {
                authenticators.push((camp.group.clone(), name, state.authenticator));
            }
        }
        for (place, (group, name, authenticator)) in authenticators.iter().enumerate() {
            for (other_group, other, theirs) in authenticators.iter().take(place) {
                self.holds(name, authenticator != theirs, || {
                    format!("the authenticator of {other} in {other_group}, in {group}")
                })?;
            }
        }
        Ok(())
    }

    fn as_expected(&mut self, name: &str, camp: &Camp, state: &State) -> Outcome {
        let Camp { group, who, epoch, members, name: called, admins } = camp;
        self.same(name, "epoch", &state.epoch, epoch)?;
        let listed = sorted(state.members.iter().map(|member| member.identity.clone()).collect());
        let wanted = members.as_ref().unwrap_or(who).iter().map(|name| self.identity(name));
        let wanted = sorted(wanted.collect::<Outcome<_>>()?);
        self.same(name, "members", &listed, &wanted)?;
        let in_order = state.members.is_sorted_by(|one, next| one.leaf < next.leaf);
        self.holds(name, in_order, || format!("not in leaf order: {:?}", state.members))?;
        let own = self.identity(name)?;
        let leaf = state.members.iter().find(|member| member.identity == own);
        self.same(name, "own leaf", &Some(state.own_leaf), &leaf.map(|member| member.leaf))?;
        if let Some(called) = called {
            let found = self.name_of(name, group)?;
            self.same(name, "name", &found, called)?;
        }
        if let (Some(admins), Profile::Marmot) = (admins, self.profile) {
            let wanted = admins.iter().map(|admin| self.identity(admin));
            let wanted = sorted(wanted.collect::<Outcome<_>>()?);
            let id = self.group(group)?;
            let (client, engine) = self.client(name)?;
            let Some(marmot) = client.engine_mut().marmot() else {
                return Err(End::Unsupported("the adapter tells no admins".into()));
            };
            let found = marmot.admins(&id);
            let found = found.map_err(|why| End::of(&why, name, &engine, "admins"))?;
            self.same(name, "admins", &sorted(found), &wanted)?;
        }
        Ok(())
    }

    /// Nobody's state changes but by what is said to change it.
    fn unmoved(&mut self, name: &str, group: &str, state: &State) -> Outcome {
        let actor = self.actor(name)?;
        let before = actor.last.insert(group.to_owned(), state.clone());
        match before {
            Some(before) => self.holds(name, *state == before, || {
                let (now, then) = (&state.epoch, &before.epoch);
                format!("another state, in epoch {now}, than before, in epoch {then}")
            }),
            None => Ok(()),
        }
    }

    fn agree(&mut self, name: &str, state: &State, other: &str, first: &State) -> Outcome {
        // Which of the two is wrong isn't known, unless both are of one engine.
        let engine_of =
            |name: &str| self.actors.get(&self.resolve(name)).map(|actor| actor.engine.name());
        let same_engine = engine_of(name) == engine_of(other);
        let agreed = [
            self.same(name, "members in order", &state.members, &first.members),
            self.same(name, "authenticator", &state.authenticator, &first.authenticator),
            self.holds(name, state.exported == first.exported, || "another exported secret".into()),
            self.same(name, "group context's extensions", &state.extensions, &first.extensions),
        ];
        agreed.into_iter().collect::<Outcome>().map_err(|end| match end {
            End::Differs { what, actor, engine } => End::Differs {
                what: format!("{what} of {other}"),
                actor,
                engine: engine.filter(|_| same_engine),
            },
            end => end,
        })
    }

    /// What a member sees of a group.
    pub(super) fn state(&mut self, name: &str, group: &str) -> Outcome<State> {
        let id = self.group(group)?;
        let (client, engine) = self.client(name)?;
        let told = |call: &'static str| move |why: EngineError| End::of(&why, name, &engine, call);
        let (exported, extensions) = beside(client, &id).map_err(told("export"))?;
        let client = client.engine();
        Ok(State {
            epoch: client.epoch(&id).map_err(told("epoch"))?.0,
            members: client.members(&id).map_err(told("members"))?,
            own_leaf: client.own_leaf(&id).map_err(told("own_leaf"))?,
            authenticator: client.epoch_authenticator(&id).map_err(told("authenticator"))?,
            exported,
            extensions,
        })
    }

    fn name_of(&mut self, name: &str, group: &str) -> Outcome<String> {
        let id = self.group(group)?;
        let (client, engine) = self.client(name)?;
        if engine.has_names() {
            let found = client.engine().group_name(&id);
            return found.map_err(|why| End::of(&why, name, &engine, "group_name"));
        }
        let Some(mls) = client.mls() else {
            return Err(End::Unsupported("groups have no name".into()));
        };
        let extensions = mls.group_context_extensions(&id);
        let extensions = extensions.map_err(|why| End::of(&why, name, &engine, "extensions"))?;
        let own = extensions.iter().find(|one| one.extension_type == NAME_EXTENSION);
        let text = own.map(|one| String::from_utf8_lossy(&one.extension_data).into_owned());
        Ok(text.unwrap_or_default())
    }

    /// That a member has exactly this group data.
    pub(super) fn has_group_data(&mut self, name: &str, group: &str, wanted: &[u8]) -> Outcome {
        let extensions = self.state(name, group)?.extensions.unwrap_or_default();
        let own = extensions.into_iter().find(|one| one.extension_type == MARMOT_GROUP_DATA);
        let found = own.map(|one| one.extension_data);
        self.same(name, "group data", &found.as_deref(), &Some(wanted))
    }

    pub(super) fn same<T: PartialEq + std::fmt::Debug + ?Sized>(
        &mut self,
        name: &str,
        what: &str,
        found: &T,
        wanted: &T,
    ) -> Outcome {
        self.holds(name, found == wanted, || format!("{what}: {found:?} instead of {wanted:?}"))
    }
}

/// What there is to compare beyond the core.
type Beside = (Option<Vec<u8>>, Option<Vec<engine_api::MlsExtension>>);

fn beside(client: &mut Held, group: &GroupId) -> Result<Beside, EngineError> {
    if let Some(mls) = client.mls() {
        let exported = mls.export_secret(group, LABEL, b"context", 32)?;
        return Ok((Some(exported), Some(mls.group_context_extensions(group)?)));
    }
    if let Some(marmot) = client.engine_mut().marmot() {
        let exported = marmot.export_secret(group, LABEL, b"context", 32)?;
        return Ok((Some(exported), Some(marmot.group_context_extensions(group)?)));
    }
    Ok((None, None))
}

fn sorted(mut identities: Vec<Identity>) -> Vec<Identity> {
    identities.sort();
    identities
}
