//! `--set AXIS=VALUES`: the values of an axis.

use paw_data::point::AxisValue;
use paw_suites::benchmark::{Axis, Values};
use paw_suites::host::Host;

use crate::amount;

/// Most values of a range by steps: more would be a mistake.
const STEPS_MAX: usize = 10_000;

/// An axis with the values typed for it, not yet interpreted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<'a> {
    /// Name of the axis.
    pub axis: &'a str,
    /// The values, between the commas.
    pub tokens: Vec<&'a str>,
}

/// Splits `n=8..8192,10000`; the error says what is wrong.
pub fn split(text: &str) -> Result<Setting<'_>, String> {
    let shape = || format!("`--set {text}` is not AXIS=VALUES: write --set n=64,100 or --set n=8..8192");
    let (axis, values) = text.split_once('=').ok_or_else(shape)?;
    let tokens: Vec<_> = values.split(',').map(str::trim).collect();
    if axis.trim().is_empty() || tokens.iter().any(|token| token.is_empty()) {
        return Err(shape());
    }
    Ok(Setting { axis: axis.trim(), tokens })
}

/// The values from `from` to `to` by doubling; `to` is always the last.
pub fn doubling(from: i64, to: i64) -> Vec<i64> {
    let mut ladder: Vec<_> = std::iter::successors(Some(from), |n| n.checked_mul(2)).take_while(|n| *n < to).collect();
    ladder.push(to);
    ladder
}

/// The values that `setting` gives `axis`; the error names the token.
pub fn values(setting: &Setting<'_>, axis: &Axis, host: &Host) -> Result<Vec<AxisValue>, String> {
    let mut values = Vec::new();
    for token in &setting.tokens {
        let more = match axis.values {
            Values::Words(words) | Values::Each(words) => vec![word(token, words)?],
            Values::Giving { words, .. } => {
                vec![word(token, &words.iter().map(|(word, _)| *word).collect::<Vec<_>>())?]
            }
            Values::Floats(_) => vec![real(token)?],
            // Zero is only valid if it is the default: no padding.
            Values::Ints([0, ..]) if *token == "0" => vec![AxisValue::Int(0)],
            Values::Machine(values) if *token == "0" && values(host).first() == Some(&AxisValue::Int(0)) => {
                vec![AxisValue::Int(0)]
            }
            Values::Machine(values) if values(host).iter().any(|value| matches!(value, AxisValue::Text(_))) => {
                vec![word(token, &texts(&values(host)))?]
            }
            Values::Sampled { all, .. } if *token == "all" => all(host),
            Values::Sampled { all, .. } => vec![one_of(token, &all(host))?],
            _ => sizes(token)?.into_iter().map(AxisValue::Int).collect(),
        };
        values.extend(more.into_iter().filter(|value| !values.contains(value)).collect::<Vec<_>>());
    }
    Ok(values)
}

/// The values of a setting of a free axis: sizes, ranges, numbers, and any other text as it is.
pub fn free(setting: &Setting<'_>) -> Result<Vec<AxisValue>, String> {
    let mut values: Vec<AxisValue> = Vec::new();
    for token in &setting.tokens {
        let is_range = token.split_once("..").is_some_and(|(from, rest)| {
            amount::whole(from).is_some() && rest.split(':').all(|part| amount::whole(part).is_some())
        });
        let more = match (is_range, amount::whole(token), token.parse::<f64>()) {
            (true, ..) => sizes(token)?.into_iter().map(AxisValue::Int).collect(),
            (_, Some(number), _) => vec![AxisValue::Int(number)],
            (_, None, Ok(number)) if number.is_finite() => vec![AxisValue::Float(number)],
            (_, None, _) => vec![AxisValue::from(*token)],
        };
        values.extend(more.into_iter().filter(|value| !values.contains(value)).collect::<Vec<_>>());
    }
    Ok(values)
}

/// Words that a message names at most.
const WORDS_NAMED: usize = 6;

