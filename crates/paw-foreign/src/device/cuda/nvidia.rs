//! What CUDA's driver interface has of its own: its contexts, its numbers, and who compiles and multiplies for it.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint};
use std::path::Path;
use std::sync::OnceLock;

use super::calls::CudaCalls;
use super::context::{Cuda, Nvidia};
use super::products::{ProductPlan, Products};
use super::{diagnosis, links, managed, nvml, nvrtc, peaks, ptx, remarks, toolkit};
use crate::device::driver::missing;
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
use crate::device::host;
use crate::device::managed::Side;
use crate::device::peer::LinkLimit;
use crate::device::program::{Builtin, FmaKind, Grid, Source};
use crate::device::span::ObjectHandle;
use crate::object::{SharedObject, text};

/// PTX of the kernels that every device gets at once, but for those of STREAM; drivers translate it.
const TEXT: &str = include_str!("kernels.ptx");

/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const DYNAMIC_SHARED_BYTES_MAX: i32 = 8;
/// Bytes of shared memory beyond a kernel's own that a block gets unasked (CUDA C++ Programming Guide, shared memory of 7.x and later).
const SHARED_UNASKED: u32 = 48 << 10;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `…_MINOR`.
const COMPUTE_MAJOR: i32 = 75;
const COMPUTE_MINOR: i32 = 76;
/// `CUDA_ERROR_INVALID_VALUE`.
const INVALID_VALUE: i64 = 1;
/// The compute capability from which tensor cores round singles to TF32; cuBLAS multiplies them in single precision below it.
const TF32_FROM: (u32, u32) = (8, 0);

impl Vendor for Nvidia {
    type OwnCalls = CudaCalls;
    type Products = Products;
    type Plan = ProductPlan;

    const BACKEND: Backend = Backend::Cuda;
    const COLUMN: Column = Column::Cuda;
    const INIT: &'static str = "cuInit";
    const VERSION: &'static str = "cuDriverGetVersion";
    const ATTRIBUTES: Attributes = Attributes {
        clock_khz: 13,
        units: 16,
        integrated: 18,
        maps_host_memory: 19,
        cache_bytes: 38,
        reads_pageable: 88,
        has_pools: 115,
        shared_bytes_max: 97,
        warp: 10,
        threads_of_a_unit: 39,
    };
    const SERIALISING: &'static [(&'static str, &'static str)] =
        &[("CUDA_LAUNCH_BLOCKING", "0"), ("CUDA_INJECTION64_PATH", "")];
    /// `CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP`.
    const GATE_FLAGS: c_uint = 3;
    const WITHOUT_DEVICES: &'static str = "CUDA_VISIBLE_DEVICES";
    const DIAGNOSIS: Diagnosis = Diagnosis {
        release: diagnosis::release,
        incomplete: diagnosis::incomplete,
        unstarted: diagnosis::unstarted,
        absent: diagnosis::absent,
    };

    fn error_names(object: &SharedObject) -> ErrorNames {
        // SAFETY: the signature that every driver has had for this function.
        let named =
            unsafe { object.function::<unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int>("cuGetErrorName") };
        Box::new(move |code| {
            let mut name: *const c_char = std::ptr::null();
            if let Some(named) = named {
                // SAFETY: it writes one pointer, null or to a string of the library's own.
                unsafe { named(code, &raw mut name) };
            }
            // SAFETY: null, or a C string that lives as long as the library, which is never closed.
            unsafe { text(name) }
        })
    }

    fn ordinal(library: &'static Library<Self>, index: u32) -> DeviceResult<Ordinal> {
        let mut ordinal = 0;
        call!(library, own.device_get(&raw mut ordinal, i32::try_from(index).unwrap_or(i32::MAX)))?;
        Ok(ordinal)
    }

