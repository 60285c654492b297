//! Parts of a series in which a spell may stand alone: seeded intervals.

/// Fewest values of a part: twenty can show a change at one in a hundred thousand.
const PART_MIN: usize = 20;

/// How much shorter the parts of each layer are.
const DECAY: f64 = std::f64::consts::SQRT_2;

/// Parts `from..to` of `0..n`, each layer shorter than the last and overlapping by half at least; the whole is not among them.
pub fn intervals(n: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut length = n as f64 / DECAY;
    while length >= PART_MIN as f64 {
        let each = length as usize;
        let count = (2 * (n.div_ceil(each))).saturating_sub(1).max(2);
        let step = (n - each) as f64 / (count - 1) as f64;
        found.extend((0..count).map(|i| (i as f64 * step).round() as usize).map(|from| (from, from + each)));
        length /= DECAY;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_overlap_by_half_and_reach_both_ends() {
        assert!(intervals(27).is_empty());
        for n in [29, 64, 200, 1000] {
            let parts = intervals(n);
            assert!(parts.iter().all(|(from, to)| from < to && *to <= n && to - from >= PART_MIN));
            assert!(parts.iter().any(|(from, _)| *from == 0) && parts.iter().any(|(_, to)| *to == n));
            let layers = parts.chunk_by(|a, b| a.1 - a.0 == b.1 - b.0);
            for layer in layers {
                let overlaps = layer.windows(2).all(|pair| 2 * (pair[1].0 - pair[0].0) <= pair[0].1 - pair[0].0 + 1);
                assert!(overlaps, "{n}: {layer:?}");
            }
        }
    }
}
