//! Moments in UTC, as runs record them: RFC 3339, from 1970 to 9999.

use std::fmt::{Display, Write};
use std::time::{Duration, SystemTime};

use humantime::{format_rfc3339_millis, format_rfc3339_seconds, parse_rfc3339};

/// `2026-11-26T17:42:23Z`; empty outside these years.
pub fn to_second(time: SystemTime) -> String {
    written(time, format_rfc3339_seconds)
}

/// `2026-11-26T17:42:23.987Z`; empty outside these years.
pub fn to_millisecond(time: SystemTime) -> String {
    written(time, format_rfc3339_millis)
}

/// The moment that `text` names; `None` if it names none in UTC.
pub fn parsed(text: &str) -> Option<SystemTime> {
    parse_rfc3339(text).ok()
}

/// The time since 1970; nothing for a moment before it.
pub fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// The text of a moment: before 1970 the crate has none and panics, after 9999 it writes an error.
fn written<D: Display>(time: SystemTime, text: impl Fn(SystemTime) -> D) -> String {
    let mut out = String::new();
    let is_written = time >= SystemTime::UNIX_EPOCH && write!(out, "{}", text(time)).is_ok();
    if is_written { out } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_comes_back_from_its_text() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_795_948_945_987);
        assert_eq!(to_millisecond(time), "2026-11-29T10:42:25.987Z");
        assert_eq!(to_second(time), "2026-11-29T10:42:25Z");
        assert_eq!(parsed(&to_millisecond(time)), Some(time));
        assert_eq!(since_1970(time).as_millis(), 1_795_948_945_987);
    }

    #[test]
    fn what_is_no_moment_is_none() {
        for text in ["", "yesterday", "2026-11-29", "2026-13-01T00:00:00Z", "2026-11-29T10:42:25+01:00"] {
            assert_eq!(parsed(text), None, "{text}");
        }
        let late = SystemTime::UNIX_EPOCH + Duration::from_secs(300_000_000_000);
        let early = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!([to_second(late), to_millisecond(early)], ["", ""]);
        assert_eq!(since_1970(early), Duration::ZERO);
    }
}
