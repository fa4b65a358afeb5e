//! Recording sessions of mixed groups, for [`vectors::sessions`].
//!
//! Every member is imported, so that its key package outlives the recording: engines with a clock
//! look at the lifetimes in the Adds that they are shown.

use engine_api::{
    AnyMlsClient, AppMessage, GroupId, Ingested, KeyPackageBytes, LeafIndex, MlsClient, MlsEffect,
    MlsExtension, MlsProposal, MlsRegistration, TreePlace, WelcomeBytes,
};
use vectors::sessions::{
    Expected, Provenance, Recording, Session, State, Step, new_member, to_hex,
};

const OBSERVER: &str = "observer";

const PSK: (&[u8], &[u8]) = (b"the psk", &[0x5a; 32]);

/// Records one session for each order of the engines that `engines` has one configuration of.
///
/// # Errors
/// What an engine refuses that it has to take.
pub fn record(engines: &[MlsRegistration]) -> Result<Recording, Box<dyn std::error::Error>> {
    let mut sessions = Vec::new();
    for (number, cast) in orders(engines).into_iter().enumerate() {
        let tree = if number % 2 == 0 { TreePlace::InGroupInfo } else { TreePlace::Apart };
        sessions.push(session(&cast, tree)?);
    }
    let packages = engines.iter().map(|engine| {
        let description = engine.engine().describe();
        let packages = description.packages.iter();
        let packages = packages.map(|package| format!("{} {}", package.name, package.version));
        format!("{}: {}", engine.name(), packages.collect::<Vec<_>>().join(", "))
    });
    let provenance = Provenance {
        made_by: "cgka-bench sessions".into(),
        engines: packages.collect(),
        sha256: String::new(),
    };
    let mut recording = Recording { provenance, sessions };
    recording.provenance.sha256 = recording.digest()?;
    Ok(recording)
}

fn orders(engines: &[MlsRegistration]) -> Vec<Vec<MlsRegistration>> {
    let mut orders = Vec::new();
    for one in engines {
        for other in engines.iter().filter(|other| other.name() != one.name()) {
            let rest = engines.iter().copied();
            let rest = rest.filter(|e| e.name() != one.name() && e.name() != other.name());
            orders.push([*one, *other].into_iter().chain(rest).collect());
        }
    }
    orders
}

struct Guest {
    name: String,
    client: AnyMlsClient,
    /// The one that it was imported with.
    key_package: KeyPackageBytes,
}

struct Recorder {
    members: Vec<Guest>,
    group: GroupId,
    session: Session,
    /// The observer is in the group: what is sent is recorded.
    rolling: bool,
}

type Done<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn session(cast: &[MlsRegistration], tree: TreePlace) -> Done<Session> {
    let names: Vec<String> = cast.iter().map(|engine| engine.name().to_owned()).collect();
    let beside = if tree == TreePlace::Apart { ", the tree beside the Welcome" } else { "" };
    let observer = new_member(OBSERVER, &[PSK])?;
    let session = Session::of(
        &observer,
        names.join(" + "),
        format!("founded by a client of the first, joined by the others{beside}"),
        names,
    );
    let mut founder = imported(&cast[0], "founder")?;
    let group = founder.client.create_group(&[])?.group;
    let mut recorder = Recorder { members: vec![founder], group, session, rolling: false };
    for engine in &cast[1..] {
        let guest = imported(engine, &format!("guest {}", recorder.members.len()))?;
        recorder.add(0, guest)?;
    }
    recorder.observed(1, &observer.key_package, tree)?;
    recorder.play(cast)?;
    Ok(recorder.session)
}

fn imported(engine: &MlsRegistration, name: &str) -> Done<Guest> {
    let passive = new_member(name, &[PSK])?;
    let client = engine.import(&passive)?;
    Ok(Guest { name: name.to_owned(), client, key_package: passive.key_package })
}

