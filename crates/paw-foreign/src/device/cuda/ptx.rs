//! PTX of the embedded kernels that compute or stream: one text for every type and operation, 16 bytes a load.
//!
//! A thread works on [`UNROLLED`] vectors at a time, a block apart, so that all its loads are under way before the first is used.

use std::fmt::Write as _;

use crate::device::program::{Builtin, FmaKind};

#[cfg(test)]
mod machine;
#[cfg(test)]
mod tests;

/// Vectors of 16 bytes that a thread loads before it uses the first.
pub(super) const UNROLLED: u64 = 4;

/// Steps of a chain between two branches: the branch and its count are less than a twentieth of the instructions.
const STEPS_UNROLLED: u32 = 32;
/// Steps of an element of `paw_intensity_…` between two branches.
const INTENSITY_UNROLLED: u32 = 8;

/// What PTX calls a type, and what it takes to compute with it.
struct Type {
    /// `f64`.
    name: &'static str,
    /// Elements of a vector of 16 bytes.
    lanes: u64,
    /// Base-two logarithm of an element's bytes.
    shift: u32,
    /// `x = x * a + b`.
    fma: &'static str,
}

const F64: Type = Type { name: "f64", lanes: 2, shift: 3, fma: "fma.rn.f64" };
const F32: Type = Type { name: "f32", lanes: 4, shift: 2, fma: "fma.rn.f32" };
const I32: Type = Type { name: "s32", lanes: 4, shift: 2, fma: "mad.lo.s32" };

/// What each unit has counted, beside the timer (PTX ISA: `%smid`, `%clock64`, `%globaltimer`).
const CYCLES: &str = "
.visible .entry paw_cycles(.param .u64 out, .param .u64 n)
{
    .reg .pred %beyond;
    .reg .b32 %unit;
    .reg .b64 %to_out, %count, %at, %cycles, %ns;
    ld.param.u64 %to_out, [out];
    cvta.to.global.u64 %to_out, %to_out;
    ld.param.u64 %count, [n];
    mov.u32 %unit, %smid;
    cvt.u64.u32 %at, %unit;
    setp.ge.u64 %beyond, %at, %count;
    @%beyond bra done;
    shl.b64 %at, %at, 4;
    add.u64 %at, %to_out, %at;
    mov.u64 %cycles, %clock64;
    mov.u64 %ns, %globaltimer;
    st.global.u64 [%at], %cycles;
    st.global.u64 [%at+8], %ns;
done:
    ret;
}
";

/// The kernels of STREAM, to stand behind the text of a module for 5.0 or later.
pub(super) fn streams() -> String {
    [
        stream(Builtin::Copy, 1, None),
        stream(Builtin::Scale, 1, Some("mul.rn.f64 {x}, {x}, %s;")),
        stream(Builtin::Add, 2, Some("add.rn.f64 {x}, {x}, {y};")),
        stream(Builtin::Triad, 2, Some("fma.rn.f64 {x}, %s, {y}, {x};")),
    ]
    .concat()
}

/// A module of one kernel of multiplications and additions; `None` of others.
pub(super) fn module(which: Builtin) -> Option<String> {
    let of = |kind: FmaKind| match kind {
        FmaKind::F64 => Some(F64),
        FmaKind::F32 => Some(F32),
        FmaKind::I32 => Some(I32),
        FmaKind::F16 => None,
    };
    let kernel = match which {
        Builtin::Fma(FmaKind::F16) => halves(),
        Builtin::Fma(kind) => chains(&of(kind)?, which.name()),
        Builtin::Intensity(kind @ (FmaKind::F64 | FmaKind::F32)) => intensity(&of(kind)?, which.name()),
        Builtin::Cycles => CYCLES.to_owned(),
        _ => return None,
    };
    let (major, minor) = least(which);
    Some(format!(".version 6.0\n.target sm_{major}{minor}\n.address_size 64\n{kernel}\0"))
}

/// Elements that a thread of that kernel loads before it uses the first.
pub(super) fn elements_per_thread(which: Builtin) -> u64 {
    match which {
        Builtin::Intensity(FmaKind::F32) => UNROLLED * F32.lanes,
        Builtin::Copy | Builtin::Scale | Builtin::Add | Builtin::Triad | Builtin::Intensity(_) => UNROLLED * F64.lanes,
        Builtin::Empty | Builtin::Chase | Builtin::Update | Builtin::Cycles | Builtin::Fma(_) | Builtin::Matrix(_) => 1,
    }
}

