//! README's everyday commands: each works as printed, and is shorter than hyperfine's.

use std::fs;
use std::path::Path;

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

#[test]
fn everyday_commands_work_and_are_shorter_than_hyperfine_s() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let rows = rows(&readme);
    assert_eq!(rows.len(), 10);
    for (other, own) in rows {
        assert!(own.len() < "hyperfine ".len() + other.len(), "{own}");
        let line = own.strip_prefix("paw ").expect("a command of paw");
        let ran = Workplace::new().shell(&format!("exec $PAW {} --dry-run", line.replacen("app ", "app --seed 1 ", 1)));
        assert_eq!(ran.code, 0, "{own}: {}", ran.err);
    }
}
