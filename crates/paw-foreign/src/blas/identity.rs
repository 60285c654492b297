//! Identity of a library, from its own functions, the loader, and the kernel's view after a first call.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::PathBuf;

use crate::object::text;
use crate::process;

use super::convention::Convention;
use super::dimensions::{GemmDimensions, Transpose};
use super::discovery::{family_by_name, family_by_place};
use super::family::{FAMILIES, Family};
use super::library::{Blas, Integers};

/// Identity of an open library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its make.
    pub family: Family,
    /// The file that holds the calls, with links resolved.
    pub path: String,
    /// Version or configuration, as the library reports it; empty where it reports none.
    pub version: String,
    /// The kernels chosen for this processor, from the library's report or its mapped files; empty where neither shows them.
    pub core: String,
    /// `sequential`, `pthread`, `openmp`, from the library's report or its mapped run-time; empty where unknown.
    pub threading: String,
    /// Width of its integers.
    pub integers: Integers,
    /// Threads it says it uses.
    pub threads_reported: Option<u32>,
    /// Threads that existed during the first call and not before the library was opened, plus the caller.
    pub threads_counted: u32,
    /// Threads in use: the count, or the reported number where the library's pool holds more than it uses.
    pub threads: u32,
    /// Shared objects mapped since it was opened, itself included.
    pub mapped: Vec<String>,
}

/// The first product: wide enough for every library to spread it over its threads, a fraction of a millisecond long.
const FIRST_CALL: GemmDimensions =
    GemmDimensions { transa: Transpose::No, transb: Transpose::No, m: 512, n: 512, k: 64, lda: 64, ldb: 512, ldc: 512 };

impl Blas {
    /// Sets the number of threads by the library's own call, and returns that call's name; `None` where it has none, so
    /// that only the environment the process was started with counts.
    pub fn set_threads(&self, threads: u32) -> Option<String> {
        let calls = self.family().facts().threads?;
        let threads = i64::from(threads);
        if self.family() == Family::Mkl {
            // SAFETY: MKL_Set_Dynamic takes an int; 0 keeps MKL from lowering the number by itself.
            unsafe { self.call_with("MKL_Set_Dynamic", 0) };
        }
        // SAFETY: the setters in the table take one integer, of 32 bits or, in BLIS, 64: both read this register.
        unsafe { self.call_with(calls.set, threads) }
    }

    /// Makes a first call, so that the library chooses kernels and starts threads, and returns the library's identity.
    pub fn identity(&self) -> Identity {
        let counted = process::most_tasks_during(|| self.first_call());
        let counted = (counted.saturating_sub(self.before.tasks) + 1) as u32;
        let family = self.family();
        let reported =
            family.facts().threads.and_then(|calls| self.number(calls.get)).and_then(|n| u32::try_from(n).ok());
        let reported = reported.filter(|&threads| threads > 0);
        let mapped: Vec<String> = process::mapped_objects().difference(&self.before.mapped).cloned().collect();
        Identity {
            family,
            path: self.real_path(),
            version: self.version(family),
            core: self.core(family, &mapped),
            threading: self.threading(family, &mapped),
            integers: self.integers,
            threads_reported: reported,
            threads_counted: counted,
            threads: reported.map_or(counted, |reported| reported.min(counted)),
            mapped,
        }
    }

    /// The library's make, by a symbol that only that make has, else by its file.
    pub fn family(&self) -> Family {
        let marked = FAMILIES.iter().filter(|facts| !facts.mark.is_empty());
        if let Some(facts) = marked.into_iter().find(|facts| self.name_of(facts.mark).is_some()) {
            return facts.family;
        }
        let file = PathBuf::from(self.real_path());
        family_by_name(&file).or_else(|| family_by_place(&file)).unwrap_or(Family::Unknown)
    }

