//! Stubs through which functions of other files are called, and the words of memory that hold functions' addresses.

use std::collections::BTreeMap;
use std::ops::Range;

use paw_sort::OrderBy;

use iced_x86::{Decoder, DecoderOptions, Mnemonic, OpKind, Register};
use object::read::{File, RelocationTarget};
use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable};

/// Sections of stubs, by the ABI of x86-64 and as linkers split them.
const SECTIONS: &[&str] = &[".plt", ".plt.sec", ".plt.got", ".iplt"];
/// Bytes of a stub where its section does not say.
const STUB_BYTES: u64 = 16;

/// What the loader writes into a word of memory that code calls or jumps through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The function of this name, of this file or another.
    Named(String),
    /// A place within this file.
    Here(u64),
}

/// Words that the loader fills with functions' addresses.
pub(crate) fn slots(file: &File<'_>) -> BTreeMap<u64, Slot> {
    let mut slots = BTreeMap::new();
    for (at, relocation) in file.dynamic_relocations().into_iter().flatten() {
        let slot = match (relocation.target(), file.dynamic_symbol_table()) {
            (RelocationTarget::Symbol(index), Some(table)) => {
                let name = table.symbol_by_index(index).and_then(|symbol| symbol.name_bytes());
                name.ok().filter(|name| !name.is_empty()).map(|name| Slot::Named(bare(name)))
            }
            _ => Some(Slot::Here(relocation.addend() as u64)),
        };
        slots.extend(slot.map(|slot| (at, slot)));
    }
    slots
}

/// The name of a symbol without its version.
fn bare(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    name.split_once('@').map_or(&*name, |(bare, _)| bare).to_owned()
}

/// Ranges of stubs, sorted, with what they call.
pub(crate) fn stubs(file: &File<'_>, slots: &BTreeMap<u64, Slot>) -> Vec<(Range<u64>, Slot)> {
    let mut stubs = Vec::new();
    for section in SECTIONS.iter().filter_map(|name| file.section_by_name(name)) {
        let Ok(data) = section.data() else { continue };
        let step = match section.name() {
            Ok(".plt.got") => 8,
            _ => STUB_BYTES,
        };
        let mut decoder = Decoder::with_ip(64, data, section.address(), DecoderOptions::NONE);
        for instruction in &mut decoder {
            let through = instruction.is_ip_rel_memory_operand() && instruction.op0_kind() == OpKind::Memory;
            if instruction.mnemonic() != Mnemonic::Jmp || !through || instruction.memory_base() != Register::RIP {
                continue;
            }
            if let Some(slot) = slots.get(&instruction.ip_rel_memory_address()) {
                let start = section.address() + (instruction.ip() - section.address()) / step * step;
                stubs.push((start..start.saturating_add(step), slot.clone()));
            }
        }
    }
    stubs.order_by_key(|(range, _)| range.start);
    stubs.dedup_by_key(|(range, _)| range.start);
    stubs
}
