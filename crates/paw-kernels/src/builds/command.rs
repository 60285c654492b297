//! The command line of a build.

use std::path::Path;

use crate::builds::BuildJob;
use crate::spec::{Language, Spec};

/// The command line of a build without its output: equal builds have equal ones. An error names a flag that the make has no equivalent of.
pub(crate) fn words(job: &BuildJob, spec: &Spec) -> Result<Vec<String>, String> {
    let make = job.compiler.make;
    let mut words = job.compiler.line();
    words.extend(make.shared.iter().map(|flag| (*flag).to_owned()));
    let mut libraries = Vec::new();
    let own = job.variant.as_ref().map_or(&[][..], |variant| &variant.flags);
    for word in job.flags.words().iter().chain(own).chain(&spec.always) {
        let called = make.translated(word).ok_or_else(|| format!("{} has no {word}", job.compiler.name))?;
        // A linker resolves from a library only symbols missing before it: libraries follow the sources.
        let is_library = make.language != Language::Rust && is_library(&called);
        if is_library { libraries.push(called) } else { words.push(called) }
    }
    words.extend(macros(job, spec));
    words.extend(spec.sources.iter().map(|source| source.display().to_string()));
    words.extend(libraries);
    words.extend(make.libraries.iter().map(|library| (*library).to_owned()));
    Ok(words)
}

fn is_library(word: &str) -> bool {
    let is_file = [".a", ".o", ".so"].iter().any(|end| word.ends_with(end)) && !word.starts_with('-');
    is_file || word.starts_with("-l") || word.starts_with("-Wl,")
}

fn macros(job: &BuildJob, spec: &Spec) -> Vec<String> {
    let defined = job.variant.as_ref().map_or(&[][..], |variant| &variant.define);
    if job.compiler.make.language == Language::Rust {
        return defined.iter().flat_map(|name| ["--cfg".to_owned(), configuration(name)]).collect();
    }
    // The preprocessor is needed for every variant if any has macros.
    let are_there = spec.variants.iter().any(|variant| !variant.define.is_empty());
    let preprocess = job.compiler.make.preprocess.iter().filter(|_| are_there).map(|flag| (*flag).to_owned());
    preprocess.chain(defined.iter().map(|name| format!("-D{name}"))).collect()
}

/// A macro in rustc's notation: `FACTOR=4` as `FACTOR="4"`.
fn configuration(name: &str) -> String {
    match name.split_once('=') {
        Some((name, value)) => format!("{name}=\"{}\"", value.trim_matches('"')),
        None => name.to_owned(),
    }
}

/// The arguments for output and modules: each build has its own directory of modules, so that none overwrites another's.
pub(crate) fn output(job: &BuildJob, library: &Path, modules: &Path) -> Vec<String> {
    let directory = job.compiler.make.modules.map(|flag| [flag.to_owned(), modules.display().to_string()]);
    directory.into_iter().flatten().chain(["-o".to_owned(), library.display().to_string()]).collect()
}
