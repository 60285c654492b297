//! Variables that change results: found, understood, taken away.

use paw_machine::environment::{
    Cap, VARIABLES, VariableEffect, Variables, capping, captured, granted_threads, known, steering,
};

fn env(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
}

/// What a variable with a value holds back.
fn cap(name: &str, value: &str) -> Option<Cap> {
    capping(&env(&[(name, value)])).first().map(|c| c.cap)
}

#[test]
fn variables_that_cap_instruction_sets_are_found() {
    for (name, value) in [
        ("MKL_ENABLE_INSTRUCTIONS", "AVX2"),
        ("MKL_CBWR", "COMPATIBLE"),
        ("MKL_CBWR", "AVX2,STRICT"),
        ("MKL_DEBUG_CPU_TYPE", "5"),
        ("OPENBLAS_CORETYPE", "Haswell"),
        ("BLIS_ARCH_TYPE", "generic"),
        ("AOCL_ENABLE_INSTRUCTIONS", "AVX2"),
        ("ONEDNN_MAX_CPU_ISA", "SSE41"),
        ("NPY_DISABLE_CPU_FEATURES", "AVX512F"),
        ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2"),
    ] {
        assert_eq!(cap(name, value), Some(Cap::Isa), "{name}={value}");
    }
}

#[test]
fn variables_that_cap_threads_are_found() {
    for (name, value) in [
        ("OMP_NUM_THREADS", "1"),
        ("OMP_NUM_THREADS", "4,2"),
        ("OMP_THREAD_LIMIT", "8"),
        ("OMP_DYNAMIC", "true"),
        ("KMP_HW_SUBSET", "1s,4c"),
        ("MKL_NUM_THREADS", "2"),
        ("MKL_DOMAIN_NUM_THREADS", "MKL_DOMAIN_BLAS=1"),
        ("MKL_THREADING_LAYER", "sequential"),
        ("OPENBLAS_NUM_THREADS", "1"),
        ("GOTO_NUM_THREADS", "1"),
        ("BLIS_NUM_THREADS", "1"),
        ("BLIS_JC_NT", "2"),
        ("BLIS_THREAD_IMPL", "single"),
        ("NVPL_BLAS_NUM_THREADS", "1"),
        ("NVPL_LAPACK_NUM_THREADS", "1"),
        ("RAYON_NUM_THREADS", "1"),
    ] {
        assert_eq!(cap(name, value), Some(Cap::Threads), "{name}={value}");
    }
}

#[test]
fn values_that_hold_nothing_back_are_left_alone() {
    for (name, value) in [
        ("MKL_ENABLE_INSTRUCTIONS", "avx512"),
        ("MKL_CBWR", "AUTO,STRICT"),
        ("OPENBLAS_CORETYPE", ""),
        ("OMP_NUM_THREADS", ""),
        ("OMP_NUM_THREADS", "0"),
        ("OMP_NUM_THREADS", "many"),
        ("OMP_DYNAMIC", "false"),
        ("MKL_THREADING_LAYER", "GNU"),
        ("GLIBC_TUNABLES", "glibc.malloc.arena_max=1"),
        ("OMP_PROC_BIND", "close"),
        ("LD_PRELOAD", "libx.so"),
        ("HOME", "/home/someone"),
    ] {
        assert_eq!(cap(name, value), None, "{name}={value}");
    }
}

#[test]
fn a_capping_variable_says_cause_and_action() {
    let found = capping(&env(&[("OPENBLAS_CORETYPE", "Haswell")])).remove(0);
    assert!(found.cause.starts_with("OPENBLAS_CORETYPE=Haswell caps the instruction set or kernel of OpenBLAS"));
    assert!(found.action.contains("unset OPENBLAS_CORETYPE") && found.action.contains("--clean-env"));
    assert_eq!(found.caveat().id, "capped-isa");
}

