//! How often each of 256 values occurs: every addition may need the one before.

/// Counts `values[0..n]` into `counts[0..256]`, which it clears.
///
/// # Safety
/// Both pointers are valid for that many elements, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn histogram(n: u64, values: *const u8, counts: *mut u32) {
    // SAFETY: the caller hands over n values and 256 counts, which do not overlap.
    let (values, counts) = unsafe {
        (std::slice::from_raw_parts(values, n as usize), std::slice::from_raw_parts_mut(counts, 256))
    };
    counts.fill(0);
    if cfg!(FOUR) {
        let mut four = [[0u32; 256]; 4];
        for part in values.chunks(4) {
            for (table, value) in four.iter_mut().zip(part) {
                table[usize::from(*value)] += 1;
            }
        }
        for (value, count) in counts.iter_mut().enumerate() {
            *count = four.iter().map(|table| table[value]).sum();
        }
    } else {
        for value in values {
            counts[usize::from(*value)] += 1;
        }
    }
}
