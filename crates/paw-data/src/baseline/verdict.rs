//! The words for what runs say about a baseline.

/// A verdict on one baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The runs' own interval lies within the bound; of a bound that runs as precise gave, the value.
    Pass,
    /// The interval, with what differs from run to run, lies beyond the bound on the good side.
    Suspicious,
    /// The interval, with what differs from run to run, lies beyond the bound on the bad side.
    Regression,
    /// Neither.
    Inconclusive,
    /// The baseline has no bound on the bad side.
    NoBound,
    /// The number cannot be relied on.
    Unstable,
    /// Other work disturbed the measurement.
    Contended,
    /// The answer is wrong.
    Wrong,
    /// The measurement broke.
    Failed,
    /// The runs do not have it.
    Missing,
    /// The runs have it in units that do not go over into each other.
    OtherUnit,
    /// Several cells, or runs of several machines, could be meant.
    Ambiguous,
    /// It is for other machines.
    OtherMachine,
}

impl Verdict {
    /// Every verdict, the gravest first.
    pub const ALL: [Self; 13] = [
        Self::Wrong,
        Self::Regression,
        Self::Failed,
        Self::Ambiguous,
        Self::Missing,
        Self::OtherUnit,
        Self::Contended,
        Self::Unstable,
        Self::Inconclusive,
        Self::Suspicious,
        Self::NoBound,
        Self::Pass,
        Self::OtherMachine,
    ];

    /// The word that tables and files have.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Suspicious => "suspiciously good",
            Verdict::Regression => "regression",
            Verdict::Inconclusive => "inconclusive",
            Verdict::NoBound => "no bound",
            Verdict::Unstable => "unstable",
            Verdict::Contended => "contended",
            Verdict::Wrong => "wrong",
            Verdict::Failed => "failed",
            Verdict::Missing => "missing",
            Verdict::OtherUnit => "other unit",
            Verdict::Ambiguous => "ambiguous",
            Verdict::OtherMachine => "other machine",
        }
    }
}