#[test]
fn a_run_records_what_changes_results_and_nothing_else() {
    let here = env(&[
        ("OMP_WAIT_POLICY", "active"),
        ("KMP_SETTINGS", "1"),
        ("MALLOC_ARENA_MAX", "1"),
        ("LD_PRELOAD", "x.so"),
        ("LD_BIND_NOW", "1"),
        ("ATL_NTHREADS", "2"),
        ("SLURM_CPUS_PER_TASK", "4"),
        ("PAW_NREPS", "10"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("PATH", "/bin"),
    ]);
    let names: Vec<String> = captured(&here).into_keys().collect();
    assert_eq!(names.len(), 8);
    assert!(!names.contains(&"PATH".to_owned()) && !names.contains(&"AWS_SECRET_ACCESS_KEY".to_owned()));
}

#[test]
fn a_clean_environment_loses_what_steers_and_keeps_what_finds_and_grants() {
    let here = env(&[
        ("OMP_NUM_THREADS", "1"),
        ("OPENBLAS_CORETYPE", "Haswell"),
        ("GLIBC_TUNABLES", "x"),
        ("LD_PRELOAD", "x.so"),
        ("LD_LIBRARY_PATH", "/opt/lib"),
        ("SLURM_CPUS_PER_TASK", "4"),
        ("UCX_TLS", "sm"),
        ("PAW_NREPS", "10"),
        ("PATH", "/bin"),
    ]);
    assert_eq!(steering(&here), ["GLIBC_TUNABLES", "LD_PRELOAD", "OMP_NUM_THREADS", "OPENBLAS_CORETYPE"]);
}

#[test]
fn the_most_exact_entry_speaks_for_a_variable() {
    assert_eq!(known("OMP_NUM_THREADS").unwrap().name, "OMP_NUM_THREADS");
    assert_eq!(known("OMP_CANCELLATION").unwrap().name, "OMP_*");
    assert_eq!(known("OMP_DISPLAY_ENV").unwrap().name, "OMP_DISPLAY_*");
    assert_eq!(known("BLIS_IC_NT").unwrap().name, "BLIS_*_NT");
    assert_eq!(known("BLIS_NT"), known("BLIS_ANYTHING"));
    assert_eq!(known("MY_OMP_NUM_THREADS"), None);
}

#[test]
fn the_table_is_well_formed() {
    let names: std::collections::BTreeSet<&str> = VARIABLES.iter().map(|v| v.name).collect();
    assert_eq!(names.len(), VARIABLES.len());
    for variable in VARIABLES {
        assert!(variable.name.matches('*').count() <= 1, "{}", variable.name);
        assert!(!variable.meaning.is_empty() && !variable.libraries.is_empty(), "{}", variable.name);
        let harmless_is_harmless = match variable.effect {
            VariableEffect::Isa(words) => words.iter().all(|w| variable.caps(w).is_none()),
            VariableEffect::ThreadsWhen(words) => words.iter().all(|w| variable.caps(w).is_some()),
            _ => variable.caps("").is_none(),
        };
        assert!(harmless_is_harmless, "{}", variable.name);
    }
}

#[test]
fn the_smallest_grant_counts() {
    assert_eq!(granted_threads(&env(&[("SLURM_CPUS_PER_TASK", "8")])), Some((8, "SLURM_CPUS_PER_TASK")));
    assert_eq!(granted_threads(&env(&[("SLURM_CPUS_PER_TASK", "8"), ("NSLOTS", "4")])), Some((4, "NSLOTS")));
    assert_eq!(granted_threads(&env(&[("SLURM_CPUS_PER_TASK", "none"), ("NSLOTS", "0")])), None);
}

#[test]
fn what_a_launcher_tells_the_ranks_of_one_job_is_not_recorded() {
    let names = ["OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_precondition_transports", "OMPI_MCA_initial_wdir"];
    let own = names.map(|name| (name.to_owned(), "1".to_owned()));
    let chosen = ("OMPI_MCA_coll_tuned_bcast_algorithm".to_owned(), "2".to_owned());
    let here = own.into_iter().chain([chosen.clone()]).collect();
    assert_eq!(captured(&here).into_iter().collect::<Vec<_>>(), [chosen]);
}
