//! Rows: what each must have, and what follows from its samples.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Found;
use crate::format::{Block, Floor, Outcome, Primitive, Row, Run, Statistics, Storage};
use crate::index::{cell, outcome_name};

/// How far a floor may be from the sum of its terms, as a share: they may be added in another order.
const TOLERANCE: f64 = 1e-6;

pub(super) fn check(run: &Run, found: &mut Found<'_>) {
    found.unique(run.rows.iter().map(|row| (cell(row), &row.engine)), |(cell, engine)| {
        format!("row {}/{} of {engine}", cell.case, cell.size)
    });
    for row in &run.rows {
        check_row(run, row, found);
    }
    every_engine_everywhere(run, found);
    one_meaning(run, found);
    same_blocks(run, found);
    for price in &run.primitives {
        let part = format!("primitive {} of {}", price.name, price.backend);
        found.must(is_time(price.median_ns), &part, || format!("it costs {} ns", price.median_ns));
        found.must(price.per_byte_ns.is_finite() && price.per_byte_ns >= 0.0, &part, || {
            format!("a byte costs {} ns", price.per_byte_ns)
        });
    }
    found.unique(run.primitives.iter().map(|p| (&p.name, &p.backend)), |(name, backend)| {
        format!("primitive {name} of {backend}")
    });
}

/// A row's name in problems.
pub(super) fn name(row: &Row) -> String {
    format!("row {}/{} of {}", row.case, row.size, row.engine)
}

fn check_row(run: &Run, row: &Row, found: &mut Found<'_>) {
    let part = name(row);
    let known = run.engines.iter().any(|engine| engine.name == row.engine);
    found.must(known, &part, || "the run has no such engine".into());
    match (&row.outcome, &row.statistics) {
        (Outcome::Measured, Some(statistics)) => {
            blocks(run, row, &part, found);
            ordered(statistics, &part, found);
        }
        (Outcome::Measured, None) => found.add(&part, "it was measured, and has no statistics"),
        (other, statistics) => {
            found.must(statistics.is_none() && row.blocks.is_empty(), &part, || {
                format!("it is {}, and has samples or statistics", outcome_name(other))
            });
        }
    }
    if let Some(storage) = &row.storage {
        let Storage { group_bytes, tree_bytes, written_bytes } = *storage;
        let any = group_bytes.or(tree_bytes).or(written_bytes).is_some();
        found.must(any, &part, || "its `storage` says nothing".into());
        found.must(row.outcome == Outcome::Measured, &part, || {
            format!("it is {}, and has `storage`", outcome_name(&row.outcome))
        });
        found.must(group_bytes != Some(0) && tree_bytes != Some(0), &part, || {
            "a group or a tree of no bytes".into()
        });
        found.must(written_bytes.is_none() || stores(run, row), &part, || {
            "its engine stores nothing, and it has `written_bytes`".into()
        });
    }
    if let Some(floor) = &row.floor {
        check_floor(run, floor, &part, found);
    }
}

/// Whether the row's engine writes its state anywhere.
fn stores(run: &Run, row: &Row) -> bool {
    let engine = run.engines.iter().find(|engine| engine.name == row.engine);
    engine.is_none_or(|engine| engine.layer != "core")
}

fn blocks(run: &Run, row: &Row, part: &str, found: &mut Found<'_>) {
    found.must(!row.blocks.is_empty(), part, || "it was measured, and has no samples".into());
    found
        .unique(row.blocks.iter().map(|block| (block.process, block.block)), |(process, block)| {
            format!("{part}, block {block} of process {process}")
        });
    for block in &row.blocks {
        let part = format!("{part}, block {} of process {}", block.block, block.process);
        check_block(block, &part, found);
        found.must(block.process < run.plan.processes, &part, || {
            format!("the run has {} processes", run.plan.processes)
        });
        found.must(block.block < run.plan.blocks, &part, || {
            format!("a process of the run has {} blocks at most", run.plan.blocks)
        });
    }
}

fn check_block(block: &Block, part: &str, found: &mut Found<'_>) {
    let lengths = [block.wall_ns.len(), block.cpu_ns.len(), block.switches.len()];
    found.must(lengths[0] == lengths[1] && lengths[0] == lengths[2], part, || {
        let [wall, cpu, switches] = lengths;
        format!("its lists are not equally long: {wall} times, {cpu} of the processor, {switches} of switches")
    });
    found.must(lengths[0] > 0, part, || "it has no samples".into());
    found.must(block.operations > 0, part, || "its samples are of no operation".into());
    found.must(!block.wall_ns.contains(&0), part, || "a sample took no time at all".into());
}

