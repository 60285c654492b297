//! Compares answers with a reference, element by element, within a tolerance.

use paw_data::kernel::Tolerance;
use paw_data::outcome::Accuracy;

use crate::element::Element;
use crate::number::{Difference, DifferenceKind, Number, with_number};

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The differences; distances in units in the last place are of pairs of finite numbers.
    pub accuracy: Accuracy,
    /// One sentence on the first wrong element, and how many there are; empty if none is.
    pub note: String,
}

/// A comparison of several answers, added one after the other.
///
/// An element passes if its relative error is at most `tolerance.relative`, or its distance at most `tolerance.ulp` units in the
/// last place. A number never passes for NaN or infinity, nor they for it, and whole numbers must be equal.
#[derive(Debug, Clone)]
pub struct Comparison {
    tolerance: Tolerance,
    accuracy: Accuracy,
    first_wrong: Option<(String, String)>,
    first_differing: Option<String>,
}

impl Comparison {
    /// A comparison without answers.
    pub fn within(tolerance: Tolerance) -> Self {
        Self { tolerance, accuracy: Accuracy::default(), first_wrong: None, first_differing: None }
    }

    /// Compares the bytes of the answer `name` with the reference's. The caller has checked that their lengths agree.
    pub fn add(&mut self, name: &str, element: Element, answer: &[u8], reference: &[u8]) {
        let place = |index: usize| match name {
            RESULT => RESULT.to_owned(),
            _ => format!("{name}[{index}]"),
        };
        with_number!(element, N => self.numbers::<N>(&place, answer, reference));
    }

    fn numbers<N: Number>(&mut self, place: &dyn Fn(usize) -> String, answer: &[u8], reference: &[u8]) {
        let pairs = answer.chunks_exact(N::BYTES).zip(reference.chunks_exact(N::BYTES));
        for (index, (answer, reference)) in pairs.enumerate() {
            self.accuracy.elements += 1;
            if answer == reference {
                continue;
            }
            let (x, r) = (N::read(answer), N::read(reference));
            let Some(difference) = x.difference(r) else { continue };
            self.count(difference);
            self.first_differing.get_or_insert_with(|| place(index));
            if !self.passes(difference) {
                self.accuracy.wrong += 1;
                self.first_wrong.get_or_insert_with(|| {
                    let name = place(index);
                    let sentence = format!("`{name}` is {x:?}, not {r:?}{}", measure(difference));
                    (name, sentence)
                });
            }
        }
    }

    fn count(&mut self, difference: Difference) {
        let accuracy = &mut self.accuracy;
        accuracy.differing += 1;
        accuracy.relative_max = accuracy.relative_max.max(difference.relative);
        accuracy.ulp_max = accuracy.ulp_max.max(difference.steps.unwrap_or(0));
        accuracy.nan += u64::from(difference.kind == DifferenceKind::Nan);
        accuracy.infinite += u64::from(difference.kind == DifferenceKind::Infinite);
    }

    fn passes(&self, difference: Difference) -> bool {
        let near = difference.steps.is_some_and(|steps| steps <= self.tolerance.ulp);
        difference.kind == DifferenceKind::Value && (near || difference.relative <= self.tolerance.relative)
    }

    /// The result.
    pub fn finish(self) -> Compared {
        let mut accuracy = self.accuracy;
        let (wrong, elements) = (accuracy.wrong, accuracy.elements);
        let share = match (wrong, elements) {
            (_, 1) => String::new(),
            (1, _) => format!("; 1 of {elements} elements is wrong"),
            _ => format!("; {wrong} of {elements} elements are wrong"),
        };
        let (place, note) = match self.first_wrong {
            Some((place, sentence)) => (Some(place), sentence + &share),
            None => (self.first_differing, String::new()),
        };
        accuracy.first = place.unwrap_or_default();
        Compared { accuracy, note }
    }
}

/// The name of a function's result among its answers.
pub const RESULT: &str = "return";

