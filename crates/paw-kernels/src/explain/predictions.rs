//! Bounds of the hot loop by other programs, where they are installed: second opinions, each with the model it is from.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use paw_data::explanation::Prediction;

use super::hot_loop::Hot;
use crate::builds::child::run;
use crate::builds::compiler::environment_path;
use crate::builds::lookup::{Lookup, best};

/// The longest time for one of them.
const DEADLINE: Duration = Duration::from_secs(20);
/// The newest first: a system's plain name may be that of an old one.
const LLVM: &[&str] = &["llvm-mca-22", "llvm-mca-21", "llvm-mca-20", "llvm-mca-19", "llvm-mca-18", "llvm-mca"];
/// Runs through the loop that llvm-mca simulates.
const ITERATIONS: f64 = 200.0;

/// A processor's names in the tables of both programs; `note` says where a table is that of another processor.
struct Known {
    vendor: &'static str,
    family: u32,
    models: std::ops::RangeInclusive<u32>,
    osaca: &'static str,
    note: &'static str,
}

/// Families and models by CPUID (AMD: PPR of each family; Intel: SDM vol. 4, table 2-1).
const PROCESSORS: &[Known] = &[
    Known { vendor: "AuthenticAMD", family: 26, models: 0..=255, osaca: "ZEN4", note: "it has no model of Zen 5" },
    Known { vendor: "AuthenticAMD", family: 25, models: 0x10..=0x1f, osaca: "ZEN4", note: "" },
    Known { vendor: "AuthenticAMD", family: 25, models: 0x60..=0xaf, osaca: "ZEN4", note: "" },
    Known { vendor: "AuthenticAMD", family: 25, models: 0..=255, osaca: "ZEN3", note: "" },
    Known { vendor: "AuthenticAMD", family: 23, models: 0x30..=255, osaca: "ZEN2", note: "" },
    Known { vendor: "AuthenticAMD", family: 23, models: 0..=0x2f, osaca: "ZEN1", note: "" },
    Known { vendor: "GenuineIntel", family: 6, models: 143..=207, osaca: "SPR", note: "" },
    Known { vendor: "GenuineIntel", family: 6, models: 106..=108, osaca: "ICX", note: "" },
    Known { vendor: "GenuineIntel", family: 6, models: 85..=85, osaca: "SKX", note: "" },
    Known { vendor: "GenuineIntel", family: 6, models: 79..=86, osaca: "BDW", note: "" },
    Known { vendor: "GenuineIntel", family: 6, models: 61..=63, osaca: "HSW", note: "" },
];

/// Asks the program at the first path for its bound of the file at the second.
type Ask = fn(&Path, &Path) -> Prediction;

/// Programs read a loop as code without branches: they are asked where this share of the runs goes one way.
const ONE_WAY: f64 = 0.9;

/// The instructions that the programs are asked about; why they are not.
fn asked(hot: &Hot) -> Result<Vec<String>, String> {
    let calls = hot.own.calls();
    if !calls.is_empty() {
        return Err(format!("the loop calls {}: no prediction holds for it", calls.join(", ")));
    }
    match &hot.way {
        Ok(way) if way.share >= ONE_WAY => {
            let listing = hot.own.listing();
            Ok(way.instructions.iter().map(|number| listing[*number].clone()).collect())
        }
        _ => {
            Err("the loop has several ways through it: no prediction of code without branches holds for it".to_owned())
        }
    }
}

/// What each installed program says of the loop `hot`, with files in `directory`.
pub(super) fn predictions(hot: &Hot, directory: &Path) -> Vec<Prediction> {
    let path = environment_path();
    let found = |programs: &[&str]| match best(programs, &path) {
        Lookup::Found(name, path) => Some((name, path)),
        _ => None,
    };
    let tools: [(&[&str], Ask); 2] = [(LLVM, llvm_mca), (&["osaca"], osaca)];
    let file = directory.join("hot-loop.s");
    let asked = asked(hot).and_then(|listing| {
        std::fs::write(&file, assembly(&listing)).map_err(|why| format!("{} cannot be written: {why}", file.display()))
    });
    let opinion = |(programs, ask): (&[&str], Ask)| {
        let (name, program) = found(programs)?;
        Some(match &asked {
            Ok(()) => Prediction { tool: name, ..ask(&program, &file) },
            Err(note) => Prediction { tool: name, note: note.clone(), ..Prediction::default() },
        })
    };
    tools.into_iter().filter_map(opinion).collect()
}

/// The loop as both programs read it: between marks, with jumps to its beginning.
fn assembly(listing: &[String]) -> String {
    let line = |text: &String| {
        let name = text.split_whitespace().next().unwrap_or_default();
        if name.starts_with('j') { format!("{name} 0b") } else { text.clone() }
    };
    let lines: Vec<String> = listing.iter().map(line).collect();
    format!("# OSACA-BEGIN\n0:\n{}\n# OSACA-END\n", lines.join("\n"))
}

/// What a program printed.
///
/// # Errors
/// It cannot be run, fails, or takes too long.
fn said(program: &Path, words: &[&str], file: &Path) -> Result<String, String> {
    let exit =
        run(Command::new(program).args(words).arg(file), DEADLINE).map_err(|why| format!("cannot be run: {why}"))?;
    match exit.status {
        Some(status) if status.success() => Ok(exit.said),
        Some(_) => Err(exit.said.lines().find(|line| line.contains("error")).unwrap_or("it failed").to_owned()),
        None => Err(format!("it did not end in {} s", DEADLINE.as_secs())),
    }
}

