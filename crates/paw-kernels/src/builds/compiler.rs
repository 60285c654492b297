//! Finds installed compilers on a PATH, with their versions.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::builds::child;
use crate::builds::diagnostics;
use crate::builds::lookup::{self, Lookup};
use crate::builds::make::{MAKES, Make};
use crate::spec::Language;

pub use crate::builds::lookup::MissingCompiler;

/// The time after which a compiler that prints no version is considered broken.
const ANSWER: Duration = Duration::from_secs(20);

/// The interpreter of compilers that are Python packages.
const PYTHON: &str = "python3";

/// An installed compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// Its make.
    pub make: &'static Make,
    /// Its name in rows: `gcc`, `clang-19`, or the path if two have one name.
    pub name: String,
    /// The program, absolute.
    pub program: PathBuf,
    /// First arguments that make the program a compiler: `cc` of `zig cc`.
    pub words: Vec<String>,
    /// The first line that its `--version` prints.
    pub version: String,
}

/// The compilers of `language` on `path`, a list of directories as in PATH. Each of `wanted` is a make (`clang`: that, or
/// the highest version of it), a versioned name (`clang-19`), any other program (`cc`), or a path; if none is named, one
/// of every make that is installed, or why there is none.
pub fn find(language: Language, wanted: &[String], path: &OsStr) -> Vec<Result<Compiler, MissingCompiler>> {
    if wanted.is_empty() {
        let all: Vec<_> = Make::of(language).map(|make| of_make(make, path)).collect();
        // A broken compiler gets a row; a missing one only if there is no other.
        let is_there =
            |found: &&Result<_, MissingCompiler>| !matches!(found, Err(absent) if absent.why == lookup::NOT_FOUND);
        let there: Vec<_> = all.iter().filter(is_there).cloned().collect();
        return with_distinct_names(if there.is_empty() { all } else { there });
    }
    with_distinct_names(wanted.iter().map(|name| named(language, name, path)).collect())
}

/// Drops duplicates, and names programs of equal names by their paths.
fn with_distinct_names(mut found: Vec<Result<Compiler, MissingCompiler>>) -> Vec<Result<Compiler, MissingCompiler>> {
    let mut seen: Vec<(PathBuf, Vec<String>)> = Vec::new();
    found.retain(|entry| match entry {
        Ok(compiler) => {
            let key = (compiler.program.clone(), compiler.words.clone());
            let is_new = !seen.contains(&key);
            seen.push(key);
            is_new
        }
        Err(_) => true,
    });
    let names: Vec<String> = found.iter().flatten().map(|compiler| compiler.name.clone()).collect();
    for compiler in found.iter_mut().flatten() {
        if names.iter().filter(|name| **name == compiler.name).count() > 1 {
            compiler.name = compiler.program.display().to_string();
        }
    }
    found
}

fn named(language: Language, wanted: &str, path: &OsStr) -> Result<Compiler, MissingCompiler> {
    if let Some(make) = Make::of(language).find(|make| make.name == wanted || make.kin == wanted) {
        return of_make(make, path);
    }
    if let Some(make) = MAKES.iter().find(|make| make.name == wanted) {
        return Err(other_language(wanted, make, language));
    }
    let found = if wanted.contains('/') { lookup::at(Path::new(wanted)) } else { lookup::exactly(wanted, path) };
    let Lookup::Found(_, program) = found else { return Err(found.refusal(wanted)) };
    let stem = lookup::stem(wanted);
    let starts = |make: &&'static Make| make.programs.iter().find(|words| words[0] == stem).map(|w| (*make, &w[1..]));
    if let Some((make, words)) = Make::of(language).find_map(|make| starts(&make)) {
        return ask(make, wanted, program, words).map_err(|why| absent(wanted, why));
    }
    if let Some((make, _)) = MAKES.iter().find_map(|make| starts(&make)) {
        return Err(other_language(wanted, make, language));
    }
    by_sign(language, wanted, program)
}

