//! What the listing commands print.

use engine_api::{Description, Operation, Registration};
use serde::Serialize;
use serde_json::{Value, json};

use crate::case::Case;
use crate::cases::{self, Visitor};
use crate::checks::Check;
use crate::epoch_probe::probe;
use crate::sizes;
use crate::soak::{Broken, Soaked};
use crate::verify;
use crate::world::Tree;

pub(super) fn json(value: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string_pretty(value).map_err(|why| why.to_string())?;
    println!("{text}");
    Ok(())
}

pub(super) fn engines(present: &[Registration], as_json: bool) -> Result<(), String> {
    let all: Vec<_> = present.iter().map(Registration::describe).collect();
    if as_json {
        return json(&all.iter().map(engine).collect::<Vec<_>>());
    }
    for about in &all {
        println!("{}", about.name);
        let packages: Vec<_> = about.packages.iter().map(ToString::to_string).collect();
        let suites: Vec<_> = about.cipher_suites.iter().map(ToString::to_string).collect();
        println!("    packages  {}", packages.join(", "));
        println!("    wire      {}", about.wire_profile.name());
        println!("    suites    {}", suites.join(", "));
        println!("    crypto    {}", about.crypto);
        println!("    layer     {}", about.layer.name());
        println!("    storage   {}", about.storage);
        println!("    threads   {}", about.threads.name());
        for operation in Operation::ALL {
            let extra: Vec<_> = about.spans.of(operation).iter().map(|work| work.name()).collect();
            if !extra.is_empty() {
                println!("    {} includes {}", operation.name(), extra.join(", "));
            }
        }
        for (name, support) in capabilities(about) {
            match support.why_not() {
                None => println!("    can {name}"),
                Some(why) => println!("    can't {name}: {why}"),
            }
        }
        for deviation in about.deviations {
            println!(
                "    deviates in {} ({}): {}",
                deviation.scenario, deviation.check, deviation.why
            );
        }
        for note in about.notes {
            println!("    note: {note}");
        }
    }
    Ok(())
}

