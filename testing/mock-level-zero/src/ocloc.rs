//! Intel's offline compiler as a library: kernels become modules that have their names and arguments, and do nothing.
#![allow(unsafe_code)]
// The names and signatures are the compiler's.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint};

/// What a compilation leaves, as the caller gives it back.
struct Outputs {
    files: Vec<*mut u8>,
    lens: Vec<u64>,
    names: Vec<*mut c_char>,
}

/// A module with kernels of those names, and the bytes of their arguments.
fn assembled(kernels: &[(String, Vec<u32>)]) -> Vec<u8> {
    // Types: 1 is nothing, 32 and 64 are integers of so many bits.
    let mut types = vec![3 << 16 | 22, 5, 64, 2 << 16 | 19, 1, 4 << 16 | 21, 32, 32, 0, 4 << 16 | 21, 64, 64, 0];
    let mut entries = Vec::new();
    let mut next = 100;
    for (name, arguments) in kernels {
        let mut text = name.clone().into_bytes();
        text.resize(text.len() / 4 * 4 + 4, 0);
        entries.extend([(3 + text.len() as u32 / 4) << 16 | 15, 6, next]);
        entries.extend(text.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
        types.extend([5 << 16 | 54, 1, next, 0, 1]);
        for (at, bytes) in (1..).zip(arguments) {
            types.extend([3 << 16 | 55, bytes * 8, next + at]);
        }
        types.push(1 << 16 | 56);
        next += 100;
    }
    let header = [0x0723_0203, 0x1_0000, 0, next, 0];
    header.into_iter().chain(entries).chain(types).flat_map(u32::to_le_bytes).collect()
}

/// Kernels of a source, with the bytes of their arguments: a pointer has 8, as long and double have, and others 4.
fn kernels(source: &str) -> Vec<(String, Vec<u32>)> {
    let heads = source.split("__kernel").skip(1).filter_map(|rest| rest.split_once('('));
    heads
        .filter_map(|(head, rest)| {
            let arguments =
                rest.split(')').next()?.split(',').filter(|argument| !matches!(argument.trim(), "" | "void"));
            let is_wide = |argument: &str| ["*", "long", "double"].iter().any(|word| argument.contains(word));
            let bytes = arguments.map(|argument| if is_wide(argument) { 8 } else { 4 }).collect();
            Some((head.split_whitespace().last()?.to_owned(), bytes))
        })
        .collect()
}

/// What the compiler answers and says: a line with `#error` fails, as the name and the line that `#line` gave it.
fn compiled(source: &str) -> Result<Vec<u8>, String> {
    let name = source.lines().next().and_then(|line| line.split('"').nth(1)).unwrap_or("1");
    // The first line is the `#line`.
    match source.lines().position(|line| line.trim_start().starts_with("#error")) {
        Some(line) => Err(format!("{name}:{line}:2: error: {}\n", source.lines().nth(line).unwrap_or_default().trim())),
        None => Ok(assembled(&kernels(source))),
    }
}

#[unsafe(no_mangle)]
extern "C" fn oclocInvoke(
    count: c_uint,
    words: *const *const c_char,
    sources: u32,
    texts: *const *const u8,
    lens: *const u64,
    _names: *const *const c_char,
    _headers: u32,
    _header_texts: *const *const u8,
    _header_lens: *const u64,
    _header_names: *const *const c_char,
    output_count: *mut u32,
    output_files: *mut *mut *mut u8,
    output_lens: *mut *mut u64,
    output_names: *mut *mut *mut c_char,
) -> c_int {
    if sources != 1 || words.is_null() || texts.is_null() || lens.is_null() {
        return -1;
    }
    // SAFETY: the caller hands over as many words as it counts.
    let words = unsafe { std::slice::from_raw_parts(words, count as usize) };
    // SAFETY: each is a C string.
    let words: Vec<&CStr> = words.iter().map(|word| unsafe { CStr::from_ptr(*word) }).collect();
    let is_given = |option: &str| words.iter().any(|word| word.to_bytes() == option.as_bytes());
    if !["-file", "-device", "-spv_only"].iter().all(|option| is_given(option)) {
        return -2;
    }
    // SAFETY: one source, of that length.
    let text = unsafe { std::slice::from_raw_parts(texts.read(), lens.read() as usize) };
    let text = String::from_utf8_lossy(text).trim_end_matches('\0').to_owned();
    let (code, outputs) = match compiled(&text) {
        Ok(words) => (0, [("stdout.log", Vec::new()), ("program.spv", words)]),
        Err(said) => (-11, [("stdout.log", said.into_bytes()), ("", Vec::new())]),
    };
    let outputs: Vec<(&str, Vec<u8>)> = outputs.into_iter().filter(|(name, _)| !name.is_empty()).collect();
    let mut made = Outputs { files: Vec::new(), lens: Vec::new(), names: Vec::new() };
    for (name, bytes) in outputs {
        made.lens.push(bytes.len() as u64);
        made.files.push(bytes.leak().as_mut_ptr());
        made.names.push(CString::new(name).unwrap_or_default().into_raw());
    }
    // SAFETY: the caller has a place for each answer; what it gets there lives until the process ends.
    unsafe {
        output_count.write(made.files.len() as u32);
        output_files.write(made.files.leak().as_mut_ptr());
        output_lens.write(made.lens.leak().as_mut_ptr());
        output_names.write(made.names.leak().as_mut_ptr());
    }
    code
}

/// Nothing is freed: a test is short.
#[unsafe(no_mangle)]
extern "C" fn oclocFreeOutput(
    count: *mut u32,
    _files: *mut *mut *mut u8,
    _lens: *mut *mut u64,
    _names: *mut *mut *mut c_char,
) -> c_int {
    if count.is_null() {
        return -1;
    }
    // SAFETY: not null, and the caller's.
    unsafe { count.write(0) };
    0
}
