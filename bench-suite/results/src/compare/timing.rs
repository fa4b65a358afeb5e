//! The ratio of a row's medians in two runs, and what may be said of it.

use std::collections::BTreeMap;

use super::is_compared;
use crate::format::{Block, Engine, Plan};
use crate::index::{Cell, Index};
use crate::statistics::bootstrap::{Drawn, reach_between};
use crate::statistics::{median, rounded_ratio};

/// Families of peers that a relative ratio needs: of three the median is not moved by one.
pub const FEWEST_PEERS: usize = 3;

/// How often the blocks of each run are drawn.
const DRAWS: u32 = 2000;

/// A row that was measured in both runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The case.
    pub case: String,
    /// The size.
    pub size: usize,
    /// The engine.
    pub engine: String,
    /// The old median.
    pub old_ns: f64,
    /// The new median.
    pub new_ns: f64,
    /// New over old: the ratio, and its interval's ends.
    pub raw: [f64; 3],
    /// The same relative to the peers, if there are enough.
    pub relative: Option<[f64; 3]>,
    /// Which of the two counts.
    pub by: By,
    /// What may be said.
    pub said: Said,
}

/// Which ratio counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The one relative to so many families of peers.
    Peers(usize),
    /// The raw one, for want of peers.
    Raw,
}

/// What may be said of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// The whole interval is slower than the threshold.
    Regressed,
    /// The whole interval is faster than the threshold.
    Improved,
    /// The whole interval is on one side of 1, but not beyond the threshold.
    Moved,
    /// The interval holds 1.
    Noise,
    /// There are too few blocks for an interval.
    TooFewBlocks,
}

/// An engine that was measured in both runs, with its draws.
struct Arm<'a> {
    engine: &'a Engine,
    old_ns: f64,
    new_ns: f64,
    /// Whether it is a yardstick for engines of other families.
    steady: bool,
    estimate: f64,
    drawn: Vec<f64>,
    /// Its median in each process of the old run, and of the new one.
    by_process: [Vec<Option<f64>>; 2],
}

pub(super) fn changes(
    old: &Index<'_>,
    new: &Index<'_>,
    cell: Cell<'_>,
    threshold: f64,
) -> Vec<Change> {
    let both: Vec<&str> = old
        .run
        .engines
        .iter()
        .map(|engine| engine.name.as_str())
        .filter(|name| [old, new].iter().all(|run| run.statistics(cell, name).is_some()))
        .filter(|name| [old, new].iter().all(|run| run.engine(name).is_some_and(is_compared)))
        .collect();
    if both.is_empty() {
        return Vec::new();
    }
    let draws = Draws {
        old: draw(old, cell, &both, "old", old.run.plan.confidence),
        new: draw(new, cell, &both, "new", old.run.plan.confidence),
        confidence: old.run.plan.confidence,
    };
    let arms: Vec<Arm<'_>> = both
        .iter()
        .enumerate()
        .filter_map(|(at, name)| arm(old, new, cell, name, (&draws, at)))
        .collect();
    arms.iter().map(|arm| change(cell, arm, &arms, &draws, threshold)).collect()
}

struct Draws {
    old: Drawn,
    new: Drawn,
    confidence: f64,
}

impl Draws {
    /// New over old: of the medians, and in each draw.
    fn ratio(&self, arm: usize) -> (f64, Vec<f64>) {
        let (old, old_drawn) = self.old.medians(arm);
        let (new, new_drawn) = self.new.medians(arm);
        (new / old, new_drawn.iter().zip(old_drawn).map(|(new, old)| new / old).collect())
    }

    /// The interval as wide as the run with less to say makes it, and no narrower than what the
    /// processes of each run differ by.
    fn interval(&self, estimate: f64, mut drawn: Vec<f64>, by_process: &[Vec<f64>; 2]) -> [f64; 3] {
        drawn.sort_unstable_by(f64::total_cmp);
        let weaker = if self.old.freedom() <= self.new.freedom() { &self.old } else { &self.new };
        let interval = weaker.percentiles(drawn, estimate);
        let [old, new] = by_process;
        let reach = reach_between(old, new, self.confidence).exp();
        let (low, high) = (interval.low.min(estimate / reach), interval.high.max(estimate * reach));
        [estimate, low, high].map(rounded_ratio)
    }

