//! Facts about devices: plain data.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The interface through which a device is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// NVIDIA's driver API.
    Cuda,
    /// AMD's run-time interface.
    Hip,
    /// Khronos' OpenCL, by whatever implementation is installed.
    OpenCl,
    /// oneAPI's Level Zero, which Intel's devices have.
    #[serde(rename = "ze")]
    LevelZero,
}

impl Backend {
    /// Every back-end, in the order of discovery.
    pub const ALL: [Backend; 4] = [Backend::Cuda, Backend::Hip, Backend::OpenCl, Backend::LevelZero];

    /// First part of a device's name: `cuda0`.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Cuda => "cuda",
            Backend::Hip => "hip",
            Backend::OpenCl => "opencl",
            Backend::LevelZero => "ze",
        }
    }

    /// The back-end's name as its vendor writes it.
    pub const fn title(self) -> &'static str {
        match self {
            Backend::Cuda => "CUDA",
            Backend::Hip => "HIP",
            Backend::OpenCl => "OpenCL",
            Backend::LevelZero => "Level Zero",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The kind of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A graphics processor.
    #[default]
    Gpu,
    /// The host's own processor, offered as a device.
    Cpu,
    /// Any other processor.
    Accelerator,
}

/// Facts about a device that do not change during the process's life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// The interface through which the device is reached.
    pub backend: Backend,
    /// The device's number in that interface.
    pub index: u32,
    /// The kind of the device.
    pub kind: DeviceKind,
    /// The product's name.
    pub name: String,
    /// Address on the PCI bus, in lower case: `0000:3b:00.0`.
    #[serde(default)]
    pub bus_id: Option<String>,
    /// Identity that survives reboots.
    #[serde(default)]
    pub uuid: Option<String>,
    /// Bytes of the device's memory.
    pub memory_bytes: u64,
    /// Bytes of the largest single allocation.
    pub allocation_bytes: u64,
    /// Bytes of the last-level cache; 0 if unknown.
    #[serde(default)]
    pub cache_bytes: u64,
    /// Streaming multiprocessors, or compute units.
    pub units: u32,
    /// The highest clock of its units, in hertz.
    #[serde(default)]
    pub clock_hz: Option<f64>,
    /// CUDA's compute capability.
    #[serde(default)]
    pub compute: Option<(u32, u32)>,
    /// Whether the device uses the host's memory: a transfer is a copy within memory.
    pub unified: bool,
    /// Whether a device reads the host's pageable memory directly (Grace Hopper).
    #[serde(default)]
    pub pageable_direct: bool,
    /// Whether the device computes in double precision.
    pub fp64: bool,
    /// The host's NUMA node nearest to it; `None` if unknown (-1 in virtual machines).
    #[serde(default)]
    pub numa_node: Option<u32>,
    /// Processors of the host that are near it; empty if unknown.
    #[serde(default)]
    pub host_cpus: Vec<u32>,
    /// The PCIe link.
    #[serde(default)]
    pub link: Option<PcieLink>,
    /// Dense operations per clock cycle of all units together, by the names of [`super::GemmKind`]; empty where unknown.
    #[serde(default)]
    pub peaks: BTreeMap<String, f64>,
    /// Version of the driver, or of the platform.
    pub driver: String,
    /// Version of the interface: `CUDA 12.4`, `OpenCL 3.0 PoCL 3.1`.
    pub api: String,
    /// The library that was opened.
    pub library: PathBuf,
}

impl DeviceFacts {
    /// The device's name in tables, flags and runs: `cuda0`.
    pub fn id(&self) -> String {
        format!("{}{}", self.backend, self.index)
    }
}

/// The devices that discovery found through one back-end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundDevices {
    /// The back-end.
    pub backend: Backend,
    /// The devices; empty if `missing`.
    pub devices: Vec<DeviceFacts>,
    /// One sentence: what is missing, and the way out.
    #[serde(default)]
    pub missing: Option<String>,
    /// The back-end's other libraries (`cuBLAS`, `NVRTC`, `NVML`, `CLBlast`): where each was found, or why not.
    #[serde(default)]
    pub libraries: Vec<(String, Result<String, String>)>,
}

/// A PCIe link, current and maximum: an idle link may have been slowed down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PcieLink {
    /// Generation now; 0 where nobody says it.
    pub generation: u32,
    /// The highest generation that both device and slot support.
    pub generation_max: u32,
    /// Lanes now; 0 where nobody says it.
    pub lanes: u32,
    /// The most lanes that both device and slot support.
    pub lanes_max: u32,
}

impl PcieLink {
    /// Bytes a second in one direction, at most, before any packet's header (PCI-SIG: 8, 16, 32 and 64 GT/s a lane; 8b/10b code up to
    /// generation 2, 128b/130b after it); `None` for generations that are not known.
    pub fn peak_bytes_s(&self) -> Option<f64> {
        let transfers_s = [2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9];
        let at = usize::try_from(self.generation_max).ok()?.checked_sub(1)?;
        let coded = if self.generation_max <= 2 { 0.8 } else { 128.0 / 130.0 };
        Some(transfers_s.get(at)? * coded / 8.0 * f64::from(self.lanes_max))
    }
}

/// Capabilities of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Marks carry times.
    pub marks: bool,
    /// A queue can be blocked, filled and released.
    pub gate: bool,
    /// Memory can come from a pool in the order of a queue.
    pub pool: bool,
    /// Kernels can read host memory that is mapped into the device's address space.
    pub mapped: bool,
}

/// How host memory for transfers is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HostKind {
    /// Ordinary memory of the process.
    Pageable,
    /// Allocated page-locked by the driver.
    Pinned,
    /// Allocated by the program, page-locked afterwards.
    Registered,
    /// Page-locked and mapped into the device's address space: no copy call, a kernel reads or writes it.
    Mapped,
}

impl HostKind {
    /// Name on the axis.
    pub const fn name(self) -> &'static str {
        match self {
            HostKind::Pageable => "pageable",
            HostKind::Pinned => "pinned",
            HostKind::Registered => "registered",
            HostKind::Mapped => "mapped",
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        [HostKind::Pageable, HostKind::Pinned, HostKind::Registered, HostKind::Mapped]
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// Whether a device copies from it without the driver's help: only such memory may be copied behind a gate.
    pub const fn is_locked(self) -> bool {
        !matches!(self, HostKind::Pageable)
    }
}

/// The state of a device now; a field is `None` where it is unknown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceState {
    /// Clock of the units.
    pub clock_hz: Option<f64>,
    /// Clock of the memory.
    pub memory_clock_hz: Option<f64>,
    /// Power drawn.
    pub power_w: Option<f64>,
    /// Temperature.
    pub temperature_c: Option<f64>,
    /// Why clocks are held down, in the vendor's words: NVML's without the prefix (`sw_power_cap`, `hw_thermal_slowdown` …), Level
    /// Zero's (`ave_pwr_cap` …), and those of AMD's driver (`ppt` …). Idle is no reason.
    pub throttled: Option<Vec<String>>,
    /// The PCIe link.
    pub link: Option<PcieLink>,
    /// Whether memory errors are corrected (ECC).
    pub ecc: Option<bool>,
}
