//! Two builds side by side: hot loops beside their source, and the roofs of one run or two.

use paw_data::code::{AssemblyLine, Code, FunctionCode, LoopBody, LoopCode, SourceLine, SourceLines, SourceText};
use paw_data::run::Run;
use paw_report::Colour;
use paw_report::side_by_side::SideBySide;

use crate::kernels;

const NAMES: [&str; 2] = ["gcc -O2 [plain]", "gcc -O3 [plain]"];

fn line(address: u64, text: &str, line: u32) -> AssemblyLine {
    AssemblyLine { address, text: text.to_owned(), line: Some(line), file: None }
}

/// A loop of four instructions on lines 7 and 8, and one that was inlined from another file.
fn code(build: &str, sources: Vec<SourceText>) -> Code {
    let mut assembly = vec![
        line(16, "movsd (%rdi,%rax,8),%xmm1", 8),
        line(21, "mulsd %xmm2,%xmm1", 8),
        line(25, "add $1,%rax", 7),
        line(29, "addsd %xmm1,%xmm0", 8),
        line(33, "callq exp", 3),
    ];
    assembly[4].file = Some("/k/inlined.h".to_owned());
    let body = LoopBody { paths: Some(1), unroll: Some(1), flop: 2, assembly, ..LoopBody::default() };
    let found = LoopCode {
        depth: 1,
        start: 16,
        end: 38,
        source: Some(SourceLines { file: "/k/column.c".to_owned(), first: 7, last: 8 }),
        instructions: 5,
        body: Some(body),
        ..LoopCode::default()
    };
    let function = FunctionCode { name: "column".to_owned(), loops: vec![found], ..FunctionCode::default() };
    Code { build: build.to_owned(), functions: vec![function], sources, ..Code::default() }
}

fn sources() -> Vec<SourceText> {
    let line = |line, text: &str| SourceLine { line, text: text.to_owned() };
    let own = vec![line(7, "    for (i = 0; i < n; i++)"), line(8, "        sum += a[i] * b; // <b>``` | x")];
    let inlined = vec![line(3, "return exp(x);")];
    [("/k/column.c", own), ("/k/inlined.h", inlined)]
        .map(|(file, lines)| SourceText { file: file.to_owned(), lines })
        .to_vec()
}

fn run(sources: &[SourceText]) -> Run {
    Run { codes: NAMES.iter().map(|name| code(name, sources.to_vec())).collect(), ..kernels::matrix() }
}

fn shown(runs: &[Run], print: impl Fn(&SideBySide<'_>, &paw_report::side_by_side::Pair<'_>) -> String) -> String {
    let both = SideBySide::of(runs).unwrap();
    let pair = both.pair(&NAMES.map(str::to_owned)).unwrap();
    print(&both, &pair)
}

#[test]
fn instructions_stand_beside_their_source() {
    let runs = [run(&sources())];
    let wide = shown(&runs, |both, pair| both.text(pair, 100, Colour::Plain));
    for expected in [
        "the hot loops beside their source",
        "gcc -O2 [plain], column.c:7-8",
        "    8     sum += a[i] * b; // <b>``` | x  movsd (%rdi,%rax,8),%xmm1",
        "    7 for (i = 0; i < n; i++)             add $1,%rax",
        "inlined.h:3 return exp(x);",
    ] {
        assert!(wide.contains(expected), "{expected}: {wide}");
    }
    let narrow = shown(&runs, |both, pair| both.text(pair, 40, Colour::Plain));
    assert!(narrow.contains("    7 for (i = 0; i < n; i++)\n      add $1,%rax\n"), "{narrow}");
    assert!(narrow.lines().all(|line| line.chars().count() <= 40), "{narrow}");
    let markdown = shown(&runs, |both, pair| both.markdown(pair));
    assert!(markdown.contains("````text\n"), "a fence that the source cannot end: {markdown}");
    assert!(markdown.contains("    7  for (i = 0; i < n; i++)\n           add $1,%rax\n"), "{markdown}");
    let html = shown(&runs, |both, pair| both.html(pair));
    assert!(html.contains("sum += a[i] * b; &#x2f;&#x2f; &lt;b&gt;``` | x"), "the source is text");
    assert!(html.contains("<th scope=\"row\">7</th>"));
    assert!(wide.contains("unrolled") && !wide.contains(" 1 times"), "{wide}");
}

#[test]
fn a_listing_says_what_it_lacks() {
    let bare = shown(&[run(&[])], |both, pair| both.text(pair, 100, Colour::Plain));
    assert!(bare.contains("The run has the numbers of the lines and not their text."), "{bare}");
    let mut without = run(&[]);
    for code in &mut without.codes {
        let found = &mut code.functions[0].loops[0];
        (found.source, found.instructions) = (None, 9);
        let body = found.body.as_mut().unwrap();
        body.assembly.iter_mut().for_each(|line| (line.line, line.file) = (None, None));
    }
    let none = shown(&[without], |both, pair| both.text(pair, 100, Colour::Plain));
    assert!(none.contains("4 more instructions are not in the run. Which source lines these come"), "{none}");
}

