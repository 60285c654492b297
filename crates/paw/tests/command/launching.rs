//! The process in which paw starts the commands of others.

use std::path::Path;

use paw_apps::launch::{End, Launch, Sink};
use paw_apps::launcher::Launcher;

use crate::workplace::{PAW, TINY, Workplace};

#[test]
fn paw_is_its_own_launcher_and_stays_small() {
    let workplace = Workplace::new();
    let mut launcher = Launcher::start(Path::new(PAW), &["__launcher"]).unwrap();
    let words = ["sh", "-c", "exit 3"].map(str::to_owned).to_vec();
    let ran = launcher
        .run(&Launch::new(words, Sink::File(workplace.path("out")), Sink::File(workplace.path("err"))))
        .unwrap();
    assert_eq!(ran.copies[0].end, End::Exited(3));
    // A shell alone holds about two megabytes; nothing below the launcher's own memory can be measured.
    let floor = launcher.floor_rss_bytes();
    assert!((1..16 << 20).contains(&floor), "{floor} bytes");
}

#[test]
fn a_launcher_without_a_parent_says_so() {
    let ran = Workplace::new().paw("__launcher");
    assert_eq!(ran.code, 7);
    assert!(ran.err.contains("a launcher is started by paw"), "{}", ran.err);
}

#[test]
fn of_the_ranks_of_a_job_the_first_alone_does_what_needs_no_other() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    let rank = |number| [("OMPI_COMM_WORLD_RANK", number), ("OMPI_COMM_WORLD_SIZE", "2")];
    let before = workplace.names(".");
    for command in
        ["selftest", "app --reps 3 -- touch made", "report r --out a", "export r --format json --out b", "list"]
    {
        let ran = workplace.paw_with(&rank("1"), command);
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{command}");
        assert_eq!(workplace.names("."), before, "{command}");
    }
    assert_eq!(workplace.paw_with(&rank("0"), "export r --format json --out b").code, 0);
    assert_eq!(workplace.names(".").len(), before.len() + 1);
}
