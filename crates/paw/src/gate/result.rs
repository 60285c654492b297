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
            Verdict::Missing | Verdict::OtherUnit => Code::Missing,
            Verdict::Pass | Verdict::OtherMachine => Code::Done,
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

    /// `PASS`, `FAIL`, `TOLERATED` where a regression does not fail this gate, or that nobody can tell: a doubt that fails the gate is no regression, and where there are doubts alone nothing passed.
    pub fn answer(&self) -> &'static str {
        let is_open = |own: &Judgement<'_>| is_doubt(own.verdict) || own.verdict == Verdict::OtherMachine;
        match self.code() {
            Code::Nothing => "NOTHING JUDGED",
            Code::Inconclusive => "NOT JUDGED",
            Code::Done if self.judgements.iter().all(is_open) => "NOT JUDGED",
            Code::Done if self.judgements.iter().any(|own| own.verdict == Verdict::Regression) => "TOLERATED",
            Code::Done => "PASS",
            _ => "FAIL",
        }
    }

    /// `1 regression, 3 pass`: how often there is each verdict, the gravest first.
    pub fn counts(&self) -> String {
        let count = |verdict: Verdict| self.judgements.iter().filter(|own| own.verdict == verdict).count();
        let note = |verdict: Verdict| if is_doubt(verdict) { " (not judged)" } else { "" };
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

/// `10.9 ms, +8.8 % (bound 10.6 ms): why`: a judgement in one sentence without a full stop.
pub fn sentence(judgement: &Judgement<'_>) -> String {
    let baseline = judgement.baseline;
    let bound = match judgement.verdict {
        Verdict::Suspicious => baseline.better(),
        _ => baseline.worse(),
    };
    let bound = bound.map_or(String::new(), |bound| format!(", bound {}", baseline.unit.shown(bound)));
    let value = judgement.figure.map(|figure| {
        let change = judgement.change().map_or(String::new(), |change| format!("{:+.1} % of ", 100.0 * change));
        let reference = baseline.unit.shown(baseline.value);
        format!("{} is {change}{reference}{bound}", baseline.unit.shown(figure.value))
    });
    [value, Some(judgement.why.clone())].into_iter().flatten().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert_eq!(strict.code(verdict), code, "{verdict:?}");
        }
    }
}
