//! The primitives of a row alone, beside those of its baseline.

use super::Price;
use crate::format::{Engine, Row, Run};
use crate::price::own_floor;
use crate::statistics::{rounded_ns, rounded_ratio};

pub(super) fn of(run: &Run, here: (&Row, &Engine), baseline: (&Row, &Engine)) -> Price {
    match (own_floor(run, here.0, here.1), own_floor(run, baseline.0, baseline.1)) {
        (Ok(alone_ns), Ok(baseline_ns)) if baseline_ns > 0.0 => Price::Known {
            alone_ns: rounded_ns(alone_ns),
            baseline_ns: rounded_ns(baseline_ns),
            factor: rounded_ratio(alone_ns / baseline_ns),
        },
        (Ok(_), Ok(_)) => Price::Unknown { why: "the baseline needs no primitive".into() },
        (Err(why), _) | (_, Err(why)) => Price::Unknown { why },
    }
}
