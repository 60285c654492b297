//! Cliff's δ: how often one sample exceeds the other, as an effect size with a word.

use crate::mann_whitney::mann_whitney;

/// How large an effect is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// |δ| < 0.147.
    Negligible,
    /// |δ| < 0.33.
    Small,
    /// |δ| < 0.474.
    Medium,
    /// |δ| ≥ 0.474.
    Large,
}

impl Effect {
    /// The effect's name.
    pub fn word(self) -> &'static str {
        match self {
            Effect::Negligible => "negligible",
            Effect::Small => "small",
            Effect::Medium => "medium",
            Effect::Large => "large",
        }
    }
}

/// Cliff's δ with its word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cliff {
    /// P(a > b) - P(a < b): from -1 to 1.
    pub delta: f64,
    /// The size of δ, in a word.
    pub effect: Effect,
}

/// Cliff's δ of `a` over `b`: 2 U ÷ (n m) - 1. `None` where one is empty or holds NaN.
///
/// N. Cliff, *Dominance Statistics*, Psychological Bulletin 114 (1993); the limits of the words are those of J. Romano and
/// others, *Appropriate Statistics for Ordinal Level Data*, 2006.
pub fn cliff(a: &[f64], b: &[f64]) -> Option<Cliff> {
    let u = mann_whitney(a, b)?.u;
    let delta = 2.0 * u / (a.len() * b.len()) as f64 - 1.0;
    let effect = match delta.abs() {
        d if d < 0.147 => Effect::Negligible,
        d if d < 0.33 => Effect::Small,
        d if d < 0.474 => Effect::Medium,
        _ => Effect::Large,
    };
    Some(Cliff { delta, effect })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &[f64], b: &[f64], delta: f64, word: &str) {
        let found = cliff(a, b).unwrap();
        assert!((found.delta - delta).abs() < 1e-14, "{found:?}");
        assert_eq!(found.effect.word(), word);
    }

    #[test]
    fn pairs_are_counted() {
        check(&[1.0, 2.0, 3.0], &[4.0, 5.0], -1.0, "large");
        check(&[4.0, 5.0], &[1.0, 2.0, 3.0], 1.0, "large");
        check(&[1.0, 2.0], &[1.0, 2.0], 0.0, "negligible");
        // 25 pairs of ranks: 10 larger, 5 equal, 10 smaller, then one value moved by steps of 2/25.
        check(&[1.0, 2.0, 3.0, 4.0, 6.0], &[1.0, 2.0, 3.0, 4.0, 5.0], 0.04, "negligible");
        check(&[2.0, 3.0, 4.0, 5.0, 6.0], &[1.0, 2.0, 3.0, 4.0, 5.0], 0.36, "medium");
        check(&[1.0, 3.0, 4.0, 5.0, 6.0], &[1.0, 2.0, 3.0, 4.0, 5.0], 0.28, "small");
    }

    #[test]
    fn nothing_and_nan_are_refused() {
        assert_eq!(cliff(&[], &[1.0]), None);
        assert_eq!(cliff(&[1.0], &[f64::NAN]), None);
    }
}
