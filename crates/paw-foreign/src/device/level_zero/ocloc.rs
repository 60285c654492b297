//! OpenCL C compiled at run time to SPIR-V, by Intel's offline compiler. It needs no device.
#![allow(unsafe_code)]

use std::env;
use std::ffi::{CString, c_char, c_int, c_uint};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::device::error::{DeviceError, DeviceResult};
use crate::device::program::Source;
use crate::object::{Scope, SharedObject, text};

/// The variable that names the compiler; no other file is tried then.
const VARIABLE: &str = "PAW_OCLOC_LIBRARY";
/// Files of the compiler: by the dynamic linker, then where packages put it.
const CANDIDATES: &[&str] = &[
    "libocloc.so",
    "libocloc.so.1",
    "/usr/lib/x86_64-linux-gnu/libocloc.so",
    "/usr/lib64/libocloc.so",
    "/usr/local/lib/libocloc.so",
];
/// Where the compiler leaves what it said.
const LOG: &str = "stdout.log";

type Bytes = *const u8;
type Texts = *const *const c_char;

/// `oclocInvoke` of `ocloc_api.h`: the command line, sources and headers in memory (data, lengths, names), then what came out.
type Invoke = unsafe extern "C" fn(
    c_uint,
    Texts,
    u32,
    *const Bytes,
    *const u64,
    Texts,
    u32,
    *const Bytes,
    *const u64,
    Texts,
    *mut u32,
    *mut *mut *mut u8,
    *mut *mut u64,
    *mut *mut *mut c_char,
) -> c_int;
/// `oclocFreeOutput`
type Free = unsafe extern "C" fn(*mut u32, *mut *mut *mut u8, *mut *mut u64, *mut *mut *mut c_char) -> c_int;

/// The compiler.
#[derive(Debug)]
struct Ocloc {
    path: PathBuf,
    invoke: Invoke,
    free: Free,
}

/// The SPIR-V of `source` for devices of that number at PCI's registry, and what the compiler said.
pub(super) fn compile(source: &Source, product: u32) -> DeviceResult<(Vec<u8>, String)> {
    the().map_err(DeviceError::Absent)?.compile(source, product)
}

/// Where the compiler is, or why not.
pub(super) fn whereabouts() -> Result<String, String> {
    the().map(|ocloc| ocloc.path.display().to_string())
}

/// The compiler, opened at first use.
fn the() -> Result<&'static Ocloc, String> {
    static THE: OnceLock<Result<Ocloc, String>> = OnceLock::new();
    THE.get_or_init(Ocloc::open).as_ref().map_err(String::clone)
}