    fn describe(library: &'static Library<Self>, ordinal: Ordinal, facts: &mut DeviceFacts) {
        let asked = |which: i32| attribute(library, ordinal, which).and_then(|value| u32::try_from(value).ok());
        let (root, bus_id) = (Path::new("/"), facts.bus_id.as_deref());
        facts.compute = asked(COMPUTE_MAJOR).zip(asked(COMPUTE_MINOR));
        facts.uuid = uuid(library, ordinal);
        facts.link = bus_id.map(nvml::state).unwrap_or_default().link;
        facts.link = facts.link.or_else(|| bus_id.and_then(|id| host::link(root, id)));
        let peaks = facts.compute.map(|compute| peaks::all(compute, facts.units, &facts.name));
        facts.peaks = peaks.unwrap_or_default();
        facts.driver = nvml::driver_version().or_else(|| host::driver_version(root)).unwrap_or_default();
    }

    fn open(library: &'static Library<Self>, ordinal: Ordinal) -> DeviceResult<Self> {
        let mut context = std::ptr::null_mut();
        call!(library, own.primary_ctx_retain(&raw mut context, ordinal))?;
        Ok(Self { context, links: OnceLock::new() })
    }

    fn products(library: &'static Library<Self>) -> Products {
        Products::new(toolkit::major(library.version))
    }

    fn select(gpu: &Cuda) -> DeviceResult {
        call!(gpu.library, own.ctx_set_current(gpu.own.context))
    }

    fn reach_into(gpu: &Cuda, peer: &Cuda) -> DeviceResult {
        call!(gpu.library, own.ctx_enable_peer_access(peer.own.context, 0))
    }

    fn copy_across(
        gpu: &Cuda,
        stream: Opaque,
        (to, to_gpu): (Address, &Cuda),
        (from, from_gpu): (Address, &Cuda),
        bytes: usize,
    ) -> DeviceResult {
        call!(gpu.library, own.memcpy_peer(to, to_gpu.own.context, from, from_gpu.own.context, bytes, stream))
    }

    fn gate_limits(gpu: &Cuda) -> [u64; 2] {
        // Cycles end a gate whose timer does not run: twice as many, because clocks exceed their nominal maximum.
        let clocks = CLOSED_MAX_S * gpu.facts.clock_hz.unwrap_or(2e9) * 2.0;
        [(CLOSED_MAX_S * 1e9) as u64, clocks as u64]
    }

    fn first_image(_gpu: &Cuda) -> DeviceResult<Vec<u8>> {
        Ok(format!("{TEXT}{}\0", ptx::streams()).into_bytes())
    }

    /// Each of the others is a module of its own.
    fn image_with(gpu: &Cuda, which: Builtin) -> DeviceResult<(Vec<u8>, Vec<Builtin>)> {
        let text = ptx::module(which).ok_or_else(|| missing("CUDA", which))?;
        if let Some((major, minor)) = gpu.facts.compute.filter(|has| *has < ptx::least(which)) {
            return Err(DeviceError::Unsupported(format!(
                "{} has no kernel {}: its compute capability is {major}.{minor}, and 5.3 is the first that computes with halves",
                gpu.facts.id(),
                which.name()
            )));
        }
        Ok((text.into_bytes(), vec![which]))
    }

    fn elements_per_thread(which: Builtin) -> u64 {
        ptx::elements_per_thread(which)
    }

    fn blocks(grid: Grid) -> DeviceResult<c_uint> {
        let blocks = u32::try_from(grid.blocks).ok().filter(|blocks| i32::try_from(*blocks).is_ok());
        blocks.ok_or_else(|| {
            DeviceError::Unsupported(format!(
                "{} blocks; CUDA starts 2147483647 at most, so take more threads",
                grid.blocks
            ))
        })
    }

    fn compiled(gpu: &Cuda, source: &Source) -> DeviceResult<Compiled> {
        nvrtc::compile(source, gpu.facts.compute.unwrap_or((5, 0)), gpu.library.version)
    }

