//! The calls of a run-time compiler, which NVRTC and hiprtc have under their own names.
#![allow(unsafe_code)]
// Pointers are those that callers of a C interface hand over, and these functions its bodies.
#![allow(clippy::not_unsafe_ptr_arg_deref)]

use std::ffi::{CStr, c_char, c_int};

use crate::compiler::Program;

/// What the calls answer: `nvrtcResult`, `hiprtcResult`.
const SUCCESS: c_int = 0;
const INVALID_INPUT: c_int = 3;
const INVALID_OPTION: c_int = 5;
const COMPILATION: c_int = 6;
const NAME_EXPRESSION_NOT_VALID: c_int = 10;

/// What an option of a compiler is.
pub enum CompilerOption {
    /// One that changes nothing here.
    Other,
    /// A folder of headers.
    Folder(String),
    /// One that ends the compilation, with what the compiler says.
    Refused(String),
}

/// # Safety
/// `text` must be a C string.
unsafe fn words(text: *const c_char) -> String {
    // SAFETY: the caller's word.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// # Safety
/// `program` must be what [`create`] gave, and not be used by anybody else meanwhile.
unsafe fn known<'a>(program: *mut Program) -> Option<&'a mut Program> {
    // SAFETY: the caller's word.
    unsafe { program.as_mut() }
}

/// Writes an answer to where the caller wants it.
pub fn answer<T>(to: *mut T, value: T) -> c_int {
    if to.is_null() {
        return INVALID_INPUT;
    }
    // SAFETY: callers hand over a place for the answer.
    unsafe { to.write(value) };
    SUCCESS
}

/// `…CreateProgram`
pub fn create(to: *mut *mut Program, text: *const c_char, name: *const c_char) -> c_int {
    // SAFETY: callers hand over a C string.
    let text = unsafe { words(text) };
    // SAFETY: as above.
    let name = unsafe { words(name) };
    answer(to, Box::into_raw(Box::new(Program::new(text, name))))
}

/// `…DestroyProgram`
pub fn destroy(program: *mut *mut Program) -> c_int {
    // SAFETY: callers hand over the place of a program.
    let program = unsafe { program.replace(std::ptr::null_mut()) };
    if program.is_null() {
        return INVALID_INPUT;
    }
    // SAFETY: `create` made it, and its place is empty now.
    drop(unsafe { Box::from_raw(program) });
    SUCCESS
}

/// `…AddNameExpression`
pub fn announce(program: *mut Program, name: *const c_char) -> c_int {
    // SAFETY: callers hand over a program of theirs.
    let Some(program) = (unsafe { known(program) }) else { return INVALID_INPUT };
    // SAFETY: callers hand over a C string.
    let name = unsafe { words(name) };
    program.announce(name);
    SUCCESS
}

/// `…CompileProgram`: options begin with `-`, `meant` tells what one is, `lacks` what the compiler says of a text that needs more than the
/// device has, and `at` makes `file:line` as the compiler writes it.
pub fn compile(
    program: *mut Program,
    (count, options): (c_int, *const *const c_char),
    meant: impl Fn(&str) -> CompilerOption,
    lacks: impl Fn(&str) -> Option<String>,
    at: impl Fn(&str, usize) -> String,
) -> c_int {
    // SAFETY: callers hand over a program of theirs.
    let Some(program) = (unsafe { known(program) }) else { return INVALID_INPUT };
    let mut folders = Vec::new();
    for place in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY: there are as many places as are said to be.
        let option = unsafe { *options.add(place) };
        // SAFETY: each leads to a C string.
        let option = unsafe { words(option) };
        if !option.starts_with('-') {
            program.say(format!("unknown option: {option}"));
            return INVALID_OPTION;
        }
        match meant(&option) {
            CompilerOption::Other => {}
            CompilerOption::Folder(folder) => folders.push(folder),
            CompilerOption::Refused(words) => {
                program.say(words);
                return COMPILATION;
            }
        }
    }
    if let Some(words) = lacks(program.text()) {
        program.say(words);
        return COMPILATION;
    }
    if program.compile(&folders, at) { SUCCESS } else { COMPILATION }
}

