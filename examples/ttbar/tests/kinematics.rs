//! The kernel: its solutions have the masses they must, and the truth is among them.

use proptest::prelude::*;
use ttbar::closure::closure;
use ttbar::combination::Combination;
use ttbar::event::{Event, GENERATED, PASSED, TOP_MASS, W_MASS, sample};
use ttbar::neutrino::solve;
use ttbar::rng::Stream;
use ttbar::smear::RESOLUTION;

#[test]
fn the_true_neutrinos_are_found_in_all_1867_events() {
    let closure = closure(&sample(GENERATED, PASSED));
    assert_eq!(closure.closed, PASSED, "{closure:?}");
}

#[test]
fn the_closure_test_sees_a_wrong_measurement() {
    let mut events = sample(200, 100);
    events[7].leptons.swap(0, 1);
    events[8].missing[0] += 5.0;
    assert_eq!(closure(&events).closed, 98);
}

#[test]
fn a_variation_moves_within_the_resolution() {
    let measured = Combination::TRUE.measured(&Event::generate(3));
    let varied: Vec<_> = (0..4000).map(|variation| measured.varied(&mut Stream::of(3, 0, variation))).collect();
    let check = |relative: &dyn Fn(usize) -> f64| {
        let moments = |power| (0..varied.len()).map(|i| relative(i).powi(power)).sum::<f64>() / varied.len() as f64;
        assert!(moments(1).abs() < 0.1 * RESOLUTION, "mean {}", moments(1));
        assert!((moments(2).sqrt() / RESOLUTION - 1.0).abs() < 0.05, "spread {}", moments(2).sqrt());
    };
    for side in [0, 1] {
        let (lepton, b) = (measured.leptons[side].vector, measured.b_jets[side].vector);
        check(&|i| varied[i].leptons[side].vector.x / lepton.x - 1.0);
        check(&|i| varied[i].leptons[side].vector.y / lepton.y - 1.0);
        check(&|i| varied[i].leptons[side].vector.z / lepton.z - 1.0);
        check(&|i| varied[i].b_jets[side].vector.x / b.x - 1.0);
        check(&|i| varied[i].b_jets[side].vector.y / b.y - 1.0);
        check(&|i| varied[i].b_jets[side].vector.z / b.z - 1.0);
    }
}

proptest! {
    #[test]
    fn a_variation_keeps_masses_and_the_sum_across_the_beams(number in any::<u64>(), variation in any::<u64>()) {
        let measured = Combination::TRUE.measured(&Event::generate(number));
        let varied = measured.varied(&mut Stream::of(number, 0, variation));
        let particles = |m: &ttbar::smear::Measured| m.leptons.into_iter().chain(m.b_jets).collect::<Vec<_>>();
        let (before, after) = (particles(&measured), particles(&varied));
        let sum = |particles: &[ttbar::vector::Particle]| particles.iter().map(|p| p.vector.x).sum::<f64>();
        prop_assert!((sum(&before) + measured.missing[0] - sum(&after) - varied.missing[0]).abs() < 1e-9 * 1e3);
        for (before, after) in before.iter().zip(&after) {
            prop_assert_eq!(before.mass, after.mass);
            let square = after.vector.product(&after.vector);
            prop_assert!((square - after.mass * after.mass).abs() < 1e-9 * after.vector.e * after.vector.e);
        }
    }

    #[test]
    fn every_solution_has_the_masses_and_the_missing_momentum(number in any::<u64>(), variation in any::<u64>()) {
        let measured = Combination::TRUE.measured(&Event::generate(number)).varied(&mut Stream::of(number, 0, variation));
        for pair in solve(&measured).as_slice() {
            for (side, neutrino) in pair.iter().enumerate() {
                // Squared energies are what rounding is relative to.
                let w = measured.leptons[side].vector + *neutrino;
                let top = w + measured.b_jets[side].vector;
                let tolerance = 1e-6 * top.e * top.e;
                prop_assert!(neutrino.product(neutrino).abs() < tolerance, "{:?}", neutrino);
                prop_assert!((w.product(&w) - W_MASS * W_MASS).abs() < tolerance, "W of {}", w.mass());
                prop_assert!((top.product(&top) - TOP_MASS * TOP_MASS).abs() < tolerance, "top of {}", top.mass());
            }
            let [x, y] = [pair[0].x + pair[1].x, pair[0].y + pair[1].y];
            let size = pair[0].momentum() + pair[1].momentum();
            let left = (x - measured.missing[0]).abs() + (y - measured.missing[1]).abs();
            prop_assert!(left < 1e-9 * size, "{} GeV are left", left);
        }
    }
}
