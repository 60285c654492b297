//! Reads `samples` lines as paw writes them: columns of plain values, without a blank. That takes a part of the time that any JSON takes.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

use super::columns::{ColumnName, Columns};
use crate::sample::Phase;

/// The powers of ten that are binary64 numbers.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Up to here every whole number is a binary64 number.
const WHOLE_MAX: u64 = 1 << f64::MANTISSA_DIGITS;

impl Columns {
    /// Replaces the columns by those of one line and returns its cell. `None` of a line that is not as paw writes them, or has columns of
    /// columns: then the columns hold anything, and the line may be JSON all the same.
    pub(super) fn read_plain(&mut self, line: &[u8]) -> Option<u32> {
        self.clear();
        let mut text = Text { line: std::str::from_utf8(line).ok()?, at: 0 };
        let mut cell = None;
        text.pass(br#"{"line":"samples""#)?;
        while text.pass(b"}").is_none() {
            text.pass(b",\"")?;
            let key = text.key()?;
            let name = ColumnName::deserialize(IntoDeserializer::<Error>::into_deserializer(key)).ok()?;
            match name {
                ColumnName::Cell => cell = Some(text.whole()?),
                ColumnName::Phase => self.phase = Some(text.phase()?),
                column => self.fill_plain(column, &mut text)?,
            }
        }
        (text.at == line.len()).then_some(cell)?
    }

    /// Appends the values of a column; `None` of what is no column of plain values.
    fn fill_plain(&mut self, name: ColumnName, text: &mut Text<'_>) -> Option<()> {
        let s = &mut self.samples;
        match name {
            left_out if !self.extent.has(left_out) => text.column(|text| text.number().map(drop)),
            ColumnName::Round => text.fill(&mut s.round, Text::whole),
            ColumnName::Position => text.fill(&mut s.position, Text::whole),
            ColumnName::Invocation => text.fill(&mut s.invocation, Text::whole),
            ColumnName::AtS => text.fill(&mut s.at_s, Text::number),
            ColumnName::Loops => text.fill(&mut s.loops, Text::natural),
            ColumnName::ElapsedS => text.fill(&mut s.elapsed_s, Text::number),
            ColumnName::RunDelayS => text.fill(&mut s.run_delay_s, Text::number),
            ColumnName::Switches => text.fill(&mut s.switches, Text::whole),
            ColumnName::Migrations => text.fill(&mut s.migrations, Text::whole),
            ColumnName::Disturbed => text.fill(&mut s.disturbed, Text::truth),
            ColumnName::Cell | ColumnName::Phase | ColumnName::OpsS | ColumnName::Extra | ColumnName::Other => None,
        }
    }
}

/// A line, read up to a place. What is not there is `None`, and then the place is anywhere.
struct Text<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Text<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.line.as_bytes()[self.at..]
    }

    fn pass(&mut self, token: &[u8]) -> Option<()> {
        self.rest().starts_with(token).then(|| self.at += token.len())
    }

    /// The rest of a key, and the colon behind it.
    fn key(&mut self) -> Option<&'a str> {
        let from = self.at;
        self.at += self.rest().iter().position(|byte| *byte == b'"')?;
        let key = &self.line[from..self.at];
        self.pass(b"\":").map(|()| key)
    }

    fn phase(&mut self) -> Option<Phase> {
        let measure = self.pass(br#""measure""#).map(|()| Phase::Measure);
        measure.or_else(|| self.pass(br#""warmup""#).map(|()| Phase::Warmup))
    }

    fn fill<T>(&mut self, column: &mut Vec<T>, value: impl Fn(&mut Self) -> Option<T>) -> Option<()> {
        self.column(|text| {
            column.push(value(text)?);
            Some(())
        })
    }

    fn column(&mut self, mut value: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.pass(b"[")?;
        if self.pass(b"]").is_some() {
            return Some(());
        }
        loop {
            value(self)?;
            if self.pass(b",").is_none() {
                return self.pass(b"]");
            }
        }
    }

    fn truth(&mut self) -> Option<bool> {
        let no = self.pass(b"false").map(|()| false);
        no.or_else(|| self.pass(b"true").map(|()| true))
    }

    fn whole(&mut self) -> Option<u32> {
        u32::try_from(self.natural()?).ok()
    }

    /// A number of digits alone, of which several do not begin with 0.
    fn natural(&mut self) -> Option<u64> {
        let from = self.at;
        let number = self.digits(0)?;
        (self.at == from + 1 || self.line.as_bytes()[from] != b'0').then_some(number)
    }

    /// Reads on in a number that is `so_far`, over one digit or more.
    fn digits(&mut self, so_far: u64) -> Option<u64> {
        let (from, mut number) = (self.at, so_far);
        for digit in self.rest().iter().map(|byte| byte.wrapping_sub(b'0')).take_while(|digit| *digit < 10) {
            number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
            self.at += 1;
        }
        (self.at > from).then_some(number)
    }

    /// A number as JSON writes it; `null` is NaN.
    fn number(&mut self) -> Option<f64> {
        if self.pass(b"null").is_some() {
            return Some(f64::NAN);
        }
        let from = self.at;
        let is_negative = self.pass(b"-").is_some();
        let whole = self.natural()?;
        let point = self.at;
        let digits = if self.pass(b".").is_some() { self.digits(whole)? } else { whole };
        let decimals = (self.at - point).saturating_sub(1);
        let has_exponent = self.pass(b"e").is_some() || self.pass(b"E").is_some();
        if !has_exponent && digits <= WHOLE_MAX && decimals < TENS.len() {
            // Both are exact, so that their quotient is the nearest number (W. Clinger, How to read floating point numbers accurately, 1990).
            let number = digits as f64 / TENS[decimals];
            return Some(if is_negative { -number } else { number });
        }
        if has_exponent {
            let _sign = self.pass(b"-").or_else(|| self.pass(b"+"));
            self.digits(0)?;
        }
        self.line[from..self.at].parse().ok().filter(|number: &f64| number.is_finite())
    }
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
