//! Simulated times of programs with a known true value, to test estimators: models as data, drawn from a seed.
//!
//! A series of times is `truth × process × drift × noise`, with spikes and a second mode on top: what repeated measurements of one program
//! on shared machines show (Kalibera and Jones, *Rigorous Benchmarking in Reasonable Time*, ISMM 2013).

use crate::rng::Rng;

/// The true time of every model, in seconds.
pub const TRUTH_S: f64 = 1e-3;

/// How the times of a program scatter. All sizes are relative to the true time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Population {
    /// Its name in tables.
    pub name: &'static str,
    /// Standard deviation of the logarithm of one sample.
    pub noise: f64,
    /// Standard deviation of the logarithm of what a process adds to all of its samples: layout, page placement.
    pub process: f64,
    /// Chance that a sample is longer by a spike.
    pub spikes: f64,
    /// Mean length of a spike; lengths are distributed exponentially.
    pub spike: f64,
    /// Standard deviation of one step of the machine's slow drift, which programs measured in the same rounds share.
    pub drift: f64,
    /// Chance that a sample is taken in the slow mode.
    pub slow: f64,
    /// How much longer a sample of the slow mode is.
    pub slow_by: f64,
}

const CALM: Population = Population {
    name: "calm",
    noise: 0.003,
    process: 0.0,
    spikes: 0.0,
    spike: 0.0,
    drift: 0.0,
    slow: 0.0,
    slow_by: 0.0,
};

/// The models, from the easiest to the hardest.
pub const POPULATIONS: &[Population] = &[
    CALM,
    Population { name: "spiky", noise: 0.004, spikes: 0.3, spike: 0.5, ..CALM },
    Population { name: "process effects", noise: 0.004, process: 0.008, ..CALM },
    Population { name: "drifting", noise: 0.004, drift: 0.002, ..CALM },
    Population { name: "two speeds", noise: 0.004, process: 0.004, slow: 0.25, slow_by: 0.3, ..CALM },
    Population { name: "shared machine", noise: 0.01, process: 0.01, spikes: 0.2, spike: 0.3, drift: 0.002, ..CALM },
];

impl Population {
    /// The factor by which all samples of a fresh process differ from the truth.
    pub fn process_factor(&self, rng: &mut Rng) -> f64 {
        (self.process * rng.normal()).exp()
    }

    /// The factor by which one sample differs from those of a perfect process.
    pub fn sample_factor(&self, rng: &mut Rng) -> f64 {
        let noise = (self.noise * rng.normal()).exp();
        let spike = if rng.uniform() < self.spikes { -self.spike * (1.0 - rng.uniform()).ln() } else { 0.0 };
        let slow = if rng.uniform() < self.slow { self.slow_by } else { 0.0 };
        noise * (1.0 + spike + slow)
    }

    /// The machine's drift factor one step after `before`; it multiplies all times.
    pub fn drift_factor(&self, before: f64, rng: &mut Rng) -> f64 {
        before * (self.drift * rng.normal()).exp()
    }

    /// The times in seconds of `samples` samples of one process, without drift.
    pub fn series_s(&self, samples: usize, rng: &mut Rng) -> Vec<f64> {
        let process = self.process_factor(rng);
        (0..samples).map(|_| TRUTH_S * process * self.sample_factor(rng)).collect()
    }
}

/// The model called `name`.
pub fn named(name: &str) -> Option<&'static Population> {
    POPULATIONS.iter().find(|population| population.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantile;

    #[test]
    fn every_model_scatters_about_its_truth() {
        for population in POPULATIONS {
            let mut rng = Rng::new(3);
            let medians: Vec<f64> =
                (0..400).filter_map(|_| quantile::median(&population.series_s(64, &mut rng))).collect();
            let center = quantile::median(&medians).unwrap();
            // Spikes and slow samples only lengthen: they move the median, by less than their share of the noise.
            assert!((0.998..1.01).contains(&(center / TRUTH_S)), "{}: {center}", population.name);
        }
    }

    #[test]
    fn a_seed_draws_the_same_times_and_names_are_found() {
        let spiky = named("spiky").unwrap();
        assert_eq!(spiky.series_s(9, &mut Rng::new(1)), spiky.series_s(9, &mut Rng::new(1)));
        assert_ne!(spiky.series_s(9, &mut Rng::new(1)), spiky.series_s(9, &mut Rng::new(2)));
        assert_eq!(named("perfect"), None);
    }

    #[test]
    fn processes_differ_by_the_deviation_stated() {
        let population = named("process effects").unwrap();
        let mut rng = Rng::new(5);
        let logs: Vec<f64> = (0..20_000).map(|_| population.process_factor(&mut rng).ln()).collect();
        assert!((crate::sigma::sample(&logs).unwrap() / population.process - 1.0).abs() < 0.03);
    }
}
