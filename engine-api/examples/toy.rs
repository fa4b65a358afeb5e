//! A toy engine.
use engine_api::*;

/// A client that trusts everybody: its group is a name and a list of names.
struct Toy {
    name: String,
    group: Option<Vec<String>>,
}

const NO: Support = Support::No("a toy");
const ID: &[u8] = b"the only group";

impl CgkaEngine for Toy {
    fn describe() -> Description {
        Description {
            name: "toy",
            packages: &[],
            wire_profile: WireProfile::Other("toy"),
            cipher_suites: &[],
            crypto: "none",
            layer: Layer::Core,
            storage: "none",
            threads: Threads::One,
            spans: Spans::uniform(&[Work::NoCryptography]),
            capabilities: Capabilities {
                fork: NO,
                snapshot: NO,
                rename: NO,
                any_member_commits: NO,
            },
            notes: &[],
            deviations: &[],
        }
    }
    fn new_client(name: &str) -> Result<Self, EngineError> {
        Ok(Self { name: name.into(), group: None })
    }
    fn identity(&self) -> Identity {
        Identity::new(self.name.clone().into_bytes())
    }
    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        Ok(KeyPackageBytes::new(self.name.clone().into_bytes()))
    }
    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        let mut names = vec![self.name.clone()];
        for key_package in invitees {
            names.push(text(key_package.as_slice()).map_err(EngineError::Peer)?);
        }
        let welcome = WelcomeBytes::new(names.join("\n").into_bytes());
        self.group = Some(names);
        Ok(Founded {
            group: GroupId::new(ID.to_vec()),
            welcomes: Welcomes::Shared(welcome),
            published_commits: vec![],
        })
    }
    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        let names = text(welcome.as_slice()).map_err(EngineError::Peer)?;
        self.group = Some(names.split('\n').map(String::from).collect());
        Ok(GroupId::new(ID.to_vec()))
    }
    fn send(&mut self, _: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        Ok(AppBytes::new([self.name.as_bytes(), b"\n", payload].concat()))
    }
    fn ingest_app(
        &mut self,
        _: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        let Some(end) = message.as_slice().iter().position(|byte| *byte == b'\n') else {
            return Ok(Rejection::new(RejectReason::Malformed, "no sender").into());
        };
        let (sender, payload) = message.as_slice().split_at(end);
        let sender = Identity::new(sender.to_vec());
        Ok(Ingested::Applied(AppMessage { sender, payload: payload[1..].to_vec() }))
    }
    fn ingest_commit(
        &mut self,
        _: &GroupId,
        _: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        Err(EngineError::unsupported("commits"))
    }
    fn stage_commit(&mut self, _: &GroupId, _: &Change<'_>) -> Result<StagedCommit, EngineError> {
        Err(EngineError::unsupported("commits"))
    }
    fn merge_staged(&mut self, _: PublishedCommit) -> Result<Epoch, EngineError> {
        Err(EngineError::caller("nothing is staged"))
    }
    fn discard_staged(&mut self, _: StagedCommit) -> Result<(), EngineError> {
        Err(EngineError::caller("nothing is staged"))
    }
    fn epoch(&self, _: &GroupId) -> Result<Epoch, EngineError> {
        Ok(Epoch(0))
    }
    fn members(&self, _: &GroupId) -> Result<Vec<Member>, EngineError> {
        let names = self.group.as_ref().ok_or_else(|| EngineError::caller("no such group"))?;
        let member = |(leaf, name): (usize, &String)| Member {
            leaf: LeafIndex(u32::try_from(leaf).unwrap_or(u32::MAX)),
            identity: Identity::new(name.clone().into_bytes()),
        };
        Ok(names.iter().enumerate().map(member).collect())
    }
    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        let me = self.identity();
        let own = self.members(group)?.into_iter().find(|member| member.identity == me);
        own.map(|member| member.leaf).ok_or_else(|| EngineError::caller("not a member"))
    }
    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        let members = self.members(group)?;
        let names = members.iter().flat_map(|member| member.identity.as_slice().to_vec());
        Ok(EpochAuthenticator::new(names.collect()))
    }
    fn encoded_sizes(&self, _: &GroupId) -> Result<EncodedSizes, EngineError> {
        Ok(EncodedSizes::default())
    }
}

fn text(bytes: &[u8]) -> Result<String, Rejection> {
    String::from_utf8(bytes.to_vec()).map_err(|why| Rejection::new(RejectReason::Malformed, why))
}

fn main() -> Result<(), EngineError> {
    let toy = Registration::of::<Toy>();
    let mut ada = toy.new_client("ada")?;
    let mut ben = toy.new_client("ben")?;

    let founded = ada.create_group(&[ben.publish_key_package()?])?;
    let welcome =
        founded.welcomes.for_invitee(0).ok_or(EngineError::internal("ben was invited"))?;
    let group = ben.join_welcome(welcome)?;
    assert_eq!(ada.members(&group)?, ben.members(&group)?);

    let message = ada.send(&group, b"hello")?;
    let Some(received) = ben.ingest_app(&group, &message)?.applied() else {
        return Err(EngineError::internal("the message was not applied"));
    };
    assert_eq!((received.sender, &received.payload[..]), (ada.identity(), &b"hello"[..]));
    Ok(())
}
