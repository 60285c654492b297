//! Patterns with `*` for any text and `?` for any character, in any case.

use std::fmt;

use crate::machine::Machine;

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(pub String);

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Pattern {
    /// Whether `text` is what the pattern describes, from its beginning to its end.
    pub fn fits(&self, text: &str) -> bool {
        let pattern: Vec<char> = self.0.to_lowercase().chars().collect();
        let text: Vec<char> = text.to_lowercase().chars().collect();
        // The place behind the last `*`, and where in the text its rest was tried.
        let (mut p, mut t, mut star) = (0, 0, None);
        while t < text.len() {
            match pattern.get(p) {
                Some('*') => {
                    star = Some((p + 1, t));
                    p += 1;
                }
                Some(c) if *c == '?' || *c == text[t] => (p, t) = (p + 1, t + 1),
                _ => match star {
                    Some((behind, tried)) => {
                        star = Some((behind, tried + 1));
                        (p, t) = (behind, tried + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[p..].iter().all(|c| *c == '*')
    }

    /// Whether it describes the machine's processor, host name or fingerprint.
    pub fn fits_machine(&self, machine: &Machine) -> bool {
        let identity = &machine.identity;
        [&identity.cpu, &identity.host, &identity.fingerprint].into_iter().any(|own| self.fits(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        let check = |pattern: &str, text: &str| Pattern(pattern.to_owned()).fits(text);
        for (pattern, text) in [
            ("*", ""),
            ("amd epyc*", "AMD EPYC 7763 64-Core Processor"),
            ("*7763*", "AMD EPYC 7763 64-Core Processor"),
            ("a*b*c", "aXbbYc"),
            ("node?", "node7"),
            ("", ""),
        ] {
            assert!(check(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a*b", "abc"), ("node?", "node12"), ("", "a"), ("a*b*c", "acb")] {
            assert!(!check(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = Pattern("*a".repeat(200));
        assert!(!pattern.fits(&"a".repeat(199)) && pattern.fits(&"a".repeat(4000)));
    }
}
