//! Under what conditions a run was made, all of them.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::Page;
use crate::format::{Build, Host, Load, Plan, Run};
use crate::index::{Cell, verdict_name};
use crate::markdown::controls;
use crate::units::{count, memory, percent, ratio, time};

pub(super) fn section(page: &Page<'_>) -> Markup {
    let run = page.index.run;
    html! {
        h3 { "The command" }
        pre { (run.command.join(" ")) }
        div.cards {
            section.card { h3 { "The run" } (list(&about(run))) }
            section.card { h3 { "The machine" } (list(&host(&run.host))) }
            section.card { h3 { "The program" } (list(&build(&run.build))) }
            section.card { h3 { "The plan" } (list(&plan(&run.plan))) }
        }
        h3 id={ (page.anchor) "-aa" } { "A/A: an engine against itself" }
        (control_table(run))
        h3 { "What the primitives cost" }
        (primitives(run))
    }
}

fn list(items: &[(&str, String)]) -> Markup {
    html! { dl { @for (name, value) in items { dt { (name) } dd { (value) } } } }
}

fn unknown<T>(value: Option<&T>, words: impl Fn(&T) -> String) -> String {
    value.map_or_else(|| "not known".into(), words)
}

fn about(run: &Run) -> Vec<(&'static str, String)> {
    vec![
        ("id", run.id.clone()),
        ("cgka-bench", run.tool.clone()),
        ("started", run.started.clone()),
        ("finished", run.finished.clone()),
        ("complete", if run.interrupted { "no, it was stopped" } else { "yes" }.into()),
        ("rows", run.rows.len().to_string()),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a clock's step")]
fn host(host: &Host) -> Vec<(&'static str, String)> {
    let governor = |governor: &Option<String>| unknown(governor.as_ref(), Clone::clone);
    let governors: BTreeSet<_> = host.governors.iter().map(governor).collect();
    let load = |load: Load| {
        unknown(load.average.as_ref(), |load| load.map(|load| format!("{load:.2}")).join(", "))
    };
    let yes_no = |yes: &bool| if *yes { "on" } else { "off" }.to_owned();
    vec![
        ("kind", host.kind.clone()),
        ("processor", host.cpu.clone()),
        ("features", host.cpu_features.join(", ")),
        ("processors", host.processors.to_string()),
        ("memory", memory(host.memory_bytes)),
        ("system", host.system.clone()),
        ("hypervisor", unknown(host.hypervisor.as_ref(), Clone::clone)),
        ("governors", governors.into_iter().collect::<Vec<_>>().join(", ")),
        ("turbo", unknown(host.turbo.as_ref(), yes_no)),
        ("pinned to", unknown(host.pinned.as_ref(), |cpu| format!("processor {cpu}"))),
        ("throttled", unknown(host.throttled.as_ref(), |times| format!("{times} times"))),
        ("clock", unknown(host.clock_source.as_ref(), Clone::clone)),
        ("clock's step", time(host.timer_step_ns as f64)),
        ("reading it", time(host.timer_cost_ns as f64)),
        ("load before", load(host.before)),
        ("load after", load(host.after)),
        ("steal", unknown(host.steal.as_ref(), |share| percent(*share))),
    ]
}

fn build(build: &Build) -> Vec<(&'static str, String)> {
    let flags = if build.flags.is_empty() { "none" } else { &build.flags };
    let dirty = |dirty: &bool| if *dirty { "yes" } else { "no" }.to_owned();
    vec![
        ("compiler", build.rustc.clone()),
        ("target", build.target.clone()),
        ("profile", build.profile.clone()),
        ("flags", flags.to_owned()),
        ("allocator", build.allocator.clone()),
        ("commit", unknown(build.commit.as_ref(), Clone::clone)),
        ("uncommitted changes", unknown(build.dirty.as_ref(), dirty)),
        ("lockfile", build.lockfile.clone()),
        ("features", build.features.join(", ")),
    ]
}

fn plan(plan: &Plan) -> Vec<(&'static str, String)> {
    let all = |list: Vec<String>| if list.is_empty() { "all".into() } else { list.join(", ") };
    vec![
        ("preset", plan.preset.clone()),
        ("processes", plan.processes.to_string()),
        ("blocks in each", format!("{} at most", plan.blocks)),
        ("order", plan.order.clone()),
        ("seed", plan.seed.to_string()),
        ("margin", percent(plan.margin)),
        ("confidence", percent(plan.confidence)),
        ("resamples", count(plan.resamples.into())),
        ("warm-up", format!("{} samples", plan.warm_up)),
        ("entered twice", plan.again.clone().unwrap_or_else(|| "none".into())),
        ("rows", all(plan.only.clone())),
        ("sizes", all(plan.sizes.iter().map(ToString::to_string).collect())),
    ]
}

fn control_table(run: &Run) -> Markup {
    html! {
        p { (controls(run).replace('`', "")) }
        @if !run.controls.is_empty() {
            details open[run.controls.iter().any(|control| control.differs)] {
                summary { "All " (run.controls.len()) " rows" }
                div.scroll { table {
                    thead { tr {
                        th scope="col" { "row" }
                        th.num scope="col" { "ratio" } th.num scope="col" { "interval" }
                        th scope="col" { "verdict" }
                        th.num scope="col" { "interval of all together" } th scope="col" { "differs" }
                    } }
                    tbody { @for c in &run.controls {
                        tr data-row-case=(c.case) data-row-size=(c.size) {
                            th scope="row" { (super::overview::name(Cell { case: &c.case, size: c.size })) }
                            td.num { (ratio(c.ratio)) }
                            td.num { (ratio(c.low)) " to " (ratio(c.high)) }
                            td { (verdict_name(c.verdict)) }
                            td.num { (ratio(c.family_low)) " to " (ratio(c.family_high)) }
                            td.failed[c.differs] { (if c.differs { "yes" } else { "no" }) }
                        }
                    } }
                } }
            }
        }
    }
}

/// Primitives by backends.
fn primitives(run: &Run) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    let mut backends: Vec<&str> = Vec::new();
    for primitive in &run.primitives {
        if !names.contains(&primitive.name.as_str()) {
            names.push(&primitive.name);
        }
        if !backends.contains(&primitive.backend.as_str()) {
            backends.push(&primitive.backend);
        }
    }
    let of = |name: &str, backend: &str| {
        run.primitives.iter().find(|p| p.name == name && p.backend == backend)
    };
    html! {
        @if names.is_empty() { p { "They were not measured in this run." } } @else {
            div.scroll { table {
                thead { tr {
                    th scope="col" { "primitive" }
                    @for backend in &backends { th.num scope="col" { (backend) } }
                } }
                tbody { @for name in &names { tr {
                    th scope="row" { (name) }
                    @for backend in &backends {
                        td.num { (of(name, backend).map_or("-".into(), |p| time(p.median_ns))) }
                    }
                } } }
            } }
        }
    }
}