/// A program under a name of its own, such as `cc` or `mpicc`, recognised by what its `--version` prints.
fn by_sign(language: Language, wanted: &str, program: PathBuf) -> Result<Compiler, MissingCompiler> {
    let answer = answer(&program, &[]).map_err(|why| absent(wanted, why))?;
    let Some(make) = Make::of(language).find(|make| answer.contains(make.sign)) else {
        let known: Vec<&str> = Make::of(language).map(|make| make.name).collect();
        let language = language.name();
        let why =
            format!("is no compiler of {language} that paw knows ({}); it says `{}`", known.join(", "), first(&answer));
        return Err(absent(wanted, why));
    };
    Ok(compiler(make, wanted, program, &[], &answer))
}

/// The best program of a make: a program of its own, plain or with a version, before a Python package.
fn of_make(make: &'static Make, path: &OsStr) -> Result<Compiler, MissingCompiler> {
    let (wheels, direct): (Vec<&[&str]>, Vec<&[&str]>) = make.programs.iter().partition(|words| words[0] == PYTHON);
    let names: Vec<&str> = direct.iter().map(|words| words[0]).collect();
    let found = lookup::best(&names, path);
    if let Lookup::Found(name, program) = found {
        let stem = lookup::stem(&name);
        let words = direct.iter().find(|words| words[0] == stem).map_or(&[][..], |words| &words[1..]);
        return ask(make, &name, program, words).map_err(|why| absent(&name, why));
    }
    for words in wheels {
        if let Lookup::Found(_, python) = lookup::exactly(PYTHON, path)
            && let Ok(compiler) = ask(make, make.name, python, &words[1..])
        {
            return Ok(compiler);
        }
    }
    Err(found.refusal(make.name))
}

fn ask(make: &'static Make, name: &str, program: PathBuf, words: &[&str]) -> Result<Compiler, String> {
    let answer = answer(&program, words)?;
    Ok(compiler(make, name, program, words, &answer))
}

fn compiler(make: &'static Make, name: &str, program: PathBuf, words: &[&str], answer: &str) -> Compiler {
    let name = Path::new(name).file_name().map_or_else(|| name.to_owned(), |n| n.to_string_lossy().into_owned());
    let program = if make.language == Language::Rust { toolchain(&program).unwrap_or(program) } else { program };
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    Compiler { make, name, program, words, version: first(answer) }
}

/// The compiler behind rustup's wrapper, which depends on the directory and starts more slowly.
fn toolchain(program: &Path) -> Option<PathBuf> {
    let mut command = Command::new(program);
    let ended = child::run(command.args(["--print", "sysroot"]), ANSWER).ok()?;
    let real = Path::new(ended.said.trim()).join("bin/rustc");
    lookup::is_program(&real).then_some(real)
}

fn answer(program: &Path, words: &[&str]) -> Result<String, String> {
    let mut command = Command::new(program);
    let ended =
        child::run(command.args(words).arg("--version"), ANSWER).map_err(|why| format!("cannot be run: {why}"))?;
    match ended.status {
        Some(status) if status.success() && !ended.said.trim().is_empty() => Ok(ended.said),
        Some(_) if ended.said.trim().is_empty() => Err("says nothing when asked for --version".to_owned()),
        Some(_) => Err(format!("does not tell its version: {}", diagnostics::first_error(&ended.said, Path::new("")))),
        None => Err(format!("did not tell its version within {} s and was ended", ANSWER.as_secs())),
    }
}

fn first(answer: &str) -> String {
    answer.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

fn absent(name: &str, why: String) -> MissingCompiler {
    MissingCompiler { name: name.to_owned(), why }
}

fn other_language(wanted: &str, make: &Make, language: Language) -> MissingCompiler {
    let why = format!("compiles {}, and the sources are {}", make.language.name(), language.name());
    absent(wanted, why)
}

impl Compiler {
    /// The first words of its command line.
    pub(crate) fn line(&self) -> Vec<String> {
        let mut line = vec![self.program.display().to_string()];
        line.extend(self.words.iter().cloned());
        line
    }
}

/// The directories that programs are looked for in: the environment's PATH.
pub fn environment_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}