    fn allow_shared(gpu: &Cuda, function: Opaque, bytes: u32) -> DeviceResult {
        if bytes <= SHARED_UNASKED {
            return Ok(());
        }
        let wanted = i32::try_from(bytes).unwrap_or(i32::MAX);
        let most = attribute(gpu.library, gpu.ordinal, Self::ATTRIBUTES.shared_bytes_max).unwrap_or(0);
        call_if_there!(gpu.library, own.func_set_attribute(function, DYNAMIC_SHARED_BYTES_MAX, wanted))
            .map_err(|error| if wanted > most { gpu.too_much_shared(bytes, most.unsigned_abs()) } else { error })
    }

    /// A launch that was refused is asked for and repeated, so that no later one pays for asking.
    fn repeat_launch(gpu: &Cuda, refused: DeviceError, function: Opaque, bytes: u32) -> DeviceResult {
        match refused {
            DeviceError::Refused { code: INVALID_VALUE, .. } if bytes > SHARED_UNASKED => {
                Self::allow_shared(gpu, function, bytes)
            }
            other => Err(other),
        }
    }

    fn plan(
        gpu: &Cuda,
        stream: Stream,
        kind: GemmKind,
        math: GemmMath,
        n: usize,
    ) -> DeviceResult<(ProductPlan, String)> {
        let is_tf32 = kind == GemmKind::Tf32 || (kind == GemmKind::Fp32 && math == GemmMath::Tensor);
        if let Some((major, minor)) = gpu.facts.compute.filter(|has| is_tf32 && *has < TF32_FROM) {
            return Err(DeviceError::Unsupported(format!(
                "{} has no TF32: its compute capability is {major}.{minor}, and 8.0 is the first with it; take fp32 with math=default",
                gpu.facts.id()
            )));
        }
        gpu.products.plan(gpu, stream, (kind, math), n)
    }

    fn gemv(gpu: &Cuda, stream: Stream, kind: GemmKind, n: usize, at: Addresses) -> DeviceResult<String> {
        gpu.products.gemv(stream, kind, n, at)
    }

    fn peak_per_clock(gpu: &Cuda, kind: GemmKind) -> Option<f64> {
        peaks::per_clock(gpu.facts.compute?, gpu.facts.units, &gpu.facts.name, kind)
    }

    fn vector_peak_per_clock(gpu: &Cuda, kind: FmaKind) -> Option<f64> {
        peaks::vector_per_clock(gpu.facts.compute?, gpu.facts.units, kind)
    }

    fn state(gpu: &Cuda) -> DeviceState {
        gpu.facts.bus_id.as_deref().map(nvml::state).unwrap_or_default()
    }

    fn remarks(gpu: &Cuda) -> Vec<String> {
        remarks::remarks(gpu)
    }

    fn link_to_host(gpu: &Cuda) -> Option<LinkLimit> {
        links::host_link(gpu)
    }

    fn link_to_peer(gpu: &Cuda, peer_index: u32) -> Option<LinkLimit> {
        links::peer_link(gpu, peer_index)
    }

    fn managed(gpu: &Cuda, bytes: usize) -> DeviceResult<ObjectHandle> {
        managed::allocate(gpu, bytes)
    }

    fn prefetch(gpu: &Cuda, queue: ObjectHandle, host: ObjectHandle, to: Side) -> DeviceResult {
        managed::prefetch(gpu, queue, host, to)
    }
}

/// The UUID as `nvidia-smi -L` writes it; `_v2` distinguishes a part of a device (MIG).
fn uuid(library: &'static Library<Nvidia>, ordinal: Ordinal) -> Option<String> {
    let mut bytes = [0u8; 16];
    let newer = call_if_there!(library, own.device_get_uuid_v2(&raw mut bytes, ordinal));
    newer.or_else(|_| call_if_there!(library, calls.device_get_uuid(&raw mut bytes, ordinal))).ok()?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Some(format!("GPU-{}", parts.join("-")))
}
