//! What an explanation says, by figures that are known.

use paw_data::explained::{Bound, Explained, Finding, Resource};
use paw_data::explanation::{Ablation, Explanation, ExplanationRow, HotLoop, Recurrence};

/// The explanation of a kernel of ten cycles, whose rows have these figures.
fn explanation(rows: &[(&str, Option<Ablation>, f64)], chain: f64) -> Explanation {
    let row = |(level, ablation, cycles): &(&str, Option<Ablation>, f64)| ExplanationRow {
        level: (*level).to_owned(),
        n: 100,
        ablation: *ablation,
        cycles: vec![*cycles; 5],
        ..ExplanationRow::default()
    };
    Explanation {
        hot: Some(HotLoop { iterations: 1.0, trips: 100.0, ..HotLoop::default() }),
        rows: rows.iter().map(row).collect(),
        recurrence: Some(Recurrence { cycles: chain, made_of: "additions".to_owned(), ..Recurrence::default() }),
        ..Explanation::default()
    }
}

/// What binds at the first size, and the sentence about it.
fn found(explanation: &Explanation) -> (Finding, String) {
    let explained = Explained::of(explanation);
    let level = &explained.levels[0];
    (level.finding.clone(), level.sentence(explanation, true))
}

#[test]
fn a_part_binds_if_taking_it_away_helps_and_its_bound_is_near() {
    let own = explanation(&[("L1", None, 10.0), ("L1", Some(Ablation::NoChain), 2.0)], 9.5);
    let (finding, sentence) = found(&own);
    assert!(matches!(finding, Finding::Binds(bound) if bound.resource == Resource::Chain("additions".to_owned())));
    assert_eq!(
        sentence,
        "L1 (n = 100): 10.00 core cycles an iteration, 80 % less without the chain of additions; what binds is the chain of \
         additions, which alone would take 9.50."
    );
}

#[test]
fn nothing_binds_by_its_bound_alone() {
    let own = explanation(&[("L1", None, 10.0), ("L1", Some(Ablation::NoChain), 9.8)], 9.5);
    let (finding, sentence) = found(&own);
    assert!(matches!(finding, Finding::Untouched(Some(_))), "{finding:?}");
    assert!(sentence.contains("nothing that was taken away shortens it"), "{sentence}");
}

#[test]
fn nothing_binds_by_what_is_saved_alone() {
    let own = explanation(&[("L1", None, 10.0), ("L1", Some(Ablation::NoChain), 5.0)], 4.0);
    let (finding, sentence) = found(&own);
    assert!(matches!(finding, Finding::Unexplained(Some(_))), "{finding:?}");
    assert!(sentence.contains("no single part explains it"), "{sentence}");
}

#[test]
fn where_moving_the_loop_changes_its_time_no_share_is_told() {
    let rows = |copy| {
        explanation(
            &[("L1", None, 10.0), ("L1", Some(Ablation::Copy), copy), ("L1", Some(Ablation::NoChain), 2.0)],
            9.5,
        )
    };
    for (copy, words) in [(13.6, "takes 36 % longer"), (8.0, "takes 20 % less time")] {
        let (finding, sentence) = found(&rows(copy));
        assert!(matches!(finding, Finding::Moved(_)), "{finding:?}");
        assert!(sentence.contains(words) && !sentence.contains("without the chain"), "{sentence}");
    }
    assert!(matches!(found(&rows(10.5)).0, Finding::Binds(_)), "half a cycle is noise");
}

#[test]
fn what_takes_longer_than_the_kernel_is_no_bound() {
    let own = explanation(&[("L1", None, 10.0), ("L1", Some(Ablation::NoOperations), 14.0)], 1.0);
    let explained = Explained::of(&own);
    assert_eq!(explained.levels[0].bounds.len(), 1, "{:?}", explained.levels[0].bounds);
}

#[test]
fn traffic_binds_where_the_loads_and_stores_alone_take_as_long() {
    let rows = [
        ("L1", None, 2.0),
        ("L1", Some(Ablation::NoFloat), 1.0),
        ("RAM", None, 10.0),
        ("RAM", Some(Ablation::OnePage), 2.0),
        ("RAM", Some(Ablation::NoFloat), 9.9),
    ];
    let own = explanation(&rows, 1.0);
    let explained = Explained::of(&own);
    let finding = &explained.levels[1].finding;
    assert!(
        matches!(finding, Finding::Binds(bound) if bound.resource == Resource::Memory("RAM".to_owned())),
        "{finding:?}"
    );
}

