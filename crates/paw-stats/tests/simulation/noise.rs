//! Machines as METHOD.md models them: the true time is 1, noise comes on top.

use paw_stats::normal;
use paw_stats::rng::Rng;

/// A quiet machine: a floor and a log-normal rest around 1 %.
pub fn quiet(rng: &mut Rng) -> f64 {
    1.0 + 0.01 * rng.normal().exp()
}

/// The median of [`quiet`].
pub const QUIET_MEDIAN: f64 = 1.01;

/// A contended machine: a log-normal rest around 40 %.
pub fn contended(rng: &mut Rng) -> f64 {
    1.0 + 0.4 * (0.5 * rng.normal()).exp()
}

/// Two modes a tenth apart, six in ten values in the lower one.
pub fn bimodal(rng: &mut Rng) -> f64 {
    let center = if rng.uniform() < 0.6 { 1.0 } else { 1.1 };
    center + 0.01 * rng.normal()
}

/// The median of [`bimodal`]: five of the six tenths lie below it.
pub fn bimodal_median() -> f64 {
    1.0 + 0.01 * normal::quantile(5.0 / 6.0)
}

/// A quiet machine on which one run in a hundred is 8 % too fast.
pub fn lucky(rng: &mut Rng) -> f64 {
    let time = quiet(rng);
    if rng.uniform() < 0.01 { 0.92 * time } else { time }
}

/// A clock that drifts: an autoregressive factor of 1.5 % with a memory of 50 samples, on a quiet machine.
pub struct Drifting {
    state: f64,
    keep: f64,
}

impl Drifting {
    const SIGMA: f64 = 0.015;
    const MEMORY: f64 = 50.0;

    /// A machine that has drifted for ever.
    pub fn new(rng: &mut Rng) -> Self {
        Self { state: Self::SIGMA * rng.normal(), keep: (-1.0 / Self::MEMORY).exp() }
    }

    /// The next sample of a program whose true time is 1.
    pub fn time(&mut self, rng: &mut Rng) -> f64 {
        let fresh = (1.0 - self.keep * self.keep).sqrt() * Self::SIGMA;
        self.state = self.keep * self.state + fresh * rng.normal();
        self.state.exp() * quiet(rng)
    }
}

/// A clock that jumps between 1.0 and 1.1 and stays 20 samples on average, on a quiet machine.
pub struct Jumping(bool);

impl Jumping {
    /// A machine in either state.
    pub fn new(rng: &mut Rng) -> Self {
        Self(rng.uniform() < 0.5)
    }

    /// The next sample of a program whose true time is 1.
    pub fn time(&mut self, rng: &mut Rng) -> f64 {
        if rng.uniform() < 1.0 / 20.0 {
            self.0 = !self.0;
        }
        (if self.0 { 1.1 } else { 1.0 }) * quiet(rng)
    }
}
