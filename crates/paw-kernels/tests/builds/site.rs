//! A directory with sources, a spec of them, and compilers that only seem to be.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use paw_data::build::Build;
use paw_data::kernel::Tolerance;
use paw_formula::Formula;
use paw_kernels::builds::compile::compile;
use paw_kernels::builds::compiler::{Compiler, environment_path, find};
use paw_kernels::builds::{Built, jobs};
use paw_kernels::spec::{Language, Measure, Reference, Signature, Spec, Variant};

/// A directory that goes when it is done with.
pub struct Site(tempfile::TempDir);

impl Site {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory for files that are thrown away"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.path(name);
        std::fs::create_dir_all(file.parent().expect("it has a directory")).expect("the directory is made");
        std::fs::write(&file, text).expect("the file is written");
        file
    }

    /// A program that the shell reads. Another process writes it: one that another test starts at this moment would
    /// inherit a file of ours that is open for writing, which Linux does not execute.
    pub fn program(&self, name: &str, script: &str) -> PathBuf {
        let text = self.write(&format!("{name}.text"), &format!("#!/bin/sh\n{script}\n"));
        let file = self.path(name);
        let done = Command::new("install").args(["-m", "755"]).arg(&text).arg(&file).status();
        assert!(done.expect("coreutils are here").success());
        file
    }

    /// A spec of the source `name` with the function `kernel`.
    pub fn spec(&self, language: Language, name: &str, source: &str) -> Spec {
        let text = "void kernel(uint64_t n, double *a)".to_owned();
        Spec {
            path: self.path("kernel.toml"),
            name: "kernel".into(),
            function: "kernel".into(),
            signature: Signature { text, result: None, parameters: vec![] },
            sources: vec![self.write(name, source)],
            language,
            arrays: vec![],
            scalars: vec![],
            iterations: Formula::parse("n").expect("a name is a formula"),
            flops: None,
            bytes: None,
            variants: vec![],
            reference: Reference::First,
            tolerance: Tolerance::default(),
            measure: Measure::default(),
            compilers: vec![],
            flags: vec![],
            always: vec![],
        }
    }

    /// Builds `spec` with one compiler and `flags`, in a directory below this one.
    pub fn build(&self, spec: &Spec, compiler: &Compiler, flags: &[&str]) -> Vec<Built> {
        let flags: Vec<String> = flags.iter().map(|f| (*f).to_owned()).collect();
        let jobs = jobs(spec, std::slice::from_ref(compiler), &flags).expect("the flags are understood");
        compile(&jobs, spec, &self.path("out"), 2, &mut |_| {})
    }

    /// The directory as a PATH of its own.
    pub fn as_path(&self) -> OsString {
        self.0.path().as_os_str().to_owned()
    }
}

/// The compiler called `name` of this machine.
pub fn real(language: Language, name: &str) -> Compiler {
    let found = find(language, &[name.to_owned()], &environment_path());
    found.into_iter().next().expect("one was asked for").unwrap_or_else(|why| panic!("{why}"))
}

/// The compiler at `program`.
pub fn at(language: Language, program: &Path) -> Compiler {
    let found = find(language, &[program.display().to_string()], &OsString::new());
    found.into_iter().next().expect("one was asked for").unwrap_or_else(|why| panic!("{why}"))
}

pub fn variant(name: &str, define: &[&str]) -> Variant {
    let define = define.iter().map(|d| (*d).to_owned()).collect();
    Variant { name: name.into(), define, flags: vec![], function: None, residency: false }
}

/// The record of a build that was made.
pub fn made(built: &Built) -> &Build {
    match &built.library {
        Ok(library) => assert!(library.is_file() && built.build.code.len() == 64),
        Err(why) => panic!("{}: {why}\n{}", built.build.full_name(), built.build.said),
    }
    &built.build
}

pub fn refusal(built: &Built) -> &str {
    built.library.as_ref().expect_err("it cannot be built")
}

/// A kernel in every language, with the macro FACTOR, and MINUS.
pub const SOURCES: &[(Language, &str, &str)] = &[
    (
        Language::C,
        "kernel.c",
        "#ifndef FACTOR\n#define FACTOR 2\n#endif\n#ifdef MINUS\n#define OP -=\n#else\n#define OP +=\n#endif\n\
         void kernel(unsigned long n, double *a) { for (unsigned long i = 0; i < n; i++) a[i] OP FACTOR; }\n",
    ),
    (
        Language::Cpp,
        "kernel.cpp",
        "#ifndef FACTOR\n#define FACTOR 2\n#endif\n#ifdef MINUS\n#define OP -=\n#else\n#define OP +=\n#endif\n\
         namespace { double next(double x) { return x OP FACTOR; } }\n\
         extern \"C\" void kernel(unsigned long n, double *a) { for (unsigned long i = 0; i < n; i++) a[i] = next(a[i]); }\n",
    ),
    (
        Language::Fortran,
        "kernel.F90",
        "module work\n  use iso_c_binding\n  implicit none\n#ifndef FACTOR\n#define FACTOR 2\n#endif\ncontains\n\
         subroutine kernel(n, a) bind(C, name='kernel')\n  integer(c_size_t), value :: n\n  real(c_double) :: a(n)\n\
         #ifdef MINUS\n  a = a - FACTOR\n#else\n  a = a + FACTOR\n#endif\nend subroutine\nend module\n",
    ),
    (
        Language::Rust,
        "kernel.rs",
        "#[cfg(FACTOR = \"4\")]\nconst FACTOR: f64 = 4.0;\n#[cfg(not(FACTOR = \"4\"))]\nconst FACTOR: f64 = 2.0;\n\
         #[unsafe(no_mangle)]\npub extern \"C\" fn kernel(n: u64, a: *mut f64) {\n    for i in 0..n as usize {\n\
         \x20       let x = unsafe { &mut *a.add(i) };\n        if cfg!(MINUS) { *x -= FACTOR } else { *x += FACTOR }\n    }\n}\n",
    ),
];
