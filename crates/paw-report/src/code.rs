//! What was found in code: loops, what an iteration does, memory, calls, and what differs between builds.

mod tables;

use paw_data::code::{Code, difference};
use paw_data::run::Run;

use crate::model::{Chapter, Fact, Part, Sentence};

/// The chapter about the code of a run's builds; `None` where nobody looked.
pub(crate) fn chapter(run: &Run) -> Option<Chapter<'static>> {
    let kernel = run.header.kernel.as_ref().map_or("code", |kernel| kernel.name.as_str());
    (!run.codes.is_empty()).then(|| chapter_of(&run.codes, &format!("{kernel}: what the code is")))
}

/// The chapter about `codes`.
pub(crate) fn chapter_of(codes: &[Code], title: &str) -> Chapter<'static> {
    let mut parts = vec![
        Part::Remarks(sentences(codes)),
        Part::Table(tables::loops(codes), None),
        Part::Table(tables::iterations(codes), None),
        Part::Table(tables::memory(codes), None),
        Part::Table(tables::chains(codes), None),
        Part::Table(tables::calls(codes), None),
        Part::Table(tables::remarks(codes), None),
    ];
    parts.retain(|part| !matches!(part, Part::Table(table, _) if table.is_empty()));
    parts.push(Part::Notes(notes(codes)));
    Chapter { subject: "code".to_owned(), title: title.to_owned(), facts: facts(codes), parts, ..Chapter::default() }
}

/// What each build does in a sentence, and what it does otherwise than the first.
fn sentences(codes: &[Code]) -> Vec<Sentence> {
    let named = |code: &Code, text: String| match code.build.as_str() {
        "" => Sentence::from(text),
        name => Sentence::from(format!("{name}: {text}")),
    };
    let mut told: Vec<Sentence> = Vec::new();
    if codes.iter().all(|code| code.build.is_empty()) {
        return told;
    }
    told.extend(
        codes.iter().filter(|code| !code.functions.is_empty()).map(|code| named(code, difference::summary(code))),
    );
    let Some(first) = codes.iter().find(|code| !code.functions.is_empty()) else { return told };
    for other in codes.iter().filter(|code| !code.functions.is_empty()).skip(1) {
        let found = difference::differences(first, other);
        if !found.is_empty() {
            told.push(Sentence::from(format!("{} → {}: {}", first.build, other.build, found.join("; "))));
        }
    }
    told
}

fn facts(codes: &[Code]) -> Vec<Fact> {
    let [code] = codes else { return Vec::new() };
    let compiler = match code.producers.as_slice() {
        [] => None,
        producers => Some(producers.iter().map(|text| producer(text)).collect::<Vec<_>>().join("; ")),
    };
    let facts =
        [("file", Some(code.file.clone())), ("made for", Some(code.architecture.clone())), ("compiler", compiler)];
    Fact::list(facts.into_iter().filter_map(|(name, text)| Some((name, text?))), &["file"])
}

/// A compiler's own words; GCC records its flags, others do not.
fn producer(text: &str) -> String {
    let has_flags = text.split_whitespace().any(|word| word.starts_with("-O") || word.starts_with("-m"));
    if has_flags || text.contains("GNU AS") { text.to_owned() } else { format!("{text} (flags not recorded)") }
}

fn notes(codes: &[Code]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for code in codes {
        let name = if code.build.is_empty() { String::new() } else { format!("{}: ", code.build) };
        let functions = code.functions.iter();
        let of_functions = functions.flat_map(|f| f.unknown.iter().map(move |why| format!("{}: {why}", f.name)));
        notes.extend(code.unknown.iter().cloned().chain(of_functions).map(|why| format!("not known: {name}{why}")));
    }
    let bodies = || codes.iter().flat_map(|code| &code.functions).flat_map(|function| &function.loops);
    if bodies().any(|found| found.body.is_some() && !found.calls.is_empty()) {
        notes.push("a loop with calls has no bound: what the called functions do is not in its counts".to_owned());
    }
    if bodies().any(|found| found.body.as_ref().is_some_and(|body| body.paths.is_some_and(|paths| paths > 1))) {
        notes.push("counts of a loop with several paths are of the instructions on all of them".to_owned());
    }
    notes.push("read from the file; nothing was run or measured".to_owned());
    notes
}
