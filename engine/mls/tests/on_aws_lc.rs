//! The group tests once more, on AWS-LC: this target's name chooses the library.
#![allow(clippy::duplicate_mod, reason = "each of these files has its members")]

#[path = "group_app_data.rs"]
mod group_app_data;
#[path = "group_flows.rs"]
mod group_flows;
#[path = "group_outcomes.rs"]
mod group_outcomes;
#[path = "group_soak.rs"]
mod group_soak;
#[path = "group_state.rs"]
mod group_state;
