//! Workers that answer, misbehave and die, as their parent sees it.

use std::cell::RefCell;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use paw_measure::fault::Fault;
use paw_measure::workload::Workload;
use paw_worker::protocol::Opened;
use paw_worker::remote::RemoteWorkload;
use paw_worker::worker::{Deadlines, Idle, Launch, Worker};
use serde_json::{Value, json};

/// The example program, which lies beside the directory of the tests.
fn program() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let program = test.ancestors().nth(2).expect("target directory").join("examples/echo_worker");
    assert!(program.exists(), "{}: build it with `cargo build --example echo_worker`", program.display());
    program
}

fn launch() -> Launch {
    Launch {
        name: "echo".to_owned(),
        program: program(),
        args: Vec::new(),
        set: Vec::new(),
        remove: Vec::new(),
        cpus: Vec::new(),
        deadlines: Deadlines::default(),
        idle: Idle::Waiting,
    }
}

fn start(launch: Launch) -> Rc<RefCell<Worker>> {
    Rc::new(RefCell::new(Worker::start(launch).expect("the worker starts")))
}

fn open(worker: &Rc<RefCell<Worker>>, act: &str) -> Result<(RemoteWorkload, Opened), Fault> {
    RemoteWorkload::open(worker, &json!({ "act": act }))
}

fn opened(worker: &Rc<RefCell<Worker>>, act: &str) -> RemoteWorkload {
    open(worker, act).expect("it opens").0
}

/// The parent's fault when a workload of a fresh worker does `act` while it is timed.
fn fault_of(act: &str, launch: Launch) -> (String, Rc<RefCell<Worker>>) {
    let worker = start(launch);
    let mut workload = opened(&worker, act);
    let fault = workload.sample(1).expect_err("it cannot be timed");
    assert!(matches!(fault, Fault::Broken(_)), "{fault:?}");
    (fault.to_string(), worker)
}

#[test]
fn a_workload_is_timed_paused_renewed_and_checked_in_its_worker() {
    let worker = start(launch());
    let (mut workload, opened) = open(&worker, "echo").expect("it opens");
    assert_eq!(workload.instrument(), opened.instrument);
    workload.resume().expect("it resumes");
    let reading = workload.sample(3).expect("it answers").expect("it is not idle");
    assert_eq!(reading.elapsed_s, 3.0 * 1e-3);
    workload.pause();
    workload.renew().expect("it renews");
    workload.resume().expect("it resumes");
    let reading = workload.sample(1).expect("it answers").expect("it is not idle");
    let counts: Vec<_> = reading.extra.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(counts, [("resumed", 2.0), ("paused", 1.0), ("renewed", 1.0)]);
    assert_eq!(workload.verify().expect("it is checked").error, 0.1 + 0.2);
}

#[test]
fn a_question_is_answered_without_a_workload() {
    let worker = start(launch());
    assert_eq!(worker.borrow_mut().question(&json!({"which": "devices"})), Ok(json!({"which": "devices"})));
    assert!(open(&worker, "echo").is_ok(), "workloads open as before");
}

#[test]
fn what_a_workload_doubts_reaches_its_parent_also_after_its_turn() {
    let worker = start(Launch { idle: Idle::Stopped, ..launch() });
    let mut workload = opened(&worker, "doubt");
    workload.resume().expect("it resumes");
    workload.sample(1).expect("it answers");
    workload.pause();
    let caveats = workload.caveats();
    assert_eq!(caveats.len(), 1);
    assert_eq!((caveats[0].id.as_str(), caveats[0].cause.as_str()), ("echo", "1 samples echo"));
    assert_eq!(opened(&worker, "echo").caveats(), []);
}

#[test]
fn a_worker_that_is_gone_adds_no_caveat() {
    let worker = start(launch());
    let mut workload = opened(&worker, "abort");
    assert!(workload.sample(1).is_err());
    assert_eq!(workload.caveats(), []);
}

