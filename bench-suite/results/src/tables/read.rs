//! Reading and writing a tables file: nothing of it is used before all of it has been checked.

use std::path::Path;

use super::{KIND, STRESS, TablesFile, VERSION, statistics};
use crate::write::{Existing, WriteError, replace};

/// Why a tables file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// The system didn't give it out, or it isn't text.
    #[error("can't read {file}: {why}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        why: std::io::Error,
    },
    /// It isn't JSON, or has other fields.
    #[error("{file} is no tables file, at {place}: {why}")]
    Form {
        /// The file.
        file: String,
        /// The field's path.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// This program is too old for it.
    #[error(
        "{file} was made by a newer cgka-bench: version {version}, this one reads up to {VERSION}"
    )]
    Newer {
        /// The file.
        file: String,
        /// Its version.
        version: u64,
    },
    /// It says what can't be.
    #[error("{file} contradicts itself: {why}")]
    Invalid {
        /// The file.
        file: String,
        /// What can't be.
        why: String,
    },
}

/// Whether this is JSON that calls itself a tables file; what is in it may still be wrong.
#[must_use]
pub fn is_tables(path: &Path) -> bool {
    crate::read::text(path).is_ok_and(|text| calls_itself_tables(&text))
}

fn calls_itself_tables(text: &str) -> bool {
    let value: Option<serde_json::Value> = serde_json::from_str(text).ok();
    let kind = value.as_ref().and_then(|value| value.get("kind")?.as_str());
    kind == Some(KIND) || kind == Some(STRESS)
}

/// Reads and checks a file.
///
/// # Errors
/// See [`TablesError`].
pub fn load(path: &Path) -> Result<TablesFile, TablesError> {
    let file = path.display().to_string();
    let text =
        crate::read::text(path).map_err(|why| TablesError::Io { file: file.clone(), why })?;
    parse(&file, &text)
}

/// Reads and checks a file's text; `file` is its name in errors.
///
/// # Errors
/// See [`TablesError`].
pub fn parse(file: &str, text: &str) -> Result<TablesFile, TablesError> {
    let name = || file.to_owned();
    let form = |place: String, why: String| TablesError::Form { file: name(), place, why };
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|why| form("its text".into(), why.to_string()))?;
    let kind = value.get("kind").and_then(serde_json::Value::as_str);
    if kind != Some(KIND) && kind != Some(STRESS) {
        return Err(form("kind".into(), format!("neither `{KIND}` nor `{STRESS}`")));
    }
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(VERSION) => {}
        Some(version) if version > u64::from(VERSION) => {
            return Err(TablesError::Newer { file: name(), version });
        }
        _ => return Err(form("version".into(), "there never was such a version".into())),
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let read: TablesFile = serde_path_to_error::deserialize(&mut reader)
        .map_err(|why| form(why.path().to_string(), why.inner().to_string()))?;
    match contradiction(&read) {
        Some(why) => Err(TablesError::Invalid { file: name(), why }),
        None => Ok(read),
    }
}

/// Writes a file, after the same checks that it will have to pass when it is read.
///
/// # Errors
/// See [`WriteError`].
pub fn save(path: &Path, file: &TablesFile, existing: Existing) -> Result<(), WriteError> {
    if let Some(why) = contradiction(file) {
        let problem = crate::validate::Problem { run: None, part: None, what: why };
        return Err(WriteError::Invalid(vec![problem]));
    }
    let mut text = serde_json::to_vec(file)?;
    text.push(b'\n');
    replace(path, &text, existing)
}

