//! Compiles jobs into shared objects, several at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use paw_binary::SharedObject;
use paw_data::build::Build;
use paw_sort::OrderBy;

use crate::builds::compiler::Compiler;
use crate::builds::{BuildJob, Built, child, command, diagnostics, native};
use crate::spec::{Language, Spec};

/// The time after which a compiler is assumed to hang.
pub const DEADLINE: Duration = Duration::from_secs(60);
/// Beginnings of the names of libraries that run loops on threads: OpenMP of GCC, LLVM, Intel and NVIDIA, and TBB.
const RUNTIMES: &[&str] = &["libgomp.", "libomp.", "libiomp5.", "libnvomp.", "libtbb."];
/// Names of functions that an error lists.
const NAMES_SHOWN: usize = 8;

/// Limits of a compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most compilers at once.
    pub at_once: usize,
    /// The time after which a compiler is killed; a make with a [timeout factor](crate::builds::make::Make::timeout_factor) may take longer.
    pub deadline: Duration,
}

/// Compiles every job into `directory`, which is made if it does not exist: `000.so`, and `000.log` with the command line
/// and the compiler's output; at most `at_once` at a time, each with the usual [deadline](DEADLINE). Compilers run where
/// the spec is, so that paths in flags are relative to it. `progress` gets the number of jobs done. The result has
/// the order of the jobs; jobs that differ in the function alone share a library.
pub fn compile(
    jobs: &[BuildJob],
    spec: &Spec,
    directory: &Path,
    at_once: usize,
    progress: &mut dyn FnMut(usize),
) -> Vec<Built> {
    compile_within(jobs, spec, directory, Limits { at_once, deadline: DEADLINE }, progress)
}

/// [`compile`] with a deadline of the caller's.
pub fn compile_within(
    jobs: &[BuildJob],
    spec: &Spec,
    directory: &Path,
    limits: Limits,
    progress: &mut dyn FnMut(usize),
) -> Vec<Built> {
    let plans: Vec<Result<Vec<String>, String>> = jobs.iter().map(|job| command::words(job, spec)).collect();
    let mut tasks: BTreeMap<&[String], Task<'_>> = BTreeMap::new();
    for (job, words) in jobs.iter().zip(&plans) {
        if let Ok(words) = words {
            let number = tasks.len();
            tasks.entry(words).or_insert(Task { job, words, number, jobs: 0 }).jobs += 1;
        }
    }
    let site =
        CompileLimits { spec, directory: &std::path::absolute(directory).unwrap_or(directory.to_owned()), limits };
    let mut queue: Vec<&Task<'_>> = tasks.values().collect();
    queue.order_by_key(|task| task.number);
    let mut done = plans.iter().filter(|words| words.is_err()).count();
    let made = site.work(&queue, &mut |task| {
        done += task.jobs;
        progress(done);
    });
    let targets = targets(jobs, &plans);
    let built = |(job, words): (&BuildJob, &Result<Vec<String>, String>)| {
        let made = match words {
            Ok(words) => made[tasks[words.as_slice()].number].clone(),
            Err(why) => CompileOutcome { outcome: Err(why.clone()), ..CompileOutcome::default() },
        };
        made.into_built(job, spec, words.as_ref().ok().and_then(|words| target(job, words, &targets)))
    };
    jobs.iter().zip(&plans).map(built).collect()
}

/// A command line that one job or several share.
struct Task<'a> {
    job: &'a BuildJob,
    words: &'a [String],
    number: usize,
    jobs: usize,
}

/// Place and limits of a compilation.
struct CompileLimits<'a> {
    spec: &'a Spec,
    directory: &'a Path,
    limits: Limits,
}

/// The outcome of a task.
#[derive(Clone)]
struct CompileOutcome {
    command: Vec<String>,
    said: String,
    outcome: Result<(PathBuf, SharedObject), String>,
}

impl Default for CompileOutcome {
    fn default() -> Self {
        Self { command: Vec::new(), said: String::new(), outcome: Err(String::new()) }
    }
}

