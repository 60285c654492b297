//! Contents of /proc/cpuinfo: model, vector extensions, microcode, frequencies.

use std::collections::{BTreeMap, BTreeSet};

use crate::root::Root;

/// Vector extensions that matter to numeric code: the kernel's name of the flag, and the name used in runs. Widest last.
const EXTENSIONS: &[(&str, &str)] = &[
    ("sse2", "sse2"),
    ("sse4_2", "sse4.2"),
    ("avx", "avx"),
    ("f16c", "f16c"),
    ("fma", "fma"),
    ("avx2", "avx2"),
    ("avx_vnni", "avx_vnni"),
    ("avx512f", "avx512f"),
    ("avx512cd", "avx512cd"),
    ("avx512dq", "avx512dq"),
    ("avx512bw", "avx512bw"),
    ("avx512vl", "avx512vl"),
    ("avx512_vnni", "avx512_vnni"),
    ("avx512_bf16", "avx512_bf16"),
    ("avx512_fp16", "avx512_fp16"),
    ("amx_tile", "amx_tile"),
    ("amx_int8", "amx_int8"),
    ("amx_bf16", "amx_bf16"),
    ("amx_fp16", "amx_fp16"),
    // Arm: 32-bit kernels say neon, 64-bit ones asimd.
    ("neon", "neon"),
    ("asimd", "neon"),
    ("asimdhp", "fp16"),
    ("asimddp", "dotprod"),
    ("bf16", "bf16"),
    ("i8mm", "i8mm"),
    ("sve", "sve"),
    ("sve2", "sve2"),
    ("sme", "sme"),
];

/// Arm's implementers and parts (Arm, MIDR_EL1 of each core's technical reference manual), by which runs name a processor.
/// The fingerprint holds that name: further parts go into `microarchitecture`, so that machines stay the same.
const ARM_PARTS: &[(u32, u32, &str)] = &[
    (0x41, 0xd03, "Arm Cortex-A53"),
    (0x41, 0xd05, "Arm Cortex-A55"),
    (0x41, 0xd07, "Arm Cortex-A57"),
    (0x41, 0xd08, "Arm Cortex-A72"),
    (0x41, 0xd0b, "Arm Cortex-A76"),
    (0x41, 0xd0c, "Arm Neoverse-N1"),
    (0x41, 0xd40, "Arm Neoverse-V1"),
    (0x41, 0xd49, "Arm Neoverse-N2"),
    (0x41, 0xd4f, "Arm Neoverse-V2"),
    (0x41, 0xd84, "Arm Neoverse-V3"),
    (0x41, 0xd85, "Arm Cortex-X925"),
    (0x41, 0xd87, "Arm Cortex-A725"),
    (0x41, 0xd8e, "Arm Neoverse-N3"),
    (0x43, 0x0af, "Cavium ThunderX2"),
    (0x46, 0x001, "Fujitsu A64FX"),
    (0x48, 0xd01, "HiSilicon TaiShan v110"),
    (0xc0, 0xac3, "Ampere-1"),
    (0xc0, 0xac4, "Ampere-1a"),
];

/// /proc/cpuinfo as blocks of keys and values, one block a processor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CpuInfo {
    pub(crate) blocks: Vec<BTreeMap<String, String>>,
}

impl CpuInfo {
    /// Reads /proc/cpuinfo; empty where it cannot be read.
    pub fn read(root: &Root) -> Self {
        Self::parse(&root.text("/proc/cpuinfo").unwrap_or_default())
    }

    /// Parses the text into blocks; the trailing lines of old Arm kernels (`Hardware`) form one more block.
    pub fn parse(text: &str) -> Self {
        let entry = |line: &str| line.split_once(':').map(|(k, v)| (k.trim().to_owned(), v.trim().to_owned()));
        let blocks = text.split("\n\n").map(|block| block.lines().filter_map(entry).collect());
        Self { blocks: blocks.filter(|block: &BTreeMap<_, _>| !block.is_empty()).collect() }
    }

