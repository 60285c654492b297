//! An axis: maps values to positions, and finds its ticks.

use crate::number::{Scale, significant, size};

/// Steps between the ticks of a linear axis, in powers of ten.
const NICE: [f64; 4] = [1.0, 2.0, 2.5, 5.0];
/// Above this ratio of its ends a linear axis hides the small values.
const LOG_FROM: f64 = 25.0;

/// How values map to positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisScale {
    /// Equal differences.
    Linear,
    /// Equal ratios, ticks at powers of ten.
    Decades,
    /// Equal ratios, ticks at powers of two.
    Doublings,
}

/// How a tick is written.
#[derive(Debug, Clone, PartialEq)]
pub enum TickLabels {
    Plain,
    /// In a scale whose unit is printed beside the axis.
    Scaled(Scale),
    /// A size in bytes with a binary prefix.
    Bytes,
    /// A relative error as a power of ten; the lower end of the axis means no error.
    Error,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// How values map to positions.
    pub kind: AxisScale,
    /// The value at position 0.
    pub low: f64,
    /// The value at position 1.
    pub high: f64,
    /// How a tick is written.
    pub labels: TickLabels,
}

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    pub value: f64,
    /// Its label; empty for a mark between labels.
    pub label: String,
}

impl Axis {
    /// The axis of a ladder: powers of two, from the first value to the last.
    pub fn ladder(values: impl Iterator<Item = f64>, labels: TickLabels) -> Self {
        let (low, high) = bounds(values.filter(|v| *v > 0.0));
        let (low, high) = if low < high { (low, high) } else { (low / 2.0, high * 2.0) };
        // Narrow ladders that are no doublings read better evenly spaced.
        let kind = if high / low < 3.0 { AxisScale::Linear } else { AxisScale::Doublings };
        Self { kind, low, high, labels }
    }

    /// The axis of a quantity: from zero where the values are near each other, else by decades.
    pub fn quantity(values: impl Iterator<Item = f64>, labels: TickLabels) -> Self {
        let (low, high) = bounds(values.filter(|v| *v > 0.0));
        if high / low < LOG_FROM {
            let step = step(high, 5.0);
            let top = (high * 1.02 / step).ceil() * step;
            return Self { kind: AxisScale::Linear, low: 0.0, high: top, labels };
        }
        Self::decades(low, high, labels)
    }

    /// A logarithmic axis from a round value below `low` to a round one above `high`.
    pub fn decades(low: f64, high: f64, labels: TickLabels) -> Self {
        let round = |v: f64, up: bool| {
            let decade = 10f64.powf(v.log10().floor());
            let steps = [1.0, 2.0, 5.0, 10.0].map(|s| s * decade);
            let fits = |s: &&f64| if up { **s >= v * 0.999 } else { **s <= v * 1.001 };
            if up {
                *steps.iter().find(fits).unwrap_or(&steps[3])
            } else {
                *steps.iter().rfind(fits).unwrap_or(&steps[0])
            }
        };
        Self { kind: AxisScale::Decades, low: round(low, false), high: round(high, true), labels }
    }

    /// The axis of a series of samples, close around them.
    pub fn close(values: impl Iterator<Item = f64>, labels: TickLabels) -> Self {
        let (low, high) = bounds(values);
        // A series without spread still needs a height: a thousandth of its value.
        let margin = ((high - low) * 0.12).max(high.abs() * 5e-4);
        Self { kind: AxisScale::Linear, low: low - margin, high: high + margin, labels }
    }

