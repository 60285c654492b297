//! Kernels for matrix cores: which instruction a device has for a type, and the source that is compiled around it.

use crate::device::error::{DeviceError, DeviceResult};
use crate::device::gemm::GemmKind;
use crate::device::program::Builtin;

/// HIP C++ of the kernel, without what differs from one instruction to the next.
const TEXT: &str = include_str!("matrix.hip");
/// Chains of a thread, as the text has them.
const CHAINS: u32 = 4;

/// An instruction of a wave that multiplies two small matrices and adds the product to a third.
#[derive(Debug)]
pub(super) struct Instruction {
    architectures: &'static [&'static str],
    kind: GemmKind,
    /// The compiler's name for it with the arguments `a`, `b` and `c`.
    call: &'static str,
    /// Multiplications of a lane: M·N·K of the instruction over the lanes of a wave.
    multiplications: u32,
    /// The type of a lane's part of a factor, and how many of it.
    factors: (&'static str, u32),
    /// The words of which each factor is made, in turns: the number one in every element.
    ones: &'static str,
    /// The type of sums, and a lane's part of them.
    sums: (&'static str, u32),
}

const CDNA_1: &[&str] = &["gfx908"];
const CDNA_1_2: &[&str] = &["gfx908", "gfx90a"];
const CDNA_3: &[&str] = &["gfx940", "gfx941", "gfx942"];
const CDNA_1_TO_3: &[&str] = &["gfx908", "gfx90a", "gfx940", "gfx941", "gfx942"];
const CDNA_2_3: &[&str] = &["gfx90a", "gfx940", "gfx941", "gfx942"];
const CDNA_2_TO_4: &[&str] = &["gfx90a", "gfx940", "gfx941", "gfx942", "gfx950"];
const CDNA_4: &[&str] = &["gfx950"];
const RDNA_3: &[&str] = &["gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"];
const RDNA_4: &[&str] = &["gfx1200", "gfx1201"];

const HALVES: &str = "0x3c003c00";
const BFLOATS: &str = "0x3f803f80";
const BYTES: &str = "0x01010101";
/// In e4m3 of OCP, whose exponent has a bias of 7, and in that of CDNA 3, of 8.
const OCP: &str = "0x38383838";
const FNUZ: &str = "0x40404040";

/// The instructions with most operations a clock. Names, shapes and lanes are those of AMD's documents of the instruction sets (CDNA 1 to
/// 4: matrix arithmetic instructions; RDNA 3 and 4: wave matrix multiply accumulate), of which clang has the functions. RDNA has no such
/// instruction for doubles, CDNA 1 has none either, and 8-bit floats begin with CDNA 3 and RDNA 4.
#[rustfmt::skip]
const INSTRUCTIONS: &[Instruction] = &[
    row(CDNA_2_TO_4, GemmKind::Fp64, "mfma_f64_16x16x4f64(a, b, c, 0, 0, 0)", 16, ("double", 1), "0, 0x3ff00000", ("double", 4)),
    row(CDNA_1_TO_3, GemmKind::Fp16, "mfma_f32_32x32x8f16(a, b, c, 0, 0, 0)", 128, ("_Float16", 4), HALVES, ("float", 16)),
    row(CDNA_4, GemmKind::Fp16, "mfma_f32_32x32x16_f16(a, b, c, 0, 0, 0)", 256, ("_Float16", 8), HALVES, ("float", 16)),
    row(CDNA_1, GemmKind::Bf16, "mfma_f32_32x32x4bf16(a, b, c, 0, 0, 0)", 64, ("short", 2), BFLOATS, ("float", 16)),
    row(CDNA_2_3, GemmKind::Bf16, "mfma_f32_32x32x8bf16_1k(a, b, c, 0, 0, 0)", 128, ("short", 4), BFLOATS, ("float", 16)),
    row(CDNA_4, GemmKind::Bf16, "mfma_f32_32x32x16_bf16(a, b, c, 0, 0, 0)", 256, ("__bf16", 8), BFLOATS, ("float", 16)),
    row(CDNA_1_2, GemmKind::Int8, "mfma_i32_32x32x8i8(a, b, c, 0, 0, 0)", 128, ("int", 1), BYTES, ("int", 16)),
    row(CDNA_3, GemmKind::Int8, "mfma_i32_32x32x16_i8(a, b, c, 0, 0, 0)", 256, ("long", 1), BYTES, ("int", 16)),
    row(CDNA_4, GemmKind::Int8, "mfma_i32_32x32x32_i8(a, b, c, 0, 0, 0)", 512, ("int", 4), BYTES, ("int", 16)),
    row(CDNA_3, GemmKind::Fp8, "mfma_f32_32x32x16_fp8_fp8(a, b, c, 0, 0, 0)", 256, ("long", 1), FNUZ, ("float", 16)),
    // Both types are e4m3, and the scales of both factors are 2^(127 - 127).
    row(CDNA_4, GemmKind::Fp8, "mfma_scale_f32_32x32x64_f8f6f4(a, b, c, 0, 0, 0, 0x7f7f7f7f, 0, 0x7f7f7f7f)", 1024, ("int", 8), OCP, ("float", 16)),
    row(RDNA_3, GemmKind::Fp16, "wmma_f32_16x16x16_f16_w32(a, b, c)", 128, ("_Float16", 16), HALVES, ("float", 8)),
    row(RDNA_3, GemmKind::Bf16, "wmma_f32_16x16x16_bf16_w32(a, b, c)", 128, ("short", 16), BFLOATS, ("float", 8)),
    row(RDNA_3, GemmKind::Int8, "wmma_i32_16x16x16_iu8_w32(true, a, true, b, c, false)", 128, ("int", 4), BYTES, ("int", 8)),
    row(RDNA_4, GemmKind::Fp16, "wmma_f32_16x16x16_f16_w32_gfx12(a, b, c)", 128, ("_Float16", 8), HALVES, ("float", 8)),
    row(RDNA_4, GemmKind::Bf16, "wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c)", 128, ("short", 8), BFLOATS, ("float", 8)),
    row(RDNA_4, GemmKind::Int8, "wmma_i32_16x16x16_iu8_w32_gfx12(true, a, true, b, c, false)", 128, ("int", 2), BYTES, ("int", 8)),
    row(RDNA_4, GemmKind::Fp8, "wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a, b, c)", 128, ("int", 2), OCP, ("float", 8)),
];

const fn row(
    architectures: &'static [&'static str],
    kind: GemmKind,
    call: &'static str,
    multiplications: u32,
    factors: (&'static str, u32),
    ones: &'static str,
    sums: (&'static str, u32),
) -> Instruction {
    Instruction { architectures, kind, call, multiplications, factors, ones, sums }
}

/// The name of an architecture without its features.
pub(super) fn name(architecture: &str) -> &str {
    architecture.split(':').next().unwrap_or_default()
}

/// The instruction of an architecture's matrix cores for a type; `None` where it has none, or is not known.
pub(super) fn instruction(architecture: &str, kind: GemmKind) -> Option<&'static Instruction> {
    let name = name(architecture);
    INSTRUCTIONS.iter().find(|row| row.kind == kind && row.architectures.contains(&name))
}

/// The text of the kernel for a type on a device of that architecture.
pub(super) fn source(architecture: Option<&str>, kind: GemmKind) -> DeviceResult<String> {
    let name = architecture.map_or("a device that does not tell its architecture", name);
    if let Some(row) = instruction(name, kind) {
        return Ok(row.text());
    }
    let is_known = INSTRUCTIONS.iter().any(|row| row.architectures.contains(&name));
    Err(DeviceError::Unsupported(if is_known {
        format!("{name} has no matrix cores for {}", kind.name())
    } else {
        format!("paw does not know the matrix cores of {name}, if it has any")
    }))
}

impl Instruction {
    fn text(&self) -> String {
        let Self { call, ones, factors: (factor, of_factor), sums: (total, of_sums), .. } = self;
        let steps = Builtin::matrix_multiplications(self.kind) / (CHAINS * self.multiplications);
        let kernel = Builtin::Matrix(self.kind).name();
        let factors = match of_factor {
            1 => format!("typedef {factor} Factors;"),
            _ => format!("typedef {factor} Factors __attribute__((ext_vector_type({of_factor})));"),
        };
        format!(
            "{factors}\n\
             typedef {total} Total;\n\
             typedef {total} Sums __attribute__((ext_vector_type({of_sums})));\n\
             constexpr int ONES[] = {{{ones}}}, STEPS = {steps};\n\
             #define MULTIPLY(a, b, c) __builtin_amdgcn_{call}\n\
             {TEXT}\
             extern \"C\" __global__ FULL_BLOCKS void {kernel}(Total *to) {{ chains(to); }}\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn every_instruction_counts_to_the_same_number() {
        for row in INSTRUCTIONS {
            let (chain, all) = (CHAINS * row.multiplications, Builtin::matrix_multiplications(row.kind));
            // Loops of the text have four steps.
            assert_eq!(all % (4 * chain), 0, "{}", row.call);
            assert!(all / CHAINS / row.sums.1 < 1 << 24, "{}: an element counts exactly", row.call);
        }
    }

    #[test]
    fn an_instruction_has_the_multiplications_of_its_name() {
        for row in INSTRUCTIONS {
            let shape = row.call.split('_').find(|part| part.contains('x')).expect("its name has its shape");
            let sizes: Vec<u32> = shape
                .split('x')
                .map(|size| size.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap())
                .collect();
            let lanes = if row.call.starts_with("wmma") { 32 } else { 64 };
            assert_eq!(sizes.iter().product::<u32>() / lanes, row.multiplications, "{}", row.call);
            assert_eq!(sizes[0] * sizes[1] / lanes, row.sums.1, "{}", row.call);
        }
    }

    #[test]
    fn an_architecture_has_one_instruction_for_a_type_or_a_sentence() {
        for row in INSTRUCTIONS {
            for architecture in row.architectures {
                let like = INSTRUCTIONS.iter().filter(|other| other.kind == row.kind);
                assert_eq!(like.filter(|other| other.architectures.contains(architecture)).count(), 1, "{}", row.call);
            }
        }
        let why = |architecture, kind| source(architecture, kind).unwrap_err().to_string();
        assert_eq!(why(Some("gfx1100"), GemmKind::Fp64), "gfx1100 has no matrix cores for fp64");
        assert_eq!(why(Some("gfx90a:xnack-"), GemmKind::Fp8), "gfx90a has no matrix cores for fp8");
        let unknown = "paw does not know the matrix cores of gfx1030, if it has any";
        assert_eq!(why(Some("gfx1030"), GemmKind::Fp16), unknown);
        assert!(why(None, GemmKind::Fp16).contains("of a device that does not tell its architecture"));
    }

    /// What hiprtc declares by itself.
    const DECLARED: &str = "
        #define __global__ __attribute__((global))
        #define __device__ __attribute__((device))
        struct Place { unsigned x; };
        #define blockIdx (Place{__builtin_amdgcn_workgroup_id_x()})
        #define blockDim (Place{256u})
        #define threadIdx (Place{__builtin_amdgcn_workitem_id_x()})
    ";

    /// The assembly that a clang makes of a text for an architecture; `None` where it does not know that.
    fn assembly(clang: &str, architecture: &str, text: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("matrix.hip");
        std::fs::write(&source, format!("{DECLARED}{text}")).unwrap();
        let options = ["-x", "hip", "--cuda-device-only", "-nogpulib", "-nogpuinc", "-O3", "-S", "-o", "-"];
        let target = format!("--offload-arch={architecture}");
        let ran = Command::new(clang).args(options).arg(target).arg(&source).output().ok()?;
        let said = String::from_utf8_lossy(&ran.stderr);
        let is_unknown = ["unsupported HIP gpu architecture", "unknown target CPU", "invalid target ID"]
            .iter()
            .any(|words| said.contains(words));
        assert!(ran.status.success() || is_unknown, "{clang} for {architecture}: {said}");
        ran.status.success().then(|| String::from_utf8_lossy(&ran.stdout).into_owned())
    }

    /// clang needs neither a device nor ROCm for it; where there is none, nothing is compiled.
    #[test]
    fn every_instruction_fills_the_loop_that_a_compiler_makes() {
        let found = ["clang-20", "clang-19", "clang"].into_iter();
        let mut found = found.filter(|name| assembly(name, "gfx90a", "").is_some());
        let Some(clang) = found.next() else { return };
        for row in INSTRUCTIONS {
            for architecture in row.architectures {
                let Some(made) = assembly(clang, architecture, &row.text()) else { continue };
                let body = made.split("s_cbranch").next().unwrap_or_default().rsplit("LBB").next().unwrap_or_default();
                let matrix = body.lines().filter(|line| line.contains("v_mfma_") || line.contains("v_wmma_")).count();
                let vector = body.lines().filter(|line| line.trim_start().starts_with("v_")).count();
                assert_eq!((matrix, vector), (4 * CHAINS as usize, 4 * CHAINS as usize), "{architecture}:\n{body}");
            }
        }
    }
}
