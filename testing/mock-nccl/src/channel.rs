//! The directory by which ranks exchange bytes: a file for each message, complete as soon as it has its name.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Nobody waits longer for a peer.
const LIMIT: Duration = Duration::from_secs(60);
/// Looks before a waiting rank lets others have the processor for longer.
const LOOKS: u32 = 200;

/// Why a message did not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// A rank has aborted the communicator.
    Aborted,
    /// It took too long, or the directory is gone.
    Gone,
}

/// A communicator's directory.
#[derive(Debug, Clone)]
pub(crate) struct Channel {
    directory: PathBuf,
}

impl Channel {
    /// A new one: in the folder of the job, which its launcher removes, or in that for temporary files.
    pub(crate) fn create() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let job = env::var_os("MOCK_MPI_FILE").map(PathBuf::from);
        let parent = job.as_deref().and_then(Path::parent).map_or_else(env::temp_dir, Path::to_owned);
        let nth = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory = parent.join(format!("mock-nccl-{}-{nth}", process::id()));
        fs::create_dir(&directory).ok()?;
        Some(Self { directory })
    }

    /// The one that an identity names.
    pub(crate) fn named(id: &[u8]) -> Option<Self> {
        let length = id.iter().position(|byte| *byte == 0)?;
        let directory = PathBuf::from(std::str::from_utf8(&id[..length]).ok()?);
        directory.is_dir().then_some(Self { directory })
    }

    /// The path, as an identity holds it.
    pub(crate) fn name(&self) -> &[u8] {
        self.directory.as_os_str().as_encoded_bytes()
    }

    /// Leaves a message.
    pub(crate) fn post(&self, name: &str, bytes: &[u8]) -> Result<(), Silence> {
        let unfinished = self.directory.join(format!("{name}.part"));
        let written = fs::write(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, self.directory.join(name)));
        written.map_err(|_| Silence::Gone)
    }

    /// Waits for a message.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, Silence> {
        let (path, begun) = (self.directory.join(name), Instant::now());
        let mut looks = 0;
        loop {
            if let Ok(bytes) = fs::read(&path) {
                return Ok(bytes);
            }
            if self.directory.join("aborted").exists() {
                return Err(Silence::Aborted);
            }
            if begun.elapsed() > LIMIT || !self.directory.exists() {
                return Err(Silence::Gone);
            }
            looks += 1;
            if looks < LOOKS { thread::yield_now() } else { thread::sleep(Duration::from_micros(100)) }
        }
    }

    /// Removes a message that everybody has read.
    pub(crate) fn forget(&self, name: &str) {
        let _ = fs::remove_file(self.directory.join(name));
    }

    /// Tells everybody who waits that nothing comes any more.
    pub(crate) fn abort(&self) {
        let _ = fs::write(self.directory.join("aborted"), "");
    }

    /// Removes the directory, once the last rank has left it.
    pub(crate) fn leave(&self, rank: usize, size: usize) {
        let _ = fs::write(self.directory.join(format!("left-{rank}")), "");
        if (0..size).all(|rank| self.directory.join(format!("left-{rank}")).exists()) {
            let _ = fs::remove_dir_all(&self.directory);
        }
    }
}
