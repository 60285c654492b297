//! Loops without parts of themselves, by what the machine code in their place still does.

use std::path::PathBuf;
use std::process::Command;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, Register};
use paw_binary::ablation::{Change, Destination, changed, fixed};
use paw_binary::{CodeLoop, inner_loops};
use paw_data::explanation::Ablation;

const GATHER: &str = "#include <immintrin.h>
double k(long n, const double *a, const int *at) {
    __m256d s = _mm256_setzero_pd();
    for (long i = 0; i < n; i += 4) s = _mm256_add_pd(s, _mm256_i32gather_pd(a, _mm_loadu_si128((const __m128i *)(at + i)), 8));
    return s[0] + s[1] + s[2] + s[3];
}";
const ROOT: &str = "double sqrt(double);
void k(long n, double *restrict a, const double *restrict b) { for (long i = 0; i < n; i++) a[i] = sqrt(b[i]); }";
const WHOLE: &str = "long k(long n, const long *a, const long *b) {
    long s = 0; for (long i = 0; i < n; i++) s += a[i] / b[i]; return s; }";
const DIVISION: &str = "void k(long n, double *restrict a, const double *restrict b, const double *restrict c)
    { for (long i = 0; i < n; i++) a[i] = 1.0 / (2.0 + b[i] / c[i]); }";
const HALVED: &str = "long k(double x) { long steps = 0; for (; x > 1e-9; x *= 0.5) steps++; return steps; }";
const PLACED: &str = "double k(long n, const double *a, const double *b) {
    double s = 0; for (long i = 0; i < n; i++) s += a[(long)(b[i] * 100.0)]; return s; }";
const SWITCH: &str = "int k(int n, const int *op) {
    int s = 0;
    for (int i = 0; i < n; i++) switch (op[i]) {
        case 0: s += 3; break; case 1: s *= 5; break; case 2: s ^= i; break; case 3: s -= 7; break;
        case 4: s = s << 2; break; case 5: s = s / 3; break; case 6: s = -s; break; default: s++; }
    return s;
}";
const REGISTERS: &str = "void k(long n, double x) {
    do __asm__ volatile(\"vmulsd %1, %1, %%xmm2\\n vmulsd %1, %1, %%xmm3\" : \"+r\"(n) : \"x\"(x) : \"xmm2\", \"xmm3\");
    while (--n); }";
/// Where changed code would lie.
const PLACE: Destination = Destination { bias: 0x10_0000, code: 0x80_0000, page: 0x90_0000 };

/// A loop, and the folder of its library.
struct Case {
    own: CodeLoop,
    _folder: tempfile::TempDir,
}

/// The only loop of the function `k` of `source`, compiled by gcc.
fn case(source: &str, flags: &str) -> Case {
    let (folder, library) = library(source, flags);
    let mut loops = inner_loops(&library, "k").expect("it can be read");
    assert_eq!(loops.len(), 1, "{loops:?}");
    Case { own: loops.remove(0), _folder: folder }
}

