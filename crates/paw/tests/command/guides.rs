//! Every command in README and in the guides below `docs/` does what it says there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workplace::Workplace;

/// The launchers of Debian, the first that is here; root must be allowed to, and more ranks than processors too. Tests run beside each
/// other, and ranks wait long for a processor.
const MPIRUN: &str = "export PAW_DEADLINE=60; mpirun() { if [ -x /usr/bin/mpiexec.mpich ]; then mpiexec.mpich \"$@\"; else \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpiexec.openmpi --oversubscribe \"$@\"; fi; }; ";

/// What a run may take here. In a guide it takes as long as it needs.
const BUDGET: &str = " --budget 3s";

/// Commands that take a budget, where they measure.
const MEASURE: &[&str] = &["$PAW run", "$PAW kernel measure", "$PAW kernel sensitivity", "$PAW kernel matrix"];

#[test]
fn installing() {
    check("install.md");
}

#[test]
fn assess_a_machine() {
    check("machine.md");
}

#[test]
fn blas() {
    check("blas.md");
}

#[test]
fn messages() {
    ::workplace::needs!(MPICH);
    check("messages.md");
}

#[test]
fn devices() {
    check("devices.md");
}

#[test]
fn applications() {
    check("applications.md");
}

#[test]
fn kernels() {
    check("kernels.md");
}

#[test]
fn what_code_is() {
    check("analyze.md");
}

#[test]
fn kernels_on_a_device() {
    check("device-kernels.md");
}

#[test]
fn two_builds_side_by_side() {
    check("side-by-side.md");
}

#[test]
fn why_a_kernel_takes_its_time() {
    check("explain.md");
}

#[test]
fn roofline() {
    check("roofline.md");
}

#[test]
fn counters() {
    ::workplace::needs!(VALGRIND);
    check("counters.md");
}

#[test]
fn where_the_time_goes() {
    check("profile.md");
}

#[test]
fn compare_and_gate() {
    check("compare.md");
}

#[test]
fn what_disturbs_this_machine() {
    check("doctor.md");
}

#[test]
fn gates() {
    check("gate.md");
}

#[test]
fn one_machine_over_time() {
    check("history.md");
}

#[test]
fn selftest() {
    check("selftest.md");
}

#[test]
fn on_a_cluster() {
    ::workplace::needs!(MPICH);
    check("cluster.md");
}

/// The first two commands of README are run by `./check`, from a clean clone.
#[test]
fn every_page_with_commands_is_tested_and_in_the_summary() {
    let summary = fs::read_to_string(docs().join("SUMMARY.md")).unwrap();
    let source = include_str!("guides.rs");
    for entry in fs::read_dir(docs()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".md") || name == "SUMMARY.md" {
            continue;
        }
        assert!(summary.contains(&format!("({name})")), "{name} is not in the summary");
        let has_commands = !commands(&fs::read_to_string(&path).unwrap()).is_empty();
        assert_eq!(has_commands, source.contains(&format!("check(\"{name}\")")), "{name}");
    }
}

#[test]
fn every_link_leads_to_a_file() {
    let guides = fs::read_dir(docs()).unwrap().map(|entry| entry.unwrap().path());
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "METHOD.md", "FORMAT.md"];
    for page in guides.chain(top.map(|name| docs().join("..").join(name))) {
        let Ok(text) = fs::read_to_string(&page) else { continue };
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let leads = link.is_empty() || link.contains("://") || page.parent().unwrap().join(link).exists();
            assert!(leads, "{}: {link}", page.display());
        }
    }
}

/// Runs every command of a page, one after the other in one directory.
fn check(page: &str) {
    let commands = commands(&fs::read_to_string(docs().join(page)).unwrap());
    assert!(commands.len() > 2, "{page} shows {commands:?}");
    let workplace = Workplace::new();
    for command in commands {
        let measures = MEASURE.iter().any(|words| command.contains(words));
        let may_be_long = measures && !command.contains("--dry-run") && !command.contains("--budget");
        let budget = if may_be_long { BUDGET } else { "" };
        let ran = workplace.shell(&format!("{command}{budget}"));
        // A self-test reads the machine: a FAIL on a busy one is a finding, and the command works.
        // So is the refusal of a machine that lets nobody sample.
        if ran.code == 4 && ran.err.contains("nothing can be sampled: ") {
            continue;
        }
        let done = ran.code == 0 || (command.starts_with("$PAW selftest") && ran.code == 1);
        assert!(done, "{command}: exit {}: {}{}", ran.code, ran.out, ran.err);
        assert!(!ran.out.is_empty(), "{command} says nothing");
    }
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// The lines `$ paw …` and `$ mpirun … paw …` of console blocks, with the programs as the test has them.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("$ "));
    lines.map(|line| as_tested(line).unwrap_or_else(|| panic!("no test runs `{line}`"))).collect()
}

fn as_tested(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("paw") {
        return Some(format!("$PAW{rest}"));
    }
    let (launch, rest) = line.split_once(" paw ").filter(|(launch, _)| launch.starts_with("mpirun "))?;
    Some(format!("{MPIRUN}{launch} $PAW {rest}"))
}