fn ordered(s: &Statistics, part: &str, found: &mut Found<'_>) {
    let times = [s.median_ns, s.low_ns, s.high_ns, s.min_ns];
    found.must(times.into_iter().all(is_time), part, || {
        "one of median_ns, low_ns, high_ns and min_ns is no time above 0".into()
    });
    found.must(s.low_ns <= s.high_ns, part, || {
        format!("its interval's low end, {}, is above its high end, {}", s.low_ns, s.high_ns)
    });
    found.must(s.low_ns <= s.median_ns && s.median_ns <= s.high_ns, part, || {
        format!(
            "its median, {}, is not in its interval, {} to {}",
            s.median_ns, s.low_ns, s.high_ns
        )
    });
}

fn check_floor(run: &Run, floor: &Floor, part: &str, found: &mut Found<'_>) {
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let sum: f64 = floor.terms.iter().map(|term| term.count as f64 * term.each_ns).sum();
    let close = (sum - floor.total_ns).abs() <= TOLERANCE * sum;
    found.must(close, part, || {
        format!("its floor is {} ns, and its terms come to {sum}", floor.total_ns)
    });
    for term in &floor.terms {
        found.must(is_time(term.each_ns), part, || {
            format!("{} in its floor costs {} ns", term.primitive, term.each_ns)
        });
        let named = |p: &&Primitive| p.name == term.primitive && p.backend == term.backend;
        let Some(price) = run.primitives.iter().find(named) else {
            let what = format!("its floor is of {} of {}", term.primitive, term.backend);
            found.add(part, format!("{what}, which the run has no price for"));
            continue;
        };
        #[expect(clippy::cast_precision_loss, reason = "messages are small")]
        let beyond = term.bytes.saturating_sub(price.bytes) as f64;
        let each = price.median_ns + beyond * price.per_byte_ns;
        found.must((each - term.each_ns).abs() <= TOLERANCE * each, part, || {
            let (is, what) = (term.each_ns, &term.primitive);
            format!("{what} in its floor costs {is} ns; from the run's primitives follows {each}")
        });
    }
}

/// A row of each engine at each case and size: what can't be measured is absent with a reason.
fn every_engine_everywhere(run: &Run, found: &mut Found<'_>) {
    let engines: BTreeSet<_> = run.engines.iter().map(|engine| engine.name.as_str()).collect();
    let mut rows: HashMap<_, HashSet<&str>> = HashMap::new();
    for row in &run.rows {
        rows.entry(cell(row)).or_default().insert(&row.engine);
    }
    let mut cells: Vec<_> = rows.into_iter().collect();
    cells.sort_unstable_by_key(|(cell, _)| *cell);
    for (cell, present) in cells {
        for engine in engines.iter().filter(|engine| !present.contains(*engine)) {
            found.add(format!("rows {}/{}", cell.case, cell.size), format!("none is of {engine}"));
        }
    }
}

fn one_meaning(run: &Run, found: &mut Found<'_>) {
    let mut meanings = HashMap::new();
    for row in &run.rows {
        let meaning = (&row.operation, &row.size_means);
        if *meanings.entry(&row.case).or_insert(meaning) != meaning {
            found.add(name(row), "another row of this case has another operation or size");
        }
    }
}

/// In a block every engine has its turn: a row that lacks one had it taken out.
fn same_blocks(run: &Run, found: &mut Found<'_>) {
    let mut all: HashMap<_, BTreeSet<(u32, u32)>> = HashMap::new();
    let measured = || run.rows.iter().filter(|row| row.outcome == Outcome::Measured);
    let keys = |row: &Row| -> BTreeSet<(u32, u32)> {
        row.blocks.iter().map(|block| (block.process, block.block)).collect()
    };
    for row in measured() {
        all.entry(cell(row)).or_default().extend(keys(row));
    }
    for row in measured() {
        let lacking = all.get(&cell(row)).map_or(0, |all| all.difference(&keys(row)).count());
        found.must(lacking == 0, &name(row), || {
            format!("it lacks {lacking} blocks that other engines have")
        });
    }
}

fn is_time(ns: f64) -> bool {
    ns.is_finite() && ns > 0.0
}
