//! The table of variables that change results.

/// The effect of a variable on results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableEffect {
    /// Chooses kernels by instruction set or processor name; values listed as harmless do not cap.
    Isa(&'static [&'static str]),
    /// Chooses instruction sets where its value holds this word.
    IsaWithin(&'static str),
    /// Sets a number of threads.
    Threads,
    /// Lowers the number of threads if its value is one of these words (upper case); with no words, at any value.
    ThreadsWhen(&'static [&'static str]),
    /// Places or binds threads, or says how they wait and share work.
    Placement,
    /// Changes how memory is allocated.
    Memory,
    /// Changes numeric results or the order of summation.
    Numerics,
    /// Changes which library is loaded, or how.
    Loader,
    /// Prints or traces: costs time.
    Diagnostics,
    /// Says what a batch system granted.
    Grant,
    /// Steers communication or devices.
    Transport,
}

/// A quantity that a variable caps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// The instruction set, or the kernels written for it.
    Isa,
    /// The number of threads.
    Threads,
}

/// One variable, or a family whose name holds one `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownVariable {
    /// Name; `*` matches any text.
    pub name: &'static str,
    /// The libraries that read it.
    pub libraries: &'static str,
    /// The kind of change that the variable makes.
    pub effect: VariableEffect,
    /// The variable's effect, as a phrase.
    pub meaning: &'static str,
}

impl KnownVariable {
    /// The quantity that this variable caps when set to `value`.
    pub fn caps(&self, value: &str) -> Option<Cap> {
        match self.effect {
            VariableEffect::Isa(harmless) => {
                // MKL_CBWR=AVX2,STRICT: the branch comes first.
                let value = value.split(',').next().unwrap_or("").trim();
                let known = |h: &&str| value.eq_ignore_ascii_case(h);
                (!value.is_empty() && !harmless.iter().any(known)).then_some(Cap::Isa)
            }
            VariableEffect::IsaWithin(word) => value.contains(word).then_some(Cap::Isa),
            // Nested lists (`4,2`) begin with the outermost team; 0 and empty mean the default.
            VariableEffect::Threads => {
                let first = value.split(',').next().unwrap_or("").trim();
                first.parse::<u32>().is_ok_and(|n| n > 0).then_some(Cap::Threads)
            }
            VariableEffect::ThreadsWhen(words) => {
                let value = value.trim().to_uppercase();
                (!value.is_empty() && (words.is_empty() || words.contains(&value.as_str()))).then_some(Cap::Threads)
            }
            _ => None,
        }
    }

    /// Whether a clean environment leaves the variable out.
    pub fn steers(&self) -> bool {
        let kept =
            self.name == "LD_LIBRARY_PATH" || matches!(self.effect, VariableEffect::Grant | VariableEffect::Transport);
        !kept
    }
}

const fn variable(
    name: &'static str,
    libraries: &'static str,
    effect: VariableEffect,
    meaning: &'static str,
) -> KnownVariable {
    KnownVariable { name, libraries, effect, meaning }
}

use VariableEffect::{
    Diagnostics, Grant, Isa, IsaWithin, Loader, Memory, Numerics, Placement, Threads, ThreadsWhen, Transport,
};

const NONE: &[&str] = &[];

