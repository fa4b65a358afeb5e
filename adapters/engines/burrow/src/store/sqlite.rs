//! The store in a SQLite file.

use burrow::codec::Reader;
use burrow::group::KeyUse;
use engine_api::{EngineError, GroupId, Layer};
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use sqlite_file::DatabaseFile;
use zeroize::Zeroizing;

use super::{Contents, Entry, Kept, Secrets, Store};

pub(crate) struct Sqlite {
    // Closed before the file is deleted.
    connection: Connection,
    file: DatabaseFile,
}

/// A key use is a row of its own, so that a message writes that row and nothing else.
const SCHEMA: &str = "
    BEGIN;
    CREATE TABLE identity (one INTEGER PRIMARY KEY CHECK (one = 1), secrets BLOB NOT NULL);
    CREATE TABLE key_package (reference BLOB PRIMARY KEY, secrets BLOB NOT NULL);
    CREATE TABLE mls_group (id BLOB PRIMARY KEY, state BLOB NOT NULL);
    CREATE TABLE key_use (number INTEGER PRIMARY KEY, id BLOB NOT NULL, record BLOB NOT NULL);
    CREATE TABLE staged (id BLOB PRIMARY KEY, stage BLOB NOT NULL, secrets BLOB NOT NULL);
    COMMIT;
";

impl Store for Sqlite {
    const LAYER: Layer = Layer::Sqlite;
    const STORAGE: &'static str = sqlite_file::storage!("five tables of the adapter's");

    fn open() -> Result<Self, EngineError> {
        let file = DatabaseFile::create().map_err(EngineError::storage)?;
        let connection = file.open().map_err(EngineError::storage)?;
        connection.execute_batch(SCHEMA).map_err(EngineError::storage)?;
        Ok(Self { connection, file })
    }

    fn copied(&self) -> Result<Self, EngineError> {
        let file = self.file.copy().map_err(EngineError::storage)?;
        let connection = file.open().map_err(EngineError::storage)?;
        Ok(Self { connection, file })
    }

    fn keep(&mut self, entries: &[Entry]) -> Result<(), EngineError> {
        let kept = self.connection.transaction().and_then(|transaction| {
            entries.iter().try_for_each(|entry| keep_one(&transaction, entry))?;
            transaction.commit()
        });
        kept.map_err(EngineError::storage)
    }

    fn contents(&self) -> Result<Contents, EngineError> {
        let identity = self
            .connection
            .query_row("SELECT secrets FROM identity", [], |row| row.get(0))
            .map_err(EngineError::storage)?;
        let key_packages = self.all("SELECT reference, secrets FROM key_package", |row| {
            Ok((row.get(0)?, Zeroizing::new(row.get(1)?)))
        });
        let groups = self.all("SELECT id, state FROM mls_group", |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, Zeroizing::new(row.get(1)?)))
        });
        let groups = groups?.into_iter().map(|(id, group)| self.kept(id, group));
        Ok(Contents {
            identity: Zeroizing::new(identity),
            key_packages: key_packages?,
            groups: groups.collect::<Result<_, EngineError>>()?,
        })
    }
}

impl Sqlite {
    fn all<T>(
        &self,
        select: &str,
        row: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, EngineError> {
        let rows = || -> rusqlite::Result<Vec<T>> {
            let mut statement = self.connection.prepare(select)?;
            statement.query_map([], |found| row(found))?.collect()
        };
        rows().map_err(EngineError::storage)
    }

    fn kept(&self, id: Vec<u8>, group: Secrets) -> Result<Kept, EngineError> {
        let records = || -> rusqlite::Result<Vec<Vec<u8>>> {
            let select = "SELECT record FROM key_use WHERE id = ? ORDER BY number";
            let mut statement = self.connection.prepare(select)?;
            statement.query_map([&id], |row| row.get(0))?.collect()
        };
        let records = records().map_err(EngineError::storage)?;
        let select = "SELECT stage, secrets FROM staged WHERE id = ?";
        let staged = self
            .connection
            .query_row(select, [&id], |row| {
                Ok((u64::from_be_bytes(row.get(0)?), Zeroizing::new(row.get(1)?)))
            })
            .optional()
            .map_err(EngineError::storage)?;
        let uses = records.iter().map(|record| read_use(record)).collect::<Result<_, _>>()?;
        Ok(Kept { id: GroupId::new(id), group, uses, staged })
    }
}

fn read_use(record: &[u8]) -> Result<KeyUse, EngineError> {
    let mut reader = Reader::new(record);
    let key_use = reader.read().map_err(EngineError::storage)?;
    reader.finish().map_err(EngineError::storage)?;
    Ok(key_use)
}

fn keep_one(transaction: &Transaction<'_>, entry: &Entry) -> rusqlite::Result<()> {
    let run = |statement, values: &[&dyn rusqlite::ToSql]| -> rusqlite::Result<()> {
        transaction.prepare_cached(statement)?.execute(values).map(drop)
    };
    match entry {
        Entry::Identity(secrets) => {
            run("INSERT INTO identity VALUES (1, ?)", params![secrets.as_slice()])
        }
        Entry::KeyPackage(reference, secrets) => {
            let values = params![reference, secrets.as_slice()];
            run("INSERT OR REPLACE INTO key_package VALUES (?, ?)", values)
        }
        Entry::KeyPackageUsed(reference) => {
            run("DELETE FROM key_package WHERE reference = ?", params![reference])
        }
        Entry::Group(id, group) => {
            let id = id.as_slice();
            run("INSERT OR REPLACE INTO mls_group VALUES (?, ?)", params![id, group.as_slice()])?;
            run("DELETE FROM key_use WHERE id = ?", params![id])?;
            run("DELETE FROM staged WHERE id = ?", params![id])
        }
        Entry::KeyUse(id, record) => {
            run("INSERT INTO key_use (id, record) VALUES (?, ?)", params![id.as_slice(), record])
        }
        Entry::Staged(id, stage, commit) => {
            let values = params![id.as_slice(), stage.to_be_bytes(), commit.as_slice()];
            run("INSERT OR REPLACE INTO staged VALUES (?, ?, ?)", values)
        }
        Entry::Unstaged(id) => run("DELETE FROM staged WHERE id = ?", params![id.as_slice()]),
        Entry::Left(id) => {
            let id = id.as_slice();
            run("DELETE FROM mls_group WHERE id = ?", params![id])?;
            run("DELETE FROM key_use WHERE id = ?", params![id])?;
            run("DELETE FROM staged WHERE id = ?", params![id])
        }
    }
}
