//! `paw gate`: runs against references, with an exit code.

mod set;
mod update;

use std::path::{Path, PathBuf};

use paw_data::baseline::file;
use paw_data::baseline::judgement::judge;
use paw_data::run::Run;
use paw_data::store::Extent;

use crate::cli::{Annotations, Format, GateArgs, GateCommand};
use crate::exit::Code;
use crate::failure::Failure;
use crate::gate::result::{GateResult, Rule};
use crate::gate::{annotation, junit, perflog, table};
use crate::open::open;
use crate::print;

/// Judges runs, or writes or changes a file of references.
pub fn gate(args: &GateArgs) -> Result<Code, Failure> {
    match &args.command {
        Some(GateCommand::Set(args)) => set::set(args),
        Some(GateCommand::Update(args)) => update::update(args),
        None => judged(args),
    }
}

fn judged(args: &GateArgs) -> Result<Code, Failure> {
    let path = args.against.as_ref().ok_or_else(|| Failure::usage("--against FILE is missing"))?;
    let baselines = references(path)?;
    let runs = different(&args.runs)?;
    let rule = Rule { fail_on: args.fail_on.clone(), allow_missing: args.allow_missing };
    let result = GateResult { file: path, runs: &runs, judgements: judge(&baselines, &runs), rule };
    let outputs = &args.outputs;
    print::show(&table::written(&result, outputs.format, print::width()))?;
    if let Some(junit) = &outputs.junit {
        crate::file::write(junit, &junit::document(&result))?;
    }
    if let Some(log) = &outputs.perflog {
        perflog::append(log, &result)?;
    }
    annotate(&result, outputs.annotations, outputs.format)?;
    if result.code() == Code::Nothing {
        let why = result.judgements.iter().map(|own| own.why.as_str()).find(|why| !why.is_empty());
        print::message(&format!("paw: no reference was judged: {}", why.unwrap_or("the file has none")));
    }
    Ok(result.code())
}

/// The baselines of a file: one that is not there is an error of reading, one that is wrong an error of usage.
pub fn references(path: &Path) -> Result<Vec<paw_data::baseline::Baseline>, Failure> {
    file::read(path).map_err(|error| match error.place {
        None if error.message.starts_with("cannot be read") => Failure::io(error.to_string()),
        _ => Failure::usage(error.to_string()),
    })
}

/// The runs at these paths, each once.
fn different(paths: &[PathBuf]) -> Result<Vec<Run>, Failure> {
    let mut runs: Vec<Run> = Vec::new();
    for path in paths {
        let run = open(path, Extent::Shown)?;
        match runs.iter().any(|own| own.header.id == run.header.id) {
            true => print::warn(&format!("{}: the same run again, which counts once", path.display())),
            false => runs.push(run),
        }
    }
    Ok(runs)
}

fn annotate(result: &GateResult<'_>, asked: Annotations, format: Format) -> Result<(), Failure> {
    let is_set = |name: &str| std::env::var(name).is_ok_and(|value| value == "true");
    let ci = match asked {
        Annotations::Auto if is_set("GITHUB_ACTIONS") => Annotations::Github,
        Annotations::Auto if is_set("GITLAB_CI") => Annotations::Gitlab,
        Annotations::Auto => Annotations::None,
        asked => asked,
    };
    match ci {
        // A file of JSON or CSV must not have commands in it; GitHub reads them from standard error, too.
        Annotations::Github if matches!(format, Format::Json | Format::Csv) => {
            print::message(annotation::github(result).trim_end());
        }
        Annotations::Github => print::show(&annotation::github(result))?,
        Annotations::Gitlab => crate::file::write(Path::new(annotation::GITLAB_FILE), &annotation::gitlab(result))?,
        Annotations::None | Annotations::Auto => {}
    }
    Ok(())
}
