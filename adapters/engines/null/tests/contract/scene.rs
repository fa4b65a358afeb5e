//! A group with all its members' clients at hand.

use adapter_null::Lie;
use engine_api::{
    AppBytes, CgkaEngine, Change, Client, CommitBytes, EngineError, EpochAuthenticator, GroupId,
    Identity, Ingested, KeyPackageBytes, Member, Registration, StagedCommit, WelcomeBytes,
    Welcomes,
};

pub(crate) type Outcome<T = ()> = Result<T, EngineError>;

/// Founds, and is client 0 on leaf 0.
pub(crate) const ADA: usize = 0;
/// Client and leaf 1.
pub(crate) const BEN: usize = 1;
/// Client and leaf 2.
pub(crate) const CLEO: usize = 2;

pub(crate) struct Scene {
    pub(crate) engine: Registration,
    pub(crate) group: GroupId,
    pub(crate) clients: Vec<Client>,
}

pub(crate) fn null() -> Registration {
    adapter_null::engines()[0]
}

pub(crate) fn broken(lie: Lie) -> Outcome<Registration> {
    let named = |engine: &Registration| engine.name() == lie.name();
    let found = adapter_null::broken().into_iter().find(named);
    found.ok_or_else(|| EngineError::internal(format_args!("no {}", lie.name())))
}

impl Scene {
    /// Ada, Ben and Cleo.
    pub(crate) fn of(engine: &Registration) -> Outcome<Self> {
        Self::with(&[("ada", *engine), ("ben", *engine), ("cleo", *engine)])
    }

    pub(crate) fn with(cast: &[(&str, Registration)]) -> Outcome<Self> {
        let mut clients = Vec::new();
        let mut key_packages = Vec::new();
        for (name, engine) in cast {
            let mut client = engine.new_client(name)?;
            if !clients.is_empty() {
                key_packages.push(client.publish_key_package()?);
            }
            clients.push(client);
        }
        let founded = clients[0].create_group(&key_packages)?;
        for (index, client) in clients[1..].iter_mut().enumerate() {
            client.join_welcome(welcome(&founded.welcomes, index)?)?;
        }
        Ok(Self { engine: cast[0].1, group: founded.group, clients })
    }

    /// `by` stages an update.
    pub(crate) fn stage(&mut self, by: usize) -> Outcome<StagedCommit> {
        self.clients[by].stage_commit(&self.group, &Change::Update)
    }

    /// `by` commits and merges; what is to be delivered.
    pub(crate) fn publish(
        &mut self,
        by: usize,
        change: &Change<'_>,
    ) -> Outcome<(CommitBytes, Welcomes)> {
        let staged = self.clients[by].stage_commit(&self.group, change)?;
        let publication = (staged.commit().clone(), staged.welcomes().clone());
        self.clients[by].merge_staged(staged.published())?;
        Ok(publication)
    }

    /// The same, and the others ingest it.
    pub(crate) fn commit(
        &mut self,
        by: usize,
        change: &Change<'_>,
    ) -> Outcome<(CommitBytes, Welcomes)> {
        let published = self.publish(by, change)?;
        for (index, client) in self.clients.iter_mut().enumerate() {
            if index != by {
                client.ingest_commit(&self.group, &published.0)?;
            }
        }
        Ok(published)
    }

    /// `by` adds a new client, which joins.
    pub(crate) fn add(&mut self, by: usize, name: &str) -> Outcome<CommitBytes> {
        let mut joiner = self.engine.new_client(name)?;
        let key_package = joiner.publish_key_package()?;
        let (commit, welcomes) = self.commit(by, &add(&key_package))?;
        joiner.join_welcome(welcome(&welcomes, 0)?)?;
        self.clients.push(joiner);
        Ok(commit)
    }

    /// The member on `index`, as Ada lists it.
    pub(crate) fn member(&self, index: usize) -> Outcome<Member> {
        let identity = self.clients[index].identity();
        let members = self.clients[ADA].members(&self.group)?;
        let member = members.into_iter().find(|member| member.identity == identity);
        member.ok_or_else(|| EngineError::internal("not listed"))
    }