/// The lowest compute capability that runs a kernel: halves are computed with from 5.3 on (PTX ISA, fma: `.f16x2` requires sm_53).
pub(super) fn least(which: Builtin) -> (u32, u32) {
    if which == Builtin::Fma(FmaKind::F16) { (5, 3) } else { (5, 0) }
}

/// `to[i] = operation(x[i], y[i])` over doubles, with a factor `s` where the operation has one.
fn stream(which: Builtin, inputs: usize, operation: Option<&str>) -> String {
    let inputs = &["x", "y"][..inputs];
    let has_factor = operation.is_some_and(|operation| operation.contains("%s"));
    let factor = if has_factor { ", .param .f64 s" } else { "" };
    let from: String = inputs.iter().map(|input| format!(", .param .u64 {input}")).collect();
    let mut kernel = Kernel::begin(which.name(), &format!(".param .u64 to{from}{factor}, .param .u64 n"));
    if has_factor {
        kernel.line("ld.param.f64 %s, [s];");
    }
    let compute = |kernel: &mut Kernel, values: &[u64]| {
        for (value, operation) in values.iter().flat_map(|value| operation.map(|operation| (value, operation))) {
            kernel.line(&operation.replace("{x}", &format!("%x{value}")).replace("{y}", &format!("%y{value}")));
        }
    };
    kernel.over(&F64, inputs, compute);
    kernel.end(&F64, inputs, ".reg .f64 %s;")
}

/// `to[i]` = `k` steps of `x·a + b` from `x[i]`.
fn intensity(of: &Type, name: &str) -> String {
    let t = of.name;
    let parameters =
        format!(".param .u64 to, .param .u64 x, .param .{t} a, .param .{t} b, .param .u32 k, .param .u64 n");
    let mut kernel = Kernel::begin(name, &parameters);
    kernel.line(&format!("ld.param.{t} %a, [a];"));
    kernel.line(&format!("ld.param.{t} %b, [b];"));
    kernel.line("ld.param.u32 %k, [k];");
    let mut place = 0;
    let compute = |kernel: &mut Kernel, values: &[u64]| {
        place += 1;
        let step = |kernel: &mut Kernel| {
            values.iter().for_each(|value| kernel.line(&format!("{} %x{value}, %x{value}, %a, %b;", of.fma)));
        };
        kernel.line("mov.u32 %left, %k;");
        kernel.label(&format!("many{place}"));
        kernel.line(&format!("setp.lt.u32 %done, %left, {INTENSITY_UNROLLED};"));
        kernel.line(&format!("@%done bra few{place};"));
        (0..INTENSITY_UNROLLED).for_each(|_| step(kernel));
        kernel.line(&format!("sub.u32 %left, %left, {INTENSITY_UNROLLED};"));
        kernel.line(&format!("bra many{place};"));
        kernel.label(&format!("few{place}"));
        kernel.line("setp.eq.u32 %done, %left, 0;");
        kernel.line(&format!("@%done bra stepped{place};"));
        step(kernel);
        kernel.line("sub.u32 %left, %left, 1;");
        kernel.line(&format!("bra few{place};"));
        kernel.label(&format!("stepped{place}"));
    };
    kernel.over(of, &["x"], compute);
    kernel.end(of, &["x"], &format!(".reg .{t} %a, %b; .reg .u32 %k, %left;"))
}

/// The sum of `CHAINS` chains of `STEPS` steps `x = x·a + b`, which begin at their number: independent of each other and of memory.
fn chains(of: &Type, name: &str) -> String {
    let t = of.name;
    let first = |chain: u32| match t {
        "s32" => format!("mov.s32 %x{chain}, {chain};"),
        _ => format!("cvt.rn.{t}.u32 %x{chain}, {chain};"),
    };
    let rest = FmaKind::CHAINS - 1;
    let add = if t == "s32" { "add.s32".to_owned() } else { format!("add.rn.{t}") };
    let sum: String = (1..=rest).map(|chain| format!("    {add} %x0, %x0, %x{chain};\n")).collect();
    let stored = format!("{sum}    st.global.{t} [%to], %x0;\n");
    chained(name, (t, t, 1 << of.shift), of.fma, &first, &stored)
}

