//! Pictures.

use maud::{Markup, html};

use super::colour::Style;
use crate::format::Statistics;
use crate::units::time;

/// A bar from 0 to the median, with its interval, and a line at the floor.
pub(super) fn bar(style: &Style, s: &Statistics, floor: Option<f64>, highest: f64) -> Markup {
    let at = |ns: f64| format!("{:.2}", ns / highest * 300.0);
    let label = format!("{} of at most {}", time(s.median_ns), time(highest));
    html! {
        svg.bar.(style.class) viewBox="0 0 300 16" preserveAspectRatio="none" role="img"
            aria-label=(label) {
            rect x="0" y="2" width=(at(s.median_ns)) height="12" fill="currentColor"
                fill-opacity=(style.strength) {}
            path.whisker d={
                "M" (at(s.low_ns)) " 4V12M" (at(s.low_ns)) " 8H" (at(s.high_ns)) "M" (at(s.high_ns)) " 4V12"
            } {}
            @if let Some(floor) = floor {
                path.floor d={ "M" (at(floor)) " 0V16" } {}
            }
        }
    }
}

/// One engine's points.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) style: Style,
    /// Size and median, ascending.
    pub(super) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 290.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 38.0;

/// A range of numbers, as logarithms.
struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values
            .fold((f64::MAX, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let room = ((high / low).ln() * 0.04).max(0.05);
        Self { from: low.ln() - room, to: high.ln() + room }
    }

    /// From 0 to 1.
    fn place(&self, value: f64) -> f64 {
        (value.ln() - self.from) / (self.to - self.from)
    }

    /// 1, 2 and 5 of each power of ten; only 1 if they are many, more if they are few.
    fn ticks(&self) -> Vec<f64> {
        let decades = (self.to - self.from) / std::f64::consts::LN_10;
        let steps: &[f64] = match decades {
            many if many > 3.0 => &[1.0],
            some if some > 1.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
        };
        let powers = (-1..13).map(|power| 10_f64.powi(power));
        let all = powers.flat_map(|power| steps.iter().map(move |step| step * power));
        all.filter(|tick| tick.ln() >= self.from && tick.ln() <= self.to).collect()
    }
}

/// Medians over size, both axes logarithmic.
pub(super) fn scaling(lines: &[Line], means: &str) -> Markup {
    let points = || lines.iter().flat_map(|line| line.points.iter());
    let across = Axis::new(points().map(|point| point.0));
    let up = Axis::new(points().map(|point| point.1));
    let x = |size: f64| LEFT + across.place(size) * (WIDTH - LEFT - RIGHT);
    let y = |ns: f64| HEIGHT - BOTTOM - up.place(ns) * (HEIGHT - TOP - BOTTOM);
    let mut sizes: Vec<f64> = points().map(|point| point.0).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.dedup();
    let label = format!("time over {means}, of {} engines", lines.len());
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) {
            @for tick in up.ticks() {
                path.grid d={ "M" (LEFT) " " (place(y(tick))) "H" (WIDTH - RIGHT) } {}
                text x=(LEFT - 5.0) y=(place(y(tick) + 4.0)) text-anchor="end" { (plain_time(tick)) }
            }
            @for size in &sizes {
                path.grid d={ "M" (place(x(*size))) " " (TOP) "V" (HEIGHT - BOTTOM) } {}
                text x=(place(x(*size))) y=(HEIGHT - BOTTOM + 15.0) text-anchor="middle" { (size) }
            }
            text x=(place(f64::midpoint(LEFT, WIDTH - RIGHT))) y=(HEIGHT - 6.0) text-anchor="middle" {
                (means)
            }
            @for line in lines { (curve(line, &x, &y)) }
        }
    }
}

fn curve(line: &Line, x: &impl Fn(f64) -> f64, y: &impl Fn(f64) -> f64) -> Markup {
    let points: Vec<_> = line
        .points
        .iter()
        .map(|(size, ns)| format!("{},{}", place(x(*size)), place(y(*ns))))
        .collect();
    html! {
        g.(line.style.class) {
            title { (line.name) }
            polyline points=(points.join(" ")) fill="none" stroke="currentColor" stroke-width="1.8"
                stroke-dasharray=(line.style.dash) {}
            @for (size, ns) in &line.points { (mark(line.style.member, x(*size), y(*ns))) }
        }
    }
}

/// A circle, square, triangle or diamond, by the member of the family.
fn mark(member: usize, x: f64, y: f64) -> Markup {
    let d = match member % 4 {
        1 => format!("M{} {}h6v6h-6z", place(x - 3.0), place(y - 3.0)),
        2 => format!("M{} {}l4 7h-8z", place(x), place(y - 4.0)),
        3 => format!("M{} {}l4 4l-4 4l-4 -4z", place(x), place(y - 4.0)),
        _ => return html! { circle cx=(place(x)) cy=(place(y)) r="3.2" fill="currentColor" {} },
    };
    html! { path d=(d) fill="currentColor" {} }
}

/// What stands in a legend for a line.
pub(super) fn key(style: &Style) -> Markup {
    html! {
        svg.key.(style.class) viewBox="0 0 34 12" aria-hidden="true" {
            line x1="1" y1="6" x2="33" y2="6" stroke="currentColor" stroke-width="1.8"
                stroke-dasharray=(style.dash) {}
            (mark(style.member, 17.0, 6.0))
        }
    }
}

fn place(at: f64) -> String {
    format!("{at:.1}")
}

/// `2 ms`, not `2.00 ms`.
fn plain_time(ns: f64) -> String {
    let text = time(ns);
    match text.split_once(' ') {
        Some((digits, unit)) if digits.contains('.') => {
            format!("{} {unit}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}
