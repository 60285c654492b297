//! A number computed from a cell on export.

use crate::matrix::groups;

/// One number with its name.
pub(super) struct Derived {
    pub quantity: String,
    pub unit: String,
    pub statistic: &'static str,
    pub value: f64,
    /// The interval, where there is one.
    pub ends: Option<(f64, f64)>,
    /// Samples it comes from.
    pub samples: usize,
}

/// A row for each group of `letters` that nothing separates: its number, 1 for that of the fastest.
pub(super) fn tie_groups(letters: &str, samples: usize) -> impl Iterator<Item = Derived> {
    groups(letters).map(move |letter| Derived {
        quantity: "tie_group".to_owned(),
        unit: String::new(),
        statistic: "member",
        value: group(letter),
        ends: None,
        samples,
    })
}

/// The number of a group: 1 for `a`, 27 for `a2`.
fn group(letter: &str) -> f64 {
    let (first, rest) = letter.split_at(1);
    let turn = rest.parse().unwrap_or(1.0);
    f64::from(first.as_bytes()[0] - b'a') + 1.0 + 26.0 * (turn - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_numbered_as_they_go_on_after_z() {
        assert_eq!(tie_groups("aba2", 1).map(|one| one.value).collect::<Vec<_>>(), [1.0, 2.0, 27.0]);
    }
}