#[test]
fn several_workloads_of_one_worker_do_not_mix() {
    let worker = start(launch());
    let (mut idle, mut echo) = (opened(&worker, "idle"), opened(&worker, "echo"));
    assert_eq!(idle.sample(1), Ok(None));
    assert!(echo.sample(1).expect("it answers").is_some());
    drop(idle);
    assert!(echo.sample(1).expect("it answers").is_some());
}

#[test]
fn a_fault_of_the_workload_crosses_as_it_is_and_the_worker_lives_on() {
    let worker = start(launch());
    let pid = worker.borrow().pid();
    let missing = open(&worker, "missing").expect_err("it is missing");
    assert_eq!(missing, Fault::Missing("libecho.so: not found".to_owned()));
    assert_eq!(opened(&worker, "broken").sample(1), Err(Fault::Broken("the echo broke".to_owned())));
    assert_eq!(worker.borrow().pid(), pid);
}

#[test]
fn a_worker_has_the_environment_and_processors_it_was_given_and_no_input() {
    let cpus = first_allowed_cpu();
    let set = vec![("PAW_ECHO".to_owned(), "heard".to_owned())];
    let worker = start(Launch { set, cpus: vec![cpus], ..launch() });
    let (_, opened) = open(&worker, "echo").expect("it opens");
    assert_eq!(opened.note["variable"], "heard");
    assert_eq!(opened.note["cpus"], cpus.to_string());
    assert_eq!(opened.note["input_bytes"], 0);
    worker.borrow_mut().restart_with(&[("PAW_ECHO".to_owned(), "heard again".to_owned())]).expect("it restarts");
    assert_eq!(open(&worker, "echo").expect("it opens").1.note["variable"], "heard again");
}

#[test]
fn a_variable_can_be_taken_out_of_the_environment() {
    // Cargo sets CARGO_PKG_NAME for every test.
    let package = |launch| open(&start(launch), "echo").expect("it opens").1.note["package"].clone();
    assert_eq!(package(launch()), "paw-worker");
    assert_eq!(package(Launch { remove: vec!["CARGO_PKG_NAME".to_owned()], ..launch() }), Value::Null);
}

#[test]
fn a_crash_is_named_by_its_signal() {
    assert!(fault_of("segv", launch()).0.starts_with("echo was killed by SIGSEGV"));
    assert!(fault_of("abort", launch()).0.starts_with("echo was killed by SIGABRT"));
}

#[test]
fn an_exit_is_named_by_its_code() {
    assert_eq!(fault_of("exit", launch()).0, "echo exited with code 7");
    let in_open = open(&start(launch()), "exit in open").expect_err("it exits");
    assert_eq!(in_open, Fault::Broken("echo exited with code 127".to_owned()));
}

#[test]
fn the_last_words_are_reported_and_the_rest_of_a_flood_is_not() {
    let (why, _) = fault_of("chatter and abort", launch());
    assert!(
        why.ends_with(
            "its last words: chatter line 19996 | chatter line 19997 | chatter line 19998 | chatter line 19999"
        ),
        "{why}"
    );
    assert!(fault_of("panic", launch()).0.contains("this echo panics"));
}

#[test]
fn what_a_library_prints_does_not_disturb_the_protocol() {
    let worker = start(launch());
    assert!(opened(&worker, "chatter").sample(1).expect("it answers").is_some());
}

#[test]
fn a_worker_that_hangs_is_killed_at_its_deadline() {
    let sample = Duration::from_millis(200);
    let worker = start(Launch { deadlines: Deadlines { sample, ..Deadlines::default() }, ..launch() });
    let mut workload = opened(&worker, "hang at the second");
    workload.sample(1).expect("the first is answered");
    let why = workload.sample(1).expect_err("the second is not").to_string();
    assert_eq!(why, "echo did not answer within 200 ms: killed");
    let worker = worker.borrow();
    assert_eq!(worker.last_end().map(|ended| ended.how.split(':').next()), Some(Some("was killed by SIGKILL")));
    assert!(worker.last_end().is_some_and(|ended| ended.usage.rss_bytes > 0));
}

