//! C++ compiled at run time: NVRTC and hiprtc have the same calls. They need no device.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use super::calls::{Call, CallTable, Column, call_table};
use crate::device::error::DeviceError;
use crate::device::opened::OpenedLibrary;
use crate::device::program::Source;
use crate::object::text;

/// `NVRTC_ERROR_COMPILATION`, `HIPRTC_ERROR_COMPILATION`: the log says why.
const COMPILATION: c_int = 6;

/// The compiler's handle of a program.
pub(in crate::device) type ProgramHandle = *mut c_void;
type Texts = *const *const c_char;

call_table! {
    Calls
    required {
        create ["nvrtcCreateProgram", "hiprtcCreateProgram"] (
            *mut ProgramHandle, *const c_char, *const c_char, c_int, Texts, Texts
        );
        destroy ["nvrtcDestroyProgram", "hiprtcDestroyProgram"] (*mut ProgramHandle);
        announce ["nvrtcAddNameExpression", "hiprtcAddNameExpression"] (ProgramHandle, *const c_char);
        compile ["nvrtcCompileProgram", "hiprtcCompileProgram"] (ProgramHandle, c_int, Texts);
        lowered ["nvrtcGetLoweredName", "hiprtcGetLoweredName"] (ProgramHandle, *const c_char, *mut *const c_char);
        log_size ["nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize"] (ProgramHandle, *mut usize);
        log ["nvrtcGetProgramLog", "hiprtcGetProgramLog"] (ProgramHandle, *mut c_char);
        image_size ["nvrtcGetPTXSize", "hiprtcGetCodeSize"] (ProgramHandle, *mut usize);
        image ["nvrtcGetPTX", "hiprtcGetCode"] (ProgramHandle, *mut c_char);
    }
    optional {}
}

/// The functions that tell how many bytes there are of something that a program has, and write them.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct Bytes {
    pub(in crate::device) size: Call<unsafe extern "C" fn(ProgramHandle, *mut usize) -> c_int>,
    pub(in crate::device) read: Call<unsafe extern "C" fn(ProgramHandle, *mut c_char) -> c_int>,
}

/// An open compiler.
#[derive(Debug)]
pub(in crate::device) struct Compiler {
    calls: Calls,
}

/// A compiled source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::device) struct Compiled {
    /// What the interface loads as a module.
    pub(in crate::device) image: Vec<u8>,
    /// Names of kernels that were announced, and what they are called in the image.
    pub(in crate::device) lowered: Vec<(String, String)>,
    /// The compiler's log: warnings.
    pub(in crate::device) log: String,
}

/// A table of the functions of a compiler, which should be `what`; the error is one sentence.
pub(in crate::device) fn bind<T: CallTable>(opened: &OpenedLibrary, column: Column, what: &str) -> Result<T, String> {
    let address = |symbol: &str| opened.object.address(symbol).map(|address| address as usize);
    // SAFETY: the signatures are those of the vendor's header, the same in all versions that are opened.
    let table = unsafe { T::bind(column, &address) };
    table.map_err(|missing| format!("{}: not {what}: it has no {missing}", opened.path.display()))
}

impl Compiler {
    /// The compiler in a library, which should be `what`.
    pub(in crate::device) fn new(opened: &OpenedLibrary, column: Column, what: &str) -> Result<Self, String> {
        Ok(Self { calls: bind(opened, column, what)? })
    }

    /// Compiles `source` with these options; the image is what `image` reads, in place of PTX or HIP's code object.
    pub(in crate::device) fn compile(
        &self,
        source: &Source,
        options: &[String],
        image: Option<Bytes>,
    ) -> Result<Compiled, DeviceError> {
        let program = Program::new(self, source)?;
        let names = source.names.iter().map(|name| c_string(name)).collect::<Result<Vec<_>, _>>()?;
        for name in &names {
            // SAFETY: the program lives, the name is a C string.
            let answer = unsafe { (self.calls.announce.function)(program.handle, name.as_ptr()) };
            done(self.calls.announce.name, answer)?;
        }
        let log = program.compile(options)?;
        let lowered = source.names.iter().zip(&names);
        let lowered = lowered.map(|(name, c_name)| Ok((name.clone(), program.lowered(c_name)?)));
        let lowered = lowered.collect::<Result<_, DeviceError>>()?;
        let usual = Bytes { size: self.calls.image_size, read: self.calls.image };
        Ok(Compiled { image: program.bytes(image.unwrap_or(usual))?, lowered, log })
    }
}

