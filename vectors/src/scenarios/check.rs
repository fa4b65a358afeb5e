//! What a scenario has to be, before any engine is asked.

use std::collections::BTreeSet;

use super::data::{Action, Change, Expect, Name, Order, Scenario, Step};

impl Scenario {
    /// Whether everything that it names is there, and it expects something.
    ///
    /// # Errors
    /// What isn't, and in which step.
    pub fn check(&self) -> Result<(), String> {
        let well_named = !self.name.is_empty()
            && self.name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-');
        if !well_named || self.what.is_empty() {
            return Err("it has no name, or a name with other letters, or no words".into());
        }
        if self.steps.iter().all(|step| step.then.is_none()) {
            return Err("nobody is ever compared".into());
        }
        let mut known = Known {
            actors: self.cast.keys().cloned().collect(),
            messages: BTreeSet::new(),
            groups: BTreeSet::new(),
        };
        for (number, step) in self.steps.iter().enumerate() {
            known.step(step).map_err(|why| format!("step {number}: {why}"))?;
        }
        Ok(())
    }
}

/// What there is to be named.
struct Known {
    actors: BTreeSet<Name>,
    messages: BTreeSet<Name>,
    groups: BTreeSet<Name>,
}

impl Known {
    fn step(&mut self, step: &Step) -> Result<(), String> {
        self.action(&step.action)?;
        if let Some(Expect::Each(each)) = &step.expect {
            let named = |name: &&Name| self.actors.contains(*name) || self.messages.contains(*name);
            if let Some(stranger) = each.keys().find(|name| !named(name)) {
                return Err(format!("it expects something of {stranger}"));
            }
        }
        for camp in step.then.iter().flatten() {
            self.group(&camp.group)?;
            if camp.who.is_empty() {
                return Err("a camp of nobody".into());
            }
            let listed = [&camp.members, &camp.admins].into_iter().flatten().flatten();
            camp.who.iter().chain(listed).try_for_each(|name| self.actor(name))?;
        }
        Ok(())
    }

    fn action(&mut self, action: &Action) -> Result<(), String> {
        let new = |name: &Option<Name>, messages: &mut BTreeSet<Name>| {
            if let Some(name) = name {
                messages.insert(name.clone());
            }
        };
        match action {
            Action::KeyPackage { by, r#as } => {
                self.actor(by)?;
                self.messages.insert(r#as.clone());
            }
            Action::Create { by, invite, group } => {
                self.actor(by)?;
                self.invited(invite)?;
                self.groups.insert(group.clone());
            }
            Action::Join { who, from } => {
                self.actors(who)?;
                if !self.groups.contains(from) && !self.messages.contains(from) {
                    return Err(format!("no Welcome comes from {from}"));
                }
            }
            Action::Commit { by, change, r#as, to, group, hold } => {
                self.actor(by)?;
                self.actors(to)?;
                self.group(group)?;
                match change {
                    Change::Add(invite) => self.invited(invite)?,
                    Change::Remove(names) | Change::Admins(names) => self.actors(names)?,
                    Change::Update | Change::Rename(_) | Change::Departures => {}
                }
                if *hold && r#as.is_none() {
                    return Err("a staged commit without a name".into());
                }
                new(r#as, &mut self.messages);
            }
            Action::Merge { what } | Action::Discard { what } => self.message(what)?,
            Action::Send { by, r#as, to, group, .. } | Action::Leave { by, r#as, to, group } => {
                self.actor(by)?;
                self.actors(to)?;
                self.group(group)?;
                new(r#as, &mut self.messages);
            }
            Action::Deliver { what, to, order, faults } => {
                what.iter().try_for_each(|name| self.message(name))?;
                self.actors(to)?;
                if what.is_empty() || to.is_empty() {
                    return Err("nothing, or to nobody".into());
                }
                if *order == Order::Every && faults.is_some() {
                    return Err("every order, and one from a seed".into());
                }
            }
            Action::Restart { who } => self.actors(who)?,
            Action::Advance { by, to, group, .. } => {
                self.actor(by)?;
                self.actors(to)?;
                self.group(group)?;
            }
            Action::Rank { what, r#as, authors } => {
                what.iter().try_for_each(|name| self.message(name))?;
                if what.len() != r#as.len() || ![0, what.len()].contains(&authors.len()) {
                    return Err("not as many ranks as commits".into());
                }
                self.messages.extend(r#as.iter().cloned());
                self.actors.extend(authors.iter().cloned());
            }
            Action::Forge { from, by, r#as, .. } => {
                by.iter().try_for_each(|name| self.actor(name))?;
                if let Some(from) = from
                    && !self.groups.contains(from)
                {
                    self.message(from)?;
                }
                self.messages.insert(r#as.clone());
            }
            Action::Retracted { who, what, group } => {
                self.actor(who)?;
                self.group(group)?;
                what.iter().try_for_each(|name| self.message(name))?;
            }
        }
        Ok(())
    }

    fn invited(&self, names: &[Name]) -> Result<(), String> {
        let is_known = |name: &&Name| self.actors.contains(*name) || self.messages.contains(*name);
        match names.iter().find(|name| !is_known(name)) {
            Some(stranger) => Err(format!("nobody is called {stranger}, and no key package")),
            None => Ok(()),
        }
    }

    fn actors(&self, names: &[Name]) -> Result<(), String> {
        names.iter().try_for_each(|name| self.actor(name))
    }

    fn actor(&self, name: &Name) -> Result<(), String> {
        if self.actors.contains(name) { Ok(()) } else { Err(format!("nobody is called {name}")) }
    }

    fn message(&self, name: &Name) -> Result<(), String> {
        let there = self.messages.contains(name);
        if there { Ok(()) } else { Err(format!("no message is called {name}")) }
    }

    fn group(&self, name: &Name) -> Result<(), String> {
        if self.groups.contains(name) { Ok(()) } else { Err(format!("no group is called {name}")) }
    }
}
