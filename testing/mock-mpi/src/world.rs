//! The rank of this process: one engine behind a lock, so that threads may call; waiting; errors.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::abi::{Class, Handle, error_text};
use crate::clock::pause;
use crate::engine::Engine;
use crate::options::Options;
use crate::plan::Plan;

static ENGINE: Mutex<Option<Engine>> = Mutex::new(None);
/// Threads that want the lock: one that waits in a loop lets them in.
static WANTED_BY: AtomicUsize = AtomicUsize::new(0);
pub(crate) static INITIALIZED: AtomicBool = AtomicBool::new(false);
pub(crate) static FINALIZED: AtomicBool = AtomicBool::new(false);

/// What a call is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
}

fn lock() -> MutexGuard<'static, Option<Engine>> {
    WANTED_BY.fetch_add(1, Ordering::Relaxed);
    let guard = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    WANTED_BY.fetch_sub(1, Ordering::Relaxed);
    guard
}

/// Ends this process with a sentence.
pub(crate) fn die(code: c_int, sentence: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "mock-mpi: {sentence}");
    // SAFETY: ends the process at once; nothing runs thereafter.
    unsafe { libc::_exit(code) }
}

/// Becomes a rank.
pub(crate) fn join() {
    let engine = Engine::new(Options::from_environment());
    let engine = engine.unwrap_or_else(|e| die(1, &format!("MPI_Init: the shared file cannot be used: {e}")));
    *lock() = Some(engine);
    INITIALIZED.store(true, Ordering::Release);
}

/// Something done to the engine.
pub(crate) fn with<T>(act: impl FnOnce(&mut Engine) -> T) -> T {
    match lock().as_mut() {
        Some(engine) => act(engine),
        None => die(1, "a call before MPI_Init"),
    }
}

/// Looks until there is an answer.
pub(crate) fn wait<T>(mut look: impl FnMut(&mut Engine) -> Option<T>) -> T {
    let mut looks = 0;
    loop {
        let (answer, ranks) = with(|engine| {
            engine.progress();
            heed_abort(engine);
            (look(engine), engine.options.size)
        });
        if let Some(answer) = answer {
            return answer;
        }
        if WANTED_BY.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
        pause(looks, ranks);
        looks = looks.saturating_add(1);
    }
}

/// Ends this process if a rank has ended the job.
fn heed_abort(engine: &Engine) {
    let code = engine.segment.aborted().load(Ordering::Relaxed);
    if code != 0 {
        die((code - 1).cast_signed(), &format!("rank {}: another rank has ended the job", engine.options.rank));
    }
}

/// Ends the job: every rank notices in its next wait.
pub(crate) fn abort(code: c_int) -> ! {
    let rank = with(|engine| {
        engine.segment.aborted().store(code.cast_unsigned().wrapping_add(1), Ordering::Relaxed);
        engine.options.rank
    });
    die(code, &format!("rank {rank} ends the job with code {code}"))
}

/// One call of the interface: counted, befallen by its fault, done, its error handled.
pub(crate) fn call(name: &'static str, handle: Handle, body: impl FnOnce(Call) -> Result<(), Class>) -> c_int {
    with(|engine| {
        engine.counts.called(name);
        engine.faults.befall(name);
    });
    let Err(class) = body(Call { name }) else { return 0 };
    if with(|engine| engine.errors_return(handle)) {
        return class as c_int;
    }
    let _ = writeln!(std::io::stderr(), "mock-mpi: {name}: {}", error_text(class as c_int));
    abort(class as c_int)
}

impl Engine {
    /// Whether errors on a communicator or window come back; those that belong to neither count as the world's.
    fn errors_return(&self, handle: Handle) -> bool {
        let window = self.windows.get(handle).map(|window| window.errors_return);
        let of = |comm: Handle| self.communicators.get(comm).map(|comm| comm.errors_return);
        window.or_else(|| of(handle)).or_else(|| of(crate::abi::COMM_WORLD)).unwrap_or(false)
    }
}

/// Does a plan, and returns it with its memory.
pub(crate) fn done(plan: Plan) -> Plan {
    let id = with(|engine| engine.begin_plan(plan));
    wait(|engine| engine.collect_plan(id))
}
