//! README's everyday commands: each works as printed, and is shorter than hyperfine's. Its study of an application: it comes back, and can be planned.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workplace::Workplace;

/// The two commands of each row: hyperfine's and paw's.
fn rows(readme: &str) -> Vec<(&str, &str)> {
    readme.lines().filter_map(commands).collect()
}

fn commands(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once("| `hyperfine ")?;
    let (other, rest) = rest.split_once("` | `")?;
    Some((other, rest.strip_suffix("` |")?))
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands of paw in the chapter of README on the study of an application, each on one line.
fn study(readme: &str) -> Vec<String> {
    let (_, chapter) = readme.split_once("## The study of an application").expect("a chapter");
    let blocks = chapter.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    let lines = blocks.map(|block| block.replace(" \\\n", " ")).collect::<String>();
    lines.lines().filter_map(|line| line.strip_prefix("paw ")).map(str::to_owned).collect()
}

#[test]
fn the_study_comes_back_and_can_be_planned() {
    let readme = readme();
    let workplace = Workplace::new();
    let [import, show, sweeps @ ..] = &study(&readme)[..] else { panic!("{readme}") };
    let imported =
        workplace.shell(&format!("exec $PAW {}", import.replace("crates/", &format!("{}/crates/", root().display()))));
    assert_eq!(imported.code, 0, "{}", imported.err);
    let shown = workplace.shell(&format!("exec $PAW {show}")).out;
    let (_, text) = readme.split_once("```text\n         Fastest seen at v=512").expect("what it prints");
    for line in text.split("```").next().unwrap().lines().skip(1).filter(|line| !line.ends_with('…')) {
        assert!(shown.lines().any(|own| own.trim_end() == line.trim_end()), "`{line}` is not in:\n{shown}");
    }
    assert_eq!(sweeps.len(), 4);
    for line in sweeps {
        let ran = workplace.shell(&format!("exec $PAW {}", line.replacen("app ", "app --dry-run ", 1)));
        assert_eq!(ran.code, 0, "{line}: {}", ran.err);
    }
}

#[test]
fn everyday_commands_work_and_are_shorter_than_hyperfine_s() {
    let readme = readme();
    let rows = rows(&readme);
    assert_eq!(rows.len(), 10);
    for (other, own) in rows {
        assert!(own.len() < "hyperfine ".len() + other.len(), "{own}");
        let line = own.strip_prefix("paw ").expect("a command of paw");
        let ran = Workplace::new().shell(&format!("exec $PAW {} --dry-run", line.replacen("app ", "app --seed 1 ", 1)));
        assert_eq!(ran.code, 0, "{own}: {}", ran.err);
    }
}
