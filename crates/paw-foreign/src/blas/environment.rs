//! Environment variables that steer BLAS libraries. Libraries read them when they are loaded, so the variables must be set before
//! the process that opens the library starts.

use std::path::Path;

use crate::object::{Scope, SharedObject};

use super::family::Family;

/// A variable that steers a library.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The effect on results.
    pub effect: Effect,
    /// The family that reads it; `None` for the OpenMP run-times, which serve several.
    pub family: Option<Family>,
}

/// The effect of a variable on results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Chooses the kernels, and with them the widest instructions used.
    Kernels,
    /// Changes the number of threads.
    Threads,
    /// Ties threads to processors or lets them spin.
    Placement,
    /// Chooses the layer or library behind the calls.
    Layer,
}

const fn variable(name: &'static str, effect: Effect, family: Option<Family>) -> Variable {
    Variable { name, effect, family }
}

/// Every variable known to change what a BLAS library does. A clean environment has none of them.
pub const STEERING: &[Variable] = &[
    variable("OPENBLAS_CORETYPE", Effect::Kernels, Some(Family::OpenBlas)),
    variable("OPENBLAS_L2_SIZE", Effect::Kernels, Some(Family::OpenBlas)),
    variable("OPENBLAS_NUM_THREADS", Effect::Threads, Some(Family::OpenBlas)),
    variable("OPENBLAS_DEFAULT_NUM_THREADS", Effect::Threads, Some(Family::OpenBlas)),
    variable("GOTO_NUM_THREADS", Effect::Threads, Some(Family::OpenBlas)),
    variable("OPENBLAS_THREAD_TIMEOUT", Effect::Placement, Some(Family::OpenBlas)),
    variable("OPENBLAS_MAIN_FREE", Effect::Placement, Some(Family::OpenBlas)),
    variable("GOTOBLAS_MAIN_FREE", Effect::Placement, Some(Family::OpenBlas)),
    variable("MKL_ENABLE_INSTRUCTIONS", Effect::Kernels, Some(Family::Mkl)),
    variable("MKL_CBWR", Effect::Kernels, Some(Family::Mkl)),
    variable("MKL_DEBUG_CPU_TYPE", Effect::Kernels, Some(Family::Mkl)),
    variable("MKL_NUM_THREADS", Effect::Threads, Some(Family::Mkl)),
    variable("MKL_DOMAIN_NUM_THREADS", Effect::Threads, Some(Family::Mkl)),
    variable("MKL_DYNAMIC", Effect::Threads, Some(Family::Mkl)),
    variable("MKL_THREADING_LAYER", Effect::Layer, Some(Family::Mkl)),
    variable("MKL_INTERFACE_LAYER", Effect::Layer, Some(Family::Mkl)),
    variable("BLIS_ARCH_TYPE", Effect::Kernels, Some(Family::Blis)),
    variable("BLIS_MODEL_TYPE", Effect::Kernels, Some(Family::Blis)),
    variable("BLIS_NUM_THREADS", Effect::Threads, Some(Family::Blis)),
    variable("BLIS_JC_NT", Effect::Threads, Some(Family::Blis)),
    variable("BLIS_PC_NT", Effect::Threads, Some(Family::Blis)),
    variable("BLIS_IC_NT", Effect::Threads, Some(Family::Blis)),
    variable("BLIS_JR_NT", Effect::Threads, Some(Family::Blis)),
    variable("BLIS_IR_NT", Effect::Threads, Some(Family::Blis)),
    variable("NVPL_BLAS_DEBUG_CPU_TYPE", Effect::Kernels, Some(Family::Nvpl)),
    variable("FLEXIBLAS", Effect::Layer, Some(Family::FlexiBlas)),
    variable("OMP_NUM_THREADS", Effect::Threads, None),
    variable("OMP_THREAD_LIMIT", Effect::Threads, None),
    variable("OMP_DYNAMIC", Effect::Threads, None),
    variable("OMP_PROC_BIND", Effect::Placement, None),
    variable("OMP_PLACES", Effect::Placement, None),
    variable("OMP_WAIT_POLICY", Effect::Placement, None),
    variable("GOMP_CPU_AFFINITY", Effect::Placement, None),
    variable("GOMP_SPINCOUNT", Effect::Placement, None),
    variable("KMP_AFFINITY", Effect::Placement, None),
    variable("KMP_BLOCKTIME", Effect::Placement, None),
    variable("KMP_HW_SUBSET", Effect::Placement, None),
];

