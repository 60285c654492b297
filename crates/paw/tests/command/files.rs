//! Directories that cannot be used, and disks that fill up: one sentence, exit 7, nothing measured is lost.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use crate::workplace::{TINY, Workplace};

#[test]
fn a_directory_with_a_run_is_refused_before_measuring() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    let before = std::fs::read(workplace.path("r/run.jsonl")).unwrap();
    let ran = workplace.paw(&format!("{TINY} --out r"));
    assert_eq!((ran.code, ran.out.as_str()), (7, ""));
    assert!(ran.err.contains("r already holds a run"), "{}", ran.err);
    assert_eq!(std::fs::read(workplace.path("r/run.jsonl")).unwrap(), before);
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let workplace = Workplace::new();
    std::fs::write(workplace.path("file"), "").unwrap();
    // Nobody may make directories in /sys, root included.
    for out in ["file", "no/such/parent", "/sys/paw"] {
        let ran = workplace.paw(&format!("{TINY} --out {out}"));
        assert_eq!((ran.code, ran.out.as_str()), (7, ""), "{out}: {}", ran.err);
        assert!(ran.err.contains(out), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    }
}

#[test]
fn a_disk_that_fills_up_ends_the_run_and_results_are_shown() {
    let workplace = Workplace::new();
    // A limit on file sizes acts as a full disk: writing fails in the same way, in the middle of a line.
    let run = "run dgemm --set n=8 --provider embedded --threads 1 --reps 3000 --loops 10 --quiet --out r";
    let ran = workplace.shell(&format!("ulimit -f 64; exec $PAW {run}"));
    assert_eq!(ran.code, 7, "{}", ran.err);
    assert!(ran.err.contains("r/run.jsonl cannot be written"), "{}", ran.err);
    assert!(ran.out.contains("dgemm"), "{}", ran.out);
    let opened = workplace.paw("export r --format csv --samples");
    assert_eq!(opened.code, 0, "{}", opened.err);
    assert!(opened.out.lines().count() > 10, "{}", opened.out);
}

#[test]
fn a_run_that_is_not_there_is_named() {
    let workplace = Workplace::new();
    std::fs::create_dir(workplace.path("empty")).unwrap();
    for (args, part) in [
        ("export nowhere --format csv", "nowhere cannot be read"),
        ("report empty", "empty holds no run.jsonl"),
        ("compare empty nowhere", "empty holds no run.jsonl"),
    ] {
        let ran = workplace.paw(args);
        assert_eq!((ran.code, ran.out.as_str()), (7, ""), "{args}");
        assert!(ran.err.contains(part), "{args}: {}", ran.err);
    }
}

/// Every command that writes files by names of its own into a directory, which is `shared` here.
const WRITERS: [&str; 5] = [
    "export r --format dat --out shared",
    "run dgemm --set n=8 --provider embedded --threads 1 --reps 6 --loops 10 --quiet --dat shared --out own",
    "run dgemm --set n=8 --provider embedded --threads 1 --reps 6 --loops 10 --quiet --out shared",
    "app --reps 3 --quiet --out shared -- true",
    "import old --out shared",
];

#[test]
fn a_directory_in_which_another_user_may_plant_files_is_refused_by_every_command_that_writes_into_one() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    assert_eq!(workplace.paw("export r --format dat --out old").code, 0);
    let (shared, elsewhere) = (workplace.path("shared"), workplace.path("elsewhere"));
    let open = |path| fs::set_permissions(path, Permissions::from_mode(0o1777)).unwrap();
    let refused_by_all = |what: &str| {
        for command in WRITERS {
            let ran = workplace.paw(command);
            assert_eq!((ran.code, ran.out.as_str()), (7, ""), "{what}: {command}: {}", ran.err);
            let why = "shared belongs to another user, or every user may write to it";
            assert!(ran.err.contains(why), "{what}: {command}: {}", ran.err);
        }
        assert_eq!(fs::read_dir(&shared).unwrap().count(), 0, "{what}");
    };
    fs::create_dir(&shared).unwrap();
    open(&shared);
    refused_by_all("open to all");
    fs::rename(&shared, &elsewhere).unwrap();
    symlink(&elsewhere, &shared).unwrap();
    refused_by_all("a link");
    fs::remove_file(&shared).unwrap();
    fs::create_dir(&shared).unwrap();
    // Only root can act as two users.
    if chown(&shared, Some(65_534), None).is_ok() {
        refused_by_all("another user's");
    }
}

#[test]
fn the_usual_directory_of_runs_is_refused_where_another_user_has_made_it() {
    let workplace = Workplace::new();
    fs::create_dir(workplace.path("paw-results")).unwrap();
    fs::set_permissions(workplace.path("paw-results"), Permissions::from_mode(0o1777)).unwrap();
    let ran = workplace.paw(TINY);
    assert_eq!(ran.code, 7, "{}", ran.err);
    assert!(ran.err.contains("paw-results belongs to another user"), "{}", ran.err);
    assert!(workplace.names("paw-results").is_empty());
}

#[test]
fn nothing_is_written_over_a_run() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    let whole = workplace.read("r/run.jsonl");
    workplace.write("other.jsonl", &whole);
    for args in ["export r --format csv", "export r --format json", "report r"] {
        for file in ["r/run.jsonl", "other.jsonl"] {
            let ran = workplace.paw(&format!("{args} --out {file}"));
            assert_eq!((ran.code, ran.out.as_str()), (7, ""), "{args} {file}: {}", ran.err);
            assert!(ran.err.contains(&format!("{file} is a run")), "{}", ran.err);
            assert_eq!(workplace.read(file), whole);
        }
    }
    assert_eq!(workplace.paw("export r --format csv --out r.csv").code, 0);
    assert_eq!(workplace.paw("export r --format json --out r.csv").code, 0, "another file is replaced");
}
