//! The HTML page: what is in it, and that a browser shows it without a complaint.

#![expect(clippy::unwrap_used, reason = "helper functions of tests")]

mod synthetic;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bench_results::format::{ResultFile, Run};
use bench_results::report::page;
use bench_results::units::time;

use synthetic::{Recipe, file};

fn one() -> ResultFile {
    file(&[Recipe::default()])
}

fn three() -> ResultFile {
    file(&[
        Recipe::default(),
        Recipe { seed: 2, kind: "linux-aarch64-4", quiet: true, machine: 1.7, ..Recipe::default() },
        Recipe { seed: 3, again: 1.2, interrupted: true, ..Recipe::default() },
    ])
}

/// A browser, or the reason why there is none; where tests must not be left out, it is an error.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    if found.is_none() {
        let why = "no Chromium here (on Debian: apt-get install chromium)";
        assert!(std::env::var_os("CI").is_none(), "{why}");
        eprintln!("not tested in a browser: {why}");
    }
    found
}

/// Runs the browser on a page, in a profile of its own.
fn browse(browser: &str, path: &Path, more: &[&str]) -> Output {
    let profile = tempfile::tempdir().unwrap();
    Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--enable-logging=stderr", "--v=0"])
        .args(more)
        .arg(format!("file://{}", path.display()))
        .output()
        .unwrap()
}

/// Puts a page where people can look at it after the test.
fn written(name: &str, html: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, html).unwrap();
    path
}

/// The page as the browser has it after running its script, and what its console said.
fn shown(browser: &str, name: &str, html: &str) -> (String, String) {
    let output = browse(browser, &written(name, html), &["--dump-dom"]);
    let dom = String::from_utf8(output.stdout).unwrap();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && dom.contains("<html"), "{log}");
    let console: Vec<_> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    (dom, console.join("\n"))
}

/// An attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

/// A cell of a table: its tag and its text.
fn cells(html: &str) -> impl Iterator<Item = (&str, String)> {
    html.split("<td").skip(1).map(|rest| {
        let (tag, inner) = rest.split_once('>').unwrap();
        let inner = inner.split("</td>").next().unwrap();
        (tag, text(inner))
    })
}

/// Without tags.
fn text(html: &str) -> String {
    html.split('<').map(|part| part.split_once('>').map_or(part, |parts| parts.1)).collect()
}

/// Each run's part of a page.
fn parts(html: &str) -> Vec<(&str, &str)> {
    html.split("<section class=\"run\"")
        .skip(1)
        .map(|part| (attribute(part, "data-run").unwrap(), part))
        .collect()
}

/// Every number of every run stands in the page twice, as the file has it and as people read it.
fn check_numbers(run: &Run, html: &str) {
    let mut seen = 0;
    for (tag, text) in cells(html) {
        let Some(ns) = attribute(tag, "data-median-ns") else { continue };
        let (case, engine) = (attribute(tag, "data-case").unwrap(), attribute(tag, "data-engine"));
        let size: usize = attribute(tag, "data-size").unwrap().parse().unwrap();
        let row = run
            .rows
            .iter()
            .find(|row| row.case == case && row.size == size && Some(&*row.engine) == engine)
            .unwrap();
        let median = row.statistics.as_ref().unwrap().median_ns;
        assert_eq!(ns.parse::<f64>().unwrap().to_bits(), median.to_bits(), "{tag}");
        assert!(text.starts_with(&time(median)), "{tag}: {text}");
        seen += 1;
    }
    let measured = run.rows.iter().filter(|row| row.statistics.is_some()).count();
    assert_eq!(seen, 2 * measured);
}

fn check_presence(run: &Run, html: &str) {
    let named = |attribute_name: &str| -> BTreeSet<&str> {
        let tags = html.split('<').map(|rest| rest.split('>').next().unwrap());
        tags.filter_map(|tag| attribute(tag, attribute_name)).collect()
    };
    let engines: BTreeSet<&str> = run.engines.iter().map(|engine| engine.name.as_str()).collect();
    let cases: BTreeSet<&str> = run.rows.iter().map(|row| row.case.as_str()).collect();
    assert_eq!(named("data-engine"), engines);
    assert_eq!(named("data-about"), engines);
    assert_eq!(named("data-case"), cases);
}

/// What the source says must hold in the browser, too.
fn check(file: &ResultFile, html: &str) {
    let parts = parts(html);
    assert_eq!(parts.len(), file.runs.len());
    for (run, (id, part)) in file.runs.iter().zip(parts) {
        assert_eq!(id, run.id);
        check_numbers(run, part);
        check_presence(run, part);
        for demerit in &run.grade.demerits {
            assert!(part.contains(&demerit.seen));
        }
        assert_eq!(part.contains("It was stopped before its plan was done"), run.interrupted);
        assert!(part.contains(&run.command.join(" ")));
    }
}

#[test]
fn the_page_holds_every_engine_case_and_number() {
    check(&one(), &page(&one(), None));
    check(&three(), &page(&three(), Some("burrow/aws-lc")));
}

