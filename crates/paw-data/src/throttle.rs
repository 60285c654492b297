//! Why a device holds its clock down, as a number that a column of samples can hold.

/// The reasons by bit: in NVML's words and bits (`nvmlClocksEventReasons`, nvml.h of CUDA 13.4; idle, 1, is not among them), in Level
/// Zero's from bit 24 on (`zes_freq_throttle_reason_flag_t`), and in those of AMD's driver from bit 32 on. A column holds whole numbers up
/// to bit 52.
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
    (1 << 24, "ave_pwr_cap"),
    (1 << 25, "burst_pwr_cap"),
    (1 << 26, "current_limit"),
    (1 << 27, "thermal_limit"),
    (1 << 28, "psu_alert"),
    (1 << 29, "sw_range"),
    (1 << 30, "hw_range"),
    (1 << 32, "ppt"),
    (1 << 33, "tdc"),
    (1 << 34, "edc"),
    (1 << 35, "apcc"),
    (1 << 36, "thermal_socket"),
    (1 << 37, "thermal_memory"),
    (1 << 38, "thermal_vr"),
    (1 << 39, "prochot"),
    (1 << 40, "other_throttler"),
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
    use super::{REASONS, bits, words};

    #[test]
    fn reasons_are_the_same_as_bits_and_as_words() {
        assert_eq!(words(0x4 | 0x20 | 1), ["sw_power_cap", "sw_thermal_slowdown"]);
        assert_eq!(bits(["sw_power_cap", "sw_thermal_slowdown", "a later one"]), 0x24);
        assert_eq!(words(bits(["thermal_limit", "ppt"]) as f64 as u64), ["thermal_limit", "ppt"]);
        let all = REASONS.iter().fold(0, |all, (bit, _)| all | bit);
        assert_eq!((all.count_ones() as usize, all as f64 as u64), (REASONS.len(), all));
    }
}
