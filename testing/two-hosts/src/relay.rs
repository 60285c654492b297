//! The process that carries packets from host to host, late and lossy as asked: every host's own thread takes what it sends.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::os::fd::AsFd;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::address;
use crate::link::{FREE, Link, LinkEnd};
use crate::sys;

/// What it says once the hosts can reach each other, and after every change.
pub const READY: &str = "ready";

/// The largest packet of the link.
const PACKET_MAX: usize = 1500;

/// A packet on its way.
struct Packet {
    bytes: Vec<u8>,
    to: usize,
    /// From the relay's start on.
    arrives: Duration,
}

/// Carries packets between the hosts of these processes until standard input ends, each line of which is a [`Link`].
///
/// # Errors
/// The interfaces cannot be made.
pub fn run(hosts: &[u32]) -> io::Result<()> {
    let ends = hosts.iter().enumerate().map(|(number, pid)| joined(number, *pid)).collect::<io::Result<Vec<_>>>()?;
    let (link, began) = (Arc::new(Mutex::new(FREE)), Instant::now());
    for end in &ends {
        let (sent, queued) = mpsc::channel();
        let (from, link) = (end.try_clone()?, Arc::clone(&link));
        let to = ends.iter().map(File::try_clone).collect::<io::Result<Vec<_>>>()?;
        let hosts = hosts.len();
        thread::spawn(move || take(from, hosts, &link, began, &sent));
        thread::spawn(move || give(&to, began, &queued));
    }
    let mut out = io::stdout();
    writeln!(out, "{READY}")?;
    for line in io::stdin().lock().lines() {
        let asked = line?.parse().map_err(io::Error::other)?;
        *link.lock().unwrap_or_else(PoisonError::into_inner) = asked;
        writeln!(out, "{READY}")?;
    }
    Ok(())
}

/// The relay's end of a host's link; the host has its interface and address afterwards.
fn joined(number: usize, pid: u32) -> io::Result<File> {
    inside(pid, move || {
        let end = sys::interface(address::LINK)?;
        address::give(address::LINK, address::on_link(number))?;
        Ok(end)
    })
}

/// Does `work` in the network of a process: a network namespace is a thread's own.
///
/// # Errors
/// There is no such process, or `work` fails.
pub fn inside<T: Send + 'static>(pid: u32, work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    let thread = thread::spawn(move || {
        let network = File::open(format!("/proc/{pid}/ns/net"))?;
        move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network))?;
        work()
    });
    thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread of a host broke")))
}

/// Takes packets of a host until its interface is gone.
fn take(mut from: File, hosts: usize, link: &Mutex<Link>, began: Instant, sent: &Sender<Packet>) {
    let (mut end, mut rng, mut buffer) = (LinkEnd::default(), fastrand::Rng::with_seed(1), [0; PACKET_MAX]);
    while let Ok(bytes) = from.read(&mut buffer) {
        let packet = &buffer[..bytes];
        let Some(to) = address::destination(packet, hosts) else { continue };
        let link = *link.lock().unwrap_or_else(PoisonError::into_inner);
        let arrival = end.arrival(&link, began.elapsed(), bytes, rng.f64());
        let packet = arrival.map(|arrives| Packet { bytes: packet.to_vec(), to, arrives });
        if packet.is_some_and(|packet| sent.send(packet).is_err()) {
            return;
        }
    }
}

/// Hands packets over when they arrive.
fn give(to: &[File], began: Instant, queued: &Receiver<Packet>) {
    for packet in queued {
        thread::sleep(packet.arrives.saturating_sub(began.elapsed()));
        // A host that is gone receives nothing.
        let _ = (&to[packet.to]).write(&packet.bytes);
    }
}
