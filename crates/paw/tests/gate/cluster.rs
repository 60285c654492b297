//! `paw cluster report`, `watch` and `plan`, on runs of known numbers.

use paw_data::outcome::Status;
use paw_data::run::{End, Run};

use crate::place::Place;

const FILE: &str = "paw = \"cluster/1\"\nname = \"july\"\nnodes = 6\n\n[[step]]\nname = \"memory\"\ncommand = \"run stream_triad --reps 6\"\n\n\
                    [[step]]\nname = \"reduce\"\ncommand = [\"run\", \"allreduce\", \"--set\", \"n=8 16\"]\nnodes = [2, 4, 8]\n";

/// An assessment of six nodes, of which `n5` takes `factor` times as long.
fn assessed(factor: f64) -> Place {
    let place = Place::new();
    place.write("c.toml", FILE);
    let planned = place.run("exec $PAW cluster plan c.toml --out d");
    assert_eq!(planned.code, 0, "{}", planned.err);
    for number in 0..6 {
        let own = 1.0 + 0.001 * f64::from((number * 5) % 6);
        let mut run = Place::run(&format!("run-{number}"), 0, if number == 5 { own * factor } else { own });
        if number == 5 {
            run.header.machine.state.insert("thp".into(), "never".into());
        } else {
            run.header.machine.state.insert("thp".into(), "always".into());
        }
        run.end = Some(End::default());
        place.save(&format!("d/memory/n{number}"), &run);
    }
    place.write("d/nodes.txt", "n0\nn1\nn2\nn3\nn4\nn5\n");
    for nodes in ["00002", "00004"] {
        place.save(&format!("d/reduce/{nodes}"), &ended("reduce", 1.0));
    }
    place
}

/// A run with one cell that came to its end.
fn ended(name: &str, time_s: f64) -> Run {
    Run { end: Some(End::default()), ..Place::run(name, 0, time_s) }
}

