//! A matrix that says why, and two of its builds side by side.

use crate::place::{examples, kernel, run};

#[test]
fn a_matrix_that_says_why_has_all_that_two_builds_are_held_against() {
    let place = examples();
    let ran = kernel(
        &place,
        "matrix dot.toml --n 1000 --variants ordered --compilers gcc --flags=-O2 --flags '-Ofast -march=native' --metas 6 --region 1ms --why --quiet --out r",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    assert_eq!(run.codes.len(), 2, "{}", ran.err);
    assert_eq!(run.explanations.len(), 2, "{}", ran.err);
    let builds: Vec<&str> = run.codes.iter().map(|code| code.build.as_str()).collect();
    assert!(run.explanations.iter().all(|explanation| builds.contains(&explanation.build.as_str())), "{builds:?}");
    // Sampling may be refused here; then the sentence says so.
    assert!(run.profiles.len() == 2 || ran.err.contains("no profile"), "{}", ran.err);
    let shown = place.run("exec $PAW report r --builds=-O2,native --format text");
    assert_eq!(shown.code, 0, "{}{}", shown.err, shown.out);
    let flat = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in
        ["In its code:", "what the code does, as read from the file", "without parts of themselves", "vectorised"]
    {
        assert!(flat.contains(part), "{part}: {}", shown.out);
    }
    let page = place.run("exec $PAW report r --builds=-O2,native");
    assert_eq!(page.code, 0, "{}", page.err);
    let html = std::fs::read_to_string(place.path("r/builds.html")).expect("the page is beside the run");
    assert!(html.contains("hot loop") && html.contains("<svg"));
    let same = place.run("exec $PAW report r --builds=-O2,gcc");
    assert_eq!(same.code, 2, "{}", same.err);
    assert!(same.err.contains("means several builds") && same.err.contains("gcc -O2"), "{}", same.err);
}
