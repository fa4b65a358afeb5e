//! Application data in the GroupContext, and proposals of the application's own types.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod members;

use burrow::{
    codec::{Decode, Encode},
    framing::Sender,
    group::{Config, ExternalProposer, Group},
    types::{
        AppDataDictionary, AppDataUpdate, AppDataUpdateOperation as Operation, ComponentId,
        CustomProposal, Extension, ExtensionType, Extensions, ExternalSender, ExternalSenders,
        Proposal, ProposalType, RequiredCapabilities,
    },
};
use members::{LIST, Lab, WITHOUT_PATH, group_info, package, public, tree_of};

const OTHER: ComponentId = ComponentId(0x8001);
const WITH_PATH: ProposalType = ProposalType(0xf002);

fn labs() -> [Lab; 2] {
    [public(), Config::default()].map(|config| {
        let mut lab = Lab::new(config, 1);
        lab.more.extensions = vec![ExtensionType::APP_DATA_DICTIONARY];
        lab.more.proposals = vec![ProposalType::APP_DATA_UPDATE, WITHOUT_PATH, WITH_PATH];
        lab.create();
        lab.grow(4);
        lab
    })
}

fn update(component_id: ComponentId, update: &[u8]) -> Proposal {
    let operation = Operation::Update(update.to_vec());
    Proposal::AppDataUpdate(AppDataUpdate { component_id, operation })
}

fn remove(component_id: ComponentId) -> Proposal {
    Proposal::AppDataUpdate(AppDataUpdate { component_id, operation: Operation::Remove })
}

fn dictionary(group: &Group) -> AppDataDictionary {
    group.context().extensions.find().unwrap().unwrap()
}

/// The group of all members refuses to make such a commit.
#[track_caller]
fn not_made(lab: &mut Lab, proposals: &[Proposal], rule: &str) {
    let builder = lab.members[1].commit();
    let staged =
        proposals.iter().cloned().fold(builder, |b, proposal| b.proposal(proposal)).stage();
    let error = staged.unwrap_err();
    assert!(error.to_string().contains(rule), "{error}, not {rule}");
    assert_eq!(error.fault(), "caller");
}

#[test]
fn updates_are_applied_in_order_and_without_a_path() {
    for mut lab in labs() {
        for (sender, proposal) in [(1, update(OTHER, b"x")), (2, update(LIST, b"1"))] {
            let sent = lab.members[sender].propose(proposal, b"").unwrap();
            lab.propose(sender, &sent.message);
        }
        lab.commit(3, &[], |b| b.proposal(update(LIST, b"2")).without_path());
        assert!(
            lab.members
                .iter()
                .all(|member| member.tree().parent(member.tree().size().root()).is_some())
        );
        let found = dictionary(&lab.members[0]);
        assert_eq!(found.get(LIST), Some(&b"12"[..]));
        assert_eq!(found.get(OTHER), Some(&b"x"[..]));
        assert_eq!(found.get(ComponentId(0x8002)), None);
        // A newcomer knows it, and so does one who joins from outside and adds to it.
        let new = [lab.key_package()];
        lab.commit(0, &new, |b| b.add_member(package(&new[0])).proposal(update(LIST, b"3")));
        let identity = lab.identity();
        let info = group_info(&lab.members[0].group_info().unwrap());
        let four = Operation::Update(b"4".to_vec());
        let joined = lab
            .client
            .join_externally(&identity, &info)
            .ratchet_tree(tree_of(&lab.members[0]))
            .app_data_update(AppDataUpdate { component_id: LIST, operation: four })
            .stage()
            .unwrap();
        lab.accept_external(joined);
        assert_eq!(dictionary(lab.members.last().unwrap()).get(LIST), Some(&b"1234"[..]));
        let staged = lab.members[0].commit().proposal(remove(LIST)).stage().unwrap();
        assert!(staged.changes().extensions.is_some());
        lab.accept(0, staged, &[]);
        assert_eq!(dictionary(&lab.members[1]).get(LIST), None);
        assert_eq!(dictionary(&lab.members[1]).iter().count(), 1);
    }
}

#[test]
fn lists_of_updates_that_are_not_valid() {
    for mut lab in labs() {
        not_made(&mut lab, &[update(ComponentId(7), b"1")], "a component that the application");
        not_made(&mut lab, &[remove(LIST)], "removed is a component that has no data");
        not_made(&mut lab, &[update(LIST, b"bad")], "the application rejects an update");
        lab.commit(0, &[], |b| b.proposal(update(LIST, b"1")));
        let rule = "a component is removed and something else happens to it";
        not_made(&mut lab, &[remove(LIST), remove(LIST)], rule);
        not_made(&mut lab, &[remove(LIST), update(LIST, b"2")], rule);
        not_made(&mut lab, &[update(LIST, b"2"), remove(LIST)], rule);
        lab.commit(0, &[], |b| b.proposal(remove(LIST)).proposal(update(OTHER, b"2")));
    }
}

