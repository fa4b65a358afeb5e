//! The result file of `cgka-bench record`: its format, its statistics, and what is made of it.
//!
//! Nothing here knows an engine: a file says everything that a reader needs.
#![forbid(unsafe_code)]

pub mod compare;
pub mod digest;
pub mod format;
pub mod grade;
pub mod index;
pub mod markdown;
pub mod merge;
pub mod migration;
pub mod price;
pub mod read;
pub mod report;
pub mod show;
pub mod statistics;
pub mod tables;
pub mod units;
pub mod validate;
pub mod write;
