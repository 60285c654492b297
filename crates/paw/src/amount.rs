//! Numbers as people type and read them: counts, sizes with units, times.

use std::fmt::Display;
use std::time::Duration;

use paw_data::axis;
use paw_data::point::{AxisValue, Point};

/// Units of sizes. A bare K or M is refused: it means 1000 to some and 1024 to others.
const SIZE_UNITS: &[(&str, i64)] = &[
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

/// Units of times, in seconds.
const TIME_UNITS: &[(&str, f64)] = &[("h", 3600.0), ("m", 60.0), ("s", 1.0), ("ms", 1e-3)];

/// A whole number, with or without a size unit; `None` for any other text.
pub fn whole(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let (digits, scale) = SIZE_UNITS.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, *scale)))?;
    if let Ok(number) = digits.parse::<i64>() {
        return number.checked_mul(scale);
    }
    // 1.5MiB is a whole number of bytes; 0.3B is not.
    let bytes = digits.parse::<f64>().ok()? * scale as f64;
    (bytes.fract() == 0.0 && bytes.abs() < 9e15).then_some(bytes as i64)
}

/// A whole number of at least 1; the error says what is wrong with the text.
pub fn positive(text: &str) -> Result<i64, String> {
    match whole(text) {
        Some(number) if number > 0 => Ok(number),
        Some(0) => Err(format!("`{text}` is zero: at least 1 is needed")),
        Some(_) => Err(format!("`{text}` is negative: at least 1 is needed")),
        None => Err(unread(text)),
    }
}

/// Why `text` is no number: it is too large, its unit means two things, or it is none.
fn unread(text: &str) -> String {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match text.strip_prefix(digits).filter(|_| is_number) {
        Some(unit @ ("K" | "M" | "G" | "T")) => {
            format!("`{text}` is 1000 to some and 1024 to others: write {digits}{unit}B or {digits}{unit}iB")
        }
        Some(_) if whole(&text.replacen(digits, "1", 1)).is_some() => {
            format!("`{text}` is too large: {} is the most", i64::MAX)
        }
        _ => format!("`{text}` is not a whole number"),
    }
}

/// Seconds of a time like `90s`, `2m`, `1h30m` or `500ms`.
pub fn seconds(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a time: write 90s, 2m or 1h30m");
    let (mut total_s, mut rest, mut units) = (0.0, text, TIME_UNITS.iter());
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?);
        let (typed, left) = after.split_at(after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len()));
        // Each unit may come once, the larger first.
        let (_, scale) = units.find(|(unit, _)| *unit == typed).ok_or_else(wrong)?;
        total_s += number.parse::<f64>().map_err(|_| wrong())? * scale;
        rest = left;
    }
    if total_s <= 0.0 { Err(wrong()) } else { Ok(total_s) }
}

/// A share above zero, `5%` or `0.05`.
pub fn share(text: &str) -> Result<f64, String> {
    let (digits, scale) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 0.01));
    match digits.trim().parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number * scale),
        _ => Err(format!("`{text}` is no share: write 5% or 0.05")),
    }
}

/// Bytes in the largest binary unit that gives at least 1: `48 KiB`, `23.4 GiB`.
pub fn binary(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let step = (bytes.max(1).ilog2() / 10).min(4);
    let value = bytes as f64 / f64::from(1_u32 << (10 * step.min(3))) / if step == 4 { 1024.0 } else { 1.0 };
    let digits = usize::from(value.fract() > 0.0 && value < 100.0);
    format!("{value:.digits$} {}", UNITS[step as usize])
}

/// `3 cores`, `1 core`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    if count == N::from(1) { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `bytes=1.9 GiB threads=2`: a point for people, sizes with their unit.
pub fn point(point: &Point) -> String {
    let value = |name: &str, value: &AxisValue| match (name, value) {
        (axis::BYTES, AxisValue::Int(bytes)) => binary(bytes.unsigned_abs()),
        (_, value) => value.to_string(),
    };
    point.iter().map(|(name, at)| format!("{name}={}", value(name, at))).collect::<Vec<_>>().join(" ")
}

