//! The parts of an index range, one for each worker.

use std::ops::Range;

/// The part of `0..len` that belongs to worker `index` of `parts`: contiguous, in order, and cut only at multiples of
/// `granule`, so that no two workers share a page or a cache line of a buffer that starts on one.
///
/// # Panics
/// Where `parts` or `granule` is zero, or `index` is not below `parts`.
pub fn part(len: usize, parts: usize, granule: usize, index: usize) -> Range<usize> {
    assert!(index < parts && granule > 0, "part {index} of {parts} in granules of {granule}");
    let granules = len.div_ceil(granule);
    let (share, rest) = (granules / parts, granules % parts);
    let start = index * share + index.min(rest);
    let end = start + share + usize::from(index < rest);
    (start * granule).min(len)..(end * granule).min(len)
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn parts_cover_the_range_once_and_cut_at_granules() {
        for len in [0, 1, 7, 8, 9, 63, 64, 65, 1000] {
            for parts in 1..6 {
                for granule in [1, 8, 24] {
                    let mut next = 0;
                    for index in 0..parts {
                        let range = part(len, parts, granule, index);
                        assert_eq!(range.start, next);
                        assert!(range.start.is_multiple_of(granule) || range.start == len);
                        next = range.end;
                    }
                    assert_eq!(next, len);
                }
            }
        }
    }

    #[test]
    fn parts_differ_by_one_granule_at_most() {
        let sizes: Vec<usize> = (0..4).map(|index| part(1000, 4, 8, index).len()).collect();
        assert_eq!(sizes, [256, 248, 248, 248]);
    }
}