#[test]
fn a_run_without_figures_explains_nothing() {
    let own = Explanation { refused: "`f` has no loop".to_owned(), ..explanation(&[("L1", None, f64::NAN)], 1.0) };
    assert_eq!(
        found(&own),
        (Finding::Unknown, "L1 (n = 100): how long an iteration takes is not known: no sample was taken.".to_owned())
    );
    assert!(Explained::of(&Explanation::default()).levels.is_empty());
}

/// A loop that divides: as it is, without its arithmetic, without its divisions, arithmetic alone, and divisions alone if that was measured.
fn dividing(no_division: f64, alone: Option<f64>) -> Explanation {
    let rows = [
        ("L1", None, 10.0),
        ("L1", Some(Ablation::NoFloat), 2.0),
        ("L1", Some(Ablation::NoDivision), no_division),
        ("L1", Some(Ablation::ArithmeticAlone), 9.9),
    ];
    let alone = alone.map(|cycles| ("L1", Some(Ablation::DivisionsAlone), cycles));
    explanation(&rows.into_iter().chain(alone).collect::<Vec<_>>(), 1.0)
}

#[test]
fn divisions_that_bind_are_the_dividers_and_not_all_arithmetics() {
    let resource = |own: &Explanation| match found(own).0 {
        Finding::Binds(bound) => bound.resource,
        other => panic!("{other:?}"),
    };
    assert_eq!(resource(&dividing(3.0, Some(9.8))), Resource::Divider);
    // Less than arithmetic with all that surrounds the divisions, and still enough to bind.
    assert_eq!(resource(&dividing(3.0, Some(8.5))), Resource::Divider);
    // Divisions alone could not be measured: without them as much is saved as without all arithmetic.
    assert_eq!(resource(&dividing(2.2, None)), Resource::Divider);
    assert_eq!(resource(&dividing(7.0, None)), Resource::Arithmetic);
    assert_eq!(resource(&dividing(7.0, Some(4.0))), Resource::Arithmetic);
}

#[test]
fn a_chain_on_one_of_several_ways_counts_by_its_share() {
    let mut own = explanation(&[("L1", None, 10.0), ("L1", Some(Ablation::NoChain), 2.0)], 9.5);
    own.recurrence.as_mut().expect("it has one").share = Some(0.6);
    let (finding, _) = found(&own);
    assert!(matches!(&finding, Finding::Unexplained(Some(bound)) if (bound.cycles - 5.7).abs() < 1e-9), "{finding:?}");
}

#[test]
fn a_chain_that_waits_longer_than_its_latencies_is_found_by_cutting_it() {
    let rows = [
        ("L1", None, 10.0),
        ("L1", Some(Ablation::NoFloat), 1.0),
        ("L1", Some(Ablation::NoMemory), 9.9),
        ("L1", Some(Ablation::NoChain), 3.0),
        ("L1", Some(Ablation::ArithmeticAlone), 3.0),
    ];
    let (finding, _) = found(&explanation(&rows, 6.0));
    let chain = Bound { resource: Resource::Chain("additions".to_owned()), cycles: 9.9 };
    assert_eq!(finding, Finding::Binds(chain));
    // Cut or not, it takes as long: nothing waits.
    let rows = rows.map(|(level, change, cycles)| match change {
        Some(Ablation::NoChain | Ablation::ArithmeticAlone) => (level, change, 9.5),
        _ => (level, change, cycles),
    });
    let (finding, _) = found(&explanation(&rows, 6.0));
    assert!(matches!(finding, Finding::Binds(bound) if bound.resource == Resource::Arithmetic));
}

#[test]
fn a_bound_above_the_time_does_not_hide_a_narrower_one_that_reaches_it() {
    let rows = [
        ("L1", None, 10.0),
        ("L1", Some(Ablation::NoMemory), 8.5),
        ("L1", Some(Ablation::AccessesAlone), 9.6),
        ("L1", Some(Ablation::NoOperations), 10.8),
    ];
    let (finding, _) = found(&explanation(&rows, 1.0));
    assert!(matches!(&finding, Finding::Binds(bound) if bound.resource == Resource::Accesses), "{finding:?}");
}
