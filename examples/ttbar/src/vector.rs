//! Momenta: four-vectors, and particles that have one.

use std::ops::{Add, Sub};

/// Momentum and energy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FourVector {
    /// Momentum across the beams, first component.
    pub x: f64,
    /// Momentum across the beams, second component.
    pub y: f64,
    /// Momentum along the beams.
    pub z: f64,
    /// Energy.
    pub e: f64,
}

impl FourVector {
    /// The four-vector of a particle of this mass with this momentum.
    pub fn on_shell([x, y, z]: [f64; 3], mass: f64) -> Self {
        Self { x, y, z, e: (x * x + y * y + z * z + mass * mass).sqrt() }
    }

    /// The invariant product: energies' product less the momenta's.
    pub fn product(&self, other: &Self) -> f64 {
        self.e * other.e - self.x * other.x - self.y * other.y - self.z * other.z
    }

    /// Invariant mass; of a space-like vector, 0.
    pub fn mass(&self) -> f64 {
        self.product(self).max(0.0).sqrt()
    }

    /// Momentum across the beams, pT.
    pub fn transverse(&self) -> f64 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    /// Length of the momentum.
    pub fn momentum(&self) -> f64 {
        (self.x * self.x + self.y * self.y + self.z * self.z).sqrt()
    }

    /// This vector, known where `frame` is at rest, as seen where `frame` moves: a Lorentz boost.
    pub fn boosted(&self, frame: &Self) -> Self {
        let mass = frame.mass();
        let along = self.x * frame.x + self.y * frame.y + self.z * frame.z;
        let e = (self.e * frame.e + along) / mass;
        let share = (self.e + e) / (frame.e + mass);
        Self { x: self.x + share * frame.x, y: self.y + share * frame.y, z: self.z + share * frame.z, e }
    }
}

impl Add for FourVector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z, e: self.e + other.e }
    }
}

impl Sub for FourVector {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z, e: self.e - other.e }
    }
}

/// A lepton or a jet. The mass stands beside the four-vector, from which it cannot be told where it is small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Particle {
    /// Momentum and energy.
    pub vector: FourVector,
    /// Mass.
    pub mass: f64,
}

impl Particle {
    /// A particle of this mass with this momentum.
    pub fn new(momentum: [f64; 3], mass: f64) -> Self {
        Self { vector: FourVector::on_shell(momentum, mass), mass }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boost_of_what_rests_is_the_frame_itself() {
        let frame = FourVector::on_shell([30.0, -40.0, 250.0], 172.5);
        let rest = FourVector { e: 172.5, ..FourVector::default() };
        let seen = rest.boosted(&frame);
        assert!((seen - frame).momentum() < 1e-9 && (seen.e - frame.e).abs() < 1e-9, "{seen:?}");
    }

    #[test]
    fn a_boost_keeps_invariant_products() {
        let frame = FourVector::on_shell([30.0, -40.0, 250.0], 80.4);
        let (a, b) = (FourVector::on_shell([1.0, 2.0, 3.0], 4.8), FourVector::on_shell([-9.0, 4.0, 0.5], 0.0));
        let moved = a.boosted(&frame).product(&b.boosted(&frame));
        assert!((moved - a.product(&b)).abs() < 1e-9 * moved.abs(), "{moved}");
    }
}
