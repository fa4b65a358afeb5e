//! `flows`: what MLS can do and the general contract can't express, over mixed groups.
//!
//! Each flow is written once, over [`MlsClient`](engine_api::MlsClient), and walked by every
//! ordered pair and every mixed trio of engines: the first founds, the others take turns. After
//! every step all members are compared (epoch, authenticator, members, group-context extensions,
//! tree, an exported secret). Then the flow is walked again for each boundary between two steps and
//! each member: that member restarts from a snapshot there.

mod known;
mod membership;
mod order;
mod outside;
mod proposals;
mod report;
#[cfg(feature = "burrow")]
pub mod sessions;
mod stage;

use engine_api::{MlsCapabilities, MlsRegistration, Support};

pub use known::{KNOWN, Known};
pub use report::{Report, Row, Verdict};
use stage::{Outcome, Restart, Stage};

/// The flows' names, for the command.
#[must_use]
pub fn names() -> Vec<&'static str> {
    FLOWS.iter().map(|flow| flow.name).collect()
}

/// One flow.
struct Flow {
    name: &'static str,
    /// What every engine on the stage has to have.
    needs: &'static [fn(&MlsCapabilities) -> Support],
    walk: fn(&mut Stage<'_>) -> Outcome,
    /// Too long to be walked again for each restart and by every configuration.
    long: bool,
}

const fn flow(
    name: &'static str,
    needs: &'static [fn(&MlsCapabilities) -> Support],
    walk: fn(&mut Stage<'_>) -> Outcome,
) -> Flow {
    Flow { name, needs, walk, long: false }
}

static FLOWS: [Flow; 21] = [
    flow("tree in Welcome", &[], membership::tree_in_welcome),
    flow("tree apart", &[|c| c.tree_apart], membership::tree_apart),
    flow("wrong tree", &[|c| c.tree_apart], membership::wrong_tree),
    flow("adds", &[|c| c.tree_apart], membership::adds),
    flow("updates", &[|c| c.update_by_reference], membership::updates),
    flow("update given up", &[|c| c.update_by_reference], membership::update_given_up),
    flow("removals", &[], membership::removals),
    flow("by value and by reference", &[|c| c.update_by_reference], membership::mixed),
    Flow { name: "each leaf removed", needs: &[], walk: membership::each_leaf, long: true },
    flow("concurrent proposals", &[|c| c.update_by_reference], proposals::concurrent),
    flow("rival commits", &[], proposals::rivals),
    flow(
        "group context",
        &[|c| c.group_context_extensions, |c| c.group_context_extensions_by_reference],
        proposals::group_context,
    ),
    flow(
        "private extension",
        &[|c| c.declare, |c| c.group_context_extensions],
        proposals::private_extension,
    ),
    flow(
        "required extension",
        &[|c| c.declare, |c| c.group_context_extensions],
        proposals::required_extension,
    ),
    flow(
        "external PSK",
        &[|c| c.external_psk, |c| c.external_psk_by_reference],
        proposals::external_psk,
    ),
    flow("SelfRemove", &[|c| c.declare, |c| c.self_remove], proposals::self_remove),
    flow("external join", &[|c| c.group_info, |c| c.external_commit], outside::external_join),
    flow("resync", &[|c| c.group_info, |c| c.resync], outside::resync),
    flow("out of order", &[], order::out_of_order),
    flow("late", &[], order::late),
    flow("early", &[], order::early),
];

/// How many checks there are at least in a run of all.
pub const FLOOR: usize = 1_700_000;

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The engines, of which the first configuration of each library stands for it in the trios.
    pub engines: Vec<MlsRegistration>,
    /// Only these flows; all if there are none.
    pub flows: Vec<String>,
    /// Whether members restart.
    pub restarts: bool,
}

/// Walks all of it. `progress` is told what comes next.
#[must_use]
pub fn run(plan: &Plan, progress: &mut dyn FnMut(&str)) -> Report {
    let mut report = Report::default();
    let casts = casts(&plan.engines);
    for flow in &FLOWS {
        if !plan.flows.is_empty() && !plan.flows.iter().any(|name| name == flow.name) {
            continue;
        }
        progress(flow.name);
        for cast in &casts {
            if flow.long && !cast.leading {
                continue;
            }
            let restarts = plan.restarts && cast.restarts && !flow.long;
            report.rows.push(row(flow, &cast.engines, restarts));
        }
    }
    report.close(&plan.engines);
    report
}

/// The MLS engines that this repository has adapters for.
#[must_use]
pub fn built_in() -> Vec<MlsRegistration> {
    let mut engines = Vec::new();
    #[cfg(feature = "burrow")]
    engines.extend(adapter_burrow::mls_engines());
    #[cfg(feature = "openmls")]
    engines.extend(adapter_openmls::mls_engines());
    #[cfg(feature = "mls-rs")]
    engines.extend(adapter_mls_rs::mls_engines());
    engines
}

/// Those that `wanted` names, all if it names none.
///
/// # Errors
/// The first name that fits no engine.
pub fn select(
    engines: &[MlsRegistration],
    wanted: &[String],
) -> Result<Vec<MlsRegistration>, String> {
    let fits =
        |engine: &MlsRegistration, name: &String| engine.name() == name || library(engine) == name;
    if let Some(name) = wanted.iter().find(|name| !engines.iter().any(|engine| fits(engine, name)))
    {
        let names: Vec<_> = engines.iter().map(MlsRegistration::name).collect();
        return Err(format!("no MLS engine is called {name}; there are {}", names.join(", ")));
    }
    let chosen = |engine: &&MlsRegistration| wanted.iter().any(|name| fits(engine, name));
    Ok(if wanted.is_empty() {
        engines.to_vec()
    } else {
        engines.iter().filter(chosen).copied().collect()
    })
}

/// The first configuration of each library.
#[must_use]
pub fn leads(engines: &[MlsRegistration]) -> Vec<MlsRegistration> {
    let mut leads: Vec<MlsRegistration> = Vec::new();
    for engine in engines {
        if leads.iter().all(|lead| library(lead) != library(engine)) {
            leads.push(*engine);
        }
    }
    leads
}

/// Engines in the order in which they take turns.
struct Cast {
    engines: Vec<MlsRegistration>,
    /// Made of the first configurations only, each once: these walk the long flow as well.
    leading: bool,
    /// In these, members restart: the pairs of `leading`, and three in one order and its reverse.
    restarts: bool,
}

/// Every ordered pair of two libraries' configurations, and every trio of the first
/// configurations in which there are at least two libraries.
fn casts(engines: &[MlsRegistration]) -> Vec<Cast> {
    let leads = leads(engines);
    let is_lead = |engine: &MlsRegistration| leads.iter().any(|lead| lead.name() == engine.name());
    let mut casts = Vec::new();
    for one in engines {
        for other in engines.iter().filter(|other| library(other) != library(one)) {
            let leading = is_lead(one) && is_lead(other);
            casts.push(Cast { engines: vec![*one, *other], leading, restarts: leading });
        }
    }
    for (first, one) in leads.iter().enumerate() {
        for (second, other) in leads.iter().enumerate() {
            for (last, third) in leads.iter().enumerate() {
                let leading = first != second && second != last && first != last;
                let ordered = first < second && second < last;
                let reversed = first > second && second > last;
                if first != second || second != last {
                    let engines = vec![*one, *other, *third];
                    casts.push(Cast { engines, leading, restarts: ordered || reversed });
                }
            }
        }
    }
    casts
}

fn library(engine: &MlsRegistration) -> &'static str {
    let name = engine.name();
    name.split_once('/').map_or(name, |(library, _)| library)
}