    fn first_call(&self) {
        let GemmDimensions { m, n, k, .. } = FIRST_CALL;
        let (a, b) = (vec![0.5; m * k], vec![0.25; k * n]);
        let mut c = vec![0.0; m * n];
        if let Ok(mut product) = self.bind_gemm::<f64>(&FIRST_CALL, 1.0, &a, &b, 0.0, &mut c) {
            return product.call();
        }
        let (a, b, mut c) = (vec![1_u8; m * k], vec![1_i8; k * n], vec![0_i32; m * n]);
        // Without either product the threads are counted without a first call.
        if let Ok(mut product) = self.bind_int8_gemm([m, n, k], (&a, &b, &mut c)) {
            product.call();
        }
    }

    fn real_path(&self) -> String {
        let calls = ["dgemm", "sgemm", "dgemv", "sgemv"].map(|name| self.convention.symbol(name));
        let file = calls.iter().find_map(|name| self.object.file_of(name)).unwrap_or_else(|| self.path.clone());
        file.display().to_string()
    }

    fn version(&self, family: Family) -> String {
        match family {
            Family::Mkl => self.mkl_version(),
            Family::OpenBlas => self.words("openblas_get_config"),
            Family::Blis => format!("BLIS {}", self.words("bli_info_get_version_str")),
            Family::OneDnn => self.onednn_version(),
            _ => String::new(),
        }
    }

    fn core(&self, family: Family, mapped: &[String]) -> String {
        match family {
            Family::Mkl => mkl_core(mapped),
            Family::OpenBlas => self.words("openblas_get_corename"),
            Family::Blis => self.blis_core(),
            Family::OneDnn => onednn_core(self.number("dnnl_get_effective_cpu_isa").unwrap_or(0)).to_owned(),
            _ => String::new(),
        }
    }

    fn threading(&self, family: Family, mapped: &[String]) -> String {
        let version = match family {
            Family::OpenBlas => self.number("openblas_get_parallel"),
            _ => None,
        };
        let openmp = ["libgomp", "libiomp5", "libomp"];
        let maps_openmp = mapped.iter().any(|file| openmp.iter().any(|name| file.contains(name)));
        match version {
            Some(0) => "sequential",
            Some(1) => "pthread",
            Some(2) => "openmp",
            _ if maps_openmp => "openmp",
            _ => "",
        }
        .to_owned()
    }

    fn mkl_version(&self) -> String {
        const ROOM: usize = 256;
        // SAFETY: oneMKL's reference gives MKL_Get_Version_String this signature.
        let call: Option<unsafe extern "C" fn(*mut c_char, c_int)> =
            unsafe { self.object.function("MKL_Get_Version_String") };
        let mut buffer: [c_char; ROOM] = [0; ROOM];
        if let Some(call) = call {
            // SAFETY: the buffer has that much room and one byte more, which stays zero.
            unsafe { call(buffer.as_mut_ptr(), ROOM as c_int - 1) };
        }
        // SAFETY: the buffer ends in a zero and lives through the call.
        unsafe { text(buffer.as_ptr()) }
    }

    fn onednn_version(&self) -> String {
        /// The first members of `dnnl_version_t`.
        #[repr(C)]
        #[derive(Clone, Copy)]
        struct Version([c_int; 3]);
        // SAFETY: oneDNN declares dnnl_version(void), returning a constant structure.
        let call: Option<unsafe extern "C" fn() -> *const Version> = unsafe { self.object.function("dnnl_version") };
        let Some(call) = call else { return String::new() };
        // SAFETY: no argument, no state to respect.
        let version = unsafe { call() };
        // SAFETY: the structure is constant and begins so.
        let version = unsafe { version.as_ref() }.map(|version| version.0.map(|part| part.to_string()).join("."));
        version.map_or_else(String::new, |version| format!("oneDNN {version}"))
    }

    fn blis_core(&self) -> String {
        // SAFETY: BLIS declares bli_arch_string(arch_t), an enumeration, returning a constant string.
        let name: Option<unsafe extern "C" fn(c_int) -> *const c_char> =
            unsafe { self.object.function("bli_arch_string") };
        let (Some(name), Some(id)) = (name, self.number("bli_arch_query_id")) else { return String::new() };
        // SAFETY: the number came from bli_arch_query_id.
        let core = unsafe { name(id) };
        // SAFETY: BLIS returns a constant string.
        unsafe { text(core) }
    }

