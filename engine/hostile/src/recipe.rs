//! What a forger puts into a commit: proposals that are valid, that are not, and that don't go
//! together.

use burrow::{
    framing::Sender,
    tree::LeafDescription,
    types::{
        AppDataUpdate, AppDataUpdateOperation, ComponentId, Credential, CredentialType,
        CustomProposal, Extension, ExtensionType, Extensions, KeyPackage, LeafIndex,
        LeafNodeContent, LeafNodeSource, PreSharedKeyId, Proposal, ProposalOrRef, ProposalType,
        ProtocolVersion, Psk, ReInit, RequiredCapabilities, ResumptionPskUsage,
    },
};
use crypto_api::CipherSuite;

use crate::{
    Failure,
    dice::Dice,
    forge::{self, Forged, PSK_ID, PathPlan},
    world::{COMPONENT, GROUP_ID, World},
};

/// A commit of the insider, of anything.
///
/// # Errors
///
/// If no such commit can be made.
pub fn commit(world: &World, dice: &mut Dice) -> Result<Forged, Failure> {
    let sender = Sender::Member(world.insider.leaf);
    let most = if dice.one_in(8) { 12 } else { 4 };
    let many = dice.below(most);
    let mut list: Vec<_> = (0..many).map(|_| entry(world, dice)).collect();
    if dice.one_in(3) {
        let references = world.book.known.keys();
        let mut references: Vec<_> = references.cloned().collect();
        references.sort_unstable();
        list.extend(references.into_iter().map(ProposalOrRef::Reference));
    }
    let path = (!dice.one_in(4)).then(|| plan(world, dice)).transpose()?;
    make(world, sender, list, path)
}

/// A commit of one who joins by it, of anything.
///
/// # Errors
///
/// If no such commit can be made.
pub fn external_commit(world: &World, dice: &mut Dice) -> Result<Forged, Failure> {
    let mut list = Vec::new();
    for _ in 0..(if dice.one_in(8) { dice.below(3) } else { 1 }) {
        let init = forge::external_init(&world.insider, &world.book, world.suite()?)?;
        list.push(ProposalOrRef::Proposal(init));
    }
    for _ in 0..dice.below(3) {
        list.push(entry(world, dice));
    }
    let outsider = &world.outsider;
    let description = describe(outsider.description.clone(), dice);
    let path = PathPlan { description, signer: outsider.signer.clone() };
    make(world, Sender::NewMemberCommit, list, Some(path))
}

/// A commit of this list.
///
/// # Errors
///
/// If no such commit can be made.
pub fn make(
    world: &World,
    sender: Sender,
    list: Vec<ProposalOrRef>,
    path: Option<PathPlan>,
) -> Result<Forged, Failure> {
    forge::commit(&world.insider, &world.book, world.suite()?, sender, list, path)
}

/// A path of the insider's as it should be.
///
/// # Errors
///
/// If the insider has no leaf.
pub fn own_path(world: &World) -> Result<PathPlan, Failure> {
    let insider = &world.insider;
    let leaf = insider.tree.leaf(insider.leaf).ok_or("no leaf")?;
    Ok(PathPlan { description: LeafDescription::from(leaf), signer: insider.signer.clone() })
}

fn plan(world: &World, dice: &mut Dice) -> Result<PathPlan, Failure> {
    let mut plan = own_path(world)?;
    if dice.one_in(3) {
        plan.description = describe(plan.description, dice);
    }
    match dice.below(8) {
        0 => plan.signer = world.outsider.signer.clone(),
        1 => {
            let members = &world.members;
            plan.signer = dice.pick(members).ok_or("nobody")?.signer().clone();
        }
        _ => {}
    }
    Ok(plan)
}

fn describe(mut description: LeafDescription, dice: &mut Dice) -> LeafDescription {
    match dice.below(8) {
        0 => description.credential = Credential::Basic(dice.bytes(8)),
        1 => {
            description.credential = Credential::X509(Vec::new());
            description.capabilities.credentials.push(CredentialType::X509);
        }
        2 => description.capabilities.versions = vec![ProtocolVersion(0x0a0a)],
        3 => description.capabilities.cipher_suites.clear(),
        4 => description.capabilities.extensions.clear(),
        5 => description.capabilities.proposals.clear(),
        6 => {
            description.capabilities.extensions.push(ExtensionType(0xf001));
            description.extensions = extensions(dice);
        }
        _ => {}
    }
    description
}

