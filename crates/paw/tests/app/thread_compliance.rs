//! Programs that ignore their threads or processors: paw notices while they warm up.

use paw_data::outcome::Caveat;

use crate::workplace::{Workplace, only};

/// The caveats of this kind, of the only cell of `paw app` with this line.
fn caveats(line: &str, id: &str) -> Vec<Caveat> {
    let workplace = Workplace::new();
    let ran = workplace.app(line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let outcome = only(&workplace.run()).outcome.clone().expect("it has its end");
    outcome.caveats.into_iter().filter(|caveat| caveat.id == id).collect()
}

#[test]
fn a_program_that_ignores_its_number_of_threads_is_reported() {
    let few = caveats("--reps 2 --threads 4 -- $SPIN --mode sleep --work-ms 300", "threads-unheeded");
    assert_eq!(few.len(), 1);
    assert_eq!(few[0].cause, "the program was told to use 4 threads, and was never seen with more than 1");
    let many = caveats("--reps 2 --threads 1 -- $SPIN --threads 3 --work-ms 600", "threads-unheeded");
    assert_eq!(many.len(), 1);
    assert!(many[0].cause.contains("told to use 1 threads, and more were runnable"), "{}", many[0].cause);
}

#[test]
fn a_program_that_complies_gets_no_caveat_also_behind_a_shell() {
    for command in ["$SPIN", "sh -c '\"$0\" \"$@\"; exit $?' $SPIN"] {
        let line = format!("--reps 2 --threads 2 -- {command} --threads {{threads}} --work-ms 300");
        assert_eq!(caveats(&line, "threads-unheeded"), [], "{command}");
        assert_eq!(caveats(&line, "misplaced"), [], "{command}");
    }
    // The waiting shell is no thread of the program's. A look may fall into the moment at which the shell has begun the program and does
    // not wait yet, but not in every launch.
    let line = "--reps 2 --threads 2 -- sh -c '\"$0\" \"$@\"; exit $?' $SPIN --mode sleep --work-ms 300";
    assert!((0..4).any(|_| caveats(line, "threads-unheeded").len() == 1));
}

#[test]
fn a_program_that_binds_itself_elsewhere_is_reported() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let processors = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    // On a machine of one processor there is no elsewhere.
    let elsewhere = usize::from(processors.contains(['-', ',']));
    let all = processors.trim();
    let script = format!("taskset -pc {all} $$ >&2; exec \"$0\" --threads 8 --work-ms 400");
    let line = format!("--reps 2 --threads 1 -- sh -c '{script}' $SPIN");
    // Where others keep the other processor busy, the system may leave all threads of one launch where they began.
    assert!((0..4).any(|_| caveats(&line, "misplaced").len() == elsewhere));
}
