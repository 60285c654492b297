//! Commands that run: what they are given, and what is told of them.

use std::fs;
use std::process::{Command, Stdio};

use crate::place::{Place, cpus, program};
use paw_apps::launch::{Aslr, End, LaunchError, RunResult};

#[test]
fn a_command_runs_where_and_with_what_it_was_given() {
    let mut place = Place::new();
    fs::write(place.path("input"), "from the input\n").expect("an input");
    let mut launch = place.shell("pwd; cat; echo $A $HOME; echo to the errors >&2; exit 3");
    launch.directory = Some("/usr".into());
    launch.environment = vec![("A".to_owned(), "set".to_owned())];
    launch.removed = vec!["HOME".to_owned()];
    launch.stdin = Some(place.path("input"));
    let ran = place.run(&launch);
    assert_eq!(place.read("stdout"), "/usr\nfrom the input\nset\n");
    assert_eq!(place.read("stderr"), "to the errors\n");
    assert_eq!((ran.copies[0].end, ran.leftover), (End::Exited(3), 0));
}

#[test]
fn a_program_is_found_in_the_path_that_it_will_see() {
    let mut place = Place::new();
    fs::write(place.path("tool"), "#!/bin/sh\necho $0 $1\n").expect("a script");
    assert!(Command::new("chmod").arg("+x").arg(place.path("tool")).status().expect("chmod").success());
    let folder = place.folder.path().display().to_string();
    let mut launch = place.launch(&["tool", "a word"]);
    launch.environment = vec![("PATH".to_owned(), format!("/nowhere:{folder}"))];
    place.run(&launch);
    assert_eq!(place.read("stdout"), format!("{folder}/tool a word\n"));
    let mut launch = place.launch(&["./tool", "here"]);
    launch.directory = Some(place.folder.path().into());
    place.run(&launch);
    assert_eq!(place.read("stdout"), "./tool here\n");
}

#[test]
fn a_signal_is_told_by_its_name() {
    let mut place = Place::new();
    let ran = place.run(&place.shell("kill -SEGV $$"));
    assert_eq!(ran.copies[0].end, End::Signalled(11));
    assert_eq!(ran.copies[0].end.to_string(), "was killed by SIGSEGV");
}

#[test]
fn megabytes_of_output_arrive_and_the_next_run_begins_anew() {
    let mut place = Place::new();
    place.run(&place.launch(&["head", "-c", "20000000", "/dev/zero"]));
    assert_eq!(fs::metadata(place.path("stdout")).expect("the output").len(), 20_000_000);
    place.run(&place.launch(&["echo", "short"]));
    assert_eq!(place.read("stdout"), "short\n");
}

#[test]
fn output_and_errors_may_share_a_file() {
    let mut place = Place::new();
    let mut launch = place.shell("echo one; echo two >&2; echo three");
    launch.stderr = launch.stdout.clone();
    place.run(&launch);
    assert_eq!(place.read("stdout"), "one\ntwo\nthree\n");
}

#[test]
fn a_program_is_left_as_a_shell_would_start_it() {
    let mut place = Place::new();
    place.run(&place.launch(&["cat", "/proc/self/status"]));
    let status = place.read("stdout");
    let mask = |name: &str| {
        let value = status.lines().find_map(|line| line.strip_prefix(name)).expect("a mask");
        u64::from_str_radix(value.trim(), 16).expect("a mask")
    };
    assert_eq!(mask("SigBlk:"), 0, "no signal is blocked");
    assert_eq!(mask("SigIgn:") & 1 << (libc::SIGPIPE - 1), 0, "SIGPIPE is not ignored");
    place.run(&place.launch(&["ls", "/proc/self/fd"]));
    let plain = Command::new("ls").arg("/proc/self/fd").stdin(Stdio::null()).output().expect("ls is a program");
    assert_eq!(place.read("stdout").as_bytes(), plain.stdout, "it has no files but its own");
}

#[test]
fn a_program_has_a_group_of_its_own_and_no_terminal() {
    let mut place = Place::new();
    place.run(&place.shell("echo $$; cat /proc/$$/stat"));
    let told = place.read("stdout");
    let (pid, stat) = told.split_once('\n').expect("two lines");
    // proc_pid_stat(5), after the name: state, parent, group, session, terminal.
    let fields: Vec<&str> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    assert_eq!((fields[2], fields[4]), (pid, "0"));
    assert_eq!(fields[1], place.launcher.pid().expect("a launcher").to_string());
}

