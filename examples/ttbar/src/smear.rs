//! Variations of what was measured, within the resolution of the detector.

use crate::rng::Stream;
use crate::vector::Particle;

/// Relative resolution of each component of a momentum.
pub const RESOLUTION: f64 = 0.02;

/// What one call of the kernel starts from: a choice of jets for an event, measured or varied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Positive and negative lepton.
    pub leptons: [Particle; 2],
    /// The jets taken for b and b̄.
    pub b_jets: [Particle; 2],
    /// Momentum across the beams that nobody saw.
    pub missing: [f64; 2],
}

impl Measured {
    /// This, with every momentum component changed by a normally distributed part of itself.
    ///
    /// Masses stay; energies and the missing momentum follow.
    pub fn varied(&self, random: &mut Stream) -> Self {
        let mut normals = [0.0; 12];
        normals.chunks_exact_mut(2).for_each(|pair| pair.copy_from_slice(&random.normals()));
        let mut varied = *self;
        let particles = varied.leptons.iter_mut().chain(&mut varied.b_jets);
        for (particle, factors) in particles.zip(normals.as_chunks::<3>().0) {
            let before = particle.vector;
            let [x, y, z] = factors.map(|normal| 1.0 + RESOLUTION * normal);
            *particle = Particle::new([before.x * x, before.y * y, before.z * z], particle.mass);
            varied.missing[0] -= particle.vector.x - before.x;
            varied.missing[1] -= particle.vector.y - before.y;
        }
        varied
    }
}
