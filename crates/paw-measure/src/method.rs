//! The named methods, and what may be changed about them.

use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method};

/// Names of the presets, the default first.
pub const NAMES: &[&str] = &["adaptive", "kbest", "csapp", "meta31", "paw", "paw16"];

/// A thousand overheads keep the clock's share of a region below a thousandth, and a millisecond keeps interrupts from being all of it.
const FLOOR: LoopRule = LoopRule::Floor { overheads: 1000.0, floor_s: 1e-3 };

/// PAW's NLOOP_MAX, NLOOP_MIN and NREPS (constants of releases 1.0 to 1.6).
const NLOOP_MAX: u64 = 1000;
const NLOOP_MIN: u64 = 2;
const NREPS: u32 = 10;
/// PAW's TIMER_HI: clock overheads above which a region is shortened for the next size.
const TIMER_HI: f64 = 1000.0;

/// The preset called `name`, if there is one.
pub fn preset(name: &str) -> Option<Method> {
    // The column of PAW's files that its plots use is AVG, so the mean is the headline of both PAW methods.
    let paw = |loops| (loops, EndRule::Fixed { samples: NREPS }, Estimator::Mean, Memory::Kept);
    let (loops, ending, headline, memory) = match name {
        "adaptive" => (FLOOR, adaptive(), Estimator::Median, Memory::Kept),
        "kbest" => (FLOOR, k_best(4, 0.05, 16, 32), Estimator::Min, Memory::Kept),
        // Its authors doubled the calls to 1000 clock resolutions; our floor contains that.
        "csapp" => (FLOOR, k_best(3, 0.01, 1, 20), Estimator::Min, Memory::Kept),
        "meta31" => (FLOOR, EndRule::Fixed { samples: 31 }, Estimator::Median, Memory::Fresh),
        // The guide has a floor alone ("always kept over the safety threshold"); the ceiling is that of every release.
        "paw" => paw(LoopRule::Guide {
            loops_max: NLOOP_MAX,
            loops_min: NLOOP_MIN,
            overheads: 10.0,
            overheads_high: Some(TIMER_HI),
        }),
        "paw16" => paw(LoopRule::Code {
            loops_max: NLOOP_MAX,
            loops_min: NLOOP_MIN,
            overheads_low: 100.0,
            overheads_high: TIMER_HI,
        }),
        _ => return None,
    };
    Some(Method { name: name.to_owned(), warmup: 1, loops, ending, headline, memory })
}

/// The default: the median's interval within ±1 %, from 16 to 128 samples, 6 where a sample lasts longer than a second.
pub fn default() -> Method {
    preset(NAMES[0]).expect("the first of the names is a preset")
}

fn adaptive() -> EndRule {
    EndRule::Interval { within: 0.01, min: 16, max: 128, min_long: 6 }
}

fn k_best(k: u32, within: f64, min: u32, max: u32) -> EndRule {
    EndRule::KBest { k, within, min, max, best_counts: true }
}

/// Settings of the user that override a preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overrides {
    /// Number of samples (`--reps`, NREPS).
    pub reps: Option<u32>,
    /// Iterations in each (`--loops`).
    pub loops: Option<u64>,
    /// Warm-up samples (`--warmup`).
    pub warmup: Option<u32>,
    /// NLOOP_MAX of the PAW methods; others have none.
    pub loops_max: Option<u64>,
    /// NLOOP_MIN of the PAW methods; others have none.
    pub loops_min: Option<u64>,
}

impl Overrides {
    /// `method` with these settings in place of its own.
    pub fn over(&self, mut method: Method) -> Method {
        if let LoopRule::Guide { loops_max, loops_min, .. } | LoopRule::Code { loops_max, loops_min, .. } =
            &mut method.loops
        {
            *loops_max = self.loops_max.unwrap_or(*loops_max).max(1);
            *loops_min = self.loops_min.unwrap_or(*loops_min).clamp(1, *loops_max);
        }
        if let Some(loops) = self.loops {
            method.loops = LoopRule::Fixed(loops.max(1));
        }
        if let Some(reps) = self.reps {
            method.ending = EndRule::Fixed { samples: reps.max(1) };
        }
        method.warmup = self.warmup.unwrap_or(method.warmup);
        method
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_preset_and_no_other_word_is() {
        for name in NAMES {
            assert_eq!(&preset(name).unwrap().name, name);
        }
        assert_eq!(preset("fast"), None);
        assert_eq!(default().name, "adaptive");
    }

    #[test]
    fn what_is_set_by_hand_replaces_the_preset() {
        let set = Overrides { reps: Some(5), loops: Some(7), warmup: Some(0), ..Overrides::default() };
        let method = set.over(default());
        assert_eq!(method.ending, EndRule::Fixed { samples: 5 });
        assert_eq!(method.loops, LoopRule::Fixed(7));
        assert_eq!(method.warmup, 0);
    }

    #[test]
    fn nloop_bounds_reach_the_paw_methods_only() {
        let set = Overrides { loops_max: Some(500), loops_min: Some(900), ..Overrides::default() };
        let guide = LoopRule::Guide { loops_max: 500, loops_min: 500, overheads: 10.0, overheads_high: Some(TIMER_HI) };
        assert_eq!(set.over(preset("paw").unwrap()).loops, guide);
        assert_eq!(set.over(default()), default());
    }
}
