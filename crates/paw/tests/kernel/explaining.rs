//! `paw kernel explain`: what it says, and what it leaves behind.

use paw_data::explained::Explained;
use paw_data::explanation::{Ablation, Explanation, ExplanationRow};
use paw_data::outcome::Status;

use crate::place::{ended, examples, kernel, run};

/// One size, few samples.
const FEW: &str = "--out r --metas 3 --region 1ms --quiet";

fn left_out() -> bool {
    let other = cfg!(not(target_arch = "x86_64"));
    if other {
        eprintln!("left out: loops are taken apart on x86-64 alone");
    }
    other
}

#[test]
fn a_loop_is_taken_apart_and_the_run_keeps_how() {
    if left_out() {
        return;
    }
    let place = examples();
    let ran =
        kernel(&place, &format!("explain dot.toml --n 2000 --variants ordered --compilers gcc --flags -O2 {FEW}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    assert!(ran.out.contains("The hot loop") && ran.out.contains("chain cut"), "{}", ran.out);
    let run = run(&place);
    assert!(run.records.iter().all(|record| ended(record).0 == Status::Measured), "{}", ran.out);
    let [explanation] = run.explanations.as_slice() else { panic!("{:?}", run.explanations) };
    let hot = explanation.hot.as_ref().expect("a hot loop");
    assert_eq!((hot.trips, hot.iterations, hot.share), (2000.0, 1.0, 1.0));
    assert_eq!(explanation.recurrence.as_ref().expect("a chain").made_of, "additions");
    let explained = Explained::of(explanation);
    let [level] = explained.levels.as_slice() else { panic!("{explained:?}") };
    let cut = level.reduced.iter().find(|reduced| reduced.ablation == Ablation::NoChain).expect("it was cut");
    assert!(cut.cycles > 0.0 && level.cycles > 0.0, "{level:?}");
}

#[test]
fn a_size_for_which_there_is_no_time_is_left_out_by_name_with_the_way_to_measure_it() {
    let place = examples();
    let few = "--variants ordered --compilers gcc --flags -O2 --budget 1ms";
    let ran = kernel(&place, &format!("explain dot.toml --n 2000,4000 {few} {FEW}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    let statuses: Vec<Status> = run.records.iter().map(|record| ended(record).0).collect();
    assert_eq!(statuses, [Status::Measured, Status::Skipped], "{}", ran.out);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("how long an iteration takes is not known: left out"), "{words}");
    assert!(
        words.contains("`--budget 5m` gives more time, `--n 4000 --budget 5m` measures this size alone"),
        "{words}"
    );
    let own = &run.explanations[0].rows;
    assert!(own.iter().any(|row| row.n == 2000 && row.cycles.len() == 3), "{own:?}");
    assert!(own.iter().filter(|row| row.n == 4000).all(|row| row.cycles.is_empty() && !row.why.is_empty()), "{own:?}");
}

/// A kernel `name` in the directory of `place`: its C source, the arguments behind `n`, and the lines of its arrays.
fn write(place: &workplace::Workplace, name: &str, source: &str, (arguments, arrays): (&str, &str)) {
    let result = source.split_whitespace().next().unwrap_or("void");
    std::fs::write(place.path(&format!("{name}.c")), source).unwrap();
    let spec = format!(
        "paw = \"kernel/1\"\nsources = [\"{name}.c\"]\nsignature = \"{result} {name}(long n, {arguments})\"\n\
         iterations = \"n\"\n[arrays]\n{arrays}\n"
    );
    std::fs::write(place.path(&format!("{name}.toml")), spec).unwrap();
}

const OUT_AND_IN: (&str, &str) = (
    "double *a, const double *b",
    "a = { type = \"f64[n]\", output = true }\nb = { type = \"f64[n]\", fill = \"uniform(0.4, 0.6)\" }",
);
const IN: (&str, &str) = ("const double *a", "a = { type = \"f64[n]\", fill = \"uniform(0.4, 0.6)\" }");

/// The explanation of the kernel `name` of 500 iterations, and all that was said, in one line.
fn explained(place: &workplace::Workplace, name: &str, flags: &str) -> (Explanation, String) {
    explained_with(place, name, flags, "")
}

/// The same, with further `options`.
fn explained_with(place: &workplace::Workplace, name: &str, flags: &str, options: &str) -> (Explanation, String) {
    let ran = kernel(place, &format!("explain {name}.toml --n 500 --compilers gcc --flags '{flags}' {FEW} {options}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    (run(place).explanations.remove(0), words)
}

/// The row of a change.
fn row(explanation: &Explanation, ablation: Ablation) -> &ExplanationRow {
    let found = explanation.rows.iter().find(|row| row.ablation == Some(ablation));
    found.unwrap_or_else(|| panic!("{ablation:?}: {:?}", explanation.rows))
}

#[test]
fn a_loop_that_calls_has_no_bound_and_says_so() {
    if left_out() {
        return;
    }
    let place = examples();
    let source = "void sine(long n, double *restrict a, const double *restrict b) { for (long i = 0; i < n; i++) a[i] = sin(b[i]); }";
    write(&place, "sine", &source.replace("sin(b", "__builtin_sin(b"), OUT_AND_IN);
    let (_, words) = explained(&place, "sine", "-O2");
    assert!(words.contains("it calls sin") && words.contains("the loop has no bound"), "{words}");
}

#[test]
fn a_call_in_a_case_that_never_came_up_is_named_and_the_loop_taken_apart() {
    if left_out() {
        return;
    }
    let place = examples();
    let source = "void root(long n, double *restrict a, const double *restrict b) { for (long i = 0; i < n; i++) a[i] = __builtin_sqrt(b[i]); }";
    write(&place, "root", source, OUT_AND_IN);
    let (own, words) = explained(&place, "root", "-O2 -s");
    let hot = own.hot.as_ref().expect("a hot loop");
    assert_eq!((hot.calls.len(), hot.cold_calls.as_slice()), (0, &["sqrt".to_owned()][..]), "{hot:?}");
    assert!(words.contains("it calls sqrt only in a case that never came up here"), "{words}");
    assert!(hot.blocks.iter().any(|block| block.runs == 0.0), "{hot:?}");
    for ablation in [Ablation::NoDivision, Ablation::DivisionsAlone, Ablation::NoMemory] {
        assert!(!row(&own, ablation).cycles.is_empty(), "{:?}", row(&own, ablation));
    }
}

#[test]
fn ways_through_a_loop_are_counted_and_the_chain_is_that_of_the_common_one() {
    if left_out() {
        return;
    }
    let place = examples();
    let source = "double clamp(long n, const double *a) { double s = 0; for (long i = 0; i < n; i++) {
        double x = a[i]; if (x < 0.3) s += 0.5; else if (x > 0.7) s += x * 0.25; else s += x; } return s; }";
    write(&place, "clamp", source, IN);
    let (own, _) = explained(&place, "clamp", "-O2");
    let chain = own.recurrence.as_ref().expect("all runs go one way");
    assert_eq!((chain.made_of.as_str(), own.hot.as_ref().and_then(|hot| hot.ways)), ("additions", Some(1)));
    write(&place, "clamp", source, (IN.0, "a = { type = \"f64[n]\", fill = \"uniform(0, 1)\" }"));
    std::fs::remove_dir_all(place.path("r")).unwrap();
    let (own, words) = explained(&place, "clamp", "-O2");
    assert_eq!((own.recurrence.as_ref(), own.hot.as_ref().and_then(|hot| hot.ways)), (None, Some(3)), "{own:?}");
    assert!(words.contains("Its longest chain is not known: the loop has 3 ways through it"), "{words}");
}

#[test]
fn a_version_that_crashes_costs_its_row_alone() {
    if left_out() {
        return;
    }
    let place = examples();
    let source = "double strict(long n, const double *a) { double s = 0; for (long i = 0; i < n; i++) s += a[i];
        if (s < 10) __builtin_trap(); return s; }";
    write(&place, "strict", source, IN);
    let (own, words) = explained(&place, "strict", "-O2");
    let crashed = row(&own, Ablation::NoFloat);
    assert!(crashed.cycles.is_empty() && crashed.why.contains("SIGILL"), "{crashed:?}");
    assert!(!row(&own, Ablation::OnePage).cycles.is_empty(), "{own:?}");
    assert!(words.contains("The hot loop"), "{words}");
}

#[test]
fn a_loop_that_cannot_be_cut_out_says_why_and_what_would_help() {
    if left_out() {
        return;
    }
    let place = examples();
    let source = "int chosen(long n, const int *a) { int s = 0; for (long i = 0; i < n; i++) switch (a[i]) {
        case 0: s += 3; break; case 1: s *= 5; break; case 2: s ^= i; break; case 3: s -= 7; break;
        case 4: s = s << 2; break; case 5: s = s / 3; break; case 6: s = -s; break; default: s++; } return s; }";
    write(&place, "chosen", source, ("const int *a", "a = { type = \"i32[n]\", fill = \"uniform(0, 8)\" }"));
    let (own, words) = explained(&place, "chosen", "-O2");
    assert!(own.hot.is_none() && own.refused.contains("could not be counted"), "{}", own.refused);
    assert!(words.contains("indirect jump") && words.contains("-fno-jump-tables"), "{words}");
    assert!(own.rows.iter().any(|row| row.ablation.is_none() && !row.cycles.is_empty()), "{own:?}");
}

