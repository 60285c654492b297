//! Text as numbers, so that it can travel in a sum to which all other ranks add nothing.

/// Bytes a number holds: six are 48 bits, and every integer below 2⁵³ is exact.
const BYTES: usize = 6;

/// The length in bytes, then the bytes, six to a number.
pub fn pack(text: &str) -> Vec<f64> {
    let chunk = |bytes: &[u8]| bytes.iter().fold(0u64, |all, byte| all << 8 | u64::from(*byte)) as f64;
    let length = text.len() as f64;
    std::iter::once(length).chain(text.as_bytes().chunks(BYTES).map(chunk)).collect()
}

/// The text that begins at the next number; `None` where there is none, or where the numbers are no text.
pub fn unpack(numbers: &mut impl Iterator<Item = f64>) -> Option<String> {
    let mut left = numbers.next()? as usize;
    let mut bytes = Vec::new();
    while left > 0 {
        let count = left.min(BYTES);
        let number = (numbers.next()? as u64).to_be_bytes();
        bytes.extend_from_slice(&number[number.len() - count..]);
        left -= count;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_as_numbers() {
        for text in ["", "late", "rank 3: libmpi broke", "µs ≤ 1 %", "sixsix", "sevensevens"] {
            assert_eq!(unpack(&mut pack(text).into_iter()).as_deref(), Some(text));
        }
    }

    #[test]
    fn numbers_that_end_too_soon_are_no_text() {
        assert_eq!(unpack(&mut [].into_iter()), None);
        assert_eq!(unpack(&mut [7.0, 1.0].into_iter()), None);
    }
}
