//! What HIP's run-time interface has of its own: its numbers of devices and attributes, and who compiles and multiplies for it.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint};
use std::path::Path;

use super::calls::HipCalls;
use super::context::{Amd, Hip};
use super::products::{ProductPlan, Products};
use super::throttling::Throttling;
use super::{diagnosis, hiprtc, hwmon, matrix_cores, peaks, properties, remarks};
use crate::device::driver::{has_choice, missing};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::{Backend, DeviceFacts, DeviceState};
use crate::device::gemm::{GemmKind, GemmMath};
use crate::device::gpu::calls::{Address, Column, Opaque, Ordinal, call, call_if_there};
use crate::device::gpu::compiler::Compiled;
use crate::device::gpu::facts::{Attributes, attribute};
use crate::device::gpu::gates::CLOSED_MAX_S;
use crate::device::gpu::library::{ErrorNames, Library};
use crate::device::gpu::services::{Addresses, Stream};
use crate::device::gpu::{Diagnosis, Vendor};
use crate::device::program::{Builtin, FmaKind, Grid, Source};
use crate::object::{SharedObject, text};

/// `hipGetErrorName`, which returns a text and no status.
type ErrorName = unsafe extern "C" fn(c_int) -> *const c_char;

/// HIP C++ of the kernels that every device gets at once, compiled for the device when it is opened: there is no code that every device
/// takes.
const TEXT: &str = include_str!("kernels.hip");
/// HIP C++ of the kernels that compute, compiled when the first of them is asked for, and the kernels in it.
const COMPUTING_TEXT: &str = include_str!("fma.hip");
const COMPUTING: &[Builtin] = &[
    Builtin::Fma(FmaKind::F64),
    Builtin::Fma(FmaKind::F32),
    Builtin::Fma(FmaKind::F16),
    Builtin::Fma(FmaKind::I32),
    Builtin::Intensity(FmaKind::F64),
    Builtin::Intensity(FmaKind::F32),
];

/// `hipDeviceAttributeWallClockRate`: kilohertz of the clock that kernels read by `wall_clock64`. ROCm 5.2 has it not.
const WALL_CLOCK_KHZ: i32 = 10_017;
/// Looks at a word over the bus take half a microsecond or more: these take longer than [`CLOSED_MAX_S`], and end a gate whose clock is
/// not known.
const LOOKS_MAX: u64 = 10_000_000;
/// A launch has fewer threads than this in a dimension (HIP's reference, hipModuleLaunchKernel).
const THREADS_END: u64 = 1 << 32;

impl Vendor for Amd {
    type OwnCalls = HipCalls;
    type Products = Products;
    type Plan = ProductPlan;

    const BACKEND: Backend = Backend::Hip;
    const COLUMN: Column = Column::Hip;
    const INIT: &'static str = "hipInit";
    const VERSION: &'static str = "hipRuntimeGetVersion";
    /// The same numbers from ROCm 5.2 to 7.
    const ATTRIBUTES: Attributes = Attributes {
        clock_khz: 5,
        units: 63,
        integrated: 16,
        maps_host_memory: 3,
        cache_bytes: 19,
        reads_pageable: 65,
        has_pools: 88,
        shared_bytes_max: 74,
        warp: 87,
        threads_of_a_unit: 57,
    };
    /// From hip_runtime's environment variables.
    const SERIALISING: &'static [(&'static str, &'static str)] =
        &[("HIP_LAUNCH_BLOCKING", "0"), ("AMD_SERIALIZE_KERNEL", "0"), ("AMD_SERIALIZE_COPY", "0")];
    /// `hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent`: without the last, a device may keep the word in its caches
    /// and never see what the host writes.
    const GATE_FLAGS: c_uint = 0x4000_0003;
    const WITHOUT_DEVICES: &'static str = "HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES";
    const DIAGNOSIS: Diagnosis = Diagnosis {
        release: diagnosis::release,
        incomplete: diagnosis::incomplete,
        unstarted: diagnosis::unstarted,
        absent: diagnosis::absent,
    };

