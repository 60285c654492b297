//! A kernel as one compiler built it.

use serde::{Deserialize, Serialize};

/// A kernel as one compiler built it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Build {
    /// What the compiler is called: `gcc`, `clang-19`.
    pub compiler: String,
    /// What it says of itself, in one line.
    pub version: String,
    /// The flags asked for, as typed: `-O3 -march=native`.
    pub flags: String,
    /// The label of the flags where the user gave one: `base`; else empty.
    pub label: String,
    /// The variant; empty where the kernel has none.
    pub variant: String,
    /// The whole command line.
    pub command: Vec<String>,
    /// What `native` stands for to this compiler, where that was asked for: `icelake-server`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// SHA-256 of the machine code and of the constants it reads, in hexadecimal; empty where it did not build.
    pub code: String,
    /// Names of builds with the same machine code, which were not measured again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<String>,
    /// What the compiler said, where it said something.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// The floating-point environment its calls ran in: `ieee`, or `ftz` and what made it so; empty before it was loaded.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub float: String,
}

impl Build {
    /// What its row is called: compiler, then label or flags.
    pub fn name(&self) -> String {
        let flags = if self.label.is_empty() { &self.flags } else { &self.label };
        [self.compiler.as_str(), flags].join(" ").trim().to_owned()
    }

    /// Its name with its variant: `gcc -O3 [unroll]`.
    pub fn full_name(&self) -> String {
        if self.variant.is_empty() { self.name() } else { format!("{} [{}]", self.name(), self.variant) }
    }
}
