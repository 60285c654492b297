//! The launcher as `paw` holds it.

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use paw_measure::fault::Fault;
use paw_worker::ending;

use crate::launch::{Launch, LaunchError, Ran};
use crate::protocol::{LauncherReply, LauncherRequest};

/// How long a launcher may take to say that it listens, on a machine that is busy.
const READY: Duration = Duration::from_secs(60);
/// Between two questions whether to stop: a person does not notice, and a measurement hardly.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(100);
/// Time for a launcher to end its programs after a stop.
const STOPPING: Duration = Duration::from_secs(10);
/// How long a launcher may take to end after its socket was closed: what it ran must be killed, and may die slowly.
const ENDING: Duration = Duration::from_secs(5);
/// Between two looks at a launcher that is about to end.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// A small process that starts commands for this one: see [`serve`](crate::serve). It ends with this process, or when
/// dropped, and so does all that it runs; where it is killed itself, the program dies with it, but not what the program
/// has started.
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
}

/// Why there is no reply.
enum NoReply {
    Closed,
    Garbage,
    Late,
}

impl Launcher {
    /// Starts `program` with `arguments` (`paw __launcher`), which must call [`serve`](crate::serve::serve), and waits until it
    /// listens. The environment and the directory that commands inherit are those of now. Best called before this process
    /// has grown, and before it has other children.
    pub fn start(program: &Path, arguments: &[&str]) -> Result<Launcher, Fault> {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let mut launcher = Self { program: program.to_owned(), arguments, life: None, floor_rss_bytes: 0 };
        launcher.restart()?;
        Ok(launcher)
    }

    /// Runs the command to its end, whatever that is: a program that fails or is late has run. A lost launcher is replaced
    /// first.
    pub fn run(&mut self, launch: &Launch) -> Result<Ran, LaunchError> {
        self.ask(launch, None)
    }

    /// As [`run`](Self::run), but kills the command once `stop` says so, which is asked ten times a second.
    pub fn run_until(&mut self, launch: &Launch, stop: &dyn Fn() -> bool) -> Result<Ran, LaunchError> {
        self.ask(launch, Some(stop))
    }

    /// The launcher's own most memory: the peak that a program of any smaller size is reported with.
    pub fn floor_rss_bytes(&self) -> u64 {
        self.floor_rss_bytes
    }

    /// The launcher's process, while it lives.
    pub fn pid(&self) -> Option<u32> {
        self.life.as_ref().map(|life| life.process.id())
    }

    fn restart(&mut self) -> Result<(), Fault> {
        let program = self.program.display();
        let mut life = LauncherProcess::start(&self.program, &self.arguments)
            .map_err(|error| Fault::Broken(format!("the launcher {program} cannot be started: {error}")))?;
        match life.reply(READY, None) {
            Ok(LauncherReply::Ready { floor_rss_bytes }) => {
                self.floor_rss_bytes = floor_rss_bytes;
                self.life = Some(life);
                Ok(())
            }
            _ => Err(Fault::Broken(format!("{program} is no launcher: it {}", life.end()))),
        }
    }

    fn ask(&mut self, launch: &Launch, stop: Option<&dyn Fn() -> bool>) -> Result<Ran, LaunchError> {
        if self.life.is_none() {
            self.restart().map_err(|fault| LaunchError::Lost(fault.to_string()))?;
        }
        let Some(life) = &mut self.life else { return Err(self.lost(launch)) };
        let request = serde_json::to_vec(&LauncherRequest::Run(Box::new(launch.clone())));
        let request =
            request.map_err(|error| LaunchError::Refused(format!("the command cannot be passed on: {error}")))?;
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

    /// Ends what is left of the launcher's life, and says how it came to that.
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
        command.args(arguments).stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null());
        let process = command.spawn()?;
        Ok(LauncherProcess { process, replies: BufReader::new(socket) })
    }

    fn send(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        self.replies.get_ref().write_all(&line)
    }

    /// Waits for the next reply, no longer than `limit`, and no longer than it takes to stop once `stop` says so.
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

    /// Waits a moment for the end of a process whose socket is closed, then kills it; how it ended, in words.
    fn end(&mut self) -> String {
        // What waits for this side sees that it is over.
        let _ = self.replies.get_ref().shutdown(std::net::Shutdown::Both);
        let limit = Instant::now() + ENDING;
        while Instant::now() < limit {
            match self.process.try_wait() {
                Ok(Some(status)) => return ending::words(status),
                Ok(None) => thread::sleep(BETWEEN_LOOKS),
                Err(_) => return "ended unseen".to_owned(),
            }
        }
        // A child that is not reaped can be killed.
        let _ = self.process.kill();
        self.process.wait().map_or_else(|_| "ended unseen".to_owned(), ending::words)
    }
}

/// The time until `limit`, as a socket takes it: zero would mean for ever.
fn left(limit: Option<Instant>) -> Option<Duration> {
    limit.map(|limit| limit.saturating_duration_since(Instant::now()).max(BETWEEN_LOOKS))
}

impl Drop for LauncherProcess {
    fn drop(&mut self) {
        self.end();
    }
}
