//! The network through which jobs are started: a bridge that every host has an interface to, with no delay.

use std::io::{self, Read, Write};

use crate::address::{self, MANAGEMENT, ip};
use crate::relay::{READY, inside};

/// Joins the hosts of these processes until standard input ends; it has a network of its own, with which the bridge ends.
///
/// # Errors
/// The interfaces cannot be made.
pub fn run(hosts: &[u32]) -> io::Result<()> {
    ip("link add br0 type bridge")?;
    ip("link set br0 up")?;
    for (number, pid) in hosts.iter().copied().enumerate() {
        ip(&format!("link add m{number} type veth peer name {MANAGEMENT} netns {pid}"))?;
        ip(&format!("link set m{number} master br0 up"))?;
        inside(pid, move || address::give(MANAGEMENT, address::of_management(number)))?;
    }
    writeln!(io::stdout(), "{READY}")?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