/// What `paw cluster report d` prints, its lines joined, and its exit code.
fn reported(place: &Place, more: &str) -> (i32, String) {
    let ran = place.run(&format!("exec $PAW cluster report d {more}"));
    (ran.code, ran.out.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn the_slow_node_comes_first_with_what_else_differs_there() {
    let place = assessed(1.25);
    let page = place.run("exec $PAW cluster report d");
    assert_eq!(page.code, 1, "{}{}", page.out, page.err);
    assert!(page.out.starts_with("july: 1 SLOW, 5 alike of 6 nodes\n"), "{}", page.out);
    let row = page.out.lines().find(|line| line.starts_with("n5")).unwrap();
    assert!(row.contains("SLOW") && row.contains("-19.8 %") && row.contains("memory read native"), "{row}");
    let words = page.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the median of 6 nodes; unlike the others: thp: never, and always on 5 of 6"), "{words}");
    let json: serde_json::Value =
        serde_json::from_str(&place.run("exec $PAW cluster report d --format json").out).unwrap();
    let first = &json["nodes"][0];
    assert_eq!((&first["node"], &first["standing"]), (&"n5".into(), &"SLOW".into()));
    assert_eq!(first["deviations"][0]["nodes"], 6);
    assert_eq!(json["figures"][0]["nodes"], 6);
    // By references every node has a verdict of its own.
    let judged = place.run("exec $PAW cluster report d --against ref.toml");
    assert!(judged.out.contains("by the references: 1 regression, 5 pass"), "{}", judged.out);
}

#[test]
fn the_html_page_has_a_square_for_each_node_and_a_row_for_the_slow_one() {
    let place = assessed(1.25);
    let said = place.run("exec $PAW cluster report d --html page.html");
    assert_eq!((said.code, said.out.lines().next()), (1, Some("july: 1 SLOW, 5 alike of 6 nodes")), "{}", said.err);
    let page = place.read("page.html");
    let squares: Vec<&str> = page.lines().filter(|line| line.contains("<li class=")).collect();
    assert_eq!(squares.len(), 6, "{page}");
    let slow: Vec<&&str> = squares.iter().filter(|line| line.contains("class=\"poor\"")).collect();
    assert!(matches!(slow[..], [own] if own.contains("n5: SLOW") && own.contains("href=\"#node0\"")), "{slow:?}");
    let row = page.lines().find(|line| line.contains("id=\"node0\"")).unwrap();
    for said in ["n5", "SLOW", "-19.8 %", "memory read native", "thp: never, and always on 5 of 6"] {
        assert!(row.contains(said), "{said}: {row}");
    }
    let strip = page.lines().find(|line| line.contains("of the median\"")).unwrap();
    assert!(strip.contains("memory read native") && strip.contains("class=\"poor\""), "{strip}");
    assert!(!page.contains("http://") || page.matches("http://").count() == page.matches("http://www.w3.org").count());
}

#[test]
fn equal_nodes_are_alike_and_one_without_a_run_is_missing() {
    let place = assessed(1.0);
    let page = place.run("exec $PAW cluster report d");
    assert_eq!((page.code, page.out.lines().next()), (0, Some("july: 6 alike of 6 nodes")), "{}{}", page.out, page.err);
    let seen = place.run("exec $PAW cluster watch d --once").out;
    assert!(seen.lines().any(|line| line.split_whitespace().eq(["memory", "6", "6", "6"])), "{seen}");
    assert!(seen.lines().any(|line| line.split_whitespace().eq(["reduce", "2", "2", "2"])), "{seen}");
    std::fs::remove_dir_all(place.path("d/memory/n3")).unwrap();
    let page = place.run("exec $PAW cluster report d");
    assert_eq!(page.code, 4, "{}", page.out);
    assert!(
        page.out.contains("1 MISSING, 5 alike of 6 nodes") && page.out.contains("memory: there is no run"),
        "{}",
        page.out
    );
    let seen = place.run("exec $PAW cluster watch d --once").out;
    assert!(seen.lines().any(|line| line.split_whitespace().eq(["memory", "5", "5", "6", "n3"])), "{seen}");
}

#[test]
fn a_run_that_was_cut_off_or_is_no_run_costs_its_own_row() {
    let place = assessed(1.0);
    let path = place.path("d/memory/n2/run.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 10]).unwrap();
    std::fs::write(place.path("d/memory/n4/run.jsonl"), "").unwrap();
    let page = place.run("exec $PAW cluster report d");
    assert_eq!(page.code, 4, "{}{}", page.out, page.err);
    assert!(
        page.out.contains("2 MISSING, 4 alike of 6 nodes") && page.out.contains("the run was cut off"),
        "{}",
        page.out
    );
    assert!(page.err.contains("memory, n4: d/memory/n4"), "{}", page.err);
}

#[test]
fn a_node_without_a_number_is_not_alike() {
    let place = assessed(1.0);
    let path = place.path("d/memory/n4");
    std::fs::remove_dir_all(&path).unwrap();
    let mut skipped = ended("skipped", 1.0);
    let outcome = skipped.records[0].outcome.as_mut().unwrap();
    (outcome.status, outcome.why) = (Status::Skipped, Some("no device is here. hint: look".into()));
    place.save("d/memory/n4", &skipped);
    let (code, said) = reported(&place, "");
    assert_eq!(code, 4, "{said}");
    assert!(said.starts_with("july: 1 MISSING, 5 alike of 6 nodes "), "{said}");
    assert!(said.contains("memory: nothing was measured: no device is here"), "{said}");
    // Beside a number of something else, what most nodes have is still missed.
    let mut other = skipped.clone();
    other.records.push(ended("other", 1.0).records.remove(0));
    (other.records[1].cell.id, other.records[1].cell.benchmark) = (1, "copy".into());
    other.records[1].outcome.as_mut().unwrap().cell = 1;
    std::fs::remove_dir_all(&path).unwrap();
    place.save("d/memory/n4", &other);
    let (code, said) = reported(&place, "");
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("memory: read has no number here, and on 5 of 6 nodes: no device is here"), "{said}");
}

#[test]
fn jobs_of_ranks_that_failed_or_left_no_run_are_told() {
    let place = assessed(1.0);
    let mut failed = ended("failed", 1.0);
    let outcome = failed.records[0].outcome.as_mut().unwrap();
    (outcome.status, outcome.why) = (Status::Failed, Some("MPI_Send failed".into()));
    for nodes in ["00002", "00004"] {
        std::fs::remove_dir_all(place.path(&format!("d/reduce/{nodes}"))).unwrap();
    }
    place.save("d/reduce/00002", &failed);
    let (code, said) = reported(&place, "--html page.html");
    assert_eq!(code, 3, "{said}");
    assert!(said.starts_with("july: 6 alike of 6 nodes; of 2 jobs of ranks 1 FAILED, 1 MISSING "), "{said}");
    assert!(said.contains("reduce on 2 nodes: FAILED: read native") && said.contains("MPI_Send failed"), "{said}");
    assert!(said.contains("reduce on 4 nodes: MISSING: there is no run"), "{said}");
    assert!(place.read("page.html").contains("<strong class=\"chip poor\">FAILED</strong>"));
    let csv = place.run("exec $PAW cluster report d --format csv").out;
    assert!(csv.lines().any(|line| line == "reduce on 4 nodes,MISSING,,,there is no run"), "{csv}");
    let json = place.run("exec $PAW cluster report d --format json").out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["ranks"][0]["standing"], &json["ranks"][1]["nodes"]), (&"FAILED".into(), &4.into()));
    std::fs::remove_dir_all(place.path("d/reduce/00002")).unwrap();
    place.save("d/reduce/00002", &Run { end: None, ..ended("cut", 1.0) });
    let (code, said) = reported(&place, "");
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("reduce on 2 nodes: MISSING: the run was cut off"), "{said}");
}

