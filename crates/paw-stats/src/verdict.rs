//! The verdict on a ratio of times from its interval and a margin: a direction with a size, or the reason for none.

use std::fmt;

/// The verdict on b from a ratio of times b ÷ a.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The interval lies below 1: b takes less time.
    Faster(Size),
    /// The interval lies above 1: b takes more time.
    Slower(Size),
    /// The interval holds 1 and lies within the margin.
    Same,
    /// Neither direction nor equality is shown.
    Inconclusive(Doubt),
}

/// How a difference compares with the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Size {
    /// The whole interval lies within the margin.
    Within,
    /// The whole interval lies beyond the margin.
    Beyond,
    /// The interval crosses the end of the margin.
    Unknown,
}

/// Why there is no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// The interval holds 1 and reaches beyond the margin.
    Wide,
    /// There are too few values for an interval.
    NoInterval,
    /// Too few rounds have an undisturbed sample of both.
    FewRounds {
        /// Rounds in which both are undisturbed.
        clean: usize,
        /// Rounds in which both have a sample.
        of: usize,
        /// Rounds that an interval needs at this confidence.
        needed: usize,
    },
    /// Too few invocations have an undisturbed round.
    FewInvocations {
        /// Invocations with one.
        found: usize,
        /// Invocations that an interval needs.
        needed: usize,
    },
    /// Each side is one process, and the difference does not pass what processes of one program differ by.
    OneInvocation {
        /// Largest difference that processes of one program are taken to have, in per cent.
        percent: u32,
    },
    /// Samples of a round held different numbers of iterations.
    UnequalLoops,
    /// The cells were not measured in the same rounds.
    Apart,
    /// Too few runs of a side.
    FewRuns {
        /// Runs of the side that has fewer.
        runs: usize,
        /// Runs a side that a verdict needs.
        needed: usize,
    },
}

/// The reason in one clause, without a full stop.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Doubt::Wide => write!(f, "the interval holds 1 and reaches beyond the margin"),
            Doubt::NoInterval => write!(f, "too few values for an interval"),
            Doubt::FewRounds { clean, of, needed } => {
                write!(f, "{clean} of {of} rounds were clean; {needed} are needed")
            }
            Doubt::FewInvocations { found, needed } => {
                write!(f, "{found} invocations had clean rounds; {needed} are needed")
            }
            Doubt::OneInvocation { percent } => {
                write!(f, "one process a side decides no difference up to {percent} %; 3 invocations are needed")
            }
            Doubt::UnequalLoops => write!(f, "samples of a round held different numbers of iterations"),
            Doubt::Apart => write!(f, "the cells were not measured in the same rounds"),
            Doubt::FewRuns { runs, needed } => {
                write!(f, "{runs} run{} of a side had numbers; {needed} are needed", if runs == 1 { "" } else { "s" })
            }
        }
    }
}

impl Verdict {
    /// The words of all verdicts, in the order in which they are counted.
    pub const WORDS: [&'static str; 4] = ["FASTER", "SLOWER", "SAME", "INCONCLUSIVE"];

    /// The verdict on a ratio of times whose interval is `low` … `high`; `margin` is relative (0.01 for 1 %) and the same
    /// on both sides of the logarithm: from 1 ÷ (1 + margin) to 1 + margin. A negative margin counts as none.
    pub fn of(low: f64, high: f64, margin: f64) -> Self {
        let above = 1.0 + margin.max(0.0);
        if low > 1.0 && high >= low {
            Verdict::Slower(size(low, high, above))
        } else if high < 1.0 && high >= low {
            Verdict::Faster(size(1.0 / high, 1.0 / low, above))
        } else if low >= 1.0 / above && high <= above {
            Verdict::Same
        } else {
            Verdict::Inconclusive(Doubt::Wide)
        }
    }

    /// The word that tables print and counts use.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Faster(_) => Self::WORDS[0],
            Verdict::Slower(_) => Self::WORDS[1],
            Verdict::Same => Self::WORDS[2],
            Verdict::Inconclusive(_) => Self::WORDS[3],
        }
    }

    /// Whether the two are called different.
    pub fn is_claim(self) -> bool {
        matches!(self, Verdict::Faster(_) | Verdict::Slower(_))
    }

    /// Why there is no verdict; `None` where there is one.
    pub fn doubt(self) -> Option<Doubt> {
        if let Verdict::Inconclusive(doubt) = self { Some(doubt) } else { None }
    }

    /// What follows the word: the size against `margin`, `by less than 1 %` or `by 1 % or more`, or the reason of a doubt; empty where
    /// there is nothing to add.
    pub fn detail(self, margin: f64) -> String {
        // 0.01 is 1 %, and not 1.0000000000000002 %.
        let percent = (margin * 1e6).round() / 1e4;
        match self {
            Verdict::Faster(Size::Within) | Verdict::Slower(Size::Within) => format!("by less than {percent} %"),
            Verdict::Faster(Size::Beyond) | Verdict::Slower(Size::Beyond) => format!("by {percent} % or more"),
            Verdict::Faster(Size::Unknown) | Verdict::Slower(Size::Unknown) | Verdict::Same => String::new(),
            Verdict::Inconclusive(doubt) => doubt.to_string(),
        }
    }
}