    /// The constant string that the function `name` returns, which takes no arguments.
    fn words(&self, name: &str) -> String {
        let Some(name) = self.name_of(name) else { return String::new() };
        // SAFETY: used for functions that libraries declare as `const char *name(void)` alone.
        let call: Option<unsafe extern "C" fn() -> *const c_char> = unsafe { self.object.function(&name) };
        let Some(call) = call else { return String::new() };
        // SAFETY: no argument, no state to respect.
        let words = unsafe { call() };
        // SAFETY: the libraries return constant strings.
        unsafe { text(words) }
    }

    /// The integer that the function `name` returns, which takes no arguments; of a 64-bit integer the low half.
    fn number(&self, name: &str) -> Option<c_int> {
        let name = self.name_of(name)?;
        // SAFETY: used for functions that libraries declare as `int name(void)`, or with a wider integer.
        let call: unsafe extern "C" fn() -> c_int = unsafe { self.object.function(&name) }?;
        // SAFETY: no argument, no state to respect.
        Some(unsafe { call() })
    }

    /// Calls `name` with one integer and returns the symbol called.
    ///
    /// # Safety
    /// `name` must be the name of a function of one integer.
    unsafe fn call_with(&self, name: &str, value: i64) -> Option<String> {
        let name = self.name_of(name)?;
        // SAFETY: the caller vouches for the signature; an `int` reads the low half of the register.
        let call: unsafe extern "C" fn(i64) = unsafe { self.object.function(&name) }?;
        // SAFETY: the caller vouches for the function.
        unsafe { call(value) };
        Some(name)
    }

    /// The symbol of a function that is no BLAS routine: with this library's prefix and suffix, or without.
    fn name_of(&self, name: &str) -> Option<String> {
        let Convention { prefix, suffix, .. } = self.convention;
        let decorated = format!("{prefix}{name}{suffix}");
        [decorated, name.to_owned()].into_iter().find(|name| self.object.has(name))
    }
}

/// The kernels MKL chose show in the name of the file it mapped: `libmkl_avx512.so.2`, or `libmkl_def.so.2` for the
/// generic ones.
fn mkl_core(mapped: &[String]) -> String {
    const KERNELS: [&str; 6] = ["avx10", "avx512", "avx2", "avx", "mc3", "def"];
    let loaded = |kernel: &&str| mapped.iter().any(|file| file.contains(&format!("/libmkl_{kernel}.so")));
    KERNELS.into_iter().find(|kernel| loaded(kernel)).unwrap_or_default().to_owned()
}

/// The name of a value of `dnnl_cpu_isa_t` (dnnl_types.h); of others nothing is said.
fn onednn_core(isa: c_int) -> &'static str {
    const NAMES: [(c_int, &str); 9] = [
        (0x1, "sse41"),
        (0x3, "avx"),
        (0x7, "avx2"),
        (0x27, "avx512_core"),
        (0x67, "avx512_core_vnni"),
        (0xE7, "avx512_core_bf16"),
        (0x1EF, "avx512_core_fp16"),
        (0xFEF, "avx512_core_amx"),
        (0x1FEF, "avx512_core_amx_fp16"),
    ];
    NAMES.iter().find(|(value, _)| *value == isa).map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_of_mkl_are_read_from_the_file_it_mapped() {
        let mapped =
            |name: &str| vec!["/x/libmkl_rt.so.3".to_owned(), "/x/libmkl_core.so.3".to_owned(), name.to_owned()];
        assert_eq!(mkl_core(&mapped("/x/libmkl_def.so.3")), "def");
        assert_eq!(mkl_core(&mapped("/x/libmkl_avx512.so.3")), "avx512");
        assert_eq!(mkl_core(&mapped("/x/libmkl_vml_avx2.so.3")), "");
    }
}