    pub(crate) fn epoch(&self, of: usize) -> Outcome<u64> {
        Ok(self.clients[of].epoch(&self.group)?.0)
    }

    pub(crate) fn authenticator(&self, of: usize) -> Outcome<EpochAuthenticator> {
        self.clients[of].epoch_authenticator(&self.group)
    }

    /// Who is in the group, as `of` lists it: `0:ada 1:ben`.
    pub(crate) fn members(&self, of: usize) -> Outcome<String> {
        members(&*self.clients[of], &self.group)
    }

    /// `by` sends and `to` ingests.
    pub(crate) fn say(&mut self, by: usize, to: usize, payload: &[u8]) -> Outcome<String> {
        let message = self.clients[by].send(&self.group, payload)?;
        Ok(shown(self.clients[to].ingest_app(&self.group, &message)))
    }

    /// A message of Ada's, and the same with a bit of its payload flipped.
    pub(crate) fn genuine_and_damaged(&mut self) -> Outcome<(AppBytes, AppBytes)> {
        let genuine = self.clients[ADA].send(&self.group, b"genuine")?;
        let mut bytes = genuine.as_slice().to_vec();
        let payload = bytes.windows(7).position(|window| window == b"genuine");
        bytes[payload.unwrap_or_default()] ^= 1;
        Ok((genuine, AppBytes::new(bytes)))
    }

    /// All members agree, and each can talk to each.
    pub(crate) fn is_well(&mut self) -> Outcome {
        for of in 1..self.clients.len() {
            assert_eq!(self.epoch(of)?, self.epoch(ADA)?);
            assert_eq!(self.authenticator(of)?, self.authenticator(ADA)?);
            assert_eq!(self.members(of)?, self.members(ADA)?);
        }
        for by in 0..self.clients.len() {
            let message = self.clients[by].send(&self.group, b"well?")?;
            for to in (0..self.clients.len()).filter(|to| *to != by) {
                let read = self.clients[to].ingest_app(&self.group, &message)?;
                let read = read.applied().map(|read| (read.sender, read.payload));
                assert_eq!(read, Some((self.clients[by].identity(), b"well?".to_vec())));
            }
        }
        Ok(())
    }
}

pub(crate) fn add(key_package: &KeyPackageBytes) -> Change<'_> {
    Change::Add(std::slice::from_ref(key_package))
}

pub(crate) fn remove(member: &Member) -> Change<'_> {
    Change::Remove(std::slice::from_ref(member))
}

pub(crate) fn welcome(welcomes: &Welcomes, index: usize) -> Outcome<&WelcomeBytes> {
    welcomes.for_invitee(index).ok_or_else(|| EngineError::internal("no Welcome"))
}

pub(crate) fn members(client: &dyn CgkaEngine, group: &GroupId) -> Outcome<String> {
    let members = client.members(group)?;
    let members = members.iter().map(|it| format!("{}:{}", it.leaf, text(&it.identity)));
    Ok(members.collect::<Vec<_>>().join(" "))
}

pub(crate) fn text(identity: &Identity) -> String {
    String::from_utf8_lossy(identity.as_slice()).into_owned()
}

/// An outcome, a rejection's reason or whose fault an error is, in a word.
pub(crate) fn shown<T>(outcome: Outcome<Ingested<T>>) -> String {
    match outcome {
        Ok(Ingested::Rejected(why)) => why.reason.name().into(),
        Ok(outcome) => outcome.name().into(),
        Err(EngineError::Peer(why)) => why.reason.name().into(),
        Err(why) => why.fault().into(),
    }
}

/// `good`, or what is wrong as in [`shown`].
pub(crate) fn shown_as<T>(good: &str, result: Outcome<T>) -> String {
    result.map_or_else(|why| shown::<()>(Err(why)), |_| good.into())
}
