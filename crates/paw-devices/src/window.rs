//! The work of several devices while all of them are active.

/// One device's start and the end of each of its turns, in ascending seconds of the host's clock.
pub type Stamps = Vec<f64>;

/// The time in which all devices were at work.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// Its length, in seconds.
    pub length_s: f64,
    /// Its share of the time in which any device was at work: 1 if all began and ended together.
    pub overlap: f64,
    /// Turns that each device did within it. A turn that an edge cuts counts by its share inside.
    pub turns: Vec<f64>,
}

impl Window {
    /// The window of devices with these stamps: from the latest start to the earliest end. `None` where there is none.
    pub fn of(devices: &[Stamps]) -> Option<Self> {
        let starts = || devices.iter().filter_map(|stamps| stamps.first().copied());
        let ends = || devices.iter().filter(|stamps| stamps.len() > 1).filter_map(|stamps| stamps.last().copied());
        if devices.is_empty() || ends().count() < devices.len() {
            return None;
        }
        let (from_s, to_s) = (starts().fold(f64::MIN, f64::max), ends().fold(f64::MAX, f64::min));
        let union_s = ends().fold(f64::MIN, f64::max) - starts().fold(f64::MAX, f64::min);
        let length_s = to_s - from_s;
        let turns = devices.iter().map(|stamps| within(stamps, from_s, to_s)).collect();
        (length_s > 0.0).then(|| Window { length_s, overlap: length_s / union_s, turns })
    }

    /// Seconds that `loops` turns on each device take at the rate at which all of them together did turns in the window:
    /// `loops · devices · length ÷ Σ turns`.
    pub fn elapsed_s(&self, loops: f64) -> f64 {
        loops * self.turns.len() as f64 * self.length_s / self.turns.iter().sum::<f64>()
    }

    /// Seconds that `loops` turns take each device at its own rate in the window.
    pub fn each_s(&self, loops: f64) -> impl Iterator<Item = f64> {
        self.turns.iter().map(move |turns| loops * self.length_s / turns)
    }
}

/// How many turns lie between two moments.
fn within(stamps: &[f64], from_s: f64, to_s: f64) -> f64 {
    let share = |turn: &[f64]| {
        let (begin_s, end_s) = (turn[0], turn[1]);
        let inside_s = end_s.min(to_s) - begin_s.max(from_s);
        if inside_s <= 0.0 { 0.0 } else { inside_s / (end_s - begin_s) }
    };
    stamps.windows(2).map(share).sum()
}

#[cfg(test)]
mod tests {
    use super::Window;

    fn steady(start_s: f64, turn_s: f64, turns: u32) -> Vec<f64> {
        (0..=turns).map(|turn| start_s + turn_s * f64::from(turn)).collect()
    }

    #[test]
    fn two_equal_devices_take_as_long_as_one() {
        let window = Window::of(&[steady(0.0, 0.5, 8), steady(0.0, 0.5, 8)]).expect("they overlap");
        assert_eq!((window.length_s, window.overlap), (4.0, 1.0));
        assert_eq!(window.elapsed_s(8.0), 4.0);
    }

    #[test]
    fn what_a_device_does_alone_does_not_count() {
        // The second starts when the first has done half.
        let window = Window::of(&[steady(0.0, 1.0, 8), steady(4.0, 1.0, 8)]).expect("they overlap");
        assert_eq!(window.turns, [4.0, 4.0]);
        assert_eq!(window.overlap, 4.0 / 12.0);
    }

    #[test]
    fn a_turn_that_an_edge_cuts_counts_by_its_share() {
        let window = Window::of(&[steady(0.0, 1.0, 1), steady(0.0, 0.75, 2)]).expect("they overlap");
        assert_eq!(window.turns, [1.0, 1.0 + 0.25 / 0.75]);
    }

    #[test]
    fn a_fast_device_beside_a_slow_one_shows_at_its_own_rate() {
        let window = Window::of(&[steady(0.0, 1.0, 4), steady(0.0, 0.25, 16)]).expect("they overlap");
        assert_eq!(window.each_s(4.0).collect::<Vec<_>>(), [4.0, 1.0]);
        // 20 turns in 4 s: 8 turns at this rate.
        assert_eq!(window.elapsed_s(4.0), 8.0 / 5.0);
    }

    #[test]
    fn devices_that_never_met_have_no_window() {
        assert_eq!(Window::of(&[steady(0.0, 1.0, 2), steady(3.0, 1.0, 2)]), None);
        assert_eq!(Window::of(&[steady(0.0, 1.0, 2), vec![0.0]]), None);
        assert_eq!(Window::of(&[]), None);
    }
}
