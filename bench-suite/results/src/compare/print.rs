//! The changes as text.

use std::fmt;

use super::{By, Change, Changes, Said};
use crate::units::{change, count, time};

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.conditions.is_empty() {
            writeln!(f, "conditions that are not the same")?;
            self.conditions.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        if !self.outcomes.is_empty() {
            writeln!(f, "rows with another outcome")?;
            for row in &self.outcomes {
                writeln!(f, "  {}: {} -> {}", row.row, row.old, row.new)?;
            }
        }
        if !self.exact.is_empty() {
            writeln!(f, "what was counted and changed (allocations and storage by more than 5 %)")?;
            let number = |number: Option<u64>| number.map_or("none".into(), count);
            for row in &self.exact {
                writeln!(
                    f,
                    "  {}: {} {} -> {}",
                    row.row,
                    row.what,
                    number(row.old),
                    number(row.new)
                )?;
            }
        }
        self.times(f)
    }
}

impl Changes {
    fn times(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown: Vec<&Change> = self
            .times
            .iter()
            .filter(|c| !matches!(c.said, Said::Noise | Said::TooFewBlocks))
            .collect();
        // The worst first.
        shown.sort_by(|one, other| other.counted()[0].total_cmp(&one.counted()[0]));
        if !shown.is_empty() {
            writeln!(
                f,
                "times, new over old: by which it is judged with its interval, medians, raw change"
            )?;
        }
        for c in shown {
            let [ratio, low, high] = c.counted();
            writeln!(
                f,
                "  {:9} {:40} {:20} {:>8} [{}, {}] {}; {} -> {}, raw {} [{}, {}]",
                word(c),
                format!("{}/{}", c.case, c.size),
                c.engine,
                change(ratio),
                change(low),
                change(high),
                match c.by {
                    By::Peers(peers) => format!("against {peers} families"),
                    By::Raw => "raw, for want of peers: may be drift between the runs".into(),
                },
                time(c.old_ns),
                time(c.new_ns),
                change(c.raw[0]),
                change(c.raw[1]),
                change(c.raw[2]),
            )?;
        }
        let number = |said: Said| self.times.iter().filter(|c| c.said == said).count();
        writeln!(
            f,
            "{} rows in both: {} regressed and {} improved by more than {}, {} moved by less, {} \
             within noise, {} with too few blocks",
            self.times.len(),
            number(Said::Regressed),
            number(Said::Improved),
            crate::units::percent(self.threshold),
            number(Said::Moved),
            number(Said::Noise),
            number(Said::TooFewBlocks),
        )?;
        if self.is_raw_regression() {
            writeln!(
                f,
                "{} of the regressed by raw ratios only: that may be drift between the runs, and \
                 counts as a regression with --raw only",
                self.regressed().filter(|change| change.by == By::Raw).count(),
            )?;
        }
        Ok(())
    }
}

impl Change {
    /// The ratio by which it is judged.
    #[must_use]
    pub fn counted(&self) -> [f64; 3] {
        self.relative.unwrap_or(self.raw)
    }
}

fn word(c: &Change) -> &'static str {
    match c.said {
        Said::Regressed if c.by == By::Raw => "slower",
        Said::Regressed => "REGRESSED",
        Said::Improved => "improved",
        Said::Moved => "moved",
        Said::Noise => "noise",
        Said::TooFewBlocks => "unclear",
    }
}
