//! `paw`'s side of the launcher: starts it, sends commands, reads results.

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use paw_measure::fault::Fault;
use paw_worker::ending;

use crate::launch::{Launch, LaunchError, RunResult};
use crate::protocol::{LauncherReply, LauncherRequest};

/// Time within which a launcher must report that it is ready, even on a busy machine.
const READY: Duration = Duration::from_secs(60);
/// Time between two calls of `stop`: short for a person, rare enough not to disturb a measurement.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(100);
/// Time within which a launcher must end its programs after a stop.
const STOPPING: Duration = Duration::from_secs(10);
/// Time within which a launcher must end after its socket was closed: it kills its programs first.
const ENDING: Duration = Duration::from_secs(5);
/// Time between two checks whether a launcher has ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// A small process that starts commands for this one: see [`serve`](crate::serve). It ends with this process, or when
/// dropped, and ends all its programs and their descendants. If it is killed, its guard ends them
/// ([`guard`](paw_worker::guard)).
#[derive(Debug)]
pub struct Launcher {
    program: PathBuf,
    arguments: Vec<String>,
    life: Option<LauncherProcess>,
    floor_rss_bytes: u64,
}

#[derive(Debug)]
struct LauncherProcess {
    process: Child,
    replies: BufReader<UnixStream>,
    /// Process id of the launcher itself; `process` is its guard.
    pid: u32,
}

/// Why there is no reply.
enum NoReply {
    Closed,
    Garbage,
    Late,
}

impl Launcher {
    /// Starts `program` with `arguments` (`paw __launcher`), which must call [`serve`](crate::serve::serve), and waits until it
    /// is ready. Commands inherit the present environment and directory. Call it while this process is small and has no
    /// other children.
    pub fn start(program: &Path, arguments: &[&str]) -> Result<Launcher, Fault> {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let mut launcher = Self { program: program.to_owned(), arguments, life: None, floor_rss_bytes: 0 };
        launcher.restart()?;
        Ok(launcher)
    }

    /// Runs the command to its end; a program that fails or exceeds its time limit is a result, too. Restarts a lost
    /// launcher first.
    pub fn run(&mut self, launch: &Launch) -> Result<RunResult, LaunchError> {
        self.ask(launch, None)
    }

    /// As [`run`](Self::run), but kills the command once `stop`, called ten times a second, returns true.
    pub fn run_until(&mut self, launch: &Launch, stop: &dyn Fn() -> bool) -> Result<RunResult, LaunchError> {
        self.ask(launch, Some(stop))
    }

    /// Peak memory of the launcher in bytes, which the kernel reports for every smaller program.
    pub fn floor_rss_bytes(&self) -> u64 {
        self.floor_rss_bytes
    }

    /// Process id of the launcher while it lives.
    pub fn pid(&self) -> Option<u32> {
        self.life.as_ref().map(|life| life.pid)
    }

    /// Process ids of the launcher and of its guard while they live.
    pub fn processes(&self) -> Vec<u32> {
        self.life.iter().flat_map(|life| [life.pid, life.process.id()]).collect()
    }

    fn restart(&mut self) -> Result<(), Fault> {
        let program = self.program.display();
        let mut life = LauncherProcess::start(&self.program, &self.arguments)
            .map_err(|error| Fault::Broken(format!("the launcher {program} cannot be started: {error}")))?;
        match life.reply(READY, None) {
            Ok(LauncherReply::Ready { pid, floor_rss_bytes }) => {
                life.pid = pid;
                self.floor_rss_bytes = floor_rss_bytes;
                self.life = Some(life);
                Ok(())
            }
            _ => Err(Fault::Broken(format!("{program} is no launcher: it {}", life.end()))),
        }
    }

