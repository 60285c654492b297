//! The calls of NVRTC.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use crate::device::first_lines;
use crate::device::sys::functions;

/// The compiler's handle of a program.
type Program = *mut c_void;
type Texts = *const *const c_char;

functions! {
    /// The compiler.
    Compiler:
    nvrtcGetNumSupportedArchs(*mut c_int) -> c_int;
    nvrtcGetSupportedArchs(*mut c_int) -> c_int;
    nvrtcCreateProgram(*mut Program, *const c_char, *const c_char, c_int, Texts, Texts) -> c_int;
    nvrtcDestroyProgram(*mut Program) -> c_int;
    nvrtcCompileProgram(Program, c_int, Texts) -> c_int;
    nvrtcGetProgramLogSize(Program, *mut usize) -> c_int;
    nvrtcGetProgramLog(Program, *mut c_char) -> c_int;
    nvrtcGetPTXSize(Program, *mut usize) -> c_int;
    nvrtcGetPTX(Program, *mut c_char) -> c_int;
    nvrtcGetCUBINSize(Program, *mut usize) -> c_int;
    nvrtcGetCUBIN(Program, *mut c_char) -> c_int;
}

impl Compiler {
    /// Opens the first of these files that there is.
    pub(super) fn open(files: &[String]) -> Result<Self, String> {
        Self::found_in(files)
    }

    /// Compute capabilities it compiles for: 90 is 9.0.
    pub(super) fn architectures(&self) -> Result<Vec<u32>, String> {
        let mut count = 0;
        // SAFETY: the count is ours.
        done("nvrtcGetNumSupportedArchs", unsafe { (self.nvrtcGetNumSupportedArchs)(&raw mut count) })?;
        let mut known: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: there is room for as many.
        done("nvrtcGetSupportedArchs", unsafe { (self.nvrtcGetSupportedArchs)(known.as_mut_ptr()) })?;
        Ok(known.into_iter().filter_map(|one| u32::try_from(one).ok()).collect())
    }

    /// Compiles a source to machine code or PTX; where that fails, the error has the first lines of the log.
    pub(super) fn compile(&self, source: &str, options: &[String], is_machine_code: bool) -> Result<Vec<u8>, String> {
        let source = c_text(source);
        let texts: Vec<CString> = options.iter().map(|option| c_text(option)).collect();
        let options: Vec<*const c_char> = texts.iter().map(|option| option.as_ptr()).collect();
        let mut program = null_mut();
        let (create, name) = (self.nvrtcCreateProgram, c"ttbar.cu".as_ptr());
        // SAFETY: the texts end as C wants it, and there are no headers.
        let answer = unsafe { create(&raw mut program, source.as_ptr(), name, 0, null(), null()) };
        done("nvrtcCreateProgram", answer)?;
        // SAFETY: the program lives, and there are as many options.
        let answer = unsafe { (self.nvrtcCompileProgram)(program, options.len() as c_int, options.as_ptr()) };
        let (size, read): (Size, Read) = match answer {
            0 if is_machine_code => (self.nvrtcGetCUBINSize, self.nvrtcGetCUBIN),
            0 => (self.nvrtcGetPTXSize, self.nvrtcGetPTX),
            _ => (self.nvrtcGetProgramLogSize, self.nvrtcGetProgramLog),
        };
        let text = bytes(program, size, read);
        // SAFETY: the program lives, and nobody uses it hereafter.
        unsafe { (self.nvrtcDestroyProgram)(&raw mut program) };
        let text = text?;
        if answer == 0 {
            return Ok(text);
        }
        let log = String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned();
        Err(format!("the fit does not compile: {}", first_lines(&log)))
    }
}

type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Read = unsafe extern "C" fn(Program, *mut c_char) -> c_int;

/// What a program has of one kind; texts end with a zero.
fn bytes(program: Program, size: Size, read: Read) -> Result<Vec<u8>, String> {
    let mut room = 0;
    // SAFETY: the caller's program lives, and the size is ours.
    done("NVRTC's question for a size", unsafe { size(program, &raw mut room) })?;
    let mut bytes = vec![0_u8; room];
    // SAFETY: there is room for as many bytes.
    done("NVRTC's answer", unsafe { read(program, bytes.as_mut_ptr().cast()) })?;
    Ok(bytes)
}

fn c_text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

fn done(call: &str, answer: c_int) -> Result<(), String> {
    if answer == 0 { Ok(()) } else { Err(format!("{call} failed with {answer}")) }
}
