//! The socket at which processes knock that are to be traced.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::net::sockopt::socket_peercred;
use rustix::process::geteuid;

use super::sys;
use super::tally::Tally;
use super::tracer::Tracer;

/// Numbers of doors of this process.
static DOORS: AtomicU32 = AtomicU32::new(0);
/// Names that are tried: another user may have taken one.
const NAMES: u32 = 100;

/// A socket without a file, and the thread that listens to it.
#[derive(Debug)]
pub(super) struct Door {
    name: String,
    is_shut: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Door {
    /// Opens a door. Each process of this user that knocks gets a tracer of its own, which counts into `tally`.
    pub fn open(tally: &Arc<Tally>) -> io::Result<Self> {
        let mut opened = Err(io::Error::from(io::ErrorKind::AddrInUse));
        let mut name = String::new();
        for _ in 0..NAMES {
            name = format!("paw-{}-{}", std::process::id(), DOORS.fetch_add(1, Ordering::Relaxed));
            opened = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?);
            if opened.is_ok() {
                break;
            }
        }
        let listener = opened?;
        let is_shut = Arc::new(AtomicBool::new(false));
        let (shut, tally) = (Arc::clone(&is_shut), Arc::clone(tally));
        let listen = move || {
            while let Ok((stream, _)) = listener.accept() {
                if shut.load(Ordering::Acquire) {
                    break;
                }
                admit(stream, &tally);
            }
        };
        let thread = thread::Builder::new().name("door".to_owned()).spawn(listen)?;
        Ok(Self { name, is_shut, thread: Some(thread) })
    }

    /// The name by which [`knock`] finds it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.is_shut.store(true, Ordering::Release);
        // Wakes the thread.
        let woken = SocketAddr::from_abstract_name(&self.name).and_then(|name| UnixStream::connect_addr(&name));
        if let Some(thread) = self.thread.take().filter(|_| woken.is_ok()) {
            drop(thread.join());
        }
    }
}

fn admit(stream: UnixStream, tally: &Arc<Tally>) {
    let Ok(peer) = socket_peercred(stream.as_fd()) else { return };
    if peer.uid != geteuid() {
        return;
    }
    let pid = peer.pid.as_raw_nonzero().get().unsigned_abs();
    let tally = Arc::clone(tally);
    // Without a thread the process is told that nobody listens.
    let begun = thread::Builder::new().name("tracer".to_owned()).spawn(move || Tracer::run(pid, stream, tally));
    drop(begun);
}

/// This process, once it is traced.
#[derive(Debug)]
pub struct Knocked(UnixStream);

/// Asks for this process to be traced by the sampler behind the door `name`, and starts the timer of its processor time. The process may
/// become another program afterwards. It must have one thread.
///
/// # Errors
/// There is no such door, or this process may not be traced.
pub fn knock(name: &str) -> io::Result<Knocked> {
    let mut stream = UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?)?;
    if socket_peercred(stream.as_fd())?.uid != geteuid() {
        return Err(io::Error::other("somebody else opened it"));
    }
    let mut period = [0; 4];
    stream.read_exact(&mut period)?;
    let period = u32::from_le_bytes(period);
    if period == 0 {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    sys::start_timer(Duration::from_micros(period.into()))?;
    Ok(Knocked(stream))
}

impl Knocked {
    /// Tells the sampler why the program of this process could not be started.
    pub fn failed(mut self, error: &io::Error) {
        // The sampler may have ended.
        let _ = self.0.write_all(&error.raw_os_error().unwrap_or(libc::ENOEXEC).to_le_bytes());
    }
}
