//! Memory that the machine gets only when it is touched.

use super::machine_files::gibibytes;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Nodes that show less than nine tenths of the machine's memory: kernels keep a few per cent for themselves, not more.
const VISIBLE_SHARE: f64 = 0.9;

/// Memory that the machine gets only when it is touched.
pub const LAZY_MEMORY: Check = Check {
    id: "lazy-memory",
    effect: "the first touch of a page waits for the hypervisor, or for the kernel to prepare it",
    size: Some("a first touch at 3 GB/s and a second at 35 GB/s on a virtual machine"),
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let visible: u64 = files.topology.nodes.iter().map(|node| node.visible_bytes).sum();
    let total = files.topology.memory.total_bytes;
    let path = "/sys/devices/system/node/node0/meminfo";
    if visible == 0 || total == 0 || !files.shows_nodes() {
        return Err(files.word(path).err().unwrap_or_else(|| Unreadable::new(path, "no memory node shows its memory")));
    }
    let (shown, all) = (gibibytes(visible), gibibytes(total));
    let finding = Finding::of(format!("{shown:.1} of {all:.1} GiB"), path);
    if visible as f64 >= VISIBLE_SHARE * total as f64 {
        return Ok(finding);
    }
    let cause = format!("memory nodes show {shown:.1} of {all:.1} GiB: memory is backed when it is first touched");
    Ok(finding.warn(cause, "touch operands twice before timing, as the suites here do"))
}
