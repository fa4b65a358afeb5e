//! The engine `broken/<lie>`: `null`, and one lie.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine_api::{
    AppBytes, AppMessage, CgkaEngine, Change, CipherSuite, CommitBytes, Description, Deviation,
    EncodedSizes, EngineError, Epoch, EpochAuthenticator, Founded, GroupId, Identity, Ingested,
    KeyPackageBytes, LeafIndex, Member, PublishedCommit, SnapshotBytes, Spans, StagedCommit,
    Support, WelcomeBytes, WireProfile,
};

use crate::Lie;
use crate::client::Null;
use crate::describe::DESCRIPTION;
use crate::twist::{self, Memory};

/// Shows in nothing.
const TOO_MUCH: &[Deviation] = &[Deviation {
    scenario: "talking",
    check: "plaintext",
    shows: "",
    at_most: 1,
    why: "what is sent is said to be lost once",
}];

/// A client that tells the lie `Lie::ALL[LIE]`.
pub(crate) struct Broken<const LIE: usize> {
    /// Shared with a fork only if that is the lie.
    null: Arc<Mutex<Null>>,
    memory: Memory,
}

impl<const LIE: usize> Broken<LIE> {
    const LIE: Lie = Lie::ALL[LIE];
    const NOTES: &'static [&'static str] =
        &["Wrong on purpose, to test the checks; never to be measured.", Self::LIE.what()];

    fn new(null: Null) -> Self {
        Self { null: Arc::new(Mutex::new(null)), memory: Memory::default() }
    }

    fn null(&self) -> MutexGuard<'_, Null> {
        lock(&self.null)
    }
}