impl CompileLimits<'_> {
    /// Does all tasks; the result has their order.
    fn work(&self, tasks: &[&Task<'_>], finished: &mut dyn FnMut(&Task<'_>)) -> Vec<CompileOutcome> {
        let next = AtomicUsize::new(0);
        let (sender, results) = mpsc::channel();
        let mut made = vec![CompileOutcome::default(); tasks.len()];
        std::thread::scope(|scope| {
            for _ in 0..self.limits.at_once.clamp(1, tasks.len().max(1)) {
                let (next, sender) = (&next, sender.clone());
                scope.spawn(move || {
                    while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let _ = sender.send((task.number, self.make(task)));
                    }
                });
            }
            drop(sender);
            for (number, result) in results {
                finished(tasks[number]);
                made[number] = result;
            }
        });
        made
    }

    fn make(&self, task: &Task<'_>) -> CompileOutcome {
        let file = |end: &str| self.directory.join(format!("{:03}{end}", task.number));
        let (library, modules) = (file(".so"), file(".modules"));
        let mut words = task.words.to_vec();
        words.extend(command::output(task.job, &library, &modules));
        let mut made = CompileOutcome { command: words, ..CompileOutcome::default() };
        let deadline = self.limits.deadline * task.job.compiler.make.timeout_factor;
        made.outcome = self.run(&mut made, &library, &modules, deadline).and_then(|()| {
            let object = SharedObject::read(&library).map_err(|why| why.to_string())?;
            Ok((library, object))
        });
        // A log that cannot be written does not matter: the record has its beginning.
        let _ = std::fs::write(file(".log"), format!("{}\n{}", shown(&made.command), made.said));
        made
    }

    fn run(&self, made: &mut CompileOutcome, library: &Path, modules: &Path, deadline: Duration) -> Result<(), String> {
        let has_modules = made.command.iter().any(|word| Path::new(word) == modules);
        let directory = if has_modules { modules } else { self.directory };
        std::fs::create_dir_all(directory).map_err(|why| format!("{}: {why}", directory.display()))?;
        // A library of an earlier run must not pass for this one's.
        let _ = std::fs::remove_file(library);
        let home = self.spec.path.parent().filter(|home| !home.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut command = Command::new(&made.command[0]);
        command.args(&made.command[1..]).current_dir(home);
        let ended =
            child::run(&mut command, deadline).map_err(|why| format!("{} cannot be run: {why}", made.command[0]))?;
        made.said = ended.said;
        let error = diagnostics::first_error(&made.said, home);
        match ended.status {
            Some(status) if status.success() => Ok(()),
            Some(status) if error.is_empty() => Err(format!("the compiler ended with {status} and said nothing")),
            Some(_) => Err(error),
            None => {
                let deadline = deadline.as_secs_f64();
                Err(format!("the compiler took longer than {deadline} s and was ended"))
            }
        }
    }
}

impl CompileOutcome {
    fn into_built(self, job: &BuildJob, spec: &Spec, target: Option<String>) -> Built {
        let variant = job.variant.clone();
        let function = variant.as_ref().and_then(|v| v.function.clone()).unwrap_or_else(|| spec.function.clone());
        let mut build = Build {
            compiler: job.compiler.name.clone(),
            version: job.compiler.version.clone(),
            flags: job.flags.flags.clone(),
            label: job.flags.label.clone(),
            variant: variant.as_ref().map(|v| v.name.clone()).unwrap_or_default(),
            command: self.command,
            target: target.unwrap_or_default(),
            said: diagnostics::excerpt(&self.said),
            ..Build::default()
        };
        let library = self.outcome.and_then(|(path, object)| {
            build.code = object.fingerprint().to_owned();
            let is_runtime = |name: &&String| RUNTIMES.iter().any(|runtime| name.starts_with(runtime));
            build.runtime = object.libraries().iter().find(is_runtime).cloned().unwrap_or_default();
            if object.defines(&function) { Ok(path) } else { Err(undefined(&function, &object, spec.language)) }
        });
        Built { build, variant, function, library: library.map_err(|why| format!("did not build: {why}")) }
    }
}

fn undefined(function: &str, object: &SharedObject, language: Language) -> String {
    let names = object.functions();
    let mut shown = names[..names.len().min(NAMES_SHOWN)].join(", ");
    if names.len() > NAMES_SHOWN {
        shown.push_str(&format!(" and {} more", names.len() - NAMES_SHOWN));
    }
    let defines = if shown.is_empty() { "it defines none".to_owned() } else { format!("it defines {shown}") };
    let hint = match language {
        Language::C => "",
        Language::Cpp => "; in C++ it is to be declared extern \"C\"",
        Language::Fortran => "; in Fortran it is to be declared bind(C)",
        Language::Rust => "; in Rust it is to be #[unsafe(no_mangle)] pub extern \"C\"",
    };
    format!("the library defines no function `{function}`; {defines}{hint}")
}

fn shown(command: &[String]) -> String {
    shlex::try_join(command.iter().map(String::as_str)).unwrap_or_else(|_| command.join(" "))
}

type Targets<'a> = Vec<((&'a Compiler, Vec<&'a str>), Option<String>)>;

/// The processor that `native` means for each compiler that gets the flag.
fn targets<'a>(jobs: &'a [BuildJob], plans: &'a [Result<Vec<String>, String>]) -> Targets<'a> {
    let mut targets: Targets<'a> = Vec::new();
    for (job, words) in jobs.iter().zip(plans) {
        let asked = words.as_ref().map(|words| native::asked(words)).unwrap_or_default();
        let key = (&job.compiler, asked);
        if !key.1.is_empty() && targets.iter().all(|(known, _)| *known != key) {
            let target = native::resolve(key.0, &key.1);
            targets.push((key, target));
        }
    }
    targets
}

fn target(job: &BuildJob, words: &[String], targets: &Targets<'_>) -> Option<String> {
    let key = (&job.compiler, native::asked(words));
    targets.iter().find(|(known, _)| *known == key).and_then(|(_, target)| target.clone())
}
