//! Flows about proposals of several members, and of the rarer types.

use engine_api::{Declared, MlsExtension, MlsProposal, TreePlace};

use super::stage::{Outcome, Stage};

const INSIDE: TreePlace = TreePlace::InGroupInfo;

const REQUIRED_CAPABILITIES: u16 = 3;
const EXTERNAL_SENDERS: u16 = 5;
/// Of the private range (section 17.3).
const PRIVATE_EXTENSION: u16 = 0xff42;

/// Several members propose at once, each reads the proposals in another order, and somebody
/// commits them all.
pub(super) fn concurrent(stage: &mut Stage<'_>) -> Outcome {
    let kinds = stage.kinds();
    stage.found(kinds + 3, INSIDE)?;
    for by in 0..kinds {
        let size = stage.members.len();
        let proposers: Vec<_> = (0..size).filter(|member| *member != by).collect();
        let leaving = stage.own_leaf(size - 1)?;
        let mut newcomer = stage.newcomer()?;
        let add = MlsProposal::Add(newcomer.key_package()?);
        let wanted = [MlsProposal::Update, add, MlsProposal::Remove(leaving)];
        let mut sent = Vec::new();
        for (proposer, proposal) in proposers.iter().zip(&wanted) {
            sent.push((*proposer, stage.proposal(*proposer, proposal)?, proposal.proposal_type()));
        }
        stage.boundary()?;
        for reader in 0..size {
            for place in 0..sent.len() {
                let (proposer, message, kind) = &sent[(place + reader) % sent.len()];
                if *proposer != reader {
                    stage.read_proposal(reader, *proposer, message, *kind)?;
                }
            }
        }
        stage.boundary()?;
        stage.commit(by, &[], vec![newcomer], INSIDE)?;
    }
    stage.talk()
}

/// Two members stage commits for one epoch; the other one's is accepted.
pub(super) fn rivals(stage: &mut Stage<'_>) -> Outcome {
    let kinds = stage.kinds();
    stage.found(kinds + 1, INSIDE)?;
    for by in 0..kinds {
        let loser = (by + 1) % stage.members.len();
        let lost = stage.stage_commit(loser, &[], INSIDE)?;
        stage.commit(by, &[], Vec::new(), INSIDE)?;
        let merged = stage.members[loser].client.merge_staged(lost.published()).is_err();
        stage.holds(loser, "the commit that lost refused", merged)?;
        stage.commit(loser, &[], Vec::new(), INSIDE)?;
    }
    stage.talk()
}

/// The group context's extensions change: by value and by reference, of types that all have.
pub(super) fn group_context(stage: &mut Stage<'_>) -> Outcome {
    let kinds = stage.kinds();
    stage.found(kinds + 1, INSIDE)?;
    for by in 0..kinds {
        let lists = [vec![required_capabilities(&[])], vec![external_senders(by)], Vec::new()];
        for (turn, list) in lists.into_iter().enumerate() {
            let proposal = MlsProposal::GroupContextExtensions(list.clone());
            if turn % 2 == 0 {
                stage.commit(by, &[proposal], Vec::new(), INSIDE)?;
            } else {
                stage.propose((by + 1) % kinds, &proposal, 0)?;
                stage.commit(by, &[], Vec::new(), INSIDE)?;
            }
            let found = stage.members[by].client.group_context_extensions(&stage.group);
            stage.same(by, "the list", &found.map_err(|why| why.to_string())?, &list)?;
        }
    }
    let newcomer = stage.newcomer()?;
    stage.invite(0, vec![newcomer], &[], INSIDE)?;
    stage.talk()
}

/// The same with an extension that the engines don't know, and that all list in their leaves.
pub(super) fn private_extension(stage: &mut Stage<'_>) -> Outcome {
    with_private_extension(stage, &[])
}

/// The same, and `required_capabilities` asks for it as well.
pub(super) fn required_extension(stage: &mut Stage<'_>) -> Outcome {
    with_private_extension(stage, &[required_capabilities(&[PRIVATE_EXTENSION])])
}

