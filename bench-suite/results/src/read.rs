//! Reading a result file: nothing of it is used before all of it has been checked.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::format::{ResultFile, SCHEMA};
use crate::validate::{self, Problem};

/// Why a file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system didn't give it out.
    #[error("can't read {file}: {why}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        why: std::io::Error,
    },
    /// It ends in the middle.
    #[error("{file} is cut off: it ends at line {line}, column {column}, in the middle of a value")]
    Truncated {
        /// The file.
        file: String,
        /// The last line.
        line: usize,
        /// The last column.
        column: usize,
    },
    /// It is something else.
    #[error("{file} is not JSON: {why}")]
    NotJson {
        /// The file.
        file: String,
        /// What is wrong, and where.
        why: String,
    },
    /// It is JSON, and something else.
    #[error("{file} is not a result file of cgka-bench: {why}")]
    NotAResult {
        /// The file.
        file: String,
        /// How that shows.
        why: String,
    },
    /// This program is too old for it.
    #[error(
        "{file} was made by a newer cgka-bench: version {version}, this one reads up to {SCHEMA}"
    )]
    Newer {
        /// The file.
        file: String,
        /// Its version.
        version: u64,
    },
    /// A field is missing, unknown, or of the wrong type.
    #[error("{file}, at {place}: {why}")]
    Form {
        /// The file.
        file: String,
        /// The field's path, e.g. `runs[0].rows[3].size`.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// It says what can't be.
    #[error("{file} contradicts itself: {}", validate::list(.problems))]
    Invalid {
        /// The file.
        file: String,
        /// All that was found.
        problems: Vec<Problem>,
    },
}

/// Reads and checks a file.
///
/// # Errors
/// See [`ReadError`].
pub fn load(path: &Path) -> Result<ResultFile, ReadError> {
    let file = path.display().to_string();
    match text(path) {
        Ok(text) => parse(&file, &text),
        Err(why) if why.kind() == std::io::ErrorKind::InvalidData => {
            Err(ReadError::NotJson { file, why: "it is not even text".into() })
        }
        Err(why) => Err(ReadError::Io { file, why }),
    }
}

/// Unpacked, a file is no longer than this.
const LONGEST: u64 = 1 << 30;

/// A file's text, unpacked if it was packed by gzip.
pub(crate) fn text(path: &Path) -> std::io::Result<String> {
    let bytes = std::fs::read(path)?;
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        GzDecoder::new(&bytes[..]).take(LONGEST).read_to_string(&mut text)?;
    } else {
        (&bytes[..]).read_to_string(&mut text)?;
    }
    Ok(text)
}

/// Reads and checks the text of a file; `file` is its name in errors.
///
/// # Errors
/// See [`ReadError`].
pub fn parse(file: &str, text: &str) -> Result<ResultFile, ReadError> {
    let name = || file.to_owned();
    let value = json(file, text)?;
    let not_ours = |why: &str| ReadError::NotAResult { file: name(), why: why.into() };
    let Some(version) = value.get("schema") else {
        return Err(not_ours("it has no field `schema`"));
    };
    let read = match version.as_u64() {
        None => return Err(not_ours("its `schema` is no number")),
        // Every published version has its line here, and its types are kept.
        Some(1 | 2) => present(file, text, &value)?,
        Some(0) => return Err(not_ours("there never was a version 0")),
        Some(version) => return Err(ReadError::Newer { file: name(), version }),
    };
    let problems = validate::check(&read);
    if problems.is_empty() { Ok(read) } else { Err(ReadError::Invalid { file: name(), problems }) }
}

fn json(file: &str, text: &str) -> Result<Value, ReadError> {
    let file = file.to_owned();
    serde_json::from_str(text).map_err(|why| match why.is_eof() {
        true => ReadError::Truncated { file, line: why.line(), column: why.column() },
        false => ReadError::NotJson { file, why: why.to_string() },
    })
}

/// Version 2 has one field more than version 1, whose absence says what version 1 meant.
fn present(file: &str, text: &str, value: &Value) -> Result<ResultFile, ReadError> {
    let form = |place, why| ReadError::Form { file: file.to_owned(), place, why };
    let mut reader = serde_json::Deserializer::from_str(text);
    let read: ResultFile = serde_path_to_error::deserialize(&mut reader)
        .map_err(|why| form(why.path().to_string(), why.inner().to_string()))?;
    // serde lets unknown fields pass in some places, variants without fields among them.
    let known = serde_json::to_value(&read)
        .map_err(|why| form("the whole file".into(), why.to_string()))?;
    match stranger(value, &known, "") {
        Some(place) => Err(form(place, "this version has no such field".into())),
        None => Ok(read),
    }
}

/// The path of the first field that `known` lacks.
fn stranger(found: &Value, known: &Value, path: &str) -> Option<String> {
    match (found, known) {
        (Value::Object(found), Value::Object(known)) => found.iter().find_map(|(name, value)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match known.get(name) {
                None => Some(path),
                Some(known) => stranger(value, known, &path),
            }
        }),
        (Value::Array(found), Value::Array(known)) => found
            .iter()
            .zip(known)
            .enumerate()
            .find_map(|(at, (found, known))| stranger(found, known, &format!("{path}[{at}]"))),
        _ => None,
    }
}
