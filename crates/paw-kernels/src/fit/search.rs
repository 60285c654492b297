//! The whole numbers n at which a footprint lies between two bounds.

use crate::spec::Spec;

/// The largest size: larger ones are not exact in an `f64`, and no memory holds them.
const N_MAX: u64 = 1 << 52;

/// Neighbours that are tried if the kernel does not exist at a size, such as an odd n with an extent `n/2`.
const STEPS_MAX: u64 = 1 << 16;

/// Sizes from 1 that are tried to find the first with a footprint: `n - 64` has none below 65.
const FIRST_MAX: u64 = 1 << 12;

/// Why no size was found.
pub(crate) enum SearchError {
    /// No size lies between the bounds; the nearest sizes and their footprints in words.
    Between(String),
    /// The footprint cannot be searched.
    Formula(String),
}

/// A kernel's footprint as a function of n.
pub(crate) struct SizeSearch<'a> {
    spec: &'a Spec,
}

impl<'a> SizeSearch<'a> {
    pub fn new(spec: &'a Spec) -> Self {
        Self { spec }
    }

    /// The footprint in bytes; `None` if the kernel does not exist at this size.
    pub fn bytes(&self, n: u64) -> Option<u64> {
        self.spec.iterations_at(n).and_then(|_| self.spec.arguments(n)).ok()?;
        self.spec.footprint_bytes(n).ok()
    }

    /// The smallest size with more than `low` bytes, the one nearest to `aim`, and the largest with at most `high`.
    pub fn within(&self, low: f64, high: f64, aim: f64) -> Result<(u64, u64, u64), SearchError> {
        let first = self.first()?;
        self.rises_throughout(first)?;
        let min = self.last(first, low)?.map_or(first, |n| n + 1);
        let max = self.last(first, high)?;
        let found = max.filter(|max| min <= *max).and_then(|max| {
            let middle = self.last(first, aim).ok()?.unwrap_or(min).clamp(min, max);
            let near = self.nearer(middle, (middle + 1).min(max), aim);
            Some((self.beside(min, min, max)?, self.beside(near, min, max)?, self.beside(max, min, max)?))
        });
        found.ok_or_else(|| SearchError::Between(self.around(first, max)))
    }

    /// The largest size with at most `bytes` bytes; `None` if there is none, or the footprint cannot be searched.
    pub fn largest(&self, bytes: f64) -> Option<u64> {
        let first = self.first().ok()?;
        let last = self.last(first, bytes).ok()??;
        self.beside(last, first, last)
    }

    /// The smallest size with more than `bytes` bytes; `None` as for [`Self::largest`].
    pub fn smallest_past(&self, bytes: f64) -> Option<u64> {
        let first = self.first().ok()?;
        let past = self.last(first, bytes).ok()?.map_or(first, |last| last + 1);
        self.beside(past, past, N_MAX)
    }

    /// The footprint's formula at `n`, even if the kernel does not exist there; `None` if it has no value.
    fn rough(&self, n: u64) -> Option<f64> {
        let values = self.spec.values(n).ok()?;
        let bytes = |array: &crate::spec::Array| {
            Some(array.extent.evaluate(&|name| values.get(name)).ok()? * array.element.bytes() as f64)
        };
        self.spec.arrays.iter().map(bytes).sum()
    }

    fn first(&self) -> Result<u64, SearchError> {
        (1..=FIRST_MAX).find(|n| self.rough(*n).is_some()).ok_or_else(|| {
            let why = self.spec.footprint_bytes(FIRST_MAX).err().map_or_else(String::new, |why| format!(": {why}"));
            SearchError::Formula(format!("the footprint has no value from n = 1 to {FIRST_MAX}{why}"))
        })
    }

    /// The last n from `first` on with at most `bytes`, by doubling and halving; `None` if there is none.
    fn last(&self, first: u64, bytes: f64) -> Result<Option<u64>, SearchError> {
        // A footprint too large for a value is past every bound.
        let fits = |n: u64| self.rough(n).is_some_and(|found| found <= bytes);
        if !fits(first) {
            return Ok(None);
        }
        let (mut inside, mut outside) = (first, first.saturating_mul(2));
        while fits(outside) {
            if outside >= N_MAX {
                let formula = self.spec.footprint();
                let why = format!("the footprint {formula} stays below {bytes} bytes however large n is");
                return Err(SearchError::Formula(why));
            }
            (inside, outside) = (outside, outside * 2);
        }
        while outside - inside > 1 {
            let middle = inside.midpoint(outside);
            if fits(middle) { inside = middle } else { outside = middle }
        }
        self.rises(inside, outside)?;
        self.rises(inside.saturating_sub(1).max(first), inside)?;
        Ok(Some(inside))
    }

    /// Checks that the footprint rises from each doubling of `first` to the next, as far as it has a value.
    fn rises_throughout(&self, first: u64) -> Result<(), SearchError> {
        let mut doublings = std::iter::successors(Some(first), |n| n.checked_mul(2)).take_while(|n| *n < N_MAX);
        doublings.try_for_each(|n| self.rises(n, 2 * n))
    }

    fn rises(&self, from: u64, to: u64) -> Result<(), SearchError> {
        match (self.rough(from), self.rough(to)) {
            (Some(before), Some(after)) if after < before => Err(SearchError::Formula(format!(
                "the footprint {} falls from {before} bytes at n = {from} to {after} at n = {to}: only one that rises with n can be searched; choose n by hand",
                self.spec.footprint()
            ))),
            _ => Ok(()),
        }
    }

    /// Whichever of two sizes has the footprint nearer to `aim`, as a ratio.
    fn nearer(&self, one: u64, other: u64, aim: f64) -> u64 {
        let distance = |n: u64| self.rough(n).map_or(f64::INFINITY, |bytes| (bytes / aim).ln().abs());
        if distance(other) < distance(one) { other } else { one }
    }

    /// The size nearest to `n` from `min` to `max` at which the kernel exists: a neighbour, else a power of two or three times one.
    fn beside(&self, n: u64, min: u64, max: u64) -> Option<u64> {
        let exists = |n: &u64| (min..=max).contains(n) && self.bytes(*n).is_some();
        let neighbour = (0..=STEPS_MAX).take_while(|step| n.saturating_sub(*step) >= min || n + step <= max);
        let round = || (0..52).flat_map(|power| [1_u64 << power, 3_u64 << power]).filter(exists);
        neighbour
            .flat_map(|step| [n.saturating_sub(step), n + step])
            .find(exists)
            .or_else(|| round().min_by_key(|round| round.abs_diff(n)))
    }

    /// The footprints of the sizes on both sides of the bounds, in words.
    fn around(&self, first: u64, max: Option<u64>) -> String {
        let before = max.unwrap_or(first);
        let has = |n: u64| match self.spec.footprint_bytes(n) {
            Ok(bytes) => format!("n = {n} has {bytes}"),
            Err(why) => why.to_string(),
        };
        if max.is_none() { has(first) } else { format!("{} and {}", has(before), has(before + 1)) }
    }
}
