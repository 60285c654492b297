//! The microarchitecture of this machine's processor, by the numbers that `/proc/cpuinfo` shows.

use std::fs;
use std::path::Path;

/// A processor as groups of counters name it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Processor {
    /// Its microarchitecture: `skylake`, `zen5`; empty if it is unknown.
    pub name: String,
    /// Vendor, family and model, for messages.
    pub numbers: String,
}

/// A range of models of one family: vendor, family, first and last model, name.
///
/// Intel: Intel SDM volume 4, table 2-1. AMD: the Processor Programming References, and the list of linux
/// tools/perf/pmu-events/arch/x86/mapfile.csv for both.
const MODELS: &[(&str, u32, u32, u32, &str)] = &[
    ("GenuineIntel", 6, 0x3c, 0x3c, "haswell"),
    ("GenuineIntel", 6, 0x3f, 0x3f, "haswell"),
    ("GenuineIntel", 6, 0x45, 0x46, "haswell"),
    ("GenuineIntel", 6, 0x3d, 0x3d, "broadwell"),
    ("GenuineIntel", 6, 0x47, 0x47, "broadwell"),
    ("GenuineIntel", 6, 0x4f, 0x4f, "broadwell"),
    ("GenuineIntel", 6, 0x56, 0x56, "broadwell"),
    ("GenuineIntel", 6, 0x4e, 0x4e, "skylake"),
    ("GenuineIntel", 6, 0x5e, 0x5e, "skylake"),
    ("GenuineIntel", 6, 0x8e, 0x8e, "skylake"),
    ("GenuineIntel", 6, 0x9e, 0x9e, "skylake"),
    ("GenuineIntel", 6, 0xa5, 0xa6, "skylake"),
    ("GenuineIntel", 6, 0x55, 0x55, "skylake-server"),
    ("GenuineIntel", 6, 0x7d, 0x7e, "icelake"),
    ("GenuineIntel", 6, 0x8c, 0x8d, "icelake"),
    ("GenuineIntel", 6, 0x6a, 0x6a, "icelake-server"),
    ("GenuineIntel", 6, 0x6c, 0x6c, "icelake-server"),
    ("GenuineIntel", 6, 0x8f, 0x8f, "sapphirerapids"),
    ("GenuineIntel", 6, 0xcf, 0xcf, "sapphirerapids"),
    ("AuthenticAMD", 0x17, 0x00, 0x2f, "zen"),
    ("AuthenticAMD", 0x17, 0x30, 0xff, "zen2"),
    ("AuthenticAMD", 0x19, 0x00, 0x0f, "zen3"),
    ("AuthenticAMD", 0x19, 0x20, 0x5f, "zen3"),
    ("AuthenticAMD", 0x19, 0x10, 0x1f, "zen4"),
    ("AuthenticAMD", 0x19, 0x60, 0xaf, "zen4"),
    ("AuthenticAMD", 0x1a, 0x00, 0xff, "zen5"),
];

/// Every microarchitecture that has a name here, each once.
pub fn known() -> Vec<&'static str> {
    let mut names: Vec<&str> = MODELS.iter().map(|model| model.4).collect();
    names.dedup();
    names
}

impl Processor {
    /// The processor of the machine whose files are below `root`, which is `/` but for tests.
    pub fn read(root: &Path) -> Self {
        let text = fs::read_to_string(root.join("proc/cpuinfo")).unwrap_or_default();
        let field = |name: &str| {
            let lines = text.lines().filter_map(|line| line.split_once(':'));
            lines.into_iter().find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
        };
        let number = |name: &str| field(name).and_then(|text| text.parse().ok());
        match (field("vendor_id"), number("cpu family"), number("model")) {
            (Some(vendor), Some(family), Some(model)) => Self::of(&vendor, family, model),
            _ => Self::default(),
        }
    }

    /// The processor called `name`.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), numbers: String::new() }
    }

    fn of(vendor: &str, family: u32, model: u32) -> Self {
        let fits = |(known, of_family, first, last, _): &&(&str, u32, u32, u32, &str)| {
            *known == vendor && *of_family == family && (*first..=*last).contains(&model)
        };
        Self {
            name: MODELS.iter().find(fits).map_or_else(String::new, |found| found.4.to_owned()),
            numbers: format!("{vendor} family {family:#x} model {model:#x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_have_their_names() {
        let name = |vendor: &str, family, model| Processor::of(vendor, family, model).name;
        assert_eq!(name("GenuineIntel", 6, 0x4e), "skylake");
        assert_eq!(name("GenuineIntel", 6, 0x55), "skylake-server");
        assert_eq!(name("AuthenticAMD", 0x1a, 2), "zen5");
        assert_eq!(name("AuthenticAMD", 0x19, 0x11), "zen4");
        assert_eq!(name("AuthenticAMD", 0x19, 0x21), "zen3");
        assert_eq!(name("HygonGenuine", 0x18, 1), "");
    }
}
