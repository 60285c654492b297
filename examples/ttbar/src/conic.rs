//! Conic sections in a plane, and the points where two meet.

use crate::quartic::real_roots;

/// The points where `xx x² + xy x y + yy y² + x x + y y + one = 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conic {
    /// Coefficient of x².
    pub xx: f64,
    /// Coefficient of x y.
    pub xy: f64,
    /// Coefficient of y².
    pub yy: f64,
    /// Coefficient of x.
    pub x: f64,
    /// Coefficient of y.
    pub y: f64,
    /// The constant.
    pub one: f64,
}

impl Conic {
    /// The value at a point.
    pub fn at(&self, [x, y]: [f64; 2]) -> f64 {
        (self.xx * x + self.xy * y + self.x) * x + (self.yy * y + self.y) * y + self.one
    }

    /// Sum of the absolute terms at a point: what rounding is relative to.
    fn size(&self, [x, y]: [f64; 2]) -> f64 {
        let [x, y] = [x.abs(), y.abs()];
        (self.xx.abs() * x + self.xy.abs() * y + self.x.abs()) * x
            + (self.yy.abs() * y + self.y.abs()) * y
            + self.one.abs()
    }

    /// The y of its two points at this x; where there are none, twice the one between them.
    fn above(&self, x: f64) -> [f64; 2] {
        let middle = self.xy * x + self.y;
        let square = middle * middle - 4.0 * self.yy * ((self.xx * x + self.x) * x + self.one);
        let root = square.max(0.0).sqrt();
        [-root, root].map(|root| (root - middle) / (2.0 * self.yy))
    }

    fn gradient(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [2.0 * self.xx * x + self.xy * y + self.x, self.xy * x + 2.0 * self.yy * y + self.y]
    }

    /// The conic of the points (u, v) that these two linear functions, factors of 1, u and v, lead to points of this one.
    pub fn pulled_back(&self, [p, q]: &[[f64; 3]; 2]) -> Self {
        let Self { xx, xy, yy, .. } = *self;
        // Gradients of the part of second degree along u and v, and of the whole where u = v = 0.
        let [pu, pv] = [2.0 * xx * p[1] + xy * q[1], 2.0 * xx * p[2] + xy * q[2]];
        let [qu, qv] = [xy * p[1] + 2.0 * yy * q[1], xy * p[2] + 2.0 * yy * q[2]];
        let [x, y] = self.gradient([p[0], q[0]]);
        Self {
            xx: 0.5 * (p[1] * pu + q[1] * qu),
            xy: p[2] * pu + q[2] * qu,
            yy: 0.5 * (p[2] * pv + q[2] * qv),
            x: x * p[1] + y * q[1],
            y: x * p[2] + y * q[2],
            one: self.at([p[0], q[0]]),
        }
    }
}

/// Up to four points.
#[derive(Debug, Clone, Copy, Default)]
pub struct Points {
    at: [[f64; 2]; 4],
    count: usize,
}

impl Points {
    /// The points.
    pub fn as_slice(&self) -> &[[f64; 2]] {
        &self.at[..self.count]
    }
}

/// Steps of polishing. Two do, where curves cross; where they all but touch, each step halves the distance.
const POLISHING: usize = 20;
/// Damping of a polishing step, against the squared sine of the angle at which the curves cross.
///
/// Where they touch, an undamped step leads anywhere.
const DAMPING: f64 = 1e-10;
/// A step this small, relative to the point, was the last.
const STILL: f64 = 1e-8;
/// A point lies on a conic when the terms cancel to this part.
const ON: f64 = 1e-9;
/// Nearer points, relative to their size, are one.
const SAME: f64 = 1e-9;
/// Where elimination divides by less of its terms than this, two points all but share their x.
const VERTICAL: f64 = 1e-4;

/// Where two conics meet: y is eliminated by their resultant (Sylvester), of degree four in x.
pub fn intersections(a: &Conic, b: &Conic) -> Points {
    // As polynomials in y: yy y² + (xy x + y) y + (xx x² + x x + one). With
    // square = yy·one' − one·yy', line = yy·y' − y·yy', cubic = y·one' − one·y', the resultant is square² − line·cubic.
    let square = [a.yy * b.one - a.one * b.yy, a.yy * b.x - a.x * b.yy, a.yy * b.xx - a.xx * b.yy];
    let line = [a.yy * b.y - a.y * b.yy, a.yy * b.xy - a.xy * b.yy];
    let cubic = [
        a.y * b.one - a.one * b.y,
        a.y * b.x + a.xy * b.one - a.one * b.xy - a.x * b.y,
        a.y * b.xx + a.xy * b.x - a.x * b.xy - a.xx * b.y,
        a.xy * b.xx - a.xx * b.xy,
    ];
    let resultant = [
        square[0] * square[0] - line[0] * cubic[0],
        2.0 * square[0] * square[1] - line[0] * cubic[1] - line[1] * cubic[0],
        2.0 * square[0] * square[2] + square[1] * square[1] - line[0] * cubic[2] - line[1] * cubic[1],
        2.0 * square[1] * square[2] - line[0] * cubic[3] - line[1] * cubic[2],
        square[2] * square[2] - line[1] * cubic[3],
    ];
    let mut points = Points::default();
    let mut before = None;
    for &x in real_roots(&resultant).values() {
        let divisor = line[1] * x + line[0];
        points.add(a, b, [x, -((square[2] * x + square[1]) * x + square[0]) / divisor]);
        // Two points above each other are a double root, and the divisor vanishes there.
        if before == Some(x) || divisor.abs() <= VERTICAL * ((line[1] * x).abs() + line[0].abs()) {
            for y in a.above(x) {
                points.add(a, b, [x, y]);
            }
        }
        before = Some(x);
    }
    points
}

