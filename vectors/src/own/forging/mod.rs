//! A group as one who knows everything sees it: all members' signature keys and every secret. It
//! makes commits, messages and Welcomes by hand, from the crypto layer of burrow alone, so that any
//! step can go wrong while all that follows is computed as a member who didn't notice would.

mod bytes;
mod commit;
mod frame;
mod group;
mod proposals;
mod tree;
mod welcome;

pub(super) use bytes::{opaque, struct_of, vector};
pub(super) use commit::{Commit, Made, Path, PathNode, path_key};
pub(super) use frame::{APPLICATION, COMMIT, Frame, PROPOSAL, PrivateFrame, Sender};
pub(super) use group::{GROUP_ID, Group, random};
pub(super) use proposals::{Change, Psk, psk_secret};
pub(super) use tree::{Node, Parent, PlacedLeaf, Tree};
pub(super) use welcome::{Info, Sealed, Secrets, Welcome, Welcomed, is_above};
