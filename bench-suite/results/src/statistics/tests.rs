//! Against values computed by hand, and against simulated noise of which the truth is known.

use super::*;
use crate::format::{Intervals, Spans};

fn plan(seed: u64) -> Plan {
    Plan {
        preset: "test".into(),
        processes: 3,
        blocks: 20,
        order: "none".into(),
        seed,
        margin: 0.01,
        confidence: 0.95,
        resamples: 1000,
        warm_up: 0,
        again: None,
        only: Vec::new(),
        sizes: Vec::new(),
        intervals: Intervals::OverBlocksAndProcesses,
    }
}

fn engine(name: &str, again: Option<&str>, crypto: &str, spans: &[&str]) -> Engine {
    let words = spans.iter().map(ToString::to_string).collect();
    Engine {
        name: name.into(),
        again: again.map(String::from),
        packages: Vec::new(),
        features: Vec::new(),
        wire_profile: "mls".into(),
        cipher_suite: "1".into(),
        crypto: crypto.into(),
        storage: "none".into(),
        layer: "core".into(),
        threads: "1".into(),
        spans: Spans { send: words, ..Spans::default() },
        missing: Vec::new(),
        notes: Vec::new(),
        deviations: Vec::new(),
    }
}

fn row(engine: &str, blocks: Vec<Block>) -> Row {
    Row {
        case: "send".into(),
        operation: "send".into(),
        size: 2,
        size_means: "members".into(),
        engine: engine.into(),
        outcome: Outcome::Measured,
        blocks,
        statistics: None,
        allocations: None,
        wire: None,
        storage: None,
        counts: None,
        floor: None,
    }
}

fn block(process: u32, block: u32, operations: u32, wall: &[u64]) -> Block {
    Block {
        process,
        block,
        operations,
        wall_ns: wall.to_vec(),
        cpu_ns: wall.iter().map(|ns| ns / 2).collect(),
        switches: wall.iter().map(|ns| u32::from(*ns > 900)).collect(),
    }
}

#[test]
fn medians_and_percentiles_by_hand() {
    assert!((median(&[1.0, 2.0, 10.0]) - 2.0).abs() < 1e-12);
    assert!((median(&[1.0, 2.0, 4.0, 10.0]) - 3.0).abs() < 1e-12);
    assert!((mad(&[1.0, 2.0, 4.0, 10.0]) - 1.5).abs() < 1e-12);
    let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
    assert!((percentile(&hundred, 90) - 90.0).abs() < 1e-12);
    assert!((percentile(&hundred[..10], 99) - 10.0).abs() < 1e-12);
}

#[test]
fn a_rows_numbers_are_per_operation() {
    let blocks = vec![block(0, 0, 10, &[100, 300]), block(1, 0, 10, &[1000, 200])];
    let engines = [engine("a", None, "x", &[])];
    let derived = of(&plan(1), &engines, &[row("a", blocks)]);
    let Some(statistics) = &derived.statistics[0] else { panic!("no statistics") };
    assert_eq!((statistics.samples, statistics.blocks, statistics.processes), (4, 2, 2));
    assert_eq!(statistics.preempted, 1);
    assert!((statistics.median_ns - 25.0).abs() < 1e-9);
    assert!((statistics.mad_ns - 10.0).abs() < 1e-9);
    assert!((statistics.cpu_median_ns - 12.5).abs() < 1e-9);
    assert!((statistics.min_ns - 10.0).abs() < 1e-9);
    assert_eq!((statistics.p90_ns, statistics.p99_ns), (None, None));
    // Too few blocks for an interval: all that was seen.
    assert!((statistics.low_ns - 10.0).abs() < 1e-9 && (statistics.high_ns - 100.0).abs() < 1e-9);
}

#[test]
fn verdicts_are_about_the_whole_interval() {
    assert_eq!(verdict(0.90, 0.98, 0.01), Verdict::Faster);
    assert_eq!(verdict(0.90, 0.995, 0.01), Verdict::Inconclusive);
    assert_eq!(verdict(0.995, 1.005, 0.01), Verdict::Equivalent);
    assert_eq!(verdict(0.98, 1.02, 0.01), Verdict::Inconclusive);
    assert_eq!(verdict(1.011, 1.02, 0.01), Verdict::Slower);
}