    fn enough(&self) -> bool {
        self.old.enough() && self.new.enough()
    }
}

/// Draws of their own for each run, even if both were planned with one seed.
fn draw(run: &Index<'_>, cell: Cell<'_>, engines: &[&str], which: &str, confidence: f64) -> Drawn {
    let blocks = |name: &&str| run.row(cell, name).map_or(&[] as &[Block], |row| &row.blocks);
    let arms: Vec<&[Block]> = engines.iter().map(blocks).collect();
    let plan = Plan { resamples: DRAWS, confidence, ..run.run.plan.clone() };
    Drawn::new(&plan, &format!("{which} {}/{}", cell.case, cell.size), &arms)
}

fn arm<'a>(
    old: &Index<'a>,
    new: &Index<'_>,
    cell: Cell<'_>,
    name: &str,
    (draws, at): (&Draws, usize),
) -> Option<Arm<'a>> {
    let (estimate, drawn) = draws.ratio(at);
    let (engine, now) = (old.engine(name)?, new.engine(name)?);
    let row = old.row(cell, name)?;
    let cryptography = !engine.spans.of(&row.operation).iter().any(|work| work == NO_CRYPTOGRAPHY);
    Some(Arm {
        engine,
        old_ns: old.statistics(cell, name)?.median_ns,
        new_ns: new.statistics(cell, name)?.median_ns,
        steady: cryptography && engine.packages == now.packages && engine.features == now.features,
        estimate,
        drawn,
        by_process: [draws.old.by_process(at).to_vec(), draws.new.by_process(at).to_vec()],
    })
}

/// The work by which the engine that measures the harness declares itself.
const NO_CRYPTOGRAPHY: &str = "no cryptography";

fn change(
    cell: Cell<'_>,
    arm: &Arm<'_>,
    arms: &[Arm<'_>],
    draws: &Draws,
    threshold: f64,
) -> Change {
    let mut peers: BTreeMap<&str, Vec<&Arm<'_>>> = BTreeMap::new();
    for peer in arms.iter().filter(|peer| peer.steady) {
        if family(peer.engine) != family(arm.engine) {
            peers.entry(family(peer.engine)).or_default().push(peer);
        }
    }
    let present = |which: usize| arm.by_process[which].iter().copied().flatten().collect();
    let raw = draws.interval(arm.estimate, arm.drawn.clone(), &[present(0), present(1)]);
    let relative = (peers.len() >= FEWEST_PEERS).then(|| {
        // One voice for each family: the most numerous one changes as one.
        let drift = |of: &dyn Fn(&Arm<'_>) -> Option<f64>| {
            middle(peers.values().map(|all| middle(all.iter().filter_map(|peer| of(peer)))))
        };
        let each = arm.drawn.iter().enumerate();
        let each = each.map(|(at, ratio)| ratio / drift(&|peer| peer.drawn.get(at).copied()));
        let relative_in = |which: usize| -> Vec<f64> {
            let processes = arm.by_process[which].iter().enumerate();
            let relative = processes.filter_map(|(process, own)| {
                let yardstick = drift(&|peer| *peer.by_process[which].get(process)?);
                Some((*own)? / yardstick).filter(|ratio| ratio.is_finite())
            });
            relative.collect()
        };
        let by_process = [relative_in(0), relative_in(1)];
        let estimate = arm.estimate / drift(&|peer| Some(peer.estimate));
        draws.interval(estimate, each.collect(), &by_process)
    });
    let counts = relative.unwrap_or(raw);
    Change {
        case: cell.case.into(),
        size: cell.size,
        engine: arm.engine.name.clone(),
        old_ns: arm.old_ns,
        new_ns: arm.new_ns,
        raw,
        relative,
        by: if relative.is_some() { By::Peers(peers.len()) } else { By::Raw },
        said: if draws.enough() { said(counts, threshold) } else { Said::TooFewBlocks },
    }
}

fn family(engine: &Engine) -> &str {
    engine.name.split('/').next().unwrap_or(&engine.name)
}

fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    median(&values)
}

fn said([_, low, high]: [f64; 3], threshold: f64) -> Said {
    if low > 1.0 + threshold {
        Said::Regressed
    } else if high < 1.0 / (1.0 + threshold) {
        Said::Improved
    } else if low > 1.0 || high < 1.0 {
        Said::Moved
    } else {
        Said::Noise
    }
}
