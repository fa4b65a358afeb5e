//! What is in the database of a snapshot.

use engine_api::{Change, EngineError, WelcomeBytes};
use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use sqlite_file::DatabaseFile;

use crate::steps::{client, flipped, group_of, stored};

/// The snapshot with the rows of all tables in place of the file, its key and the digest over it;
/// nothing if it is a snapshot of another kind.
pub(crate) fn of(snapshot: &[u8]) -> Option<Vec<u8>> {
    let mut rest = snapshot;
    if bytes(&mut rest) != b"adapter-openmls sqlite snapshot 1" {
        return None;
    }
    // The engine, the identity, the signature key, the profile.
    for _ in 0..4 {
        bytes(&mut rest);
    }
    // The groups, each with its staged commit if it has one.
    for _ in 0..number(&mut rest) {
        bytes(&mut rest);
        for _ in 0..number(&mut rest) {
            number(&mut rest);
        }
    }
    // The key packages that no Welcome has used.
    for _ in 0..number(&mut rest) {
        bytes(&mut rest);
    }
    let before_the_file = snapshot.len() - rest.len();
    let key = bytes(&mut rest).try_into().unwrap();
    let file = DatabaseFile::of_bytes(bytes(&mut rest), key).unwrap();
    let rows = format!("{:?}", all(&file.open().unwrap()));
    Some([&snapshot[..before_the_file], rows.as_bytes()].concat())
}

fn number(rest: &mut &[u8]) -> usize {
    let (number, after) = rest.split_first_chunk().unwrap();
    *rest = after;
    usize::try_from(u64::from_be_bytes(*number)).unwrap()
}

fn bytes<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let length = number(rest);
    let (bytes, after) = rest.split_at(length);
    *rest = after;
    bytes
}

/// Each table with its rows. SQLite's own tables are left out: what they count goes up only.
fn all(connection: &Connection) -> Vec<(String, Vec<String>)> {
    let tables = "SELECT name FROM sqlite_schema \
        WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    let mut tables = connection.prepare(tables).unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let rows_of = |table: String| {
        let mut every = connection.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns = every.column_count();
        let read = |row: &Row<'_>| (0..columns).map(|at| row.get(at)).collect();
        let rows = every.query_map([], read).unwrap();
        let rows = rows.map(|row: rusqlite::Result<Vec<Value>>| format!("{:?}", row.unwrap()));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable();
        (table, rows)
    };
    tables.map(|table| rows_of(table.unwrap())).collect()
}

#[test]
fn whatever_is_stored_shows() {
    let engines = adapter_openmls::layered();
    let (mut clients, group) = group_of(&engines[0], &["ada", "ben"]);
    let ada = &mut clients[0];
    let mut states = vec![stored(ada)];
    ada.publish_key_package().unwrap();
    states.push(stored(ada));
    ada.send(&group, b"a key is used up").unwrap();
    states.push(stored(ada));
    let staged = ada.stage_commit(&group, &Change::Update).unwrap();
    states.push(stored(ada));
    ada.merge_staged(staged.published()).unwrap();
    states.push(stored(ada));
    ada.create_group(&[]).unwrap();
    states.push(stored(ada));
    states.sort_unstable();
    assert!(states.windows(2).all(|pair| pair[0] != pair[1]), "two states look the same");
}

#[test]
fn what_is_written_and_taken_back_does_not() {
    let engines = adapter_openmls::layered();
    let (mut ada, mut ben) = (client(&engines[0], "ada"), client(&engines[0], "ben"));
    let founded = ada.create_group(&[ben.publish_key_package().unwrap()]).unwrap();
    let welcome = founded.welcomes.for_invitee(0).unwrap();
    let (pages, rows) = (ben.snapshot().unwrap(), stored(&ben));
    let torn = WelcomeBytes::new(flipped(welcome.as_slice(), welcome.len() - 1, 0));
    assert!(matches!(ben.join_welcome(&torn), Err(EngineError::Peer(_))));
    assert_ne!(ben.snapshot().unwrap().as_slice(), pages.as_slice());
    assert_eq!(stored(&ben), rows);
}
