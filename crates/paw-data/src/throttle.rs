//! Why a device holds its clock down, as a number that a column of samples can hold.

/// The reasons by bit, in NVML's words without the prefix (`nvmlClocksEventReasons`, nvml.h of CUDA 13.4). Idle, 1, is not among them.
pub const REASONS: &[(u64, &str)] = &[
    (0x2, "applications_clocks_setting"),
    (0x4, "sw_power_cap"),
    (0x8, "hw_slowdown"),
    (0x10, "sync_boost"),
    (0x20, "sw_thermal_slowdown"),
    (0x40, "hw_thermal_slowdown"),
    (0x80, "hw_power_brake_slowdown"),
    (0x100, "display_clock_setting"),
    (0x200, "board_limit"),
    (0x400, "reliability"),
];

/// The bits of reasons given in words; a word that is not known has none.
pub fn bits<'w>(words: impl IntoIterator<Item = &'w str>) -> u64 {
    let bit = |word: &str| REASONS.iter().find(|(_, known)| *known == word).map_or(0, |(bit, _)| *bit);
    words.into_iter().map(bit).fold(0, |bits, bit| bits | bit)
}

/// The words of the reasons whose bits are set.
pub fn words(bits: u64) -> Vec<&'static str> {
    REASONS.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, word)| *word).collect()
}

#[cfg(test)]
mod tests {
    use super::{bits, words};

    #[test]
    fn reasons_are_the_same_as_bits_and_as_words() {
        assert_eq!(words(0x4 | 0x20 | 1), ["sw_power_cap", "sw_thermal_slowdown"]);
        assert_eq!(bits(["sw_power_cap", "sw_thermal_slowdown", "a later one"]), 0x24);
    }
}
