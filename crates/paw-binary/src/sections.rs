//! Contents of sections, decompressed within bounds.

use std::borrow::Cow;

use object::read::{CompressionFormat, File};
use object::{Object, ObjectSection};

/// Deflate makes at most 1032 bytes of one; a section that claims more is damaged.
const GROWTH_MAX: u64 = 1100;
/// A section may have this many bytes whatever its compressed size.
const SMALL_BYTES: u64 = 1 << 20;

/// The contents of the section `name`; empty where there is none, or none that can be read.
pub(crate) fn contents<'a>(file: &File<'a>, name: &str) -> Cow<'a, [u8]> {
    let Some(section) = file.section_by_name(name) else { return Cow::Borrowed(&[]) };
    let Ok(packed) = section.compressed_data() else { return Cow::Borrowed(&[]) };
    if packed.format == CompressionFormat::None {
        return Cow::Borrowed(packed.data);
    }
    let most = (packed.data.len() as u64).saturating_mul(GROWTH_MAX).max(SMALL_BYTES);
    if packed.uncompressed_size > most {
        return Cow::Borrowed(&[]);
    }
    packed.decompress().unwrap_or(Cow::Borrowed(&[]))
}
