//! A compiler that reads no more of a source than the names of its kernels, the headers it includes, and `#error`.
//!
//! A template's name is lowered to that name with `_` for what no symbol may hold. What is compiled is text that lists the names.

use std::ffi::{CStr, CString};
use std::path::Path;

/// A program of a run-time compiler.
#[derive(Debug, Default)]
pub struct Program {
    text: String,
    name: String,
    announced: Vec<(CString, CString)>,
    /// What the compiler said.
    pub log: CString,
    /// What it made.
    pub image: CString,
}

/// What symbols may hold of a name.
fn lowered(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// Names behind `__global__ void`, in whatever lines.
fn kernels(text: &str) -> Vec<String> {
    let heads = text.split("__global__").skip(1).filter_map(|rest| rest.split('(').next());
    heads.filter_map(|head| head.split_whitespace().last().map(str::to_owned)).collect()
}

fn c_string(text: String) -> CString {
    CString::new(text).unwrap_or_default()
}

impl Program {
    /// The program of a source of that name.
    pub fn new(text: String, name: String) -> Self {
        Self { text, name, ..Self::default() }
    }

    /// Its source.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Announces the name of a kernel.
    pub fn announce(&mut self, name: String) {
        self.announced.push((c_string(name.clone()), c_string(lowered(&name))));
    }

    /// What an announced name is called in the image.
    pub fn lowered(&self, name: &CStr) -> Option<&CStr> {
        let found = self.announced.iter().find(|(announced, _)| announced.as_c_str() == name);
        found.map(|(_, lowered)| lowered.as_c_str())
    }

    /// Refuses with these words.
    pub fn say(&mut self, words: String) {
        self.log = c_string(words);
    }

    /// Compiles with headers from these folders; `file:line` in the form that `at` makes of both. Whether it could.
    pub fn compile(&mut self, folders: &[String], at: impl Fn(&str, usize) -> String) -> bool {
        let lacks = |header: &str| !folders.iter().any(|folder| Path::new(folder).join(header).exists());
        let missing = self.text.lines().enumerate().find_map(|(line, words)| {
            let header = words.trim_start().strip_prefix("#include <")?.split('>').next()?;
            lacks(header).then_some((line, header))
        });
        if let Some((line, header)) = missing {
            // As NVRTC and clang say it.
            let said = format!("error: cannot open source file \"{header}\": '{header}' file not found");
            self.log = c_string(format!("{}: {said}", at(&self.name, line + 1)));
            return false;
        }
        let wrong = self.text.lines().enumerate().find(|(_, line)| line.trim_start().starts_with("#error"));
        if let Some((line, words)) = wrong {
            self.log = c_string(format!("{}: error: {}", at(&self.name, line + 1), words.trim()));
            return false;
        }
        let announced = self.announced.iter().map(|(_, lowered)| lowered.to_string_lossy().into_owned());
        let names: Vec<String> = kernels(&self.text).into_iter().chain(announced).collect();
        self.image = c_string(format!("mock image: {}", names.join(" ")));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_by_what_stands_before_them() {
        let text = "extern \"C\" __global__ void first(int n) {}\ntemplate <class T>\n__global__\nvoid second(T *x) {}";
        assert_eq!(kernels(text), ["first", "second"]);
        assert_eq!(lowered("second<float>"), "second_float_");
    }
}
