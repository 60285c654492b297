//! A gate as JUnit XML: a test case for each reference.

use paw_data::baseline::judgement::{Judgement, Verdict};
use paw_data::visible::visible;

use crate::gate::result::{GateResult, sentence};

/// The XML document.
pub fn document(result: &GateResult<'_>) -> String {
    let cases: Vec<Case<'_, '_>> = result.judgements.iter().map(|judgement| Case::of(result, judgement)).collect();
    let count = |kind: Kind| cases.iter().filter(|case| case.kind == kind).count();
    let numbers =
        format!("tests=\"{}\" failures=\"{}\" errors=\"{}\"", cases.len(), count(Kind::Failure), count(Kind::Error));
    let skipped = count(Kind::Skipped);
    let body: String = cases.iter().map(Case::xml).collect();
    let name = escaped(&result.file.display().to_string());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {numbers}>\n\
         <testsuite name=\"{name}\" {numbers} skipped=\"{skipped}\">\n{body}</testsuite>\n</testsuites>\n"
    )
}

/// How a test case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Passed,
    Failure,
    Error,
    Skipped,
}

struct Case<'j, 'a> {
    judgement: &'j Judgement<'a>,
    kind: Kind,
}

impl<'j, 'a> Case<'j, 'a> {
    fn of(result: &GateResult<'_>, judgement: &'j Judgement<'a>) -> Self {
        let kind = match judgement.verdict {
            Verdict::Failed => Kind::Error,
            _ if result.fails(judgement) => Kind::Failure,
            Verdict::Pass | Verdict::Suspicious => Kind::Passed,
            // No verdict, and none was asked for.
            _ => Kind::Skipped,
        };
        Self { judgement, kind }
    }

    fn xml(&self) -> String {
        let (baseline, word) = (self.judgement.baseline, self.judgement.verdict.word());
        let class = if baseline.benchmark.is_empty() { "command" } else { &baseline.benchmark };
        let said = escaped(&sentence(self.judgement));
        let inner = match self.kind {
            Kind::Failure => format!("<failure type=\"{word}\" message=\"{said}\">{word}: {said}</failure>"),
            Kind::Error => format!("<error type=\"{word}\" message=\"{said}\">{word}: {said}</error>"),
            Kind::Skipped => format!("<skipped message=\"{word}: {said}\"/>"),
            Kind::Passed => format!("<system-out>{word}: {said}</system-out>"),
        };
        format!(
            "<testcase classname=\"{}\" name=\"{}\">{inner}</testcase>\n",
            escaped(class),
            escaped(&baseline.title())
        )
    }
}

/// `text` as XML has it: control characters are seen, because XML 1.0 cannot hold them.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