/// The size of a difference whose interval lies above 1.
fn size(low: f64, high: f64, above: f64) -> Size {
    match (low > above, high <= above) {
        (true, _) => Size::Beyond,
        (_, true) => Size::Within,
        _ => Size::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_decides_direction_then_size() {
        for (low, high, word, detail) in [
            (1.02, 1.05, "SLOWER", "by 1 % or more"),
            (0.90, 0.95, "FASTER", "by 1 % or more"),
            (1.002, 1.01, "SLOWER", "by less than 1 %"),
            (0.995, 0.999, "FASTER", "by less than 1 %"),
            (1.005, 1.02, "SLOWER", ""),
            (0.98, 0.999, "FASTER", ""),
            (0.995, 1.005, "SAME", ""),
            (1.0, 1.0, "SAME", ""),
            (1.0, 1.005, "SAME", ""),
            (0.995, 1.02, "INCONCLUSIVE", "the interval holds 1 and reaches beyond the margin"),
            (0.5, 2.0, "INCONCLUSIVE", "the interval holds 1 and reaches beyond the margin"),
            (f64::NAN, f64::NAN, "INCONCLUSIVE", "the interval holds 1 and reaches beyond the margin"),
        ] {
            let verdict = Verdict::of(low, high, 0.01);
            assert_eq!((verdict.word(), verdict.detail(0.01).as_str()), (word, detail), "{low} … {high}");
            assert_eq!(verdict.is_claim(), low > 1.0 || high < 1.0);
        }
    }

    #[test]
    fn the_margin_is_as_wide_below_as_above_in_logarithms() {
        assert_eq!(Verdict::of(1.0 / 1.01, 1.01, 0.01), Verdict::Same);
        assert_eq!(Verdict::of(0.9899, 1.0, 0.01), Verdict::Inconclusive(Doubt::Wide));
        assert_eq!(Verdict::of(1.01, 1.02, 0.01), Verdict::Slower(Size::Unknown), "the end is within the margin");
        assert_eq!(Verdict::of(1.001, 1.02, -1.0), Verdict::Slower(Size::Beyond));
    }

    #[test]
    fn exchanging_both_turns_the_verdict() {
        let reversed = |verdict| match verdict {
            Verdict::Faster(size) => Verdict::Slower(size),
            Verdict::Slower(size) => Verdict::Faster(size),
            other => other,
        };
        for (low, high) in [(1.02, 1.05), (0.9, 0.95), (0.999, 1.001), (0.9, 1.1), (1.002, 1.005), (1.002, 1.05)] {
            assert_eq!(reversed(Verdict::of(low, high, 0.01)), Verdict::of(1.0 / high, 1.0 / low, 0.01));
        }
    }

    #[test]
    fn a_doubt_says_what_would_end_it() {
        for (doubt, text) in [
            (Doubt::FewRounds { clean: 2, of: 12, needed: 8 }, "2 of 12 rounds were clean; 8 are needed"),
            (Doubt::FewInvocations { found: 2, needed: 3 }, "2 invocations had clean rounds; 3 are needed"),
            (Doubt::FewRuns { runs: 1, needed: 3 }, "1 run of a side had numbers; 3 are needed"),
        ] {
            let verdict = Verdict::Inconclusive(doubt);
            assert_eq!((verdict.detail(0.01).as_str(), verdict.doubt()), (text, Some(doubt)));
        }
    }
}
