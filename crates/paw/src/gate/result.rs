//! The result of a gate: judgements, and what they mean for its exit code.

use std::path::Path;

use paw_data::baseline::judgement::{Judgement, Verdict};
use paw_data::run::Run;

use crate::cli::FailWord;
use crate::exit::{self, Code};

/// The result of a gate.
pub struct GateResult<'a> {
    /// The file of references.
    pub file: &'a Path,
    /// The runs.
    pub runs: &'a [Run],
    /// What they say, in the order of the file.
    pub judgements: Vec<Judgement<'a>>,
    /// What fails.
    pub rule: Rule,
}

/// Which verdicts fail a gate.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The verdicts of `--fail-on`.
    pub fail_on: Vec<FailWord>,
    /// Whether the runs may lack what the file has.
    pub allow_missing: bool,
}

impl Rule {
    /// The exit code that a judgement asks for. What looks like a regression and is in doubt is neither proof of one (1) nor a pass (0).
    pub fn of(&self, judgement: &Judgement<'_>) -> Code {
        let is_doubted =
            is_doubt(judgement.verdict) && judgement.looks_worse && self.fail_on.contains(&FailWord::Doubted);
        let doubted = is_doubted.then_some(Code::Inconclusive);
        exit::strongest(doubted.into_iter().chain([self.code(judgement.verdict)]))
    }

    /// The exit code that a verdict asks for; [`Code::Done`] if it does not fail the gate.
    pub fn code(&self, verdict: Verdict) -> Code {
        let asked = |word: FailWord, code: Code| if self.fail_on.contains(&word) { code } else { Code::Done };
        match verdict {
            Verdict::Regression => asked(FailWord::Regression, Code::Finding),
            Verdict::Wrong => asked(FailWord::Wrong, Code::Finding),
            Verdict::Suspicious => asked(FailWord::Suspicious, Code::Finding),
            Verdict::Unstable => asked(FailWord::Unstable, Code::Inconclusive),
            Verdict::Inconclusive => asked(FailWord::Inconclusive, Code::Inconclusive),
            Verdict::Contended => asked(FailWord::Contended, Code::Inconclusive),
            Verdict::Failed => Code::Failed,
            Verdict::Missing | Verdict::OtherUnit if self.allow_missing => Code::Done,
            // What is ambiguous is a mistake, and nothing that the runs may lack.
            Verdict::Missing | Verdict::OtherUnit | Verdict::Ambiguous => Code::Missing,
            Verdict::Pass | Verdict::NoBound | Verdict::OtherMachine => Code::Done,
        }
    }
}

impl GateResult<'_> {
    /// The exit code: that of the gravest verdict; a gate that judged nothing is none.
    pub fn code(&self) -> Code {
        let is_judged = |judgement: &Judgement<'_>| match judgement.verdict {
            Verdict::OtherMachine => false,
            Verdict::Missing | Verdict::OtherUnit => !self.rule.allow_missing,
            _ => true,
        };
        match self.judgements.iter().any(is_judged) {
            true => exit::strongest(self.judgements.iter().map(|judgement| self.rule.of(judgement))),
            false => Code::Nothing,
        }
    }

    /// Whether a judgement fails the gate.
    pub fn fails(&self, judgement: &Judgement<'_>) -> bool {
        self.rule.of(judgement) != Code::Done
    }

    /// The word that the page begins with. What does not fail the gate is a `PASS` only where all that was to be judged passed.
    pub fn answer(&self) -> &'static str {
        let any = |fits: fn(&Judgement<'_>) -> bool| self.judgements.iter().any(fits);
        match self.code() {
            Code::Nothing => "NOTHING JUDGED",
            Code::Inconclusive => "NOT JUDGED",
            Code::Done if any(|own| matches!(own.verdict, Verdict::Regression | Verdict::Wrong)) => "TOLERATED",
            Code::Done if any(|own| own.looks_worse) => "NOT JUDGED",
            Code::Done if any(|own| own.verdict == Verdict::Pass) => match any(is_open) {
                true => "PASS IN PART",
                false => "PASS",
            },
            Code::Done if any(|own| own.verdict == Verdict::Suspicious) => "SUSPICIOUS",
            Code::Done => "NOT JUDGED",
            _ => "FAIL",
        }
    }

    /// `1 regression, 3 pass`: how often there is each verdict, the gravest first.
    pub fn counts(&self) -> String {
        let count = |verdict: Verdict| self.judgements.iter().filter(|own| own.verdict == verdict).count();
        let is_unjudged = |verdict: Verdict| is_doubt(verdict) || verdict == Verdict::NoBound;
        let note = |verdict: Verdict| if is_unjudged(verdict) { " (not judged)" } else { "" };
        let all = Verdict::ALL.into_iter().map(|verdict| (count(verdict), verdict)).filter(|(count, _)| *count > 0);
        all.map(|(count, verdict)| format!("{count} {}{}", verdict.word(), note(verdict)))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Whether a verdict leaves open what the number is.
fn is_doubt(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Contended | Verdict::Unstable | Verdict::Inconclusive)
}

