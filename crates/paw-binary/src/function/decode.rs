//! Instructions of a range of bytes.

use iced_x86::{Decoder, DecoderOptions, Instruction};

use crate::function_table::Function;
use crate::image::Image;

/// Largest function that is decoded, in bytes. The longest ones that generators write have a tenth of it.
const FUNCTION_BYTES_MAX: u64 = 4 << 20;

/// All instructions of `function`; else one sentence.
pub(super) fn instructions(image: &Image, function: &Function) -> Result<Vec<Instruction>, String> {
    let size = function.end.saturating_sub(function.start);
    let title = function.title();
    if size > FUNCTION_BYTES_MAX {
        return Err(format!("{title} has {} MiB; functions of up to 4 MiB are decoded", size >> 20));
    }
    if !image.is_code(function.start) {
        return Err(format!("the code of {title} is not in this file"));
    }
    let bytes = image.bytes_at(function.start, size);
    let decoder = Decoder::with_ip(64, bytes, function.start, DecoderOptions::NONE);
    let found: Vec<Instruction> = decoder.into_iter().take_while(|instruction| !instruction.is_invalid()).collect();
    match found.first() {
        Some(_) => Ok(found),
        None => Err(format!("{title} begins with bytes that are no instruction of x86-64")),
    }
}
