//! PAW's eighteen transfers, under their own names: six of graphics processors, twelve of coprocessors.

use paw_data::axis;
use paw_data::headline::Pick;
use paw_data::point::Point;
use paw_foreign::device::HostKind;

use super::DEVICE;
use super::transfer::begin;
use super::transfer_spec::{Direction, MemoryLifetime, TransferSpec};
use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Telling, Values};

/// Bytes of an element of the `gpu_` tests: PAW counts in floats there.
const GPU_ELEMENT: usize = 4;
/// Bytes of an element of the `phi_` tests: PAW counts in doubles there.
const PHI_ELEMENT: usize = 8;
/// Bytes by which PAW's `noal` is off its alignment.
const NOT_ALIGNED: usize = 8;

/// Six sizes that end within two minutes together with all others; PAW's own are `n=128..200000000`.
const GPU_SIZES: Axis = Axis {
    name: axis::N,
    meaning: "elements of 4 bytes one way",
    values: Values::Ints(&[512, 4096, 32_768, 262_144, 2_097_152, 16_777_216]),
};

/// The same sizes in doubles; PAW's own are `n=256..614400000`.
const PHI_SIZES: Axis = Axis {
    name: axis::N,
    meaning: "elements of 8 bytes one way",
    values: Values::Ints(&[256, 2048, 16_384, 131_072, 1_048_576, 8_388_608]),
};

/// The size at which a link shows its bandwidth, on devices of whatever number.
const LARGEST: &[i64] = &[16_777_216];
const QUICK: &[(&str, Values)] = &[(axis::N, Values::Ints(LARGEST))];

const GPU: Common = Common {
    axes: &[GPU_SIZES],
    variables: &[
        "MIN_GPU_SIZE",
        "MED_GPU_SIZE",
        "MAX_GPU_SIZE",
        "PAW_CUDA_LIBRARY",
        "PAW_HIP_LIBRARY",
        "PAW_OPENCL_LIBRARY",
    ],
    ..DEVICE
};

const PHI: Common = Common {
    axes: &[PHI_SIZES],
    variables: &[
        "MIN_PHI_SIZE",
        "MED_PHI_SIZE",
        "MAX_PHI_SIZE",
        "NLOOP_PHI_MAX",
        "PAW_CUDA_LIBRARY",
        "PAW_HIP_LIBRARY",
        "PAW_OPENCL_LIBRARY",
    ],
    ..DEVICE
};

/// One of PAW's transfers, without its size.
struct Named {
    direction: Direction,
    host: HostKind,
    life: MemoryLifetime,
    offset: usize,
    element: usize,
}

impl Named {
    const fn formula(&self) -> &'static str {
        if self.element == GPU_ELEMENT {
            "4*n*ways*devices; ways: 2 for inout, else 1"
        } else {
            "8*n*ways*devices; ways: 2 for inout, else 1"
        }
    }

    /// The question that it answers: coprocessors have one of their own, for PAW's twelve names repeat each other.
    const fn question(&self) -> &'static str {
        match (self.element, self.direction) {
            (PHI_ELEMENT, _) => "PAW's copies of coprocessors",
            (_, Direction::In) => "copies in",
            (_, Direction::Out) => "copies out",
            (_, Direction::Inout | Direction::Bidir) => "copies there and back",
        }
    }

    fn at(&self, point: &Point) -> TransferSpec {
        let Named { direction, host, life, offset, element } = *self;
        let n = usize::try_from(point.int(axis::N).unwrap_or(0)).unwrap_or(0);
        TransferSpec { bytes: n.saturating_mul(element), offset, direction, host, life }
    }
}

const fn gpu(direction: Direction, host: HostKind) -> Named {
    Named { direction, host, life: MemoryLifetime::Keep, offset: 0, element: GPU_ELEMENT }
}

const fn phi(life: MemoryLifetime, offset: usize, direction: Direction) -> Named {
    Named { direction, host: HostKind::Pageable, life, offset, element: PHI_ELEMENT }
}

const KEPT: &str = "the copy, queued and waited for";
const KEPT_BOTH: &str = "the copy there and the copy back, queued and waited for";
const ALLOCATED: &str = "memory of the device allocated, the copy, the memory freed";
const ALLOCATED_BOTH: &str = "memory of the device allocated, the copy there and the copy back, the memory freed";

/// Defines a benchmark for each name: its transfer, PAW's file stem and title, its timed calls, its question and its figure.
macro_rules! transfers {
    ($($constant:ident: $name:literal, $base:ident, $named:expr, $stem:literal, $title:literal, $timed:expr, $purpose:literal $(, $figure:expr)?;)*) => {
        $(
            #[doc = concat!("PAW's `", $name, "`.")]
            pub const $constant: Benchmark = Own {
                name: $name,
                purpose: $purpose,
                timed: $timed,
                formula: $named.formula(),
                work: |point| $named.at(point).work(point),
                start: |start| begin(start, $named.at(start.point)),
            }
            .of(Common { memory_bytes: |point| $named.at(point).memory_bytes(point), ..$base })
            .aliases(&[$name])
            .dat($stem, $title)
            .answering($named.question(), Telling::None)
            $(.figures(&[$figure]).quick(QUICK).answering($named.question(), Telling::At(LARGEST)))?;
        )*
    };
}

use Direction::{In, Inout, Out};
use HostKind::{Pageable, Pinned};
use MemoryLifetime::{Alloc, Keep};