/// Walks a flow, and again for each restart.
fn row(flow: &Flow, engines: &[MlsRegistration], restarts: bool) -> Row {
    let mut row = Row::new(flow.name, engines);
    let missing = engines.iter().find_map(|engine| {
        let capabilities = engine.capabilities();
        let mut needs = flow.needs.iter();
        let why = needs.find_map(|need| need(&capabilities).why_not())?;
        Some(format!("{}: {why}", engine.name()))
    });
    if let Some(why) = missing {
        row.verdict = Verdict::Unsupported(why);
        return row;
    }
    let Some((boundaries, most)) = walk(flow, engines, None, &mut row) else { return row };
    if restarts {
        for boundary in 0..boundaries {
            for member in 0..most {
                if walk(flow, engines, Some(Restart { boundary, member }), &mut row).is_none() {
                    return row;
                }
            }
        }
    }
    row
}

/// Walks once. Returns how many boundaries there were, and the most members at one.
fn walk(
    flow: &Flow,
    engines: &[MlsRegistration],
    restart: Option<Restart>,
    row: &mut Row,
) -> Option<(usize, usize)> {
    let mut stage = Stage::new(engines, restart);
    let outcome = (flow.walk)(&mut stage);
    row.walks += 1;
    row.checks += stage.checks;
    match outcome {
        Ok(()) => Some((stage.boundaries, stage.most)),
        Err(why) => {
            let place = stage.place();
            let restarted = restart.map_or_else(String::new, |Restart { boundary, member }| {
                format!(", member {member} restarted at boundary {boundary}")
            });
            row.verdict = Verdict::Failed(format!("{place}: {why}{restarted}"));
            None
        }
    }
}
