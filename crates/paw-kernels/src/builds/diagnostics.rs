//! A compiler's output in short: its first error with its place, and an excerpt.

use std::path::Path;

/// Bytes of a compiler's output that a record keeps.
const EXCERPT_BYTES: usize = 4096;

/// Signs of an error line in the output of known compilers, in lower case.
const SIGNS: &[&str] =
    &["error:", "error[", "error #", "fatal:", ": undefined reference", "ld: cannot", "-s-0", "-f-0"];
/// Signs of a line that only counts errors.
const SUMMARIES: &[&str] = &["error: could not parse", "error: semantic errors in", "linker command failed"];

/// The first line with an error, with file and line before it, if the compiler prints them on a line of their own. Names of
/// files below `directory` are relative to it.
pub(crate) fn first_error(said: &str, directory: &Path) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    let is_error = |line: &str| {
        let line = line.to_lowercase();
        SIGNS.iter().any(|sign| line.contains(sign)) && !SUMMARIES.iter().any(|summary| line.contains(summary))
    };
    let found = lines.iter().position(|line| is_error(line));
    let line = match found {
        Some(at) => placed(&lines, at),
        // An error of an unknown form is more often at the end than at the beginning.
        None => lines.iter().rfind(|line| !line.is_empty()).map(|line| (*line).to_owned()).unwrap_or_default(),
    };
    let prefix = format!("{}/", directory.display());
    if prefix.len() > 1 { line.replace(&prefix, "") } else { line }
}

/// An error line with its place, which gfortran prints some lines above and rustc below.
fn placed(lines: &[&str], at: usize) -> String {
    let line = lines[at];
    let below = lines.get(at + 1).and_then(|next| next.strip_prefix("--> "));
    let above = || lines[..at].iter().rev().find(|l| is_place(l)).map(|l| l.trim_end_matches(':'));
    match below.or_else(|| line.starts_with("Error:").then(above).flatten()) {
        Some(place) => format!("{place}: {line}"),
        None => line.to_owned(),
    }
}

/// `file:line:column:` and nothing else.
fn is_place(line: &str) -> bool {
    let Some(line) = line.strip_suffix(':') else { return false };
    let mut parts = line.rsplit(':');
    let mut number = || parts.next().is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    number() && number() && !line.is_empty()
}

/// The beginning of a compiler's output, in whole lines.
pub(crate) fn excerpt(said: &str) -> String {
    let said = said.trim_end();
    if said.len() <= EXCERPT_BYTES {
        return said.to_owned();
    }
    let mark = "\n…";
    let end = said.floor_char_boundary(EXCERPT_BYTES - mark.len());
    let kept = said[..end].rsplit_once('\n').map_or(&said[..end], |(kept, _)| kept);
    format!("{kept}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: &str, error: &str) {
        assert_eq!(first_error(said, Path::new("/home/k")), error);
    }

    #[test]
    fn the_first_error_is_told_with_its_place() {
        check(
            "/home/k/a.c: In function 'k':\n/home/k/a.c:3:9: warning: odd\n/home/k/a.c:4:1: error: bad\n/home/k/a.c:5:1: error: worse",
            "a.c:4:1: error: bad",
        );
        check(
            "/home/k/k.f90:3:8:\n\n    3 |   n = = 3\n      |        1\nError: Invalid character at (1)\n",
            "k.f90:3:8: Error: Invalid character at (1)",
        );
        check(
            "warning: unused\n --> a.rs:1:1\n\nerror[E0425]: no `x`\n --> /home/k/a.rs:2:5\n  |\n",
            "a.rs:2:5: error[E0425]: no `x`",
        );
        check("error: Could not parse k.f90\n./k.f90:3:5: error: expected '('\n", "./k.f90:3:5: error: expected '('");
        check(
            "/usr/bin/ld: cannot find -lnope: No such file\ncollect2: error: ld returned 1 exit status",
            "/usr/bin/ld: cannot find -lnope: No such file",
        );
        check("k.f90(3): error #5082: Syntax error\n", "k.f90(3): error #5082: Syntax error");
        check(
            "NVFORTRAN-S-0034-Syntax error at or near = (k.f90: 3)\n",
            "NVFORTRAN-S-0034-Syntax error at or near = (k.f90: 3)",
        );
        check("no licence\n\n", "no licence");
        check("", "");
    }

    #[test]
    fn an_excerpt_is_short_and_says_so() {
        assert_eq!(excerpt("one\ntwo\n"), "one\ntwo");
        let long = excerpt(&"é is a letter\n".repeat(1000));
        assert!(long.len() <= EXCERPT_BYTES && long.ends_with("letter\n…"));
        assert!(excerpt(&"é".repeat(5000)).len() <= EXCERPT_BYTES);
    }
}