/// The size of a difference in brackets; empty if it has none.
fn measure(difference: Difference) -> String {
    let relative = format!("relative error {:.1e}", difference.relative);
    match difference {
        Difference { kind: DifferenceKind::Value, steps: Some(steps), relative: far } if far.is_infinite() => {
            format!(" ({steps} ULP)")
        }
        Difference { kind: DifferenceKind::Value, steps: Some(steps), .. } => format!(" ({relative}, {steps} ULP)"),
        _ => String::new(),
    }
}

/// The distance between two single-precision numbers in units in the last place: 1 for neighbours, 0 for zeros of both signs. `None` if
/// one is NaN or infinite.
pub fn ulps_single(a: f32, b: f32) -> Option<u64> {
    a.difference(b).map_or(Some(0), |difference| difference.steps)
}

/// The distance between two double-precision numbers, as [`ulps_single`].
pub fn ulps_double(a: f64, b: f64) -> Option<u64> {
    a.difference(b).map_or(Some(0), |difference| difference.steps)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compare(tolerance: Tolerance, answer: &[f64], reference: &[f64]) -> Compared {
        let bytes = |numbers: &[f64]| -> Vec<u8> { numbers.iter().flat_map(|x| x.to_ne_bytes()).collect() };
        let mut comparison = Comparison::within(tolerance);
        comparison.add("b", Element::F64, &bytes(answer), &bytes(reference));
        comparison.finish()
    }

    fn relative(relative: f64) -> Tolerance {
        Tolerance { relative, ulp: 0 }
    }

    #[test]
    fn the_first_wrong_element_is_named_and_all_are_counted() {
        let found = compare(relative(0.5), &[1.0, 1.4, 3.2, 9.0], &[1.0, 1.0, 2.0, 1.0]);
        assert_eq!(
            found.note,
            "`b[2]` is 3.2, not 2.0 (relative error 6.0e-1, 2702159776422298 ULP); 2 of 4 elements are wrong"
        );
        let Accuracy { elements, differing, wrong, relative_max, first, .. } = found.accuracy;
        assert_eq!((elements, differing, wrong, relative_max, first.as_str()), (4, 3, 2, 8.0, "b[2]"));
    }

    #[test]
    fn what_passes_has_no_note_but_is_counted() {
        let next = 1.0_f64.next_up();
        let found = compare(Tolerance { relative: 0.0, ulp: 1 }, &[1.0, next], &[1.0, 1.0]);
        assert_eq!(found.note, "");
        let Accuracy { differing, wrong, ulp_max, first, .. } = found.accuracy;
        assert_eq!((differing, wrong, ulp_max, first.as_str()), (1, 0, 1, "b[1]"));
    }

    #[test]
    fn a_number_never_passes_for_nan_or_infinity_nor_they_for_it() {
        let all = Tolerance { relative: f64::INFINITY, ulp: u64::MAX };
        let kinds = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0];
        for (i, answer) in kinds.into_iter().enumerate() {
            for (j, reference) in kinds.into_iter().enumerate() {
                let found = compare(all, &[answer], &[reference]);
                assert_eq!(found.accuracy.wrong, u64::from(i != j), "{answer} for {reference}");
            }
        }
        let found = compare(all, &[f64::NAN, f64::INFINITY, 1.0], &[2.1, 2.1, f64::NAN]).accuracy;
        assert_eq!((found.nan, found.infinite, found.relative_max, found.ulp_max), (1, 1, f64::INFINITY, 0));
        let note = compare(all, &[0.0, f64::NAN], &[0.0, 2.1]).note;
        assert_eq!(note, "`b[1]` is NaN, not 2.1; 1 of 2 elements is wrong");
    }

    #[test]
    fn a_zero_is_a_zero_and_a_nan_a_nan() {
        let other_nan = f64::from_bits(f64::NAN.to_bits() | 1);
        let found = compare(relative(0.0), &[0.0, other_nan], &[-0.0, f64::NAN]);
        assert_eq!(found.accuracy, Accuracy { elements: 2, ..Accuracy::default() });
    }

    #[test]
    fn what_should_be_zero_has_no_relative_error() {
        let tiny = f64::from_bits(1);
        assert_eq!(compare(Tolerance { relative: 1.0, ulp: 1 }, &[tiny], &[0.0]).note, "");
        assert_eq!(compare(relative(1.0), &[tiny], &[0.0]).note, "`b[0]` is 5e-324, not 0.0 (1 ULP)");
    }

    #[test]
    fn whole_numbers_must_be_equal() {
        let all = Tolerance { relative: 1.0, ulp: 100 };
        let mut comparison = Comparison::within(all);
        let bytes = |numbers: [i32; 3]| numbers.map(i32::to_ne_bytes).concat();
        comparison.add("k", Element::I32, &bytes([1, -2_000_000_000, 3]), &bytes([1, 2_000_000_000, 4]));
        comparison.add(RESULT, Element::U8, &[7], &[7]);
        let found = comparison.finish();
        assert_eq!(found.note, "`k[1]` is -2000000000, not 2000000000; 2 of 4 elements are wrong");
        assert_eq!((found.accuracy.ulp_max, found.accuracy.relative_max), (4_000_000_000, 2.0));
    }

    #[test]
    fn a_wrong_result_is_called_by_its_name() {
        let mut comparison = Comparison::within(relative(0.0));
        comparison.add(RESULT, Element::F32, &1.5_f32.to_ne_bytes(), &1.0_f32.to_ne_bytes());
        let found = comparison.finish();
        assert_eq!(found.note, "`return` is 1.5, not 1.0 (relative error 5.0e-1, 4194304 ULP)");
        assert_eq!(found.accuracy.first, "return");
    }

    #[test]
    fn steps_cross_zero_and_reach_the_ends() {
        assert_eq!(ulps_double(f64::from_bits(1), -f64::from_bits(1)), Some(2));
        assert_eq!(ulps_single(f32::MAX, f32::MIN), Some(2 * 0x7f7f_ffff));
        assert_eq!(ulps_double(f64::MIN_POSITIVE, f64::MIN_POSITIVE.next_down()), Some(1));
        assert_eq!(ulps_single(f32::INFINITY, f32::MAX), None);
    }

    #[test]
    fn the_error_of_opposite_extremes_is_finite() {
        assert_eq!(compare(relative(1.0), &[f64::MAX], &[f64::MIN]).accuracy.relative_max, 2.0);
    }

    fn finite() -> impl Strategy<Value = f64> {
        use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
        POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_zero_only_between_equals(a in finite(), b in finite()) {
            prop_assert_eq!(ulps_double(a, b), ulps_double(b, a));
            prop_assert_eq!(ulps_double(a, b) == Some(0), a == b);
            let (a, b) = (a as f32, b as f32);
            prop_assert_eq!(ulps_single(a, b), ulps_single(b, a));
        }

        #[test]
        fn distances_along_the_line_add_up(a in finite(), b in finite(), c in finite()) {
            let mut line = [a, b, c];
            line.sort_by(f64::total_cmp);
            let steps = |from: usize, to: usize| u128::from(ulps_double(line[from], line[to]).expect("finite"));
            prop_assert_eq!(steps(0, 2), steps(0, 1) + steps(1, 2));
        }

        #[test]
        fn the_next_number_is_one_step_away(a in finite()) {
            prop_assume!(a.next_up().is_finite());
            // Both zeros are one number, followed by the smallest subnormal one.
            let next = if a == 0.0 { f64::from_bits(1) } else { a.next_up() };
            prop_assert_eq!(ulps_double(a, next), Some(1));
            prop_assert_eq!(ulps_single(1.5, 1.5_f32.next_down()), Some(1));
        }

        #[test]
        fn what_passes_passes_under_every_wider_tolerance(a in finite(), b in finite(), at in 0.0..2.0, wider in 0.0..2.0, ulp in 0u64..1 << 60) {
            let narrow = compare(Tolerance { relative: at, ulp }, &[a], &[b]).accuracy.wrong;
            let wide = compare(Tolerance { relative: at + wider, ulp: ulp + 1 }, &[a], &[b]).accuracy.wrong;
            prop_assert!(wide <= narrow);
        }
    }
}