    fn error_names(object: &SharedObject) -> ErrorNames {
        // SAFETY: the signature that every release of HIP has had for this function.
        let named = unsafe { object.function::<ErrorName>("hipGetErrorName") };
        Box::new(move |code| {
            let Some(named) = named else { return String::new() };
            // SAFETY: it takes any number.
            let name = unsafe { named(code) };
            // SAFETY: null, or a C string that lives as long as the library, which is never closed.
            unsafe { text(name) }
        })
    }

    fn ordinal(_library: &'static Library<Self>, index: u32) -> DeviceResult<Ordinal> {
        Ok(i32::try_from(index).unwrap_or(i32::MAX))
    }

    fn describe(library: &'static Library<Self>, ordinal: Ordinal, facts: &mut DeviceFacts) {
        let architecture = properties::architecture(library, ordinal);
        let root = Path::new("/");
        // Some libraries know no product's name, and the architecture stands for it.
        if facts.name.is_empty() {
            facts.name = architecture.clone().unwrap_or_default();
        }
        facts.uuid = uuid(library, ordinal);
        facts.link = facts.bus_id.as_deref().and_then(|id| hwmon::link(root, id));
        facts.peaks = architecture.as_deref().map(|name| peaks::all(name, facts.units)).unwrap_or_default();
        facts.driver = hwmon::driver_version(root).unwrap_or_default();
    }

    fn open(library: &'static Library<Self>, ordinal: Ordinal) -> DeviceResult<Self> {
        Ok(Self { architecture: properties::architecture(library, ordinal), throttling: Throttling::default() })
    }

    fn products(library: &'static Library<Self>) -> Products {
        Products::new(&library.file)
    }

    fn select(gpu: &Hip) -> DeviceResult {
        call!(gpu.library, own.set_device(gpu.ordinal))
    }

    fn reach_into(gpu: &Hip, peer: &Hip) -> DeviceResult {
        call!(gpu.library, own.device_enable_peer_access(peer.ordinal, 0))
    }

    fn copy_across(
        gpu: &Hip,
        stream: Opaque,
        (to, to_gpu): (Address, &Hip),
        (from, from_gpu): (Address, &Hip),
        bytes: usize,
    ) -> DeviceResult {
        call!(gpu.library, own.memcpy_peer(to, to_gpu.ordinal, from, from_gpu.ordinal, bytes, stream))
    }

    fn gate_limits(gpu: &Hip) -> [u64; 2] {
        let rate = attribute(gpu.library, gpu.ordinal, WALL_CLOCK_KHZ).filter(|khz| *khz > 0);
        let ticks = rate.map_or(u64::MAX >> 1, |khz| (CLOSED_MAX_S * f64::from(khz) * 1e3) as u64);
        [ticks, LOOKS_MAX]
    }

    fn first_image(gpu: &Hip) -> DeviceResult<Vec<u8>> {
        image(gpu, TEXT, "kernels.hip")
    }

    fn image_with(gpu: &Hip, which: Builtin) -> DeviceResult<(Vec<u8>, Vec<Builtin>)> {
        if let Builtin::Matrix(kind) = which {
            let text = matrix_cores::source(gpu.own.architecture.as_deref(), kind)?;
            return Ok((image(gpu, &text, "matrix.hip")?, vec![which]));
        }
        if !COMPUTING.contains(&which) {
            return Err(missing("HIP", which));
        }
        Ok((image(gpu, COMPUTING_TEXT, "fma.hip")?, COMPUTING.to_vec()))
    }

    /// Four vectors of 16 bytes where a kernel computes.
    fn elements_per_thread(which: Builtin) -> u64 {
        match which {
            Builtin::Intensity(kind) => (4 * 16 / kind.bytes()) as u64,
            _ => 1,
        }
    }

