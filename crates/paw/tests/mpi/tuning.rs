//! Runs under different algorithms of a library, held against each other.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::sync::PoisonError;

use paw_report::TuningRow;
use serde_json::{Value, json};

use crate::job::{Job, PAW, TURN};
use crate::mock;

/// A run of the mock whose messages take `alpha_ns`, with a variable of a library that says so, in `name` of `job`.
fn run(job: &Job, name: &str, alpha_ns: &str, algorithm: Option<&str>) {
    let mut variables = vec![("MOCK_MPI_ALPHA_NS", alpha_ns)];
    variables.extend(algorithm.map(|value| ("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", value)));
    run_with(job, name, &variables);
}

/// A run of the mock with variables, in `name` of `job`.
fn run_with(job: &Job, name: &str, variables: &[(&str, &str)]) {
    let ran = mock::paw(job, 2, variables, "run allreduce --set cadence=isolated --set n=1 --reps 20 --quiet");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    std::fs::rename(job.path("r"), job.path(name)).unwrap();
}

fn tuning(job: &Job, runs: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(PAW).current_dir(job.path("")).args(["cluster", "tuning"]).args(runs).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code(), text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn algorithms_are_named_by_what_was_set() {
    let job = Job::new();
    run(&job, "default", "400000", None);
    run(&job, "ring", "50000", Some("ring"));
    let (code, said) = tuning(&job, &["default", "ring"]);
    // On a machine that is too busy for a sound number there is no table.
    match code {
        Some(0) => {
            assert!(said.contains("A = nothing set B = MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring"), "{said}");
            assert!(said.contains("B ") && said.contains("A takes at least"), "{said}");
        }
        _ => assert!(said.contains("no collective has a number of good or fair trust"), "{said}"),
    }
    let (code, said) = tuning(&job, &["default", "default"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the runs do not differ in a variable of their MPI library"), "{said}");
}

/// A run of a job of two ranks in which calls take so many microseconds, with variables.
fn known(job: &Job, name: &str, library: &str, calls: &[(&str, f64)], variables: &[(&str, &str)]) {
    let run = mock::paw(
        job,
        2,
        &[("MOCK_MPI_ALPHA_NS", "20000")],
        "run allreduce bcast --set cadence=isolated --set n=1 --reps 6 --quiet",
    );
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let lines = fs::read_to_string(job.path("r").join("run.jsonl")).unwrap();
    let mut benchmarks: Vec<String> = Vec::new();
    let mut told = std::collections::BTreeSet::new();
    let mut text = String::new();
    for line in lines.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let cell = line["cell"].as_u64().unwrap_or_default() as usize;
        match line["line"].as_str().unwrap() {
            "run" => {
                line["env"] = variables.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect()
            }
            "team" => line["library"]["version"] = library.into(),
            "cell" => benchmarks.push(line["benchmark"].as_str().unwrap().to_owned()),
            "outcome" => line["caveats"] = json!([]),
            "samples" if line["phase"] == "warmup" || !told.insert(cell) => continue,
            "samples" => {
                let (_, us) = calls.iter().find(|(name, _)| *name == benchmarks[cell]).unwrap();
                line = samples(cell, us * 1e-6);
            }
            _ => {}
        }
        text += &format!("{line}\n");
    }
    fs::rename(job.path("r"), job.path(name)).unwrap();
    fs::write(job.path(name).join("run.jsonl"), text).unwrap();
}

/// Sixteen quiet samples of a cell.
fn samples(cell: usize, time_s: f64) -> Value {
    let of = |value: &dyn Fn(usize) -> Value| (0..16).map(value).collect::<Vec<Value>>();
    let zeros = || of(&|_| 0.into());
    json!({
        "line": "samples", "cell": cell, "phase": "measure", "round": of(&|at| at.into()), "position": zeros(),
        "invocation": zeros(), "at_s": of(&|at| json!(at as f64 * 0.1)), "loops": of(&|_| 1000.into()),
        "elapsed_s": of(&|at| json!(time_s * 1000.0 * (1.0 + 0.001 * ((at * 5) % 16) as f64))),
        "run_delay_s": of(&|_| json!(0.0)), "switches": zeros(), "migrations": zeros(), "disturbed": of(&|_| false.into()),
    })
}

#[test]
fn what_jobs_differ_by_themselves_is_no_algorithm() {
    let job = Job::new();
    let dynamic = ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
    let ring = [dynamic, ("OMPI_MCA_coll_tuned_allreduce_algorithm", "4")];
    known(&job, "default", "Open MPI v4.1.4", &[("allreduce", 9.0), ("bcast", 9.0)], &[]);
    known(&job, "ring", "Open MPI v4.1.4", &[("allreduce", 3.0), ("bcast", 9.0)], &ring);
    known(&job, "elsewhere", "Open MPI v4.1.4", &[("allreduce", 3.0), ("bcast", 3.0)], &ring);
    known(&job, "other", "MPICH 4.0.2", &[("allreduce", 3.0), ("bcast", 9.0)], &ring);
    let (code, said) = tuning(&job, &["default", "ring", "--rules", "rules"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("A takes at least 2.") && !said.contains("warning"), "{said}");
    // No variable is named for the broadcast, which is slower in one of these jobs all the same.
    let (code, said) = tuning(&job, &["default", "elsewhere"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("warning: the runs differ in bcast cadence=isolated ranks=2 n=1, for which no"), "{said}");
    let (code, said) = tuning(&job, &["default", "elsewhere", "--rules", "more"]);
    assert!(code == Some(2) && !job.path("more").exists(), "{said}");
    let (code, said) = tuning(&job, &["default", "other"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the runs are of Open MPI v4.1.4, and of MPICH 4.0.2"), "{said}");
}

/// One call of the collective that the first argument names, of as many doubles as the second says.
const CALL: &str = "#include <mpi.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\nMPI_Init(&argc, &argv);\n\
                    int n = atoi(argv[2]), ranks;\nMPI_Comm_size(MPI_COMM_WORLD, &ranks);\n\
                    double *a = calloc(n * ranks, 8), *b = calloc(n * ranks, 8);\n\
                    switch (argv[1][0]) {\n\
                    case 'a': MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;\n\
                    case 'b': MPI_Bcast(a, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); break;\n\
                    case 'r': MPI_Reduce_scatter_block(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;\n\
                    }\nreturn MPI_Finalize();\n}\n";

/// Messages and bytes that each rank of Open MPI sends every other for a call of `collective` with `n` doubles: the library counts them itself.
fn messages(job: &Job, ranks: u32, (collective, n): (&str, i64), variables: &[(&str, &str)]) -> Vec<String> {
    let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let counts = format!("counts-{}", fastrand::u64(..));
    let mut command = Command::new("/usr/bin/timeout");
    command.args(["60", "/usr/bin/mpiexec.openmpi", "--oversubscribe", "-n", &ranks.to_string()]);
    for (name, value) in [("enable", "2"), ("enable_output", "3"), ("filename", &counts)] {
        command.args(["--mca", &format!("pml_monitoring_{name}"), value]);
    }
    command.args(["./call", collective, &n.to_string()]).current_dir(job.path("")).env_clear();
    command.env("PATH", "/usr/bin:/bin").env("HOME", job.path("")).envs(variables.iter().copied());
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let of_rank = |rank| fs::read_to_string(job.path(&format!("{counts}.{rank}.prof"))).unwrap();
    let texts: String = (0..ranks).map(of_rank).collect();
    let sent = |line: &&str| line.starts_with("I\t") || line.starts_with("E\t");
    texts.lines().filter(sent).map(ToOwned::to_owned).collect()
}

#[test]
fn open_mpi_takes_the_algorithms_of_the_rules_where_they_hold() {
    ::workplace::needs!(OPENMPI);
    let job = Job::new();
    fs::write(job.path("call.c"), CALL).unwrap();
    let compiled = Command::new("mpicc.openmpi").current_dir(job.path("")).args(["call.c", "-o", "call"]).status();
    assert!(compiled.unwrap().success());
    let dynamic = "OMPI_MCA_coll_tuned_use_dynamic_rules";
    // A benchmark, the call that it makes, and the numbers of two algorithms: linear and ring, chains and a binary tree, halving and doubling.
    for (benchmark, called, [small, large]) in [
        ("allreduce", "allreduce", ["1", "4"]),
        ("bcast", "bcast", ["5", "2"]),
        ("reduce_scatter", "reduce_scatter_block", ["1", "2"]),
    ] {
        let algorithm = format!("OMPI_MCA_coll_tuned_{called}_algorithm");
        let forced = |number| [(dynamic, "1"), (algorithm.as_str(), number)];
        let [first, second] = [small, large].map(|number| -> BTreeMap<String, String> {
            forced(number).into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
        });
        let row = |n, fastest| TuningRow {
            collective: String::new(),
            benchmark: benchmark.to_owned(),
            ranks: Some(4),
            n,
            measured: vec![0, 1, 2],
            fastest: vec![fastest],
            time: String::new(),
            gain: None,
        };
        let rows = [row(100, 1), row(1000, 2)];
        let rules = paw_report::open_mpi_rules(&[&BTreeMap::new(), &first, &second], &rows).unwrap();
        fs::write(job.path("rules"), &rules.text).unwrap();
        let named = job.path("rules").display().to_string();
        let file = [(dynamic, "1"), ("OMPI_MCA_coll_tuned_dynamic_rules_filename", named.as_str())];
        let own: [(&str, &str); 0] = [];
        let cases = [
            (4, 99, &own[..]),
            (4, 100, &forced(small)),
            (4, 999, &forced(small)),
            (4, 1000, &forced(large)),
            (4, 1001, &own),
            (3, 100, &own),
            (5, 1000, &own),
        ];
        for (ranks, n, expected) in cases {
            let [by_file, by_hand] =
                [&file[..], expected].map(|variables| messages(&job, ranks, (called, n), variables));
            assert_eq!(by_file, by_hand, "{called} of {n} on {ranks} ranks:\n{}", rules.text);
        }
        // The two differ, and from the library's own choice at one of the sizes at least: else nothing would have been seen.
        let of = |n, variables: &[(&str, &str)]| messages(&job, 4, (called, n), variables);
        assert_ne!(of(1000, &forced(small)), of(1000, &forced(large)), "{called}");
        assert!(of(100, &own) != of(100, &forced(small)) || of(1000, &own) != of(1000, &forced(large)), "{called}");
    }
}

#[test]
fn runs_become_a_file_of_rules_or_a_reason_why_not() {
    let job = Job::new();
    let dynamic = ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
    let ring = [("MOCK_MPI_ALPHA_NS", "50000"), dynamic, ("OMPI_MCA_coll_tuned_allreduce_algorithm", "4")];
    run_with(&job, "default", &[("MOCK_MPI_ALPHA_NS", "400000")]);
    run_with(&job, "ring", &ring);
    let (code, said) = tuning(&job, &["default", "ring", "--rules", "rules"]);
    match code {
        Some(0) => {
            assert!(said.contains("wrote rules for 1 size of messages to rules"), "{said}");
            let text = fs::read_to_string(job.path("rules")).unwrap();
            assert!(text.lines().any(|line| line == "8 4 4 0"), "{text}");
        }
        // On a machine that is too busy for a sound number there is no table, or none that tells the two apart.
        _ => assert!(said.contains("no collective has a number") || said.contains("no algorithm is faster"), "{said}"),
    }
    run_with(&job, "tcp", &[("MOCK_MPI_ALPHA_NS", "50000"), ("OMPI_MCA_btl", "tcp,self")]);
    let (code, said) = tuning(&job, &["default", "tcp", "--rules", "other"]);
    assert!(!job.path("other").exists() && code != Some(0), "{said}");
    assert!(said.contains("differ in OMPI_MCA_btl") || said.contains("no collective has"), "{said}");
}
