//! A share of counted things, with the interval it is known to.

/// So many of so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Proportion {
    /// How many were counted.
    pub count: usize,
    /// Of how many.
    pub of: usize,
}

/// The quantile of the standard normal distribution that leaves 2.5 % above it.
const Z: f64 = 1.959_964;

impl Proportion {
    /// Counts one more thing, which is of the counted kind or not.
    pub fn add(&mut self, counts: bool) {
        self.count += usize::from(counts);
        self.of += 1;
    }

    /// The share, 0 to 1; `None` of nothing.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.count as f64 / self.of as f64)
    }

    /// The 95 % interval of the share: E. B. Wilson, Journal of the American Statistical Association 22 (1927). Of nothing 0 to 1.
    pub fn wilson(self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        let (n, p) = (self.of as f64, self.count as f64 / self.of as f64);
        let center = p + Z * Z / (2.0 * n);
        let reach = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let end = |value: f64| (value / (1.0 + Z * Z / n)).clamp(0.0, 1.0);
        (end(center - reach), end(center + reach))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_the_published_one() {
        // R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for ((count, of), (low, high)) in [
            ((81, 263), (0.2553, 0.3662)),
            ((15, 148), (0.0624, 0.1605)),
            ((0, 20), (0.0, 0.1611)),
            ((1, 29), (0.0061, 0.1718)),
        ] {
            let found = Proportion { count, of }.wilson();
            assert!((found.0 - low).abs() < 1e-4 && (found.1 - high).abs() < 1e-4, "{count} of {of}: {found:?}");
        }
        assert_eq!(Proportion::default().wilson(), (0.0, 1.0));
    }

    #[test]
    fn things_are_counted() {
        let mut share = Proportion::default();
        assert_eq!(share.share(), None);
        [true, false, false, true].into_iter().for_each(|counts| share.add(counts));
        assert_eq!((share, share.share()), (Proportion { count: 2, of: 4 }, Some(0.5)));
    }
}
