//! The caveats that records hold: what each does to the word of its number.

use super::Trust;

/// The effect of a recorded caveat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// No effect: the samples show the same and are judged when looked at. Versions before 0.2 recorded such caveats.
    OfSamples,
    /// The number may be off by more than its ±, or is not that of its row.
    Error,
    /// Nothing is known of how far the number is off.
    Bare,
    /// The meaning of the number, or how to improve it; the number holds.
    Meaning,
}

use Effect::{Bare, Error, Meaning, OfSamples};

/// Identifiers of caveats with their effect; one that is not here is an [`Error`].
const EFFECTS: &[(&str, Effect)] = &[
    ("unconverged", OfSamples),
    ("few-samples", OfSamples),
    ("budget", OfSamples),
    ("noisy", OfSamples),
    ("contended", OfSamples),
    ("disturbed", OfSamples),
    ("drift", OfSamples),
    ("autocorrelated", OfSamples),
    ("bimodal", OfSamples),
    ("lucky-minimum", OfSamples),
    ("warm-up", OfSamples),
    ("reduced-precision", OfSamples),
    // The clock has a share in the time, which no ± shows.
    ("too-short", Error),
    ("paw-floor", Error),
    ("not-linear", Error),
    ("unverified-loops", Error),
    // Something else was at work, or the work was not all timed.
    ("waited", Error),
    ("other-work", Error),
    ("left-behind", Error),
    ("misplaced", Error),
    ("threads-unheeded", Error),
    ("unpinned", Error),
    ("unwatched", Error),
    ("late-starts", Error),
    ("clock-bound", Error),
    ("fastest-rank", Error),
    ("oversubscribed", Error),
    ("shared-device", Error),
    ("throttled", Error),
    ("little-overlap", Error),
    ("unchecked", Error),
    ("mean-of-rates", Error),
    ("mixed-pages", Error),
    ("untold-pages", Error),
    ("single-time", Bare),
    ("small-arrays", Meaning),
    ("capped-isa", Meaning),
    ("capped-threads", Meaning),
    ("blas-env-cap", Meaning),
    ("blas-fewer-threads", Meaning),
    ("blas-generic-kernels", Meaning),
    ("blas-narrow-kernels", Meaning),
    ("blas-reference", Meaning),
    ("blas-far-below-peak", Meaning),
    ("unified-memory", Meaning),
    ("device-environment", Meaning),
    ("narrow-link", Meaning),
    ("far-from-device", Meaning),
    ("untrusted-events", Meaning),
    ("gate-hangs", Meaning),
    ("gate-timed-out", Meaning),
    ("core-clock-moved", Meaning),
    ("no-tsc", Meaning),
    ("string-moves", Meaning),
    ("failing-runs", Meaning),
];

fn effect(id: &str) -> Effect {
    EFFECTS.iter().find(|(known, _)| *known == id).map_or(Error, |(_, effect)| *effect)
}

/// Whether the samples show what this caveat says.
pub fn is_of_samples(id: &str) -> bool {
    effect(id) == OfSamples
}

/// Whether this caveat says all that is known of how far the number is off.
pub fn is_all_that_is_known(id: &str) -> bool {
    effect(id) == Bare
}

/// The word that the caveat leaves to its number.
pub fn word(id: &str) -> Trust {
    match effect(id) {
        Bare => Trust::Poor,
        Error => Trust::Fair,
        OfSamples | Meaning => Trust::Good,
    }
}

#[cfg(test)]
mod tests {
    use super::{EFFECTS, Effect, effect};

    #[test]
    fn a_caveat_of_a_newer_version_is_taken_for_an_error() {
        assert_eq!(effect("unheard-of"), Effect::Error);
    }

    #[test]
    fn every_caveat_is_listed_once() {
        let mut ids: Vec<&str> = EFFECTS.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), EFFECTS.len());
    }
}
