//! A kernel for a processor or for a device: which of both a file describes.

use std::fs;
use std::path::Path;

use toml::de::DeTable;

use super::device::{DeviceSpec, LANGUAGES};
use super::file::version;
use super::item::Item;
use super::page::Page;
use super::{Spec, SpecError, source};

/// A kernel for a processor or for a device.
#[derive(Debug, Clone)]
pub enum KernelSpec {
    /// Built by compilers, called in a process of this machine.
    Processor(Box<Spec>),
    /// Compiled by a device's driver, launched on it.
    Device(Box<DeviceSpec>),
}

impl KernelSpec {
    /// Reads a spec.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong: what, and where.
    pub fn read(path: &Path) -> Result<Self, SpecError> {
        let whole = |why: std::io::Error| Page { path, text: "" }.whole(format!("cannot be read: {why}"));
        Self::parse(path, &fs::read_to_string(path).map_err(whole)?)
    }

    /// The kernel of `text`, which stands in the file `path`; its `language` says what it is for.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(path: &Path, text: &str) -> Result<Self, SpecError> {
        let page = Page { path, text };
        let table = page.table()?;
        version(&page, &table)?;
        if device(&page, &table)?.is_some() {
            return DeviceSpec::parse(path, text).map(|spec| Self::Device(Box::new(spec)));
        }
        Spec::parse(path, text).map(|spec| Self::Processor(Box::new(spec)))
    }
}

/// The key `language`, where it names one of a device.
///
/// # Errors
/// It names none at all.
pub(super) fn device<'a>(page: &'a Page<'a>, table: &'a DeTable<'a>) -> Result<Option<Item<'a>>, SpecError> {
    let Some(item) = Item::all(page, table).into_iter().find(|item| item.name == "language") else { return Ok(None) };
    let words = source::LANGUAGES.iter().map(|(word, ..)| (*word, false));
    let words: Vec<_> = words.chain(LANGUAGES.iter().map(|(word, _)| (*word, true))).collect();
    Ok(item.word(&words)?.then_some(item))
}
