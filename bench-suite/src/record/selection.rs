//! Which rows are asked for.

/// Whether a row's name (as `commit/update/warm/33`) has one of these in it as a run of whole
/// components: `send/1` is not in `send/100`, and `commit/update` not in `ingest_commit/update`.
/// Every row does if there are none.
pub(super) fn is_wanted(row: &str, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|part| has(row, part))
}

fn has(row: &str, part: &str) -> bool {
    let row: Vec<_> = row.split('/').collect();
    let part: Vec<_> = part.split('/').filter(|component| !component.is_empty()).collect();
    !part.is_empty() && row.windows(part.len()).any(|run| run == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_whole() {
        let rows = [
            "send/1",
            "send/100",
            "send/33",
            "commit/update/warm/33",
            "commit/update/warm/330",
            "commit/update/cold/33",
            "ingest_commit/update/warm/33",
        ];
        for (part, wanted) in [
            ("send/1", &[0][..]),
            ("send/100", &[1]),
            ("send", &[0, 1, 2]),
            ("send/", &[0, 1, 2]),
            ("commit", &[3, 4, 5]),
            ("commit/update", &[3, 4, 5]),
            ("update/warm/33", &[3, 6]),
            ("commit/update/warm/33", &[3]),
            ("commit/update/warm/33/1", &[]),
            ("update/33", &[]),
            ("33", &[2, 3, 5, 6]),
            ("sen", &[]),
            ("", &[]),
            ("/", &[]),
        ] {
            let only = [part.to_owned()];
            let found = rows.iter().enumerate().filter(|(_, row)| is_wanted(row, &only));
            let found: Vec<_> = found.map(|(at, _)| at).collect();
            assert_eq!(found, wanted, "{part:?}");
        }
        let several = ["send/1", "cold"].map(String::from);
        let found: Vec<_> = rows.iter().filter(|row| is_wanted(row, &several)).collect();
        assert_eq!(found, [&"send/1", &"commit/update/cold/33"]);
        assert!(rows.iter().all(|row| is_wanted(row, &[])));
    }
}
