//! The kernel: momenta of the two neutrinos from what was seen and from the masses of top and W.
//!
//! The equations are those of Sonnenschein, hep-ph/0603011: for each top, the masses of W and top give two equations
//! linear in the neutrino's momentum and energy, so that it lies in a plane; a third, of second degree, says that it has
//! no mass, which leaves a conic section in the plane. The missing momentum joins both neutrinos: one plane's
//! coordinates serve for both conics, which meet in up to four points.

use crate::conic::{Conic, intersections};
use crate::event::{TOP_MASS, W_MASS};
use crate::smear::Measured;
use crate::vector::{FourVector, Particle};

/// Neutrino and antineutrino.
pub type Pair = [FourVector; 2];

/// Up to four pairs of neutrinos.
#[derive(Debug, Clone, Copy, Default)]
pub struct Solutions {
    pairs: [Pair; 4],
    count: usize,
}

impl Solutions {
    /// The pairs.
    pub fn as_slice(&self) -> &[Pair] {
        &self.pairs[..self.count]
    }
}

/// All pairs of neutrinos with which both W bosons and both tops have their masses.
pub fn solve(measured: &Measured) -> Solutions {
    let first = Masses::of(&measured.leptons[0], &measured.b_jets[0]);
    let second = Masses::of(&measured.leptons[1], &measured.b_jets[1]);
    // Seen along the beams, the curve of the more upright plane is the thinner: it is taken as it lies in its plane.
    if first.normal[2].abs() <= second.normal[2].abs() {
        from_base(&first, &second, measured.missing)
    } else {
        let mut solutions = from_base(&second, &first, measured.missing);
        solutions.pairs.iter_mut().for_each(|pair| pair.swap(0, 1));
        solutions
    }
}

/// The pairs, the neutrino of `base` first.
fn from_base(base: &Masses, other: &Masses, [missing_x, missing_y]: [f64; 2]) -> Solutions {
    let mut solutions = Solutions::default();
    let (Some(base), Some(other)) = (base.curve(base.dependent_axis()), other.curve(Z)) else { return solutions };
    // The other neutrino across the beams, over the base's coordinates.
    let less = |missing: f64, [one, u, v]: Linear| [missing - one, -u, -v];
    let rest = [less(missing_x, base.component(X)), less(missing_y, base.component(Y))];
    for &[u, v] in intersections(&base.conic(), &other.conic().pulled_back(&rest)).as_slice() {
        let pair = [base.neutrino(u, v), other.neutrino(at(&rest[0], u, v), at(&rest[1], u, v))];
        // Squared, the equations know no sign of the energy.
        if pair[0].e > 0.0 && pair[1].e > 0.0 {
            solutions.pairs[solutions.count] = pair;
            solutions.count += 1;
        }
    }
    solutions
}

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;

/// A plane whose normal leans less than this towards the beams counts as upright.
const UPRIGHT: f64 = 0.1;

/// What the masses of one top and its W say of the neutrino's momentum p.
struct Masses {
    /// normal · p + offset = 0.
    normal: [f64; 3],
    offset: f64,
    /// Energy = rest + velocity · p.
    rest: f64,
    velocity: [f64; 3],
}

impl Masses {
    fn of(lepton: &Particle, b: &Particle) -> Self {
        let (l, j) = (&lepton.vector, &b.vector);
        let (l_inverse, j_inverse) = (1.0 / l.e, 1.0 / j.e);
        // Each mass gives the energy, the W's as (a + p·l) / E(l), the top's as (c + p·j) / E(j).
        let a = 0.5 * (W_MASS * W_MASS - lepton.mass * lepton.mass);
        let c = 0.5 * (TOP_MASS * TOP_MASS - W_MASS * W_MASS - b.mass * b.mass) - l.product(j);
        let velocity = [l.x * l_inverse, l.y * l_inverse, l.z * l_inverse];
        let normal = [velocity[0] - j.x * j_inverse, velocity[1] - j.y * j_inverse, velocity[2] - j.z * j_inverse];
        Self { normal, offset: a * l_inverse - c * j_inverse, rest: a * l_inverse, velocity }
    }

    /// The component that the others give without large factors: along the beams, unless the plane stands upright.
    fn dependent_axis(&self) -> usize {
        let [x, y, z] = self.normal.map(f64::abs);
        if z >= UPRIGHT * x.max(y) {
            Z
        } else if x >= y {
            X
        } else {
            Y
        }
    }

    /// The plane over its components other than `axis`; `None` where it does not give this one.
    fn curve(&self, axis: usize) -> Option<Curve> {
        let [u, v, w] = order(axis);
        if self.normal[w] == 0.0 {
            return None;
        }
        let inverse = -1.0 / self.normal[w];
        let dependent = [self.offset * inverse, self.normal[u] * inverse, self.normal[v] * inverse];
        let velocity = self.velocity[w];
        let energy = [
            self.rest + velocity * dependent[0],
            self.velocity[u] + velocity * dependent[1],
            self.velocity[v] + velocity * dependent[2],
        ];
        Some(Curve { axis, dependent, energy })
    }
}

/// A linear function of two coordinates: factors of 1, u and v.
type Linear = [f64; 3];

fn at(linear: &Linear, u: f64, v: f64) -> f64 {
    linear[0] + linear[1] * u + linear[2] * v
}

/// The axes in turn, this one last.
fn order(axis: usize) -> [usize; 3] {
    [[Y, Z, X], [Z, X, Y], [X, Y, Z]][axis]
}

/// Energy and one component of a neutrino's momentum over the two others, u and v.
struct Curve {
    axis: usize,
    dependent: Linear,
    energy: Linear,
}

impl Curve {
    /// Where the neutrino has no mass: (E − w)(E + w) = u² + v².
    fn conic(&self) -> Conic {
        let (e, w) = (&self.energy, &self.dependent);
        let (d, s) = ([e[0] - w[0], e[1] - w[1], e[2] - w[2]], [e[0] + w[0], e[1] + w[1], e[2] + w[2]]);
        Conic {
            xx: d[1] * s[1] - 1.0,
            xy: d[1] * s[2] + d[2] * s[1],
            yy: d[2] * s[2] - 1.0,
            x: d[0] * s[1] + d[1] * s[0],
            y: d[0] * s[2] + d[2] * s[0],
            one: d[0] * s[0],
        }
    }

    /// A component of the momentum.
    fn component(&self, axis: usize) -> Linear {
        let [u, v, _] = order(self.axis);
        if axis == u {
            [0.0, 1.0, 0.0]
        } else if axis == v {
            [0.0, 0.0, 1.0]
        } else {
            self.dependent
        }
    }

    fn neutrino(&self, u: f64, v: f64) -> FourVector {
        let component = |axis| at(&self.component(axis), u, v);
        FourVector { x: component(X), y: component(Y), z: component(Z), e: at(&self.energy, u, v) }
    }
}