/// Whether a judgement leaves something open. A reference for other machines asks for nothing.
fn is_open(judgement: &Judgement<'_>) -> bool {
    !matches!(judgement.verdict, Verdict::Pass | Verdict::OtherMachine)
}

/// `10.9 ms is 8.8 % more than 10.0 ms, bound 10.6 ms: why`: a judgement in one sentence without a full stop.
pub fn sentence(judgement: &Judgement<'_>) -> String {
    let baseline = judgement.baseline;
    let bound = match judgement.verdict {
        Verdict::Suspicious => baseline.better(),
        _ => baseline.worse(),
    };
    let bound = bound.map_or(String::new(), |bound| format!(", bound {}", baseline.unit.shown(bound)));
    let value = judgement.figure.zip(judgement.change()).map(|(figure, change)| {
        let [value, reference] = [figure.value, baseline.value].map(|value| baseline.unit.shown(value));
        format!("{value} is {}{reference}{bound}", difference(change))
    });
    [value, Some(judgement.why.clone())].into_iter().flatten().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(": ")
}

/// `8.8 % more than `: what stands between a value and its reference.
fn difference(change: f64) -> String {
    let percent = format!("{:.1}", 100.0 * change.abs());
    match percent.as_str() {
        "0.0" => "within 0.1 % of ".to_owned(),
        _ if change < 0.0 => format!("{percent} % less than "),
        _ => format!("{percent} % more than "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_has_its_direction_in_words() {
        for (change, said) in [
            (0.501, "50.1 % more than "),
            (-0.0909, "9.1 % less than "),
            (-0.0001, "within 0.1 % of "),
            (0.0, "within 0.1 % of "),
        ] {
            assert_eq!(difference(change), said);
        }
    }

    #[test]
    fn verdicts_have_the_codes_that_are_asked_for() {
        let rule = |fail_on: &[FailWord], allow_missing| Rule { fail_on: fail_on.to_vec(), allow_missing };
        let usual = rule(&[FailWord::Regression, FailWord::Wrong], false);
        for (verdict, code) in [
            (Verdict::Pass, Code::Done),
            (Verdict::Suspicious, Code::Done),
            (Verdict::Regression, Code::Finding),
            (Verdict::Inconclusive, Code::Done),
            (Verdict::Unstable, Code::Done),
            (Verdict::Contended, Code::Done),
            (Verdict::Wrong, Code::Finding),
            (Verdict::Failed, Code::Failed),
            (Verdict::Missing, Code::Missing),
            (Verdict::OtherUnit, Code::Missing),
            (Verdict::Ambiguous, Code::Missing),
            (Verdict::NoBound, Code::Done),
            (Verdict::OtherMachine, Code::Done),
        ] {
            assert_eq!(usual.code(verdict), code, "{verdict:?}");
        }
        let strict =
            rule(&[FailWord::Unstable, FailWord::Inconclusive, FailWord::Contended, FailWord::Suspicious], true);
        for (verdict, code) in [
            (Verdict::Suspicious, Code::Finding),
            (Verdict::Regression, Code::Done),
            (Verdict::Inconclusive, Code::Inconclusive),
            (Verdict::Unstable, Code::Inconclusive),
            (Verdict::Contended, Code::Inconclusive),
            (Verdict::Missing, Code::Done),
            (Verdict::Ambiguous, Code::Missing),
            (Verdict::NoBound, Code::Done),
        ] {
            assert_eq!(strict.code(verdict), code, "{verdict:?}");
        }
    }
}
