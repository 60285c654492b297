//! Whether start-up code makes the processor treat subnormal numbers as zero.

use object::read::{Error, File};
use object::{Architecture, Object, ObjectSection, ObjectSymbol};

/// The only function of GCC's start-up file for fast mathematics (`crtfastmath.c` of libgcc), which other compilers link too.
const START_UP: &str = "set_fast_math";
/// Bytes of a start-up function that are searched; GCC's has 19.
const LOOKED_AT: usize = 64;
/// Bit of MXCSR that flushes results to zero (Intel SDM, volume 1, 10.2.3); in the second byte of the register.
const FLUSH_TO_ZERO: u8 = 0x80;

/// Whether the file has this start-up function, by its name or, if local symbols were stripped, by its code.
pub(crate) fn is_linked(file: &File<'_>) -> Result<bool, Error> {
    if file.symbols().any(|symbol| symbol.name_bytes() == Ok(START_UP.as_bytes())) {
        return Ok(true);
    }
    if file.architecture() != Architecture::X86_64 {
        return Ok(false);
    }
    for address in start_up_functions(file)? {
        if code_at(file, address)?.is_some_and(sets_flush_to_zero) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Addresses of the functions that the loader calls at start-up, from the file's tables and from relocations of these.
fn start_up_functions(file: &File<'_>) -> Result<Vec<u64>, Error> {
    let Some(array) = file.section_by_name(".init_array") else { return Ok(Vec::new()) };
    let range = array.address()..array.address().saturating_add(array.size());
    let words =
        array.data()?.chunks_exact(8).map(|w| w.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    let written = file.dynamic_relocations().into_iter().flatten().filter(|(at, _)| range.contains(at));
    Ok(words.chain(written.map(|(_, relocation)| relocation.addend() as u64)).filter(|address| *address != 0).collect())
}

fn code_at<'a>(file: &File<'a>, address: u64) -> Result<Option<&'a [u8]>, Error> {
    for section in file.sections() {
        let from = address.wrapping_sub(section.address());
        if section.address() != 0 && from < section.size() {
            let code = section.data()?.get(from as usize..).unwrap_or_default();
            return Ok(Some(&code[..code.len().min(LOOKED_AT)]));
        }
    }
    Ok(None)
}

/// Whether MXCSR is stored, the bit is set in memory, and MXCSR is loaded, before the function returns.
fn sets_flush_to_zero(code: &[u8]) -> bool {
    let body = code.split(|byte| *byte == 0xc3).next().unwrap_or_default();
    let Some(stored) = control_register(body, 3) else { return false };
    let Some(loaded) = control_register(&body[stored..], 2) else { return false };
    // `or imm32` is 81 /1 with the number at its end, little endian: 40 80 00 00, or 00 80 00 00.
    body[stored..stored + loaded].windows(3).any(|number| number[0] & 0x3f == 0 && number[1..] == [FLUSH_TO_ZERO, 0])
}

/// Offset of the first `0f ae /operation` to memory: 3 is stmxcsr, 2 ldmxcsr (Intel SDM, volume 2).
fn control_register(code: &[u8], operation: u8) -> Option<usize> {
    code.windows(3).position(|b| b[0] == 0x0f && b[1] == 0xae && b[2] >> 6 != 3 && b[2] >> 3 & 7 == operation)
}
