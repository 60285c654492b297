//! Reasons to doubt a number: a short code for tables, and the one thing to do about each.

use paw_data::outcome::CheckVerdict;
use paw_data::trust::Reason;

/// A short word for a column: the id of the equivalent caveat, if there is one.
pub fn code(reason: &Reason) -> &str {
    match reason {
        Reason::Check(CheckVerdict::Fail) => "wrong",
        Reason::Check(_) => "imprecise",
        Reason::Failed => "failed",
        Reason::FewSamples { .. } => "few-samples",
        Reason::WideInterval { .. } => "unconverged",
        Reason::Spread { .. } => "noisy",
        Reason::Unconverged { .. } => "unconverged",
        Reason::LoneMinimum => "lucky-minimum",
        Reason::Disturbed { .. } => "contended",
        Reason::Drift { .. } => "drift",
        Reason::TwoModes { .. } => "bimodal",
        Reason::SlowStart { .. } => "warm-up",
        Reason::Caveat { id, .. } => id,
    }
}

/// The codes of `reasons`, each once, the gravest first.
pub fn codes(reasons: &[Reason]) -> Vec<&str> {
    let mut codes: Vec<&str> = Vec::new();
    for reason in reasons {
        if !codes.contains(&code(reason)) {
            codes.push(code(reason));
        }
    }
    codes
}

/// At most `most` of `codes`, and how many there are beyond them.
pub fn at_most(codes: &[&str], most: usize) -> String {
    let more = codes.len().saturating_sub(most);
    let more = if more > 0 { format!(" +{more} more") } else { String::new() };
    codes[..codes.len().min(most)].join(", ") + &more
}

/// The one thing to do; empty for a caveat of the record, which has its own action.
pub fn action(reason: &Reason) -> &'static str {
    match reason {
        Reason::Check(_) => "Do not use this library for this; compare with another provider.",
        Reason::Failed => "Read why it failed, and measure this cell alone.",
        Reason::FewSamples { .. } => "Ask for more samples: --reps 16.",
        Reason::WideInterval { .. } | Reason::Spread { .. } | Reason::Unconverged { .. } => {
            "Measure again on an idle machine, or give it longer with --budget."
        }
        Reason::LoneMinimum => "Read the median instead of the best.",
        Reason::Disturbed { .. } => "Stop what else runs on these processors and measure again.",
        Reason::Drift { .. } => {
            "Look at the samples in time order: fix the clock frequency, or wait until the machine is warm."
        }
        Reason::TwoModes { .. } => "Look at the samples in time order: the median may lie on either side.",
        Reason::SlowStart { .. } => "Ask for more warm-up: --warmup 4.",
        Reason::Caveat { .. } => "",
    }
}

#[cfg(test)]
mod tests {
    use super::at_most;

    #[test]
    fn a_row_names_two_caveats_and_counts_the_rest() {
        let codes = ["drift", "noisy", "bimodal", "warm-up"];
        let shown = [0, 1, 2, 4].map(|n| at_most(&codes[..n], 2));
        assert_eq!(shown, ["", "drift", "drift, noisy", "drift, noisy +2 more"]);
    }
}
