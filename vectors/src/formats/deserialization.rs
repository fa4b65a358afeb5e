//! `deserialization.json`: headers of vectors.

use burrow::codec::{LengthHeader, Reader};
use serde::Deserialize;
use serde_json::Value;

use crate::hex::Hex;
use crate::{Stop, Tally};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    vlbytes_header: Hex,
    length: usize,
}

pub(crate) fn check(case: &Value, tally: &mut Tally) -> Result<(), Stop> {
    let case: Case = super::read(case, tally)?;
    let mut reader = Reader::new(&case.vlbytes_header.0);
    let length = tally.step("vlbytes_header", reader.length())?;
    tally.same("length", length, case.length);
    tally.holds("nothing behind the header", reader.is_empty());
    let header = tally.step("length", LengthHeader::new(case.length))?;
    tally.equal("our header", header.as_slice(), &case.vlbytes_header.0);
    Ok(())
}
