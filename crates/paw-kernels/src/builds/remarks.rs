//! What compilers say of the loops that they vectorise, and of those that they do not.

use paw_data::code::Remark;
use paw_data::visible::visible;

use crate::builds::compiler::Compiler;
use crate::spec::Language;

/// Most remarks that are kept of one build.
const REMARKS_MAX: usize = 60;
/// Makes that print GCC's remarks.
const GNU: &[&str] = &["gcc", "g++", "gfortran"];
/// Makes that print LLVM's.
const LLVM: &[&str] = &["clang", "clang++", "icx", "icpx", "zig", "flang"];
/// Parts of GCC's remarks that say why or how a loop was or was not vectorised.
const TELLING: &[&str] =
    &["not vectorized:", "loop vectorized", "statement clobbers memory", "not suitable", "unsupported"];

/// Flags of a compilation that prints remarks and has debug information; `None` for makes whose remarks are not read.
pub(crate) fn flags(compiler: &Compiler) -> Option<Vec<&'static str>> {
    let name = compiler.make.name;
    if compiler.make.language == Language::Rust {
        return Some(vec!["-Cdebuginfo=2", "-Cremark=loop-vectorize"]);
    }
    if GNU.contains(&name) {
        return Some(vec!["-g", "-fopt-info-vec-optimized-missed"]);
    }
    let passes = vec!["-g", "-Rpass=loop-vectorize", "-Rpass-missed=loop-vectorize", "-Rpass-analysis=loop-vectorize"];
    LLVM.contains(&name).then_some(passes)
}

/// The remarks in what a compiler printed, by line, each once.
pub(crate) fn remarks(said: &str) -> Vec<Remark> {
    let mut found: Vec<Remark> = said.lines().filter_map(remark).collect();
    found.sort();
    found.dedup();
    found.truncate(REMARKS_MAX);
    found
}

/// `file:line:column: missed: text` of GCC, `file:line:column: remark: text [-Rpass…]` of LLVM.
fn remark(line: &str) -> Option<Remark> {
    let kinds = [": missed: ", ": optimized: ", ": remark: "];
    let (kind, at) = kinds.iter().find_map(|kind| line.find(kind).map(|at| (*kind, at)))?;
    let text = line[at + kind.len()..].trim();
    let text = text.rsplit_once(" [-R").map_or(text, |(text, _)| text).trim();
    if kind != ": remark: " && !TELLING.iter().any(|telling| text.contains(telling)) {
        return None;
    }
    let mut place = line[..at].rsplit(':');
    let (_, row) = (place.next()?, place.next()?);
    let done = kind == ": optimized: " || text.starts_with("vectorized loop");
    Some(Remark { line: row.parse().ok()?, text: visible(text).into_owned(), done })
}

#[cfg(test)]
mod tests {
    use super::remarks;

    #[test]
    fn remarks_of_both_families_are_read() {
        let said = "k.c:3:5: optimized: loop vectorized using 32 byte vectors\n\
            k.c:9:7: missed: couldn't vectorize loop\n\
            k.c:9:7: missed: not vectorized: control flow in loop.\n\
            k.c:12:3: remark: loop not vectorized: call instruction cannot be vectorized [-Rpass-analysis=loop-vectorize]\n\
            k.c:14:3: remark: vectorized loop (vectorization width: 4, interleaved count: 4) [-Rpass=loop-vectorize]\n\
            In file included from k.c:1:\n";
        let found = remarks(said);
        let told: Vec<(u32, bool)> = found.iter().map(|remark| (remark.line, remark.done)).collect();
        assert_eq!(told, [(3, true), (9, false), (12, false), (14, true)]);
        assert_eq!(found[2].text, "loop not vectorized: call instruction cannot be vectorized");
    }
}