#[test]
fn a_function_without_a_loop_is_measured_and_not_explained() {
    if left_out() {
        return;
    }
    let place = examples();
    std::fs::write(place.path("one.c"), "double one(double x) { return x * x + 1.0; }").unwrap();
    let spec = "paw = \"kernel/1\"\nsources = [\"one.c\"]\nsignature = \"double one(double x)\"\niterations = \"1\"\n[scalars]\nx = 2.0\n";
    std::fs::write(place.path("one.toml"), spec).unwrap();
    let ran = kernel(&place, &format!("explain one.toml --n 1 --compilers gcc --flags -O2 {FEW}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    assert!(ran.out.contains("`one` has no loop"), "{}", ran.out);
}

#[test]
fn a_version_that_never_ends_is_ended_and_costs_its_row_alone() {
    if left_out() {
        return;
    }
    let place = examples();
    // Without its additions the sum never grows enough for the loop around to end.
    let source = "double grown(long n, const double *a) { double s = 0; do for (long i = 0; i < n; i++) s += a[i];
        while (s < 100); return s; }";
    write(&place, "grown", source, IN);
    let (own, words) = explained_with(&place, "grown", "-O2", "--timeout 1s");
    let endless = row(&own, Ablation::NoFloat);
    assert!(endless.cycles.is_empty() && endless.why.contains("did not answer within 1 s: killed"), "{endless:?}");
    assert!(!row(&own, Ablation::OnePage).cycles.is_empty(), "{own:?}");
    assert!(words.contains("The hot loop"), "{words}");
}

#[test]
fn a_loop_shorter_than_the_jump_that_cuts_it_out_says_so() {
    if left_out() {
        return;
    }
    let place = examples();
    // `dec %eax; jnz` has four bytes, and the jump five.
    let source = "int counted(long n, const double *a) { int left = n + (a[0] > 9);
        __asm__ volatile(\"1: dec %0\\n\\tjnz 1b\" : \"+a\"(left)); return left; }";
    write(&place, "counted", source, IN);
    let (own, words) = explained(&place, "counted", "-O2");
    assert!(own.hot.is_none() && own.refused.contains("could not be counted"), "{own:?}");
    assert!(words.contains("-funroll-loops"), "{words}");
    assert!(own.rows.iter().any(|row| row.ablation.is_none() && !row.cycles.is_empty()), "{own:?}");
}

#[test]
fn a_loop_in_an_inner_function_without_a_name_is_found_and_taken_apart() {
    if left_out() {
        return;
    }
    let place = examples();
    let source = "double outer(long n, const double *a);
        static __attribute__((noinline)) double inner(long n, const double *a) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }
        double outer(long n, const double *a) { return inner(n, a) * 2; }";
    write(&place, "outer", source, IN);
    let (own, words) = explained(&place, "outer", "-O2 -s");
    let hot = own.hot.as_ref().unwrap_or_else(|| panic!("{}", own.refused));
    assert_eq!(hot.trips, 500.0);
    assert!(!hot.function.contains("inner") && hot.function != "outer", "{}", hot.function);
    assert!(!row(&own, Ablation::NoChain).cycles.is_empty(), "{own:?}");
    assert!(words.contains("The hot loop"), "{words}");
}
