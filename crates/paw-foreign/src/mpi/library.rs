//! A started MPI library.
#![allow(unsafe_code)]

use std::ffi::{CString, c_int};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::object::{Scope, SharedObject};

use super::abi::{Abi, Datatype, MpiHandle, Numbers, Op, PredefinedHandles};
use super::calls::{self, Calls, call, call_if_there};
use super::comm_state::CommState;
use super::error::{MpiError, MpiFault, StartError};
use super::exit_message::{ExitMessage, MakeMessage};
use super::implementation::Implementation;
use super::init::{InitCall, init};
use super::probe::{self, Probe, one_line, text};
use super::thread_level::ThreadLevel;

/// Room for any text of MPI: the largest of the three ABIs is 8192.
const TEXT_BYTES: usize = 8192 + 1;

/// Whether this process has started an MPI: two cannot live in one.
static STARTED: AtomicBool = AtomicBool::new(false);

/// A started MPI library. It lives until the process ends and belongs to the thread that started it.
#[derive(Debug)]
pub struct Mpi {
    pub(super) calls: Calls,
    pub(super) handles: PredefinedHandles,
    pub(super) numbers: Numbers,
    kinds: [MpiHandle; 6],
    ops: [MpiHandle; 6],
    pub(super) world: CommState,
    abi: Abi,
    family: Implementation,
    level: ThreadLevel,
    standard: (i32, i32),
    version: String,
    path: PathBuf,
    finalized: AtomicBool,
    /// Windows that were not freed, in the order in which they were made: the same on all ranks that share them.
    windows: Mutex<Vec<MpiHandle>>,
    /// Not `Send`: below `Multiple` only one thread may call a library. [`super::Comm::across_threads`] is for `Multiple`.
    _one_thread: PhantomData<*const ()>,
}

/// Ends all ranks of a job, whatever the library is doing.
#[derive(Debug, Clone, Copy)]
pub struct Aborter {
    call: unsafe extern "C" fn(MpiHandle, c_int) -> c_int,
    comm: MpiHandle,
    finalized: &'static AtomicBool,
}

impl Aborter {
    /// Calls `MPI_Abort`, which seldom returns; it does nothing after [`Mpi::finalize`].
    ///
    /// Another thread may wait in the library for ever, which is why the job ends. The standard allows one thread in the library at a
    /// time below `MPI_THREAD_MULTIPLE`, so that this call may hang too: its thread is not to be waited for.
    pub fn abort(&self, code: i32) {
        if !self.finalized.load(Ordering::Relaxed) {
            // SAFETY: the library was started and is never closed. The process ends by this call, or right after it: whatever the
            // library's state is, nobody uses it again.
            unsafe { (self.call)(self.comm, code) };
        }
    }
}