#[test]
fn two_runs_have_their_own_roofs_and_the_page_says_whose_warnings_it_has() {
    let roofs = |factor: f64| {
        let mut run = crate::roofline::under_roofs(vec![
            crate::roofline::built("-O2", paw_data::cell::Role::Base, "L1", 4.0 * factor),
            crate::roofline::built("-O3", paw_data::cell::Role::Subject, "L1", 2.0 * factor),
        ]);
        run.header.id = format!("run{factor}");
        run
    };
    let shown = |runs: &[Run]| {
        let both = SideBySide::of(runs).unwrap();
        let pair = both.pair(&["-O2".to_owned(), "-O3".to_owned()]).unwrap();
        (both.text(&pair, 100, Colour::Plain), both.html(&pair))
    };
    let (text, html) = shown(&[roofs(1.0), roofs(2.0)]);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in
        ["the first under the measured roofs, of run run1", "the second under the measured roofs, of run run2"]
    {
        assert!(flat.contains(expected), "{expected}: {text}");
    }
    assert!(flat.contains("are those of run run1; `paw report` has those of run run2."), "{text}");
    assert_eq!(html.matches("Roofline: ").count(), 2);
    let (one, html) = shown(&[roofs(1.0)]);
    assert_eq!(one.matches("under the measured roofs").count(), 1, "{one}");
    assert_eq!(html.matches("Roofline: 2 cells").count(), 1);
}

/// The words about the two builds of a run that was recorded, in one line.
fn recorded(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/looking/recorded").join(name);
    let runs = [paw_data::store::read(&path).unwrap()];
    let both = SideBySide::of(&runs).unwrap();
    let pair = both.pair(&[]).unwrap();
    both.text(&pair, 100, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `paw kernel matrix product.toml --compiler gcc --flags=-O2 --flags='-Ofast -march=native' --why`, on a virtual Xeon with other work;
/// without roofs.
#[test]
fn why_gcc_is_faster_with_fast_mathematics_is_said_with_its_figures_and_no_verdict_on_disturbed_rounds() {
    let flat = recorded("gcc-product.jsonl");
    for expected in [
        "at L1 undecided: too few common rounds for an interval (2.15 for 12.0 TSC ticks an iteration).",
        "In its code: calls exp → calls the vector exponential of libmvec, 8 lanes; scalar → vectorised, 32-byte vectors; 2 paths → 1 \
         path through the innermost loop.",
        "By samples at L1, of the first's 12.0 TSC ticks an iteration 1.27 ± 0.11 are in its own code and 10.7 in what it calls; of the \
         second's 2.15, 1.02 ± 0.031 and 1.12. It is what it calls that takes shorter (9.6 of 9.8), not its own code.",
        "without the calls it takes 3.32 of 15.51 cycles an iteration; of the second the loop has no bound, because it calls \
         _ZGVeN8v_exp; without the calls it takes 1.36 of 2.65 cycles an iteration.",
    ] {
        assert!(flat.contains(expected), "{expected}: {flat}");
    }
}

/// `paw kernel matrix product.toml --compiler clang-19 --flags=-O2 --flags='-Ofast -march=native' --why`, on a virtual Xeon; without roofs.
#[test]
fn why_clang_is_slower_with_fast_mathematics_is_said_with_its_figures() {
    let flat = recorded("clang-product.jsonl");
    for expected in [
        "at L1 slower, 0.781 of the speed (21.4 for 16.7 core cycles an iteration; 95%: 0.740…0.798).",
        "In its code: scalar → 32-byte vectors around 4 calls of scalar functions; its vectors are taken apart for 4 calls of exp, one for \
         each element; they wait on the stack meanwhile, because a call keeps no vector register (80 bytes of it an element where there \
         were 0); 2 paths → 1 path",
        "clang calls vector forms of exp only with -fveclib=libmvec; `--flags='-Ofast -march=native -fveclib=libmvec'` would show what \
         that changes.",
        "By samples at L1, of the first's 16.7 core cycles an iteration 1.69 ± 0.11 are in its own code and 15.1 in what it calls; of \
         the second's 21.4, 5.77 ± 0.22 and 15.7. It is its own code that takes longer (4.1 of 4.7), not what it calls.",
        "the loop has no bound, because it calls exp; without the calls it takes 3.49 of 21.26 cycles an iteration.",
    ] {
        assert!(flat.contains(expected), "{expected}: {flat}");
    }
}
