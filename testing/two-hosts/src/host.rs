//! The first process of a host: gives it a name and files of its own, and answers the remote shell.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::address::ip;
use crate::relay::READY;
use crate::shell;

/// A host's own directory for temporary files, in memory.
pub const TEMPORARY: &str = "/dev/shm/tmp";

/// Is the host `name` until standard input ends: everything in its namespaces then ends too.
///
/// # Errors
/// It is not in namespaces of its own, or not root there.
pub fn run(directory: &Path, name: &str) -> io::Result<()> {
    rustix::system::sethostname(name.as_bytes())?;
    mount(&["-t", "tmpfs", "none", "/dev/shm"])?;
    fs::create_dir(TEMPORARY)?;
    // Libraries look for interfaces there.
    mount(&["-t", "sysfs", "none", "/sys"])?;
    mount(&["--bind", &directory.join("hosts").display().to_string(), "/etc/hosts"])?;
    ip("link set lo up")?;
    let listener = UnixListener::bind(shell::socket(directory, name))?;
    let home = directory.to_owned();
    thread::spawn(move || shell::serve(listener, home));
    writeln!(io::stdout(), "{READY}")?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn mount(arguments: &[&str]) -> io::Result<()> {
    let done = Command::new("mount").args(arguments).status()?.success();
    if done { Ok(()) } else { Err(io::Error::other(format!("mount {} failed", arguments.join(" ")))) }
}