impl Points {
    /// Polishes a point, and takes it where it lies on both conics and is new.
    fn add(&mut self, a: &Conic, b: &Conic, start: [f64; 2]) {
        let point = polished(a, b, start);
        let on = |conic: &Conic| conic.at(point).abs() <= ON * conic.size(point);
        let distance = |other: &[f64; 2]| (other[0] - point[0]).abs() + (other[1] - point[1]).abs();
        let size = point[0].abs() + point[1].abs();
        let is_new = self.as_slice().iter().all(|other| distance(other) > SAME * size);
        if self.count < self.at.len() && on(a) && on(b) && is_new {
            self.at[self.count] = point;
            self.count += 1;
        }
    }
}

/// The point near `point` that lies on both conics, or is nearest to it, by Levenberg's damped steps (1944).
///
/// Distances from the conics are taken to first order: value over gradient.
fn polished(a: &Conic, b: &Conic, mut point: [f64; 2]) -> [f64; 2] {
    for _ in 0..POLISHING {
        let [[ax, ay], [bx, by]] = [a.gradient(point), b.gradient(point)];
        let [a_share, b_share] = [1.0 / (ax * ax + ay * ay), 1.0 / (bx * bx + by * by)];
        let [a_pull, b_pull] = [a.at(point) * a_share, b.at(point) * b_share];
        // Normal equations of the damped least squares, 2 × 2.
        let [x, y] = [ax * a_pull + bx * b_pull, ay * a_pull + by * b_pull];
        let xx = ax * ax * a_share + bx * bx * b_share + DAMPING;
        let yy = ay * ay * a_share + by * by * b_share + DAMPING;
        let xy = ax * ay * a_share + bx * by * b_share;
        let inverse = 1.0 / (xx * yy - xy * xy);
        let [step_x, step_y] = [(x * yy - y * xy) * inverse, (y * xx - x * xy) * inverse];
        if !(step_x.is_finite() && step_y.is_finite()) {
            break;
        }
        point = [point[0] - step_x, point[1] - step_y];
        if step_x.abs() + step_y.abs() <= STILL * (point[0].abs() + point[1].abs()) {
            break;
        }
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: Conic, b: Conic, expected: &[[f64; 2]]) {
        let mut points = intersections(&a, &b).as_slice().to_vec();
        points.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
        assert_eq!(points.len(), expected.len(), "{points:?} instead of {expected:?}");
        for (point, expected) in points.iter().zip(expected) {
            let distance = (point[0] - expected[0]).abs() + (point[1] - expected[1]).abs();
            assert!(distance < 1e-6, "{point:?} instead of {expected:?}");
        }
    }

    fn circle(x: f64, y: f64, radius: f64) -> Conic {
        Conic { xx: 1.0, xy: 0.0, yy: 1.0, x: -2.0 * x, y: -2.0 * y, one: x * x + y * y - radius * radius }
    }

    #[test]
    fn circles_meet_where_geometry_says() {
        let root = 0.75_f64.sqrt();
        check(circle(0.0, 0.0, 1.0), circle(0.0, 1.0, 1.0), &[[-root, 0.5], [root, 0.5]]);
        check(circle(0.0, 0.0, 1.0), circle(5.0, 1.0, 1.0), &[]);
    }

    #[test]
    fn points_with_the_same_x_are_both_found() {
        let root = 0.75_f64.sqrt();
        check(circle(0.0, 0.0, 1.0), circle(1.0, 0.0, 1.0), &[[0.5, -root], [0.5, root]]);
    }

    #[test]
    fn crossed_ellipses_meet_four_times() {
        let wide = Conic { xx: 1.0, xy: 0.0, yy: 4.0, x: 0.0, y: 0.0, one: -4.0 };
        let high = Conic { xx: 4.0, xy: 0.0, yy: 1.0, x: 0.0, y: 0.0, one: -4.0 };
        let at = 0.8_f64.sqrt();
        check(wide, high, &[[-at, -at], [-at, at], [at, -at], [at, at]]);
    }

    #[test]
    fn a_conic_pulled_back_has_the_values_of_where_it_leads() {
        let conic = Conic { xx: 1.0, xy: 0.5, yy: 2.0, x: -3.0, y: 1.0, one: -7.0 };
        let [p, q] = [[4.0, -1.0, 0.5], [-6.0, 0.25, 3.0]];
        let pulled = conic.pulled_back(&[p, q]);
        for [u, v] in [[0.0, 0.0], [1.0, 2.0], [-3.0, 5.0]] {
            let there = conic.at([p, q].map(|l| l[0] + l[1] * u + l[2] * v));
            assert!((pulled.at([u, v]) - there).abs() < 1e-9, "{u} {v}: {there}");
        }
    }
}