impl Mpi {
    /// Opens and starts the library at `path` for threads of this level, and makes it return errors; the level it provides may differ.
    ///
    /// A library may end the process when it fails to start: it returns errors from then on only.
    pub fn start(path: &Path, level: ThreadLevel) -> Result<&'static Mpi, StartError> {
        Self::open(path)?.begin(InitCall::InitThread(level), Box::new(String::new))
    }

    /// Opens the library at `path`; only once in a process.
    pub fn open(path: &Path) -> Result<UnstartedMpi, StartError> {
        if STARTED.load(Ordering::Acquire) {
            return Err(StartError::Twice);
        }
        let shown = || path.display().to_string();
        let (probe, _local) = probe::open(path)?;
        if !probe.abi.is_callable_on(std::env::consts::ARCH) {
            return Err(StartError::Architecture { path: shown(), version: probe.version });
        }
        if STARTED.swap(true, Ordering::AcqRel) {
            return Err(StartError::Twice);
        }
        SharedObject::open(path, Scope::Global).map_err(|chain| StartError::NotLoaded { path: shown(), chain })?;
        let missing = |symbol: String| StartError::NotMpi { path: shown(), symbol };
        // SAFETY: the probe said that this is an MPI, so symbols of MPI's names are its functions or those of a tool.
        let calls = unsafe { Calls::bind(address) }.map_err(missing)?;
        let handles = PredefinedHandles::resolve(probe.abi, address).map_err(|symbol| missing(symbol.to_owned()))?;
        let numbers = *Numbers::of(probe.abi);
        // SAFETY: MPI_Get_library_version may be called before MPI is started, and `text` gives it room.
        let found = one_line(&text(TEXT_BYTES, |text, length| unsafe { (calls.get_library_version)(text, length) }));
        if found != probe.version {
            return Err(StartError::Mixed { path: shown(), wanted: probe.version, found });
        }
        let (probe, path) = (probe, path.to_owned());
        Ok(UnstartedMpi { calls, handles, numbers, probe, path })
    }

    /// A library that does nothing and reports success, to learn what paw adds to a call.
    pub(crate) fn null() -> Result<&'static Mpi, StartError> {
        let abi = Abi::Standard;
        let missing = |symbol: &str| StartError::NotMpi { path: "null".to_owned(), symbol: symbol.to_owned() };
        let handles = PredefinedHandles::resolve(abi, |_| None).map_err(missing)?;
        let probe = Probe { abi, version: "null".to_owned() };
        let (calls, numbers) = (std::hint::black_box(Calls::null()), *Numbers::of(abi));
        UnstartedMpi { calls, handles, numbers, probe, path: PathBuf::new() }
            .begin(InitCall::Init, Box::new(String::new))
    }

    /// Its ABI.
    pub fn abi(&self) -> Abi {
        self.abi
    }

    /// Its make.
    pub fn family(&self) -> Implementation {
        self.family
    }

    /// A short name, for tables and files.
    pub fn name(&self) -> &'static str {
        self.family.name()
    }

    /// The library's version text, one line.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The version of the MPI standard that it follows.
    pub fn standard(&self) -> (i32, i32) {
        self.standard
    }

    /// The thread level it provides.
    pub fn level(&self) -> ThreadLevel {
        self.level
    }

    /// The path by which the library was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Seconds between two ticks of its own clock, for information: nothing is timed by it.
    pub fn wtick_s(&self) -> f64 {
        // SAFETY: it has no arguments.
        unsafe { (self.calls.wtick)() }
    }

    /// The library's name for this host; empty after [`Mpi::finalize`].
    pub fn processor_name(&self) -> String {
        if self.is_finalized() {
            return String::new();
        }
        // SAFETY: `text` gives it more room than any ABI asks for.
        text(TEXT_BYTES, |text, length| unsafe { (self.calls.get_processor_name)(text, length) })
    }

    /// The greatest tag a message may have.
    pub fn tag_ub(&'static self) -> Result<i32, MpiError> {
        let (mut value, mut found) = (ptr::null_mut::<c_int>(), 0);
        let key = Numbers::int(self.numbers.tag_ub);
        call!(self, comm_get_attr(self.handles.comm_world, key, (&raw mut value).cast(), &raw mut found))?;
        // SAFETY: where the attribute is found, the library gives the address of an integer of its own.
        let value = unsafe { value.as_ref() }.filter(|_| found != 0).copied();
        // The least that the standard asks for.
        Ok(value.unwrap_or(32767))
    }

    /// Frees the windows that are left and ends MPI; every rank must call it. Later calls are errors.
    pub fn finalize(&'static self) -> Result<(), MpiError> {
        if self.is_finalized() {
            return Ok(());
        }
        for window in self.windows().drain(..) {
            let mut slot = window.0;
            call_if_there!(self, win_free((&raw mut slot).cast()))?;
        }
        let ended = call!(self, finalize());
        self.finalized.store(true, Ordering::Relaxed);
        ended
    }

    pub(super) fn windows(&self) -> MutexGuard<'_, Vec<MpiHandle>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all ranks (`MPI_Abort`), and this one in any case.
    pub fn abort(&'static self, code: i32) -> ! {
        self.aborter().abort(code);
        std::process::abort()
    }

    /// What ends all ranks, from a thread that may not call the library otherwise.
    pub fn aborter(&'static self) -> Aborter {
        Aborter { call: self.calls.abort, comm: self.handles.comm_world, finalized: &self.finalized }
    }

    /// Whether it has one-sided communication.
    pub fn has_windows(&self) -> bool {
        self.calls.win_create.is_some() && self.calls.put.is_some()
    }

    /// Whether it has persistent collective calls, which came with MPI 4.
    pub fn has_persistent_collectives(&self) -> bool {
        self.calls.allreduce_init.is_some()
    }

    #[inline]
    pub(super) fn is_finalized(&self) -> bool {
        self.finalized.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn kind(&self, kind: Datatype) -> MpiHandle {
        self.kinds[kind as usize]
    }

    #[inline]
    pub(super) fn op(&self, op: Op) -> MpiHandle {
        self.ops[op as usize]
    }

    /// `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE`.
    #[inline]
    pub(super) fn ignored(&self) -> *mut std::ffi::c_void {
        ptr::without_provenance_mut(self.numbers.status_ignore as usize)
    }

    /// `MPI_IN_PLACE`.
    #[inline]
    pub(super) fn in_place(&self) -> *const std::ffi::c_void {
        ptr::without_provenance(self.numbers.in_place as usize)
    }

    #[cold]
    pub(super) fn failed(&self, field: &str, code: c_int) -> MpiError {
        // SAFETY: `text` gives it more room than any ABI asks for; an unknown code is an error, which leaves the text empty.
        let words = text(TEXT_BYTES, |text, length| unsafe { (self.calls.error_string)(code, text, length) });
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = if words.is_empty() { "no text".to_owned() } else { words };
        MpiFault::Failed { call: calls::symbol(field), library: self.version.clone(), text: words, code }.into()
    }

    #[cold]
    pub(super) fn over(&self, field: &str) -> MpiError {
        MpiFault::Over { call: calls::symbol(field) }.into()
    }

    #[cold]
    pub(super) fn absent(&self, field: &str) -> MpiError {
        MpiFault::Absent { call: calls::symbol(field), library: self.version.clone() }.into()
    }
}

