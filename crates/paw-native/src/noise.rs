//! The noise of the operating system: what takes the processor away from work of a fixed length.

use paw_sort::SortNumbers;

/// Detours from which length on they are counted, in seconds, and the name of each class in files.
pub const CLASSES: [f64; 5] = [1e-6, 10e-6, 100e-6, 1e-3, 10e-3];

/// Detours of one thread, as they are found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Detours {
    /// Detours at least as long as the entry of [`CLASSES`] and shorter than the next one.
    pub counts: [u64; CLASSES.len()],
    /// Seconds of all detours.
    pub seconds: f64,
    /// Each, in seconds.
    pub lengths_s: Vec<f64>,
    /// Seconds in all, work and detours.
    pub elapsed_s: f64,
}

impl Detours {
    /// The detours in `quanta_s`, the seconds that equal pieces of work took one after the other: what a piece takes more than the least
    /// of all, where that is at least the first of [`CLASSES`].
    ///
    /// The fixed-work quantum of Petrini, Kerbyson and Pakin (SC 2003) and of LLNL's FWQ.
    pub fn of(quanta_s: &[f64]) -> Self {
        let least = quanta_s.iter().copied().fold(f64::INFINITY, f64::min);
        let mut found = Self { elapsed_s: quanta_s.iter().sum(), ..Self::default() };
        for more in quanta_s.iter().map(|quantum| quantum - least) {
            if let Some(class) = CLASSES.iter().rposition(|least| more >= *least) {
                found.counts[class] += 1;
                found.seconds += more;
                found.lengths_s.push(more);
            }
        }
        found
    }

    /// The detours of both; the times are added up.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        self.counts.iter_mut().zip(other.counts).for_each(|(own, other)| *own += other);
        self.seconds += other.seconds;
        self.lengths_s.extend(&other.lengths_s);
        self.elapsed_s += other.elapsed_s;
        self
    }

    /// The longest, in seconds; 0 where there is none.
    pub fn longest_s(&self) -> f64 {
        self.lengths_s.iter().copied().fold(0.0, f64::max)
    }

    /// The one in the middle, in seconds: half of them are no longer. `None` where there is none.
    pub fn median_s(&self) -> Option<f64> {
        let mut ascending = self.lengths_s.clone();
        ascending.sort_numbers();
        let (low, high) = (ascending.len().checked_sub(1)? / 2, ascending.len() / 2);
        Some(f64::midpoint(ascending[low], ascending[high]))
    }

    /// Their number.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Detours;

    #[test]
    fn a_detour_is_what_a_quantum_takes_more_than_the_least() {
        let quiet = 2e-6;
        let found = Detours::of(&[quiet, quiet + 0.5e-6, quiet + 3e-6, quiet + 250e-6, quiet, quiet + 20e-3]);
        assert_eq!(found.counts, [1, 0, 1, 0, 1], "half a microsecond is none");
        assert!((found.seconds - 20.253e-3).abs() < 1e-9 && (found.longest_s() - 20e-3).abs() < 1e-9, "{found:?}");
        assert!((found.median_s().expect("there are three") - 250e-6).abs() < 1e-9, "{found:?}");
        let both = found.clone().with(&Detours::of(&[quiet, quiet + 350e-6]));
        assert!((both.median_s().expect("there are four") - 300e-6).abs() < 1e-9, "{both:?}");
        let both = found.clone().with(&found);
        assert_eq!((both.count(), both.elapsed_s), (6, 2.0 * found.elapsed_s));
        assert_eq!(Detours::of(&[]), Detours::default());
        assert_eq!((Detours::default().median_s(), Detours::default().longest_s()), (None, 0.0));
    }
}
