//! Kernels that do what they must not, and what is said of them.

use std::time::Duration;

use paw_kernels::element::Element;
use paw_kernels::job::Argument;
use paw_kernels::spec::Fill;
use paw_measure::fault::Fault;
use paw_measure::workload::Workload;

use crate::workbench::{Workbench, check, child, child_within, fault, input, job, open, open_in};

/// What is said of a kernel of `len` doubles when its answers are checked.
fn said(body: &str, len: u64) -> String {
    let bench = Workbench::new();
    let job = bench.kernel(body, len);
    fault(&job)
}

const DIED: &str = "the child was killed by SIGSEGV; its last words: ";

#[test]
fn writing_one_element_too_far_is_reported() {
    let said = said("for (long i = 0; i <= n; i++) b[i] = 1;", 8);
    assert_eq!(said, format!("{DIED}the kernel wrote past the end of array `b` (byte 1 after its last element)"));
}

#[test]
fn reading_one_element_too_far_is_reported() {
    let said = said("double s = 0; for (long i = 0; i <= n; i++) s += b[i]; b[0] = s;", 8);
    assert_eq!(said, format!("{DIED}the kernel read past the end of array `b` (byte 1 after its last element)"));
}

#[test]
fn one_byte_written_into_the_padding_is_reported() {
    let said = said("((char *)(b + n))[3] = 0;", 7);
    assert_eq!(said, "the kernel wrote past the end of array `b` (byte 4 after its last element)");
}

#[test]
fn writing_before_the_beginning_is_reported_near_and_far() {
    let near = said("b[-1] = n;", 8);
    assert_eq!(near, "the kernel wrote before the beginning of array `b` (byte 8 before its first element)");
    let far = said("b[-513] = n;", 512);
    assert_eq!(
        far,
        format!("{DIED}the kernel wrote before the beginning of array `b` (byte 4104 before its first element)")
    );
}

#[test]
fn a_stray_write_is_found_in_the_warm_up_and_while_timing() {
    let bench = Workbench::new();
    let mut job = bench.kernel("b[n] = 1;", 100);
    let wrote = "the kernel wrote past the end of array `b` (byte 1 after its last element)";
    assert_eq!(open(&job).and_then(|mut workload| workload.renew()), Err(Fault::Broken(wrote.to_owned())));
    job.warmup = 0;
    let sampled = open(&job).and_then(|mut workload| workload.sample(1));
    assert_eq!(sampled, Err(Fault::Broken(wrote.to_owned())));
}

#[test]
fn a_number_behind_an_address_is_guarded_too() {
    let bench = Workbench::new();
    let library = bench.built("gcc", "k.c", "void k(int *n) { n[16] = 1; }", &["-O1"]);
    let mut job = job(&library, "k");
    job.arguments = vec![Argument::Address(Element::I32, 4.0)];
    let past = "the kernel wrote past the end of the number that argument 1 points at (byte 61 after its last element)";
    assert_eq!(fault(&job), format!("{DIED}{past}"));
}

#[test]
fn the_array_that_was_left_is_the_one_that_is_named() {
    let bench = Workbench::new();
    let library = bench.built("gcc", "k.c", "void k(int *a, int *c) { a[0] = c[1024]; }", &["-O1"]);
    let mut job = job(&library, "k");
    let array = |name| input(name, Element::I32, 16, Fill::Zero);
    job.arguments = vec![array("a"), array("c")];
    let read = "the kernel read past the end of array `c` (byte 4033 after its last element)";
    assert_eq!(fault(&job), format!("{DIED}{read}"));
}

#[test]
fn a_null_pointer_belongs_to_no_array() {
    let said = said("*(volatile double **)b = 0; (*(double *volatile *)b)[n] = 1;", 8);
    assert_eq!(said, format!("{DIED}the kernel wrote to address 0x40, which belongs to no array"));
}

