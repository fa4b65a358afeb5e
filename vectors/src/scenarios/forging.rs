//! The kit's own step: a message that breaks a rule.

use engine_api::WelcomeBytes;

use super::data::{Forgery, GROUP, Name, Profile};
use super::forge;
use super::stage::{End, Kind, Message, Outcome, Player, Stage, kit};

const KEY_PACKAGE: u16 = 5;
const WELCOME: u16 = 3;

impl Stage {
    pub(super) fn forge(
        &mut self,
        from: Option<&str>,
        by: Option<&str>,
        how: &Forgery,
        name: &Name,
    ) -> Outcome {
        let known = self.actors.values().all(|actor| actor.engine.is_framed_as_known());
        if !known && !matches!(how, Forgery::OtherGroup(_)) {
            return Err(End::Unsupported("messages are not framed as MLS's are".into()));
        }
        if let Forgery::GroupData(shape) = *how {
            let by = by.ok_or_else(|| kit("group data is forged by an insider"))?;
            let Player::Insider(insider) = &mut self.actor(by)?.player else {
                return Err(End::Unsupported("group data is Marmot's".into()));
            };
            let (bytes, data) = insider.commit(shape).map_err(kit)?;
            let mut message = Message::new(Kind::Commit, by, GROUP, bytes);
            message.group_data = Some(data);
            self.messages.insert(name.clone(), message);
            return Ok(());
        }
        let from = from.ok_or_else(|| kit("of nothing"))?;
        if let Some(welcomes) = self.welcomes.get(from).filter(|_| *how == Forgery::OtherFraming) {
            let reframed = welcomes.iter().map(|(owner, welcome)| {
                let bytes = self.reframed(welcome.as_slice(), WELCOME)?;
                Ok((owner.clone(), WelcomeBytes::new(bytes)))
            });
            let reframed = reframed.collect::<Outcome<_>>()?;
            self.welcomes.insert(name.clone(), reframed);
            return Ok(());
        }
        let mut message = self.message(from)?;
        match how {
            Forgery::OtherGroup(group) => group.clone_into(&mut message.group),
            how => message.bytes = self.forged(&message.bytes, by, how)?,
        }
        self.messages.insert(name.clone(), message);
        Ok(())
    }

    fn forged(&mut self, bytes: &[u8], by: Option<&str>, how: &Forgery) -> Outcome<Vec<u8>> {
        let change = move |message: &mut Vec<u8>| match how {
            Forgery::Epoch(epoch) => forge::set_epoch(message, *epoch),
            _ => message.last_mut().map(|byte| *byte ^= 1).ok_or_else(|| "empty".to_owned()),
        };
        let is_marmot = self.profile == Profile::Marmot;
        match how {
            Forgery::OtherFraming => self.reframed(bytes, KEY_PACKAGE),
            Forgery::Rewrapped if is_marmot => forge::rewrapped(bytes).map_err(kit),
            Forgery::Rewrapped => Ok(bytes.to_vec()),
            Forgery::Junk if is_marmot => forge::junk_event(bytes).map_err(kit),
            Forgery::Junk => Ok(bytes.iter().map(|byte| !byte).collect()),
            _ if is_marmot => {
                let by = by.ok_or_else(|| kit("this takes an insider"))?;
                match &mut self.actor(by)?.player {
                    Player::Insider(insider) => insider.changed(bytes, change).map_err(kit),
                    Player::Client(_) => Err(kit(format!("{by} is no insider"))),
                }
            }
            _ => {
                let mut message = bytes.to_vec();
                change(&mut message).map_err(kit)?;
                Ok(message)
            }
        }
    }

    fn reframed(&self, bytes: &[u8], wire_format: u16) -> Outcome<Vec<u8>> {
        match self.profile {
            Profile::Marmot => forge::reframed_event(bytes, wire_format).map_err(kit),
            Profile::Mls => Ok(forge::reframed(bytes, wire_format)),
        }
    }
}
