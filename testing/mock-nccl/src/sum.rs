//! Sums of elements, by the numbers of their types.

/// Bytes of an element by the number of its type (`ncclDataType_t`): 8-bit integers to bfloat16.
const BYTES: [usize; 10] = [1, 1, 4, 4, 8, 8, 2, 4, 8, 2];

/// Bytes of an element of that type; nothing where there is no such type.
pub(crate) fn element_bytes(kind: i32) -> Option<usize> {
    BYTES.get(usize::try_from(kind).ok()?).copied()
}

macro_rules! summed {
    ($number:ty, $add:expr, $into:expr, $from:expr) => {{
        const BYTES: usize = size_of::<$number>();
        let pairs = $into.as_chunks_mut::<BYTES>().0.iter_mut().zip($from.as_chunks::<BYTES>().0);
        pairs.for_each(|(to, from)| {
            *to = $add(<$number>::from_ne_bytes(*to), <$number>::from_ne_bytes(*from)).to_ne_bytes()
        });
        true
    }};
}

/// Adds the elements of `from` to those of `into`; false where the mock does not add that type.
pub(crate) fn add(kind: i32, into: &mut [u8], from: &[u8]) -> bool {
    match kind {
        1 => summed!(u8, u8::wrapping_add, into, from),
        2 => summed!(i32, i32::wrapping_add, into, from),
        4 => summed!(i64, i64::wrapping_add, into, from),
        5 => summed!(u64, u64::wrapping_add, into, from),
        7 => summed!(f32, |a: f32, b: f32| a + b, into, from),
        8 => summed!(f64, |a: f64, b: f64| a + b, into, from),
        _ => false,
    }
}