#[test]
fn other_faults_of_the_processor_are_reported() {
    let trapped = said("__builtin_trap();", 8);
    let why = "the kernel came to an instruction this processor does not have: built for another one?";
    assert!(trapped.starts_with("the child was killed by SIGILL") && trapped.ends_with(why), "{trapped}");
    // On AArch64, a division by zero is zero.
    if cfg!(target_arch = "x86_64") {
        let divided = said("volatile int zero = 0; b[0] = (int)n / zero;", 8);
        let why = "the kernel divided a whole number by zero, or beyond the range of its type";
        assert_eq!(divided, format!("the child was killed by SIGFPE; its last words: {why}"));
    }
    let nowhere = said("**(volatile double **)b = n;", 1 << 10).replace(DIED, "");
    assert_eq!(nowhere, "the kernel wrote to address 0x0, which belongs to no array");
    let not_an_address = said("*(long *)b = 0x8000000000000000; **(double *volatile *)b = n;", 8);
    assert!(
        not_an_address
            .ends_with("the kernel touched an address that cannot exist, or one that its instruction needs aligned")
    );
}

#[test]
fn a_stack_that_is_used_up_is_reported() {
    let said = said("volatile char local[64 << 20]; local[0] = 1; b[0] = local[n];", 8);
    assert!(said.starts_with(&format!("{DIED}the kernel used up its stack: its local arrays are too large")), "{said}");
}

#[test]
fn a_kernel_that_does_not_return_is_ended() {
    let bench = Workbench::new();
    let job = bench.kernel("static int calls; if (calls++ == 4) for (;;) *(volatile double *)b = n;", 8);
    let child = child_within(Duration::from_millis(500));
    let (mut workload, _) = open_in(&child, &job).expect("it opens");
    workload.sample(1).expect("the two calls that observe, and those that warm up and are timed, return");
    let said = workload.sample(1).expect_err("the fifth does not").to_string();
    assert_eq!(said, "the child did not answer within 500 ms: killed");
    // The next one is served by a fresh process.
    let job = bench.kernel("b[0] = n;", 8);
    assert!(open_in(&child, &job).expect("it opens").0.renew().is_ok());
}

#[test]
fn what_a_kernel_prints_reaches_nobody_but_its_last_words() {
    let said = said("__builtin_printf(\"half-way\\n\"); __builtin_abort();", 8);
    assert_eq!(said, "the child was killed by SIGABRT: it gave up by itself");
}

#[test]
fn a_missing_library_or_function_is_named() {
    let bench = Workbench::new();
    let missing = job(&bench.path("none.so"), "k");
    let said = fault(&missing);
    assert!(said.starts_with("it cannot be loaded: ") && said.contains("none.so"), "{said}");
    let library = bench.built("gcc", "k.c", "static void k(void) {} void l(void) { k(); }", &["-O0"]);
    let said = fault(&job(&library, "k"));
    assert!(said.contains("k.so has no function `k`; it must not be `static`"), "{said}");
    let unresolved = bench.built("gcc", "u.c", "void nowhere(void); void k(void) { nowhere(); }", &["-O0"]);
    let said = fault(&job(&unresolved, "k"));
    assert!(said.ends_with("undefined symbol: nowhere"), "{said}");
}

#[test]
fn an_order_that_is_none_is_refused() {
    let spec = serde_json::json!({ "library": 7 });
    let refused = paw_worker::remote::RemoteWorkload::open(&child(), &spec).expect_err("it is no job").to_string();
    assert!(refused.starts_with("the child does not understand its parent: "), "{refused}");
}

#[test]
fn memory_that_cannot_be_had_is_missing() {
    let bench = Workbench::new();
    let job = bench.kernel("", 1 << 50);
    let said = check(&job).expect_err("too much");
    let bytes = (1_u64 << 50) * 8;
    assert!(
        matches!(&said, Fault::Missing(why) if why.starts_with(&format!("the arrays need {bytes} bytes of memory, and "))),
        "{said}"
    );
}
