//! The ratchet tree (sections 4, 7 and appendix C).
//!
//! A received tree is an [`UnverifiedRatchetTree`] and becomes a [`RatchetTree`] by being verified.
//! A commit is staged on a clone:
//!
//! 1. apply its proposals: [`RatchetTree::update_leaf`], [`RatchetTree::remove_leaf`],
//!    [`RatchetTree::add_leaf`], in this order, and [`TreePrivateKeys::retain`] what is left;
//! 2. its path, if it has one: the committer's [`RatchetTree::rekey_path`], then
//!    [`NewPath::seal`]; the others' [`RatchetTree::merge_path`], then
//!    [`TreePrivateKeys::receive_path`];
//! 3. check the new leaves: [`RatchetTree::check_leaf`] and [`RatchetTree::check_credentials`].

mod cow_vec;
mod credentials;
mod key_index;
mod math;
mod node;
mod nodes;
mod parent_hash;
mod path_secret;
mod private_keys;
mod ratchet_tree;
mod tree_hash;
mod update_path;
mod validation;

pub use math::{NodeIndex, PathStep, TreeSize, common_ancestor, common_ancestor_level};
pub use node::ParentNode;
pub use path_secret::node_key;
pub use private_keys::{ReceivedPath, TreePrivateKeys};
pub use ratchet_tree::RatchetTree;
pub use update_path::{LeafDescription, MergedPath, NewPath};
pub use validation::{GroupRequirements, UnverifiedRatchetTree};
