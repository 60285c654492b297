//! The table of environment variables that paw honours: meaning and default.

/// An environment variable that paw honours.
#[derive(Debug)]
pub struct Variable {
    pub name: &'static str,
    /// One sentence without full stop.
    pub meaning: &'static str,
    /// Unit of its value; empty for words.
    pub unit: &'static str,
    /// The values it takes.
    pub kind: VariableKind,
    /// The measurements it affects.
    pub scope: VariableScope,
}

/// The values that a variable takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableKind {
    /// A whole number of at least 1, with its default.
    Count(i64),
    /// A whole number of at least 1, without a default; of OpenMP's lists (`4,2`) the first number counts.
    Threads,
    Text,
}

/// The measurements that a variable affects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableScope {
    /// The benchmarks of a suite; none if this version lacks the suite.
    Suite(&'static str),
    /// The methods `paw` and `paw16`.
    PawMethods,
    /// Runs that are asked for by the name of a PAW executable.
    PawNames,
    All,
}

use VariableScope::{All, PawMethods, PawNames};

const BLAS: VariableScope = VariableScope::Suite("blas");
const DEVICE: VariableScope = VariableScope::Suite("device");
const MPI: VariableScope = VariableScope::Suite("mpi");

/// The variables: PAW's 21 first, in the order of its guide, then those PAW fixed at build time, then our own.
/// Values are PAW 1.6's `constants.h`, but for MAX_BLAS_SIZE, where its guide and release 1.0 have 10000.
pub const VARIABLES: &[Variable] = &[
    count("NLOOP_MAX", "iterations of one repetition at the smallest size", "iterations", 1000, PawMethods),
    count("NLOOP_PHI_MAX", "the same, of coprocessor transfers", "iterations", 100, DEVICE),
    count("MIN_BLAS_SIZE", "smallest matrix order", "elements", 8, BLAS),
    count("MED_BLAS_SIZE", "matrix order of calibration's warm-up (--method paw)", "elements", 1024, BLAS),
    count("MAX_BLAS_SIZE", "largest matrix order", "elements", 10_000, BLAS),
    count("MIN_COL_SIZE", "smallest message of collectives", "doubles", 1, MPI),
    count("MED_COL_SIZE", "message of calibration's warm-up (--method paw)", "doubles", 10_000, MPI),
    count("MAX_COL_SIZE", "largest message of collectives", "doubles", 100_000, MPI),
    count("MIN_P2P_SIZE", "smallest message between two ranks", "doubles", 1, MPI),
    count("MED_P2P_SIZE", "message of calibration's warm-up (--method paw)", "doubles", 20_000, MPI),
    count("MAX_P2P_SIZE", "largest message between two ranks", "doubles", 1_000_000, MPI),
    count("MIN_GPU_SIZE", "smallest device transfer", "floats", 128, DEVICE),
    count("MED_GPU_SIZE", "transfer of calibration's warm-up", "floats", 20_000, DEVICE),
    count("MAX_GPU_SIZE", "largest device transfer", "floats", 200_000_000, DEVICE),
    count("MIN_GPU_BLAS_SIZE", "smallest matrix order on a device", "elements", 8, DEVICE),
    count("MED_GPU_BLAS_SIZE", "matrix order of calibration's warm-up", "elements", 1024, DEVICE),
    count("MAX_GPU_BLAS_SIZE", "largest matrix order on a device", "elements", 9192, DEVICE),
    count("MIN_PHI_SIZE", "smallest coprocessor transfer", "doubles", 256, DEVICE),
    count("MED_PHI_SIZE", "transfer of calibration's warm-up", "doubles", 8192, DEVICE),
    count("MAX_PHI_SIZE", "largest coprocessor transfer", "doubles", 614_400_000, DEVICE),
    count("WINDOW_SIZE", "messages in flight of the message-rate tests", "messages", 128, MPI),
    count("NREPS", "repetitions of every point", "repetitions", 10, PawMethods),
    count("NLOOP_MIN", "fewest iterations of one repetition", "iterations", 2, PawMethods),
    threads("MKL_NUM_THREADS", "threads, where --threads is not given"),
    threads("OMP_NUM_THREADS", "threads, where neither --threads nor MKL_NUM_THREADS is given"),
    text(
        "PAW_BLAS_LIBRARY",
        "BLAS libraries to measure with the embedded one, separated by colons (else those of paw.toml)",
    ),
    text("PAW_MPI_LIBRARY", "the MPI library to open (else the one that fits the launcher)"),
    text("PAW_CUDA_LIBRARY", "the driver's CUDA library (else libcuda.so.1 and where it is usually put)"),
    text("PAW_CUBLAS_LIBRARY", "the cuBLAS library (else the newest that the driver can serve)"),
    text("PAW_CUBLASLT_LIBRARY", "the cuBLASLt library, for products of 8-bit floats (else as cuBLAS)"),
    text("PAW_NVRTC_LIBRARY", "the library that compiles CUDA C++ (else as cuBLAS)"),
    text("PAW_NVML_LIBRARY", "the library that reads clocks and power of NVIDIA's devices (else libnvidia-ml.so.1)"),
    text("PAW_HIP_LIBRARY", "AMD's HIP run-time library (else libamdhip64.so and where ROCm is usually put)"),
    text("PAW_HIPRTC_LIBRARY", "the library that compiles HIP C++ (else the HIP library, or libhiprtc.so beside it)"),
    text("PAW_ROCBLAS_LIBRARY", "the rocBLAS library (else librocblas.so beside the HIP library)"),
    text("PAW_NCCL_LIBRARY", "the NCCL library, for collectives between NVIDIA's devices (else libnccl.so.2)"),
    text("PAW_RCCL_LIBRARY", "the RCCL library, for collectives between AMD's devices (else librccl.so.1)"),
    text("PAW_OPENCL_LIBRARY", "the OpenCL loader (else libOpenCL.so.1)"),
    text("PAW_LEVEL_ZERO_LIBRARY", "the loader of Level Zero (else libze_loader.so.1)"),
    text("PAW_OCLOC_LIBRARY", "Intel's compiler of OpenCL C for Level Zero (else libocloc.so)"),
    text("PAW_CLBLAST_LIBRARY", "the CLBlast library (else libclblast.so.1; none: paw's own kernels)"),
    text("PAW_HISTORY", "the directory of the history (else that of paw.toml, or $XDG_DATA_HOME/paw/history)"),
    text(
        "PAW_CPUS",
        "processors that a single thread, or a kernel, gets in place of the idlest, in this order (else paw looks which is idle); `paw again` sets it",
    ),
    count(
        "PAW_DEADLINE",
        "seconds a worker may take to load a library, make a first call, or check an answer, before it is killed; and MPI to begin. Ranks wait so long for each other where it is set, else 8 s",
        "s",
        60,
        All,
    ),
    text("NO_COLOR", "no colours (else colours on a terminal)"),
    text("CLICOLOR_FORCE", "colours even in a pipe, unless it is 0"),
    text("COLUMNS", "characters in a line (else what the terminal has)"),
];

