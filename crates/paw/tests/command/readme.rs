//! Every command in README.md does what it says there.

use std::fs;
use std::path::Path;

use crate::workplace::Workplace;

/// What a run may take here. In the README it takes as long as it needs.
const BUDGET: &str = " --budget 3s";

#[test]
fn every_command_in_the_readme_works() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let commands = commands(&readme);
    assert!(commands.len() > 10, "the README shows {commands:?}");
    let workplace = Workplace::new();
    for command in commands {
        let measures =
            command.starts_with("$PAW run") && !command.contains("--dry-run") && !command.contains("--budget");
        let budget = if measures { BUDGET } else { "" };
        let ran = workplace.shell(&format!("{command}{budget}"));
        assert_eq!(ran.code, 0, "{command}: {}{}", ran.out, ran.err);
        assert!(!ran.out.is_empty(), "{command} says nothing");
    }
}

/// The lines `$ paw …` of console blocks, with the program as the test has it.
fn commands(readme: &str) -> Vec<String> {
    let blocks = readme.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("$ paw"));
    lines.map(|rest| format!("$PAW{rest}")).collect()
}