transfers! {
    GPU_IN_PINNED: "gpu_in_pinned", GPU, gpu(In, Pinned), "gpu_transfer_{}_in_pinned", "GPU_TRANSFER_IN_PINNED", KEPT,
        "What does a copy to the device from page-locked memory cost, and what bandwidth does it reach?",
        Figure { line: 50, preference: 0, label: "gpu_in_pinned", pick: Pick::Best };
    GPU_IN_NOPIN: "gpu_in_nopin", GPU, gpu(In, Pageable), "gpu_transfer_{}_in_nopin", "GPU_TRANSFER_IN_NOPIN", KEPT,
        "What does a copy to the device from ordinary memory cost, and what bandwidth does it reach?";
    GPU_INOUT_PINNED: "gpu_inout_pinned", GPU, gpu(Inout, Pinned), "gpu_transfer_{}_inout_pinned", "GPU_TRANSFER_INOUT_PINNED", KEPT_BOTH,
        "What does one way of a round trip between page-locked memory and the device cost?";
    GPU_INOUT_NOPIN: "gpu_inout_nopin", GPU, gpu(Inout, Pageable), "gpu_transfer_{}_inout_nopin", "GPU_TRANSFER_INOUT_NOPIN", KEPT_BOTH,
        "What does one way of a round trip between ordinary memory and the device cost?";
    GPU_OUT_PINNED: "gpu_out_pinned", GPU, gpu(Out, Pinned), "gpu_transfer_{}_out_pinned", "GPU_TRANSFER_OUT_PINNED", KEPT,
        "What does a copy from the device to page-locked memory cost, and what bandwidth does it reach?",
        Figure { line: 51, preference: 0, label: "gpu_out_pinned", pick: Pick::Best };
    GPU_OUT_NOPIN: "gpu_out_nopin", GPU, gpu(Out, Pageable), "gpu_transfer_{}_out_nopin", "GPU_TRANSFER_OUT_NOPIN", KEPT,
        "What does a copy from the device to ordinary memory cost, and what bandwidth does it reach?";
    PHI_ALLOC_AL_IN: "phi_alloc_al_in", PHI, phi(Alloc, 0, In), "mic0_alloc_al_{}_in", "PHI_ALLOC_AL_IN", ALLOCATED,
        "What does a copy to memory that the device allocates for it cost?";
    PHI_ALLOC_AL_INOUT: "phi_alloc_al_inout", PHI, phi(Alloc, 0, Inout), "mic0_alloc_al_{}_inout", "PHI_ALLOC_AL_INOUT", ALLOCATED_BOTH,
        "What does one way of a round trip to memory that the device allocates for it cost?";
    PHI_ALLOC_AL_OUT: "phi_alloc_al_out", PHI, phi(Alloc, 0, Out), "mic0_alloc_al_{}_out", "PHI_ALLOC_AL_OUT", ALLOCATED,
        "What does a copy from memory that the device allocates for it cost?";
    PHI_ALLOC_NOAL_IN: "phi_alloc_noal_in", PHI, phi(Alloc, NOT_ALIGNED, In), "mic0_alloc_noal_{}_in", "PHI_ALLOC_NOAL_IN", ALLOCATED,
        "What does a copy to memory that the device allocates for it cost, with both sides off their alignment?";
    PHI_ALLOC_NOAL_INOUT: "phi_alloc_noal_inout", PHI, phi(Alloc, NOT_ALIGNED, Inout), "mic0_alloc_noal_{}_inout", "PHI_ALLOC_NOAL_INOUT", ALLOCATED_BOTH,
        "What does one way of a round trip to memory that the device allocates for it cost, with both sides off their alignment?";
    PHI_ALLOC_NOAL_OUT: "phi_alloc_noal_out", PHI, phi(Alloc, NOT_ALIGNED, Out), "mic0_alloc_noal_{}_out", "PHI_ALLOC_NOAL_OUT", ALLOCATED,
        "What does a copy from memory that the device allocates for it cost, with both sides off their alignment?";
    PHI_KEEP_AL_IN: "phi_keep_al_in", PHI, phi(Keep, 0, In), "mic0_keep_al_{}_in", "PHI_KEEP_AL_IN", KEPT,
        "What does a copy to memory that stays on the device cost?";
    PHI_KEEP_AL_INOUT: "phi_keep_al_inout", PHI, phi(Keep, 0, Inout), "mic0_keep_al_{}_inout", "PHI_KEEP_AL_INOUT", KEPT_BOTH,
        "What does one way of a round trip to memory that stays on the device cost?";
    PHI_KEEP_AL_OUT: "phi_keep_al_out", PHI, phi(Keep, 0, Out), "mic0_keep_al_{}_out", "PHI_KEEP_AL_OUT", KEPT,
        "What does a copy from memory that stays on the device cost?";
    PHI_KEEP_NOAL_IN: "phi_keep_noal_in", PHI, phi(Keep, NOT_ALIGNED, In), "mic0_keep_noal_{}_in", "PHI_KEEP_NOAL_IN", KEPT,
        "What does a copy to memory that stays on the device cost, with both sides off their alignment?";
    PHI_KEEP_NOAL_INOUT: "phi_keep_noal_inout", PHI, phi(Keep, NOT_ALIGNED, Inout), "mic0_keep_noal_{}_inout", "PHI_KEEP_NOAL_INOUT", KEPT_BOTH,
        "What does one way of a round trip to memory that stays on the device cost, with both sides off their alignment?";
    PHI_KEEP_NOAL_OUT: "phi_keep_noal_out", PHI, phi(Keep, NOT_ALIGNED, Out), "mic0_keep_noal_{}_out", "PHI_KEEP_NOAL_OUT", KEPT,
        "What does a copy from memory that stays on the device cost, with both sides off their alignment?";
}