#[test]
fn a_program_stays_on_its_processors() {
    let mut place = Place::new();
    let last = *cpus().last().expect("a processor");
    let mut launch = place.launch(&["grep", "Cpus_allowed_list", "/proc/self/status"]);
    launch.cpus = vec![last];
    place.run(&launch);
    assert_eq!(place.read("stdout"), format!("Cpus_allowed_list:\t{last}\n"));
    // The launcher itself has not stayed there.
    launch.cpus.clear();
    place.run(&launch);
    let own = fs::read_to_string("/proc/self/status").expect("Linux");
    assert!(own.contains(&place.read("stdout")), "{}", place.read("stdout"));
}

#[test]
fn copies_run_at_once_each_on_its_own_processors_into_its_own_file() {
    let mut place = Place::new();
    let (cpus, pipe) = (cpus(), place.pipe("pipe"));
    let (first, second) = (cpus[0], cpus[cpus.len() - 1]);
    // Each waits for the other at the pipe: one after the other they would wait for ever.
    let script = format!(
        "grep Cpus_allowed_list /proc/self/status; if mkdir {0}.first 2>/dev/null; then read x <{0}; else echo x >{0}; fi",
        pipe.display()
    );
    let mut launch = place.shell(&script);
    launch.copies = 2;
    launch.copy_cpus = vec![vec![first], vec![second]];
    launch.timeout_s = Some(60.0);
    let ran = place.run(&launch);
    let ends: Vec<End> = ran.copies.iter().map(|copy| copy.end).collect();
    assert_eq!(ends, [End::Exited(0); 2]);
    assert!(ran.copies.iter().all(|copy| copy.wall_s <= ran.wall_s), "{ran:?}");
    assert_eq!(place.read("stdout"), format!("Cpus_allowed_list:\t{first}\n"));
    assert_eq!(place.read("stdout.1"), format!("Cpus_allowed_list:\t{second}\n"));
}

#[test]
fn randomisation_is_off_where_it_is_asked_for_and_on_again_after() {
    let mut place = Place::new();
    let mut launch = place.launch(&["cat", "/proc/self/personality"]);
    let mut domain = |aslr, place: &mut Place| {
        launch.aslr = aslr;
        place.launcher.run(&launch).map(|_| u64::from_str_radix(place.read("stdout").trim(), 16).expect("a number"))
    };
    let own = domain(Aslr::Kept, &mut place).expect("it runs");
    match domain(Aslr::Off, &mut place) {
        Ok(off) => assert_eq!(off, own | libc::ADDR_NO_RANDOMIZE as u64),
        Err(LaunchError::Refused(why)) => assert!(why.contains("a container may forbid it"), "{why}"),
        Err(other) => panic!("{other}"),
    }
    assert_eq!(domain(Aslr::Kept, &mut place), Ok(own));
}

#[test]
fn what_a_program_used_is_told() {
    let mut place = Place::new();
    let ran = place.run(&place.launch(&["dd", "if=/dev/zero", "of=/dev/null", "bs=20M", "count=1"]));
    let copy = &ran.copies[0];
    assert_eq!(ran.wall_s, copy.wall_s);
    assert!(copy.user_s + copy.sys_s > 0.0 && copy.minor_faults > 0, "{copy:?}");
    // Kernels can be built without either; this one then has neither for this process.
    assert_eq!(copy.run_delay_s.is_some(), fs::exists("/proc/self/schedstat").expect("Linux"));
    assert_eq!(copy.migrations.is_some(), fs::exists("/proc/self/sched").expect("Linux"));
}

#[test]
fn the_memory_told_is_the_programs_alone_also_beside_a_large_parent() {
    let mut parent = Command::new(program());
    parent.args(["--hold", "300", "--runs", "2", "--print", "json", "--"]);
    let output = parent.args(["dd", "if=/dev/zero", "of=/dev/null", "bs=20M", "count=1"]).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("JSON is text");
    let runs: Vec<RunResult> = text.lines().map(|line| serde_json::from_str(line).expect("a run")).collect();
    assert_eq!(runs.len(), 2);
    for ran in runs {
        let rss = ran.copies[0].rss_bytes;
        assert!((20 << 20..40 << 20).contains(&rss), "{rss} bytes of a program that holds 20 MiB");
    }
}

#[test]
fn a_launcher_is_small() {
    let place = Place::new();
    let floor = place.launcher.floor_rss_bytes();
    assert!((1..8 << 20).contains(&floor), "{floor} bytes");
}
