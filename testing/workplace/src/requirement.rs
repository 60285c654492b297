//! What a test needs besides cargo and a C compiler. Where it is missing, the test is left out and says so.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// With this variable, which `./check` sets, a missing requirement fails its test.
const DEMAND: &str = "PAW_TEST_DEMAND";

/// A program or library that a machine may lack.
#[derive(Debug)]
pub struct Requirement {
    name: &'static str,
    /// Files of which one shows that it is installed.
    files: &'static [&'static str],
    /// Debian's package.
    package: &'static str,
}

/// Open MPI and its launcher.
pub const OPENMPI: Requirement =
    Requirement { name: "Open MPI", files: &["/usr/bin/mpiexec.openmpi"], package: "openmpi-bin" };
/// MPICH and its launcher.
pub const MPICH: Requirement = Requirement { name: "MPICH", files: &["/usr/bin/mpiexec.mpich"], package: "mpich" };
/// The tool that makes and joins network interfaces.
pub const IPROUTE: Requirement =
    Requirement { name: "ip", files: &["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"], package: "iproute2" };
/// Slurm's daemons.
pub const SLURM: Requirement =
    Requirement { name: "Slurm", files: &["/usr/sbin/slurmctld"], package: "slurmctld slurmd slurm-client munge" };
/// Clang.
pub const CLANG: Requirement = Requirement { name: "clang-19", files: &["/usr/bin/clang-19"], package: "clang-19" };
/// GNU's C++ compiler.
pub const GXX: Requirement = Requirement { name: "g++", files: &["/usr/bin/g++"], package: "g++" };
/// GNU's Fortran compiler.
pub const GFORTRAN: Requirement = Requirement { name: "gfortran", files: &["/usr/bin/gfortran"], package: "gfortran" };
/// OpenBLAS.
pub const OPENBLAS: Requirement = Requirement {
    name: "OpenBLAS",
    files: &[
        "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
        "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0",
    ],
    package: "libopenblas0-pthread",
};
/// The processor as a device of OpenCL.
pub const POCL: Requirement =
    Requirement { name: "PoCL", files: &["/etc/OpenCL/vendors/pocl.icd"], package: "pocl-opencl-icd" };
/// Mesa's OpenCL.
pub const RUSTICL: Requirement =
    Requirement { name: "Rusticl", files: &["/etc/OpenCL/vendors/rusticl.icd"], package: "mesa-opencl-icd" };
/// Matrix products by OpenCL.
pub const CLBLAST: Requirement = Requirement {
    name: "CLBlast",
    files: &["/usr/lib/x86_64-linux-gnu/libclblast.so.1", "/usr/lib/aarch64-linux-gnu/libclblast.so.1"],
    package: "libclblast1",
};
/// The simulator of caches.
pub const VALGRIND: Requirement = Requirement { name: "valgrind", files: &["/usr/bin/valgrind"], package: "valgrind" };
/// Another reader of a machine's structure.
pub const HWLOC: Requirement =
    Requirement { name: "hwloc", files: &["/usr/bin/lstopo-no-graphics"], package: "hwloc-nox" };
/// The tool that makes and unpacks Debian's packages.
pub const DPKG: Requirement = Requirement { name: "dpkg-deb", files: &["/usr/bin/dpkg-deb"], package: "dpkg" };
/// A compressor to measure.
pub const ZSTD: Requirement = Requirement { name: "zstd", files: &["/usr/bin/zstd"], package: "zstd" };

impl Requirement {
    /// Whether it is installed; where it is not, says on standard error which test is left out.
    ///
    /// # Panics
    /// Where it is missing and demanded.
    pub fn is_met(&self) -> bool {
        let is_met = self.files.iter().any(|file| Path::new(file).exists());
        if !is_met {
            left_out(&format!("{} is not installed: apt-get install {}", self.name, self.package));
        }
        is_met
    }
}

/// The interpreter of the environment `VIRTUAL_ENV`, where that has the Python module `module`; else says which test is left out.
///
/// # Panics
/// Where the module is missing and demanded.
pub fn python_with(module: &str) -> Option<PathBuf> {
    let python = env::var_os("VIRTUAL_ENV").map(|home| Path::new(&home).join("bin/python"));
    let has_module = |python: &PathBuf| {
        let tried = Command::new(python).args(["-c", &format!("import {module}")]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    let found = python.filter(has_module);
    if found.is_none() {
        left_out(&format!("Python's module {module} is not in VIRTUAL_ENV: pip install {module}"));
    }
    found
}

/// Says which test is left out, past the capture of the test harness, which shows nothing of a test that passes.
fn left_out(why: &str) {
    assert!(env::var_os(DEMAND).is_none(), "{why}");
    let thread = std::thread::current();
    let _ = writeln!(std::io::stderr(), "left out: {}: {why}", thread.name().unwrap_or("a test"));
}

/// Ends the test, and says so, unless all requirements are met: `needs!(CLANG, GFORTRAN)`.
#[macro_export]
macro_rules! needs {
    ($($requirement:ident),+) => {
        $(if !$crate::requirement::$requirement.is_met() { return; })+
    };
}
