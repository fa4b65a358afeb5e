//! Writing a result file: whole or not at all.
//!
//! The text is compact JSON with line ends between the fields of a run and between the members of
//! its lists, so that a change of one row is a change of one line. Without its line ends it is the
//! text that [`run_id`](crate::digest::run_id) hashes.

use std::fs::Permissions;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::ser::Formatter;
use tempfile::NamedTempFile;

use crate::format::ResultFile;
use crate::validate::{self, Problem};

/// Why a file was not written. What stood in its place still does.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// What was to be written is no valid result file.
    #[error("not written, because it could not be read again: {}", validate::list(.0))]
    Invalid(Vec<Problem>),
    /// It can't be put as JSON.
    #[error("not written: {0}")]
    Json(#[from] serde_json::Error),
    /// There is a file of that name.
    #[error("{0} exists; it is overwritten only on demand")]
    Exists(String),
    /// The system refused.
    #[error("can't write {file}: {why}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        why: io::Error,
    },
}

/// What to do with a file that stands there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Leave it.
    Keep,
    /// Put the new one in its place.
    Replace,
}

/// Writes a result file, after the same checks that it will have to pass when it is read.
///
/// # Errors
/// See [`WriteError`].
pub fn save(path: &Path, file: &ResultFile, existing: Existing) -> Result<(), WriteError> {
    let problems = validate::check(file);
    if !problems.is_empty() {
        return Err(WriteError::Invalid(problems));
    }
    replace(path, to_text(file)?.as_bytes(), existing)
}

/// The text of a result file.
///
/// # Errors
/// If it can't be put as JSON.
pub fn to_text(file: &ResultFile) -> Result<String, serde_json::Error> {
    let mut text = Vec::new();
    file.serialize(&mut serde_json::Serializer::with_formatter(&mut text, Lines::default()))?;
    text.push(b'\n');
    String::from_utf8(text).map_err(serde::ser::Error::custom)
}

/// Puts `text` at `path` in one step: a reader sees the old file or the new one, never half of one.
///
/// # Errors
/// [`WriteError::Exists`] and [`WriteError::Io`].
pub fn replace(path: &Path, text: &[u8], existing: Existing) -> Result<(), WriteError> {
    let io = |why| WriteError::Io { file: path.display().to_string(), why };
    let mut temporary = temporary(path).map_err(io)?;
    temporary.write_all(text).map_err(io)?;
    temporary.as_file().sync_all().map_err(io)?;
    let placed = match existing {
        Existing::Keep => temporary.persist_noclobber(path),
        Existing::Replace => temporary.persist(path),
    };
    match placed {
        Ok(_) => sync_folder(folder_of(path)).map_err(io),
        Err(why) if why.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(WriteError::Exists(path.display().to_string()))
        }
        Err(why) => Err(io(why.error)),
    }
}

/// Whether [`replace`] will find a folder that it may write to. Nothing is left there.
///
/// # Errors
/// [`WriteError::Io`].
pub fn try_place(path: &Path) -> Result<(), WriteError> {
    let io = |why| WriteError::Io { file: path.display().to_string(), why };
    if path.is_dir() {
        return Err(io(io::ErrorKind::IsADirectory.into()));
    }
    temporary(path).map(drop).map_err(io)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// In the file's folder: it is to get its name in one step.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cgka-bench-");
    if let Some(permissions) = permissions() {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder_of(path))
}

/// Those of any new file: a temporary file would be its owner's alone.
#[cfg(unix)]
fn permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn permissions() -> Option<Permissions> {
    None
}

/// Without this the new name can be lost with the power, though the content is not.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Compact JSON, with line ends in the places that the module's documentation names.
#[derive(Default)]
struct Lines {
    /// How many brackets are open.
    depth: usize,
    /// Whether the innermost one has something in it.
    filled: bool,
}

impl Lines {
    /// Within the list of runs (2), and within the lists of a run (4).
    fn breaks_list(&self) -> bool {
        self.depth == 2 || self.depth == 4
    }

    fn open<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        writer.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        self.filled = true;
        writer.write_all(bracket)
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.filled && self.breaks_list() {
            writer.write_all(b"\n")?;
        }
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        if !first {
            w.write_all(b",")?;
        }
        self.filled = true;
        if self.breaks_list() { w.write_all(b"\n") } else { Ok(()) }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, w: &mut W, first: bool) -> io::Result<()> {
        self.filled = true;
        match (first, self.depth) {
            (true, _) => Ok(()),
            (false, 3) => w.write_all(b",\n"),
            (false, _) => w.write_all(b","),
        }
    }
}
