//! What a check found: level, raw value, the file it was read from, cause and remedy.

use std::fmt;

use super::machine_files::Unreadable;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Times are wrong, or were taken while the process was stopped.
    Fail,
    /// Times are disturbed, or may not repeat.
    Warn,
    /// Times are right; a reader of them should know.
    Info,
    /// The machine does not say.
    Unknown,
    /// Nothing to do.
    Ok,
}

impl Level {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fail => "FAIL",
            Self::Warn => "WARN",
            Self::Info => "INFO",
            Self::Unknown => "UNKNOWN",
            Self::Ok => "OK",
        }
    }

    /// Whether measurements are disturbed.
    pub const fn disturbs(self) -> bool {
        matches!(self, Self::Fail | Self::Warn)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A file below /sys or /proc/sys, and the value to write into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its path on the machine.
    pub path: String,
    /// The value.
    pub value: String,
}

/// A part of a remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A setting that can be written now, and back again later.
    Write(Setting),
    /// A command line that cannot be taken back by writing an old value.
    Command(String),
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub level: Level,
    /// The value as read.
    pub value: String,
    /// The file that holds it.
    pub path: String,
    /// What was seen, as a phrase; empty where the value says it all.
    pub cause: String,
    /// The remedy, as a phrase; empty where there is nothing to do.
    pub action: String,
    /// The remedy, step by step; empty where it is no command.
    pub steps: Vec<Step>,
    /// Whether any user can apply the remedy, though that of other findings of this check is root's.
    pub is_users: bool,
}

impl Finding {
    /// A finding of a value, with nothing wrong yet.
    pub fn of(value: impl ToString, path: impl Into<String>) -> Self {
        let [cause, action] = [String::new(), String::new()];
        Self {
            level: Level::Ok,
            value: value.to_string(),
            path: path.into(),
            cause,
            action,
            steps: Vec::new(),
            is_users: false,
        }
    }

    /// The finding that a file does not say.
    pub fn unknown(unreadable: &Unreadable) -> Self {
        let Unreadable { path, why } = unreadable;
        Self { level: Level::Unknown, cause: why.clone(), ..Self::of("", path.clone()) }
    }

    fn at(self, level: Level, cause: impl Into<String>, action: impl Into<String>) -> Self {
        Self { level, cause: cause.into(), action: action.into(), ..self }
    }

    /// It is as it should be, for this reason.
    #[must_use]
    pub fn fine(self, cause: impl Into<String>) -> Self {
        self.at(Level::Ok, cause, "")
    }

    /// Worth knowing.
    #[must_use]
    pub fn info(self, cause: impl Into<String>, action: impl Into<String>) -> Self {
        self.at(Level::Info, cause, action)
    }

    /// It disturbs.
    #[must_use]
    pub fn warn(self, cause: impl Into<String>, action: impl Into<String>) -> Self {
        self.at(Level::Warn, cause, action)
    }

    /// Any user can apply the remedy.
    #[must_use]
    pub fn for_any_user(self) -> Self {
        Self { is_users: true, ..self }
    }

    /// It makes times wrong.
    #[must_use]
    pub fn fail(self, cause: impl Into<String>, action: impl Into<String>) -> Self {
        self.at(Level::Fail, cause, action)
    }

    /// With the settings that are the remedy.
    #[must_use]
    pub fn write(mut self, path: impl Into<String>, value: impl Into<String>) -> Self {
        self.steps.push(Step::Write(Setting { path: path.into(), value: value.into() }));
        self
    }

    /// With a command that is the remedy, or a part of it.
    #[must_use]
    pub fn command(mut self, line: impl Into<String>) -> Self {
        self.steps.push(Step::Command(line.into()));
        self
    }
}