#[test]
fn a_worker_killed_between_samples_costs_its_open_workloads_and_nothing_after() {
    let worker = start(launch());
    let (mut first, mut second) = (opened(&worker, "echo"), opened(&worker, "echo"));
    first.sample(1).expect("it answers");
    kill(worker.borrow().pid().expect("it lives"));
    let why = first.sample(1).expect_err("it is dead").to_string();
    assert!(why.starts_with("echo was killed by SIGKILL"), "{why}");
    let why = second.sample(1).expect_err("it is dead too").to_string();
    assert!(why.starts_with("echo is gone: echo was killed by SIGKILL"), "{why}");

    let mut next = opened(&worker, "echo");
    assert!(next.sample(1).expect("the fresh worker answers").is_some());
    let why = second.sample(1).expect_err("the fresh worker does not know it").to_string();
    assert_eq!(why, "echo: this workload ended with the process it was opened in");
    drop((first, second));
    assert!(next.sample(1).expect("the old ones' end leaves it alone").is_some());
}

#[test]
fn a_program_that_is_no_worker_is_distinguished_from_one_that_died() {
    let shell = |script: &str| {
        let args = vec!["-c".to_owned(), script.to_owned()];
        let fault = Worker::start(Launch { program: "sh".into(), args, ..launch() }).expect_err("it is a shell");
        fault.to_string()
    };
    assert_eq!(shell("echo hello >&0; cat >/dev/null"), "echo answered nonsense, `hello`: killed");
    assert_eq!(shell("echo no such thing >&2; exit 3"), "echo exited with code 3; its last words: no such thing");
    let missing =
        Worker::start(Launch { program: "/nonexistent/worker".into(), ..launch() }).expect_err("it is missing");
    assert!(missing.to_string().contains("/nonexistent/worker cannot be started"), "{missing}");
}

#[test]
fn a_worker_started_by_hand_says_that_it_is_none() {
    let output = Command::new(program()).stdin(Stdio::null()).output().expect("it runs");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && words.contains("a worker is started by its parent"), "{words}");
}

#[test]
fn an_idle_worker_is_stopped_and_a_timed_one_runs() {
    let worker = start(Launch { idle: Idle::Stopped, ..launch() });
    let (mut first, mut second) = (opened(&worker, "echo"), opened(&worker, "echo"));
    let pid = worker.borrow().pid().expect("it lives");
    assert!(stops(pid));
    first.resume().expect("it resumes");
    assert_ne!(state(pid), 'T');
    second.resume().expect("it resumes");
    first.pause();
    assert_ne!(state(pid), 'T', "the second is still timed");
    second.pause();
    assert!(stops(pid));
    assert!(second.sample(1).expect("a stopped worker is woken for a request").is_some());
}

#[test]
fn a_stopped_worker_ends_with_its_owner() {
    let worker = start(Launch { idle: Idle::Stopped, ..launch() });
    drop(opened(&worker, "echo"));
    let pid = worker.borrow().pid().expect("it lives");
    assert!(stops(pid));
    drop(worker);
    assert!(!PathBuf::from(format!("/proc/{pid}")).exists(), "it is neither running nor a zombie");
}

#[test]
fn a_worker_asked_to_quit_ends_in_order() {
    let worker = Worker::start(launch()).expect("it starts");
    let ended = worker.quit();
    assert_eq!(ended.how, "exited with code 0");
    assert!(ended.usage.rss_bytes > 0);
}

#[test]
fn a_closed_channel_ends_the_worker() {
    let (ours, theirs) = UnixStream::pair().expect("a pair");
    let mut worker = Command::new(program()).stdin(Stdio::from(OwnedFd::from(theirs))).spawn().expect("it starts");
    drop(ours);
    assert!(worker.wait().expect("it ends").success());
}