/// An entry of a commit's list.
pub fn entry(world: &World, dice: &mut Dice) -> ProposalOrRef {
    if dice.one_in(10) {
        return ProposalOrRef::Reference(dice.bytes(32));
    }
    ProposalOrRef::Proposal(proposal(world, dice))
}

/// Any proposal.
pub fn proposal(world: &World, dice: &mut Dice) -> Proposal {
    match dice.below(14) {
        0..=2 => add(world, dice),
        3..=5 => {
            let end = world.insider.tree.size().leaf_count() as usize + 2;
            Proposal::Remove(LeafIndex(dice.below(end) as u32))
        }
        6 | 7 => Proposal::PreSharedKey(psk(world, dice)),
        8 | 9 => Proposal::GroupContextExtensions(extensions(dice)),
        10 => Proposal::ReInit(ReInit {
            group_id: dice.bytes(8),
            version: ProtocolVersion(dice.below(3) as u16),
            cipher_suite: CipherSuite(dice.below(8) as u16),
            extensions: extensions(dice),
        }),
        13 => Proposal::AppDataUpdate(AppDataUpdate {
            component_id: if dice.one_in(4) { ComponentId(7) } else { COMPONENT },
            operation: match dice.below(3) {
                0 => AppDataUpdateOperation::Remove,
                _ => AppDataUpdateOperation::Update(dice.bytes(9)),
            },
        }),
        11 if dice.one_in(4) => Proposal::Custom(CustomProposal {
            proposal_type: ProposalType(0xf000 + dice.below(3) as u16),
            data: dice.bytes(5),
        }),
        11 if dice.one_in(2) => Proposal::ExternalInit(dice.bytes(32)),
        11 => Proposal::SelfRemove,
        _ => update(world, dice).unwrap_or(Proposal::SelfRemove),
    }
}

fn add(world: &World, dice: &mut Dice) -> Proposal {
    let spare = dice.pick(&world.spares).unwrap_or(&world.joiner);
    Proposal::Add(Box::new(KeyPackage::clone(spare.key_package())))
}

fn psk(world: &World, dice: &mut Dice) -> PreSharedKeyId {
    let psk = match dice.below(4) {
        0 | 1 => Psk::External { psk_id: PSK_ID.to_vec() },
        2 => Psk::External { psk_id: dice.bytes(4) },
        _ => Psk::Resumption {
            usage: match dice.below(4) {
                0 => ResumptionPskUsage::Reinit,
                1 => ResumptionPskUsage::Branch,
                _ => ResumptionPskUsage::Application,
            },
            psk_group_id: GROUP_ID.to_vec(),
            psk_epoch: dice.below(world.insider.context.epoch as usize + 2) as u64,
        },
    };
    let length = if dice.one_in(6) { dice.below(70) } else { 32 };
    PreSharedKeyId { psk, psk_nonce: dice.bytes(length) }
}

fn extensions(dice: &mut Dice) -> Extensions {
    let mut extensions = Extensions::new();
    for _ in 0..dice.below(3) {
        let required = RequiredCapabilities {
            extension_types: vec![ExtensionType(if dice.one_in(2) { 0x0a } else { 0xf002 })],
            proposal_types: vec![ProposalType::SELF_REMOVE],
            credential_types: vec![CredentialType(1 + dice.below(2) as u16)],
        };
        if dice.one_in(2) {
            let _ = extensions.put(&required);
            continue;
        }
        let length = dice.below(40);
        extensions.insert(Extension {
            extension_type: ExtensionType(dice.below(8) as u16),
            extension_data: dice.bytes(length),
        });
    }
    extensions
}

/// An Update of the insider's, whose keys may be old ones.
fn update(world: &World, dice: &mut Dice) -> Option<Proposal> {
    let suite = world.suite().ok()?;
    let insider = &world.insider;
    let old = insider.tree.leaf(insider.leaf)?;
    let encryption_key = if dice.one_in(3) {
        old.encryption_key.clone()
    } else {
        suite.generate_key_pair().ok()?.public().to_vec().into()
    };
    let content = LeafNodeContent {
        encryption_key,
        signature_key: old.signature_key.clone(),
        credential: old.credential.clone(),
        capabilities: old.capabilities.clone(),
        leaf_node_source: LeafNodeSource::Update,
        extensions: old.extensions.clone(),
    };
    content.sign(suite, &insider.signer, GROUP_ID, insider.leaf).ok().map(Proposal::Update)
}
