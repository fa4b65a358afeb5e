//! The README's table, and a row in the terminal.

mod synthetic;

use bench_results::format::ResultFile;
use bench_results::markdown::{BEGIN, END, NoPlace, Options, place, table};
use bench_results::show;
use bench_results::units::time;

use synthetic::{Recipe, run};

fn options() -> Options {
    Options { subject: "burrow".into(), largest: 33 }
}

#[test]
fn the_table_holds_medians_ratios_and_what_to_know() {
    let run = run(&Recipe::default());
    let table = table(&run, &options());
    let line =
        |start: &str| table.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>();
    // The largest size up to 33, in both tables.
    for name in ["create_group/32", "join_welcome/33", "send/33", "commit/add/cold/33"] {
        assert_eq!(line(&format!("| `{name}` |")).len(), 2, "{name}\n{table}");
    }
    assert!(!table.contains("send/1000") && !table.contains("create_group/8"));
    let median = |engine: &str| {
        let row = run.rows.iter().find(|r| r.case == "send" && r.size == 33 && r.engine == engine);
        time(row.unwrap().statistics.as_ref().unwrap().median_ns)
    };
    let engines: Vec<&str> = ["mdk", "openmls/libcrux", "openmls/rustcrypto", "mls-rs/rustcrypto"]
        .into_iter()
        .chain(["mls-rs/aws-lc", "burrow/rustcrypto", "burrow/aws-lc"])
        .collect();
    let medians: Vec<_> = engines.iter().map(|engine| median(engine)).collect();
    assert_eq!(line("| `send/33` |")[0], format!("| `send/33` | {} |", medians.join(" | ")));
    assert!(table.contains("| median, core | `mdk` |"));
    // Same crypto only, with the interval and the verdict.
    let heads = line("| ratio |")[0];
    assert_eq!(heads.matches("` / `").count(), 3, "{heads}");
    assert!(!heads.contains("mdk"));
    let found = run.comparisons.iter().find(|c| {
        (c.case.as_str(), c.size) == ("send", 33)
            && (c.engine.as_str(), c.against.as_str()) == ("mls-rs/aws-lc", "burrow/aws-lc")
    });
    let found = found.unwrap();
    let ratio = bench_results::units::ratio(1.0 / found.ratio);
    assert!(line("| `send/33` |")[1].contains(&format!("| {ratio} [")), "{table}");
    for part in [
        "cgka-bench record --quick -o results.json",
        "2026-11-30",
        "**Grade: demoted** (hypervisor: KVM; load:",
        "- A/A: `mls-rs/aws-lc`, entered twice,",
        "- `openmls/rustcrypto` does more in some rows: storage write; its ratios are of the sum.",
        "- `mdk` does more in some rows: storage write, transport envelope.",
    ] {
        assert!(table.contains(part), "{part}\n{table}");
    }
}

#[test]
fn the_table_goes_between_its_markers() {
    let document = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
    let placed = place(&document, "new\n").unwrap();
    assert_eq!(placed, format!("before\n{BEGIN}\nnew\n{END}\nafter\n"));
    assert_eq!(place(&placed, "new\n").unwrap(), placed);
    for without in ["nothing", BEGIN, END, &format!("{END}\n{BEGIN}"), &document.repeat(2)] {
        let Err(NoPlace { .. }) = place(without, "new\n") else { panic!("{without}") };
    }
}

#[test]
fn a_row_is_shown_in_full() {
    let run = run(&Recipe::default());
    let shown = show::row(&run, "commit/update/warm/33").unwrap();
    for engine in &run.engines {
        assert!(shown.lines().any(|line| line == engine.name), "{}\n{shown}", engine.name);
    }
    for part in [
        "the size counts members before the commit",
        "beyond the baseline: storage write, transport envelope",
        "of 105 samples in 15 blocks of 3 processes",
        "measured / floor ",
        "5 x kem_encap at 38.3 µs (aws-lc)",
        "not priced: hashing of the tree",
        "calls: kdf_expand 47, kem_encap 5, sign 3",
        "bytes sent: commit 2,084; received: none",
        "p99 too few samples",
        "same crypto",
        "only openmls/rustcrypto: storage write",
        "mls-rs/aws-lc again / itself: ",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    // All samples are in the histogram.
    let bars = shown.lines().filter(|line| line.contains('#'));
    let number = |line: &str| line.split_whitespace().last().unwrap().parse::<usize>().unwrap();
    assert_eq!(bars.map(number).sum::<usize>(), 105 * run.engines.len());
    let wrong = show::row(&run, "join_welcome/8").unwrap();
    assert!(wrong.contains("wrong: epoch: Epoch(2)"));
    let refused = show::row(&run, "commit").unwrap_err();
    assert!(refused.starts_with("there is no row commit; there are create_group/0, "));
}

/// Rows of different layers are neither in one table nor in a ratio.
#[test]
fn layers_are_kept_apart() {
    let mut run = run(&Recipe::default());
    run.engines.iter_mut().find(|e| e.name == "openmls/rustcrypto").unwrap().layer =
        "sqlite".into();
    let table = table(&run, &options());
    assert!(table.contains("| median, sqlite | `openmls/rustcrypto` |\n"), "{table}");
    let heads = table.lines().find(|line| line.starts_with("| ratio |")).unwrap();
    assert!(!heads.contains("openmls") && heads.contains("mls-rs/rustcrypto"), "{heads}");
    let html = bench_results::report::page(&ResultFile { schema: 2, runs: vec![run] }, None);
    assert!(html.contains("only openmls/rustcrypto: storage write; layers sqlite and core"));
}
