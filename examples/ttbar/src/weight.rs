//! How likely a solution is.

use crate::elementary::exp;
use crate::event::HIGGS_MASS;
use crate::neutrino::Pair;
use crate::vector::FourVector;

/// Scale of the neutrinos' pT: half the mean of the generated ones.
pub const TRANSVERSE_SCALE: f64 = 25.4;
/// Half width of the Higgs's peak in jets' mass, a detector's rather than nature's.
const HIGGS_WIDTH: f64 = 12.0;

/// Product of the densities of the two neutrinos' pT, each a gamma distribution of shape 2.
pub fn of_neutrinos(pair: &Pair) -> f64 {
    let [first, second] = pair.map(|neutrino| neutrino.transverse() / TRANSVERSE_SCALE);
    first * second * exp(-(first + second))
}

/// How near the mass of two jets is to the Higgs's: 1 at the peak, ½ one width off (Lorentz).
///
/// The tails keep every combination's weight above 0.
pub fn of_higgs(first: &FourVector, second: &FourVector) -> f64 {
    let distance = ((*first + *second).mass() - HIGGS_MASS) / HIGGS_WIDTH;
    1.0 / (1.0 + distance * distance)
}
