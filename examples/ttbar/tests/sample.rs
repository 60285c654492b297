//! The generated events: how many, and whether nature's rules hold in them.

use proptest::prelude::*;
use ttbar::combination;
use ttbar::event::{Event, GENERATED, HIGGS_MASS, PASSED, TOP_MASS, W_MASS, sample};
use ttbar::vector::FourVector;
use ttbar::weight::TRANSVERSE_SCALE;

#[test]
fn exactly_1867_of_5738_events_pass_the_cuts() {
    assert_eq!((GENERATED, PASSED), (5738, 1867));
    let events = sample(GENERATED, PASSED);
    assert_eq!(events.len(), PASSED);
    assert!(events.windows(2).all(|pair| pair[0].number < pair[1].number));
    let softest = events.iter().map(Event::discriminant).fold(f64::INFINITY, f64::min);
    let above = (0..GENERATED as u64).filter(|number| Event::generate(*number).discriminant() >= softest).count();
    assert_eq!(above, PASSED, "the cut is on the discriminant alone");
}

#[test]
fn nobody_passes_a_cut_for_none() {
    assert!(sample(10, 0).is_empty());
}

#[test]
fn work_for_an_event_varies_from_12_to_180_combinations() {
    let counts: Vec<usize> =
        sample(GENERATED, PASSED).iter().map(|event| combination::all(event.jets.len()).count()).collect();
    for combinations in [12, 60, 180] {
        assert!(counts.contains(&combinations), "no event has {combinations}");
    }
    let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    assert!((20.0..30.0).contains(&mean), "{mean} combinations an event");
}

#[test]
fn neutrinos_are_weighted_by_the_transverse_momenta_they_have() {
    let events = sample(GENERATED, PASSED);
    let neutrinos = events.iter().flat_map(|event| event.neutrinos);
    let mean = neutrinos.map(|neutrino| neutrino.transverse()).sum::<f64>() / (2 * events.len()) as f64;
    assert!((mean / (2.0 * TRANSVERSE_SCALE) - 1.0).abs() < 0.05, "{mean} GeV in the mean");
}

proptest! {
    #[test]
    fn masses_come_back_from_what_particles_decay_into(number in any::<u64>()) {
        let event = Event::generate(number);
        for side in [0, 1] {
            let w = event.leptons[side].vector + event.neutrinos[side];
            near(w.mass(), W_MASS)?;
            near((w + event.jets[side].vector).mass(), TOP_MASS)?;
        }
        near((event.jets[2].vector + event.jets[3].vector).mass(), HIGGS_MASS)?;
    }

    #[test]
    fn momentum_across_the_beams_is_conserved(number in any::<u64>()) {
        let event = Event::generate(number);
        let seen = event.leptons.iter().chain(&event.jets).map(|particle| particle.vector);
        let seen = seen.fold(FourVector::default(), |sum, vector| sum + vector);
        let [x, y] = event.missing;
        prop_assert!((seen.x + x).abs() + (seen.y + y).abs() < 1e-8 * seen.e, "{:?} is left", (seen.x + x, seen.y + y));
        let unseen = event.neutrinos[0] + event.neutrinos[1];
        prop_assert!((unseen.x - x).abs() + (unseen.y - y).abs() < 1e-9 * unseen.e);
    }
}

fn near(mass: f64, expected: f64) -> Result<(), TestCaseError> {
    prop_assert!((mass - expected).abs() < 1e-4 * expected, "{} instead of {}", mass, expected);
    Ok(())
}