/// Two arms over shared drift: autocorrelated noise that both see, own noise, and preemptions.
struct Noise {
    random: Random,
    drift: f64,
}

impl Noise {
    fn unit(&mut self) -> f64 {
        let bits = u32::try_from(self.random.bits() >> 32).unwrap_or_default();
        (f64::from(bits) + 0.5) / 4_294_967_296.0
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (2.0 * std::f64::consts::PI * self.unit()).cos()
    }

    fn sample(&mut self, base: f64) -> u64 {
        self.drift = 0.98 * self.drift + 0.01 * self.normal();
        let preempted = if self.unit() < 0.05 { 4.0 } else { 0.0 };
        let time = base * (1.0 + self.drift + 0.03 * self.normal().abs() + preempted);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        let ns = time.max(1.0) as u64;
        ns
    }

    fn arms(&mut self, ratio: f64) -> (Vec<Block>, Vec<Block>) {
        self.arms_in(3, 20, 0.0, ratio)
    }

    /// `between`: by how much, of its time, the first arm is another in each process.
    fn arms_in(
        &mut self,
        processes: u32,
        blocks: u32,
        between: f64,
        ratio: f64,
    ) -> (Vec<Block>, Vec<Block>) {
        let mut arms = (Vec::new(), Vec::new());
        for process in 0..processes {
            let ratio = ratio * (between * self.normal()).exp();
            for number in 0..blocks {
                let (mut first, mut second) = (Vec::new(), Vec::new());
                for _ in 0..4 {
                    if number % 2 == 0 {
                        first.push(self.sample(1e5 * ratio));
                        second.push(self.sample(1e5));
                    } else {
                        second.push(self.sample(1e5));
                        first.push(self.sample(1e5 * ratio));
                    }
                }
                arms.0.push(block(process, number, 1, &first));
                arms.1.push(block(process, number, 1, &second));
            }
        }
        arms
    }
}

/// A 95 % interval should miss the truth 5 times in 100 at most. With 300 runs the count of misses has
/// a standard deviation of 4. With three processes that don't differ it misses less often: that they
/// don't is hard to know from three.
#[test]
fn the_interval_of_a_ratio_covers_the_truth_as_often_as_it_says() {
    let mut noise = Noise { random: Random::new(7, "coverage"), drift: 0.0 };
    let engines = [engine("a", None, "x", &[]), engine("b", None, "x", &[])];
    let mut missed = 0;
    let mut wide = 0.0;
    for seed in 0..300 {
        let (first, second) = noise.arms(1.05);
        let derived = of(&plan(seed), &engines, &[row("a", first), row("b", second)]);
        let found = &derived.comparisons[0];
        missed += u32::from(found.low > 1.05 || found.high < 1.05);
        wide += (found.high - found.low) / 300.0;
    }
    assert!(missed <= 26, "{missed} of 300 intervals miss");
    assert!(wide < 0.03, "{wide}");
}

/// The layout of memory, say, that a process keeps for its life: as much as blocks differ by, and ten
/// times that. Nominal are 15 of 300; a median of medians with few processes does a little worse.
#[test]
fn the_interval_covers_the_truth_when_processes_differ() {
    let mut noise = Noise { random: Random::new(11, "processes"), drift: 0.0 };
    let engines = [engine("a", None, "x", &[]), engine("b", None, "x", &[])];
    for processes in [2, 3, 5, 8] {
        for between in [0.003, 0.03] {
            let mut missed = 0;
            for seed in 0..300 {
                let (first, second) = noise.arms_in(processes, 8, between, 1.05);
                let derived = of(&plan(seed), &engines, &[row("a", first), row("b", second)]);
                let found = &derived.comparisons[0];
                missed += u32::from(found.low > 1.05 || found.high < 1.05);
            }
            assert!(missed <= 26, "{processes} processes, {between}: {missed} of 300 miss");
        }
    }
}

