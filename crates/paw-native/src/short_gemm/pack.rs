//! Operands packed into words of neighbours along k.
//!
//! A strip of A holds chunks of [`CHUNK`] words along k: in each, the words of every row follow each other, as tiles read them. A panel
//! of B holds word after word along k, each of all columns. What a matrix lacks is zero.
#![allow(unsafe_code)]

/// Words along k that a row of a strip has together: a cache line, and a row of a tile.
pub(super) const CHUNK: usize = 16;

/// How numbers become words.
pub(super) trait Format {
    /// A number of A, and of B.
    type A: Copy;
    type B: Copy;
    /// Neighbours along k in a word.
    const DEPTH: usize;
    /// Whether the words of a row are its numbers as little-endian machines store them.
    const VERBATIM: bool;
    /// The bits of a number in the lowest part of a word.
    fn bits_a(number: Self::A) -> u32;
    fn bits_b(number: Self::B) -> u32;
}

/// Bits of a number's part of a word.
const fn part_bits<F: Format>() -> usize {
    u32::BITS as usize / F::DEPTH
}

/// Packs `rows` rows of a matrix of `k` columns from row `first` on.
#[inline(always)]
pub(super) fn pack_a<F: Format>(a: &[F::A], k: usize, first: usize, rows: usize, to: &mut [u32]) {
    let valid = a.len().checked_div(k).unwrap_or(0).saturating_sub(first).min(rows);
    for (index, chunk) in to.chunks_exact_mut(rows * CHUNK).enumerate() {
        let column = (index * CHUNK * F::DEPTH).min(k);
        let len = (CHUNK * F::DEPTH).min(k - column);
        for (row, words) in chunk.chunks_exact_mut(CHUNK).enumerate() {
            let at = (first + row) * k + column;
            match row < valid {
                true => pack_row::<F>(&a[at..at + len], words),
                false => words.fill(0),
            }
        }
    }
}

/// Packs the numbers of a row into words, and zeros into those that are left.
#[inline(always)]
fn pack_row<F: Format>(numbers: &[F::A], words: &mut [u32]) {
    if F::VERBATIM && cfg!(target_endian = "little") && size_of_val(numbers) == size_of_val(words) {
        let (from, to) = (numbers.as_ptr().cast::<u8>(), words.as_mut_ptr().cast::<u8>());
        // SAFETY: both have as many bytes, of which any are a word, and the words are borrowed exclusively.
        return unsafe { from.copy_to_nonoverlapping(to, size_of_val(numbers)) };
    }
    let join = |word: u32, (at, number): (usize, &F::A)| word | F::bits_a(*number) << (at * part_bits::<F>());
    let whole = numbers.chunks_exact(F::DEPTH);
    let rest = whole.remainder();
    let count = whole.len();
    for (word, numbers) in words.iter_mut().zip(whole) {
        *word = numbers.iter().enumerate().fold(0, join);
    }
    if let Some(left) = words.get_mut(count..) {
        left.fill(0);
    }
    if !rest.is_empty() {
        words[count] = rest.iter().enumerate().fold(0, join);
    }
}

/// Packs `columns` columns of a matrix of `n` columns from column `first` on.
#[inline(always)]
pub(super) fn pack_b<F: Format>(b: &[F::B], n: usize, first: usize, columns: usize, to: &mut [u32]) {
    let valid = (n - first).min(columns);
    let k = b.len() / n;
    for (index, words) in to.chunks_exact_mut(columns).enumerate() {
        let depth = (k - (index * F::DEPTH).min(k)).min(F::DEPTH);
        let row = |part: usize| &b[(index * F::DEPTH + part) * n + first..][..valid];
        let bits = |part: usize, number: &F::B| F::bits_b(*number) << (part * part_bits::<F>());
        let (words, beyond) = words.split_at_mut(valid);
        beyond.fill(0);
        match (F::DEPTH, depth) {
            (2, 2) => {
                let rows = row(0).iter().zip(row(1));
                words.iter_mut().zip(rows).for_each(|(word, (a, b))| *word = bits(0, a) | bits(1, b));
            }
            (4, 4) => {
                let rows = row(0).iter().zip(row(1)).zip(row(2).iter().zip(row(3)));
                let join = |((a, b), (c, d))| bits(0, a) | bits(1, b) | bits(2, c) | bits(3, d);
                words.iter_mut().zip(rows).for_each(|(word, numbers)| *word = join(numbers));
            }
            _ => {
                words.fill(0);
                for part in 0..depth {
                    words.iter_mut().zip(row(part)).for_each(|(word, number)| *word |= bits(part, number));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::Quads;
    use super::{CHUNK, pack_a, pack_b};

    #[test]
    fn neighbours_along_k_share_a_word_and_what_is_missing_is_zero() {
        // A is 3 x 5, a strip has two rows; B is 5 x 3, a panel has two columns.
        let a: Vec<u8> = (1..16).collect();
        let mut strip = vec![7; 2 * CHUNK];
        pack_a::<Quads>(&a, 5, 2, 2, &mut strip);
        assert_eq!(strip[..3], [0x0E0D_0C0B, 0x0F, 0]);
        assert!(strip[3..].iter().all(|word| *word == 0));
        let b: Vec<i8> = (1..16).collect();
        let mut panel = vec![7; 2 * CHUNK];
        pack_b::<Quads>(&b, 3, 2, 2, &mut panel);
        assert_eq!(panel[..4], [0x0C09_0603, 0, 0x0F, 0]);
        assert!(panel[4..].iter().all(|word| *word == 0));
    }
}