/// The chains of two halves at a time, summed as floats.
fn halves() -> String {
    // Halves of these numbers: 0x3c00 is 1.
    let halves = [0x0000_u32, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700];
    let first = |chain: u32| format!("mov.b32 %x{chain}, {};", halves[chain as usize] * 0x1_0001);
    let mut stored = String::from("    .reg .b16 %low, %high; .reg .f32 %sum, %one;\n    mov.f32 %sum, 0f00000000;\n");
    for chain in 0..FmaKind::CHAINS {
        let _ = writeln!(stored, "    mov.b32 {{%low, %high}}, %x{chain};");
        for part in ["low", "high"] {
            let _ = writeln!(stored, "    cvt.f32.f16 %one, %{part};\n    add.rn.f32 %sum, %sum, %one;");
        }
    }
    stored += "    st.global.f32 [%to], %sum;\n";
    chained(Builtin::Fma(FmaKind::F16).name(), ("b32", "b32", 4), "fma.rn.f16x2", &first, &stored)
}

/// A kernel of chains: types of its registers and parameters, bytes of a result, the step, how a chain begins, and how all are stored.
fn chained(
    name: &str,
    (register, parameter, bytes): (&str, &str, u32),
    step: &str,
    first: &dyn Fn(u32) -> String,
    stored: &str,
) -> String {
    let chains = FmaKind::CHAINS;
    let mut text = format!(
        "\n.visible .entry {name}(.param .u64 to, .param .{parameter} a, .param .{parameter} b)\n{{\n    \
         .reg .pred %more; .reg .u32 %left, %block, %threads, %thread; .reg .u64 %to, %at;\n    \
         .reg .{register} %x<{chains}>, %a, %b;\n    \
         ld.param.u64 %to, [to];\n    cvta.to.global.u64 %to, %to;\n    \
         ld.param.{parameter} %a, [a];\n    ld.param.{parameter} %b, [b];\n    \
         mov.u32 %block, %ctaid.x;\n    mov.u32 %threads, %ntid.x;\n    mov.u32 %thread, %tid.x;\n    \
         mad.lo.u32 %block, %block, %threads, %thread;\n    cvt.u64.u32 %at, %block;\n    \
         mad.lo.u64 %to, %at, {bytes}, %to;\n"
    );
    (0..chains).for_each(|chain| text += &format!("    {}\n", first(chain)));
    text += &format!("    mov.u32 %left, {};\nsteps:\n", FmaKind::STEPS / STEPS_UNROLLED);
    for _ in 0..STEPS_UNROLLED {
        (0..chains).for_each(|chain| text += &format!("    {step} %x{chain}, %x{chain}, %a, %b;\n"));
    }
    text += "    sub.u32 %left, %left, 1;\n    setp.ne.u32 %more, %left, 0;\n    @%more bra steps;\n";
    text + stored + "    ret;\n}\n"
}

/// A text of PTX under way: the body first, since it tells which registers there are.
struct Kernel {
    head: String,
    body: String,
}