impl Recorder {
    fn play(&mut self, cast: &[MlsRegistration]) -> Done {
        let last = self.members.len() - 1;
        self.talk()?;
        self.commit(last, "an empty commit", &[])?;
        self.propose(0, "an Update", &MlsProposal::Update)?;
        self.propose(last, "an external PSK", &MlsProposal::ExternalPsk(PSK.0.to_vec()))?;
        self.commit(1, "both proposals", &[])?;
        self.add(last, imported(&cast[1], "late guest")?)?;
        self.talk()?;
        let leaf = self.leaf_of("late guest")?;
        self.propose(1, "a Remove of the late guest", &MlsProposal::Remove(leaf))?;
        let required = MlsExtension { extension_type: 3, extension_data: vec![0, 0, 2, 0, 1] };
        let required = MlsProposal::GroupContextExtensions(vec![required]);
        self.commit(0, "the Remove, and required capabilities by value", &[required])?;
        let late = self.members[0].client.send(&self.group, b"late")?;
        self.commit(last, "a commit before a late message", &[])?;
        self.application(0, late.as_slice(), b"late")?;
        self.enter(1, imported(&cast[0], "external guest")?)?;
        self.talk()?;
        let observer = self.leaf_of(OBSERVER)?;
        self.commit(last, "removes the observer", &[MlsProposal::Remove(observer)])
    }

    /// Member `by` adds a guest.
    fn add(&mut self, by: usize, mut guest: Guest) -> Done {
        let what = format!("{} adds {}", self.members[by].name, guest.name);
        let adds = [MlsProposal::Add(guest.key_package.clone())];
        let welcome = self.commit_in(by, &what, &adds, TreePlace::InGroupInfo)?;
        guest.client.join(&welcome.ok_or("no Welcome")?, None)?;
        self.members.push(guest);
        Ok(())
    }

    /// Member `by` adds the observer, and the recording begins.
    fn observed(&mut self, by: usize, key_package: &KeyPackageBytes, tree: TreePlace) -> Done {
        let adds = [MlsProposal::Add(key_package.clone())];
        let welcome = self.commit_in(by, "", &adds, tree)?.ok_or("no Welcome")?;
        self.session.welcome = to_hex(welcome.as_slice());
        if tree == TreePlace::Apart {
            let tree = self.members[by].client.ratchet_tree(&self.group)?;
            self.session.ratchet_tree = Some(to_hex(&tree.0));
        }
        self.session.joined = self.state(by)?;
        self.rolling = true;
        Ok(())
    }

    fn commit(&mut self, by: usize, what: &str, by_value: &[MlsProposal]) -> Done {
        let what = format!("{}: {what}", self.members[by].name);
        self.commit_in(by, &what, by_value, TreePlace::InGroupInfo).map(drop)
    }

    /// Commits what is pending, and shows it to all.
    fn commit_in(
        &mut self,
        by: usize,
        what: &str,
        by_value: &[MlsProposal],
        tree: TreePlace,
    ) -> Done<Option<WelcomeBytes>> {
        let client = &mut self.members[by].client;
        let staged = client.commit_pending(&self.group, by_value, tree)?;
        let publication = staged.publication();
        client.merge_staged(staged.published())?;
        self.committed(by, what, publication.commit.as_slice())?;
        Ok(publication.welcomes.for_invitee(0).cloned())
    }

    /// A commit that `by` has applied: all others do, and those who have to leave do.
    fn committed(&mut self, by: usize, what: &str, commit: &[u8]) -> Done {
        let state = self.state(by)?;
        let name = self.members[by].name.clone();
        let mut stay = Vec::new();
        for mut member in std::mem::take(&mut self.members) {
            if member.name == name {
                stay.push(member);
                continue;
            }
            match member.client.ingest(&self.group, commit)? {
                Ingested::Applied(MlsEffect::Commit(_)) => stay.push(member),
                Ingested::Removed => {}
                other => return Err(format!("{}: {what}: {other:?}", member.name).into()),
            }
        }
        self.members = stay;
        for place in 0..self.members.len() {
            if self.state(place)? != state {
                return Err(format!("{what}: {} is elsewhere", self.members[place].name).into());
            }
        }
        let observer = to_hex(OBSERVER.as_bytes());
        let is_in = state.members.as_ref().is_some_and(|members| members.contains(&observer));
        self.roll(what, commit, if is_in { Expected::Commit(state) } else { Expected::Removed });
        Ok(())
    }

