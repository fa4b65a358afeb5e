//! What only the application can say.

use crypto_api::Secret;

use crate::{
    crypto::SignaturePublicKey,
    framing::Sender,
    types::{Certificate, ComponentId, Credential, LeafNode, Lifetime, Proposal, ProposalType},
};

/// The application's side: its Authentication Service, its clock, its rules and its pre-shared keys.
///
/// The answers have to be the same at all members, or the group splits: what one member accepts in
/// a commit and another doesn't, leaves them in different epochs.
pub trait Application: Send + Sync + 'static {
    /// The time, in seconds since the Unix epoch, for the lifetimes of leaves (section 7.3). `None`
    /// leaves them unchecked: then the application has to check those of what it sends.
    fn now(&self) -> Option<u64>;

    /// Whether a credential is valid, and speaks for this signature key (section 5.3.1).
    fn is_credential_valid(
        &self,
        credential: &Credential,
        signature_key: &SignaturePublicKey,
    ) -> bool;

    /// The key that the end-entity certificate, the first of an X.509 chain, is for, as a LeafNode
    /// has it: then a leaf with another signature key is refused (section 5.3). `None` if
    /// [`Self::is_credential_valid`] sees to that itself, or if there is no such key.
    fn certified_key(&self, _chain: &[Certificate]) -> Option<SignaturePublicKey> {
        None
    }

    /// Whether a member with the leaf `old` may go on with the leaf `new`, of which the credential or
    /// the signature key is another one (section 5.3.1): both have to be of the same client. By
    /// default the credentials have to be equal.
    fn may_replace(&self, old: &LeafNode, new: &LeafNode) -> bool {
        old.credential == new.credential
    }

    /// What tells a client from all others (section 12.2): no client may be in a group twice. By
    /// default the signature key does, for which the tree has an index. With names of its own, an
    /// application makes every commit that adds somebody look at all leaves.
    fn client_name(&self, _leaf_node: &LeafNode) -> Option<Vec<u8>> {
        None
    }

    /// Whether the identifiers in two leaves are equivalent: for the members of a group and of its
    /// successor (sections 11.2 and 11.3). By default the credentials have to be equal.
    fn is_same_member(&self, one: &LeafNode, other: &LeafNode) -> bool {
        one.credential == other.credential
    }

    /// Whether a lifetime has an acceptable total (section 7.2). By default up to 13 weeks and an
    /// hour.
    fn is_lifetime_acceptable(&self, lifetime: Lifetime) -> bool {
        const MAX_TOTAL: u64 = 13 * 7 * 24 * 3600 + 3600;
        lifetime.total().is_some_and(|total| total <= MAX_TOTAL)
    }

    /// Whether `sender` may propose or commit this. By default everybody but one who proposes to be
    /// added itself (section 12.1.8).
    fn may_propose(&self, sender: Sender, _proposal: &Proposal) -> bool {
        sender != Sender::NewMemberProposal
    }

    /// Whether somebody with this leaf may join by an external commit, in stead of the member with
    /// the leaf `replaces` if there is one. By default everybody with a valid credential may, and
    /// replace a member with the same credential.
    fn may_join(&self, leaf_node: &LeafNode, replaces: Option<&LeafNode>) -> bool {
        replaces.is_none_or(|old| self.may_replace(old, leaf_node))
    }

    /// Whether a commit of proposals of this type needs a path if nothing else in it does: for types
    /// of the application's own ([`Proposal::Custom`]). By default it does.
    fn is_path_required(&self, _proposal_type: ProposalType) -> bool {
        true
    }

    /// Whether the application has such a component, whose data an AppDataUpdate may change. By
    /// default it has none.
    fn knows_component(&self, _component_id: ComponentId) -> bool {
        false
    }

    /// A component's new data after these updates, one after the other; `None` if it considers them
    /// invalid.
    fn update_component(
        &self,
        _component_id: ComponentId,
        _data: Option<&[u8]>,
        _updates: &[&[u8]],
    ) -> Option<Vec<u8>> {
        None
    }

    /// The external pre-shared key of this name.
    fn external_psk(&self, _psk_id: &[u8]) -> Option<Secret> {
        None
    }

    /// The resumption PSK of an epoch that the group doesn't keep any more, or of another group.
    fn resumption_psk(&self, _group_id: &[u8], _epoch: u64) -> Option<Secret> {
        None
    }
}
