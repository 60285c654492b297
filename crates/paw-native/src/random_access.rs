//! Random updates of a table, as HPC Challenge's RandomAccess defines them.
//!
//! The numbers are powers of x modulo x⁶⁴ + x² + x + 1 over the field of two elements; number r changes the word r mod length of a table
//! (a power of two) to its exclusive or with r. Source: Luszczek et al., *Introduction to the HPC Challenge Benchmark Suite*, 2005. That
//! benchmark lets processes change each other's words and forgives one lost update in a hundred; here each sequence has a table of its own,
//! and none is lost.

/// x² + x + 1: what x⁶⁴ is.
const POLYNOMIAL: u64 = 7;

/// Sequences that one thread follows side by side, so that an update does not wait for the number of the one before.
pub const SEQUENCES: usize = 8;

/// The number after `value`: its product with x.
#[inline(always)]
fn next(value: u64) -> u64 {
    (value << 1) ^ (((value as i64) >> 63) as u64 & POLYNOMIAL)
}

/// The product of `a` and `b`.
fn product(a: u64, b: u64) -> u64 {
    (0..64).rev().fold(0, |sum, bit| next(sum) ^ (if b >> bit & 1 == 1 { a } else { 0 }))
}

/// Number `place` of the sequence that begins with 1: x to the power of `place`.
fn number(place: u64) -> u64 {
    (0..64).rev().fold(1, |power, bit| {
        let square = product(power, power);
        if place >> bit & 1 == 1 { next(square) } else { square }
    })
}

/// Numbers between the starts of two sequences: more than any run takes.
const APART: u64 = 1 << 48;

/// Where a thread is in its [`SEQUENCES`] sequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updates {
    values: [u64; SEQUENCES],
}

impl Updates {
    /// The start of the sequences of worker `worker`.
    pub fn of_worker(worker: usize) -> Updates {
        let place = |sequence: usize| ((worker * SEQUENCES + sequence) as u64).wrapping_mul(APART);
        Updates { values: std::array::from_fn(|sequence| number(place(sequence))) }
    }

    /// Updates `table` `rounds` times with the next number of each sequence. The same updates a second time undo the first.
    ///
    /// # Panics
    /// Where the length of the table is no power of two.
    pub fn apply(&mut self, table: &mut [u64], rounds: u64) {
        assert!(table.len().is_power_of_two(), "a table of {} words has no mask", table.len());
        let mask = table.len() - 1;
        let mut values = self.values;
        for _ in 0..rounds {
            for value in &mut values {
                *value = next(*value);
                table[*value as usize & mask] ^= *value;
            }
        }
        self.values = values;
    }
}

#[cfg(test)]
mod tests {
    use super::{SEQUENCES, Updates, next, number, product};

    #[test]
    fn a_number_is_reached_by_steps_and_by_its_place() {
        let mut value = 1;
        for place in 0..300 {
            assert_eq!(number(place), value);
            value = next(value);
        }
        assert_eq!(product(number(1 << 40), number((1 << 40) + 5)), number((1 << 41) + 5));
    }

    #[test]
    fn the_sequence_has_the_published_period() {
        // HPC Challenge's RandomAccess gives it.
        const PERIOD: u64 = 1_317_624_576_693_539_401;
        assert_eq!(number(PERIOD), 1);
        assert!([7, 73, 127, 337, 92_737, 649_657].iter().all(|divisor| number(PERIOD / divisor) != 1));
    }

    #[test]
    fn updates_are_those_of_the_sequences_one_after_the_other_and_undo_themselves() {
        let mut table: Vec<u64> = (0..64).collect();
        Updates::of_worker(1).apply(&mut table, 1000);
        assert!(table.iter().zip(0..).filter(|(found, index)| **found != *index).count() > 60);
        let mut values = Updates::of_worker(1).values;
        for value in &mut values {
            for _ in 0..1000 {
                *value = next(*value);
                table[(*value % 64) as usize] ^= *value;
            }
        }
        assert!(table.iter().zip(0..).all(|(found, index)| *found == index));
        assert_eq!(SEQUENCES, values.len());
    }

    #[test]
    fn numbers_reach_every_part_of_a_table() {
        let mut table = vec![0_u64; 1 << 12];
        Updates::of_worker(0).apply(&mut table, 1 << 14);
        assert!(table.iter().all(|word| *word != 0));
    }
}