    fn propose(&mut self, by: usize, what: &str, proposal: &MlsProposal) -> Done {
        let message = self.members[by].client.propose(&self.group, proposal)?.0;
        for member in self.others(by) {
            let outcome = member.client.ingest(member.group, &message)?;
            if !matches!(outcome, Ingested::Applied(MlsEffect::Proposal { .. })) {
                return Err(format!("{}: {what}: {outcome:?}", member.name).into());
            }
        }
        let what = format!("{} proposes {what}", self.members[by].name);
        self.roll(&what, &message, Expected::Proposal(Some(proposal.proposal_type())));
        Ok(())
    }

    /// Everybody says something.
    fn talk(&mut self) -> Done {
        for by in 0..self.members.len() {
            let payload = format!("hello from {}", self.members[by].name);
            let message = self.members[by].client.send(&self.group, payload.as_bytes())?;
            self.application(by, message.as_slice(), payload.as_bytes())?;
        }
        Ok(())
    }

    /// A message that `by` has sent is read by all others.
    fn application(&mut self, by: usize, message: &[u8], payload: &[u8]) -> Done {
        let sender = self.members[by].client.identity();
        let read = AppMessage { sender: sender.clone(), payload: payload.to_vec() };
        let read = Ingested::Applied(MlsEffect::Application(read));
        for member in self.others(by) {
            let outcome = member.client.ingest(member.group, message)?;
            if outcome != read {
                return Err(format!("{}: a message: {outcome:?}", member.name).into());
            }
        }
        let what = format!("{} sends", self.members[by].name);
        let sender = to_hex(sender.as_slice());
        self.roll(&what, message, Expected::Application { sender, payload: to_hex(payload) });
        Ok(())
    }

    /// A guest joins by an external commit.
    fn enter(&mut self, by: usize, mut guest: Guest) -> Done {
        let host = &mut self.members[by].client;
        let info = host.group_info(&self.group, TreePlace::InGroupInfo)?;
        let joined = guest.client.external_commit(&info, None, false)?;
        let what = format!("{} joins by an external commit", guest.name);
        self.members.push(guest);
        self.committed(self.members.len() - 1, &what, &joined.commit)
    }

    fn others(&mut self, by: usize) -> impl Iterator<Item = Reader<'_>> {
        let group = &self.group;
        let members = self.members.iter_mut().enumerate();
        members.filter(move |(place, _)| *place != by).map(move |(_, member)| Reader {
            name: &member.name,
            client: &mut *member.client,
            group,
        })
    }

    fn roll(&mut self, what: &str, message: &[u8], expected: Expected) {
        if self.rolling {
            let (what, message) = (what.to_owned(), to_hex(message));
            self.session.steps.push(Step { what, message, expected });
        }
    }

    fn state(&self, place: usize) -> Done<State> {
        let client = &self.members[place].client;
        let members = client.members(&self.group)?;
        let names = members.iter().map(|member| to_hex(member.identity.as_slice()));
        Ok(State {
            epoch: Some(client.epoch(&self.group)?.0),
            epoch_authenticator: to_hex(client.epoch_authenticator(&self.group)?.as_slice()),
            members: Some(names.collect()),
        })
    }

    fn leaf_of(&self, name: &str) -> Done<LeafIndex> {
        let members = self.members[0].client.members(&self.group)?;
        let mut members = members.into_iter();
        let member = members.find(|member| member.identity.as_slice() == name.as_bytes());
        Ok(member.ok_or("nobody of that name")?.leaf)
    }
}

/// One of those who get a message.
struct Reader<'a> {
    name: &'a str,
    client: &'a mut dyn MlsClient,
    group: &'a GroupId,
}
