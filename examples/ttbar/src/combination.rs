//! Which jets are taken for what.

use crate::event::Event;
use crate::smear::Measured;

/// Jets by their places: those taken for b and b̄, and the two taken for the Higgs's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Combination {
    /// Jets of the top and of the antitop: the order counts.
    pub b_jets: [usize; 2],
    /// Jets of the Higgs: the order does not count.
    pub higgs_jets: [usize; 2],
}

impl Combination {
    /// The truth of a generated event, and the first of [`all`].
    pub const TRUE: Self = Self { b_jets: [0, 1], higgs_jets: [2, 3] };

    /// What the kernel starts from under this combination.
    pub fn measured(&self, event: &Event) -> Measured {
        Measured { leptons: event.leptons, b_jets: self.b_jets.map(|jet| event.jets[jet]), missing: event.missing }
    }
}

/// Every combination among `jets` jets: n (n − 1) · C(n − 2, 2), that is 12, 60 and 180 for 4, 5 and 6.
pub fn all(jets: usize) -> impl Iterator<Item = Combination> {
    let pairs = move || (0..jets).flat_map(move |i| (0..jets).map(move |j| [i, j]));
    pairs().filter(|[b, antib]| b != antib).flat_map(move |b_jets| {
        let rest = move |[i, j]: &[usize; 2]| i < j && !b_jets.contains(i) && !b_jets.contains(j);
        pairs().filter(rest).map(move |higgs_jets| Combination { b_jets, higgs_jets })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_five_and_six_jets_have_12_60_and_180_combinations() {
        assert_eq!([3, 4, 5, 6].map(|jets| all(jets).count()), [0, 12, 60, 180]);
    }

    #[test]
    fn the_truth_comes_first_and_no_jet_is_used_twice() {
        assert_eq!(all(6).next(), Some(Combination::TRUE));
        for Combination { b_jets: [a, b], higgs_jets: [c, d] } in all(6) {
            assert!(a != b && c < d && ![c, d].contains(&a) && ![c, d].contains(&b), "{a} {b} {c} {d}");
        }
    }
}
