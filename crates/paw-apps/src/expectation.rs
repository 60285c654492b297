//! Expectations that a run of a program must meet: `stdout contains 1867`.

use std::fmt;
use std::path::{Path, PathBuf};

use regex::Regex;
use thiserror::Error;

use crate::difference::Difference;
use crate::excerpt::{excerpt, last_line};
use crate::metric;
use crate::outputs::{Output, Outputs};
use paw_data::spelling::closest;
use paw_sort::OrderBy;

/// An expectation that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExpectationError {
    /// None of the known forms.
    #[error("`{typed}` is no expectation{hint}; there are: {FORMS}")]
    Form {
        /// The expectation as typed.
        typed: String,
        /// `: did you mean …?`, or nothing.
        hint: String,
    },
    /// An exit code that is no number from 0 to 255.
    #[error("`exit {0}`: an exit code is a number from 0 to 255")]
    Code(String),
    /// A pattern that is no regular expression.
    #[error("`{typed}`: no regular expression: {why}")]
    Pattern {
        /// The expectation as typed.
        typed: String,
        /// The parser's error.
        why: String,
    },
}

const FORMS: &str =
    "'exit 0', 'stdout contains TEXT', 'stdout matches REGEX', 'stdout equals FILE' (or stderr), 'file OUT equals REF'";

/// How much of a program's outputs is needed to judge a run, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutputNeed {
    /// Nothing.
    None,
    /// The beginning and the end.
    Ends,
    /// All.
    Whole,
}

/// A condition that a run must meet.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// As typed.
    pub typed: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Exit(i32),
    Output(Stream, Test),
    File { made: PathBuf, reference: PathBuf },
}

#[derive(Debug, Clone, Copy)]
enum Stream {
    Stdout,
    Stderr,
}

#[derive(Debug, Clone)]
enum Test {
    Contains(String),
    Matches(Regex),
    Equals(PathBuf),
}

const STREAMS: &[(&str, Stream)] = &[("stdout", Stream::Stdout), ("stderr", Stream::Stderr)];

impl Expectation {
    /// Parses one of `exit CODE`, `stdout contains TEXT`, `stdout matches REGEX`, `stdout equals FILE` (of `stderr` too) and
    /// `file OUT equals REF`. Text goes to the end, blanks included; `^` and `$` of a regular expression stand for the ends of lines.
    ///
    /// # Errors
    /// None of these forms, no exit code, or no regular expression.
    pub fn parse(text: &str) -> Result<Self, ExpectationError> {
        let (subject, rest) = text.trim_start().split_once(' ').unwrap_or((text, ""));
        let kind = match (subject, STREAMS.iter().find(|(word, _)| *word == subject)) {
            ("exit", _) => exit_code(rest)?,
            ("file", _) => file(rest).ok_or_else(|| misformed(text, "equals"))?,
            (_, Some((_, stream))) => Kind::Output(*stream, test(text, rest)?),
            _ => return Err(misformed(text, subject)),
        };
        Ok(Self { typed: text.to_owned(), kind })
    }

    /// The expectations of a command: the typed ones, with those about the exit code first. Without one of those, `exit 0` is added.
    ///
    /// # Errors
    /// The first that [`Expectation::parse`] does not understand.
    pub fn all(texts: &[String]) -> Result<Vec<Self>, ExpectationError> {
        let mut all = texts.iter().map(|text| Self::parse(text)).collect::<Result<Vec<_>, _>>()?;
        if !all.iter().any(Self::is_exit) {
            all.insert(0, Self { typed: "exit 0".to_owned(), kind: Kind::Exit(0) });
        }
        // The output of a program that failed is not checked.
        all.order_by_key(|expectation| !expectation.is_exit());
        Ok(all)
    }

    /// How much of the program's outputs the expectation needs.
    pub fn need(&self) -> OutputNeed {
        match &self.kind {
            Kind::Exit(_) | Kind::File { .. } => OutputNeed::None,
            Kind::Output(_, Test::Equals(_)) => OutputNeed::Whole,
            Kind::Output(..) => OutputNeed::Ends,
        }
    }

    /// Whether the expectation is about the exit code: if it is not met, the program failed; otherwise its answer is wrong.
    pub fn is_exit(&self) -> bool {
        matches!(self.kind, Kind::Exit(_))
    }

    /// Whether the expectation is about the exit code, and of another than `code`.
    pub fn is_other_exit(&self, code: i32) -> bool {
        matches!(self.kind, Kind::Exit(expected) if expected != code)
    }