fn capabilities(about: &Description) -> [(&'static str, engine_api::Support); 4] {
    let all = &about.capabilities;
    [
        ("fork", all.fork),
        ("snapshot", all.snapshot),
        ("rename", all.rename),
        ("any_member_commits", all.any_member_commits),
    ]
}

fn engine(about: &Description) -> Value {
    let spans: serde_json::Map<_, _> = Operation::ALL
        .iter()
        .map(|operation| {
            let extra: Vec<_> = about.spans.of(*operation).iter().map(|work| work.name()).collect();
            (operation.name().to_owned(), json!(extra))
        })
        .collect();
    let packages: serde_json::Map<_, _> = about
        .packages
        .iter()
        .map(|package| (package.name.to_owned(), json!(package.version)))
        .collect();
    let capabilities: serde_json::Map<_, _> = capabilities(about)
        .into_iter()
        .map(|(name, support)| {
            (name.to_owned(), json!({"has": support.is_yes(), "why_not": support.why_not()}))
        })
        .collect();
    let deviations: Vec<_> = about
        .deviations
        .iter()
        .map(|d| json!({"scenario": d.scenario, "check": d.check, "why": d.why}))
        .collect();
    json!({
        "name": about.name,
        "packages": packages,
        "wire_profile": about.wire_profile.name(),
        "cipher_suites": about.cipher_suites.iter().map(|suite| suite.0).collect::<Vec<_>>(),
        "crypto": about.crypto,
        "layer": about.layer.name(),
        "storage": about.storage,
        "threads": about.threads.name(),
        "includes": spans,
        "capabilities": capabilities,
        "deviations": deviations,
        "notes": about.notes,
    })
}

pub(super) fn list(as_json: bool) -> Result<(), String> {
    #[derive(Default)]
    struct Rows(Vec<(String, &'static str, Vec<usize>, Vec<usize>)>);
    impl Visitor for Rows {
        fn visit<C: Case>(&mut self, case: C) {
            let id = case.id();
            self.0.push((
                id.to_string(),
                id.size_means(),
                case.sizes().to_vec(),
                case.large_sizes().to_vec(),
            ));
        }
    }
    let mut rows = Rows::default();
    cases::visit_all(&mut rows);
    if as_json {
        let rows: Vec<_> = rows
            .0
            .iter()
            .map(|(name, means, sizes, large)| {
                json!({"case": name, "size": means, "sizes": sizes, "large_sizes": large})
            })
            .collect();
        let checks: Vec<_> =
            Check::ALL.iter().map(|c| json!({"check": c.name(), "what": c.what()})).collect();
        let scenarios: Vec<_> = verify::scenarios().map(|(name, _)| name).collect();
        return json(&json!({"cases": rows, "checks": checks, "scenarios": scenarios}));
    }
    println!("cases (sizes; with CGKA_LARGE=1)");
    for (name, means, sizes, large) in rows.0 {
        println!("  {name:28} {sizes:?} {large:?} {means}");
    }
    println!("scenarios of verify");
    for (name, _) in verify::scenarios() {
        println!("  {name}");
    }
    println!("  interop at {:?} members, every ordered pair", verify::interop::SIZES);
    println!("checks");
    for check in Check::ALL {
        println!("  {:16} {}", check.name(), check.what());
    }
    Ok(())
}

pub(super) fn epoch_probe(chosen: &[Registration], as_json: bool) -> Result<(), String> {
    let mut foundings = Vec::new();
    let mut absent = Vec::new();
    for engine in chosen {
        match probe(engine) {
            Ok(founding) => foundings.push(founding),
            Err(why) => absent.push(format!("{}: {why}", engine.name())),
        }
    }
    if as_json {
        return json(&json!({"foundings": foundings, "absent": absent}));
    }
    println!("founding a group with two invitees");
    for founding in foundings {
        println!(
            "  {:20} epoch after create {} (alone {}), {} commits published, {} Welcome(s) of {} \
             bytes together, the invitee lands in epoch {}, {}",
            founding.engine,
            founding.epoch_after_create,
            founding.epoch_alone,
            founding.commits_published,
            founding.welcomes,
            founding.welcome_bytes,
            founding.epoch_of_invitee,
            if founding.agree { "they agree" } else { "they DON'T agree" },
        );
    }
    print_absent(&absent);
    Ok(())
}

pub(super) fn sizes(chosen: &[Registration], as_json: bool) -> Result<(), String> {
    let mut all = Vec::new();
    let mut absent = Vec::new();
    for members in [2, 9, 33] {
        for tree in [Tree::Cold, Tree::Warm] {
            for engine in chosen {
                match sizes::look(engine, members, tree) {
                    Ok(sizes) => all.push(sizes),
                    Err(why) => {
                        let tree = tree.name();
                        absent.push(format!("{} {members} {tree}: {why}", engine.name()));
                    }
                }
            }
        }
    }
    if as_json {
        return json(&json!({"sizes": all, "absent": absent}));
    }
    println!("bytes: message of 100 bytes, commits by the founder, its Welcome of one new member");
    println!(
        "  {:20} {:>3} {:4} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}",
        "engine",
        "n",
        "tree",
        "key pkg",
        "message",
        "add",
        "welcome",
        "remove",
        "update",
        "r. tree",
        "stored"
    );
    let number = |size: Option<usize>| size.map_or("-".into(), |size| size.to_string());
    for s in all {
        println!(
            "  {:20} {:3} {:4} {:7} {:7} {:7} {:7} {:7} {:7} {:>7} {:>7}",
            s.engine,
            s.members,
            s.tree,
            s.key_package,
            s.message,
            s.commit_add,
            s.welcome,
            s.commit_remove,
            s.commit_update,
            number(s.ratchet_tree),
            number(s.stored_state),
        );
    }
    print_absent(&absent);
    Ok(())
}

/// Prints one walk's end; whether it was a good one.
pub(super) fn soaked(result: Result<Soaked, Broken>, as_json: bool) -> Result<bool, String> {
    match result {
        Ok(soaked) if as_json => json(&soaked)?,
        Ok(soaked) => {
            println!(
                "seed {}: {} epochs, {} members at most, {} comparisons, {} messages, {} races, \
                 {} restarts, all agree",
                soaked.seed,
                soaked.epochs,
                soaked.most_members,
                soaked.comparisons,
                soaked.messages,
                soaked.superseded,
                soaked.restarts,
            );
            for refusal in &soaked.refusals {
                println!("    a commit that could not be made: {refusal}");
            }
        }
        Err(broken) => {
            if as_json {
                json(&broken)?;
            } else {
                println!("{broken}");
            }
            return Ok(false);
        }
    }
    Ok(true)
}

fn print_absent(rows: &[String]) {
    for row in rows {
        println!("  absent: {row}");
    }
}
