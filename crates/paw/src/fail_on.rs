//! `--fail-on slower[=2%]`: the comparisons that make paw exit with 1.

use paw_data::comparison::Comparison;
use paw_data::run::Run;
use paw_data::scaling::{RankedRow, Ranking, Scaling};
use paw_stats::verdict::{Size, Verdict};

use crate::amount;
use crate::print;

/// What makes a comparison a failure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FailOn {
    /// The relative difference that it must pass; `None`: any.
    by_more_than: Option<f64>,
}

impl FailOn {
    /// Parses `slower` or `slower=2%`; the error says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let shape = || format!("`{text}` is no rule: write slower, or slower=2%");
        let (word, share) = text.split_once('=').map_or((text, None), |(word, share)| (word, Some(share)));
        if word.trim() != "slower" {
            return Err(shape());
        }
        let by_more_than = share.map(|share| amount::share(share.trim()).map_err(|why| format!("{}: {why}", shape())));
        Ok(Self { by_more_than: by_more_than.transpose()? })
    }

    /// The alternatives of `run` that are slower than what they are held against, each in a sentence without a full stop.
    pub fn met(self, run: &Run) -> Vec<String> {
        let rankings = Scaling::of(run).map(|scaling| scaling.rankings).unwrap_or_default();
        let slower = |ranking: &Ranking<'_>| -> Vec<String> {
            let held = ranking.rows.iter().filter_map(|row| Some((row, row.against.as_ref()?, row.comparison?)));
            let met = held.filter(|(.., found)| self.is_met(found));
            let place = ranking.place.to_string();
            let at = if place.is_empty() { place } else { format!(" at {place}") };
            let sentence = |(row, against, found): (&RankedRow<'_>, &String, Comparison)| {
                let interval = found.interval.map_or(String::new(), |i| format!(" ({:.3}…{:.3})", i.low, i.high));
                format!("{} takes {:.3}{interval} times as long as {against}{at}", row.name, found.ratio)
            };
            met.map(sentence).collect()
        };
        rankings.iter().flat_map(slower).collect()
    }

    /// Prints which alternatives of `run` meet it, and how many may.
    pub fn report(self, run: &Run) {
        self.met(run).iter().for_each(|sentence| print::message(&format!("paw: {sentence} (--fail-on)")));
        let open = self.open(run);
        if open > 0 {
            let shown = amount::counted(open, "comparison");
            print::message(&format!("paw: {shown} open for --fail-on: more runs would tell, as of --until decided"));
        }
    }

    /// How many comparisons of `run` do not show whether the rule is met.
    fn open(self, run: &Run) -> usize {
        let rankings = Scaling::of(run).map(|scaling| scaling.rankings).unwrap_or_default();
        let rows = rankings.iter().flat_map(|ranking| &ranking.rows);
        rows.filter_map(|row| row.comparison).filter(|found| self.is_open(found)).count()
    }

    /// Whether the interval of `found` holds the threshold, or there is none; the same is not slower.
    fn is_open(self, found: &Comparison) -> bool {
        let threshold = 1.0 + self.by_more_than.unwrap_or(0.0);
        let is_same = self.by_more_than.is_none() && found.verdict == Verdict::Same;
        let holds = found.interval.is_none_or(|ends| ends.low <= threshold && ends.high > threshold);
        holds && !is_same
    }

    /// Whether `found` shows that it is slower, with its whole interval beyond the share.
    pub fn is_met(self, found: &Comparison) -> bool {
        let is_slower = matches!(found.verdict, Verdict::Slower(_));
        let is_beyond = |share: f64| {
            let verdict = found.interval.map(|interval| Verdict::of(interval.low, interval.high, share));
            verdict == Some(Verdict::Slower(Size::Beyond))
        };
        is_slower && self.by_more_than.is_none_or(is_beyond)
    }
}

#[cfg(test)]
mod tests {
    use paw_data::comparison::Pairing;
    use paw_stats::interval::Bounds;
    use paw_stats::verdict::Doubt;

    use super::*;

    /// Whether `rule` is met by the interval, and whether that is open.
    fn check(rule: &str, interval: Option<(f64, f64)>, expected: (bool, bool)) {
        let interval = interval.map(|(low, high)| Bounds { low, high });
        let verdict = interval.map_or(Verdict::Inconclusive(Doubt::NoInterval), |i| Verdict::of(i.low, i.high, 0.01));
        let pairing = Pairing::Paired { rounds: 32, invocations: 32 };
        let found = Comparison { ratio: 1.0, interval, verdict, pairing, margin: 0.01, needed: None };
        let rule = FailOn::parse(rule).unwrap();
        assert_eq!((rule.is_met(&found), rule.is_open(&found)), expected, "{rule:?} {interval:?}");
    }

    #[test]
    fn slower_needs_an_interval_above_one() {
        check("slower", Some((1.001, 1.004)), (true, false));
        check("slower", Some((0.999, 1.004)), (false, false));
        check("slower", Some((0.98, 1.04)), (false, true));
        check("slower", Some((0.9, 0.95)), (false, false));
        check("slower", None, (false, true));
    }

    #[test]
    fn slower_by_a_share_needs_an_interval_beyond_it() {
        check("slower=2%", Some((1.021, 1.05)), (true, false));
        check("slower=2%", Some((1.019, 1.05)), (false, true));
        check("slower=0.1", Some((1.05, 1.09)), (false, false));
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        assert_eq!(FailOn::parse("faster"), Err("`faster` is no rule: write slower, or slower=2%".to_owned()));
        assert!(FailOn::parse("slower=-1").is_err_and(|why| why.starts_with("`slower=-1` is no rule")));
    }
}
