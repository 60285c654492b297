//! A remote shell between hosts, as launchers use ssh: the other side runs a line, and has the caller's standard streams.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// What ssh leaves with where it could run nothing.
pub const UNREACHABLE: i32 = 255;
/// The longest line.
const LINE_MAX: usize = 1 << 16;
/// Standard streams of a process.
const STREAMS: usize = 3;

/// The socket of a host, in the directory that hosts share.
pub fn socket(directory: &Path, host: &str) -> PathBuf {
    directory.join(format!("{host}.sock"))
}

/// Runs the lines that callers send, each in a shell of its own in `home`, until the process ends.
pub fn serve(listener: UnixListener, home: PathBuf) {
    for stream in listener.incoming().flatten() {
        let home = home.clone();
        thread::spawn(move || {
            let code = answer(&stream, &home).unwrap_or(UNREACHABLE);
            // The caller may be gone.
            let _ = (&stream).write_all(&code.to_le_bytes());
        });
    }
}

fn answer(stream: &UnixStream, home: &Path) -> io::Result<i32> {
    let (line, streams) = received(stream)?;
    let [input, output, error] =
        <[OwnedFd; STREAMS]>::try_from(streams).map_err(|_| io::Error::other("a line comes with three streams"))?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &line]).current_dir(home).env_clear();
    command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", home).env("TMPDIR", crate::host::TEMPORARY);
    command.stdin(Stdio::from(input)).stdout(Stdio::from(output)).stderr(Stdio::from(error));
    let mut child = command.spawn()?;
    drop(command);
    Ok(child.wait()?.code().unwrap_or(UNREACHABLE))
}

/// Runs `line` on a host with this process's standard streams; returns what it leaves with.
///
/// # Errors
/// The host cannot be reached.
pub fn call(directory: &Path, host: &str, line: &str) -> io::Result<i32> {
    let mut stream = UnixStream::connect(socket(directory, host))?;
    let (input, output, error) = (io::stdin(), io::stdout(), io::stderr());
    let streams = [input.as_fd(), output.as_fd(), error.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(STREAMS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&streams));
    sendmsg(&stream, &[IoSlice::new(line.as_bytes())], &mut ancillary, SendFlags::empty())?;
    let mut code = [0; 4];
    stream.read_exact(&mut code)?;
    Ok(i32::from_le_bytes(code))
}

fn received(stream: &UnixStream) -> io::Result<(String, Vec<OwnedFd>)> {
    let mut line = vec![0; LINE_MAX];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(STREAMS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let read = recvmsg(stream, &mut [IoSliceMut::new(&mut line)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    line.truncate(read.bytes);
    let streams = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(streams) => Some(streams),
        _ => None,
    });
    Ok((String::from_utf8_lossy(&line).into_owned(), streams.flatten().collect()))
}