    fn blocks(grid: Grid) -> DeviceResult<c_uint> {
        let threads = grid.blocks.saturating_mul(u64::from(grid.threads));
        u32::try_from(grid.blocks).ok().filter(|_| threads < THREADS_END).ok_or_else(|| {
            DeviceError::Unsupported(format!(
                "{} blocks of {} threads; HIP starts less than {THREADS_END} threads at a time, so give each more work",
                grid.blocks, grid.threads
            ))
        })
    }

    fn compiled(gpu: &Hip, source: &Source) -> DeviceResult<Compiled> {
        let architecture = gpu.own.architecture.as_deref().ok_or_else(|| {
            DeviceError::Unsupported(format!(
                "{} does not tell its architecture, and nothing compiles without",
                gpu.facts.id()
            ))
        })?;
        hiprtc::the(gpu.library).map_err(DeviceError::Absent)?.compile(source, architecture)
    }

    fn allow_shared(gpu: &Hip, _function: Opaque, bytes: u32) -> DeviceResult {
        let most = attribute(gpu.library, gpu.ordinal, Self::ATTRIBUTES.shared_bytes_max);
        match most.and_then(|most| u32::try_from(most).ok()) {
            Some(most) if bytes > most => Err(gpu.too_much_shared(bytes, most)),
            _ => Ok(()),
        }
    }

    fn repeat_launch(gpu: &Hip, refused: DeviceError, function: Opaque, bytes: u32) -> DeviceResult {
        Self::allow_shared(gpu, function, bytes)?;
        Err(refused)
    }

    fn plan(
        gpu: &Hip,
        stream: Stream,
        kind: GemmKind,
        math: GemmMath,
        n: usize,
    ) -> DeviceResult<(ProductPlan, String)> {
        has_choice(Backend::Hip, math)?;
        gpu.products.plan(stream, kind, n)
    }

    fn gemv(gpu: &Hip, stream: Stream, kind: GemmKind, n: usize, at: Addresses) -> DeviceResult<String> {
        gpu.products.gemv(stream, kind, n, at)
    }

    fn peak_per_clock(gpu: &Hip, kind: GemmKind) -> Option<f64> {
        peaks::per_clock(gpu.own.architecture.as_deref()?, gpu.facts.units, kind)
    }

    fn matrix_peak_per_clock(gpu: &Hip, kind: GemmKind) -> Option<f64> {
        peaks::matrix_per_clock(gpu.own.architecture.as_deref()?, gpu.facts.units, kind)
    }

    fn state(gpu: &Hip) -> DeviceState {
        let Some(id) = gpu.facts.bus_id.as_deref() else { return DeviceState::default() };
        let root = Path::new("/");
        DeviceState { throttled: gpu.own.throttling.reasons(root, id), ..hwmon::state(root, id) }
    }

    fn remarks(gpu: &Hip) -> Vec<String> {
        remarks::remarks(gpu)
    }
}

/// A text of that name, compiled for the device.
fn image(gpu: &Hip, text: &str, name: &str) -> DeviceResult<Vec<u8>> {
    let source = Source { text: text.to_owned(), name: name.to_owned(), ..Source::default() };
    Ok(Amd::compiled(gpu, &source)?.image)
}

/// The UUID as `rocminfo` writes it: sixteen characters, which the library hands over as text.
fn uuid(library: &'static Library<Amd>, ordinal: Ordinal) -> Option<String> {
    let mut bytes = [0u8; 16];
    call_if_there!(library, calls.device_get_uuid(&raw mut bytes, ordinal)).ok()?;
    let text = std::str::from_utf8(&bytes).ok().map(|text| text.trim_matches('\0'));
    let text = text.filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    // A device without one tells zeros, or "XX" (hsa_agent_get_info, HSA_AMD_AGENT_INFO_UUID).
    text.filter(|text| text.bytes().any(|byte| !matches!(byte, b'0' | b'X'))).map(|text| format!("GPU-{text}"))
}