/// `…GetLoweredName`
pub fn lowered(program: *mut Program, name: *const c_char, to: *mut *const c_char) -> c_int {
    // SAFETY: callers hand over a program of theirs.
    let Some(program) = (unsafe { known(program) }) else { return INVALID_INPUT };
    // SAFETY: callers hand over a C string.
    let name = unsafe { CStr::from_ptr(name) };
    program.lowered(name).map_or(NAME_EXPRESSION_NOT_VALID, |lowered| answer(to, lowered.as_ptr()))
}

/// The bytes of a text of a program's, its zero among them.
pub fn size(program: *mut Program, of: fn(&Program) -> &CStr, to: *mut usize) -> c_int {
    // SAFETY: callers hand over a program of theirs.
    let program = unsafe { known(program) };
    program.map_or(INVALID_INPUT, |program| answer(to, of(program).to_bytes_with_nul().len()))
}

/// Copies a text of a program's and the zero behind it to where the caller has room for both.
pub fn read(program: *mut Program, of: fn(&Program) -> &CStr, to: *mut c_char) -> c_int {
    // SAFETY: callers hand over a program of theirs.
    let Some(program) = (unsafe { known(program) }) else { return INVALID_INPUT };
    let bytes = of(program).to_bytes_with_nul();
    // SAFETY: callers make room for as many bytes as the size they asked for.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    SUCCESS
}

/// Defines the calls under a vendor's names; `meant`, `lacks` and `at` are those of [`compile`].
#[macro_export]
macro_rules! compiler_calls {
    (
        version $version:ident($major:literal, $minor:literal);
        create $create:ident;
        destroy $destroy:ident;
        announce $announce:ident;
        compile $compile:ident($meant:expr, $lacks:expr, $at:expr);
        lowered $lowered:ident;
        $(text $size:ident, $read:ident($of:expr);)*
    ) => {
        #[unsafe(no_mangle)]
        extern "C" fn $version(major: *mut c_int, minor: *mut c_int) -> c_int {
            $crate::compiler_calls::answer(major, $major).max($crate::compiler_calls::answer(minor, $minor))
        }

        #[unsafe(no_mangle)]
        extern "C" fn $create(
            to: *mut *mut $crate::Program,
            text: *const c_char,
            name: *const c_char,
            _headers: c_int,
            _header_texts: *const *const c_char,
            _header_names: *const *const c_char,
        ) -> c_int {
            $crate::compiler_calls::create(to, text, name)
        }

        #[unsafe(no_mangle)]
        extern "C" fn $destroy(program: *mut *mut $crate::Program) -> c_int {
            $crate::compiler_calls::destroy(program)
        }

        #[unsafe(no_mangle)]
        extern "C" fn $announce(program: *mut $crate::Program, name: *const c_char) -> c_int {
            $crate::compiler_calls::announce(program, name)
        }

        #[unsafe(no_mangle)]
        extern "C" fn $compile(program: *mut $crate::Program, count: c_int, options: *const *const c_char) -> c_int {
            $crate::compiler_calls::compile(program, (count, options), $meant, $lacks, $at)
        }

        #[unsafe(no_mangle)]
        extern "C" fn $lowered(program: *mut $crate::Program, name: *const c_char, to: *mut *const c_char) -> c_int {
            $crate::compiler_calls::lowered(program, name, to)
        }

        $(
            #[unsafe(no_mangle)]
            extern "C" fn $size(program: *mut $crate::Program, to: *mut usize) -> c_int {
                $crate::compiler_calls::size(program, $of, to)
            }

            #[unsafe(no_mangle)]
            extern "C" fn $read(program: *mut $crate::Program, to: *mut c_char) -> c_int {
                $crate::compiler_calls::read(program, $of, to)
            }
        )*
    };
}
