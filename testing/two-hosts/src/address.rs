//! The names and addresses of hosts. They exist in the hosts' own network namespaces only.

use std::io;
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};

/// The interface of the link, whose delay, rate and loss are known.
pub const LINK: &str = "data0";
/// The interface through which jobs are started, which knows no delay.
pub const MANAGEMENT: &str = "mgmt0";

/// The name of host `number`: `node-a`, `node-b` …
pub fn name(number: usize) -> String {
    format!("node-{}", char::from(b'a' + u8::try_from(number % 26).unwrap_or(0)))
}

/// Its address on the link.
pub fn on_link(number: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 77, 0, last(number))
}

/// Its address where jobs are started.
pub fn of_management(number: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 78, 0, last(number))
}

/// The host that a packet of the link goes to; `None` where it is no packet for one of `hosts`.
pub fn destination(packet: &[u8], hosts: usize) -> Option<usize> {
    let is_version_4 = packet.first().is_some_and(|first| first >> 4 == 4);
    let address = Ipv4Addr::from(<[u8; 4]>::try_from(packet.get(16..20)?).ok()?);
    (0..hosts).find(|number| is_version_4 && on_link(*number) == address)
}

/// Gives an interface of this network an address, and switches it on.
///
/// # Errors
/// There is no such interface, or `ip` is missing.
pub fn give(interface: &str, address: Ipv4Addr) -> io::Result<()> {
    ip(&format!("addr add {address}/24 dev {interface}"))?;
    ip(&format!("link set {interface} up"))
}

/// Runs `ip` with arguments that hold no blank.
///
/// # Errors
/// It is missing or fails; the error is its own message.
pub fn ip(arguments: &str) -> io::Result<()> {
    let ran = Command::new("ip").args(arguments.split(' ')).stdin(Stdio::null()).output()?;
    if ran.status.success() {
        return Ok(());
    }
    Err(io::Error::other(format!("ip {arguments}: {}", String::from_utf8_lossy(&ran.stderr).trim())))
}

fn last(number: usize) -> u8 {
    u8::try_from(number + 1).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_goes_to_the_host_of_its_address() {
        let mut packet = [0; 20];
        packet[0] = 0x45;
        packet[16..].copy_from_slice(&on_link(1).octets());
        assert_eq!(destination(&packet, 2), Some(1));
        assert_eq!(destination(&packet, 1), None, "there is no such host");
        assert_eq!(destination(&packet[..19], 2), None, "it is cut short");
        packet[0] = 0x60;
        assert_eq!(destination(&packet, 2), None, "it has another version");
    }
}