/// An MPI library that is open but not started.
#[derive(Debug)]
pub struct UnstartedMpi {
    calls: Calls,
    handles: PredefinedHandles,
    numbers: Numbers,
    probe: Probe,
    path: PathBuf,
}

impl UnstartedMpi {
    /// The library's version text, one line.
    pub fn version(&self) -> &str {
        &self.probe.version
    }

    /// Starts the library and makes it return errors. If it ends the process instead, `exit_message` goes to standard error.
    pub fn begin(self, by: InitCall, exit_message: MakeMessage) -> Result<&'static Mpi, StartError> {
        let Self { calls, handles, numbers, probe, path } = self;
        let words = ExitMessage::ready(exit_message);
        let begun = init(&calls, &handles, &numbers, by);
        drop(words);
        let (level, world) =
            begun.map_err(|(call, code)| StartError::Refused { path: path.display().to_string(), call, code })?;
        let mut standard = (0, 0);
        // SAFETY: it writes two integers.
        unsafe { (calls.get_version)(&raw mut standard.0, &raw mut standard.1) };
        Ok(Box::leak(Box::new(Mpi {
            kinds: handles.kinds(),
            ops: handles.ops(),
            calls,
            handles,
            numbers,
            world,
            abi: probe.abi,
            family: Implementation::of(probe.abi, &probe.version),
            level,
            standard,
            version: probe.version,
            path,
            finalized: AtomicBool::new(false),
            windows: Mutex::default(),
            _one_thread: PhantomData,
        })))
    }
}

/// The address of `symbol` in the loader's order, in which a preloaded tool comes before the library.
pub(super) fn address(symbol: &str) -> Option<usize> {
    let symbol = CString::new(symbol).ok()?;
    // SAFETY: a C string; the address is not followed here.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr()) };
    Some(address as usize).filter(|address| *address != 0)
}
