//! Reads `samples` lines as paw writes them: columns of plain values, without a blank. That takes a part of the time that any JSON takes.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

use super::columns::{ColumnName, Columns};
use crate::sample::Phase;

impl Columns {
    /// Replaces the columns by those of one line and returns its cell. `None` of a line that is not as paw writes them, or has columns of
    /// columns: then the columns hold anything, and the line may be JSON all the same.
    pub(super) fn read_plain(&mut self, line: &[u8]) -> Option<u32> {
        self.clear();
        let mut cell = None;
        let mut rest = std::str::from_utf8(line).ok()?.strip_prefix(r#"{"line":"samples""#)?;
        while rest != "}" {
            let (key, behind) = rest.strip_prefix(",\"")?.split_once("\":")?;
            let name = ColumnName::deserialize(IntoDeserializer::<Error>::into_deserializer(key)).ok()?;
            if let Some(behind) = behind.strip_prefix('[') {
                let (values, behind) = behind.split_once(']')?;
                self.fill_plain(name, values)?;
                rest = behind;
            } else {
                let (value, behind) = behind.split_at(behind.find([',', '}'])?);
                match name {
                    ColumnName::Cell => cell = Some(whole(value)?),
                    ColumnName::Phase => self.phase = Some(phase(value)?),
                    _ => return None,
                }
                rest = behind;
            }
        }
        cell
    }

    /// Appends the values of a column; `None` of what is no column of plain values.
    fn fill_plain(&mut self, name: ColumnName, values: &str) -> Option<()> {
        let s = &mut self.samples;
        match name {
            left_out if !self.extent.has(left_out) => is_plain(values).then_some(()),
            ColumnName::Round => fill(&mut s.round, values, whole),
            ColumnName::Position => fill(&mut s.position, values, whole),
            ColumnName::Invocation => fill(&mut s.invocation, values, whole),
            ColumnName::AtS => fill(&mut s.at_s, values, number),
            ColumnName::Loops => fill(&mut s.loops, values, |value| is_natural(value).then(|| value.parse().ok())?),
            ColumnName::ElapsedS => fill(&mut s.elapsed_s, values, number),
            ColumnName::RunDelayS => fill(&mut s.run_delay_s, values, number),
            ColumnName::Switches => fill(&mut s.switches, values, whole),
            ColumnName::Migrations => fill(&mut s.migrations, values, whole),
            ColumnName::Disturbed => fill(&mut s.disturbed, values, |value| value.parse().ok()),
            ColumnName::Cell | ColumnName::Phase | ColumnName::OpsS | ColumnName::Extra | ColumnName::Other => None,
        }
    }
}

fn fill<T>(column: &mut Vec<T>, values: &str, read: impl Fn(&str) -> Option<T>) -> Option<()> {
    if values.is_empty() {
        return Some(());
    }
    values.split(',').try_for_each(|value| {
        column.push(read(value)?);
        Some(())
    })
}

fn phase(value: &str) -> Option<Phase> {
    match value {
        r#""warmup""# => Some(Phase::Warmup),
        r#""measure""# => Some(Phase::Measure),
        _ => None,
    }
}

fn whole(value: &str) -> Option<u32> {
    is_natural(value).then(|| value.parse().ok())?
}

/// A number; `null` is NaN. JSON has no infinity, however many digits it takes to write one.
fn number(value: &str) -> Option<f64> {
    if value == "null" {
        return Some(f64::NAN);
    }
    is_number(value).then(|| value.parse().ok().filter(|number: &f64| number.is_finite()))?
}

/// Whether these are values of a column, whichever.
fn is_plain(values: &str) -> bool {
    values.is_empty() || values.split(',').all(|value| value == "null" || is_number(value))
}

/// Whether JSON has such a number without sign, point and exponent.
fn is_natural(value: &str) -> bool {
    !value.is_empty()
        && value.bytes().all(|byte| byte.is_ascii_digit())
        && (value.len() == 1 || !value.starts_with('0'))
}

/// Whether JSON has such a number (RFC 8259, section 6).
fn is_number(value: &str) -> bool {
    let value = value.strip_prefix('-').unwrap_or(value);
    let (value, exponent) =
        value.split_once(['e', 'E']).map_or((value, None), |(value, exponent)| (value, Some(exponent)));
    let (whole, fraction) = value.split_once('.').map_or((value, None), |(whole, fraction)| (whole, Some(fraction)));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_natural(whole)
        && fraction.is_none_or(are_digits)
        && exponent.is_none_or(|e| are_digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Columns;
    use crate::sample::{Phase, Samples};
    use crate::store::extent::Extent;

    const LINE: &str = r#"{"line":"samples","cell":7,"phase":"measure","round":[0,1],"position":[3,10],"invocation":[0,4294967295],"at_s":[0.403004325,-0.0],"loops":[770,18446744073709551615],"elapsed_s":[1.004325e-3,null],"run_delay_s":[0.0,12],"switches":[0,0],"migrations":[1,0],"disturbed":[false,true]}"#;

    type Read = (u32, Option<Phase>, String);

    fn plain(line: &[u8], extent: Extent) -> Option<Read> {
        let mut columns = Columns::new(extent);
        let cell = columns.read_plain(line)?;
        Some((cell, columns.phase, shown(&columns.samples)))
    }

    fn as_json(line: &[u8], extent: Extent) -> Option<Read> {
        let mut columns = Columns::new(extent);
        let cell = columns.read_json(line).ok()??;
        Some((cell, columns.phase, shown(&columns.samples)))
    }

    /// Every digit, and NaN equal to itself.
    fn shown(samples: &Samples) -> String {
        format!("{samples:?}")
    }

    #[test]
    fn a_line_as_paw_writes_it_is_read_as_json_reads_it() {
        for extent in [Extent::All, Extent::Shown, Extent::Figures] {
            let read = plain(LINE.as_bytes(), extent);
            assert!(read.is_some(), "{extent:?}");
            assert_eq!(read, as_json(LINE.as_bytes(), extent));
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for (whole, broken) in [
            ("[0,1]", "[0,01]"),
            ("[0,1]", "[0,+1]"),
            ("[0,1]", "[0,]"),
            ("770", "770.0"),
            ("0.403004325", ".403"),
            ("0.403004325", "4."),
            ("1.004325e-3", "1e999"),
            ("0.403004325", "inf"),
            ("1.004325e-3", "1.e-3"),
            ("12]", "0x12]"),
            ("[1,0]", "[1,[0]]"),
            ("\"measure\"", "\"measured\""),
            ("}", ""),
        ] {
            for extent in [Extent::All, Extent::Figures] {
                let line = LINE.replace(whole, broken);
                assert_ne!(line, LINE);
                assert_eq!(plain(line.as_bytes(), extent), None, "{broken}");
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_read_as_json_reads_it(
            at in 0..LINE.len(), with in prop::sample::select(br#"0189-+.eE,:[]{}"nultrafs "#.to_vec()), cut in 0..3_usize
        ) {
            let mut line = LINE.as_bytes().to_vec();
            line.splice(at..(at + cut).min(LINE.len()), [with]);
            for extent in [Extent::All, Extent::Shown, Extent::Figures] {
                let read = plain(&line, extent);
                prop_assert!(read.is_none() || read == as_json(&line, extent), "{}", String::from_utf8_lossy(&line));
            }
        }
    }
}
