//! Numbers as people read them: with a unit, and no more digits than mean something.

/// A time, in three digits.
#[must_use]
pub fn time(ns: f64) -> String {
    scaled(ns, &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")])
}

/// An amount of memory, in three digits. Multiples are of 1000.
#[must_use]
pub fn memory(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    scaled(bytes as f64, &[(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")])
}

/// A ratio, in three digits.
#[must_use]
pub fn ratio(ratio: f64) -> String {
    digits(ratio)
}

/// A ratio as a change in percent, with its sign.
#[must_use]
pub fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    format!("{percent:+.1} %")
}

/// A share of one, in percent, without zeros at its end.
#[must_use]
pub fn percent(share: f64) -> String {
    let digits = digits(share * 100.0);
    let short = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        &digits
    };
    format!("{short} %")
}

/// A whole number, in groups of three digits.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    // 999.6 of one unit is 1.00 of the next.
    let unit = units.iter().find(|(size, _)| value >= size * 0.9995).or(units.last());
    match unit {
        Some((size, name)) => format!("{} {name}", digits(value / size)),
        None => digits(value),
    }
}

/// Three digits, or all of a larger number before its point.
fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.9995 => format!("{value:.2}"),
        size if size >= 0.099_95 => format!("{value:.3}"),
        size if size >= 0.009_995 => format!("{value:.4}"),
        0.0 => "0".into(),
        _ => format!("{value:.5}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        assert_eq!(time(0.0), "0 ns");
        assert_eq!(time(0.25), "0.250 ns");
        assert_eq!(time(12.34), "12.3 ns");
        assert_eq!(time(999.4), "999 ns");
        assert_eq!(time(999.6), "1.00 µs");
        assert_eq!(time(190_400.0), "190 µs");
        assert_eq!(time(9_081_000.0), "9.08 ms");
        assert_eq!(time(72e9), "72.0 s");
        assert_eq!(memory(999), "999 B");
        assert_eq!(memory(1_234_567), "1.23 MB");
        assert_eq!(ratio(0.9876), "0.988");
        assert_eq!(ratio(1.1749), "1.17");
        assert_eq!(change(1.034), "+3.4 %");
        assert_eq!(ratio(0.004_021), "0.00402");
        assert_eq!(percent(0.0312), "3.12 %");
        assert_eq!(percent(0.03), "3 %");
        assert_eq!(percent(1.0), "100 %");
    }

    #[test]
    fn groups_of_three() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(12_345_678), "12,345,678");
    }
}
