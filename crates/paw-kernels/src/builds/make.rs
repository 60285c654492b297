//! The table of makes of compilers: names, programs, and flags for a shared object.

use crate::spec::Language;

/// A make of compiler for one language.
#[derive(Debug, PartialEq, Eq)]
pub struct Make {
    /// Its name: `gcc`.
    pub name: &'static str,
    /// The make of C whose name also selects this one, for sources in its language.
    pub kin: &'static str,
    /// The language that it compiles.
    pub language: Language,
    /// Its programs, best first, each with the first arguments that make it a compiler.
    pub programs: &'static [&'static [&'static str]],
    /// A text in the output of `--version`, whatever the program's name.
    pub sign: &'static str,
    /// Flags of every build.
    pub shared: &'static [&'static str],
    /// Flags that turn on its preprocessor, if it is off by default.
    pub preprocess: &'static [&'static str],
    /// Libraries of every build, after the sources.
    pub libraries: &'static [&'static str],
    /// The flag that names the directory of modules.
    pub modules: Option<&'static str>,
    /// Portable flags and their equivalents; one that ends in `=` matches every flag that begins so.
    pub dialect: &'static [(&'static str, &'static str)],
    /// Portable flags without an equivalent.
    pub lacks: &'static [&'static str],
    /// Where it prints the processor that `native` means.
    pub native: Native,
    /// The factor on the deadline of a build.
    pub timeout_factor: u32,
    /// The published matrix of flags.
    pub report: &'static [&'static str],
}

/// Where a make prints the processor that `native` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Native {
    /// In the command it would run, as `-march=` or `-mcpu=`.
    Option,
    /// In the command it would run, after `-target-cpu`.
    TargetCpu,
    /// In its list of processors.
    List,
    /// In its version, after `-tp`.
    Version,
    /// In its description of the target, as `zig build-exe --show-builtin` prints it.
    Builtin,
    /// Nowhere that is known.
    Nowhere,
}

/// Without `-fno-semantic-interposition` GCC keeps calls within a file as calls, since another library might replace the
/// function, and neither inlines nor vectorises across them: a shared object would be slower than the same program.
const SHARED: &[&str] = &["-shared", "-fPIC", "-fno-semantic-interposition"];
/// With a fixed seed, because generated names would differ from build to build.
const GNU: &[&str] = &["-shared", "-fPIC", "-fno-semantic-interposition", "-frandom-seed=paw"];
const PLAIN: &[&str] = &["-shared", "-fPIC"];
/// By default Zig builds for this processor and traps undefined behaviour; both are undone.
const ZIG: &[&str] = &["-shared", "-fPIC", "-fno-semantic-interposition", "-mcpu=baseline", "-fno-sanitize=undefined"];
/// The source is a crate of its own, with fixed names, which would otherwise get into the code.
const RUST: &[&str] = &[
    "--crate-type=cdylib",
    "--crate-name=kernel",
    "--edition=2021",
    "-Cpanic=abort",
    "-Cmetadata=paw",
    "-Aunexpected_cfgs",
];
/// The mathematical library, which paw may not have loaded.
const LIBM: &[&str] = &["-lm"];

const GNU_REPORT: &[&str] = &[
    "-O2",
    "-O3",
    "-Os",
    "-O3 -march=native",
    "-Ofast",
    "-Ofast -march=native",
    "-Ofast -march=native -funroll-all-loops",
];
const LLVM_REPORT: &[&str] = &["-O0", "-O2", "-O3", "-Os", "-O3 -march=native", "-Ofast", "-Ofast -march=native"];
/// Flang 19 has no -Os.
const FLANG_REPORT: &[&str] = &["-O0", "-O2", "-O3", "-O3 -march=native", "-Ofast", "-Ofast -march=native"];
const INTEL_REPORT: &[&str] = &[
    "-O0",
    "-O2",
    "-O3",
    "-Os",
    "-O3 -xHost",
    "-Ofast",
    "-Ofast -xHost",
    "-Ofast -xHost -funroll-loops -unroll-aggressive",
];
const RUST_REPORT: &[&str] = &["-O0", "-O2", "-O3", "-Os", "-O3 -march=native"];

const NVIDIA_DIALECT: &[(&str, &str)] = &[("-march=native", "-tp=native")];
const INTEL_DIALECT: &[(&str, &str)] = &[("-march=native", "-xHost")];
const RUST_DIALECT: &[(&str, &str)] = &[
    ("-O0", "-Copt-level=0"),
    ("-O1", "-Copt-level=1"),
    ("-O2", "-Copt-level=2"),
    ("-O3", "-Copt-level=3"),
    ("-Os", "-Copt-level=s"),
    ("-Oz", "-Copt-level=z"),
    ("-march=", "-Ctarget-cpu="),
];