/// Every variable known to change results.
pub const VARIABLES: &[KnownVariable] = &[
    // OpenMP 5.2, chapter 21, and the runtimes that read it.
    variable("OMP_NUM_THREADS", "OpenMP programs, OpenBLAS, MKL and BLIS", Threads, "number of threads of a team"),
    variable("OMP_THREAD_LIMIT", "OpenMP programs", Threads, "most threads of the whole program"),
    variable(
        "OMP_DYNAMIC",
        "OpenMP programs",
        ThreadsWhen(&["TRUE", "1"]),
        "lets the runtime use fewer threads than asked",
    ),
    variable("OMP_PROC_BIND", "OpenMP programs", Placement, "binds threads to places"),
    variable("OMP_PLACES", "OpenMP programs", Placement, "processors that make up a place"),
    variable("OMP_WAIT_POLICY", "OpenMP programs", Placement, "whether waiting threads spin or sleep"),
    variable("OMP_SCHEDULE", "OpenMP programs", Placement, "how loops are shared out"),
    variable("OMP_STACKSIZE", "OpenMP programs", Memory, "stack of each thread"),
    variable("OMP_DISPLAY_*", "OpenMP programs", Diagnostics, "prints settings or affinity"),
    variable("OMP_*", "OpenMP programs", Placement, "steers the OpenMP runtime"),
    variable("GOMP_CPU_AFFINITY", "GNU OpenMP", Placement, "binds threads to processors"),
    variable("GOMP_*", "GNU OpenMP", Placement, "steers the GNU OpenMP runtime"),
    variable("KMP_HW_SUBSET", "Intel and LLVM OpenMP", ThreadsWhen(NONE), "uses a part of the machine alone"),
    variable("KMP_AFFINITY", "Intel and LLVM OpenMP", Placement, "binds threads to processors"),
    variable("KMP_BLOCKTIME", "Intel and LLVM OpenMP", Placement, "how long waiting threads spin"),
    variable("KMP_DEVICE_THREAD_LIMIT", "Intel and LLVM OpenMP", Threads, "most threads of the whole program"),
    variable("KMP_*", "Intel and LLVM OpenMP", Placement, "steers the LLVM OpenMP runtime"),
    // MKL Developer Guide, "Intel oneMKL Environment Variables".
    variable(
        "MKL_ENABLE_INSTRUCTIONS",
        "MKL",
        Isa(&["AVX512_E5", "AVX512_E4", "AVX512_E3", "AVX512_E2", "AVX512_E1", "AVX512"]),
        "highest instruction set used",
    ),
    variable(
        "MKL_CBWR",
        "MKL",
        Isa(&["OFF", "AUTO", "AVX512", "AVX512_E1", "BRANCH_OFF"]),
        "reproducible results by a fixed code branch",
    ),
    variable("MKL_DEBUG_CPU_TYPE", "MKL before 2020.1", Isa(NONE), "treats the processor as another type"),
    variable("MKL_NUM_THREADS", "MKL", Threads, "number of threads"),
    variable("MKL_DOMAIN_NUM_THREADS", "MKL", ThreadsWhen(NONE), "number of threads by domain"),
    variable(
        "MKL_THREADING_LAYER",
        "MKL",
        ThreadsWhen(&["SEQUENTIAL"]),
        "threading library: SEQUENTIAL means one thread",
    ),
    variable("MKL_INTERFACE_LAYER", "MKL", Loader, "width of integers in the interface"),
    variable("MKL_DYNAMIC", "MKL", Placement, "lets the library use fewer threads than asked"),
    variable("MKL_VERBOSE", "MKL", Diagnostics, "prints every call"),
    variable("MKL_*", "MKL", Placement, "steers MKL"),
    // OpenBLAS, USAGE.md and driver/others/parameter.c.
    variable("OPENBLAS_CORETYPE", "OpenBLAS", Isa(NONE), "kernels of the processor named, whatever is here"),
    variable("OPENBLAS_NUM_THREADS", "OpenBLAS", Threads, "number of threads"),
    variable("OPENBLAS_DEFAULT_NUM_THREADS", "OpenBLAS", Threads, "number of threads where nothing else sets it"),
    variable("OPENBLAS_L2_SIZE", "OpenBLAS", Memory, "size of the second-level cache that blocking assumes"),
    variable("OPENBLAS_MAIN_FREE", "OpenBLAS", Placement, "leaves the affinity of threads alone"),
    variable("OPENBLAS_THREAD_TIMEOUT", "OpenBLAS", Placement, "how long waiting threads spin"),
    variable("OPENBLAS_VERBOSE", "OpenBLAS", Diagnostics, "prints the kernels chosen"),
    variable("OPENBLAS_*", "OpenBLAS", Placement, "steers OpenBLAS"),
    variable("GOTO_NUM_THREADS", "OpenBLAS, GotoBLAS", Threads, "number of threads"),
    variable("GOTOBLAS_MAIN_FREE", "OpenBLAS, GotoBLAS", Placement, "leaves the affinity of threads alone"),
    // BLIS, docs/Multithreading.md and docs/HardwareSupport.md.
    variable("BLIS_ARCH_TYPE", "BLIS", Isa(NONE), "kernels of the family named, whatever is here"),
    variable("BLIS_MODEL_TYPE", "AOCL-BLIS", Isa(NONE), "kernels of the model named, whatever is here"),
    variable("AOCL_ENABLE_INSTRUCTIONS", "AOCL-BLIS", Isa(&["AVX512"]), "highest instruction set used"),
    variable("BLIS_NUM_THREADS", "BLIS", Threads, "number of threads"),
    variable("BLIS_*_NT", "BLIS", Threads, "threads of one loop of the product"),
    variable("BLIS_THREAD_IMPL", "BLIS", ThreadsWhen(&["SINGLE"]), "threading library: single means one thread"),
    variable("BLIS_*", "BLIS", Placement, "steers BLIS"),
    variable("ATL_*", "ATLAS", Placement, "steers ATLAS"),
    variable("ATLAS_*", "ATLAS", Placement, "steers ATLAS"),
    variable("NVPL_BLAS_NUM_THREADS", "NVPL BLAS", Threads, "number of threads"),
    variable("NVPL_*_NUM_THREADS", "NVPL", Threads, "number of threads"),
    variable("NVPL_*", "NVPL", Placement, "steers NVPL"),
    variable("ARMPL_NUM_THREADS", "Arm Performance Libraries", Threads, "number of threads"),
    variable("VECLIB_MAXIMUM_THREADS", "Accelerate", Threads, "number of threads"),
    variable("FLEXIBLAS*", "FlexiBLAS", Loader, "the BLAS behind the wrapper"),
    variable("ONEDNN_MAX_CPU_ISA", "oneDNN", Isa(&["DEFAULT", "ALL"]), "highest instruction set used"),
    variable("NPY_DISABLE_CPU_FEATURES", "NumPy", Isa(NONE), "instruction sets not used"),
    variable("RAYON_NUM_THREADS", "Rust programs with rayon", Threads, "number of threads"),
    variable("NUMEXPR_NUM_THREADS", "numexpr", Threads, "number of threads"),
    variable("NUMEXPR_MAX_THREADS", "numexpr", Threads, "most threads"),
    variable("JULIA_NUM_THREADS", "Julia", Threads, "number of threads"),
    variable("GOMAXPROCS", "Go programs", Threads, "number of threads that run Go code"),
    // glibc: malloc(3), mallopt(3), ld.so(8), and its manual's chapter "Tunables".
    variable(
        "GLIBC_TUNABLES",
        "every program (glibc)",
        IsaWithin("hwcaps"),
        "allocator, cache sizes, instruction sets of string functions",
    ),
    variable("MALLOC_PERTURB_", "every program (glibc)", Memory, "fills memory at allocation and release"),
    variable("MALLOC_CHECK_", "every program (glibc)", Memory, "checks the heap"),
    variable("MALLOC_*", "every program (glibc, jemalloc)", Memory, "steers the allocator"),
    variable("LD_PRELOAD", "every program", Loader, "loads a library before all others"),
    variable("LD_BIND_NOW", "every program", Loader, "resolves all functions at start instead of at first call"),
    variable("LD_AUDIT", "every program", Loader, "loads an auditing library"),
    variable("LD_LIBRARY_PATH", "every program", Loader, "where libraries are looked for first"),
    variable("LD_DEBUG", "every program", Diagnostics, "prints what the loader does"),
    variable("SLURM_CPUS_PER_TASK", "programs under Slurm", Grant, "processors granted to each task"),
    variable("SLURM_*", "programs under Slurm", Grant, "what Slurm granted"),
    variable("PBS_NUM_PPN", "programs under PBS", Grant, "processors granted on each node"),
    variable("NSLOTS", "programs under Grid Engine", Grant, "slots granted"),
    variable("OMPI_MCA_*", "Open MPI", Transport, "steers Open MPI"),
    variable("I_MPI_*", "Intel MPI", Transport, "steers Intel MPI"),
    variable("MPICH_*", "MPICH", Transport, "steers MPICH"),
    variable("MPIR_CVAR_*", "MPICH", Transport, "steers MPICH"),
    variable("UCX_*", "UCX", Transport, "steers the transport below MPI"),
    variable("FI_*", "libfabric", Transport, "steers the transport below MPI"),
    variable("CUDA_*", "CUDA", Transport, "steers or hides devices"),
    variable("HIP_*", "HIP", Transport, "steers or hides devices"),
    variable("ROCR_*", "HIP", Transport, "hides devices"),
    variable("HSA_*", "HIP", Transport, "steers copies and devices"),
    variable("CUBLAS_*", "cuBLAS", Numerics, "emulates precisions, or logs"),
    variable("CUBLASLT_*", "cuBLASLt", Diagnostics, "logs, or masks algorithms"),
    variable("POCL_*", "PoCL", Transport, "chooses and steers OpenCL devices on the host's processor"),
    variable("OCL_ICD_*", "OpenCL", Loader, "which OpenCL implementations are loaded"),
    variable("OPENCL_DYLIB_PATH", "OpenCL", Loader, "which OpenCL loader is opened"),
    variable("CL_CONFIG_*", "Intel OpenCL", Transport, "steers the processor as a device"),
    variable("RUSTICL_*", "Rusticl", Transport, "chooses OpenCL devices"),
    variable("ZE_*", "Level Zero", Transport, "steers or hides devices"),
    variable("NEO*", "Intel's compute driver", Transport, "steers the driver of Intel devices"),
    variable("NVIDIA_TF32_OVERRIDE", "cuBLAS", Numerics, "forbids the reduced precision TF32"),
    variable("PAW_*", "paw", Transport, "steers paw itself"),
];