fn llvm_mca(program: &Path, file: &Path) -> Prediction {
    let version = said(program, &["--version"], file).unwrap_or_default();
    let model = version.lines().find_map(|line| line.trim().strip_prefix("Host CPU: ")).unwrap_or("native").to_owned();
    let count = format!("--iterations={ITERATIONS}");
    let alias = if model == "znver5" { "its tables of znver5 are those of znver4" } else { "" };
    match said(program, &["-mcpu=native", &count, "--skip-unsupported-instructions=any"], file)
        .or_else(|_| said(program, &["-mcpu=native", &count], file))
    {
        Ok(text) => {
            let cycles = number_behind(&text, "Total Cycles:").map(|total| total / ITERATIONS);
            let unknown = text.lines().filter(|line| line.contains("unsupported instruction")).map(str::to_owned);
            Prediction { model, cycles, unknown: unknown.collect(), note: alias.to_owned(), ..Prediction::default() }
        }
        Err(note) => Prediction { model, note, ..Prediction::default() },
    }
}

fn number_behind(text: &str, words: &str) -> Option<f64> {
    text.lines().find_map(|line| line.trim().strip_prefix(words)?.trim().parse().ok())
}

fn osaca(program: &Path, file: &Path) -> Prediction {
    let facts = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let Some(known) = known(&facts) else {
        return Prediction {
            note: "which of its models fits this processor is not known".to_owned(),
            ..Prediction::default()
        };
    };
    let (model, note) = (known.osaca.to_owned(), known.note.to_owned());
    match said(program, &["--arch", known.osaca, "--ignore-unknown"], file) {
        Ok(text) => {
            let (cycles, unknown) = of_osaca(&text);
            Prediction { model, cycles, unknown, note, ..Prediction::default() }
        }
        Err(why) => Prediction { model, note: why, ..Prediction::default() },
    }
}

/// The row of the processor in the table.
fn known(cpuinfo: &str) -> Option<&'static Known> {
    let value = |key: &str| {
        let mut lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
    };
    let (vendor, family, model) =
        (value("vendor_id")?, value("cpu family")?.parse::<u32>().ok()?, value("model")?.parse::<u32>().ok()?);
    PROCESSORS.iter().find(|known| known.vendor == vendor && known.family == family && known.models.contains(&model))
}

/// The bound, the larger of its busiest port and its loop-carried dependency, and the instructions marked as unknown.
fn of_osaca(text: &str) -> (Option<f64>, Vec<String>) {
    let marked = |line: &&str| line.rsplit_once('|').is_some_and(|(_, end)| end.trim_start().starts_with("X "));
    let instruction = |line: &str| {
        let end = line.rsplit_once('|').map_or("", |(_, end)| end);
        end.trim_start().trim_start_matches("X ").trim().to_owned()
    };
    let unknown = text.lines().filter(marked).map(instruction).collect();
    let numbers = |line: &str| line.split_whitespace().map(str::parse::<f64>).collect::<Result<Vec<_>, _>>().ok();
    // The sums stand below the table: ports, the longest path, the loop-carried dependency.
    let sums = text.lines().filter_map(numbers).find(|sums| sums.len() > 2);
    let cycles = sums.and_then(|sums| {
        let (path, ports) = (sums.len() - 2, &sums[..sums.len() - 2]);
        ports.iter().chain(&sums[path + 1..]).copied().max_by(f64::total_cmp)
    });
    (cycles, unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_of_osaca_is_its_busiest_port_or_its_dependency() {
        let text = "\
   3 |      | 0.67   1.00 ||  3.0 |      |   vmulpd %zmm1, %zmm2, %zmm3
   4 |      |             ||      |      | X vfoo (%rsi), %zmm5

       0.50   1.33   2.00           10.0    3.0

   6 |  3.0 | vaddsd %xmm1,%xmm0,%xmm0            | [6]
";
        assert_eq!(of_osaca(text), (Some(3.0), vec!["vfoo (%rsi), %zmm5".to_owned()]));
        assert_eq!(of_osaca(""), (None, vec![]));
    }

    #[test]
    fn jumps_of_a_listing_lead_to_its_beginning() {
        let listing = ["add $1,%rax".to_owned(), "jne 0x0000000000001130".to_owned()];
        assert_eq!(assembly(&listing), "# OSACA-BEGIN\n0:\nadd $1,%rax\njne 0b\n# OSACA-END\n");
    }

    #[test]
    fn a_processor_is_known_by_its_family_and_model() {
        let facts = |family: u32, model: u32| {
            format!("vendor_id\t: AuthenticAMD\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: x\n")
        };
        assert_eq!(known(&facts(26, 2)).map(|known| (known.osaca, known.note.is_empty())), Some(("ZEN4", false)));
        assert_eq!(known(&facts(25, 0x61)).map(|known| known.osaca), Some("ZEN4"));
        assert_eq!(known(&facts(25, 1)).map(|known| known.osaca), Some("ZEN3"));
        assert!(known("").is_none());
    }
}
