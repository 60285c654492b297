//! The worker's side of the protocol.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use paw_measure::fault::Fault;
use paw_measure::workload::Workload;
use paw_native::affinity;
use rustix::stdio::{dup2_stdin, dup2_stdout};
use serde_json::Value;

use crate::guard::{self, GuardLost};
use crate::protocol::{Opened, Reply, Request};

/// Makes a workload of what the parent described.
pub type Factory<'a> = dyn FnMut(&Value) -> Result<(Box<dyn Workload>, Opened), Fault> + 'a;

/// Answers what the parent asks apart from any workload.
pub type Answers = fn(&Value) -> Result<Value, Fault>;

/// For a worker that is asked for workloads alone.
pub fn unasked(question: &Value) -> Result<Value, Fault> {
    Err(Fault::Broken(format!("this worker answers no question: {question}")))
}

/// The socket to the parent.
#[derive(Debug)]
pub struct Channel {
    /// The process that started this worker, by its guard.
    parent: u32,
    requests: BufReader<UnixStream>,
    replies: UnixStream,
}

impl Channel {
    /// Takes over the socket that the parent passed as standard input, then makes standard input empty and standard output a copy of
    /// standard error, so that no library can disturb the protocol. The process that the parent started becomes the worker's guard, and
    /// this function returns in a process of its own. Call it before any library is loaded or thread started.
    pub fn inherited() -> Result<Channel, Fault> {
        Self::take_over().map_err(|error| {
            Fault::Broken(format!("a worker is started by its parent, with a socket as standard input: {error}"))
        })
    }

    fn take_over() -> io::Result<Channel> {
        let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        socket.peer_addr()?;
        dup2_stdin(File::open("/dev/null")?)?;
        dup2_stdout(io::stderr())?;
        let parent = guard::split(GuardLost::Dies)?;
        Ok(Channel { parent, requests: BufReader::new(socket.try_clone()?), replies: socket })
    }

    /// The next request; `None` if the parent is gone.
    fn next(&mut self) -> Result<Option<Request>, Fault> {
        let mut line = Vec::new();
        match self.requests.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => Ok(None),
            Ok(_) => serde_json::from_slice(&line)
                .map(Some)
                .map_err(|error| Fault::Broken(format!("the parent's request is not of this protocol: {error}"))),
        }
    }

    fn answer(&mut self, reply: &Reply) -> Result<(), Fault> {
        let mut line = serde_json::to_vec(reply).expect("replies are plain data");
        line.push(b'\n');
        self.replies.write_all(&line).map_err(|error| Fault::Broken(format!("the parent does not listen: {error}")))
    }
}

/// Serves the parent until it quits or is gone. The guard kills this process when the parent dies.
pub fn serve(mut channel: Channel, factory: &mut Factory<'_>, answers: Answers) -> Result<(), Fault> {
    let mut open = BTreeMap::new();
    while let Some(request) = channel.next()? {
        let quit = request == Request::Quit;
        let reply = answer(channel.parent, request, &mut open, factory, answers).unwrap_or_else(Reply::from);
        channel.answer(&reply)?;
        if quit {
            break;
        }
    }
    Ok(())
}

fn answer(
    started_by: u32,
    request: Request,
    open: &mut BTreeMap<u64, Box<dyn Workload>>,
    factory: &mut Factory<'_>,
    answers: Answers,
) -> Result<Reply, Fault> {
    match request {
        Request::Hello { parent, cpus } => {
            settle(parent == started_by, &cpus).map(|()| Reply::Settled { pid: std::process::id() })
        }
        Request::Open { handle, spec } => {
            let (workload, opened) = factory(&spec)?;
            open.insert(handle, workload);
            Ok(Reply::Opened(opened))
        }
        Request::Resume { handle } => opened(open, handle)?.resume().map(|()| Reply::Done),
        Request::Sample { handle, loops } => {
            opened(open, handle)?.sample(loops).map(|reading| Reply::Sampled(reading.map(Into::into)))
        }
        Request::Pause { handle } => {
            opened(open, handle)?.pause();
            Ok(Reply::Done)
        }
        Request::Renew { handle } => opened(open, handle)?.renew().map(|()| Reply::Done),
        Request::Verify { handle } => opened(open, handle)?.verify().map(Reply::Checked),
        Request::Caveats { handle } => opened(open, handle).map(|workload| Reply::Caveats(workload.caveats())),
        Request::Close { handle } => {
            open.remove(&handle);
            Ok(Reply::Done)
        }
        Request::Question { asked } => answers(&asked).map(Reply::Answered),
        Request::Quit => Ok(Reply::Done),
    }
}

fn opened(open: &mut BTreeMap<u64, Box<dyn Workload>>, handle: u64) -> Result<&mut Box<dyn Workload>, Fault> {
    open.get_mut(&handle).ok_or_else(|| Fault::Broken(format!("there is no open workload {handle} in this worker")))
}

/// Keeps this process on its processors, unless its parent was gone before the guard could watch it.
fn settle(is_watched: bool, cpus: &[u32]) -> Result<(), Fault> {
    if !is_watched {
        return Err(Fault::Broken("the parent ended before its worker was tied to it".to_owned()));
    }
    if !cpus.is_empty() {
        affinity::pin(cpus)
            .map_err(|error| Fault::Broken(format!("the worker cannot stay on processors {cpus:?}: {error}")))?;
    }
    Ok(())
}