#[test]
fn the_page_needs_nothing_else_and_takes_texts_for_texts() {
    let html = page(&three(), None);
    for outside in ["http:", "https:", "url(", "@import", "<link", "src="] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(!html.contains("<script>alert"));
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt; is text."));
    assert!(html.contains("&lt;b&gt;&amp; "));
}

#[test]
fn ratios_of_different_spans_carry_the_difference_and_are_not_summed_up() {
    let file = one();
    let html = page(&file, Some("burrow/rustcrypto"));
    let summary = html.split("-pairs\"><h2>").nth(1).unwrap().split("</section>").next().unwrap();
    let lines: Vec<String> = summary.split("</tr>").map(text).collect();
    let line = |pair: &str| lines.iter().find(|line| line.starts_with(pair));
    // Same crypto and same span.
    for pair in ["burrow/rustcrypto / mls-rs/rustcrypto", "burrow/aws-lc / mls-rs/aws-lc"] {
        let line = line(pair).unwrap();
        assert!(line.contains('×') && line.contains("faster 21"), "{line}");
    }
    // Same crypto, another span: named, without a mean.
    let other = line("burrow/rustcrypto / openmls/rustcrypto").unwrap();
    assert!(other.contains("not summed up") && other.contains("only openmls/rustcrypto: storage"));
    assert!(!other.contains('×'), "{other}");
    // Another crypto: not there at all.
    assert!(!summary.contains("mdk"), "{summary}");
    // Every ratio of a row of another span has the difference beside it.
    let mdk = "only mdk: storage write, transport envelope";
    let compared = file.runs[0]
        .comparisons
        .iter()
        .filter(|c| [&c.engine, &c.against].map(String::as_str).contains(&"mdk"))
        .filter(|c| [&c.engine, &c.against].map(String::as_str).contains(&"burrow/rustcrypto"))
        .count();
    assert!(compared > 10);
    assert_eq!(html.matches(mdk).count(), compared);
}

#[test]
fn a_fit_over_few_sizes_is_no_claim() {
    let html = page(&one(), None);
    let scaling = html.split("-scaling\"><h2>").nth(1).unwrap();
    let chart = |case: &str| {
        let of = format!("<section class=\"scaling\" data-row-case=\"{case}\">");
        scaling.split(&of).nth(1).unwrap().split("</section>").next().unwrap()
    };
    assert!(chart("join_welcome").contains("3 sizes are too few for a claim"));
    assert!(!chart("send").contains("too few"));
    // Of two sizes there is no curve: one of the three is absent.
    assert!(!scaling.contains("data-row-case=\"ingest_commit/remove/warm\"><h3>ingest"));
}

/// A page whose script fails is noticed: else the next test would say nothing.
#[test]
fn the_console_is_heard() {
    let Some(browser) = browser() else { return };
    let html = "<!DOCTYPE html><html><script>throw new Error('seen')</script></html>";
    let (_, console) = shown(browser, "failing.html", html);
    assert!(console.contains("Uncaught Error: seen"), "{console}");
}

#[test]
fn a_browser_shows_it_without_an_error() {
    let Some(browser) = browser() else { return };
    for (name, file) in [("one.html", one()), ("three.html", three())] {
        let (dom, console) = shown(browser, name, &page(&file, Some("burrow/aws-lc")));
        assert_eq!(console, "", "{name}");
        check(&file, &dom);
        // The script has run.
        assert!(dom.contains("only rows with…"), "{name}");
    }
}

/// How wide a page's content is in a frame of 360 pixels: the browser's own window can't be as narrow.
fn width_on_a_phone(browser: &str, html: &str) -> String {
    let inner = html.replace('&', "&amp;").replace('"', "&quot;");
    let outer = format!(
        "<!DOCTYPE html><html><body><iframe style='width:360px;height:800px;border:0' \
         srcdoc=\"{inner}\"></iframe><script>window.addEventListener('load', function () {{
         var page = document.querySelector('iframe').contentWindow;
         document.documentElement.dataset.widths =
         page.document.documentElement.scrollWidth + ' of ' + page.innerWidth; }});</script></body>"
    );
    let (dom, console) = shown(browser, "phone.html", &outer);
    assert_eq!(console, "");
    attribute(&dom, "data-widths").unwrap().to_owned()
}

/// On a narrow screen wide tables scroll in their boxes; the page itself doesn't.
#[test]
fn nothing_sticks_out_of_a_phone() {
    let Some(browser) = browser() else { return };
    for file in [one(), three()] {
        let width = width_on_a_phone(browser, &page(&file, None));
        assert!(["360 of 360", "345 of 360"].contains(&width.as_str()), "{width}");
    }
    // And if something did, it would be seen.
    let wide = "<!DOCTYPE html><html><body><p style='width:900px'>wide</p></body></html>";
    assert_eq!(width_on_a_phone(browser, wide), "908 of 360");
}
