//! `report` on the command line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bench_results::format::ResultFile;
use bench_results::markdown::{NoPlace, Options, place, table};
use bench_results::report::page_with_tables;
use bench_results::tables::{self, TablesFile};
use bench_results::write::{Existing, replace};
use clap::Args;

use super::files;

/// The engine that others are held against, where it is in the run and no other is named.
const BASELINE: &str = "burrow/aws-lc";

/// What `report` can be told.
#[derive(Debug, Args)]
pub(super) struct Report {
    /// Result files, and tables files of `primitives`, `tls` and `asymmetry`.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The page to write.
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// Replaces a page of that name.
    #[arg(long)]
    force: bool,
    /// The engine that the others are held against.
    #[arg(long, value_name = "ENGINE")]
    baseline: Option<String>,
    /// Prints a table in Markdown instead.
    #[arg(long)]
    markdown: bool,
    /// Puts the table into this document, between its markers.
    #[arg(long, value_name = "FILE", requires = "markdown")]
    into: Option<PathBuf>,
    /// Exits with 1 if the table in this document is another one.
    #[arg(long, value_name = "FILE", requires = "markdown", conflicts_with = "into")]
    check: Option<PathBuf>,
    /// The table's family of engines that is held against its same-crypto peers.
    #[arg(long, value_name = "FAMILY", default_value = "burrow")]
    subject: String,
    /// The table shows each case's largest size up to this.
    #[arg(long, value_name = "NUMBER", default_value_t = 33)]
    largest: usize,
}

pub(super) fn run(arguments: &Report) -> Result<ExitCode, String> {
    let (paths, tables) = files::divide(&arguments.files)?;
    let file = files::read_all(&paths)?;
    if arguments.markdown {
        return markdown(arguments, &file, &tables);
    }
    let baseline = match &arguments.baseline {
        None => BASELINE,
        Some(name) if has(&file, name) => name,
        Some(name) => return Err(format!("no run has an engine called {name}")),
    };
    replace(
        &arguments.out,
        page_with_tables(&file, &tables, Some(baseline)).as_bytes(),
        files::existing(arguments.force),
    )
    .map_err(|why| why.to_string())?;
    println!("{}", arguments.out.display());
    Ok(ExitCode::SUCCESS)
}

fn has(file: &ResultFile, name: &str) -> bool {
    file.runs.iter().flat_map(|run| &run.engines).any(|engine| engine.name == name)
}

/// A text that stands in a document between markers.
struct Placed {
    text: String,
    /// The table's name; the engines' has none.
    name: Option<String>,
}

impl Placed {
    fn into(&self, document: &str) -> Result<String, NoPlace> {
        match &self.name {
            None => place(document, &self.text),
            Some(name) => tables::markdown::place(document, name, &self.text),
        }
    }
}

/// The engines' tables, then one each of every tables file.
fn texts(arguments: &Report, file: &ResultFile, tables: &[TablesFile]) -> Vec<Placed> {
    let options = Options { subject: arguments.subject.clone(), largest: arguments.largest };
    let runs: Vec<_> = file.runs.iter().map(|run| table(run, &options)).collect();
    let mut texts = Vec::new();
    if !runs.is_empty() {
        texts.push(Placed { text: runs.join("\n"), name: None });
    }
    for (file, table) in tables.iter().flat_map(|file| file.tables.iter().map(move |t| (file, t))) {
        let text = tables::markdown::table(file, table);
        texts.push(Placed { text, name: Some(table.name.clone()) });
    }
    texts
}

fn markdown(
    arguments: &Report,
    file: &ResultFile,
    tables: &[TablesFile],
) -> Result<ExitCode, String> {
    let texts = texts(arguments, file, tables);
    let placed = |path: &Path| -> Result<(String, String), String> {
        let name = path.display();
        let document =
            std::fs::read_to_string(path).map_err(|why| format!("can't read {name}: {why}"))?;
        let mut placed = document.clone();
        for text in &texts {
            placed = text.into(&placed).map_err(|why| format!("{name}: {why}"))?;
        }
        Ok((document, placed))
    };
    match (&arguments.into, &arguments.check) {
        (Some(path), _) => {
            let (document, placed) = placed(path)?;
            if document != placed {
                replace(path, placed.as_bytes(), Existing::Replace)
                    .map_err(|why| why.to_string())?;
            }
        }
        (None, Some(path)) => {
            let (document, placed) = placed(path)?;
            if document != placed {
                eprintln!("the table in {} is not that of these files", path.display());
                return Ok(ExitCode::FAILURE);
            }
        }
        (None, None) => texts.iter().for_each(|placed| print!("{}", placed.text)),
    }
    Ok(ExitCode::SUCCESS)
}