/// The lie `panics` must not make later calls panic.
fn lock(null: &Mutex<Null>) -> MutexGuard<'_, Null> {
    null.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<const LIE: usize> CgkaEngine for Broken<LIE> {
    fn describe() -> Description {
        let mut description = DESCRIPTION;
        description.name = Self::LIE.name();
        description.wire_profile = WireProfile::Other(Self::LIE.name());
        description.notes = Self::NOTES;
        match Self::LIE {
            Lie::HiddenCapability => {
                description.capabilities.snapshot = Support::No("so it says");
            }
            Lie::ClaimsCryptography => {
                description.spans = Spans::default();
                description.cipher_suites = &[CipherSuite(1)];
            }
            Lie::NamesNoVersion => description.packages = &[],
            Lie::DeclaresTooMuch => description.deviations = TOO_MUCH,
            Lie::TellsNoReason => description.capabilities.rename = Support::No(""),
            _ => {}
        }
        description
    }

    fn new_client(name: &str) -> Result<Self, EngineError> {
        Null::new_client(name).map(Self::new)
    }

    fn identity(&self) -> Identity {
        let identity = self.null().identity();
        match Self::LIE {
            Lie::WrongIdentity => Identity::new([identity.as_slice(), b"?"].concat()),
            _ => identity,
        }
    }

    fn publish_key_package(&mut self) -> Result<KeyPackageBytes, EngineError> {
        let key_package = self.null().publish_key_package()?;
        Ok(match Self::LIE {
            Lie::RepeatsKeyPackages => self.memory.first_key_package(key_package),
            _ => key_package,
        })
    }

    fn create_group(&mut self, invitees: &[KeyPackageBytes]) -> Result<Founded, EngineError> {
        let invitees = twist::heard_key_packages(Self::LIE, invitees);
        let founded = self.null().create_group(&invitees);
        let founded = founded.map_err(|why| twist::blame(Self::LIE, why))?;
        self.memory.founded.push(founded.group.clone());
        Ok(founded)
    }

    fn join_welcome(&mut self, welcome: &WelcomeBytes) -> Result<GroupId, EngineError> {
        let welcome = WelcomeBytes::new(twist::heard(Self::LIE, welcome.as_slice()));
        let joined = self.memory.join(Self::LIE, &mut lock(&self.null), &welcome);
        joined.map_err(|why| twist::blame(Self::LIE, why))
    }

    fn send(&mut self, group: &GroupId, payload: &[u8]) -> Result<AppBytes, EngineError> {
        let mut null = self.null();
        match Self::LIE {
            Lie::DropsPayload => null.send(group, &[]),
            Lie::CutsPayload => null.send(group, &payload[..payload.len().min(1024)]),
            Lie::SendsAfterRemoval => twist::send_as_if_a_member(&mut null, group, payload),
            _ => null.send(group, payload),
        }
    }

    fn ingest_app(
        &mut self,
        group: &GroupId,
        message: &AppBytes,
    ) -> Result<Ingested<AppMessage>, EngineError> {
        let message = AppBytes::new(twist::heard(Self::LIE, message.as_slice()));
        if self.memory.turns_a_deaf_ear(Self::LIE) {
            return Ok(twist::refusal());
        }
        let mut null = lock(&self.null);
        let outcome = null.ingest_app(group, &message)?;
        let outcome = self.memory.retell_app(Self::LIE, &null, group, &message, outcome);
        self.memory.note_rejection(&outcome);
        twist::blame_outcome(Self::LIE, outcome)
    }

    fn ingest_commit(
        &mut self,
        group: &GroupId,
        commit: &CommitBytes,
    ) -> Result<Ingested<Epoch>, EngineError> {
        let commit = CommitBytes::new(twist::heard(Self::LIE, commit.as_slice()));
        if self.memory.turns_a_deaf_ear(Self::LIE) {
            return Ok(twist::refusal());
        }
        let mut null = lock(&self.null);
        let before = null.clone();
        let outcome = null.ingest_commit(group, &commit)?;
        self.memory.note_leavers(group, &before, &null);
        let outcome = twist::retell_commit(Self::LIE, &mut null, before, group, &commit, outcome);
        self.memory.note_rejection(&outcome);
        twist::blame_outcome(Self::LIE, outcome)
    }

    fn stage_commit(
        &mut self,
        group: &GroupId,
        change: &Change<'_>,
    ) -> Result<StagedCommit, EngineError> {
        if Self::LIE == Lie::FounderOnly && !self.memory.founded.contains(group) {
            return Err(EngineError::caller("only the founder may"));
        }
        let mut null = self.null();
        if Self::LIE == Lie::StagesTwice {
            twist::put_staged(&mut null, group, None);
        }
        let staged = match change {
            Change::Add(key_packages) => {
                let key_packages = twist::heard_key_packages(Self::LIE, key_packages);
                null.stage_commit(group, &Change::Add(&key_packages))
            }
            Change::Rename(_) if Self::LIE == Lie::TellsNoReason => {
                Err(EngineError::unsupported("a new name"))
            }
            _ => null.stage_commit(group, change),
        };
        if Self::LIE == Lie::MergesEarly && staged.is_ok() {
            twist::merge_whatever_is_staged(&mut null, group);
        }
        staged.map_err(|why| twist::blame(Self::LIE, why))
    }

    fn merge_staged(&mut self, commit: PublishedCommit) -> Result<Epoch, EngineError> {
        let group = commit.staged().group().clone();
        let base = commit.staged().base();
        let mut null = lock(&self.null);
        if Self::LIE == Lie::MergesEarly {
            return null.epoch(&group);
        }
        let before = null.clone();
        let commit = match Self::LIE {
            Lie::MergesAnothers => twist::taken_for_own(&null, commit.refused()).published(),
            _ => commit,
        };
        let entered = null.merge_staged(commit)?;
        self.memory.note_leavers(&group, &before, &null);
        match Self::LIE {
            Lie::WrongMergedEpoch => return Ok(base),
            Lie::StuckMerge => {
                *null = before;
                twist::put_staged(&mut null, &group, None);
            }
            _ => {}
        }
        Ok(entered)
    }

    fn discard_staged(&mut self, commit: StagedCommit) -> Result<(), EngineError> {
        match Self::LIE {
            Lie::MergesEarly => Ok(()),
            Lie::DiscardApplies => self.null().merge_staged(commit.published()).map(|_| ()),
            Lie::MergesAnothers => {
                let mut null = self.null();
                let commit = twist::taken_for_own(&null, commit);
                null.discard_staged(commit)
            }
            _ => self.null().discard_staged(commit),
        }
    }

    fn epoch(&self, group: &GroupId) -> Result<Epoch, EngineError> {
        let epoch = self.null().epoch(group);
        match Self::LIE {
            Lie::WrongEpoch => epoch.map(twist::after),
            Lie::InventsGroups => Ok(epoch.unwrap_or(Epoch(0))),
            _ => epoch,
        }
    }

    fn group_name(&self, group: &GroupId) -> Result<String, EngineError> {
        let name = self.null().group_name(group)?;
        Ok(if Self::LIE == Lie::KeepsName { String::new() } else { name })
    }

    fn members(&self, group: &GroupId) -> Result<Vec<Member>, EngineError> {
        let mut members = self.null().members(group)?;
        match Self::LIE {
            Lie::WrongMembers => members.truncate(members.len().saturating_sub(1)),
            Lie::UnsortedMembers => members.reverse(),
            Lie::SwapsMembers => twist::swap_the_first_two(&mut members),
            Lie::ListsRemoved => self.memory.list_those_who_left(group, &mut members),
            _ => {}
        }
        Ok(members)
    }

    fn own_leaf(&self, group: &GroupId) -> Result<LeafIndex, EngineError> {
        let leaf = self.null().own_leaf(group)?;
        Ok(match Self::LIE {
            Lie::WrongLeaf => LeafIndex(leaf.0.wrapping_add(1)),
            _ => leaf,
        })
    }

    fn epoch_authenticator(&self, group: &GroupId) -> Result<EpochAuthenticator, EngineError> {
        let null = self.null();
        let truth = null.epoch_authenticator(group)?;
        let told = match Self::LIE {
            Lie::AgreesWithEverybody => b"agreed".to_vec(),
            Lie::Disagrees => [truth.as_slice(), null.identity.as_slice()].concat(),
            Lie::StaleAuthenticator => group.as_slice().to_vec(),
            Lie::DamagedByRefusal => [truth.as_slice(), &[self.memory.rejected]].concat(),
            _ => return Ok(truth),
        };
        Ok(EpochAuthenticator::new(told))
    }

    fn encoded_sizes(&self, group: &GroupId) -> Result<EncodedSizes, EngineError> {
        let mut sizes = self.null().encoded_sizes(group)?;
        if Self::LIE == Lie::WrongSizes {
            sizes.ratchet_tree = Some(0);
        }
        Ok(sizes)
    }

    fn fork(&self) -> Result<Self, EngineError> {
        let null = match Self::LIE {
            Lie::SharedFork => Arc::clone(&self.null),
            _ => Arc::new(Mutex::new(self.null().fork()?)),
        };
        Ok(Self { null, memory: self.memory.clone() })
    }

    fn snapshot(&self) -> Result<SnapshotBytes, EngineError> {
        match Self::LIE {
            Lie::FalseCapability => Err(EngineError::unsupported("snapshot")),
            _ => self.null().snapshot(),
        }
    }

    fn restore(snapshot: &SnapshotBytes) -> Result<Self, EngineError> {
        let mut null = match Self::LIE {
            Lie::FalseCapability => return Err(EngineError::unsupported("restore")),
            Lie::RestoresGarbage => Null::restore(snapshot).or_else(|_| Null::new_client(""))?,
            _ => Null::restore(snapshot)?,
        };
        match Self::LIE {
            Lie::LossySnapshot => null.groups.values_mut().for_each(|group| group.epoch = 0),
            Lie::ForgetfulSnapshot => twist::forget_what_was_received(&mut null),
            Lie::KeylessSnapshot => null.key_packages.clear(),
            Lie::ForgetsStaged => null.groups.values_mut().for_each(|group| group.staged = None),
            _ => {}
        }
        Ok(Self::new(null))
    }
}
