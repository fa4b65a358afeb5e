//! Medians over group size, with a fitted power law.

use maud::{Markup, html};

use super::Page;
use super::chart::{Line, key, scaling};
use super::overview::head;
use super::verdicts::measures_the_harness;
use crate::index::Cell;

/// Sizes that a curve needs.
const FEWEST: usize = 3;

/// Sizes that a fit needs to claim anything.
const CLAIM: usize = 6;

/// `time = c * size ^ exponent`, by least squares of the logarithms.
struct Fit {
    exponent: f64,
    /// The root mean square of the logarithms' residuals, as a share.
    residual: f64,
}

pub(super) fn section(page: &Page<'_>) -> Markup {
    let charts: Vec<_> = page
        .index
        .cases()
        .into_iter()
        .filter_map(|case| Some((case, chart(page, case)?)))
        .collect();
    html! {
        p {
            "Medians over size, both axes logarithmic. The exponent is " em { "derived" } ": a power "
            "of the size, fitted to the medians by least squares of the logarithms; the residual is "
            "the typical distance of a median from the fit. Size 0 has no logarithm and is left out."
        }
        @if charts.is_empty() { p { "No case has three sizes or more." } }
        div.charts {
            @for (case, chart) in &charts {
                section.scaling data-row-case=(case) { h3 { (case) } (chart) }
            }
        }
    }
}

fn chart(page: &Page<'_>, case: &str) -> Option<Markup> {
    let index = &page.index;
    let sizes: Vec<usize> = index.sizes(case).into_iter().filter(|size| *size > 0).collect();
    let engines = index.run.engines.iter();
    let lines: Vec<Line> = engines
        .filter(|engine| engine.again.is_none() && !measures_the_harness(engine))
        .filter_map(|engine| {
            let points = points(page, case, &sizes, &engine.name);
            let style = page.palette.of(&engine.name);
            (points.len() >= FEWEST).then(|| Line { name: engine.name.clone(), style, points })
        })
        .collect();
    let means = &index.run.rows.iter().find(|row| row.case == case)?.size_means;
    let most = lines.iter().map(|line| line.points.len()).max()?;
    Some(html! {
        (scaling(&lines, means))
        @if most < CLAIM {
            p.small { (most) " sizes are too few for a claim about growth: the fit describes these "
                "points and no others." }
        }
        div.scroll { table {
            thead { tr {
                th scope="col" { "engine" }
                th.num scope="col" { "exponent" } th.num scope="col" { "residual" }
            } }
            tbody { @for line in &lines { (legend(line, most)) } }
        } }
    })
}

fn legend(line: &Line, most: usize) -> Markup {
    let sizes = line.points.len();
    let fit = fit(&line.points);
    html! {
        tr {
            th scope="row" { (key(&line.style)) (head(&line.name)) }
            td.num {
                (format!("{:.2}", fit.exponent))
                @if sizes < most { " " span.small { "(" (sizes) " sizes)" } }
            }
            td.num { (format!("{:.1} %", fit.residual * 100.0)) }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes of groups")]
fn points(page: &Page<'_>, case: &str, sizes: &[usize], engine: &str) -> Vec<(f64, f64)> {
    let point = |size: &usize| {
        let statistics = page.index.statistics(Cell { case, size: *size }, engine)?;
        Some((*size as f64, statistics.median_ns))
    };
    sizes.iter().filter_map(point).collect()
}

/// Of points with at least two sizes.
#[expect(clippy::cast_precision_loss, reason = "a few points")]
fn fit(points: &[(f64, f64)]) -> Fit {
    let logarithms: Vec<_> = points.iter().map(|(size, ns)| (size.ln(), ns.ln())).collect();
    let number = logarithms.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logarithms.iter().map(of).sum::<f64>() / number;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let across: f64 = logarithms.iter().map(|point| (point.0 - x).powi(2)).sum();
    let both: f64 = logarithms.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let exponent = both / across;
    let off = |point: &(f64, f64)| point.1 - y - exponent * (point.0 - x);
    let squares: f64 = logarithms.iter().map(|point| off(point).powi(2)).sum();
    Fit { exponent, residual: (squares / number).sqrt().exp_m1() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found_and_what_strays_is_residual() {
        let exact = fit(&[(1.0, 5.0), (2.0, 10.0), (8.0, 40.0)]);
        assert!((exact.exponent - 1.0).abs() < 1e-12 && exact.residual < 1e-12);
        let flat = fit(&[(1.0, 110.0), (10.0, 90.0), (100.0, 110.0)]);
        assert!(flat.exponent.abs() < 1e-12, "{}", flat.exponent);
        assert!((flat.residual - 0.0992).abs() < 0.001, "{}", flat.residual);
    }
}
