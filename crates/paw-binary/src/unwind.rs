//! Ranges of functions from unwinding tables, which stripped files keep.

use std::ops::Range;

use paw_sort::OrderBy;

use gimli::{BaseAddresses, CieOrFde, EhFrame, EndianSlice, RunTimeEndian, UnwindSection};
use object::read::File;
use object::{Object, ObjectSection};

/// Address ranges that `.eh_frame` describes, each a function or a part of one, sorted.
/// What cannot be read ends the list: the tables of a damaged file are not trusted beyond that.
pub(crate) fn ranges(file: &File<'_>) -> Vec<Range<u64>> {
    let Some(section) = file.section_by_name(".eh_frame") else { return Vec::new() };
    let Ok(data) = section.data() else { return Vec::new() };
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let address = |name| file.section_by_name(name).map_or(0, |section| section.address());
    let bases = BaseAddresses::default()
        .set_eh_frame(section.address())
        .set_eh_frame_hdr(address(".eh_frame_hdr"))
        .set_text(address(".text"))
        .set_got(address(".got"));
    let mut frames = EhFrame::from(EndianSlice::new(data, endian));
    frames.set_address_size(if file.is_64() { 8 } else { 4 });
    let mut found = Vec::new();
    let mut entries = frames.entries(&bases);
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        let Ok(frame) = partial.parse(EhFrame::cie_from_offset) else { continue };
        if let Some(end) = frame.initial_address().checked_add(frame.len()).filter(|_| frame.len() > 0) {
            found.push(frame.initial_address()..end);
        }
    }
    found.order_by_key(|range| (range.start, range.end));
    found
}