/// Families of sizes, as the middle of their variables' names, with the suite each belongs to.
pub const FAMILIES: &[(&str, &str)] =
    &[("BLAS", "blas"), ("COL", "mpi"), ("P2P", "mpi"), ("GPU", "device"), ("GPU_BLAS", "device"), ("PHI", "device")];

const fn count(
    name: &'static str,
    meaning: &'static str,
    unit: &'static str,
    default: i64,
    scope: VariableScope,
) -> Variable {
    Variable { name, meaning, unit, kind: VariableKind::Count(default), scope }
}

const fn threads(name: &'static str, meaning: &'static str) -> Variable {
    Variable { name, meaning, unit: "threads", kind: VariableKind::Threads, scope: PawNames }
}

const fn text(name: &'static str, meaning: &'static str) -> Variable {
    Variable { name, meaning, unit: "", kind: VariableKind::Text, scope: All }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_paws_variables_are_honoured() {
        let sizes =
            FAMILIES.iter().flat_map(|(family, _)| ["MIN", "MED", "MAX"].map(|end| format!("{end}_{family}_SIZE")));
        let others = ["NLOOP_MAX", "NLOOP_PHI_MAX", "WINDOW_SIZE"].map(str::to_owned);
        let paws: Vec<_> = sizes.chain(others).collect();
        assert_eq!(paws.len(), 21);
        for name in paws {
            assert!(VARIABLES.iter().any(|v| v.name == name && matches!(v.kind, VariableKind::Count(_))), "{name}");
        }
    }

    #[test]
    fn no_variable_stands_twice() {
        for (i, variable) in VARIABLES.iter().enumerate() {
            assert!(VARIABLES[i + 1..].iter().all(|other| other.name != variable.name), "{}", variable.name);
        }
    }
}
