//! Finding and reading the files.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::VectorFile;

/// The environment variable that names the folder of the files.
pub const CGKA_VECTORS: &str = "CGKA_VECTORS";

/// A folder with the working group's files: below it in `mls-wg` and `mls-wg-passive`, or in it.
#[derive(Clone, Debug)]
pub struct Library {
    root: PathBuf,
}

/// Why there are no cases.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The variable isn't set.
    #[error("not run: {CGKA_VECTORS} doesn't say where the working group's vectors are")]
    NotSet,
    /// There is no such file.
    #[error("missing: {0} is not in the folder that {CGKA_VECTORS} names")]
    Missing(&'static str),
    /// It can't be read.
    #[error("{0}: {1}")]
    Unreadable(&'static str, std::io::Error),
    /// It isn't an array of cases.
    #[error("{0}: {1}")]
    NotCases(&'static str, serde_json::Error),
}

impl Library {
    /// The folder that [`CGKA_VECTORS`] names.
    ///
    /// # Errors
    /// [`LoadError::NotSet`] if it names none.
    pub fn from_env() -> Result<Self, LoadError> {
        std::env::var_os(CGKA_VECTORS).map(Self::at).ok_or(LoadError::NotSet)
    }

    /// This folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The cases of a file, not looked at any further.
    ///
    /// # Errors
    /// If it is missing, or not an array in JSON.
    pub fn cases(&self, file: &VectorFile) -> Result<Vec<Value>, LoadError> {
        let mut paths =
            [file.folder, ""].map(|folder| self.root.join(folder).join(file.name)).into_iter();
        let path = paths.find(|path| Path::is_file(path)).ok_or(LoadError::Missing(file.name))?;
        let text = std::fs::read(path).map_err(|error| LoadError::Unreadable(file.name, error))?;
        serde_json::from_slice(&text).map_err(|error| LoadError::NotCases(file.name, error))
    }
}
