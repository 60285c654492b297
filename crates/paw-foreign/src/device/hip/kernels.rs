//! Kernels: launching one, and those that paw embeds.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_void};
use std::sync::Mutex;

use super::calls::{Address, Opaque, call};
use super::context::Hip;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::objects::{EmbeddedKernels, Kernel};
use crate::device::program::{Builtin, FmaKind, Grid, Source};
use crate::device::span::ObjectHandle;

/// HIP C++ of the embedded kernels, which is compiled for the device when it is opened: there is no code that every device takes.
const TEXT: &str = include_str!("kernels.hip");

/// HIP C++ of the kernels that compute, compiled when the first of them is asked for.
const COMPUTING_TEXT: &str = include_str!("fma.hip");

const GATE: &CStr = c"paw_gate";

const BUILTINS: &[Builtin] =
    &[Builtin::Empty, Builtin::Copy, Builtin::Scale, Builtin::Add, Builtin::Triad, Builtin::Chase, Builtin::Update];

const COMPUTING: &[Builtin] = &[
    Builtin::Fma(FmaKind::F64),
    Builtin::Fma(FmaKind::F32),
    Builtin::Fma(FmaKind::F16),
    Builtin::Fma(FmaKind::I32),
    Builtin::Intensity(FmaKind::F64),
    Builtin::Intensity(FmaKind::F32),
];

const WORDS: &[(usize, &CStr)] = &[(16, c"paw_words_16"), (4, c"paw_words_4"), (1, c"paw_words_1")];

/// Threads per block and blocks per unit for copies: enough loads in flight to fill a link with a latency of a microsecond.
const COPYING_THREADS: u32 = 512;
const COPYING_BLOCKS: u64 = 4;

/// A launch has fewer threads than this in a dimension (HIP's reference, hipModuleLaunchKernel).
const THREADS_END: u64 = 1 << 32;

/// The most arguments that a kernel is started with.
const ARGUMENTS: usize = 64;

/// Loads the embedded kernels that every device gets.
pub(super) fn load(hip: &Hip) -> DeviceResult<EmbeddedKernels> {
    let module = module(hip, TEXT, "kernels.hip")?;
    let mut words = Vec::new();
    for (width, name) in WORDS {
        words.push((*width, function(hip, module, name)?));
    }
    let builtins = Mutex::new(handles(hip, module, BUILTINS)?);
    Ok(EmbeddedKernels { gate: function(hip, module, GATE)?, builtins, words })
}

/// The module of a text of that name, compiled for the device.
fn module(hip: &Hip, text: &str, name: &str) -> DeviceResult<Opaque> {
    let source = Source { text: text.to_owned(), name: name.to_owned(), ..Source::default() };
    let compiled = hip.compiled(&source)?;
    let mut module = std::ptr::null_mut();
    call!(hip.library, module_load_data(&raw mut module, compiled.image.as_ptr().cast()))?;
    Ok(module)
}

/// The handles of embedded kernels in a module.
fn handles(hip: &Hip, module: Opaque, kernels: &[Builtin]) -> DeviceResult<Vec<(Builtin, ObjectHandle)>> {
    let handle = |which: &Builtin| {
        let name = CString::new(which.name()).unwrap_or_default();
        let kernel = Kernel { function: function(hip, module, &name)?, program: 0 };
        Ok((*which, hip.kernels.insert(kernel)))
    };
    kernels.iter().map(handle).collect()
}

/// Elements that a thread of that kernel loads before it uses the first: four vectors of 16 bytes where it computes.
pub(super) fn elements_per_thread(which: Builtin) -> u64 {
    match which {
        Builtin::Intensity(kind) => (4 * 16 / kind.bytes()) as u64,
        _ => 1,
    }
}

/// The function of that name in a module.
pub(super) fn function(hip: &Hip, module: Opaque, name: &CStr) -> DeviceResult<Opaque> {
    let mut function = std::ptr::null_mut();
    call!(hip.library, module_get_function(&raw mut function, module, name.as_ptr()))?;
    Ok(function)
}

/// Launches `kernel`. An argument is the low bytes of its word.
pub(super) fn start(hip: &Hip, stream: Opaque, kernel: Opaque, grid: Grid, arguments: &[u64]) -> DeviceResult {
    if arguments.len() > ARGUMENTS {
        return Err(DeviceError::Unsupported(format!(
            "a kernel of {} arguments; paw hands over {ARGUMENTS} at most",
            arguments.len()
        )));
    }
    let threads = grid.blocks.saturating_mul(u64::from(grid.threads));
    let blocks = u32::try_from(grid.blocks).ok().filter(|_| threads < THREADS_END).ok_or_else(|| {
        DeviceError::Unsupported(format!(
            "{} blocks of {} threads; HIP starts less than {THREADS_END} threads at a time, so give each more work",
            grid.blocks, grid.threads
        ))
    })?;
    // Missing arguments are zeros: the driver reads as many as the kernel has.
    let mut words = [0u64; ARGUMENTS];
    words[..arguments.len()].copy_from_slice(arguments);
    let mut places = words.each_mut().map(|word| (&raw mut *word).cast::<c_void>());
    let none = std::ptr::null_mut();
    call!(
        hip.library,
        launch_kernel(kernel, blocks, 1, 1, grid.threads, 1, 1, grid.shared_bytes, stream, places.as_mut_ptr(), none)
    )
}

impl Hip {
    /// The handle of an embedded kernel; those that compute are loaded when the first of them is asked for.
    pub(super) fn embedded_kernel(&self, which: Builtin) -> DeviceResult<ObjectHandle> {
        let embedded = self.embedded.as_ref().map_err(Clone::clone)?;
        let mut loaded = embedded.loaded();
        if COMPUTING.contains(&which) && !loaded.iter().any(|(other, _)| *other == which) {
            self.current()?;
            loaded.extend(handles(self, module(self, COMPUTING_TEXT, "fma.hip")?, COMPUTING)?);
        }
        drop(loaded);
        embedded.builtin(which)
    }

    /// Copies by a kernel in place of a copy engine.
    pub(super) fn copy_words(&self, stream: Opaque, to: Address, from: Address, bytes: usize) -> DeviceResult {
        if bytes == 0 {
            return Ok(());
        }
        let embedded = self.embedded.as_ref().map_err(Clone::clone)?;
        let together = to | from | bytes as Address;
        let fits = |(width, _): &&(usize, Opaque)| together.is_multiple_of(*width as Address);
        let (width, kernel) = embedded.words.iter().find(fits).expect("every number is a multiple of one");
        let words = (bytes / width) as u64;
        let most = u64::from(self.facts.units.max(1)) * COPYING_BLOCKS;
        let blocks = words.div_ceil(u64::from(COPYING_THREADS)).clamp(1, most);
        let grid = Grid { blocks, threads: COPYING_THREADS, shared_bytes: 0 };
        start(self, stream, *kernel, grid, &[to, from, words])
    }
}
