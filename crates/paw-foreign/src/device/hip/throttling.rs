//! Why a device holds its clock down, from the table `gpu_metrics` that the kernel's driver shows in sysfs: what rocm-smi and amd-smi read.
//! The layouts are those of Linux's `kgd_pp_interface.h`; a table of another version tells nothing here.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Reasons by the bits of `indep_throttle_status`, which are the same for every device (Linux's `amdgpu_smu.h`: power from bit 0 on,
/// current from 16, temperature from 32, and what is left from 48).
const REASONS: &[(u64, &str)] = &[
    (0xff, "ppt"),
    (0x1f << 16, "tdc"),
    (0x3 << 21, "edc"),
    (0x1 << 23, "apcc"),
    (0xc3b << 32, "thermal_socket"),
    (0x1 << 34, "thermal_memory"),
    (0x33c0 << 32, "thermal_vr"),
    (0xc000 << 32, "prochot"),
    (0xffff << 48, "other_throttler"),
];

/// Reasons by the order of the counters of `…_residency_acc`.
const RESIDENCIES: [&str; 5] = ["prochot", "ppt", "thermal_socket", "thermal_vr", "thermal_memory"];

/// What a table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThrottleStatus {
    /// What throttles now, by bits.
    Now(u64),
    /// For how long each reason has, by counters that only grow.
    Ever([u32; RESIDENCIES.len()]),
}

/// The reasons of one device.
#[derive(Debug, Default)]
pub(super) struct Throttling {
    last: Mutex<Option<[u32; RESIDENCIES.len()]>>,
}

impl Throttling {
    /// Why the clock of the device at that place of the bus is held down; `None` where its driver does not tell. A driver that counts
    /// tells what has been since it was asked before, so that the first answer is none.
    pub(super) fn reasons(&self, root: &Path, bus_id: &str) -> Option<Vec<String>> {
        let table = fs::read(root.join("sys/bus/pci/devices").join(bus_id).join("gpu_metrics")).ok()?;
        let words: Vec<&str> = match told(&table)? {
            ThrottleStatus::Now(bits) => {
                REASONS.iter().filter(|(mask, _)| bits & mask != 0).map(|(_, word)| *word).collect()
            }
            ThrottleStatus::Ever(now) => {
                let before = self.last.lock().unwrap_or_else(PoisonError::into_inner).replace(now)?;
                let grown = RESIDENCIES.iter().zip(before.iter().zip(&now)).filter(|(_, (before, now))| before != now);
                grown.map(|(word, _)| *word).collect()
            }
        };
        Some(words.into_iter().map(str::to_owned).collect())
    }
}

/// What a table says, if its version is known: size, format and content come first. Fields that a device lacks have all bits set.
fn told(table: &[u8]) -> Option<ThrottleStatus> {
    let [low, high, format, content] = *table.first_chunk()?;
    if usize::from(u16::from_le_bytes([low, high])) > table.len() {
        return None;
    }
    match (format, content) {
        (1, 3) => {
            let bits = u64::from_le_bytes(*table.get(112..)?.first_chunk()?);
            Some(ThrottleStatus::Now(bits)).filter(|_| bits != u64::MAX)
        }
        (1, 6) => ever(table, 36),
        (1, 7 | 8) => ever(table, 44),
        // 1.4 and 1.5 have a field that is always zero, and 1.9 lists its fields.
        _ => None,
    }
}

/// Five counters from a place on.
fn ever(table: &[u8], at: usize) -> Option<ThrottleStatus> {
    let mut counters = [0; RESIDENCIES.len()];
    for (counter, bytes) in counters.iter_mut().zip(table.get(at..)?.first_chunk::<20>()?.chunks_exact(4)) {
        *counter = u32::from_le_bytes(bytes.try_into().ok()?);
    }
    Some(ThrottleStatus::Ever(counters)).filter(|_| counters.iter().all(|counter| *counter != u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0000:03:00.0";

    /// A table of that version and size with bytes at a place; the others are zeros.
    fn table((format, content): (u8, u8), size: u16, at: usize, bytes: &[u8]) -> Vec<u8> {
        let mut table = vec![0; usize::from(size)];
        table[..2].copy_from_slice(&size.to_le_bytes());
        (table[2], table[3]) = (format, content);
        table[at..][..bytes.len()].copy_from_slice(bytes);
        table
    }

    fn asked(throttling: &Throttling, table: &[u8]) -> Option<Vec<String>> {
        let root = tempfile::tempdir().unwrap();
        let device = root.path().join("sys/bus/pci/devices").join(ID);
        fs::create_dir_all(&device).unwrap();
        fs::write(device.join("gpu_metrics"), table).unwrap();
        throttling.reasons(root.path(), ID)
    }

    #[test]
    fn bits_that_every_device_shares_are_reasons() {
        let of = |bits: u64| asked(&Throttling::default(), &table((1, 3), 120, 112, &bits.to_le_bytes()));
        assert_eq!(of(0), Some(Vec::new()));
        // SMU_THROTTLER_PPT0_BIT, _TDC_GFX_BIT, _TEMP_HOTSPOT_BIT, _TEMP_VR_GFX_BIT and _PROCHOT_GFX_BIT.
        let words = [(0, "ppt"), (16, "tdc"), (36, "thermal_socket"), (38, "thermal_vr"), (47, "prochot")];
        for (bit, word) in words {
            assert_eq!(of(1 << bit).unwrap(), [word]);
        }
        assert_eq!(of(1 | 1 << 34).unwrap(), ["ppt", "thermal_memory"]);
        assert_eq!(of(u64::MAX), None, "the device does not have the field");
    }

    #[test]
    fn each_bit_has_one_reason() {
        let named = REASONS.iter().fold(0, |named, (mask, _)| {
            assert_eq!(named & mask, 0);
            named | mask
        });
        // The bits between the groups mean nothing yet.
        assert_eq!(!named, 0xff << 8 | 0xff << 24);
    }

    #[test]
    fn counters_tell_what_has_been_since_the_last_look() {
        let counters = |values: [u32; 5]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        for (version, size, at) in [((1, 6), 1664, 36), ((1, 8), 3000, 44)] {
            let throttling = Throttling::default();
            let look = |values| asked(&throttling, &table(version, size, at, &counters(values)));
            assert_eq!(look([0, 7, 0, 0, 0]), None, "nobody knows since when");
            assert_eq!(look([0, 7, 0, 0, 0]), Some(Vec::new()));
            assert_eq!(look([0, 9, 4, 0, 0]).unwrap(), ["ppt", "thermal_socket"]);
            assert_eq!(look([u32::MAX; 5]), None);
        }
    }

    #[test]
    fn what_is_not_understood_tells_nothing() {
        let throttling = Throttling::default();
        assert_eq!(throttling.reasons(Path::new("/nowhere"), ID), None);
        for table in [table((1, 4), 288, 40, &[1]), table((1, 9), 300, 8, &[1]), table((2, 4), 200, 8, &[1]), vec![1]] {
            assert_eq!(asked(&throttling, &table), None);
        }
        assert_eq!(asked(&throttling, &table((1, 3), 120, 112, &[1])[..116]), None, "it is cut short");
    }
}