    /// Checks a run that ended with code `exit` and wrote `outputs`; relative paths begin at `directory`.
    ///
    /// # Errors
    /// One sentence of what differs, with a short excerpt.
    pub fn check(&self, exit: i32, outputs: &Outputs, directory: &Path) -> Result<(), String> {
        match &self.kind {
            Kind::Exit(code) if *code == exit => Ok(()),
            Kind::Exit(code) => Err(wrong_code(exit, *code, outputs)),
            Kind::File { made, reference } => equal(&directory.join(made), &directory.join(reference), made),
            Kind::Output(stream, test) => {
                let output = match stream {
                    Stream::Stdout => &outputs.stdout,
                    Stream::Stderr => &outputs.stderr,
                };
                check_output(*stream, test, output, directory)
            }
        }
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        })
    }
}

fn misformed(typed: &str, word: &str) -> ExpectationError {
    let known = ["exit", "stdout", "stderr", "file", "contains", "matches", "equals"];
    let near = closest(word, known).filter(|near| *near != word);
    let hint = near.map_or(String::new(), |near| format!(": did you mean `{near}`?"));
    ExpectationError::Form { typed: typed.to_owned(), hint }
}

fn exit_code(rest: &str) -> Result<Kind, ExpectationError> {
    let code: Option<u8> = rest.trim().parse().ok();
    code.map(|code| Kind::Exit(i32::from(code))).ok_or_else(|| ExpectationError::Code(rest.trim().to_owned()))
}

fn file(rest: &str) -> Option<Kind> {
    let (made, reference) = rest.split_once(" equals ")?;
    let (made, reference) = (made.trim(), reference.trim());
    (!made.is_empty() && !reference.is_empty()).then(|| Kind::File { made: made.into(), reference: reference.into() })
}

fn test(typed: &str, rest: &str) -> Result<Test, ExpectationError> {
    let (verb, object) = rest.trim_start().split_once(' ').unwrap_or((rest, ""));
    match verb {
        _ if object.trim().is_empty() => Err(misformed(typed, verb)),
        "contains" => Ok(Test::Contains(object.to_owned())),
        "equals" => Ok(Test::Equals(object.trim().into())),
        "matches" => {
            let regex = metric::lines(object);
            regex.map(Test::Matches).map_err(|why| ExpectationError::Pattern { typed: typed.to_owned(), why })
        }
        _ => Err(misformed(typed, verb)),
    }
}

fn wrong_code(exit: i32, code: i32, outputs: &Outputs) -> String {
    let said = last_line(&outputs.stderr.text).map(|line| format!("; stderr ends with `{line}`"));
    format!("exit code {exit}, not {code}{}", said.unwrap_or_default())
}

fn check_output(stream: Stream, test: &Test, output: &Output, directory: &Path) -> Result<(), String> {
    match test {
        Test::Contains(text) if output.text.contains(text) => Ok(()),
        Test::Matches(regex) if regex.is_match(&output.text) => Ok(()),
        Test::Contains(text) => Err(format!("{stream} does not contain `{}`; {}", excerpt(text), shown(output))),
        Test::Matches(regex) => Err(format!("nothing in {stream} fits `{regex}`; {}", shown(output))),
        Test::Equals(reference) => match &output.path {
            Some(made) => equal(made, &directory.join(reference), Path::new(&stream.to_string())),
            None => Err(format!("{stream} was not kept, and equals nothing")),
        },
    }
}

/// The last line of the output, in words: `it ends with …`.
fn shown(output: &Output) -> String {
    let from = match output.left_out {
        0 => String::new(),
        left_out => format!("{left_out} bytes of it were not read, and "),
    };
    match last_line(&output.text) {
        Some(line) => format!("{from}it ends with `{line}`"),
        None => format!("{from}it is empty"),
    }
}

fn equal(made: &Path, reference: &Path, name: &Path) -> Result<(), String> {
    let Some(difference) = Difference::between(made, reference)? else { return Ok(()) };
    let line = |side: Option<String>| side.map_or("its end".to_owned(), |line| format!("`{line}`"));
    let (is, expected) = (line(difference.first), line(difference.second));
    let (name, reference, number) = (name.display(), reference.display(), difference.line);
    Err(match is == expected {
        true => format!("{name} differs from {reference} in how line {number} ends, {is}"),
        false => format!("{name} differs from {reference} in line {number}: {is} instead of {expected}"),
    })
}

#[cfg(test)]
mod tests;
