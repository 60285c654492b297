//! Packets that the machine takes and sends.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Packets a second: at a few microseconds each they take less than a hundredth of a processor.
pub const PACKETS_QUIET: f64 = 2000.0;

/// Packets that the machine takes and sends.
pub const NETWORK: Check = Check {
    id: "network",
    effect: "packets interrupt processors, and the kernel works on them in the name of whoever runs there",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/net/dev";
    let text = files.word(path)?;
    if !text.contains(':') {
        return Err(Unreadable::new(path, "it lists no interface"));
    }
    let packets = packets(&text);
    let uptime = files.word("/proc/uptime")?;
    let seconds = uptime.split_whitespace().next().and_then(|field| field.parse::<f64>().ok()).filter(|s| *s > 0.0);
    let seconds = seconds.ok_or_else(|| Unreadable::new("/proc/uptime", "it holds no time"))?;
    let rate = packets / seconds;
    let finding = Finding::of(format!("{rate:.0} packets a second since the machine was started"), path);
    if rate <= PACKETS_QUIET {
        return Ok(finding);
    }
    let cause = format!("{rate:.0} packets a second passed since the machine was started");
    Ok(finding.info(
        cause,
        "find out whether they still pass (sar -n DEV 1), and take the machine off the network while measuring",
    ))
}

/// Packets taken and sent by all interfaces but the loop: `name: bytes packets errs drop fifo frame compressed multicast bytes packets …`.
pub fn packets(text: &str) -> f64 {
    let lines = text.lines().filter_map(|line| line.split_once(':')).filter(|(name, _)| name.trim() != "lo");
    let sum = |fields: &str| {
        let fields: Vec<f64> = fields.split_whitespace().map_while(|field| field.parse().ok()).collect();
        fields.get(1).unwrap_or(&0.0) + fields.get(9).unwrap_or(&0.0)
    };
    lines.map(|(_, fields)| sum(fields)).sum()
}