#[test]
fn a_worker_that_hangs_dies_with_its_parent() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("socket");
    let listener = UnixListener::bind(&path).expect("a socket");
    for act in ["connect and hang", "leave a process behind", "leave a daemon behind"] {
        let mut parent = Command::new(program()).args(["parent", act]).arg(&path).spawn().expect("it starts");
        let (held, _) = listener.accept().expect("the worker connects");
        parent.kill().expect("the parent is killed");
        parent.wait().expect("the parent is dead");
        ends(held);
    }
}

/// What brings a worker to its end.
type Ender = fn(Rc<RefCell<Worker>>);

fn ways_to_end() -> Vec<(Launch, Ender)> {
    let brief = Deadlines { sample: Duration::from_millis(200), ..Deadlines::default() };
    let murder = |worker: Rc<RefCell<Worker>>| kill(worker.borrow().pid().expect("it lives"));
    vec![
        (launch(), |worker| {
            let worker = Rc::into_inner(worker).expect("the only owner").into_inner();
            assert_eq!(worker.quit().how, "exited with code 0");
        }),
        (launch(), |worker| drop(worker)),
        (launch(), |worker| assert!(opened(&worker, "abort").sample(1).is_err())),
        (launch(), |worker| worker.borrow_mut().restart().expect("it starts again")),
        (launch(), murder),
        (Launch { idle: Idle::Stopped, ..launch() }, murder),
        (Launch { deadlines: brief, ..launch() }, |worker| {
            let mut workload = opened(&worker, "hang at the second");
            workload.sample(1).expect("the first is answered");
            assert!(workload.sample(1).is_err());
        }),
    ]
}

#[test]
fn what_a_library_starts_ends_with_its_worker_however_that_ends_and_nothing_else_does() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("socket");
    let listener = UnixListener::bind(&path).expect("a socket");
    let mut bystander = Command::new("sleep").arg("1000000").spawn().expect("it starts");
    for act in ["leave a process behind", "leave a daemon behind"] {
        for (launch, end) in ways_to_end() {
            let worker = start(launch);
            let spec = json!({ "act": act, "path": path });
            drop(RemoteWorkload::open(&worker, &spec).expect("it opens"));
            let (held, _) = listener.accept().expect("it connects");
            end(worker);
            ends(held);
        }
    }
    assert_eq!(bystander.try_wait().expect("its parent may ask"), None);
    bystander.kill().expect("it lives");
    bystander.wait().expect("it ends");
}

#[test]
fn a_worker_dies_with_its_guard() {
    let worker = start(launch());
    let mut workload = opened(&worker, "echo");
    let pid = worker.borrow().pid().expect("it lives");
    kill(fields(pid)[1].parse().expect("the parent, by proc(5)"));
    let fault = (0..100_000).find_map(|_| workload.sample(1).err()).expect("it dies");
    assert!(fault.to_string().starts_with("echo was killed by SIGKILL"), "{fault}");
}

/// Waits for the end of the stream, which comes when its last holder is gone; a process that lives on would keep this waiting.
fn ends(mut held: UnixStream) {
    assert_eq!(held.read(&mut [0]).expect("the stream ends"), 0);
}

/// Whether a process that was sent SIGSTOP is seen stopped; the signal takes effect soon after it is sent.
fn stops(pid: u32) -> bool {
    (0..1_000_000).any(|_| state(pid) == 'T')
}

/// The kernel's letter for what a process is doing: `T` is stopped.
fn state(pid: u32) -> char {
    fields(pid)[0].chars().next().expect("proc(5)")
}

/// What the kernel says of a process after its name: state, parent, group, session.
fn fields(pid: u32) -> Vec<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it lives");
    let after_name = stat.rsplit(") ").next().expect("proc(5)");
    after_name.split(' ').map(str::to_owned).collect()
}

fn kill(pid: u32) {
    let killed = Command::new("sh").args(["-c", &format!("kill -KILL {pid}")]).status().expect("a shell");
    assert!(killed.success());
}

/// The first processor this test may use.
fn first_allowed_cpu() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").expect("proc is mounted");
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("proc(5)").trim();
    let first = list.split([',', '-']).next().expect("one at least");
    first.parse().expect("a number")
}