/// The first thing in a file that can't be.
fn contradiction(file: &TablesFile) -> Option<String> {
    for row in file.tables.iter().flat_map(|table| &table.rows) {
        let name = &row.name;
        let rounds = row.entries.iter().map(|entry| &entry.rounds_ns);
        let mut rounds = rounds.chain(row.control.iter().map(|control| &control.rounds_ns));
        if rounds.clone().flatten().any(|time| !time.is_finite() || *time <= 0.0) {
            return Some(format!("{name} has a time that is none"));
        }
        let most = file.plan.rounds as usize;
        let fewest = most.min(statistics::FEWEST_ROUNDS);
        let first = rounds.next().map_or(most, Vec::len);
        if !(fewest..=most).contains(&first) || rounds.any(|times| times.len() != first) {
            return Some(format!("{name} has not as many times as there were rounds"));
        }
        let mut names: Vec<_> = row.entries.iter().map(|entry| &entry.name).collect();
        names.extend(row.absent.iter().map(|absent| &absent.name));
        names.sort();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Some(format!("{name} has someone twice"));
        }
        if row.absent.iter().any(|absent| absent.reason.is_empty()) {
            return Some(format!("{name} has someone missing without a reason"));
        }
        let controlled = row.control.as_ref().map(|control| &control.name);
        if controlled.is_some_and(|name| row.entries.iter().all(|entry| entry.name != *name)) {
            return Some(format!("{name} has a control of someone who isn't there"));
        }
    }
    let mut again = file.tables.clone();
    statistics::fill(&mut again);
    for (table, again) in file.tables.iter().zip(&again) {
        let differs = table.rows.iter().zip(&again.rows).find(|(row, again)| row != again);
        if let Some((row, _)) = differs {
            return Some(format!("{}: its numbers don't follow from its times", row.name));
        }
    }
    let judged = file.judged(Vec::new());
    if file.grade.name != file.judged(file.grade.demerits.clone()).name {
        return Some(format!("its grade can't be `{}`", file.grade.name));
    }
    if let Some(demerit) = judged.demerits.iter().find(|d| !file.grade.demerits.contains(d)) {
        return Some(format!("its grade lacks the demerit `{}`", demerit.kind));
    }
    match file.digest() {
        Ok(id) if id == file.id => None,
        _ => Some("its `id` is not that of its content: it was changed by hand".into()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::{Absent, Control, Entry, Plan, Ratio, Row, Table};
    use super::*;
    use crate::format::{Build, Grade, Host, Load};

    fn entry(name: &str, from: f64) -> Entry {
        Entry {
            name: name.into(),
            median_ns: 0.0,
            low_ns: 0.0,
            high_ns: 0.0,
            ratio: Ratio { median: 0.0, low: 0.0, high: 0.0 },
            rounds_ns: (0..9).map(|round| from + f64::from(round)).collect(),
            parts: Vec::new(),
            figures: Vec::new(),
        }
    }

    fn host() -> Host {
        Host {
            kind: "linux-x86_64-metal-2".into(),
            cpu: "one".into(),
            cpu_features: Vec::new(),
            processors: 1,
            memory_bytes: 1,
            system: "a system".into(),
            hypervisor: None,
            governors: vec![Some("performance".into())],
            turbo: Some(false),
            pinned: Some(1),
            throttled: Some(0),
            clock_source: None,
            timer_step_ns: 1,
            timer_cost_ns: 1,
            before: Load { average: Some([0.0; 3]) },
            after: Load { average: Some([1.0; 3]) },
            steal: Some(0.0),
        }
    }

    /// Two entries, of which the one that is named last is the faster, and one who is missing.
    pub(in super::super) fn file() -> TablesFile {
        let control = Control {
            name: "fast".into(),
            rounds_ns: entry("", 100.0).rounds_ns,
            ratio: Ratio { median: 0.0, low: 0.0, high: 0.0 },
            differs: false,
        };
        let row = Row {
            name: "work/whole".into(),
            bytes: Some(64),
            headline: true,
            equal: false,
            entries: vec![entry("slow", 300.0), entry("fast", 100.0)],
            control: Some(control),
            absent: vec![Absent { name: "none".into(), reason: "it has no hands".into() }],
        };
        let file = TablesFile {
            kind: KIND.into(),
            version: VERSION,
            id: String::new(),
            tool: "0".into(),
            command: vec!["test".into()],
            started: "2026-01-01T00:00:00Z".into(),
            finished: "2026-01-01T00:00:01Z".into(),
            plan: Plan { rounds: 9, turn_ns: 1, order: "rotating".into() },
            host: host(),
            build: Build {
                rustc: "r".into(),
                target: "t".into(),
                profile: "p".into(),
                flags: String::new(),
                allocator: "a".into(),
                commit: Some("c".into()),
                dirty: Some(false),
                lockfile: "l".into(),
                features: Vec::new(),
            },
            tables: vec![Table {
                name: "work".into(),
                title: "Work".into(),
                about: vec!["It is made up.".into()],
                rows: vec![row],
                sentences: vec!["fast is fast.".into()],
            }],
            grade: Grade { name: String::new(), demerits: Vec::new() },
        };
        file.seal().unwrap()
    }

    fn text(file: &TablesFile) -> String {
        serde_json::to_string(file).unwrap()
    }

    fn refused(file: &TablesFile) -> String {
        parse("f", &text(file)).unwrap_err().to_string()
    }

    #[test]
    fn what_was_written_is_read() {
        let file = file();
        assert_eq!(file.grade.name, "reference");
        assert_eq!(file.tables[0].rows[0].entries[0].name, "fast");
        assert!(calls_itself_tables(&text(&file)));
        assert_eq!(parse("f", &text(&file)).unwrap(), file);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.json");
        save(&path, &file, Existing::Keep).unwrap();
        assert!(is_tables(&path) && !is_tables(folder.path()));
        assert_eq!(load(&path).unwrap(), file);
        assert!(matches!(save(&path, &file, Existing::Keep), Err(WriteError::Exists(_))));
    }

    #[test]
    fn an_edited_number_is_found() {
        let mut edited = file();
        edited.tables[0].rows[0].entries[0].median_ns = 1.0;
        edited.id = edited.digest().unwrap();
        assert!(refused(&edited).contains("don't follow"));
        let mut edited = file();
        edited.tables[0].sentences[0] = "slow is fast.".into();
        assert!(refused(&edited).contains("by hand"));
        let mut edited = file();
        edited.build.dirty = Some(true);
        edited.id = edited.digest().unwrap();
        assert!(
            refused(&edited).contains("lacks the demerit") || refused(&edited).contains("grade")
        );
        let mut edited = file();
        edited.kind = STRESS.into();
        edited.id = edited.digest().unwrap();
        assert!(refused(&edited).contains("grade"));
    }

    #[test]
    fn an_entry_that_differs_from_itself_voids_the_run() {
        let mut file = file();
        for time in &mut file.tables[0].rows[0].control.as_mut().unwrap().rounds_ns {
            *time *= 1.2;
        }
        let file = file.seal().unwrap();
        assert_eq!(file.grade.name, "invalid");
        assert!(file.grade.demerits[0].seen.contains("work/whole fast"));
    }

    #[test]
    fn equal_work_that_takes_other_times_voids_the_run() {
        let mut file = file();
        file.tables[0].rows[0].equal = true;
        let file = file.seal().unwrap();
        assert_eq!(file.grade.name, "invalid");
        assert!(file.grade.demerits[0].seen.contains("work/whole"));
    }

    #[test]
    fn other_documents_are_refused() {
        for text in ["{}", "[", "{\"schema\": 2}"] {
            assert!(!calls_itself_tables(text));
        }
        for text in ["", "{", "[]", "{\"kind\": \"cgka-bench tables\"}", "{\"kind\": 1}"] {
            assert!(parse("f", text).is_err(), "{text}");
        }
        let newer = text(&file()).replace("\"version\":1", "\"version\":2");
        assert!(matches!(parse("f", &newer), Err(TablesError::Newer { version: 2, .. })));
        let stranger = text(&file()).replacen("\"version\":1", "\"version\":1,\"more\":1", 1);
        assert!(matches!(parse("f", &stranger), Err(TablesError::Form { .. })));
        let cut = text(&file());
        assert!(parse("f", &cut[..cut.len() / 2]).is_err());
    }
}
