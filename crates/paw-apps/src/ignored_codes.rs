//! Exit codes of runs that count although they failed.

/// Exit codes of runs that count although they failed. A run that a signal or its time limit ended never does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IgnoredCodes {
    /// None.
    #[default]
    None,
    /// All but 0.
    All,
    /// These.
    These(Vec<i32>),
}

impl IgnoredCodes {
    /// Reads `all`, `all-non-zero` or `1,2`; nothing typed ignores none.
    ///
    /// # Errors
    /// One sentence that names what is no exit code.
    pub fn parse(typed: Option<&str>) -> Result<Self, String> {
        let code = |text: &str| match text.trim().parse::<u8>() {
            Ok(code) if code > 0 => Ok(i32::from(code)),
            _ => Err(format!("`{text}` is no exit code of a failure: write numbers from 1 to 255, or all")),
        };
        match typed {
            None => Ok(Self::None),
            Some("all" | "all-non-zero") => Ok(Self::All),
            Some(codes) => codes.split(',').map(code).collect::<Result<_, _>>().map(Self::These),
        }
    }

    /// Whether `code` is among them.
    pub fn holds(&self, code: i32) -> bool {
        match self {
            Self::None => false,
            Self::All => code != 0,
            Self::These(codes) => codes.contains(&code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_all_or_those_that_are_named() {
        let holds = |typed: Option<&str>| {
            let ignored = IgnoredCodes::parse(typed).unwrap();
            (0..4).filter(|code| ignored.holds(*code)).collect::<Vec<_>>()
        };
        assert!(holds(None).is_empty());
        assert_eq!(holds(Some("all")), [1, 2, 3]);
        assert_eq!(holds(Some("all-non-zero")), [1, 2, 3]);
        assert_eq!(holds(Some("1, 3")), [1, 3]);
    }

    #[test]
    fn what_is_no_code_of_a_failure_is_named() {
        for wrong in ["0", "256", "-1", "one", "", "1,,2"] {
            assert!(IgnoredCodes::parse(Some(wrong)).unwrap_err().contains("is no exit code of a failure"), "{wrong}");
        }
    }
}
