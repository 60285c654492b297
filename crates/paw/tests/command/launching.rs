//! The process in which paw starts the commands of others.

use std::path::Path;

use paw_apps::launch::{End, Launch};
use paw_apps::launcher::Launcher;

use crate::workplace::{PAW, Workplace};

#[test]
fn paw_is_its_own_launcher_and_stays_small() {
    let workplace = Workplace::new();
    let mut launcher = Launcher::start(Path::new(PAW), &["__launcher"]).unwrap();
    let words = ["sh", "-c", "exit 3"].map(str::to_owned).to_vec();
    let ran = launcher.run(&Launch::new(words, workplace.path("out"), workplace.path("err"))).unwrap();
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