    /// The position of `value`: 0 at the low end, 1 at the high end.
    pub fn place(&self, value: f64) -> f64 {
        let place = match self.kind {
            AxisScale::Linear => (value - self.low) / (self.high - self.low),
            AxisScale::Decades | AxisScale::Doublings => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        if place.is_finite() { place } else { 0.0 }
    }

    /// The ticks, about `count` of them with a label.
    pub fn ticks(&self, count: usize) -> Vec<Tick> {
        match self.kind {
            AxisScale::Linear => self.linear_ticks(count),
            AxisScale::Decades => self.decade_ticks(),
            AxisScale::Doublings => self.doubling_ticks(count),
        }
    }

    fn linear_ticks(&self, count: usize) -> Vec<Tick> {
        let step = step(self.high - self.low, count as f64);
        let (first, last) = ((self.low / step - 1e-6).ceil() as i64, (self.high / step + 1e-6).floor() as i64);
        (first..=last).map(|i| self.tick(i as f64 * step, step)).collect()
    }

    fn decade_ticks(&self) -> Vec<Tick> {
        let decades = (self.high / self.low).log10();
        let labelled: &[f64] = if decades > 3.2 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let (from, to) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let all = (from..=to).flat_map(|e| (1..10).map(move |m| (f64::from(m), 10f64.powi(e))));
        let inside = all.filter(|(m, d)| m * d >= self.low * 0.999 && m * d <= self.high * 1.001);
        inside
            .map(|(m, d)| match labelled.contains(&m) {
                true => self.tick(m * d, d),
                false => Tick { value: m * d, label: String::new() },
            })
            .collect()
    }

    fn doubling_ticks(&self, count: usize) -> Vec<Tick> {
        let (from, to) = (self.low.log2().ceil() as i32, self.high.log2().floor() as i32);
        let stride = ((to - from + 1) as usize).div_ceil(count.max(1)).max(1) as i32;
        let all = (from..=to).map(|e| (e, 2f64.powi(e)));
        all.map(
            |(e, v)| if (e - from) % stride == 0 { self.tick(v, v) } else { Tick { value: v, label: String::new() } },
        )
        .collect()
    }

    fn tick(&self, value: f64, step: f64) -> Tick {
        let label = match &self.labels {
            TickLabels::Plain => plain(value, step),
            TickLabels::Scaled(scale) => plain(value / scale.factor, step / scale.factor),
            TickLabels::Bytes => size(value),
            TickLabels::Error if value < self.low * 1.5 => "exact".to_owned(),
            TickLabels::Error => exponent(value),
        };
        Tick { value, label }
    }
}

/// `value` with as many decimals as multiples of `step` need.
fn plain(value: f64, step: f64) -> String {
    if value.abs() >= 1e6 || (value != 0.0 && value.abs() < 1e-3) {
        return exponent(value);
    }
    // A step of 2.5 needs one decimal more than its magnitude.
    let whole = |v: f64| (v - v.round()).abs() < 1e-6 * v.abs().max(1.0) && v.round() >= 1.0;
    let decimals = (0..6).find(|d| whole(step * 10f64.powi(*d))).unwrap_or(6);
    format!("{value:.*}", decimals as usize)
}

fn exponent(value: f64) -> String {
    let power = value.abs().log10().floor() as i32;
    let digits = power.to_string().chars().map(superscript).collect::<String>();
    let factor = value / 10f64.powi(power);
    if (factor - 1.0).abs() < 1e-6 { format!("10{digits}") } else { format!("{}·10{digits}", significant(factor, 1)) }
}

fn superscript(c: char) -> char {
    match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' | '4'..='9' => char::from_u32('⁰' as u32 + (c as u32 - '0' as u32)).unwrap_or(c),
        other => other,
    }
}

fn step(span: f64, count: f64) -> f64 {
    let raw = span / count;
    let decade = 10f64.powf(raw.log10().floor());
    let nice = NICE.iter().map(|n| n * decade).find(|s| *s >= raw * 0.999);
    let step = nice.unwrap_or(10.0 * decade);
    if step.is_finite() && step > 0.0 { step } else { 1.0 }
}

/// The smallest and the largest value; 1 and 1 without values.
fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|v| v.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low <= high { (low, high) } else { (1.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, count: usize) -> String {
        let ticks = axis.ticks(count);
        ticks.iter().map(|t| t.label.as_str()).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ladders_have_ticks_at_powers_of_two() {
        assert_eq!(labels(&Axis::ladder([8.0, 4096.0].into_iter(), TickLabels::Plain), 5), "8 32 128 512 2048");
        assert_eq!(
            labels(&Axis::ladder([4096.0, 65536.0].into_iter(), TickLabels::Bytes), 5),
            "4 KiB 8 KiB 16 KiB 32 KiB 64 KiB"
        );
    }

    #[test]
    fn quantities_near_each_other_start_at_zero() {
        let axis =
            Axis::quantity([40e9, 132e9].into_iter(), TickLabels::Scaled(Scale { factor: 1e9, unit: "GB/s".into() }));
        assert_eq!(labels(&axis, 5), "0 50 100 150");
        assert_eq!([axis.place(0.0), axis.place(75e9)], [0.0, 0.5]);
    }

    #[test]
    fn wide_quantities_are_logarithmic() {
        let axis = Axis::quantity([0.9, 110.0].into_iter(), TickLabels::Plain);
        assert_eq!(labels(&axis, 5), "0.5 1 2 5 10 20 50 100 200");
        assert_eq!(labels(&Axis::decades(1.0, 1e7, TickLabels::Plain), 5), "1 10 100 1000 10000 100000 10⁶ 10⁷");
    }

    #[test]
    fn a_series_without_spread_still_has_an_axis() {
        let axis = Axis::close([5.0, 5.0].into_iter(), TickLabels::Plain);
        assert!(axis.low < 5.0 && axis.high > 5.0 && (axis.place(5.0) - 0.5).abs() < 1e-9);
        let nothing = Axis::quantity(std::iter::empty(), TickLabels::Plain);
        assert!(nothing.ticks(5).iter().all(|t| t.value.is_finite()));
    }

    #[test]
    fn half_steps_show_their_decimal() {
        assert_eq!(plain(2.5, 2.5), "2.5");
        assert_eq!(plain(0.002, 0.0005), "0.0020");
        assert_eq!(plain(200.0, 1e-7 / 1e-9), "200");
        assert_eq!(exponent(2e-7), "2·10⁻⁷");
    }
}
