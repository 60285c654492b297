//! The suites as the first screen lists them: what each measures, with an example.

use paw_suites::benchmark::{Benchmark, BlasRoutine};
use paw_suites::host::Host;

use crate::provider_names::{blas_names, devices_summary, mpi_versions};

/// A suite of benchmarks, or a command for code of the user's own.
#[derive(Debug)]
pub struct Suite {
    /// Its name in the catalogue, or of the command.
    pub name: &'static str,
    pub measures: &'static str,
    pub example: &'static str,
}

/// The suites of the catalogue, in the order in which a machine is assessed.
pub const SUITES: &[Suite] = &[
    Suite { name: "peak", measures: "clock and arithmetic of the cores", example: "paw run peak" },
    Suite { name: "memory", measures: "bandwidth and latency of caches and memory", example: "paw run stream_triad" },
    Suite { name: "blas", measures: "matrix products", example: "paw run dgemm --threads 1,all" },
    Suite { name: "mpi", measures: "messages between ranks", example: "mpirun -n 2 paw run p2p_send" },
    Suite {
        name: "device",
        measures: "transfers, launches and matrix products of GPUs",
        example: "paw run gpu_in_pinned",
    },
    Suite {
        name: "system",
        measures: "system calls, clocks, page faults, threads that wait for each other",
        example: "paw run system_call",
    },
];

/// Commands for code of the user's own.
pub const YOURS: &[Suite] = &[
    Suite { name: "app", measures: "any program: time, scaling, A against B", example: "paw app -- ./program" },
    Suite {
        name: "kernel",
        measures: "any function in C, C++, Fortran, Rust, CUDA or OpenCL: compilers, flags and variants",
        example: "paw kernel new mykernel",
    },
];

impl Suite {
    pub fn benchmarks(&self) -> impl Iterator<Item = &'static Benchmark> {
        paw_suites::catalogue().iter().copied().filter(|benchmark| benchmark.common.suite == self.name)
    }

    /// The suite's benchmarks in words, with the providers on this machine.
    pub fn measures_here(&self, host: &Host) -> String {
        let with = match self.name {
            "blas" => format!(": {}", blas_names(host, BlasRoutine::Standard).join(", ")),
            "mpi" if mpi_versions().is_empty() => ": no MPI library was found, load its module".to_owned(),
            "mpi" => format!(": {}", mpi_versions().join(", ")),
            "device" => format!(": {}", devices_summary()),
            _ => String::new(),
        };
        format!("{}{with}", self.measures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::select;

    #[test]
    fn every_benchmark_belongs_to_a_suite_of_the_first_screen() {
        let shown: usize = SUITES.iter().map(|suite| suite.benchmarks().count()).sum();
        assert_eq!(shown, paw_suites::catalogue().len());
    }

    #[test]
    fn every_example_names_a_benchmark_of_its_suite() {
        for suite in SUITES {
            let (_, typed) = suite.example.split_once("paw run ").unwrap();
            let name = typed.split(' ').next().unwrap().to_owned();
            let selected = select(&[name], paw_suites::catalogue()).unwrap().benchmarks;
            assert!(selected.iter().all(|benchmark| benchmark.common.suite == suite.name), "{}", suite.example);
        }
    }
}
