//! The launcher's end of the socket to `paw`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use crate::protocol::{LauncherReply, LauncherRequest};
use crate::sys;

/// The launcher's end of the socket to `paw`.
#[derive(Debug)]
pub(crate) struct Control {
    requests: BufReader<UnixStream>,
    replies: UnixStream,
}

impl Control {
    /// Takes over the socket that is standard input, and replaces standard input by `/dev/null`. Started programs do not
    /// inherit the socket.
    pub(crate) fn inherited() -> io::Result<Control> {
        let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        socket.peer_addr()?;
        sys::replace(File::open("/dev/null")?.as_fd(), io::stdin().as_raw_fd())?;
        Ok(Control { requests: BufReader::new(socket.try_clone()?), replies: socket })
    }

    /// Waits for the next request; `None` once `paw` has closed the socket.
    pub(crate) fn next(&mut self) -> io::Result<Option<LauncherRequest>> {
        let mut line = Vec::new();
        match self.requests.read_until(b'\n', &mut line) {
            // An incomplete line comes from a process that died while it wrote.
            Ok(_) if !line.ends_with(b"\n") => Ok(None),
            Ok(_) => Ok(Some(serde_json::from_slice(&line)?)),
            Err(_) => Ok(None),
        }
    }

    /// Answers the last request.
    pub(crate) fn answer(&mut self, reply: &LauncherReply) -> io::Result<()> {
        let mut line = serde_json::to_vec(reply)?;
        line.push(b'\n');
        self.replies.write_all(&line)
    }

    /// Whether a request is buffered already: polling the socket would not report it.
    pub(crate) fn holds_request(&self) -> bool {
        !self.requests.buffer().is_empty()
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.replies.as_fd()
    }
}
