//! Runs a compiler in a process group of its own, reads its output, and kills it at a deadline.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Output beyond this is dropped.
const KEPT_BYTES: usize = 1 << 20;
/// Interval between checks of a silent compiler.
const LOOK: Duration = Duration::from_millis(5);
/// The time for reading output after a compiler's end: processes that it left behind may hold the pipe.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Exit and output of a compiler.
#[derive(Debug)]
pub(crate) struct CompilerExit {
    /// Its exit status; `None` if it took too long and was killed.
    pub(crate) status: Option<ExitStatus>,
    /// Its output.
    pub(crate) said: String,
}

/// Runs `words` until it ends, or for `deadline` at most. Its messages are in English, because they are parsed.
pub(crate) fn run(command: &mut Command, deadline: Duration) -> io::Result<CompilerExit> {
    let (reader, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer).env("LC_ALL", "C").process_group(0);
    let child = command.spawn();
    // Drops the command's copies of the pipe's writer: they would keep the pipe open.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child?;
    let chunks = listen(reader);
    let mut said = Vec::new();
    let pid = Pid::from_child(&child);
    let in_time = attend(pid, &chunks, &mut said, deadline);
    // Fails if every process of the group has ended, which is fine.
    let _ = kill_process_group(pid, Signal::KILL);
    let status = child.wait()?;
    while let Ok(chunk) = chunks.recv_timeout(LAST_WORDS) {
        keep(&mut said, chunk);
    }
    let said = String::from_utf8_lossy(&said).into_owned();
    Ok(CompilerExit { status: in_time.then_some(status), said })
}

/// Collects output until the child has ended, or until the deadline, which returns `false`.
fn attend(pid: Pid, chunks: &Receiver<Vec<u8>>, said: &mut Vec<u8>, deadline: Duration) -> bool {
    let start = Instant::now();
    while !has_ended(pid) {
        if start.elapsed() >= deadline {
            return false;
        }
        match chunks.recv_timeout(LOOK) {
            Ok(chunk) => keep(said, chunk),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK),
        }
    }
    true
}

/// Whether the child `pid` has ended. It is not reaped, so that its number and its group's are not used again.
fn has_ended(pid: Pid) -> bool {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(waitid(WaitId::Pid(pid), how), Ok(Some(_)))
}

fn keep(said: &mut Vec<u8>, chunk: Vec<u8>) {
    let room = KEPT_BYTES.saturating_sub(said.len());
    said.extend(chunk.into_iter().take(room));
}

fn listen(mut reader: io::PipeReader) -> Receiver<Vec<u8>> {
    let (sender, chunks) = mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(read @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..read].to_vec()).is_err() {
                break;
            }
        }
    });
    chunks
}
