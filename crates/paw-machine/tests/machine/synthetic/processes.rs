//! Files below /proc and /etc.

use std::fmt::Write;
use std::io;

use crate::synthetic::{FileTree, HardwareThread, HostType, KindEvidence, MachineSpec};

/// The processor of all synthetic machines but those whose kinds differ by Arm's register.
const X86: &str =
    "vendor_id\t: GenuineIntel\nmodel name\t: Paper Processor 9000 @ 2.00GHz\nmicrocode\t: 0x2b\ncpu MHz\t\t: 2000.000";
const X86_FLAGS: &str = "fpu lm sse2 sse4_2 avx f16c fma avx2 constant_tsc nonstop_tsc";
const ARM: &str = "Features\t: fp asimd asimdhp asimddp sve2\nCPU implementer\t: 0x41\nCPU part\t: 0xd85";

pub(super) fn write(spec: &MachineSpec, places: &[HardwareThread], tree: &FileTree<'_>) -> io::Result<()> {
    let online: Vec<u32> = spec.online().iter().collect();
    tree.put("/proc/cpuinfo", cpuinfo(spec, &online))?;
    let with_memory = spec.node_numbers().len() - spec.memoryless.len().min(spec.node_numbers().len());
    let kilobytes = (spec.memory_bytes >> 10) * with_memory as u64;
    let meminfo = format!(
        "MemTotal:       {kilobytes} kB\nMemFree:        {} kB\nMemAvailable:   {} kB\nSwapTotal:      0 kB\nSwapFree:       0 kB",
        kilobytes / 2,
        kilobytes / 4 * 3
    );
    tree.put("/proc/meminfo", meminfo)?;
    let hundredths = spec.load_hundredths;
    tree.put("/proc/loadavg", format!("{}.{:02} 0.10 0.05 1/200 4242", hundredths / 100, hundredths % 100))?;
    let mut stat = "cpu  0 0 0 0 0 0 0 0 0 0\n".to_owned();
    for cpu in &online {
        // Writing to a String cannot fail.
        let _ = writeln!(stat, "cpu{cpu} 100 0 50 1000 0 0 0 0 0 0");
    }
    tree.put("/proc/stat", stat.trim_end())?;
    let all: paw_machine::cpuset::CpuSet = places.iter().map(|p| p.cpu).collect();
    let mask = spec.affinity.clone().unwrap_or(all);
    tree.put("/proc/self/status", format!("Name:\tpaper\nCpus_allowed_list:\t{mask}"))?;
    tree.put("/proc/sys/kernel/hostname", "paper")?;
    tree.put("/proc/sys/kernel/osrelease", "6.1.0-paper")?;
    tree.put("/etc/os-release", "NAME=\"Paper Linux\"\nPRETTY_NAME=\"Paper Linux 1\"")
}

fn cpuinfo(spec: &MachineSpec, online: &[u32]) -> String {
    let hypervisor = if spec.host == HostType::Virtual { " hypervisor" } else { "" };
    let block = |cpu: &u32| match spec.evidence {
        KindEvidence::Midr => format!("processor\t: {cpu}\n{ARM}\n"),
        _ => format!("processor\t: {cpu}\n{X86}\nflags\t\t: {X86_FLAGS}{hypervisor}\n"),
    };
    online.iter().map(block).collect::<Vec<_>>().join("\n")
}