/// `1h5m`, `2m30s`, `12.3s`: what something took, or may take.
pub fn span(seconds: f64) -> String {
    let tenths = (seconds * 10.0).round() / 10.0;
    if tenths < 60.0 && tenths.fract() != 0.0 { format!("{tenths:.1}s") } else { duration(seconds.round()) }
}

/// `1h5m`, `2m30s`, `12s`: what is left of something, at most.
pub fn duration(seconds: f64) -> String {
    let whole = Duration::try_from_secs_f64(seconds.ceil()).unwrap_or(Duration::MAX).as_secs();
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m{s}s"),
        (h, m, _) => format!("{h}h{m}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_carry_their_unit() {
        let cases = [
            ("64", Some(64)),
            ("-3", Some(-3)),
            ("4KiB", Some(4096)),
            ("1.5MiB", Some(1_572_864)),
            ("2MB", Some(2_000_000)),
            ("8B", Some(8)),
            ("0.3B", None),
            ("4K", None),
            ("KiB", None),
            ("9999999999TB", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(whole(text), expected, "{text}");
        }
    }

    #[test]
    fn a_number_that_is_not_positive_is_named() {
        assert_eq!(positive("12"), Ok(12));
        assert_eq!(positive("0"), Err("`0` is zero: at least 1 is needed".to_owned()));
        assert_eq!(positive("-7"), Err("`-7` is negative: at least 1 is needed".to_owned()));
        assert_eq!(positive("a7"), Err("`a7` is not a whole number".to_owned()));
        assert_eq!(positive("64MiB"), Ok(64 << 20));
        let kilo = "`64M` is 1000 to some and 1024 to others: write 64MB or 64MiB";
        assert_eq!(positive("64M"), Err(kilo.to_owned()));
        for text in ["99999999999999999999", "9999999999TiB"] {
            assert_eq!(positive(text), Err(format!("`{text}` is too large: 9223372036854775807 is the most")));
        }
    }

    #[test]
    fn times_add_up() {
        let cases = [
            ("90s", 90.0),
            ("2m", 120.0),
            ("1h30m", 5400.0),
            ("0.5s", 0.5),
            ("1h1m1s", 3661.0),
            ("250ms", 0.25),
            ("1m500ms", 60.5),
        ];
        for (text, expected) in cases {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for text in ["", "90", "2m2h", "m", "0s", "2d", "1m5", "1.2.3s", "-2m", "2ms1s", "1 s"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bytes_are_written_in_binary_units() {
        let cases = [
            (0, "0 B"),
            (1023, "1023 B"),
            (48 << 10, "48 KiB"),
            (3 << 19, "1.5 MiB"),
            (24_100_000_000, "22.4 GiB"),
            (2 << 40, "2 TiB"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(binary(bytes), expected);
        }
    }

    #[test]
    fn times_are_written_as_people_say_them() {
        for (seconds, expected) in [(0.2, "1s"), (59.1, "1m0s"), (150.0, "2m30s"), (3900.0, "1h5m")] {
            assert_eq!(duration(seconds), expected);
        }
    }

    #[test]
    fn a_point_shows_bytes_with_their_unit() {
        let at: Point = serde_json::from_str(r#"{"bytes":2013265920,"n":4096,"isa":"avx2"}"#).unwrap();
        assert_eq!(point(&at), "bytes=1.9 GiB n=4096 isa=avx2");
    }

    #[test]
    fn what_something_took_is_not_rounded_up() {
        let said = [0.012, 1.01, 1.12, 12.0, 59.97, 61.4, 3900.0].map(span);
        assert_eq!(said, ["0s", "1s", "1.1s", "12s", "1m0s", "1m1s", "1h5m"]);
    }
}
