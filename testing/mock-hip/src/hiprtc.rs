//! hiprtc, by the compiler of the tests.
#![allow(unsafe_code)]
// The names are hiprtc's.
#![allow(non_snake_case)]

use std::ffi::{CStr, c_char, c_int};

use mock_device::Program;

use crate::runtime::config;

const SUCCESS: c_int = 0;
const INVALID_INPUT: c_int = 3;
const INVALID_OPTION: c_int = 5;
const COMPILATION: c_int = 6;
const NAME_EXPRESSION_NOT_VALID: c_int = 10;

/// # Safety
/// `text` must be a C string.
unsafe fn words(text: *const c_char) -> String {
    // SAFETY: the caller's word.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// # Safety
/// `program` must be what `hiprtcCreateProgram` gave, and not be used by anybody else meanwhile.
unsafe fn known<'a>(program: *mut Program) -> Option<&'a mut Program> {
    // SAFETY: the caller's word.
    unsafe { program.as_mut() }
}

fn answer<T>(to: *mut T, value: T) -> c_int {
    if to.is_null() {
        return INVALID_INPUT;
    }
    // SAFETY: callers hand over a place for the answer.
    unsafe { to.write(value) };
    SUCCESS
}

/// Copies text and the zero behind it to where the caller has room for both.
fn copy(text: &CStr, to: *mut c_char) -> c_int {
    let bytes = text.to_bytes_with_nul();
    // SAFETY: callers make room for as many bytes as the size they asked for.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn hiprtcVersion(major: *mut c_int, minor: *mut c_int) -> c_int {
    answer(major, 6).max(answer(minor, 3))
}

#[unsafe(no_mangle)]
extern "C" fn hiprtcCreateProgram(
    to: *mut *mut Program,
    text: *const c_char,
    name: *const c_char,
    _headers: c_int,
    _header_texts: *const *const c_char,
    _header_names: *const *const c_char,
) -> c_int {
    // SAFETY: callers hand over a C string.
    let text = unsafe { words(text) };
    // SAFETY: as above.
    let name = unsafe { words(name) };
    answer(to, Box::into_raw(Box::new(Program::new(text, name))))
}

#[unsafe(no_mangle)]
extern "C" fn hiprtcDestroyProgram(program: *mut *mut Program) -> c_int {
    // SAFETY: callers hand over the place of a program.
    let program = unsafe { program.replace(std::ptr::null_mut()) };
    if program.is_null() {
        return INVALID_INPUT;
    }
    // SAFETY: `hiprtcCreateProgram` made it, and its place is empty now.
    drop(unsafe { Box::from_raw(program) });
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn hiprtcAddNameExpression(program: *mut Program, name: *const c_char) -> c_int {
    // SAFETY: callers hand over a program of theirs.
    let Some(program) = (unsafe { known(program) }) else { return INVALID_INPUT };
    // SAFETY: callers hand over a C string.
    let name = unsafe { words(name) };
    program.announce(name);
    SUCCESS
}

/// Options begin with `-`; the architecture must be that of the devices.
#[unsafe(no_mangle)]
extern "C" fn hiprtcCompileProgram(program: *mut Program, count: c_int, options: *const *const c_char) -> c_int {
    // SAFETY: callers hand over a program of theirs.
    let Some(program) = (unsafe { known(program) }) else { return INVALID_INPUT };
    let mut folders = Vec::new();
    for at in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY: there are as many C strings as are said to be.
        let option = unsafe { words(*options.add(at)) };
        if !option.starts_with('-') {
            program.say(format!("unknown option: {option}"));
            return INVALID_OPTION;
        }
        let elsewhere = option.strip_prefix("--offload-arch=").filter(|named| *named != config().architecture);
        if let Some(named) = elsewhere {
            program.say(format!("error: invalid target ID '{named}'"));
            return COMPILATION;
        }
        folders.extend(option.strip_prefix("-I").map(str::to_owned));
    }
    if program.compile(&folders, |file, line| format!("{file}:{line}:1")) { SUCCESS } else { COMPILATION }
}

#[unsafe(no_mangle)]
extern "C" fn hiprtcGetLoweredName(program: *mut Program, name: *const c_char, to: *mut *const c_char) -> c_int {
    // SAFETY: callers hand over a program of theirs.
    let Some(program) = (unsafe { known(program) }) else { return INVALID_INPUT };
    // SAFETY: callers hand over a C string.
    let name = unsafe { CStr::from_ptr(name) };
    program.lowered(name).map_or(NAME_EXPRESSION_NOT_VALID, |lowered| answer(to, lowered.as_ptr()))
}

macro_rules! text {
    ($field:ident, $size:ident, $read:ident) => {
        #[unsafe(no_mangle)]
        extern "C" fn $size(program: *mut Program, to: *mut usize) -> c_int {
            // SAFETY: callers hand over a program of theirs.
            let program = unsafe { known(program) };
            program.map_or(INVALID_INPUT, |program| answer(to, program.$field.as_bytes_with_nul().len()))
        }

        #[unsafe(no_mangle)]
        extern "C" fn $read(program: *mut Program, to: *mut c_char) -> c_int {
            // SAFETY: callers hand over a program of theirs.
            let program = unsafe { known(program) };
            program.map_or(INVALID_INPUT, |program| copy(&program.$field, to))
        }
    };
}

text!(log, hiprtcGetProgramLogSize, hiprtcGetProgramLog);
text!(image, hiprtcGetCodeSize, hiprtcGetCode);