impl Ocloc {
    fn open() -> Result<Self, String> {
        if let Some(named) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            let path = PathBuf::from(named);
            return Self::at(&path).map_err(|why| format!("{}: {why} (named by {VARIABLE})", path.display()));
        }
        let mut refused = None;
        for path in CANDIDATES.iter().map(PathBuf::from) {
            match Self::at(&path) {
                Ok(ocloc) => return Ok(ocloc),
                Err(why) if why.contains("No such file") => {}
                Err(why) => refused = refused.or_else(|| Some(format!("{}: {why}", path.display()))),
            }
        }
        Err(refused.unwrap_or_else(|| {
            format!(
                "libocloc.so, which compiles OpenCL C for Level Zero, is not here: install intel-ocloc or name the file by {VARIABLE}, \
                 or give the kernel as SPIR-V"
            )
        }))
    }

    fn at(path: &Path) -> Result<Self, String> {
        let object = SharedObject::open(path, Scope::Local)?;
        let lacks = |symbol: &str| format!("it is not Intel's offline compiler: it has no {symbol}");
        // SAFETY: the signature that ocloc_api.h gives it.
        let invoke = unsafe { object.function::<Invoke>("oclocInvoke") }.ok_or_else(|| lacks("oclocInvoke"))?;
        // SAFETY: as above.
        let free = unsafe { object.function::<Free>("oclocFreeOutput") }.ok_or_else(|| lacks("oclocFreeOutput"))?;
        Ok(Self { path: object.file_of("oclocInvoke").unwrap_or_else(|| path.to_owned()), invoke, free })
    }

    fn compile(&self, source: &Source, product: u32) -> DeviceResult<(Vec<u8>, String)> {
        let name = if source.name.is_empty() { "program.cl" } else { &source.name };
        let device = format!("{product:#06x}");
        let options = source.options.join(" ");
        let words =
            ["ocloc", "compile", "-q", "-spv_only", "-64", "-device", &device, "-file", name, "-options", &options];
        // Without options of its own there is no empty one.
        let words = if options.is_empty() { &words[..9] } else { &words[..] };
        let words = words.iter().map(|word| c_text(word)).collect::<DeviceResult<Vec<_>>>()?;
        // This line makes the compiler's messages name the user's file and its lines.
        let text = c_text(&format!("#line 1 \"{}\"\n{}", name.replace(['"', '\\', '\n'], "_"), source.text))?;
        let (code, outputs) = self.invoke(&words, &text, &c_text(name)?);
        let said = outputs.iter().find(|(name, _)| name == LOG);
        let said = said.map(|(_, said)| String::from_utf8_lossy(said).trim().to_owned()).unwrap_or_default();
        let words = outputs.into_iter().find(|(name, words)| is_spirv(words) && name != LOG);
        match words {
            Some((_, words)) if code == 0 => Ok((words, said)),
            _ if !said.is_empty() => Err(DeviceError::Build { log: said }),
            _ => Err(DeviceError::Build {
                log: format!("{name} does not compile (ocloc: {code}), and ocloc does not say why"),
            }),
        }
    }

    /// Runs the compiler on one source, and returns its code and its files.
    fn invoke(&self, words: &[CString], text: &CString, name: &CString) -> (c_int, Vec<(String, Vec<u8>)>) {
        let arguments: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
        // The zero at the end is part of the source: some versions look for it.
        let bytes = text.as_bytes_with_nul();
        let (data, len, name) = (bytes.as_ptr(), bytes.len() as u64, name.as_ptr());
        let (mut count, mut files, mut lens, mut names) =
            (0, std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: as many words as are counted, one source with its length and its name, no header, and four words of ours.
        let code = unsafe {
            (self.invoke)(
                arguments.len() as c_uint,
                arguments.as_ptr(),
                1,
                &raw const data,
                &raw const len,
                &raw const name,
                0,
                std::ptr::null(),
                std::ptr::null(),
                std::ptr::null(),
                &raw mut count,
                &raw mut files,
                &raw mut lens,
                &raw mut names,
            )
        };
        // SAFETY: the compiler has filled these in just now.
        let outputs = (0..count as usize).map(|at| unsafe { output(at, files, lens, names) }).collect();
        // SAFETY: what the compiler gave, given back once.
        unsafe { (self.free)(&raw mut count, &raw mut files, &raw mut lens, &raw mut names) };
        (code, outputs)
    }
}

/// The name and the content of a file that the compiler made.
///
/// # Safety
/// The three lists must have more than `at` entries, the first as many bytes as the second says.
unsafe fn output(at: usize, files: *mut *mut u8, lens: *mut u64, names: *mut *mut c_char) -> (String, Vec<u8>) {
    // SAFETY: as the caller vouches.
    let (file, len, name) = unsafe { (*files.add(at), *lens.add(at), *names.add(at)) };
    // SAFETY: null, or a C string of the compiler's.
    let name = unsafe { text(name) };
    if file.is_null() {
        return (name, Vec::new());
    }
    // SAFETY: that many bytes, as the caller vouches.
    (name, unsafe { std::slice::from_raw_parts(file, len as usize) }.to_vec())
}

/// Whether bytes begin with SPIR-V's magic number (specification 2.3).
pub(super) fn is_spirv(bytes: &[u8]) -> bool {
    bytes.starts_with(&0x0723_0203_u32.to_le_bytes())
}

fn c_text(text: &str) -> DeviceResult<CString> {
    CString::new(text)
        .map_err(|_| DeviceError::Unsupported(format!("{text:?} holds a zero byte, which C ends a text with")))
}
