//! The contract's promises, kept on the SQLite store.
#![cfg(feature = "sqlite")]

#[path = "contract.rs"]
mod on_sqlite;

#[test]
fn is_another_engine() {
    let names: Vec<_> = adapter_mdk::layered().iter().map(|engine| engine.name()).collect();
    assert_eq!(names, ["mdk/sqlite"]);
}