#[test]
fn nodes_that_left_no_run_are_counted_where_no_file_names_them() {
    let place = assessed(1.0);
    std::fs::remove_file(place.path("d/nodes.txt")).unwrap();
    assert_eq!(reported(&place, "").0, 0);
    std::fs::remove_dir_all(place.path("d/memory/n3")).unwrap();
    let (code, said) = reported(&place, "");
    assert_eq!(code, 4, "{said}");
    assert!(said.starts_with("july: 1 MISSING, 5 alike of 6 nodes 1 node of the job left no run"), "{said}");
}

#[test]
fn too_few_nodes_to_tell_are_not_called_alike() {
    let place = assessed(1.0);
    for node in 3..6 {
        std::fs::remove_dir_all(place.path(&format!("d/memory/n{node}"))).unwrap();
    }
    place.write("d/nodes.txt", "n0\nn1\nn2\n");
    let text = place.read("d/cluster.toml").replace("nodes = 6", "nodes = 3");
    place.write("d/cluster.toml", text);
    let (code, said) = reported(&place, "--html page.html");
    assert_eq!(code, 5, "{said}");
    assert!(said.starts_with("july: 3 not judged of 3 nodes ") && !said.contains("alike"), "{said}");
    assert!(said.contains("not judged: n0, n1, n2: no figure of theirs is known of 4 nodes"), "{said}");
    let page = place.read("page.html");
    assert!(page.contains("<strong class=\"chip absent\">not judged</strong>") && !page.contains("alike"), "{page}");
}

#[test]
fn references_that_judge_no_node_are_told() {
    let place = assessed(1.0);
    let reference = place.read("ref.toml");
    place.write("other.toml", reference.replace("benchmark = \"read\"", "benchmark = \"write\""));
    let (code, said) = reported(&place, "--against other.toml");
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("a reference judges no node: ") && !said.contains("pass"), "{said}");
    // One file serves steps that have other benchmarks: what judges somebody is enough.
    let both = [reference.as_str(), reference.split_once("[[reference]]").unwrap().1].join("\n[[reference]]");
    place.write("both.toml", both.replacen("benchmark = \"read\"", "benchmark = \"write\"", 1));
    let (code, said) = reported(&place, "--against both.toml");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("by the references: 6 pass") && said.contains("a reference judges no node: "), "{said}");
}

