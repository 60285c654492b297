//! Which nodes are odd, and why.

use paw_data::cluster::Cluster;
use paw_data::cluster::node::Standing;
use paw_data::cluster::node_run::NodeRun;
use paw_data::quantity::Quantity;

use crate::constructed::{STEP, cluster, expected, figure, node};

/// Eight nodes that lie within a percent, the last of them with `factor` of the bandwidth.
fn eight(quantity: Quantity, factor: f64) -> Vec<NodeRun> {
    let value = |number: usize| {
        let own = 1e11 * (1.0 + 0.002 * ((number * 5) % 8) as f64);
        if number == 7 { own * factor } else { own }
    };
    (0..8).map(|number| node(number, vec![figure("triad", quantity, value(number))])).collect()
}

fn standing(cluster: &Cluster, name: &str) -> Standing {
    cluster.nodes.iter().find(|node| node.name == name).unwrap().standing
}

#[test]
fn a_slow_node_is_named_with_the_evidence_and_the_others_are_alike() {
    for (quantity, factor, expected) in [
        (Quantity::Bytes, 0.85, Standing::Slow),
        (Quantity::Bytes, 1.15, Standing::Fast),
        (Quantity::Bytes, 0.99, Standing::Alike),
        // Of times more is worse.
        (Quantity::Time, 1.15, Standing::Slow),
        (Quantity::Time, 0.85, Standing::Fast),
    ] {
        let found = cluster(&eight(quantity, factor));
        assert_eq!(standing(&found, "n07"), expected, "{quantity:?} {factor}");
        assert_eq!(found.count(Standing::Alike), if expected == Standing::Alike { 8 } else { 7 });
        let first = found.ranked()[0];
        if expected != Standing::Alike {
            assert_eq!(first.name, "n07");
            let [deviation] = &first.deviations[..] else { panic!("{first:?}") };
            assert!((deviation.change() - (factor - 1.0)).abs() < 0.02, "{deviation:?}");
            assert_eq!((deviation.nodes, deviation.subject.title().as_str()), (8, "triad native threads=4"));
        }
    }
}

#[test]
fn a_number_that_cannot_be_relied_on_makes_a_node_doubtful_and_not_slow() {
    let mut runs = eight(Quantity::Bytes, 0.7);
    runs[7].digest.figures[0].trust = "poor".into();
    assert_eq!(standing(&cluster(&runs), "n07"), Standing::Doubtful);
}

#[test]
fn nodes_are_held_against_those_of_their_own_model() {
    let mut runs = eight(Quantity::Bytes, 1.0);
    for run in &mut runs[4..] {
        run.digest.identity.cpu = "Another CPU".into();
        run.digest.figures[0].value *= 0.5;
    }
    let found = cluster(&runs);
    assert_eq!(found.count(Standing::Alike), 8);
    assert_eq!((found.spreads.len(), found.unjudged), (2, 0));
    // Three nodes of a model: nobody can tell which is odd.
    let few = cluster(&runs[..3]);
    assert_eq!((few.count(Standing::Alike), few.spreads.len(), few.unjudged), (3, 0, 1));
}

#[test]
fn what_is_set_otherwise_on_an_odd_node_is_named() {
    let mut runs = eight(Quantity::Bytes, 0.8);
    for (number, run) in runs.iter_mut().enumerate() {
        run.digest.state.insert("load_1min".into(), number.to_string());
    }
    runs[7].digest.state.insert("governor".into(), "powersave".into());
    runs[7].digest.identity.kernel = "6.0".into();
    let found = cluster(&runs);
    assert_eq!(
        found.ranked()[0].differs,
        ["kernel: 6.0, and 6.1 on 7 of 8", "governor: powersave, and performance on 7 of 8"]
    );
}

#[test]
fn a_node_that_broke_or_left_nothing_costs_its_row() {
    let mut runs = eight(Quantity::Bytes, 1.0);
    runs[2].failures.push("dgemm openblas n=8: its answer is wrong: 3 elements differ".into());
    runs[3].is_whole = false;
    let mut wanted = expected();
    wanted.nodes = (0..10).map(|number| format!("n{number:02}")).collect();
    let found = Cluster::of(&runs, &wanted);
    let names = |standing| {
        let own = found.nodes.iter().filter(|node| node.standing == standing);
        own.map(|node| (node.name.clone(), node.failures.join("; "))).collect::<Vec<_>>()
    };
    let of = |name: &str, why: &str| (name.to_owned(), why.to_owned());
    let wrong = format!("{STEP}: dgemm openblas n=8: its answer is wrong: 3 elements differ");
    assert_eq!(names(Standing::Failed), [of("n02", &wrong)]);
    let [cut, none] = ["the run was cut off", "there is no run"].map(|why| format!("{STEP}: {why}"));
    assert_eq!(names(Standing::Missing), [of("n03", &cut), of("n08", &none), of("n09", &none)]);
    assert_eq!(names(Standing::Alike).len(), 6);
}
