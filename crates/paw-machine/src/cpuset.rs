//! Sets of logical processors (and of NUMA nodes), as the kernel writes them: `0-3,8`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The kernel counts at most 8192 processors on x86 and less elsewhere; a number beyond this is a damaged file.
const NUMBER_MAX: u32 = 65_535;

/// A set of logical processor numbers, or of NUMA node numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CpuSet(BTreeSet<u32>);

/// Text that is no list of processors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is not a list of processors: {why}. hint: write numbers and ranges, as in 0-3,8")]
pub struct CpuSetError {
    /// The text.
    pub text: String,
    /// The error in the text.
    pub why: String,
}

impl CpuSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether `cpu` is in the set.
    pub fn contains(&self, cpu: u32) -> bool {
        self.0.contains(&cpu)
    }

    /// Adds `cpu`.
    pub fn insert(&mut self, cpu: u32) {
        self.0.insert(cpu);
    }

    /// Number of processors in the set.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The smallest number in the set.
    pub fn first(&self) -> Option<u32> {
        self.0.first().copied()
    }

    /// The largest number in the set.
    pub fn last(&self) -> Option<u32> {
        self.0.last().copied()
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// The numbers in both sets.
    #[must_use]
    pub fn intersection(&self, other: &CpuSet) -> CpuSet {
        self.iter().filter(|cpu| other.contains(*cpu)).collect()
    }

    /// The numbers in this set that `other` lacks.
    #[must_use]
    pub fn difference(&self, other: &CpuSet) -> CpuSet {
        self.iter().filter(|cpu| !other.contains(*cpu)).collect()
    }

    /// The numbers in either set.
    #[must_use]
    pub fn union(&self, other: &CpuSet) -> CpuSet {
        self.iter().chain(other.iter()).collect()
    }

    /// Whether the two sets share a number.
    pub fn intersects(&self, other: &CpuSet) -> bool {
        self.iter().any(|cpu| other.contains(cpu))
    }

    /// The set a kernel mask means: 32-bit hexadecimal words, the highest first (`00000000,0000000f`).
    ///
    /// # Errors
    /// Where a word is not hexadecimal or longer than 8 digits.
    pub fn from_mask(text: &str) -> Result<Self, CpuSetError> {
        let mut set = CpuSet::new();
        for (word, digits) in text.trim().rsplit(',').enumerate() {
            let digits = digits.trim().trim_start_matches("0x");
            let well_formed = (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
            if !well_formed {
                return Err(refused(text, format!("\"{digits}\" is not a 32-bit hexadecimal word")));
            }
            let bits = u32::from_str_radix(digits, 16).map_err(|e| refused(text, e.to_string()))?;
            let first = word as u32 * 32;
            set.0.extend((0..32).filter(|bit| bits >> bit & 1 == 1).map(|bit| first + bit));
        }
        Ok(set)
    }
}

/// Reads the kernel's list format, and `0-12:4` for every fourth number; an empty text is the empty set.
impl FromStr for CpuSet {
    type Err = CpuSetError;

    fn from_str(text: &str) -> Result<Self, CpuSetError> {
        let mut set = CpuSet::new();
        if text.trim().is_empty() {
            return Ok(set);
        }
        for part in text.trim().split(',') {
            let (range, step) = part.split_once(':').unwrap_or((part, "1"));
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            let (from, to, step) = (number(text, from)?, number(text, to)?, number(text, step)?);
            if to < from {
                return Err(refused(text, format!("the range {from}-{to} runs backwards")));
            }
            if step == 0 {
                return Err(refused(text, format!("the range {from}-{to} has steps of 0")));
            }
            set.0.extend((from..=to).step_by(step as usize));
        }
        Ok(set)
    }
}

fn number(text: &str, digits: &str) -> Result<u32, CpuSetError> {
    let digits = digits.trim();
    match digits.parse::<u32>() {
        Ok(n) if digits.starts_with('+') => Err(refused(text, format!("\"+{n}\" is not a number"))),
        Ok(n) if n <= NUMBER_MAX => Ok(n),
        Ok(n) => Err(refused(text, format!("{n} is beyond any processor number ({NUMBER_MAX})"))),
        Err(_) => Err(refused(text, format!("\"{digits}\" is not a number"))),
    }
}

fn refused(text: &str, why: String) -> CpuSetError {
    CpuSetError { text: text.to_owned(), why }
}

/// Writes the kernel's list format: `0-3,8`.
impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut numbers = self.iter().peekable();
        let mut comma = "";
        while let Some(from) = numbers.next() {
            let mut to = from;
            while numbers.peek() == Some(&(to + 1)) {
                to += 1;
                numbers.next();
            }
            match to - from {
                0 => write!(f, "{comma}{from}")?,
                _ => write!(f, "{comma}{from}-{to}")?,
            }
            comma = ",";
        }
        Ok(())
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        Self(numbers.into_iter().collect())
    }
}

impl<const N: usize> From<[u32; N]> for CpuSet {
    fn from(numbers: [u32; N]) -> Self {
        numbers.into_iter().collect()
    }
}
