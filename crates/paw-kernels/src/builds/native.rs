//! Finds the processor that `native` means to a compiler.

use std::process::Command;
use std::time::Duration;

use crate::builds::child;
use crate::builds::compiler::Compiler;
use crate::builds::make::Native;
use crate::spec::Language;

/// The time after which a compiler's answer is given up.
const ANSWER: Duration = Duration::from_secs(20);

/// The flags among `words` that ask for this processor.
pub(crate) fn asked<'a>(words: &'a [String]) -> Vec<&'a str> {
    let is_native = |word: &&'a str| word.ends_with("=native") && !word.contains("tune") || *word == "-xHost";
    words.iter().map(String::as_str).filter(is_native).collect()
}

/// The processor that the flags `asked` mean to `compiler`: `icelake-server`. `None` if it does not print it.
pub(crate) fn resolve(compiler: &Compiler, asked: &[&str]) -> Option<String> {
    match compiler.make.native {
        Native::Nowhere => None,
        Native::Version => Some(compiler.version.split_once("-tp ")?.1.split_whitespace().next()?.to_owned()),
        Native::List => in_list(&said(compiler, &["--print", "target-cpus"])?),
        Native::Option => in_options(&plan(compiler, asked)?),
        Native::Builtin => in_builtin(&builtin(compiler)?),
        Native::TargetCpu => after_target_cpu(&plan(compiler, asked)?),
    }
}

/// The commands that the compiler's driver would run, printed and not executed.
fn plan(compiler: &Compiler, asked: &[&str]) -> Option<String> {
    let language = match compiler.make.language {
        Language::Cpp => "c++",
        Language::Fortran => "f95-cpp-input",
        Language::C | Language::Rust => "c",
    };
    said(compiler, &[&["-###", "-E", "-x", language, "/dev/null"], asked].concat())
}

fn said(compiler: &Compiler, words: &[&str]) -> Option<String> {
    answer(Command::new(&compiler.program).args(&compiler.words).args(words))
}

/// Zig's description of the default target, by its command `build-exe`.
fn builtin(compiler: &Compiler) -> Option<String> {
    let (_, words) = compiler.words.split_last()?;
    answer(Command::new(&compiler.program).args(words).args(["build-exe", "--show-builtin"]))
}

fn answer(command: &mut Command) -> Option<String> {
    let ended = child::run(command, ANSWER).ok()?;
    ended.status.is_some_and(|status| status.success()).then_some(ended.said)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(['"', '\'']))
}

fn in_options(plan: &str) -> Option<String> {
    let value = |word: &str| word.strip_prefix("-march=").or_else(|| word.strip_prefix("-mcpu=")).map(str::to_owned);
    words(plan).filter_map(value).find(|target| target != "native")
}

fn after_target_cpu(plan: &str) -> Option<String> {
    words(plan).skip_while(|word| *word != "-target-cpu").nth(1).map(str::to_owned)
}

fn in_builtin(builtin: &str) -> Option<String> {
    let model = builtin.lines().find_map(|line| line.trim().strip_prefix(".model = "))?;
    Some(model.trim_end_matches(',').rsplit('.').next()?.to_owned())
}

fn in_list(list: &str) -> Option<String> {
    let line = list.lines().find(|line| line.trim_start().starts_with("native "))?;
    Some(line.split_once("(currently ")?.1.split(')').next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_of_compilers_are_read() {
        let gcc = " /usr/lib/cc1 -E -quiet /dev/null \"-march=znver3\" -mmmx\nCOLLECT_GCC_OPTIONS='-E' '-march=native'";
        assert_eq!(in_options(gcc).as_deref(), Some("znver3"));
        assert_eq!(
            in_options("COLLECT_GCC_OPTIONS='-march=native' cc1 -mcpu=neoverse-v2").as_deref(),
            Some("neoverse-v2")
        );
        let clang = " \"clang\" \"-cc1\" \"-target-cpu\" \"znver5\" \"-target-feature\" \"+avx\"";
        assert_eq!(after_target_cpu(clang).as_deref(), Some("znver5"));
        let rustc = "Available CPUs:\n    native   - Select the CPU of the current host (currently icelake-server).\n    alderlake";
        assert_eq!(in_list(rustc).as_deref(), Some("icelake-server"));
        let zig = "    .arch = .x86_64,\n    .model = &std.Target.x86.cpu.icelake_server,\n";
        assert_eq!(in_builtin(zig).as_deref(), Some("icelake_server"));
        assert_eq!(in_builtin(""), None);
        assert_eq!((in_options(""), after_target_cpu(""), in_list("")), (None, None, None));
    }

    #[test]
    fn tuning_alone_is_no_target() {
        let words = ["-O3", "-mtune=native", "-march=native", "-xHost", "-Ctarget-cpu=native"].map(str::to_owned);
        assert_eq!(asked(&words), ["-march=native", "-xHost", "-Ctarget-cpu=native"]);
    }
}
