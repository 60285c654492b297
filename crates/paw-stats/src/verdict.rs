//! What may be said of a ratio, given its interval and a margin.

/// What a ratio of times b ÷ a says of b.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The whole interval lies below the margin: b takes less time.
    Faster,
    /// The whole interval lies above the margin: b takes more time.
    Slower,
    /// The whole interval lies within the margin.
    Same,
    /// The interval crosses the margin, or there is none: more samples may settle it.
    Inconclusive,
}

impl Verdict {
    /// The verdict on a ratio of times whose interval is `low` … `high`; `margin` is relative (0.01 for 1 %) and the same
    /// on both sides of the logarithm: from 1 ÷ (1 + margin) to 1 + margin. A negative margin counts as none.
    pub fn of(low: f64, high: f64, margin: f64) -> Self {
        let above = 1.0 + margin.max(0.0);
        let below = 1.0 / above;
        if low > above {
            Verdict::Slower
        } else if high < below {
            Verdict::Faster
        } else if low >= below && high <= above {
            Verdict::Same
        } else {
            Verdict::Inconclusive
        }
    }

    /// The word tables print.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Faster => "FASTER",
            Verdict::Slower => "SLOWER",
            Verdict::Same => "SAME",
            Verdict::Inconclusive => "INCONCLUSIVE",
        }
    }

    /// The verdict with a and b exchanged.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Verdict::Faster => Verdict::Slower,
            Verdict::Slower => Verdict::Faster,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_interval_decides() {
        for (low, high, word) in [
            (1.02, 1.05, "SLOWER"),
            (0.90, 0.95, "FASTER"),
            (0.995, 1.005, "SAME"),
            (1.0, 1.0, "SAME"),
            (0.995, 1.02, "INCONCLUSIVE"),
            (1.005, 1.02, "INCONCLUSIVE"),
            (0.5, 2.0, "INCONCLUSIVE"),
            (f64::NAN, f64::NAN, "INCONCLUSIVE"),
        ] {
            assert_eq!(Verdict::of(low, high, 0.01).word(), word, "{low} … {high}");
        }
    }

    #[test]
    fn the_margin_is_as_wide_below_as_above_in_logarithms() {
        assert_eq!(Verdict::of(1.0 / 1.01, 1.01, 0.01), Verdict::Same);
        assert_eq!(Verdict::of(0.9899, 1.0, 0.01), Verdict::Inconclusive);
    }

    #[test]
    fn exchanging_both_turns_the_verdict() {
        for (low, high) in [(1.02, 1.05), (0.9, 0.95), (0.999, 1.001), (0.9, 1.1)] {
            assert_eq!(Verdict::of(low, high, 0.01).reversed(), Verdict::of(1.0 / high, 1.0 / low, 0.01));
        }
    }
}
