//! Numbers as people read them: engineering prefixes, binary sizes, durations, percentages.

use paw_data::history::Measure;
use paw_data::quantity::Quantity;

/// The text in place of a missing number.
pub const ABSENT: &str = "–";

const PREFIXES: &[(f64, &str)] = &[
    (1e18, "E"),
    (1e15, "P"),
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
    (1e-9, "n"),
    (1e-12, "p"),
];

/// Relative half width below which a fourth digit is significant: rounding to three digits errs by up to half a percent.
const FOUR_DIGITS_BELOW: f64 = 0.005;

/// A unit with its engineering prefix.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// One prefixed unit in plain units: 1e9 for `GFLOP/s`.
    pub factor: f64,
    /// Prefix and unit: `GFLOP/s`.
    pub unit: String,
}

impl Scale {
    /// The scale in which `value` has one to three digits before the point.
    pub fn of(value: f64, quantity: Quantity) -> Self {
        // 999.96 would be printed as 1000, so that it gets the next prefix.
        let size = value.abs() * (1.0 + 5e-5);
        let largest = if quantity == Quantity::Time { 1.0 } else { f64::INFINITY };
        let (factor, prefix) = PREFIXES
            .iter()
            .find(|(factor, _)| *factor <= largest && size >= *factor)
            .or(if size == 0.0 { PREFIXES.iter().find(|(factor, _)| *factor == 1.0) } else { PREFIXES.last() })
            .expect("the table of prefixes has one for zero and a smallest one");
        // The long word of the files is too wide for a column.
        let unit = if quantity == Quantity::Messages { "msg/s" } else { quantity.unit() };
        Self { factor: *factor, unit: format!("{prefix}{unit}") }
    }

    /// The scale of a column whose values spread over decades: that of their geometric middle. `None` without values.
    pub fn between(values: impl Iterator<Item = f64>, quantity: Quantity) -> Option<Self> {
        let positive = values.filter(|v| v.is_finite() && *v > 0.0);
        let (low, high) = positive.fold((f64::INFINITY, 0.0), |(low, high), v: f64| (v.min(low), v.max(high)));
        (high > 0.0).then(|| Self::of((low * high).sqrt(), quantity))
    }

    /// The scale of a series of a history: a number that a program prints keeps its unit.
    pub fn of_measure(values: &[f64], measure: &Measure) -> Self {
        match measure {
            Measure::Quantity(quantity) => {
                Self::between(values.iter().copied(), *quantity).unwrap_or_else(|| Self::of(1.0, *quantity))
            }
            Measure::Metric(metric) => Self { factor: 1.0, unit: metric.unit.clone() },
        }
    }

    /// `value` in this scale, without the unit; `half_width` is in the plain unit.
    pub fn digits(&self, value: f64, half_width: Option<f64>) -> String {
        if !value.is_finite() {
            return ABSENT.to_owned();
        }
        let fine = half_width.is_some_and(|h| h < FOUR_DIGITS_BELOW * value.abs());
        significant(value / self.factor, if fine { 4 } else { 3 })
    }
}

/// `value` with `digits` significant digits, never in exponent notation.
pub fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { ABSENT.to_owned() };
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = |magnitude: i32| (digits - 1 - magnitude).clamp(0, 12) as usize;
    let text = format!("{value:.*}", decimals(magnitude));
    // Rounding may have carried into a new digit: 9.9996 is 10.00, not 10.000.
    let carried = text.parse::<f64>().is_ok_and(|v| v.abs() >= 10f64.powi(magnitude + 1));
    if carried { format!("{value:.*}", decimals(magnitude + 1)) } else { text }
}

/// `value` with prefix and unit: `118.2 GFLOP/s`.
pub fn quantity(value: f64, quantity: Quantity, half_width: Option<f64>) -> String {
    if !value.is_finite() {
        return ABSENT.to_owned();
    }
    let scale = Scale::of(value, quantity);
    format!("{} {}", scale.digits(value, half_width), scale.unit)
}

/// `value` of a series of a history with its unit.
pub fn measure(value: f64, measure: &Measure, half_width: Option<f64>) -> String {
    let scale = Scale::of_measure(&[value], measure);
    format!("{} {}", scale.digits(value, half_width), scale.unit).trim_end().to_owned()
}

/// `2026-11-26T17:42:23Z` of a time with a fraction of a second.
pub fn to_second(utc: &str) -> String {
    match utc.split_once('.') {
        Some((seconds, fraction)) if fraction.ends_with('Z') => format!("{seconds}Z"),
        _ => utc.to_owned(),
    }
}