/// The base of most rows: a C compiler that takes the flags of GCC.
const C: Make = Make {
    name: "gcc",
    kin: "",
    language: Language::C,
    programs: &[&["gcc"]],
    sign: "Free Software Foundation",
    shared: GNU,
    preprocess: &[],
    libraries: LIBM,
    modules: None,
    dialect: &[],
    lacks: &[],
    native: Native::Option,
    timeout_factor: 1,
    report: GNU_REPORT,
};
const LLVM: Make = Make {
    name: "clang",
    programs: &[&["clang"]],
    sign: "clang version",
    shared: SHARED,
    native: Native::TargetCpu,
    report: LLVM_REPORT,
    ..C
};
const ICX: Make = Make { name: "icx", programs: &[&["icx"]], sign: "oneAPI DPC++/C++", report: INTEL_REPORT, ..LLVM };
const ICC: Make = Make {
    name: "icc",
    programs: &[&["icc"]],
    sign: "(ICC)",
    shared: PLAIN,
    dialect: INTEL_DIALECT,
    native: Native::Nowhere,
    ..ICX
};
const NVC: Make = Make {
    name: "nvc",
    programs: &[&["nvc"]],
    sign: "nvc ",
    shared: PLAIN,
    dialect: NVIDIA_DIALECT,
    native: Native::Version,
    report: LLVM_REPORT,
    ..C
};
const ZIGCC: Make = Make {
    name: "zig",
    programs: &[&["zig", "cc"], &["python3", "-m", "ziglang", "cc"]],
    shared: ZIG,
    native: Native::Builtin,
    // Its first build for a target also compiles its libraries.
    timeout_factor: 10,
    ..LLVM
};
const FORTRAN: Make = Make {
    name: "gfortran",
    kin: "gcc",
    language: Language::Fortran,
    programs: &[&["gfortran"]],
    sign: "GNU Fortran",
    preprocess: &["-cpp"],
    modules: Some("-J"),
    ..C
};

/// All makes, in the order in which they are looked for.
pub const MAKES: &[Make] = &[
    C,
    LLVM,
    ICX,
    ICC,
    NVC,
    ZIGCC,
    Make { name: "g++", kin: "gcc", language: Language::Cpp, programs: &[&["g++"]], ..C },
    Make { name: "clang++", kin: "clang", language: Language::Cpp, programs: &[&["clang++"]], ..LLVM },
    Make { name: "icpx", kin: "icx", language: Language::Cpp, programs: &[&["icpx"]], ..ICX },
    Make { name: "icpc", kin: "icc", language: Language::Cpp, programs: &[&["icpc"]], sign: "(ICC)", ..ICC },
    Make { name: "nvc++", kin: "nvc", language: Language::Cpp, programs: &[&["nvc++"]], sign: "nvc++ ", ..NVC },
    Make {
        name: "zig",
        language: Language::Cpp,
        programs: &[&["zig", "c++"], &["python3", "-m", "ziglang", "c++"]],
        ..ZIGCC
    },
    FORTRAN,
    Make {
        name: "flang",
        kin: "clang",
        programs: &[&["flang"], &["flang-new"]],
        sign: "flang",
        shared: PLAIN,
        native: Native::TargetCpu,
        report: FLANG_REPORT,
        ..FORTRAN
    },
    Make {
        name: "ifx",
        kin: "icx",
        programs: &[&["ifx"]],
        sign: "(IFX)",
        shared: PLAIN,
        preprocess: &["-fpp"],
        modules: Some("-module"),
        dialect: INTEL_DIALECT,
        native: Native::Nowhere,
        report: INTEL_REPORT,
        ..FORTRAN
    },
    Make {
        name: "nvfortran",
        kin: "nvc",
        programs: &[&["nvfortran"]],
        sign: "nvfortran ",
        shared: PLAIN,
        preprocess: &["-Mpreprocess"],
        modules: Some("-module"),
        dialect: NVIDIA_DIALECT,
        native: Native::Version,
        report: LLVM_REPORT,
        ..FORTRAN
    },
    Make {
        name: "rustc",
        language: Language::Rust,
        programs: &[&["rustc"]],
        sign: "rustc ",
        shared: RUST,
        libraries: &[],
        dialect: RUST_DIALECT,
        lacks: &["-Ofast", "-ffast-math"],
        native: Native::List,
        report: RUST_REPORT,
        ..C
    },
];

impl Make {
    /// The makes that compile `language`.
    pub fn of(language: Language) -> impl Iterator<Item = &'static Self> {
        MAKES.iter().filter(move |make| make.language == language)
    }

    /// The flag `word` in this make's dialect; `None` if it has no equivalent.
    pub fn translated(&self, word: &str) -> Option<String> {
        if self.lacks.contains(&word) {
            return None;
        }
        let called = self.dialect.iter().find_map(|(from, to)| match word.strip_prefix(from) {
            Some("") => Some((*to).to_owned()),
            Some(rest) if from.ends_with('=') => Some(format!("{to}{rest}")),
            _ => None,
        });
        Some(called.unwrap_or_else(|| word.to_owned()))
    }
}