    /// The first value of any of `keys`, in the order of the keys.
    fn value(&self, keys: &[&str]) -> Option<&str> {
        let first = |key: &&str| self.blocks.iter().find_map(|b| b.get(*key)).map(String::as_str);
        keys.iter().filter_map(first).find(|value| !value.is_empty())
    }

    /// The processor's model; different models of one machine are joined by ` + `.
    pub fn model(&self) -> String {
        // x86 and LoongArch, POWER, s390 and SPARC, RISC-V, in this order.
        let named = self.value(&["model name", "Model Name", "cpu", "vendor_id", "uarch"]);
        let parts: BTreeSet<String> = self.blocks.iter().filter_map(arm_part).collect();
        match named {
            // 64-bit Arm kernels give numbers only.
            _ if !parts.is_empty() => parts.into_iter().collect::<Vec<_>>().join(" + "),
            Some(name) => name.split_whitespace().collect::<Vec<_>>().join(" "),
            None => "unknown processor".to_owned(),
        }
    }

    /// Vector extensions that every processor has.
    pub fn isa(&self) -> Vec<String> {
        let told = self.blocks.iter().filter_map(|b| b.get("flags").or_else(|| b.get("Features")));
        let sets: Vec<BTreeSet<&str>> = told.map(|flags| flags.split_whitespace().collect()).collect();
        let everywhere = |flag: &str| !sets.is_empty() && sets.iter().all(|set| set.contains(flag));
        let mut isa: Vec<String> = Vec::new();
        for (flag, name) in EXTENSIONS {
            if everywhere(flag) && !isa.iter().any(|known| known == name) {
                isa.push((*name).to_owned());
            }
        }
        isa
    }

    /// Whether the first processor has a flag (`hypervisor`, `constant_tsc`).
    pub fn has_flag(&self, flag: &str) -> bool {
        self.value(&["flags", "Features"]).is_some_and(|flags| flags.split_whitespace().any(|f| f == flag))
    }

    /// The architecture (`x86_64`, `aarch64` …) that the text's keys reveal, if any.
    pub fn arch(&self) -> Option<&'static str> {
        let x86 =
            self.value(&["vendor_id"]).is_some_and(|v| ["GenuineIntel", "AuthenticAMD", "HygonGenuine"].contains(&v));
        if x86 {
            return Some(if self.has_flag("lm") { "x86_64" } else { "x86" });
        }
        self.value(&["CPU implementer"])?;
        Some(if self.has_flag("asimd") { "aarch64" } else { "arm" })
    }

    /// The microcode's revision, if known.
    pub fn microcode(&self) -> Option<&str> {
        self.value(&["microcode"])
    }

    /// Current frequencies in MHz, if known; a virtual machine shows a constant.
    pub fn frequencies_mhz(&self) -> Vec<f64> {
        let told = self.blocks.iter().filter_map(|b| b.get("cpu MHz").or_else(|| b.get("clock")));
        told.filter_map(|text| text.trim_end_matches("MHz").parse().ok()).collect()
    }
}

fn arm_part(block: &BTreeMap<String, String>) -> Option<String> {
    let (implementer, part) = arm_numbers(block)?;
    let known = arm_name(implementer, part).map(str::to_owned);
    Some(known.unwrap_or_else(|| format!("Arm part {implementer:#04x}/{part:#05x}")))
}

/// Implementer and part number of an Arm core.
pub(crate) fn arm_numbers(block: &BTreeMap<String, String>) -> Option<(u32, u32)> {
    let number = |key| u32::from_str_radix(block.get(key)?.trim_start_matches("0x"), 16).ok();
    Some((number("CPU implementer")?, number("CPU part")?))
}

/// The name of an Arm core, as runs have it.
pub(crate) fn arm_name(implementer: u32, part: u32) -> Option<&'static str> {
    ARM_PARTS.iter().find(|(i, p, _)| (*i, *p) == (implementer, part)).map(|(_, _, name)| *name)
}
