//! What the code of a build does: its loops, calls and vectors, and what its compiler said of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use paw_binary::analysis::{Context, analyse, with_callees};
use paw_binary::{Image, SharedObject};
use paw_data::code::{Code, FunctionCode, Remark};

use crate::builds::compile::DEADLINE;
use crate::builds::compiler::Compiler;
use crate::builds::{Built, child, remarks, source_text};
use crate::spec::Spec;

/// A library with debug information, and what the compiler said when it made it.
struct Sibling {
    library: PathBuf,
    remarks: Vec<Remark>,
}

/// The code of `built`, whose library is at `number` in the order of builds; sentences in place of what could not be known.
///
/// The build itself keeps its flags. It is compiled once more into `directory`, with debug information and with the compiler's remarks;
/// lines are taken from there only if both have the same machine code.
pub fn code(built: &Built, compiler: Option<&Compiler>, spec: &Spec, directory: &Path, number: usize) -> Code {
    let mut unknown = Vec::new();
    let name = built.build.full_name();
    let library = match &built.library {
        Ok(library) => library,
        Err(why) => return Code { build: name, unknown: vec![why.clone()], ..Code::default() },
    };
    let sibling = compiler.ok_or_else(|| "its compiler is not known".to_owned());
    let sibling = sibling.and_then(|compiler| sibling_of(built, compiler, spec, directory, number));
    let (remarks, lines) = match sibling {
        Ok(sibling) if is_same(library, &sibling.library) => (sibling.remarks, Some(sibling.library)),
        Ok(sibling) => {
            unknown.push("source lines: with -g the compiler made other code of it".to_owned());
            (sibling.remarks, None)
        }
        Err(why) => {
            unknown.push(format!("source lines and the compiler's remarks: {why}"));
            (Vec::new(), None)
        }
    };
    let mut found = match analysed(lines.as_deref().unwrap_or(library), &built.function) {
        Ok(found) => found,
        Err(why) => Code { unknown: vec![why], ..Code::default() },
    };
    if !unknown.is_empty() {
        found.unknown.retain(|why| !why.starts_with("source lines:"));
    }
    found.unknown.extend(unknown);
    found.functions.iter_mut().for_each(|function| hand_out(&remarks, function));
    let sources = source_text::sources(&found, home(spec));
    Code { build: name, file: library.display().to_string(), sources, ..found }
}

/// The code of one function of a library, and of those that it calls there.
fn analysed(library: &Path, function: &str) -> Result<Code, String> {
    let image = Image::open(library).map_err(|why| why.to_string())?;
    let found = image.functions_named(function);
    let first = found.first().ok_or_else(|| format!("{} defines no function {function}", library.display()))?;
    let sections = image.debug_sections().ok();
    let lines = sections.as_ref().and_then(|sections| sections.lines());
    let context = Context { image: &image, lines: lines.as_ref() };
    Ok(analyse(&context, &with_callees(&image, first)))
}

/// Compiles a build once more, with debug information and remarks.
fn sibling_of(
    built: &Built,
    compiler: &Compiler,
    spec: &Spec,
    directory: &Path,
    number: usize,
) -> Result<Sibling, String> {
    let more = remarks::flags(compiler).ok_or_else(|| format!("the remarks of {} are not read", compiler.name))?;
    let library = directory.join(format!("{number:03}.debug.so"));
    let words = &built.build.command;
    let out = words.iter().rposition(|word| word == "-o").filter(|at| at + 1 < words.len());
    let (first, out) = words.first().zip(out).ok_or("its command line has no output")?;
    let mut command = Command::new(first);
    let before = words[1..=out].iter().cloned().chain([library.display().to_string()]);
    let after = words[out + 2..].iter().cloned().chain(more.iter().map(|flag| (*flag).to_owned()));
    command.args(before.chain(after)).current_dir(home(spec));
    let deadline = DEADLINE * compiler.make.timeout_factor;
    let ended = child::run(&mut command, deadline).map_err(|why| format!("{first} cannot be run: {why}"))?;
    match ended.status {
        Some(status) if status.success() => Ok(Sibling { library, remarks: remarks::remarks(&ended.said) }),
        _ => Err("the compilation with -g failed".to_owned()),
    }
}

/// The directory of the spec, in which compilers are started.
fn home(spec: &Spec) -> &Path {
    spec.path.parent().filter(|home| !home.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn is_same(library: &Path, other: &Path) -> bool {
    match (SharedObject::read(library), SharedObject::read(other)) {
        (Ok(a), Ok(b)) => a.fingerprint() == b.fingerprint(),
        _ => false,
    }
}

/// Gives a function the remarks about its lines; all of them where its lines are not known.
fn hand_out(remarks: &[Remark], function: &mut FunctionCode) {
    let lines = function.loops.iter().filter_map(|found| found.source.as_ref());
    let last = lines.map(|lines| lines.last).max();
    let first = function.source.as_ref().map(|source| source.first);
    let is_near = |remark: &&Remark| match (first, last) {
        (Some(first), Some(last)) => (first..=last.saturating_add(1)).contains(&remark.line),
        _ => true,
    };
    function.remarks = remarks.iter().filter(is_near).cloned().collect();
}
