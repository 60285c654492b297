//! Kernels: launching one, and those that paw embeds.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_void};
use std::sync::Mutex;

use super::calls::{Address, Opaque, call};
use super::context::Cuda;
use super::objects::{EmbeddedKernels, Kernel};
use super::ptx;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::program::{Builtin, Grid};
use crate::device::span::ObjectHandle;

/// PTX of the kernels that every device gets at once, but for those of STREAM; drivers translate it.
const TEXT: &str = include_str!("kernels.ptx");

const GATE: &CStr = c"paw_gate";

/// The kernels in that text and behind it. Each of the others is a module of its own, loaded when it is asked for.
const BUILTINS: &[Builtin] =
    &[Builtin::Empty, Builtin::Copy, Builtin::Scale, Builtin::Add, Builtin::Triad, Builtin::Chase, Builtin::Update];

const WORDS: &[(usize, &CStr)] = &[(16, c"paw_words_16"), (4, c"paw_words_4"), (1, c"paw_words_1")];

/// Threads per block and blocks per unit for copies: enough loads in flight to fill a link with a latency of a microsecond.
const COPYING_THREADS: u32 = 512;
const COPYING_BLOCKS: u64 = 4;

/// The most arguments that a kernel is started with.
const ARGUMENTS: usize = 64;

/// Loads the embedded kernels that every device gets.
pub(super) fn load(cuda: &Cuda) -> DeviceResult<EmbeddedKernels> {
    let module = module(cuda, &format!("{TEXT}{}\0", ptx::streams()))?;
    let mut builtins = Vec::new();
    for which in BUILTINS {
        builtins.push((*which, builtin(cuda, module, *which)?));
    }
    let mut words = Vec::new();
    for (width, name) in WORDS {
        words.push((*width, function(cuda, module, name)?));
    }
    Ok(EmbeddedKernels { gate: function(cuda, module, GATE)?, builtins: Mutex::new(builtins), words })
}

/// The module of a text that a zero ends.
fn module(cuda: &Cuda, text: &str) -> DeviceResult<Opaque> {
    let mut module = std::ptr::null_mut();
    call!(cuda.library, module_load_data(&raw mut module, text.as_ptr().cast()))?;
    Ok(module)
}

/// The handle of an embedded kernel in a module.
fn builtin(cuda: &Cuda, module: Opaque, which: Builtin) -> DeviceResult<ObjectHandle> {
    let name = CString::new(which.name()).unwrap_or_default();
    Ok(cuda.kernels.insert(Kernel { function: function(cuda, module, &name)?, program: 0 }))
}

/// The function of that name in a module.
pub(super) fn function(cuda: &Cuda, module: Opaque, name: &CStr) -> DeviceResult<Opaque> {
    let mut function = std::ptr::null_mut();
    call!(cuda.library, module_get_function(&raw mut function, module, name.as_ptr()))?;
    Ok(function)
}

/// Launches `kernel`. An argument is the low bytes of its word.
pub(super) fn start(cuda: &Cuda, stream: Opaque, kernel: Opaque, grid: Grid, arguments: &[u64]) -> DeviceResult {
    if arguments.len() > ARGUMENTS {
        return Err(DeviceError::Unsupported(format!(
            "a kernel of {} arguments; paw hands over {ARGUMENTS} at most",
            arguments.len()
        )));
    }
    let blocks = u32::try_from(grid.blocks).ok().filter(|blocks| i32::try_from(*blocks).is_ok());
    let blocks = blocks.ok_or_else(|| {
        DeviceError::Unsupported(format!(
            "{} blocks; CUDA starts 2147483647 at most, so take more threads",
            grid.blocks
        ))
    })?;
    // Missing arguments are zeros: the driver reads as many as the kernel has.
    let mut words = [0u64; ARGUMENTS];
    words[..arguments.len()].copy_from_slice(arguments);
    let mut places = words.each_mut().map(|word| (&raw mut *word).cast::<c_void>());
    let none = std::ptr::null_mut();
    call!(
        cuda.library,
        launch_kernel(kernel, blocks, 1, 1, grid.threads, 1, 1, grid.shared_bytes, stream, places.as_mut_ptr(), none)
    )
}

impl Cuda {
    /// The handle of an embedded kernel, loaded if it is asked for the first time.
    pub(super) fn embedded_kernel(&self, which: Builtin) -> DeviceResult<ObjectHandle> {
        let mut builtins = self.embedded.as_ref().map_err(Clone::clone)?.loaded();
        if let Some((_, handle)) = builtins.iter().find(|(other, _)| *other == which) {
            return Ok(*handle);
        }
        let absent = || DeviceError::Unsupported(format!("CUDA has no kernel {} of paw's", which.name()));
        let text = ptx::module(which).ok_or_else(absent)?;
        if let Some((major, minor)) = self.facts.compute.filter(|has| *has < ptx::least(which)) {
            return Err(DeviceError::Unsupported(format!(
                "{} has no kernel {}: its compute capability is {major}.{minor}, and 5.3 is the first that computes with halves",
                self.facts.id(),
                which.name()
            )));
        }
        self.current()?;
        let handle = builtin(self, module(self, &text)?, which)?;
        builtins.push((which, handle));
        Ok(handle)
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