/// Variables of thread counts that libraries obey before those of [`environment_for`]: MKL's by domain, and the ways of BLIS's loops.
pub const OBEYED_FIRST: [&str; 6] =
    ["MKL_DOMAIN_NUM_THREADS", "BLIS_JC_NT", "BLIS_PC_NT", "BLIS_IC_NT", "BLIS_JR_NT", "BLIS_IR_NT"];

/// Variables to set for a process in which a library is to use `threads` threads. They override the user's, because results are
/// compared by the number of threads.
pub fn environment_for(threads: u32) -> Vec<(String, String)> {
    let counts = ["OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS"];
    let mut set: Vec<_> = counts.into_iter().map(|name| (name.to_owned(), threads.to_string())).collect();
    // A run-time that lowers the number by itself would not measure what was asked for.
    set.extend(["MKL_DYNAMIC", "OMP_DYNAMIC"].map(|name| (name.to_owned(), "FALSE".to_owned())));
    set
}

/// Environments to try next, in order, after a process that opened the library at `path` died: MKL ends the process where
/// Intel's OpenMP run-time is missing, and works with GNU's, or with one thread and none.
pub fn fallback_environments(path: &Path) -> Vec<Vec<(String, String)>> {
    match is_mkl(path) {
        true => ["GNU", "SEQUENTIAL"].map(|layer| vec![("MKL_THREADING_LAYER".to_owned(), layer.to_owned())]).into(),
        false => Vec::new(),
    }
}

/// Where Intel's OpenMP run-time lies, seen from MKL's directory: beside it in wheels and Conda, in the compiler's
/// directory in oneAPI.
const INTEL_RUNTIME: [&str; 4] =
    ["libiomp5.so", "../../../compiler/latest/lib/libiomp5.so", "../../compiler/lib/libiomp5.so", "../libiomp5.so"];

/// Opens the OpenMP run-time that MKL will ask the loader for by name. Once it is mapped, the name is found whatever
/// LD_LIBRARY_PATH says. Nothing happens for other libraries, or where a variable asks for another layer.
pub(super) fn preload_runtime(path: &Path) {
    let layer = std::env::var("MKL_THREADING_LAYER").unwrap_or_default();
    if !is_mkl(path) || !(layer.is_empty() || layer.eq_ignore_ascii_case("INTEL")) {
        return;
    }
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let Some(directory) = real.parent() else { return };
    let found = INTEL_RUNTIME.iter().map(|relative| directory.join(relative)).find(|file| file.exists());
    if let Some(runtime) = found {
        // Without this run-time, MKL searches for one itself; if that fails too, MKL prints an error and exits.
        SharedObject::open(&runtime, Scope::Global).ok();
    }
}

fn is_mkl(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libmkl_rt."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_count_that_is_set_is_known_as_steering() {
        for (name, _) in environment_for(2) {
            let known = STEERING.iter().find(|variable| variable.name == name).expect(&name);
            assert_eq!(known.effect, Effect::Threads);
        }
    }

    #[test]
    fn counts_that_come_first_are_known_as_steering_and_not_set() {
        for name in OBEYED_FIRST {
            assert!(
                STEERING.iter().any(|variable| variable.name == name && variable.effect == Effect::Threads),
                "{name}"
            );
            assert!(environment_for(2).iter().all(|(set, _)| set != name), "{name}");
        }
    }

    #[test]
    fn only_mkl_has_something_to_fall_back_to() {
        let layers = fallback_environments(Path::new("/opt/x/libmkl_rt.so.2"));
        assert_eq!(layers[0], [("MKL_THREADING_LAYER".to_owned(), "GNU".to_owned())]);
        assert_eq!(layers.len(), 2);
        assert!(fallback_environments(Path::new("/usr/lib/libopenblas.so.0")).is_empty());
    }
}
