//! Reads `kernel.toml`, the spec of a kernel for a processor or a device.

use std::path::Path;

use paw_data::document::{Document, DocumentError, Text};
use paw_foreign::device::Backend;
use serde::Deserialize;
use toml::Spanned;

use super::device::DeviceSpec;
use super::processor::processor;
use super::{KernelSpec, Language, Spec};

/// The version of the format that this paw reads.
pub const VERSION: &str = "kernel/1";

/// The keys that decide how the rest is read.
#[derive(Deserialize)]
struct Head {
    paw: Option<Text>,
    language: Option<Spanned<AnyLanguage>>,
}

/// The languages of processors and devices.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AnyLanguage {
    C,
    #[serde(rename = "c++")]
    Cpp,
    Fortran,
    Rust,
    Cuda,
    Hip,
    OpenCl,
    Ze,
}

impl AnyLanguage {
    fn target(self) -> Result<Language, Backend> {
        match self {
            Self::C => Ok(Language::C),
            Self::Cpp => Ok(Language::Cpp),
            Self::Fortran => Ok(Language::Fortran),
            Self::Rust => Ok(Language::Rust),
            Self::Cuda => Err(Backend::Cuda),
            Self::Hip => Err(Backend::Hip),
            Self::OpenCl => Err(Backend::OpenCl),
            Self::Ze => Err(Backend::LevelZero),
        }
    }
}

fn head(document: &Document<'_>) -> Result<Option<Spanned<AnyLanguage>>, DocumentError> {
    let head: Head = document.parse()?;
    let Some(version) = head.paw else {
        return Err(document.whole(format!("it is no kernel: begin it with the line `paw = \"{VERSION}\"`")));
    };
    if version.text == VERSION {
        return Ok(head.language);
    }
    let message = format!("version `{}` is not known here: this paw reads `{VERSION}`", version.text);
    Err(document.error(version.span, message))
}

impl KernelSpec {
    /// Reads the spec at `path`; its `language` decides between processor and device.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong: what, and where.
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        Document::read(path, Self::of)
    }

    /// The kernel of `document`.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn of(document: &Document<'_>) -> Result<Self, DocumentError> {
        match head(document)?.map(|language| language.into_inner().target()).transpose() {
            Ok(language) => Ok(Self::Processor(Box::new(processor(document, language)?))),
            Err(backend) => Ok(Self::Device(Box::new(DeviceSpec::of(document, backend)?))),
        }
    }
}

impl Spec {
    /// Reads a spec of a kernel for a processor.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong: what, and where.
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        Document::read(path, Self::of)
    }

    /// The kernel of `document`, which is for a processor.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn of(document: &Document<'_>) -> Result<Self, DocumentError> {
        let Some(language) = head(document)? else { return processor(document, None) };
        match language.get_ref().target() {
            Ok(known) => processor(document, Some(known)),
            Err(_) => {
                let message = "this kernel runs on a device: `paw kernel measure` and `paw kernel check` take it";
                Err(document.error(language.span(), message))
            }
        }
    }
}
