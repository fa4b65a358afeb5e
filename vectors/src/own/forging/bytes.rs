//! Encoding by hand.

use burrow::Result;
use burrow::codec::encode_opaque;

/// `opaque<V>`.
pub(in super::super) fn opaque(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes.len() + 4);
    encode_opaque(bytes, &mut out)?;
    Ok(out)
}

/// A vector of what is encoded already.
pub(in super::super) fn vector(items: &[Vec<u8>]) -> Result<Vec<u8>> {
    opaque(&items.concat())
}

/// `optional<T>` of what is encoded already.
pub(in super::super) fn optional(value: Option<Vec<u8>>) -> Vec<u8> {
    match value {
        Some(value) => [vec![1], value].concat(),
        None => vec![0],
    }
}

/// Fields one after another.
pub(in super::super) fn struct_of(fields: &[&[u8]]) -> Vec<u8> {
    fields.concat()
}
