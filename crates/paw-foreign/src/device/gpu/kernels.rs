//! Kernels: launching one, and those that paw embeds.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_void};
use std::sync::Mutex;

use super::calls::{Address, Opaque, call};
use super::objects::{EmbeddedKernels, Kernel};
use super::{Gpu, Vendor};
use crate::device::driver::missing;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::program::{Builtin, Grid};
use crate::device::span::ObjectHandle;

const GATE: &CStr = c"paw_gate";

/// The kernels that every device gets at once. The others are loaded when they are asked for.
const AT_ONCE: &[Builtin] =
    &[Builtin::Empty, Builtin::Copy, Builtin::Scale, Builtin::Add, Builtin::Triad, Builtin::Chase, Builtin::Update];

const WORDS: &[(usize, &CStr)] = &[(16, c"paw_words_16"), (4, c"paw_words_4"), (1, c"paw_words_1")];

/// Threads per block and blocks per unit for copies: enough loads in flight to fill a link with a latency of a microsecond.
const COPYING_THREADS: u32 = 512;
const COPYING_BLOCKS: u64 = 4;

/// The most arguments that a kernel is started with.
const ARGUMENTS: usize = 64;

/// Loads the embedded kernels that every device gets.
pub(super) fn load<V: Vendor>(gpu: &Gpu<V>) -> DeviceResult<EmbeddedKernels> {
    let module = gpu.load(&V::first_image(gpu)?)?;
    let mut words = Vec::new();
    for (width, name) in WORDS {
        words.push((*width, gpu.function(module, name)?));
    }
    let builtins = Mutex::new(gpu.builtins(module, AT_ONCE)?);
    Ok(EmbeddedKernels { gate: gpu.function(module, GATE)?, builtins, words })
}

impl<V: Vendor> Gpu<V> {
    /// The module of an image.
    pub(super) fn load(&self, image: &[u8]) -> DeviceResult<Opaque> {
        let mut module = std::ptr::null_mut();
        call!(self.library, module_load_data(&raw mut module, image.as_ptr().cast()))?;
        Ok(module)
    }

    /// The function of that name in a module.
    pub(super) fn function(&self, module: Opaque, name: &CStr) -> DeviceResult<Opaque> {
        let mut function = std::ptr::null_mut();
        call!(self.library, module_get_function(&raw mut function, module, name.as_ptr()))?;
        Ok(function)
    }

    /// The handles of embedded kernels in a module.
    fn builtins(&self, module: Opaque, kernels: &[Builtin]) -> DeviceResult<Vec<(Builtin, ObjectHandle)>> {
        let handle = |which: &Builtin| {
            let name = CString::new(which.name()).unwrap_or_default();
            let kernel = Kernel { function: self.function(module, &name)?, program: 0 };
            Ok((*which, self.kernels.insert(kernel)))
        };
        kernels.iter().map(handle).collect()
    }

    /// The handle of an embedded kernel, loaded if it is asked for the first time.
    pub(super) fn embedded_kernel(&self, which: Builtin) -> DeviceResult<ObjectHandle> {
        let mut builtins = self.embedded.as_ref().map_err(Clone::clone)?.loaded();
        let loaded = |builtins: &[(Builtin, ObjectHandle)]| {
            builtins.iter().find(|(other, _)| *other == which).map(|(_, handle)| *handle)
        };
        if let Some(handle) = loaded(&builtins) {
            return Ok(handle);
        }
        self.current()?;
        let (image, kernels) = V::image_with(self, which)?;
        builtins.extend(self.builtins(self.load(&image)?, &kernels)?);
        loaded(&builtins).ok_or_else(|| missing(V::BACKEND.title(), which))
    }

    /// Launches `kernel`. An argument is the low bytes of its word.
    pub(super) fn start(&self, stream: Opaque, kernel: Opaque, grid: Grid, arguments: &[u64]) -> DeviceResult {
        if arguments.len() > ARGUMENTS {
            return Err(DeviceError::Unsupported(format!(
                "a kernel of {} arguments; paw hands over {ARGUMENTS} at most",
                arguments.len()
            )));
        }
        let blocks = V::blocks(grid)?;
        // Missing arguments are zeros: the driver reads as many as the kernel has.
        let mut words = [0u64; ARGUMENTS];
        words[..arguments.len()].copy_from_slice(arguments);
        let mut places = words.each_mut().map(|word| (&raw mut *word).cast::<c_void>());
        let (places, none) = (places.as_mut_ptr(), std::ptr::null_mut());
        call!(
            self.library,
            launch_kernel(kernel, blocks, 1, 1, grid.threads, 1, 1, grid.shared_bytes, stream, places, none)
        )
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
        self.start(stream, *kernel, grid, &[to, from, words])
    }
}
