//! What an explanation says, by figures that are known.

use paw_data::explained::{Explained, Finding, Resource};
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
        "L1 (n = 100): the chain of additions 80 %; the chain of additions binds (9.50 of 10.00 cycles)."
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
    assert!(sentence.contains("no single bound explains it"), "{sentence}");
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
    assert_eq!(found(&own), (Finding::Unknown, "L1 (n = 100): there is no time to explain.".to_owned()));
    assert!(Explained::of(&Explanation::default()).levels.is_empty());
}
