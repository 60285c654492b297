//! Kernels compiled in a directory of their own, and children that load them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use paw_data::kernel::{Cache, Calls, Float, Tolerance};
use paw_data::outcome::Check;
use paw_data::run::{ClockKind, Instrument};
use paw_kernels::element::Element;
use paw_kernels::job::{Answers, Argument, ArrayArgument, CallJob, JobDescription, JobNote};
use paw_kernels::spec::Fill;
use paw_measure::fault::Fault;
use paw_measure::workload::Workload;
use paw_worker::remote::RemoteWorkload;
use paw_worker::worker::{Deadlines, Idle, Launch, Worker};
use tempfile::TempDir;

/// A directory with sources, shared objects and answers.
pub struct Workbench {
    folder: TempDir,
}

impl Workbench {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary directory") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and returns its path.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("it can be written");
        path
    }

    /// The shared object that `compiler` makes of a source called `name`.
    pub fn built(&self, compiler: &str, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        let source = self.file(name, source);
        let library = source.with_extension("so");
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).args(flags);
        let output = command.output().unwrap_or_else(|error| panic!("{compiler} is needed: {error}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        library
    }

    /// A C kernel `k` of `len` doubles `b`, an output that is filled with its indices.
    pub fn kernel(&self, body: &str, len: u64) -> CallJob {
        let library = self.built("gcc", "k.c", &format!("void k(long n, double *b) {{ {body} }}"), &["-O1"]);
        let mut job = job(&library, "k");
        job.arguments = vec![Argument::Whole(len.cast_signed()), output("b", Element::F64, len, Fill::Index)];
        job
    }
}

/// A call of a function that takes nothing, on the monotonic clock.
pub fn job(library: &Path, function: &str) -> CallJob {
    CallJob {
        library: library.to_owned(),
        function: function.to_owned(),
        arguments: Vec::new(),
        result: None,
        seed: 1,
        warmup: 1,
        calls: Calls::Throughput,
        cache: Cache::Warm,
        float: Float::AsLinked,
        restore: None,
        repeats: 1,
        warmup_s: None,
        instrument: Instrument { id: 7, clock: ClockKind::Monotonic, resolution_s: 1e-9, overhead_s: 2e-8, hz: None },
        answers: Answers::Repeatable,
        tolerance: Tolerance::default(),
        change: None,
    }
}

pub fn input(name: &str, element: Element, len: u64, fill: Fill) -> Argument {
    Argument::Array(ArrayArgument {
        name: name.to_owned(),
        element,
        len,
        fill,
        file: None,
        output: false,
        input: true,
        written: false,
    })
}

pub fn output(name: &str, element: Element, len: u64, fill: Fill) -> Argument {
    Argument::Array(ArrayArgument {
        name: name.to_owned(),
        element,
        len,
        fill,
        file: None,
        output: true,
        input: false,
        written: true,
    })
}

/// A child that nothing was opened in.
pub fn child() -> Rc<RefCell<Worker>> {
    child_within(Deadlines::default().sample)
}

/// A child whose samples, but for the first, must be taken within `sample`, or within twenty times what they are expected to last.
pub fn child_within(sample: Duration) -> Rc<RefCell<Worker>> {
    let test = std::env::current_exe().expect("a test has a path");
    let program = test.ancestors().nth(2).expect("target directory").join("examples/kernel_child");
    assert!(program.exists(), "{}: build it with `cargo build --example kernel_child`", program.display());
    let launch = Launch {
        name: "the child".to_owned(),
        program,
        args: Vec::new(),
        set: Vec::new(),
        remove: Vec::new(),
        cpus: Vec::new(),
        deadlines: Deadlines { sample, ..Deadlines::default() },
        idle: Idle::Waiting,
    };
    Rc::new(RefCell::new(Worker::start(launch).expect("the child starts")))
}

/// `job` opened in `child`, and the floating-point environment that its calls run in.
pub fn open_in(child: &Rc<RefCell<Worker>>, job: &CallJob) -> Result<(RemoteWorkload, String), Fault> {
    let spec = serde_json::to_value(JobDescription::Call(job.clone())).expect("a job is plain data");
    let (workload, opened) = RemoteWorkload::open(child, &spec)?;
    assert_eq!(opened.instrument, job.instrument);
    assert_eq!(opened.library, None);
    match serde_json::from_value(opened.note) {
        Ok(JobNote::Call { float, .. }) => Ok((workload, float)),
        other => panic!("{other:?}"),
    }
}

/// `job` opened in a child of its own.
pub fn open(job: &CallJob) -> Result<RemoteWorkload, Fault> {
    open_in(&child(), job).map(|(workload, _)| workload)
}

/// What checking `job`'s answers in a child of its own finds.
pub fn check(job: &CallJob) -> Result<Check, Fault> {
    open(job)?.verify()
}

/// The sentence about a job whose answers cannot be checked.
pub fn fault(job: &CallJob) -> String {
    check(job).expect_err("there is no answer").to_string()
}
