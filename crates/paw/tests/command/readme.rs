//! Every command in README.md does what it says there.

use std::fs;
use std::path::Path;

use crate::workplace::Workplace;

/// The launchers of Debian, the first that is here; root must be allowed to, and more ranks than processors too.
const MPIRUN: &str = "mpirun() { if [ -x /usr/bin/mpiexec.mpich ]; then mpiexec.mpich \"$@\"; else \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpiexec.openmpi --oversubscribe \"$@\"; fi; }; ";

/// What a run may take here. In the README it takes as long as it needs.
const BUDGET: &str = " --budget 3s";

/// Commands that take a budget, where they measure.
const MEASURE: &[&str] = &["$PAW run", "$PAW kernel measure", "$PAW kernel sensitivity", "$PAW kernel matrix"];

#[test]
fn every_command_in_the_readme_works() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let commands = commands(&readme);
    assert!(commands.len() > 10, "the README shows {commands:?}");
    assert!(commands.iter().any(|command| command.contains("mpirun -n 2")), "the README shows {commands:?}");
    let workplace = Workplace::new();
    for command in commands {
        let measures = MEASURE.iter().any(|words| command.contains(words));
        let may_be_long = measures && !command.contains("--dry-run") && !command.contains("--budget");
        let budget = if may_be_long { BUDGET } else { "" };
        let ran = workplace.shell(&format!("{command}{budget}"));
        assert_eq!(ran.code, 0, "{command}: {}{}", ran.out, ran.err);
        assert!(!ran.out.is_empty(), "{command} says nothing");
    }
}

/// The lines `$ paw …` and `$ mpirun … paw …` of console blocks, with the programs as the test has them.
fn commands(readme: &str) -> Vec<String> {
    let blocks = readme.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("$ "));
    lines.filter_map(as_tested).collect()
}

fn as_tested(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("paw") {
        return Some(format!("$PAW{rest}"));
    }
    let (launch, rest) = line.split_once(" paw ").filter(|(launch, _)| launch.starts_with("mpirun "))?;
    Some(format!("{MPIRUN}{launch} $PAW {rest}"))
}
