//! Hosts that are namespaces of this machine, and the link between them.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::address;
use crate::link::Link;
use crate::process::{self, HostProcess};
use crate::relay::READY;

/// Time that a host has to end by itself.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// Time between two looks at it.
const LOOK: Duration = Duration::from_millis(5);

/// Hosts of a test. Dropping them ends all that runs on them.
#[derive(Debug)]
pub struct Hosts {
    relay: Helper,
    hub: Helper,
    hosts: Vec<Helper>,
    tool: PathBuf,
    /// The last to go.
    home: TempDir,
}

/// A process of ours that answers its lines.
#[derive(Debug)]
struct Helper {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Helper {
    /// Starts a command and waits until it is ready.
    fn start(mut command: Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (orders, answers) = (child.stdin.take(), child.stdout.take());
        let answers = BufReader::new(answers.ok_or_else(|| io::Error::other("its output was asked for"))?);
        let mut helper = Self { child, orders, answers };
        helper.ready()?;
        Ok(helper)
    }

    fn order(&mut self, line: &str) -> io::Result<()> {
        let orders = self.orders.as_mut().ok_or_else(|| io::Error::other("it has ended"))?;
        writeln!(orders, "{line}")?;
        self.ready()
    }

    fn ready(&mut self) -> io::Result<()> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        if line.trim() == READY { Ok(()) } else { Err(io::Error::other("a process of the hosts did not start")) }
    }

    fn send(&self, signal: Signal) {
        // It may have ended.
        let _ = kill_process(Pid::from_child(&self.child), signal);
    }
}

/// A host ends with its orders, and once it has ended, so have all its processes.
impl Drop for Helper {
    fn drop(&mut self) {
        drop(self.orders.take());
        let began = Instant::now();
        while began.elapsed() < ENDS_WITHIN {
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            thread::sleep(LOOK);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A relay may be stopped.
impl Drop for Hosts {
    fn drop(&mut self) {
        self.relay.send(Signal::KILL);
    }
}

/// Why this process can make no hosts; `None` where it can.
pub fn obstacle() -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("hosts of its own take root: sudo ./check".to_owned());
    }
    if !Path::new("/dev/net/tun").exists() {
        return Some("there is no /dev/net/tun: modprobe tun".to_owned());
    }
    let tried = Command::new("unshare").args(["--net", "--uts", "--pid", "--mount", "--fork", "true"]).output();
    match tried {
        Ok(ran) if ran.status.success() => None,
        Ok(ran) => Some(format!("no namespaces can be made: {}", String::from_utf8_lossy(&ran.stderr).trim())),
        Err(error) => Some(format!("unshare cannot be run: {error}")),
    }
}

impl Hosts {
    /// As many hosts as asked for, up to 26, joined by `link`; `tool` is the program `two-hosts`.
    ///
    /// # Errors
    /// See [`obstacle`].
    pub fn start(tool: &Path, number: usize, link: Link) -> io::Result<Self> {
        let home = tempfile::Builder::new().prefix("two-hosts-").tempdir()?;
        let mut names = "127.0.0.1 localhost\n".to_owned();
        (0..number).for_each(|host| {
            let _ = writeln!(names, "{} {}", address::of_management(host), address::name(host));
        });
        fs::write(home.path().join("hosts"), names)?;
        let agent = format!(
            "#!/bin/sh\n[ \"$1\" = -x ] && shift\nexec {} shell {} \"$@\"\n",
            tool.display(),
            home.path().display()
        );
        fs::write(home.path().join("rsh"), agent)?;
        fs::set_permissions(home.path().join("rsh"), std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        let hosts = (0..number).map(|host| Helper::start(host_command(tool, home.path(), host)));
        let hosts = hosts.collect::<io::Result<Vec<_>>>()?;
        let started = |mut command: Command, what: &str| {
            command.arg(tool).arg(what).args(hosts.iter().map(|host| host.child.id().to_string()));
            Helper::start(command)
        };
        let (mut alone, mut first) = (Command::new("unshare"), Command::new("chrt"));
        alone.arg("--net");
        // What carries packets comes before ranks that wait busily.
        first.args(["--fifo", "50"]);
        let (hub, relay) = (started(alone, "hub")?, started(first, "relay")?);
        let mut started = Self { home, tool: tool.to_owned(), relay, hub, hosts };
        started.set(link)?;
        Ok(started)
    }

    /// A directory that all hosts see, and their home.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The remote shell as launchers want it: a program whose first argument is a host.
    pub fn agent(&self) -> PathBuf {
        self.home.path().join("rsh")
    }

    /// A shell's line on a host, with nothing of this process's environment.
    pub fn command(&self, host: usize, line: &str) -> Command {
        let mut command = Command::new(&self.tool);
        command.arg("shell").arg(self.home.path()).args([&address::name(host), line]).stdin(Stdio::null());
        command
    }

    /// Changes the link.
    ///
    /// # Errors
    /// The relay is stopped or has ended.
    pub fn set(&mut self, link: Link) -> io::Result<()> {
        self.relay.order(&link.to_string())
    }

    /// Stops the relay: packets wait, and nobody is told.
    pub fn freeze_link(&self) {
        self.relay.send(Signal::STOP);
    }

    /// Kills the relay: the interfaces of the link are gone.
    pub fn cut_link(&self) {
        self.relay.send(Signal::KILL);
    }

    /// Cuts all that joins the hosts: no launcher reaches another host any more.
    pub fn cut_all(&self) {
        self.relay.send(Signal::KILL);
        self.hub.send(Signal::KILL);
    }

    /// What runs on the hosts but for their own first processes.
    pub fn processes(&self) -> Vec<HostProcess> {
        let spaces = self.hosts.iter().map(|host| process::space_of_children(host.child.id())).collect::<Vec<_>>();
        process::all(&spaces, &self.tool)
    }
}

/// A host's first process: a shell, which takes note of all that end.
fn host_command(tool: &Path, home: &Path, host: usize) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    let first = "exec 3<&0; \"$0\" host \"$@\" <&3 3<&- & exec 3<&-; wait $!";
    command.args(["/bin/sh", "-c", first]).arg(tool).arg(home).arg(address::name(host));
    command
}