/// Whole numbers of at least 1, each once, and ranges of them: `88,220`, `64..1024`.
pub fn whole(text: &str) -> Result<Vec<i64>, String> {
    let mut numbers: Vec<i64> = Vec::new();
    for token in text.split(',') {
        numbers.extend(sizes(token.trim())?.into_iter().filter(|n| !numbers.contains(n)).collect::<Vec<_>>());
    }
    Ok(numbers)
}

fn texts(values: &[AxisValue]) -> Vec<&str> {
    values
        .iter()
        .filter_map(|value| if let AxisValue::Text(text) = value { Some(text.as_str()) } else { None })
        .collect()
}

/// A whole number; a range by doubling, `8..64`; or a range by steps, `10..100:10`, whose end is in it only where a step meets it.
fn sizes(token: &str) -> Result<Vec<i64>, String> {
    let Some((from, rest)) = token.split_once("..") else {
        return Ok(vec![amount::positive(token)?]);
    };
    let (to, step) = rest.split_once(':').map_or((rest, None), |(to, step)| (to, Some(step)));
    let (from, to) = (amount::positive(from)?, amount::positive(to)?);
    if to < from {
        return Err(format!("`{token}` runs backwards: write the smaller size first"));
    }
    let Some(step) = step else { return Ok(doubling(from, to)) };
    let step = amount::positive(step)?;
    match usize::try_from((to - from) / step) {
        Ok(steps) if steps < STEPS_MAX => Ok((0..=steps as i64).map(|count| from + count * step).collect()),
        _ => Err(format!("`{token}` has more than {STEPS_MAX} values: take larger steps")),
    }
}

fn real(token: &str) -> Result<AxisValue, String> {
    match token.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(AxisValue::Float(number)),
        _ => Err(format!("`{token}` is not a number")),
    }
}

/// One of `all`; where they are many, the message names some.
fn one_of(token: &str, all: &[AxisValue]) -> Result<AxisValue, String> {
    let texts = texts(all);
    let found = texts.iter().find(|text| **text == token).map(|text| AxisValue::from(*text));
    let some = texts[..texts.len().min(WORDS_NAMED)].join(", ");
    found.ok_or_else(|| match texts.len() {
        0 => format!("`{token}` is not here: this process has nothing of that kind to choose from"),
        count if count > WORDS_NAMED => format!("`{token}` is not `all` or one of {count} such as {some}"),
        _ => format!("`{token}` is not `all` or one of {some}"),
    })
}