impl Kernel {
    fn begin(name: &str, parameters: &str) -> Self {
        Self { head: format!("\n.visible .entry {name}({parameters})\n{{\n"), body: String::new() }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "    {line}");
    }

    fn label(&mut self, name: &str) {
        let _ = writeln!(self.body, "{name}:");
    }

    /// Loads, computes and stores every element: tiles of [`UNROLLED`] vectors a thread, then single vectors, then what fills none.
    fn over(&mut self, of: &Type, inputs: &[&str], mut compute: impl FnMut(&mut Self, &[u64])) {
        let (lanes, t) = (of.lanes, of.name);
        let vector = if lanes == 2 { "v2" } else { "v4" };
        let last = UNROLLED - 1;
        self.places(of, inputs);
        self.label("tiles");
        self.line(&format!("mad.lo.u64 %i, %threads, {last}, %at;"));
        self.line("setp.ge.u64 %done, %i, %vectors;");
        self.line("@%done bra vectors;");
        let each = |u: u64| (u * lanes..(u + 1) * lanes).collect::<Vec<_>>();
        let listed =
            |input: &str, u: u64| each(u).iter().map(|v| format!("%{input}{v}")).collect::<Vec<_>>().join(", ");
        for input in inputs {
            self.line(&format!("mad.lo.u64 %p, %at, 16, %from_{input};"));
            for u in 0..UNROLLED {
                self.line(&format!("ld.global.{vector}.{t} {{{}}}, [%p];", listed(input, u)));
                self.line("add.u64 %p, %p, %stride;");
            }
        }
        compute(self, &(0..UNROLLED * lanes).collect::<Vec<_>>());
        self.line("mad.lo.u64 %p, %at, 16, %into;");
        for u in 0..UNROLLED {
            self.line(&format!("st.global.{vector}.{t} [%p], {{{}}};", listed("x", u)));
            self.line("add.u64 %p, %p, %stride;");
        }
        self.line("add.u64 %at, %at, %step;");
        self.line("bra tiles;");
        self.label("vectors");
        self.line("setp.ge.u64 %done, %at, %vectors;");
        self.line("@%done bra rest;");
        for input in inputs {
            self.line(&format!("mad.lo.u64 %p, %at, 16, %from_{input};"));
            self.line(&format!("ld.global.{vector}.{t} {{{}}}, [%p];", listed(input, 0)));
        }
        compute(self, &each(0));
        self.line("mad.lo.u64 %p, %at, 16, %into;");
        self.line(&format!("st.global.{vector}.{t} [%p], {{{}}};", listed("x", 0)));
        self.line("add.u64 %at, %at, %threads;");
        self.line("bra vectors;");
        self.rest(of, inputs, compute);
    }

    /// What every thread needs to know: its first vector, and how far it is to the next ones.
    fn places(&mut self, of: &Type, inputs: &[&str]) {
        self.line("ld.param.u64 %into, [to];");
        self.line("cvta.to.global.u64 %into, %into;");
        for input in inputs {
            self.line(&format!("ld.param.u64 %from_{input}, [{input}];"));
            self.line(&format!("cvta.to.global.u64 %from_{input}, %from_{input};"));
        }
        self.line("ld.param.u64 %n, [n];");
        self.line(&format!("shr.u64 %vectors, %n, {};", of.lanes.trailing_zeros()));
        self.line("mov.u32 %word, %ntid.x;");
        self.line("cvt.u64.u32 %threads, %word;");
        self.line("shl.b64 %stride, %threads, 4;");
        self.line("mov.u32 %word, %nctaid.x;");
        self.line("cvt.u64.u32 %step, %word;");
        self.line("mul.lo.u64 %step, %step, %threads;");
        self.line(&format!("mul.lo.u64 %step, %step, {UNROLLED};"));
        self.line("mov.u32 %word, %ctaid.x;");
        self.line("cvt.u64.u32 %block, %word;");
        self.line("mul.lo.u64 %at, %block, %threads;");
        self.line(&format!("mul.lo.u64 %at, %at, {UNROLLED};"));
        self.line("mov.u32 %word, %tid.x;");
        self.line("cvt.u64.u32 %thread, %word;");
        self.line("add.u64 %at, %at, %thread;");
    }

    /// The elements that fill no vector, by the first threads of the first block.
    fn rest(&mut self, of: &Type, inputs: &[&str], mut compute: impl FnMut(&mut Self, &[u64])) {
        let (t, bytes) = (of.name, 1 << of.shift);
        self.label("rest");
        self.line("setp.ne.u64 %done, %block, 0;");
        self.line("@%done bra end;");
        self.line(&format!("mad.lo.u64 %i, %vectors, {}, %thread;", of.lanes));
        self.line("setp.ge.u64 %done, %i, %n;");
        self.line("@%done bra end;");
        for input in inputs {
            self.line(&format!("mad.lo.u64 %p, %i, {bytes}, %from_{input};"));
            self.line(&format!("ld.global.{t} %{input}0, [%p];"));
        }
        compute(self, &[0]);
        self.line(&format!("mad.lo.u64 %p, %i, {bytes}, %into;"));
        self.line(&format!("st.global.{t} [%p], %x0;"));
        self.label("end");
        self.line("ret;");
    }

    /// The whole text, with its registers and `further` ones.
    fn end(self, of: &Type, inputs: &[&str], further: &str) -> String {
        let (t, count) = (of.name, UNROLLED * of.lanes);
        let values: String = inputs.iter().map(|input| format!(" .reg .{t} %{input}<{count}>;")).collect();
        let from: String = inputs.iter().map(|input| format!(" .reg .u64 %from_{input};")).collect();
        format!(
            "{}    .reg .pred %done; .reg .u32 %word;\n    .reg .u64 %into, %n, %vectors, %threads, %stride, %step, %block, %at, %thread, %i, %p;{from}\n   {values} {further}\n{}}}\n",
            self.head, self.body
        )
    }
}