#[test]
fn the_same_plan_gives_the_same_numbers_and_another_seed_others() {
    let mut noise = Noise { random: Random::new(3, "again"), drift: 0.0 };
    let (first, second) = noise.arms(1.0);
    let engines = [engine("a", None, "x", &[]), engine("a again", Some("a"), "x", &[])];
    let rows = [row("a", first), row("a again", second)];
    assert_eq!(of(&plan(1), &engines, &rows), of(&plan(1), &engines, &rows));
    assert_ne!(of(&plan(1), &engines, &rows), of(&plan(2), &engines, &rows));
}

/// What is written is what is read: the decimals are few enough for every parser.
#[test]
fn numbers_survive_json() -> Result<(), serde_json::Error> {
    let mut noise = Noise { random: Random::new(5, "json"), drift: 0.0 };
    for seed in 0..20 {
        let (first, second) = noise.arms(1.3);
        let engines = [engine("a", None, "x", &[]), engine("b", None, "x", &[])];
        let derived = of(&plan(seed), &engines, &[row("a", first), row("b", second)]);
        let text = serde_json::to_string(&derived.comparisons)?;
        assert_eq!(serde_json::from_str::<Vec<Comparison>>(&text)?, derived.comparisons);
        let text = serde_json::to_string(&derived.statistics)?;
        assert_eq!(serde_json::from_str::<Vec<Option<Statistics>>>(&text)?, derived.statistics);
    }
    Ok(())
}

#[test]
fn a_second_entry_is_a_control_and_in_no_comparison() {
    let mut noise = Noise { random: Random::new(11, "control"), drift: 0.0 };
    let (first, second) = noise.arms(1.0);
    let (third, rigged) = noise.arms(0.8);
    let engines = [
        engine("a", None, "x", &["storage write"]),
        engine("b", None, "x", &[]),
        engine("a again", Some("a"), "x", &["storage write"]),
    ];
    let rows = [row("a", first), row("b", third.clone()), row("a again", second)];
    let derived = of(&plan(1), &engines, &rows);
    assert_eq!(derived.comparisons.len(), 1);
    let found = &derived.comparisons[0];
    assert_eq!((found.engine.as_str(), found.against.as_str()), ("a", "b"));
    assert!(found.same_crypto);
    assert_eq!((found.only_engine.len(), found.only_against.len()), (1, 0));
    let [control] = &derived.controls[..] else { panic!("{:?}", derived.controls) };
    assert!(!control.differs, "{control:?}");
    assert!(control.family_low <= control.low && control.family_high >= control.high);

    let rows = [row("a", third), row("a again", rigged)];
    let derived = of(&plan(1), &engines, &rows);
    let [rigged] = &derived.controls[..] else { panic!("{:?}", derived.controls) };
    assert!(rigged.differs && rigged.verdict == Verdict::Slower, "{rigged:?}");

    // A wide margin of the user's doesn't hide it.
    let derived = of(&Plan { margin: 0.5, ..plan(1) }, &engines, &rows);
    let [rigged] = &derived.controls[..] else { panic!("{:?}", derived.controls) };
    assert!(rigged.differs && rigged.verdict != Verdict::Slower, "{rigged:?}");
}

#[test]
fn a_row_without_numbers_has_no_statistics() {
    let mut absent = row("a", Vec::new());
    absent.outcome = Outcome::Absent { reason: "so".into() };
    let derived = of(&plan(1), &[engine("a", None, "x", &[])], &[absent]);
    assert_eq!(derived.statistics, [None]);
    assert_eq!((derived.comparisons.len(), derived.controls.len()), (0, 0));
}

#[test]
fn ratios_keep_their_digits_and_come_back_as_they_were_written() {
    for (ratio, rounded) in [
        (1.234_567_89, 1.234_568),
        (123.456_789_1, 123.456_8),
        (0.000_123_456_789, 0.000_123_456_8),
        (9.999_999_96, 10.0),
        (2e9 / 3.0, 666_666_700.0),
        (1.0, 1.0),
        (0.0, 0.0),
    ] {
        assert_eq!(rounded_ratio(ratio), rounded, "{ratio}");
        assert_eq!(rounded_ratio(rounded), rounded, "rounded twice");
        let written = serde_json::to_string(&rounded).unwrap();
        assert_eq!(serde_json::from_str::<f64>(&written).unwrap(), rounded, "{written}");
    }
}