#[test]
fn the_scripts_of_every_engine_are_scripts() {
    for engine in ["slurm", "pbs", "lsf", "flux"] {
        let place = Place::new();
        place.write("c.toml", FILE.replace("nodes = 6\n", &format!("nodes = 6\nengine = \"{engine}\"\n")));
        let alone = place.run("exec $PAW cluster plan c.toml --nodes 1 --out alone");
        assert!(
            alone.out.starts_with("july: 1 node by ") && alone.out.contains("it needs 2 at least"),
            "{}",
            alone.out
        );
        let planned = place.run("exec $PAW cluster plan c.toml --nodes 5 --out 'a place'");
        assert_eq!(planned.code, 0, "{}", planned.err);
        assert!(planned.out.contains("left out, for want of nodes: 8"), "{}", planned.out);
        for script in ["a place/job.sh", "a place/memory/node.sh"] {
            let checked = place.run(&format!("/bin/sh -n '{script}'"));
            assert_eq!((checked.code, checked.err.as_str()), (0, ""), "{engine}");
        }
        let job = place.read("a place/job.sh");
        assert!(job.contains("allreduce --set 'n=8 16' --quiet --out reduce/00004"), "{job}");
        assert!(!job.contains(['{', '}']) && !job.contains("00008"), "{job}");
        assert!(place.read("a place/memory/node.sh").contains("run stream_triad --reps 6 --quiet --out \"memory/"));
        assert!(place.read("a place/cluster.toml").contains("nodes = 5"));
    }
}

#[test]
fn what_no_job_can_be_made_of_is_refused_with_its_place() {
    let place = Place::new();
    for (was, becomes, said) in [
        ("cluster/1", "cluster/2", "this paw reads paw = \"cluster/1\""),
        ("nodes = 6", "nodes = 0", "a job has at least one node"),
        (
            "run stream_triad --reps 6",
            "run triads",
            "paw does not take it: `triads` is no suite, benchmark or PAW executable",
        ),
        ("nodes = 6", "engine = \"slrum\"", "no such engine: slurm, pbs, lsf, flux"),
        ("name = \"memory\"", "name = \"../x\"", "a name is letters, digits"),
        ("name = \"reduce\"", "name = \"memory\"", "another step has this name"),
        ("run stream_triad --reps 6", "compare a b", "a step is one of run, app, kernel"),
        ("run stream_triad --reps 6", "run stream_triad --out x", "paw sets --out for each step itself"),
        ("[2, 4, 8]", "\"some\"", "write \"each\", \"all\" or numbers of nodes"),
        ("[2, 4, 8]", "[]", "write \"each\", \"all\" or numbers of nodes"),
        ("nodes = [2, 4, 8]", "ranks_per_node = 2", "has no ranks: write `nodes`, too"),
        ("nodes = 6", "colour = 1", "there is no key `colour`"),
        ("nodes = 6", "lines = [\"a\\nb\"]", "write one line in each text"),
    ] {
        place.write("c.toml", FILE.replacen(was, becomes, 1));
        let refused = place.run("exec $PAW cluster plan c.toml --out d");
        assert_eq!(refused.code, 2, "{becomes}: {}", refused.err);
        assert!(refused.err.contains(said) && refused.err.contains("c.toml:"), "{becomes}: {}", refused.err);
        assert!(!place.path("d").exists(), "{becomes}");
    }
    place.write("c.toml", FILE.replace("nodes = 6\n", ""));
    let refused = place.run("exec $PAW cluster plan c.toml");
    assert!(refused.code == 2 && refused.err.contains("how many nodes is not said"), "{}", refused.err);
    let absent = place.run("exec $PAW cluster report .");
    assert!(absent.code == 7 && absent.err.contains("there is no cluster.toml in it"), "{}", absent.err);
}
