//! Ranks alternatives, with a common letter for those that no comparison separates.

use paw_sort::OrderBy;

use crate::comparison::{bonferroni, paired};
use crate::verdict::{Size, Verdict};
use crate::{interval, quantile};

/// Alternatives in the order of their medians, with letters for ties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// Numbers of the alternatives, the fastest first.
    pub order: Vec<usize>,
    /// Letters of each alternative, by its number: two that share a letter are not separated.
    pub letters: Vec<String>,
    /// Whether the first of the order is separated from the second; with one alternative it is.
    pub separated: bool,
}

/// The fewest rounds that can separate `alternatives`: those from which a sign interval exists at the corrected confidence.
/// At 95 % the smallest whole number from log₂(40 (k - 1)) on: 6 for 2 alternatives, 7 for 3, 9 for 13, 11 for 27.
pub fn rounds_needed(alternatives: usize, confidence: f64) -> usize {
    interval::fewest(bonferroni(confidence, alternatives))
}

/// Ranks alternatives measured in the same rounds (`rounds[alternative][round]`, times). Two are separated where the paired
/// ratio of the slower to the faster is SLOWER at the margin, at the confidence at which the comparisons of all others with any one
/// alternative hold together (Bonferroni over k - 1).
///
/// Letters by the sweep of H.-P. Piepho, *An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons*,
/// Journal of Computational and Graphical Statistics 13 (2004). `None` where there is no alternative, as for [`paired`],
/// and where several have fewer than [`rounds_needed`] rounds: nothing is known of their ties then.
pub fn ranking(rounds: &[&[f64]], confidence: f64, margin: f64) -> Option<Ranking> {
    let medians: Vec<f64> = rounds.iter().map(|times| quantile::median(times)).collect::<Option<_>>()?;
    let mut order: Vec<usize> = (0..rounds.len()).collect();
    order.order_by(|&i, &j| medians[i].total_cmp(&medians[j]));
    if rounds.len() > 1 && rounds[0].len() < rounds_needed(rounds.len(), confidence) {
        return None;
    }
    let confidence = bonferroni(confidence, rounds.len());
    let mut apart = vec![];
    for (place, &fast) in order.iter().enumerate() {
        for &slow in &order[place + 1..] {
            if paired(rounds[fast], rounds[slow], confidence)?.verdict(margin) == Verdict::Slower(Size::Beyond) {
                apart.push((fast, slow));
            }
        }
    }
    let separated = match order[..] {
        [] => return None,
        [_] => true,
        [first, second, ..] => apart.contains(&(first, second)),
    };
    let letters = letters(&order, &apart);
    Some(Ranking { order, letters, separated })
}

/// Letters of alternatives: groups that hold no pair of `apart`, as large as they can be, lettered in the order of their first member.
pub fn letters(order: &[usize], apart: &[(usize, usize)]) -> Vec<String> {
    let mut groups: Vec<Vec<usize>> = vec![order.to_vec()];
    for &(i, j) in apart {
        let (split, kept): (Vec<_>, Vec<_>) = groups.into_iter().partition(|g| g.contains(&i) && g.contains(&j));
        groups = kept;
        for group in split {
            for leaver in [j, i] {
                groups.push(group.iter().copied().filter(|&member| member != leaver).collect());
            }
        }
        groups = absorbed(groups);
    }
    let place = |member: &usize| order.iter().position(|o| o == member);
    groups.order_by_key(|group| group.iter().map(place).collect::<Vec<_>>());
    let mut letters = vec![String::new(); order.len()];
    for (number, group) in groups.iter().enumerate() {
        for &member in group {
            letters[member].push_str(&letter(number));
        }
    }
    letters
}

/// Without the groups that lie wholly within another.
fn absorbed(groups: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut kept: Vec<Vec<usize>> = vec![];
    for group in groups {
        let within = |outer: &Vec<usize>, inner: &Vec<usize>| inner.iter().all(|member| outer.contains(member));
        if kept.iter().any(|other| within(other, &group)) {
            continue;
        }
        kept.retain(|other| !within(&group, other));
        kept.push(group);
    }
    kept
}

/// a … z, then a2 … z2 and on.
fn letter(number: usize) -> String {
    let letter = char::from(b'a' + (number % 26) as u8);
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26 + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve rounds around `center`, all alternatives wavering alike but for `own`.
    fn times(center: f64, own: f64) -> Vec<f64> {
        (0..12).map(|i| center * (1.0 + 0.1 * f64::from(i % 5)) * (1.0 + own * f64::from(i % 3 - 1))).collect()
    }

    #[test]
    fn the_winner_is_the_one_that_rounds_separate() {
        let (a, b, c) = (times(1.2, 0.001), times(1.0, 0.0), times(1.1, 0.001));
        let found = ranking(&[&a, &b, &c], 0.95, 0.01).unwrap();
        assert_eq!(found.order, [1, 2, 0]);
        assert!(found.separated);
        assert_eq!(found.letters, ["c", "a", "b"]);
    }

    #[test]
    fn those_that_nothing_separates_share_a_letter() {
        let (a, b, c) = (times(1.0, 0.0), times(1.008, 0.0), times(1.016, 0.0));
        let found = ranking(&[&a, &b, &c], 0.95, 0.01).unwrap();
        assert!(!found.separated);
        assert_eq!(found.letters, ["a", "ab", "b"], "only the first and the last are more than a percent apart");
    }

    #[test]
    fn one_alternative_wins_and_none_does_not() {
        assert_eq!(ranking(&[&[1.0]], 0.95, 0.01).unwrap().letters, ["a"]);
        assert_eq!(ranking(&[], 0.95, 0.01), None);
        assert_eq!(ranking(&[&[1.0], &[1.0, 2.0]], 0.95, 0.01), None);
    }

    #[test]
    fn too_few_rounds_tie_nothing() {
        let needed = [1, 2, 3, 13, 27].map(|alternatives| rounds_needed(alternatives, 0.95));
        assert_eq!(needed, [6, 6, 7, 9, 11]);
        let all: Vec<Vec<f64>> = (0..13).map(|i| vec![1.6_f64.powi(i); 9]).collect();
        let with = |rounds: usize| ranking(&all.iter().map(|t| &t[..rounds]).collect::<Vec<_>>(), 0.95, 0.01);
        assert_eq!(with(8), None, "no interval exists: that is no tie");
        assert!(with(9).is_some_and(|found| found.separated && found.letters[12] == "m"));
    }

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!((letter(0), letter(25), letter(26)), ("a".to_owned(), "z".to_owned(), "a2".to_owned()));
    }
}
