//! The ways in which this library can be wrong.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};
use std::io::{Read, Write};
use std::sync::OnceLock;

/// What the library does. The word that chooses it is its name in small letters with hyphens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// `correct`: nothing is wrong.
    Correct,
    /// `off-by-1e-9`: the middle element of the result is a billionth too large.
    OffByABillionth,
    /// `bf16`: operands, or the sums of short numbers, are rounded to 8 binary digits.
    Bf16,
    /// `saturate`: pairs of products of bytes are added up in 16 bits, as VPMADDUBSW does.
    Saturate,
    /// `beta-ignored`: the result is what it would be with β = 0.
    BetaIgnored,
    /// `f32-inside`: results are rounded to f32.
    F32Inside,
    /// `padding`: the element behind the first row of a padded result is written.
    Padding,
    /// `hang`: the first call never returns.
    Hang,
    /// `segv`: the first call touches memory that is not there.
    Segv,
    /// `abort`: the first call gives up the process.
    Abort,
    /// `exit`: the first call ends the process with code 3.
    Exit,
    /// `chatty`: loading and every call print to standard output.
    Chatty,
    /// `hang-in-load`: loading never ends.
    HangInLoad,
    /// `exit-in-load`: loading ends the process with code 127, as a missing symbol of a run-time library does.
    ExitInLoad,
}

/// Words first that hold other words.
const WORDS: [(&str, Behaviour); 14] = [
    ("hang-in-load", Behaviour::HangInLoad),
    ("exit-in-load", Behaviour::ExitInLoad),
    ("off-by-1e-9", Behaviour::OffByABillionth),
    ("beta-ignored", Behaviour::BetaIgnored),
    ("f32-inside", Behaviour::F32Inside),
    ("saturate", Behaviour::Saturate),
    ("bf16", Behaviour::Bf16),
    ("padding", Behaviour::Padding),
    ("chatty", Behaviour::Chatty),
    ("hang", Behaviour::Hang),
    ("segv", Behaviour::Segv),
    ("abort", Behaviour::Abort),
    ("exit", Behaviour::Exit),
    ("correct", Behaviour::Correct),
];

/// The behaviour chosen, by the file's name or else by the variable.
pub(crate) fn chosen() -> Behaviour {
    static CHOSEN: OnceLock<Behaviour> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let by_file = named(file_name().rsplit('/').next().unwrap_or_default());
        by_file.or_else(|| named(&std::env::var("MOCK_BLAS").unwrap_or_default())).unwrap_or(Behaviour::Correct)
    })
}

/// Does before a call what is not about its result.
pub(crate) fn misbehave() {
    match chosen() {
        Behaviour::Hang => hang(),
        Behaviour::Segv => touch_nothing(),
        Behaviour::Abort => std::process::abort(),
        Behaviour::Exit => std::process::exit(3),
        Behaviour::Chatty => chat("mock-blas was called\n"),
        _ => {}
    }
}

fn named(text: &str) -> Option<Behaviour> {
    WORDS.iter().find(|(word, _)| text.contains(word)).map(|(_, behaviour)| *behaviour)
}

/// The file this code was loaded from.
fn file_name() -> String {
    let address: fn() -> String = file_name;
    // SAFETY: Dl_info is a plain C structure of pointers, for which zeros are a value.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for, and `info` outlives the call.
    let found = unsafe { libc::dladdr(address as *const c_void, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return String::new();
    }
    // SAFETY: the loader's string lives as long as this library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    name.to_string_lossy().into_owned()
}

fn hang() {
    let (mut silent, _kept_open) = std::io::pipe().expect("a pipe");
    silent.read_exact(&mut [0]).expect("nothing comes");
}

fn touch_nothing() {
    // SAFETY: none; to break this rule is what the behaviour is for.
    unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) };
}

fn chat(words: &str) {
    std::io::stdout().write_all(words.as_bytes()).ok();
}

/// Runs when the library is loaded.
extern "C" fn load() {
    match chosen() {
        Behaviour::HangInLoad => hang(),
        // SAFETY: this call takes a number and does not return.
        Behaviour::ExitInLoad => unsafe { libc::_exit(127) },
        Behaviour::Chatty => chat("mock-blas was loaded\n"),
        _ => {}
    }
}

// The loader calls every function of this section.
#[used]
#[unsafe(link_section = ".init_array")]
static LOAD: extern "C" fn() = load;
