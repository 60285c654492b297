//! Lists of processors as the kernel writes them.

use std::collections::BTreeSet;

/// Equal steps are written as a range from this many numbers on.
const STEPS_MIN: usize = 3;

/// `0-3,8`, and `0-12:4` for every fourth; the numbers may come in any order.
pub fn ranges<'n, N: Copy + Into<i64> + 'n>(numbers: impl IntoIterator<Item = &'n N>) -> String {
    let numbers: BTreeSet<i64> = numbers.into_iter().map(|number| (*number).into()).collect();
    let numbers: Vec<i64> = numbers.into_iter().collect();
    let mut rest = &numbers[..];
    let mut written = Vec::new();
    while let [first, ..] = rest {
        let step = rest.get(1).map_or(1, |second| second - first);
        let even = 1 + rest.windows(2).take_while(|pair| pair[1] - pair[0] == step).count();
        let count = if step == 1 || even >= STEPS_MIN { even } else { 1 };
        let last = rest[count - 1];
        written.push(match (count, step) {
            (1, _) => first.to_string(),
            (_, 1) => format!("{first}-{last}"),
            _ => format!("{first}-{last}:{step}"),
        });
        rest = &rest[count..];
    }
    written.join(",")
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn neighbours_are_written_as_ranges() {
        assert_eq!(ranges(&[3_u32, 0, 1, 2, 8]), "0-3,8");
        assert_eq!(ranges(&[] as &[u32]), "");
        assert_eq!(ranges(&[5_u32]), "5");
        assert_eq!(ranges(&[0_u32, 1, 5]), "0-1,5");
    }

    #[test]
    fn every_second_number_is_a_range_with_a_step() {
        assert_eq!(ranges(&[0_u32, 2, 4, 6]), "0-6:2");
        assert_eq!(ranges(&[0_u32, 4, 8, 9, 10]), "0-8:4,9-10");
        assert_eq!(ranges(&[1_u32, 4]), "1,4");
    }
}
