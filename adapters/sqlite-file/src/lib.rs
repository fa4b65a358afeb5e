//! The database file of a client whose engine stores to SQLite.
//!
//! All SQLite configurations of the lab pay for the same thing, so all their files are made here:
//!
//! - **A file in a directory of its own**, under the system's directory for temporary files. `TMPDIR`
//!   chooses the file system, and with it what a commit to the database costs. A program that is
//!   interrupted leaves its directories behind (`cgka-*`).
//! - **Encrypted by SQLCipher** under a raw 256-bit key, so no key is derived from a password. MDK's
//!   store can't do without in its published form, and one binary links one SQLite.
//! - **SQLite's own settings**: `journal_mode=DELETE`, `synchronous=FULL`. MDK's store sets neither
//!   and doesn't let its connection out; mls-rs' sets neither by default.
//!
//! Dropping a `DatabaseFile` deletes it, which takes longer than many an operation: not inside a
//! timed one.
//!
//! All of it is behind the feature `sqlite`.
#![cfg(feature = "sqlite")]
#![forbid(unsafe_code)]

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;
use zeroize::Zeroizing;

/// What descriptions say after the name of the provider.
#[macro_export]
macro_rules! storage {
    ($provider:literal) => {
        concat!(
            $provider,
            "; SQLite file in the directory for temporary files, SQLCipher with a raw key, \
             journal_mode=DELETE, synchronous=FULL"
        )
    };
}

/// A database file that is deleted with this value.
pub struct DatabaseFile {
    path: PathBuf,
    key: Zeroizing<[u8; 32]>,
    // Held for its `Drop`.
    _directory: TempDir,
}

impl DatabaseFile {
    /// A place for a new database, under a fresh key. The file is made by whoever opens it first.
    ///
    /// # Errors
    /// If there is no directory to be made, or no randomness to be had.
    pub fn create() -> io::Result<Self> {
        let mut key = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *key).map_err(io::Error::other)?;
        Self::under(key)
    }

    /// An independent copy of the file under the same key.
    ///
    /// Nobody may be in a transaction: only then is everything in the file, as there is no
    /// write-ahead log.
    ///
    /// # Errors
    /// If the file can't be copied.
    pub fn copy(&self) -> io::Result<Self> {
        let copy = Self::under(self.key.clone())?;
        fs::copy(&self.path, &copy.path)?;
        Ok(copy)
    }

    /// All of the file; its key is not in there. As with [`copy`](Self::copy), between transactions.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn bytes(&self) -> io::Result<Vec<u8>> {
        fs::read(&self.path)
    }

    /// A file of these bytes, under the key that they are encrypted with.
    ///
    /// # Errors
    /// If the file can't be made.
    pub fn of_bytes(bytes: &[u8], key: &[u8; 32]) -> io::Result<Self> {
        let file = Self::under(Zeroizing::new(*key))?;
        fs::write(&file.path, bytes)?;
        Ok(file)
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is encrypted with.
    #[must_use]
    pub fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// A connection to it.
    ///
    /// # Errors
    /// What SQLite gives; another key than the file's shows here.
    pub fn open(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open(&self.path)?;
        let mut value = Zeroizing::new(String::with_capacity(2 * self.key.len() + 3));
        value.push_str("x'");
        for byte in *self.key {
            for digit in [byte >> 4, byte & 15] {
                value.push(char::from_digit(digit.into(), 16).unwrap_or_default());
            }
        }
        value.push('\'');
        connection.pragma_update(None, "key", value.as_str())?;
        // A wrong key shows with the first page that is read.
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        Ok(connection)
    }

    fn under(key: Zeroizing<[u8; 32]>) -> io::Result<Self> {
        let directory = TempDir::with_prefix("cgka-")?;
        Ok(Self { path: directory.path().join("client.sqlite"), key, _directory: directory })
    }
}

impl fmt::Debug for DatabaseFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseFile").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    fn number(connection: &Connection) -> rusqlite::Result<i64> {
        connection.query_row("SELECT number FROM kept", [], |row| row.get(0))
    }

    #[test]
    fn a_copy_lives_its_own_life() -> Result<(), Box<dyn Error>> {
        let file = DatabaseFile::create()?;
        let connection = file.open()?;
        connection.execute_batch("CREATE TABLE kept (number); INSERT INTO kept VALUES (1)")?;
        let copy = file.copy()?;
        connection.execute("UPDATE kept SET number = 2", [])?;
        assert_eq!((number(&connection)?, number(&copy.open()?)?), (2, 1));
        let again = DatabaseFile::of_bytes(&file.bytes()?, file.key())?;
        assert_eq!(number(&again.open()?)?, 2);
        Ok(())
    }

    #[test]
    fn the_settings_are_those_that_are_said() -> Result<(), Box<dyn Error>> {
        let file = DatabaseFile::create()?;
        let connection = file.open()?;
        let text = |name| connection.pragma_query_value(None, name, |row| row.get::<_, String>(0));
        assert_eq!(text("journal_mode")?, "delete");
        assert!(text("cipher_version")?.starts_with("4."));
        let synchronous = connection.pragma_query_value(None, "synchronous", |row| row.get(0));
        assert_eq!(synchronous, Ok(2), "2 is FULL");
        Ok(())
    }

    #[test]
    fn the_file_is_encrypted_and_goes_away() -> Result<(), Box<dyn Error>> {
        let file = DatabaseFile::create()?;
        let connection = file.open()?;
        connection.execute_batch("CREATE TABLE kept (a); INSERT INTO kept VALUES ('plaintext')")?;
        drop(connection);
        let bytes = fs::read(file.path())?;
        assert!(!bytes.windows(9).any(|window| window == b"plaintext"));
        assert!(!bytes.starts_with(b"SQLite format 3"));
        let other = DatabaseFile::create()?;
        fs::copy(file.path(), other.path())?;
        assert!(other.open().is_err(), "opened with another key");
        let path = file.path().to_owned();
        drop(file);
        assert!(!path.exists());
        Ok(())
    }
}
