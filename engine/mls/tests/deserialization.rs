//! The working group's `deserialization.json`: length headers.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod vectors;

use burrow::codec::{LengthHeader, Reader};
use serde::Deserialize;
use vectors::Hex;

#[derive(Deserialize)]
struct Case {
    vlbytes_header: Hex,
    length: usize,
}

#[test]
fn deserialization() {
    let Some(cases) = vectors::load::<Vec<Case>>("deserialization.json") else {
        return;
    };
    assert!(!cases.is_empty());
    for case in cases {
        let mut reader = Reader::new(&case.vlbytes_header.0);
        assert_eq!(reader.length(), Ok(case.length));
        assert!(reader.is_empty());
        let header = LengthHeader::new(case.length).unwrap();
        assert_eq!(header.as_slice(), case.vlbytes_header.0);
    }
}