fn with_private_extension(stage: &mut Stage<'_>, first: &[MlsExtension]) -> Outcome {
    let extensions = vec![PRIVATE_EXTENSION];
    stage.declare(Declared { extensions, proposals: Vec::new() });
    stage.found(stage.kinds(), INSIDE)?;
    for by in 0..stage.kinds() {
        let extension_data = vec![u8::try_from(by).unwrap_or_default(); 3];
        let own = MlsExtension { extension_type: PRIVATE_EXTENSION, extension_data };
        let list: Vec<_> = first.iter().cloned().chain([own]).collect();
        let proposal = MlsProposal::GroupContextExtensions(list.clone());
        stage.commit(by, &[proposal], Vec::new(), INSIDE)?;
        let found = stage.members[by].client.group_context_extensions(&stage.group);
        stage.same(by, "the list", &found.map_err(|why| why.to_string())?, &list)?;
        let newcomer = stage.newcomer()?;
        stage.invite(by, vec![newcomer], &[], INSIDE)?;
    }
    stage.talk()
}

/// An external PSK goes into an epoch: by value, by reference, and with a Welcome.
pub(super) fn external_psk(stage: &mut Stage<'_>) -> Outcome {
    let kinds = stage.kinds();
    stage.found(kinds + 1, INSIDE)?;
    stage.share_psk(b"psk one", &[1; 32])?;
    stage.share_psk(b"psk two", &[2; 32])?;
    for by in 0..kinds {
        let one = MlsProposal::ExternalPsk(b"psk one".to_vec());
        let two = MlsProposal::ExternalPsk(b"psk two".to_vec());
        stage.commit(by, std::slice::from_ref(&one), Vec::new(), INSIDE)?;
        stage.propose((by + 1) % kinds, &two, 0)?;
        stage.commit(by, &[], Vec::new(), INSIDE)?;
        let newcomer = stage.newcomer()?;
        stage.invite(by, vec![newcomer], &[two, one], INSIDE)?;
    }
    stage.talk()
}

/// Members leave by SelfRemove; each kind commits one, and each kind sends one.
pub(super) fn self_remove(stage: &mut Stage<'_>) -> Outcome {
    let proposals = vec![MlsProposal::SelfRemove.proposal_type()];
    stage.declare(Declared { extensions: Vec::new(), proposals });
    let kinds = stage.kinds();
    stage.found(2 * kinds + 1, INSIDE)?;
    for turn in 0..kinds {
        let leaver = stage.members.len() - 1;
        let stayer = stage.own_leaf(0)?;
        stage.propose(leaver, &MlsProposal::SelfRemove, turn)?;
        let by = turn % (stage.members.len() - 1);
        stage.commit(by, &[], Vec::new(), INSIDE)?;
        let left = stage.own_leaf(0)?;
        stage.same(0, "the leaf", &left, &stayer)?;
    }
    stage.talk()
}

/// `required_capabilities` (section 11.1): these extensions, and basic credentials.
fn required_capabilities(extensions: &[u16]) -> MlsExtension {
    let mut extension_data = vec![u8::try_from(2 * extensions.len()).unwrap_or_default()];
    extension_data.extend(extensions.iter().flat_map(|extension| extension.to_be_bytes()));
    extension_data.extend([0, 2, 0, 1]);
    MlsExtension { extension_type: REQUIRED_CAPABILITIES, extension_data }
}

/// `external_senders` (section 12.1.8.1) with one sender, of a name that is new each time.
fn external_senders(number: usize) -> MlsExtension {
    let name = [b's', u8::try_from(number).unwrap_or_default()];
    let mut sender = vec![32];
    sender.extend([7; 32]);
    sender.extend([0, 1, 2]);
    sender.extend(name);
    let mut extension_data = vec![u8::try_from(sender.len()).unwrap_or_default()];
    extension_data.extend(sender);
    MlsExtension { extension_type: EXTERNAL_SENDERS, extension_data }
}