/// A program of the compiler, destroyed when dropped.
struct Program<'a> {
    calls: &'a Calls,
    handle: ProgramHandle,
}

impl<'a> Program<'a> {
    fn new(by: &'a Compiler, source: &Source) -> Result<Self, DeviceError> {
        let (text, name) = (c_string(&source.text)?, c_string(&source.name)?);
        let (calls, mut handle) = (&by.calls, ptr::null_mut());
        let (at, text, name, none) = (&raw mut handle, text.as_ptr(), name.as_ptr(), ptr::null());
        // SAFETY: two C strings, no headers; the compiler copies the text.
        let answer = unsafe { (calls.create.function)(at, text, name, 0, none, none) };
        done(calls.create.name, answer)?;
        Ok(Self { calls, handle })
    }

    /// The log of a successful compilation.
    fn compile(&self, options: &[String]) -> Result<String, DeviceError> {
        let options = options.iter().map(|option| c_string(option)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let call = self.calls.compile;
        // SAFETY: the program lives, and there are as many C strings as are said to be.
        let answer = unsafe { (call.function)(self.handle, pointers.len() as c_int, pointers.as_ptr()) };
        let log = self.bytes(Bytes { size: self.calls.log_size, read: self.calls.log })?;
        let log = String::from_utf8_lossy(&log).trim_end_matches('\0').trim().to_owned();
        match answer {
            0 => Ok(log),
            COMPILATION if !log.is_empty() => Err(DeviceError::Build { log }),
            // An unknown option, a missing file: the log says which.
            code if !log.is_empty() => {
                Err(DeviceError::Build { log: format!("{} failed with {code}: {log}", call.name) })
            }
            code => Err(refused(call.name, code)),
        }
    }

    fn lowered(&self, name: &CString) -> Result<String, DeviceError> {
        let mut lowered = ptr::null();
        // SAFETY: the program lives, the name was announced, and the answer is a string of the program's.
        let answer = unsafe { (self.calls.lowered.function)(self.handle, name.as_ptr(), &raw mut lowered) };
        done(self.calls.lowered.name, answer)?;
        // SAFETY: the answer is a C string while the program lives.
        Ok(unsafe { text(lowered) })
    }

    fn bytes(&self, of: Bytes) -> Result<Vec<u8>, DeviceError> {
        let mut bytes = 0;
        // SAFETY: the program lives, and the number outlives the call.
        done(of.size.name, unsafe { (of.size.function)(self.handle, &raw mut bytes) })?;
        let mut filled = vec![0u8; bytes];
        if bytes > 0 {
            // SAFETY: there is room for as many bytes as the compiler said it has.
            done(of.read.name, unsafe { (of.read.function)(self.handle, filled.as_mut_ptr().cast()) })?;
        }
        Ok(filled)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the program lives, and is not used again.
        unsafe { (self.calls.destroy.function)(&raw mut self.handle) };
    }
}

fn c_string(text: &str) -> Result<CString, DeviceError> {
    CString::new(text)
        .map_err(|_| DeviceError::Build { log: "the source, an option or a name holds a zero byte".to_owned() })
}

/// Names of `nvrtcResult` and `hiprtcResult`, as the headers have them without the prefix.
const MEANINGS: &[&str] = &[
    "success",
    "out of memory",
    "program creation failure",
    "invalid input",
    "invalid program",
    "invalid option",
    "compilation",
    "builtin operation failure",
    "no name expressions after compilation",
    "no lowered names before compilation",
    "name expression not valid",
    "internal error",
];

fn refused(call: &'static str, code: c_int) -> DeviceError {
    let meaning = usize::try_from(code).ok().and_then(|at| MEANINGS.get(at)).copied().unwrap_or_default();
    DeviceError::Refused { call, code: code.into(), meaning: meaning.to_owned() }
}

fn done(call: &'static str, code: c_int) -> Result<(), DeviceError> {
    if code == 0 { Ok(()) } else { Err(refused(call, code)) }
}