fn requiring(proposal_type: ProposalType, dictionary: Option<&AppDataDictionary>) -> Extensions {
    let mut extensions = members::required(proposal_type);
    if let Some(dictionary) = dictionary {
        extensions.put(dictionary).unwrap();
    }
    extensions
}

/// Where AppDataUpdate is required, GroupContextExtensions leave the dictionary as it is.
#[test]
fn extensions_leave_a_required_dictionary_alone() {
    for mut lab in labs() {
        let required = ProposalType::APP_DATA_UPDATE;
        let mut first = AppDataDictionary::new();
        first.set(LIST, b"1".to_vec());
        // Before it is required they may set it.
        lab.commit(0, &[], |b| b.group_context_extensions(requiring(required, Some(&first))));
        let mut second = first.clone();
        second.set(OTHER, b"2".to_vec());
        let rule = "GroupContextExtensions that change the app_data_dictionary";
        for other in [Some(&second), None] {
            let extensions = Proposal::GroupContextExtensions(requiring(required, other));
            not_made(&mut lab, &[extensions], rule);
        }
        let mut extensions = requiring(required, Some(&first));
        extensions.put(&ExternalSenders::default()).unwrap();
        lab.commit(0, &[], |b| b.group_context_extensions(extensions).proposal(update(LIST, b"2")));
        assert_eq!(dictionary(&lab.members[2]).get(LIST), Some(&b"12"[..]));
        let data =
            |extensions: &Extensions| extensions.data(ExtensionType::EXTERNAL_SENDERS).is_some();
        assert!(data(&lab.members[2].context().extensions));
        // No longer required, it is an extension like others.
        let required: RequiredCapabilities = RequiredCapabilities::default();
        let mut extensions = Extensions::new();
        extensions.put(&required).unwrap();
        extensions.put(&dictionary(&lab.members[0])).unwrap();
        lab.commit(0, &[], |b| b.group_context_extensions(extensions));
        lab.commit(0, &[], |b| b.group_context_extensions(Extensions::new()));
    }
}

/// A dictionary that nobody could update is not set in the first place.
#[test]
fn a_malformed_dictionary_is_not_set() {
    for mut lab in labs() {
        let wrong = Extension {
            extension_type: ExtensionType::APP_DATA_DICTIONARY,
            extension_data: b"\x08\x80\x01\x011\x80\0\x011".to_vec(),
        };
        let extensions = Extensions::from_vec(vec![wrong]).unwrap();
        let builder = lab.members[1].commit().group_context_extensions(extensions.clone());
        let error = builder.stage().unwrap_err();
        assert!(error.to_string().contains("order of components"), "{error}");
        let identity = lab.identity();
        let error = lab.client.create_group(&identity, b"id".to_vec(), extensions);
        assert!(error.unwrap_err().to_string().contains("order of components"));
        lab.commit(1, &[], |b| b);
    }
}

#[test]
fn all_have_to_support_it() {
    let mut lab = Lab::of(public(), 3, 2);
    not_made(&mut lab, &[update(LIST, b"1")], "12.2: a proposal of a type that a member doesn't");
    // The dictionary by itself is an extension of the GroupContext that all have to have.
    lab.more.proposals = vec![ProposalType::APP_DATA_UPDATE];
    let mut lab_of_two = Lab::new(public(), 3);
    lab_of_two.more.proposals = vec![ProposalType::APP_DATA_UPDATE];
    lab_of_two.create();
    lab_of_two.grow(1);
    not_made(&mut lab_of_two, &[update(LIST, b"1")], "13.4: a member lacks an extension");
}

#[test]
fn a_dictionary_is_sorted_and_has_no_component_twice() {
    let mut dictionary = AppDataDictionary::new();
    for (id, data) in [(OTHER, b"2"), (LIST, b"1"), (ComponentId::SAFE_AAD, b"0")] {
        dictionary.set(id, data.to_vec());
    }
    let bytes = dictionary.to_bytes().unwrap();
    assert_eq!(bytes, *b"\x0c\0\x02\x010\x80\0\x011\x80\x01\x012");
    assert_eq!(AppDataDictionary::decode_exact(&bytes), Ok(dictionary.clone()));
    for wrong in [&b"\x08\x80\0\x011\x80\0\x011"[..], b"\x08\x80\x01\x011\x80\0\x011"] {
        assert!(AppDataDictionary::decode_exact(wrong).is_err());
    }
    assert!(dictionary.remove(LIST) && !dictionary.remove(LIST));
    for (bytes, is_good) in [
        (&b"\0\x08\x80\0\x01\x01u"[..], true),
        (b"\0\x08\x80\0\x02", true),
        (b"\0\x08\x80\0\0", false),
    ] {
        assert_eq!(Proposal::decode_exact(bytes).is_ok(), is_good);
    }
}

