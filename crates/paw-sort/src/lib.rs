//! One sort for lists of every type.
//!
//! The standard library's sorts are compiled anew for each type and closure, ten kilobytes of machine code each. These sort the places of a
//! list by one function, and move its items once.
#![forbid(unsafe_code)]

use std::cmp::Ordering;

/// Sorts by a closure. Equal items keep their order.
pub trait OrderBy<T> {
    /// Sorts by `compare`, a total order.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by what `key` makes of an item, once of each.
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> OrderBy<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let sources = sources(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        arrange(self, sources);
    }

    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        arrange(self, sources(keys.len(), &mut |a, b| keys[a].cmp(&keys[b])));
    }
}

/// Moves into each place of `list` the item that belongs there, by swaps along the cycles of `sources`.
fn arrange<T>(list: &mut [T], mut sources: Vec<usize>) {
    for first in 0..sources.len() {
        let mut place = first;
        loop {
            let source = std::mem::replace(&mut sources[place], place);
            if source == first {
                break;
            }
            list.swap(place, source);
            place = source;
        }
    }
}

/// Which item of a list of `length` belongs in each place.
fn sources(length: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sources: Vec<usize> = (0..length).collect();
    sources.sort_by(|a, b| compare(*a, *b));
    sources
}

/// Sorts numbers.
pub trait SortNumbers {
    /// Sorts by [`f64::total_cmp`], the smallest first.
    fn sort_numbers(&mut self);
}

impl SortNumbers for [f64] {
    fn sort_numbers(&mut self) {
        self.sort_unstable_by(f64::total_cmp);
    }
}

#[cfg(test)]
mod tests {
    use super::{OrderBy, SortNumbers};

    /// Every list of up to six items of three kinds, each item with its place.
    #[test]
    fn lists_are_sorted_as_the_standard_library_sorts_them() {
        for length in 0..=6_u32 {
            for number in 0..3_u32.pow(length) {
                let list: Vec<(u32, u32)> = (0..length).map(|place| (number / 3_u32.pow(place) % 3, place)).collect();
                let (mut ours, mut theirs) = (list.clone(), list);
                ours.order_by_key(|item| item.0);
                theirs.sort();
                assert_eq!(ours, theirs);
                ours.order_by(|a, b| b.cmp(a));
                theirs.reverse();
                assert_eq!(ours, theirs);
            }
        }
    }

    #[test]
    fn numbers_ascend() {
        let mut numbers = [2.0, f64::INFINITY, -0.0, 0.0, -1.5];
        numbers.sort_numbers();
        assert_eq!(numbers.map(f64::to_bits), [-1.5, -0.0, 0.0, 2.0, f64::INFINITY].map(f64::to_bits));
    }
}
