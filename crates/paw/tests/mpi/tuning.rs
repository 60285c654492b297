//! Runs under different algorithms of a library, held against each other.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use paw_report::TuningRow;

use crate::job::{Job, PAW};
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

/// Sums of as many doubles as the first argument says.
const SUMS: &str = "#include <mpi.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\nMPI_Init(&argc, &argv);\n\
                    int n = atoi(argv[1]);\ndouble *a = calloc(n, 8), *b = calloc(n, 8);\n\
                    MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\nreturn MPI_Finalize();\n}\n";

/// Messages and bytes that a sum of `n` doubles costs `ranks` ranks of Open MPI, which counts them itself.
fn messages(job: &Job, ranks: u32, n: u32, variables: &[(&str, &str)]) -> (u64, u64) {
    let counts = format!("counts-{}", fastrand::u64(..));
    let mut command = Command::new("/usr/bin/mpiexec.openmpi");
    command.current_dir(job.path("")).env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.envs(variables.iter().copied()).args(["--oversubscribe", "-n", &ranks.to_string()]);
    for (name, value) in [("enable", "2"), ("enable_output", "3"), ("filename", &counts)] {
        command.args(["--mca", &format!("pml_monitoring_{name}"), value]);
    }
    let output = command.args(["./sums", &n.to_string()]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let of_rank = |rank| fs::read_to_string(job.path(&format!("{counts}.{rank}.prof"))).unwrap();
    let texts: String = (0..ranks).map(of_rank).collect();
    let lines = texts.lines().filter_map(|line| line.strip_prefix("I\t").or_else(|| line.strip_prefix("E\t")));
    let number = |word: Option<&str>| word.and_then(|word| word.split(' ').next()?.parse::<u64>().ok()).unwrap();
    lines.fold((0, 0), |(messages, bytes), line| {
        let mut words = line.split('\t').skip(2);
        let own = number(words.next());
        (messages + number(words.next()), bytes + own)
    })
}

#[test]
fn open_mpi_takes_the_algorithms_of_the_rules_where_they_hold() {
    ::workplace::needs!(OPENMPI);
    let job = Job::new();
    fs::write(job.path("sums.c"), SUMS).unwrap();
    let compiled = Command::new("mpicc.openmpi").current_dir(job.path("")).args(["sums.c", "-o", "sums"]).status();
    assert!(compiled.unwrap().success());
    let [dynamic, algorithm] =
        ["use_dynamic_rules", "allreduce_algorithm"].map(|tail| format!("OMPI_MCA_coll_tuned_{tail}"));
    let forced = |number| [(dynamic.as_str(), "1"), (algorithm.as_str(), number)];
    let environment = |number: &'static str| -> BTreeMap<String, String> {
        forced(number).into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    let row = |n, fastest| TuningRow {
        collective: String::new(),
        benchmark: "allreduce".to_owned(),
        ranks: Some(4),
        n,
        measured: vec![0, 1, 2],
        fastest: vec![fastest],
        time: String::new(),
        gain: None,
    };
    let (linear, ring) = (environment("1"), environment("4"));
    let rules = paw_report::open_mpi_rules(&[&BTreeMap::new(), &linear, &ring], &[row(100, 1), row(1000, 2)]).unwrap();
    fs::write(job.path("rules"), &rules.text).unwrap();
    let named = job.path("rules").display().to_string();
    let file = [(dynamic.as_str(), "1"), ("OMPI_MCA_coll_tuned_dynamic_rules_filename", named.as_str())];
    let own: [(&str, &str); 0] = [];
    for (ranks, n, expected) in [
        (4, 10, &own[..]),
        (4, 100, &forced("1")),
        (4, 999, &forced("1")),
        (4, 1000, &forced("4")),
        (4, 1001, &own),
        (3, 100, &own),
        (5, 1000, &own),
    ] {
        let (by_file, by_hand) = (messages(&job, ranks, n, &file), messages(&job, ranks, n, expected));
        assert_eq!(by_file, by_hand, "{n} elements on {ranks} ranks:\n{}", rules.text);
    }
    // Where rules hold they are another choice than the library's own: else nothing would have been seen.
    assert_ne!(messages(&job, 4, 100, &forced("1")), messages(&job, 4, 100, &own));
    assert_ne!(messages(&job, 4, 1000, &forced("4")), messages(&job, 4, 1000, &own));
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
            assert!(text.lines().any(|line| line == "8 4 0 0"), "{text}");
        }
        // On a machine that is too busy for a sound number there is no table.
        _ => assert!(said.contains("no collective has a number of good or fair trust"), "{said}"),
    }
    run_with(&job, "tcp", &[("MOCK_MPI_ALPHA_NS", "50000"), ("OMPI_MCA_btl", "tcp,self")]);
    let (code, said) = tuning(&job, &["default", "tcp", "--rules", "other"]);
    assert!(!job.path("other").exists() && code != Some(0), "{said}");
    assert!(said.contains("differ in OMPI_MCA_btl") || said.contains("no collective has"), "{said}");
}