    fn ask(&mut self, launch: &Launch, stop: Option<&dyn Fn() -> bool>) -> Result<RunResult, LaunchError> {
        if self.life.is_none() {
            self.restart().map_err(|fault| LaunchError::Lost(fault.to_string()))?;
        }
        let Some(life) = &mut self.life else { return Err(self.lost(launch)) };
        let request = serde_json::to_vec(&LauncherRequest::Run(Box::new(launch.clone())));
        let request = request.map_err(|error| LaunchError::Refused(unsendable(launch, &error)))?;
        let reply = match life.send(request) {
            Ok(()) => life.reply(Duration::MAX, stop),
            Err(_) => Err(NoReply::Closed),
        };
        match reply {
            Ok(LauncherReply::Ran { ran, floor_rss_bytes }) => {
                self.floor_rss_bytes = floor_rss_bytes;
                Ok(ran)
            }
            Ok(LauncherReply::Failed(error)) => Err(error),
            Err(NoReply::Late) => {
                self.life = None;
                Err(LaunchError::Interrupted)
            }
            Ok(LauncherReply::Ready { .. }) | Err(NoReply::Closed | NoReply::Garbage) => Err(self.lost(launch)),
        }
    }

    /// Ends a launcher that broke the protocol; the error says how it ended.
    fn lost(&mut self, launch: &Launch) -> LaunchError {
        let how = self.life.take().map_or_else(|| "was not there".to_owned(), |mut life| life.end());
        let command = launch.words.join(" ");
        LaunchError::Lost(format!(
            "the launcher {how} while `{command}` ran, which was killed with it; the next run has a fresh one"
        ))
    }
}

impl LauncherProcess {
    fn start(program: &Path, arguments: &[String]) -> io::Result<LauncherProcess> {
        let (socket, theirs) = UnixStream::pair()?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::from(OwnedFd::from(theirs)));
        let process = command.spawn()?;
        Ok(LauncherProcess { process, replies: BufReader::new(socket), pid: 0 })
    }

    fn send(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        self.replies.get_ref().write_all(&line)
    }

    /// Waits for the next reply, no longer than `limit`; asks the launcher to stop once `stop` returns true.
    fn reply(&mut self, limit: Duration, stop: Option<&dyn Fn() -> bool>) -> Result<LauncherReply, NoReply> {
        let mut limit = Instant::now().checked_add(limit);
        let mut stop = stop;
        let mut line = Vec::new();
        loop {
            let asleep = stop.map(|_| BETWEEN_QUESTIONS).or_else(|| left(limit));
            self.replies.get_ref().set_read_timeout(asleep).map_err(|_| NoReply::Closed)?;
            match self.replies.read_until(b'\n', &mut line) {
                Ok(_) if line.ends_with(b"\n") => return serde_json::from_slice(&line).map_err(|_| NoReply::Garbage),
                Ok(_) => return Err(NoReply::Closed),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => return Err(NoReply::Closed),
            }
            if limit.is_some_and(|limit| Instant::now() >= limit) {
                return Err(NoReply::Late);
            }
            if stop.is_some_and(|stop| stop()) {
                stop = None;
                limit = Instant::now().checked_add(STOPPING);
                let request = serde_json::to_vec(&LauncherRequest::Stop).expect("a stop is plain data");
                self.send(request).map_err(|_| NoReply::Closed)?;
            }
        }
    }

    /// Closes the socket, waits for the launcher's end, and kills a launcher that does not end. Returns its end in words.
    fn end(&mut self) -> String {
        let _ = self.replies.get_ref().shutdown(std::net::Shutdown::Both);
        let limit = Instant::now() + ENDING;
        while Instant::now() < limit {
            match self.process.try_wait() {
                Ok(Some(status)) => return ending::words(status),
                Ok(None) => thread::sleep(BETWEEN_LOOKS),
                Err(_) => return "ended unseen".to_owned(),
            }
        }
        let _ = self.process.kill();
        self.process.wait().map_or_else(|_| "ended unseen".to_owned(), ending::words)
    }
}

/// The time until `limit`, never zero, which a socket reads as no limit.
fn left(limit: Option<Instant>) -> Option<Duration> {
    limit.map(|limit| limit.saturating_duration_since(Instant::now()).max(BETWEEN_LOOKS))
}

impl Drop for LauncherProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// Why `launch` cannot be written down for the launcher: a path that is no text, by its name.
fn unsendable(launch: &Launch, error: &serde_json::Error) -> String {
    let paths = [launch.directory.as_deref(), launch.stdin.as_deref(), launch.stdout.file(), launch.stderr.file()];
    match paths.into_iter().flatten().find(|path| path.to_str().is_none()) {
        Some(path) => format!("the path {} is not UTF-8: choose another (--out, --input, --output)", path.display()),
        None => format!("the command cannot be passed on: {error}"),
    }
}