#[test]
fn external_senders_update_application_data() {
    for mut lab in labs() {
        let service = lab.identity();
        let mut extensions = Extensions::new();
        let sender = ExternalSender {
            signature_key: service.signer.public().to_vec().into(),
            credential: service.description.credential.clone(),
        };
        extensions.put(&ExternalSenders(vec![sender])).unwrap();
        lab.commit(0, &[], |b| b.group_context_extensions(extensions));
        let (id, epoch) = (lab.members[0].group_id().to_vec(), lab.members[0].epoch());
        let proposer = ExternalProposer::new(&lab.client, lab.suite, service.signer, 0);
        let message = proposer.propose(&id, epoch, update(LIST, b"1")).unwrap();
        lab.propose_from_outside(&message);
        let custom = CustomProposal { proposal_type: WITH_PATH, data: Vec::new() };
        assert!(proposer.propose(&id, epoch, Proposal::Custom(custom)).is_err());
        lab.commit(1, &[], |b| b);
        assert_eq!(dictionary(&lab.members[2]).get(LIST), Some(&b"1"[..]));
    }
}

fn custom(proposal_type: ProposalType, data: &[u8]) -> Proposal {
    Proposal::Custom(CustomProposal { proposal_type, data: data.to_vec() })
}

/// A type for private use that all members list reaches the application with the commit.
#[test]
fn custom_proposals_come_with_the_commit() {
    for mut lab in labs() {
        let sent = lab.members[2].propose(custom(WITHOUT_PATH, b"by reference"), b"").unwrap();
        lab.propose(2, &sent.message);
        let written = lab.members[1].write().unwrap();
        lab.members[1] = lab.client.restore(&written, &[]).unwrap();
        let sender = lab.members[2].own_leaf();
        let builder = lab.members[0].commit().without_path();
        let staged = builder.proposal(custom(WITHOUT_PATH, b"by value")).stage().unwrap();
        let changes = staged.changes().clone();
        assert!(!changes.has_path);
        let found: Vec<_> =
            changes.custom.iter().map(|c| (c.sender, c.proposal.data.as_slice())).collect();
        let own = Sender::Member(lab.members[0].own_leaf());
        assert_eq!(found, [(Sender::Member(sender), &b"by reference"[..]), (own, b"by value")]);
        let stored = staged.write().unwrap();
        let staged = lab.members[0].restore_staged(&stored).unwrap();
        assert_eq!(*staged.changes(), changes);
        lab.accept(0, staged, &[]);
        let builder = lab.members[0].commit().without_path();
        let staged = builder.proposal(custom(WITH_PATH, b"")).stage().unwrap();
        assert!(staged.changes().has_path, "as the application says");
        lab.accept(0, staged, &[]);
    }
}

/// One that a member doesn't list is refused, and so is one with the number of something else.
#[test]
fn pitfall_48_custom_proposals_that_are_not_supported() {
    for mut lab in labs() {
        let rule = "12.2: a proposal of a type that a member doesn't support";
        not_made(&mut lab, &[custom(ProposalType(0xf003), b"")], rule);
        for registered in [3, 8, 10, 0x0a0a, 0x7777] {
            let rule = "17.4: a custom proposal of a registered type";
            not_made(&mut lab, &[custom(ProposalType(registered), b"")], rule);
            assert!(lab.members[0].propose(custom(ProposalType(registered), b""), b"").is_err());
        }
        let lacking = std::mem::take(&mut lab.more);
        let new = [lab.key_package()];
        lab.commit(0, &new, |b| b.add_member(package(&new[0])));
        lab.more = lacking;
        not_made(&mut lab, &[custom(WITH_PATH, b"")], rule);
        // It goes, and the rest can.
        let leaf = lab.members.last().unwrap().own_leaf();
        lab.commit(0, &[], |b| b.remove_member(leaf).proposal(custom(WITH_PATH, b"")));
    }
}

#[test]
fn pitfall_53_last_resort_as_a_component() {
    let mut lab = labs().into_iter().next().unwrap();
    let mut key_package = |id| {
        let mut components = AppDataDictionary::new();
        components.set(id, Vec::new());
        let mut extensions = Extensions::new();
        extensions.put(&components).unwrap();
        let identity = lab.identity();
        lab.client.generate_key_package_with(&identity, extensions).unwrap()
    };
    assert!(key_package(ComponentId::LAST_RESORT_KEY_PACKAGE).is_last_resort());
    assert!(!key_package(LIST).is_last_resort());
}

/// What a leaf says of components is the application's.
#[test]
fn components_of_a_leaf() {
    for mut lab in labs() {
        let mut identity = lab.identity();
        let mut components = AppDataDictionary::new();
        components.set(ComponentId::APP_COMPONENTS, vec![2, 0x80, 0]);
        let extension = Extension {
            extension_type: ExtensionType::APP_DATA_DICTIONARY,
            extension_data: components.to_bytes().unwrap(),
        };
        identity.description.extensions.insert(extension);
        let new = [lab.client.generate_key_package(&identity).unwrap()];
        lab.commit(0, &new, |b| b.add_member(package(&new[0])));
        let leaf = lab.members.last().unwrap().own_leaf();
        let found: AppDataDictionary =
            lab.members[1].tree().leaf(leaf).unwrap().extensions.find().unwrap().unwrap();
        assert_eq!(found, components);
    }
}