/// A length of time: `1.23 ns`, `12.0 s`, `3 min 20 s`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return ABSENT.to_owned();
    }
    let whole = seconds.round() as i64;
    match whole {
        0..120 => quantity(seconds, Quantity::Time, None),
        120..7200 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A size in bytes with a binary prefix: `32 KiB`, `1.5 MiB`.
pub fn size(bytes: f64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = bytes;
    let mut unit = 0;
    while value.abs() >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let text = if value.fract() == 0.0 { format!("{value:.0}") } else { significant(value, 3) };
    format!("{text} {}", UNITS[unit])
}

/// `share` as a percentage with two digits, as many as a measured reference justifies: `84%`, `8.4%`, `0.84%`.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return ABSENT.to_owned();
    }
    let value = share * 100.0;
    if value == 0.0 {
        return "0%".to_owned();
    }
    if value.abs() >= 99.5 { format!("{value:.0}%") } else { format!("{}%", significant(value, 2)) }
}

/// The half width of an interval relative to its middle: `0.3%`, `<0.1%`.
pub fn half_width(relative: f64) -> String {
    let value = relative * 100.0;
    match value {
        v if !v.is_finite() => ABSENT.to_owned(),
        v if v < 0.05 => "<0.1%".to_owned(),
        v if v < 9.95 => format!("{v:.1}%"),
        v => format!("{v:.0}%"),
    }
}

/// A count with thin groups of three: `100 000`.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `1 cell`, `2 cells`.
pub fn plural(n: usize, one: &str) -> String {
    format!("{} {one}{}", count(n), if n == 1 { "" } else { "s" })
}

/// `text` with a capital letter in front.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_to_the_second() {
        for (utc, shown) in [
            ("2026-11-26T17:42:23.987Z", "2026-11-26T17:42:23Z"),
            ("2026-11-26T17:42:23Z", "2026-11-26T17:42:23Z"),
            ("v1.2", "v1.2"),
        ] {
            assert_eq!(to_second(utc), shown);
        }
    }

    #[test]
    fn prefixes_keep_one_to_three_digits_before_the_point() {
        for (value, unit, expected) in [
            (118.23e9, Quantity::Flops, "118 GFLOP/s"),
            (39.6e9, Quantity::Bytes, "39.6 GB/s"),
            (1.234e-9, Quantity::Time, "1.23 ns"),
            (999.96e6, Quantity::Bytes, "1.00 GB/s"),
            (0.0, Quantity::Bytes, "0 B/s"),
            (2500.0, Quantity::Time, "2500 s"),
            (3e-15, Quantity::Time, "0.00300 ps"),
            (4.212e9, Quantity::Cycles, "4.21 GHz"),
            (f64::NAN, Quantity::Flops, ABSENT),
        ] {
            assert_eq!(quantity(value, unit, None), expected);
        }
    }

    #[test]
    fn a_narrow_interval_earns_a_fourth_digit() {
        assert_eq!(quantity(118.23e9, Quantity::Flops, Some(0.3e9)), "118.2 GFLOP/s");
        assert_eq!(quantity(118.23e9, Quantity::Flops, Some(3e9)), "118 GFLOP/s");
    }

    #[test]
    fn carrying_does_not_add_a_digit() {
        assert_eq!(significant(9.9996, 3), "10.0");
        assert_eq!(significant(99.96, 3), "100");
        assert_eq!(significant(0.09996, 3), "0.100");
    }

    #[test]
    fn sizes_are_binary_and_whole_where_they_can_be() {
        assert_eq!(size(512.0), "512 B");
        assert_eq!(size(32768.0), "32 KiB");
        assert_eq!(size(1.5 * 1048576.0), "1.50 MiB");
        assert_eq!(size((1u64 << 36) as f64), "64 GiB");
    }

    #[test]
    fn shares_half_widths_and_times_read_well() {
        assert_eq!([percent(0.8412), percent(0.0841), percent(1.004), percent(0.0)], ["84%", "8.4%", "100%", "0%"]);
        assert_eq!([half_width(0.0003), half_width(0.0123), half_width(0.2)], ["<0.1%", "1.2%", "20%"]);
        assert_eq!([duration(0.5), duration(200.0), duration(8000.0)], ["500 ms", "3 min 20 s", "2 h 13 min"]);
        assert_eq!(count(100_000), "100\u{202f}000");
    }
}
