//! Reading the working group's vectors: `CGKA_VECTORS` names their folder, or the one above it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use serde::{Deserialize, Deserializer, de::Error};

/// Where the files may be below the folder that `CGKA_VECTORS` names.
const FOLDERS: [&str; 3] = ["", "mls-wg", "mls-wg-passive"];

/// The vectors in `file`, or `None` with a line that says so if `CGKA_VECTORS` isn't set. A set
/// variable with a missing or broken file is a failure.
pub(crate) fn load<T: for<'de> Deserialize<'de>>(file: &str) -> Option<T> {
    let Some(folder) = std::env::var_os("CGKA_VECTORS") else {
        println!("not run: CGKA_VECTORS doesn't say where {file} is");
        return None;
    };
    let mut paths = FOLDERS
        .iter()
        .map(|sub| Path::new(&folder).join(sub).join(file));
    let path = paths.find(|path| path.is_file());
    let text = std::fs::read_to_string(path.unwrap()).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// Bytes in hexadecimal.
pub(crate) struct Hex(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.len() % 2 != 0 || !text.is_ascii() {
            return Err(D::Error::custom("not hexadecimal"));
        }
        (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&text[at..at + 2], 16).map_err(D::Error::custom))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}