fn word(token: &str, words: &[&str]) -> Result<AxisValue, String> {
    match words.iter().find(|word| word.eq_ignore_ascii_case(token)) {
        Some(word) => Ok(AxisValue::from(*word)),
        None => Err(format!("`{token}` is not one of {}", words.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use paw_machine::topology::Topology;

    use paw_suites::mpi_job::MpiJob;

    use super::*;

    /// The values of `text` for an axis of `values`, or the error, as text.
    fn check(text: &str, values: Values, expected: &str) {
        let axis = Axis { name: "x", meaning: "", values };
        let found = split(text).and_then(|setting| super::values(&setting, &axis, &nowhere()));
        let found = match found {
            Ok(values) => values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            Err(error) => error,
        };
        assert_eq!(found, expected, "{text}");
    }

    /// A machine without known facts.
    fn nowhere() -> Host {
        Host {
            topology: Topology::default(),
            activity: None,
            granted: None,
            blas: Vec::new(),
            isa: Vec::new(),
            ranks: MpiJob::none(),
            free_bytes: 1e9,
            devices: paw_suites::device_inventory::DeviceInventory::default(),
        }
    }

    #[test]
    fn ranges_double_and_keep_their_end() {
        let sizes = || Values::Doubling(8, 64);
        check("x=8..64", sizes(), "8 16 32 64");
        check("x=8..100", sizes(), "8 16 32 64 100");
        check("x=10..40:10,64", sizes(), "10 20 30 40 64");
        check("x=10..39:10", sizes(), "10 20 30");
        check("x=8..8:3", sizes(), "8");
        check("x=1..9:0", sizes(), "`0` is zero: at least 1 is needed");
        check("x=1..1000000:1", sizes(), "`1..1000000:1` has more than 10000 values: take larger steps");
        check("x=64,100", sizes(), "64 100");
        check("x=7..7", sizes(), "7");
        check("x=8..16,16,32", sizes(), "8 16 32");
        check("x=0,3", Values::Machine(|_| vec![AxisValue::Int(0), AxisValue::Int(1)]), "0 3");
        check("x=1KiB..4KiB", Values::Machine(|_| vec![AxisValue::Int(1)]), "1024 2048 4096");
        check("x=0,8", Values::Ints(&[0]), "0 8");
        check("x=9223372036854775806..9223372036854775807", sizes(), "9223372036854775806 9223372036854775807");
    }

    #[test]
    fn numbers_and_words_are_themselves() {
        check("x=0.5,-1", Values::Floats(&[1.0]), "0.5 -1");
        check("x=t", Values::Words(&["N", "T"]), "T");
        check("x=nt", Values::Each(&["normal", "nt"]), "nt");
        check("x=B", Values::Machine(|_| vec!["a".into(), "b".into()]), "b");
        let sampled = |all: fn(&Host) -> Vec<AxisValue>| Values::Sampled { some: |_| vec!["0-1".into()], all };
        check("x=all", sampled(|_| vec!["0-1".into(), "0-2".into()]), "0-1 0-2");
        check("x=0-2", sampled(|_| vec!["0-1".into(), "0-2".into()]), "0-2");
        check("x=0-3", sampled(|_| vec!["0-1".into(), "0-2".into()]), "`0-3` is not `all` or one of 0-1, 0-2");
        check(
            "x=9-1",
            sampled(|_| (1..9).map(|n| AxisValue::Text(format!("0-{n}").into())).collect()),
            "`9-1` is not `all` or one of 8 such as 0-1, 0-2, 0-3, 0-4, 0-5, 0-6",
        );
        check(
            "x=0-1",
            sampled(|_| Vec::new()),
            "`0-1` is not here: this process has nothing of that kind to choose from",
        );
    }

    #[test]
    fn the_wrong_token_is_named() {
        let sizes = || Values::Ints(&[1]);
        check("x", sizes(), "`--set x` is not AXIS=VALUES: write --set n=64,100 or --set n=8..8192");
        check("x=8,,9", sizes(), "`--set x=8,,9` is not AXIS=VALUES: write --set n=64,100 or --set n=8..8192");
        check("x=8,0", sizes(), "`0` is zero: at least 1 is needed");
        check("x=-8", sizes(), "`-8` is negative: at least 1 is needed");
        check("x=8..4", sizes(), "`8..4` runs backwards: write the smaller size first");
        check("x=abc", sizes(), "`abc` is not a whole number");
        check("x=nan", Values::Floats(&[1.0]), "`nan` is not a number");
        check("x=c", Values::Machine(|_| vec!["a".into(), "b".into()]), "`c` is not one of a, b");
        check("x=Q", Values::Words(&["N", "T"]), "`Q` is not one of N, T");
    }

    #[test]
    fn a_free_axis_takes_ranges_numbers_and_texts() {
        let free = |text: &str| {
            let values = split(text).and_then(|setting| super::free(&setting));
            values.map(|values| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(free("n=2..8,10..30:10,0.5,fast").as_deref(), Ok("2 4 8 10 20 30 0.5 fast"));
        assert_eq!(free("n=a..b:c,1..x").as_deref(), Ok("a..b:c 1..x"));
        assert_eq!(free("n=1..9:-1"), Err("`-1` is negative: at least 1 is needed".to_owned()));
    }
}
