//! A client that is lost after any operation goes on from its store.

use std::collections::HashSet;

use crypto_aws_lc::AwsLc;

use super::*;
use crate::store::Memory;
#[cfg(feature = "sqlite")]
use crate::store::Sqlite;

type Kind<S> = Keeping<AwsLc, S>;
type Done = Result<(), EngineError>;

/// What remains of a client when its process ends: what another one makes of a copy of its store.
fn crashed<S: Store>(client: Kind<S>) -> Result<Kind<S>, EngineError> {
    let store = client.store.copied()?;
    let again = reopened::<AwsLc>(&store.contents()?)?;
    same(&client.client, &again)?;
    drop(client);
    Ok(Keeping { client: again, store, written: 0 })
}

fn same(before: &Burrow<AwsLc>, after: &Burrow<AwsLc>) -> Done {
    assert_eq!(before.identity(), after.identity());
    assert!(before.key_packages.keys().eq(after.key_packages.keys()));
    assert!(before.groups.keys().eq(after.groups.keys()));
    for (id, held) in &before.groups {
        let ((was, staged), (is, still)) = (held.write()?, after.held(id)?.write()?);
        assert_eq!(was, is, "the whole state, the ratchets with it");
        assert_eq!(staged, still);
        assert_eq!(before.epoch_authenticator(id)?, after.epoch_authenticator(id)?);
    }
    Ok(())
}

struct Pair<S> {
    clients: Vec<Kind<S>>,
    group: GroupId,
}

impl<S: Store> Pair<S> {
    fn new() -> Result<Self, EngineError> {
        let (mut a, mut b) = (Kind::<S>::new_client("a")?, Kind::<S>::new_client("b")?);
        let key_packages = [b.publish_key_package()?];
        b.publish_key_package()?;
        (a, b) = (crashed(a)?, crashed(b)?);
        let founded = a.create_group(&key_packages)?;
        (a, b) = (crashed(a)?, crashed(b)?);
        let welcome = founded.welcomes.for_invitee(0);
        b.join_welcome(welcome.ok_or_else(|| EngineError::internal("no Welcome"))?)?;
        let mut pair = Self { clients: vec![a, b], group: founded.group };
        pair.crash()?;
        Ok(pair)
    }

    fn crash(&mut self) -> Done {
        let clients = std::mem::take(&mut self.clients);
        self.clients = clients.into_iter().map(crashed).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// `from` sends and the other reads, both of them lost right after; the key that it took.
    fn say(&mut self, from: usize, used: &mut HashSet<KeyUse>) -> Done {
        let (message, key_use) = self.clients[from].client.send_with_use(&self.group, b"hello")?;
        let group = self.group.clone();
        self.clients[from].keep_use(&group, key_use)?;
        let key_use = key_use.ok_or_else(|| EngineError::internal("no key use"))?;
        assert!(used.insert(key_use), "{key_use:?} again");
        self.crash()?;
        let read = self.clients[1 - from].ingest_app(&group, &message)?.applied();
        assert_eq!(read.map(|read| read.payload).as_deref(), Some(&b"hello"[..]));
        self.crash()?;
        let again = self.clients[1 - from].ingest_app(&group, &message)?;
        assert_eq!(again, Ingested::Duplicate);
        Ok(())
    }

    fn stage(
        &mut self,
        by: usize,
        used: &mut HashSet<KeyUse>,
    ) -> Result<(StagedCommit, CommitBytes), EngineError> {
        let staged = self.clients[by].stage_commit(&self.group, &Change::Update)?;
        let held = self.clients[by].client.held(&self.group)?;
        let key_use = held.staged.as_ref().and_then(|(_, staged)| staged.messages.key_use);
        let key_use = key_use.ok_or_else(|| EngineError::internal("no key use"))?;
        assert!(used.insert(key_use), "{key_use:?} again");
        self.crash()?;
        let commit = staged.commit().clone();
        Ok((staged, commit))
    }
}

fn goes_on_from_its_store<S: Store>() -> Done {
    let mut pair = Pair::<S>::new()?;
    let group = pair.group.clone();
    let mut used = [HashSet::new(), HashSet::new()];
    for round in 0..3 {
        for from in [0, 1, 0] {
            pair.say(from, &mut used[from])?;
        }
        let (discarded, _) = pair.stage(0, &mut used[0])?;
        pair.clients[0].discard_staged(discarded)?;
        pair.crash()?;
        pair.say(0, &mut used[0])?;
        let by = round % 2;
        let (staged, commit) = pair.stage(by, &mut used[by])?;
        pair.say(by, &mut used[by])?;
        pair.clients[1 - by].ingest_commit(&group, &commit)?;
        pair.crash()?;
        pair.clients[by].merge_staged(staged.published())?;
        pair.crash()?;
        let [a, b] = [0, 1].map(|index| pair.clients[index].epoch_authenticator(&group));
        assert_eq!(a?, b?);
    }
    assert_eq!(used.map(|used| used.len()), [3 * 4 + 2 * 2, 3 + 2]);
    Ok(())
}

#[test]
fn a_client_in_memory_goes_on_from_its_store() -> Done {
    goes_on_from_its_store::<Memory>()
}

#[cfg(feature = "sqlite")]
#[test]
fn a_client_in_a_file_goes_on_from_its_store() -> Done {
    goes_on_from_its_store::<Sqlite>()
}

/// Without the record the key would be used again: what the records are for.
#[test]
fn a_send_that_was_not_kept_repeats_its_key() -> Done {
    let mut pair = Pair::<Memory>::new()?;
    let (_, first) = pair.clients[0].client.send_with_use(&pair.group, b"one")?;
    let store = pair.clients[0].store.copied()?;
    let mut again = reopened::<AwsLc>(&store.contents()?)?;
    let (_, second) = again.send_with_use(&pair.group, b"two")?;
    assert_eq!(first, second);
    Ok(())
}

#[test]
fn a_send_keeps_a_few_bytes_and_a_removal_everything_gone() -> Done {
    let mut pair = Pair::<Memory>::new()?;
    let group = pair.group.clone();
    pair.clients[0].send(&group, b"hello")?;
    let kept = pair.clients[0].store.contents()?.groups;
    let records: Vec<_> = kept[0].uses.iter().map(|used| used.encoded_len()).collect();
    assert_eq!(records, [17]);

    let members = pair.clients[0].members(&group)?;
    let staged = pair.clients[0].stage_commit(&group, &Change::Remove(&members[1..]))?;
    let outcome = pair.clients[1].ingest_commit(&group, staged.commit())?;
    assert_eq!(outcome, Ingested::Removed);
    assert!(pair.clients[1].store.contents()?.groups.is_empty());
    pair.crash()
}