fn library(source: &str, flags: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a directory for files that are thrown away");
    let (file, out) = (folder.path().join("k.c"), folder.path().join("k.so"));
    std::fs::write(&file, source).expect("the source is written");
    let mut command = Command::new("gcc");
    command.args(flags.split_whitespace()).args(["-shared", "-fPIC", "-o"]).arg(&out).arg(&file).arg("-lm");
    let done = command.output().unwrap_or_else(|why| panic!("gcc is needed here: {why}"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    (folder, out)
}

fn left_out() -> bool {
    let other = cfg!(not(target_arch = "x86_64"));
    if other {
        eprintln!("left out: loops are taken apart on x86-64 alone");
    }
    other
}

fn decoded(change: &Change) -> Vec<Instruction> {
    Decoder::with_ip(64, &change.code, PLACE.code, DecoderOptions::NONE).into_iter().collect()
}

fn without(own: &CodeLoop, ablation: Ablation) -> (Change, Vec<Instruction>) {
    let change = changed(own, ablation, PLACE).unwrap_or_else(|why| panic!("{ablation:?}: {why}"));
    let code = decoded(&change);
    (change, code)
}

fn count(code: &[Instruction], is: impl Fn(&Instruction) -> bool) -> usize {
    code.iter().filter(|own| is(own)).count()
}

fn named(words: &'static str) -> impl Fn(&Instruction) -> bool {
    move |own| format!("{:?}", own.mnemonic()).to_lowercase().contains(words)
}

#[test]
fn a_gather_goes_with_the_loads_and_reads_one_number_where_all_memory_is_on_one_page() {
    if left_out() {
        return;
    }
    let case = case(GATHER, "-O2 -mavx2");
    let gathers = |code: &[Instruction]| {
        code.iter().filter(|own| own.memory_index().is_vector_register()).copied().collect::<Vec<_>>()
    };
    let (none, code) = without(&case.own, Ablation::NoMemory);
    assert_eq!((gathers(&code).len(), none.left.as_str()), (0, ""), "{code:?}");
    let (paged, code) = without(&case.own, Ablation::OnePage);
    let [gather] = gathers(&code)[..] else { panic!("{code:?}") };
    let index = gather.memory_index();
    let cleared =
        code.iter().find(|own| own.mnemonic() == Mnemonic::Vxorps && own.op0_register().number() == index.number());
    assert!(cleared.is_some() && paged.left.is_empty(), "{}: {code:?}", paged.left);
    let written =
        count(&code, |own| own.op0_register().number() == index.number() && own.op0_register().is_vector_register());
    assert_eq!(written, 1, "the zeros stay zeros: {code:?}");
    // What addresses come from is no arithmetic of the kernel's.
    let (_, code) = without(&case.own, Ablation::NoFloat);
    assert_eq!(count(&code, named("vadd")), 0, "{code:?}");
    assert_eq!(gathers(&code).len(), 1, "{code:?}");
}

#[test]
fn a_call_where_no_run_went_keeps_no_loop_from_being_taken_apart() {
    if left_out() {
        return;
    }
    let case = case(ROOT, "-O2");
    assert_eq!(case.own.calls(), ["sqrt"]);
    assert!(changed(&case.own, Ablation::NoFloat, PLACE).is_err());
    let calls = |code: &[Instruction]| count(code, |own| own.flow_control() == FlowControl::Call);
    let call = case.own.listing().iter().position(|line| line.contains("sqrt") && line.contains("call"));
    let call = call.expect("it has a call");
    let mut blocks: Vec<(u64, usize)> = case.own.blocks();
    blocks.sort_unstable();
    let mut seen = 0;
    let holds = |(_, count): &&(u64, usize)| {
        seen += count;
        seen > call
    };
    let cold: Vec<u64> = blocks.iter().find(holds).map(|(address, _)| *address).into_iter().collect();
    let own = case.own.without(&cold);
    assert_eq!((own.calls().len(), own.calls_left_out()), (0, &["sqrt".to_owned()][..]));
    assert_eq!(own.ways(), Some(1));
    for ablation in [Ablation::NoFloat, Ablation::NoDivision, Ablation::DivisionsAlone, Ablation::NoMemory] {
        let (change, code) = without(&own, ablation);
        assert_eq!(calls(&code), 0, "{ablation:?}: {code:?}");
        assert!(!change.left.contains("hangs on"), "{ablation:?}: {}", change.left);
    }
    let (_, code) = without(&own, Ablation::NoFloat);
    assert_eq!(count(&code, named("comisd")), 0, "nothing looks at what the comparison found: {code:?}");
    let (_, code) = without(&own, Ablation::DivisionsAlone);
    assert_eq!(count(&code, named("sqrtsd")), 1, "{code:?}");
}

#[test]
fn divisions_of_whole_numbers_keep_what_they_divide() {
    if left_out() {
        return;
    }
    let case = case(WHOLE, "-O2");
    let divides = |own: &Instruction| own.mnemonic() == Mnemonic::Idiv;
    let loads = |own: &Instruction| {
        let is_nop = own.mnemonic() == Mnemonic::Nop;
        !is_nop && own.memory_base() != Register::None && own.memory_base() != Register::RIP
    };
    let (_, code) = without(&case.own, Ablation::DivisionsAlone);
    assert_eq!(count(&code, divides), 1, "{code:?}");
    assert_eq!(count(&code, loads), 2, "both numbers are loaded: {code:?}");
    let (_, code) = without(&case.own, Ablation::NoDivision);
    assert_eq!(count(&code, divides), 0, "{code:?}");
    // Zeros of a page would be divided by.
    let refused = changed(&case.own, Ablation::OnePage, PLACE).expect_err("all loads are divided");
    assert!(refused.contains("whole numbers that are divided"), "{refused}");
}

#[test]
fn divisions_alone_wait_for_no_run_before() {
    if left_out() {
        return;
    }
    for flags in ["-O2", "-O3 -mavx2"] {
        let (_folder, library) = library(DIVISION, flags);
        for own in inner_loops(&library, "k").expect("it can be read") {
            let (_, code) = without(&own, Ablation::DivisionsAlone);
            let written: Vec<Register> =
                code.iter().filter(|own| named("div")(own)).map(|own| own.op0_register()).collect();
            assert_eq!(written.len(), own.divisions() as usize, "{flags}: {code:?}");
            assert_eq!(
                count(&code, named("add")),
                count(&code, |own| own.mnemonic() == Mnemonic::Add),
                "{flags}: {code:?}"
            );
            let first = code.iter().position(|own| named("div")(own)).expect("it divides");
            // What the first division reads is written before it in each run, or never within the loop.
            let reads =
                (1..code[first].op_count()).map(|at| code[first].op_register(at)).filter(|r| r.is_vector_register());
            for register in reads.chain((!flags.contains("avx")).then_some(code[first].op0_register())) {
                let writes = |own: &Instruction| {
                    own.op0_register().number() == register.number() && own.op0_register().is_vector_register()
                };
                let before = code[..first].iter().any(writes);
                let after = code[first..].iter().any(writes);
                assert!(before || !after, "{flags}: {register:?} is carried: {code:?}");
            }
        }
    }
}

#[test]
fn arithmetic_that_decides_how_long_a_loop_runs_stays() {
    if left_out() {
        return;
    }
    let case = case(HALVED, "-O2");
    let refused = changed(&case.own, Ablation::NoFloat, PLACE).expect_err("all of it does");
    assert!(refused.contains("arithmetic that the end of the loop hangs on"), "{refused}");
}

#[test]
fn arithmetic_that_addresses_hang_on_stays() {
    if left_out() {
        return;
    }
    let case = case(PLACED, "-O2");
    let (change, code) = without(&case.own, Ablation::NoFloat);
    assert!(change.left.contains("arithmetic that addresses hang on"), "{}", change.left);
    assert_eq!((count(&code, named("mulsd")), count(&code, named("cvttsd2si"))), (1, 1), "{code:?}");
    assert_eq!(count(&code, named("addsd")), 0, "{code:?}");
}

#[test]
fn a_loop_that_cannot_be_led_elsewhere_says_why_and_what_helps() {
    if left_out() {
        return;
    }
    let switched = case(SWITCH, "-O2");
    let why = fixed(&switched.own).expect("it has a jump table");
    assert!(why.contains("indirect jump") && why.contains("-fno-jump-tables"), "{why}");
    assert_eq!(changed(&switched.own, Ablation::Copy, PLACE), Err(why));
    let plain = case(SWITCH, "-O2 -fno-jump-tables");
    assert_eq!(fixed(&plain.own), None);
    assert!(plain.own.ways() > Some(4), "{:?}", plain.own.ways());
}

#[test]
fn a_library_for_another_processor_is_refused_by_name() {
    let (_folder, library) = library(HALVED, "-O2");
    let mut bytes = std::fs::read(&library).expect("it was made");
    // e_machine of the ELF header: 183 is AArch64.
    bytes[18..20].copy_from_slice(&183_u16.to_le_bytes());
    std::fs::write(&library, bytes).expect("it is written");
    let refused = inner_loops(&library, "k").expect_err("it is not for this processor").to_string();
    assert!(refused.contains("not supported: AArch64"), "{refused}");
}

#[test]
fn a_loop_of_nothing_but_arithmetic_is_its_own_bound() {
    if left_out() {
        return;
    }
    let case = case(REGISTERS, "-O1 -mavx");
    let (alone, code) = without(&case.own, Ablation::ArithmeticAlone);
    assert_eq!((alone.changed, count(&code, named("mulsd"))), (0, 2), "{code:?}");
    let none = changed(&case.own, Ablation::DivisionsAlone, PLACE).map(|change| change.changed);
    assert!(none.is_ok_and(|changed| changed > 0), "all but divisions goes");
    let counting = self::case("void k(long n) { do __asm__ volatile(\"\"); while (--n); }", "-O1 -funroll-loops");
    let said = changed(&counting.own, Ablation::ArithmeticAlone, PLACE).unwrap_err();
    assert!(said.contains("nothing of this kind") || said.contains("no room"), "{said}");
}
