//! The page.

use std::collections::HashSet;

use paw_data::headline::{Family, ReportPlace};
use paw_data::outcome::Status;
use paw_data::point::Point;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_report::html;

use crate::application::odd;
use crate::handmade::{QUIET, absent, cell, dgemm, disturbed, hostile, imported, long, measured, run, small};
use crate::kernel;
use crate::programs::{everything, kinfit, kinfit_complete, weak};

/// Elements that HTML never closes.
const VOID: &[&str] = &["meta", "br", "link", "img", "input", "hr"];

pub fn drawings(page: &str) -> Vec<&str> {
    let starts = page.match_indices("<svg ").map(|(i, _)| i);
    starts.map(|i| &page[i..i + page[i..].find("</svg>").expect("a drawing ends") + 6]).collect()
}

fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let start = format!(" {attribute}=\"");
    page.split(start.as_str()).skip(1).map(|rest| rest.split('"').next().unwrap_or_default()).collect()
}

/// Panics where an element is closed that is not open, or stays open.
pub fn balanced(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '/' && c != '!').next().unwrap_or_default();
        let end = rest.find('>').expect("a tag ends");
        let closed = rest[..end].ends_with('/');
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "at {}", &rest[..rest.len().min(80)]);
        } else if !name.starts_with('!') && !closed && !VOID.contains(&name) {
            open.push(name);
            if name == "script" || name == "style" {
                rest = &rest[rest.find(&format!("</{name}")).expect("it ends")..];
                continue;
            }
        }
        rest = &rest[end..];
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

fn all() -> Vec<Vec<Run>> {
    let skipped = run(vec![absent(dgemm("mkl", 8, 1), Status::Skipped, "not here")]);
    let numbers = run(vec![imported(dgemm("mkl", 64, 1), 5e9), imported(dgemm("mkl", 128, 1), 7e9)]);
    vec![
        vec![],
        vec![run(vec![])],
        vec![skipped],
        vec![numbers],
        vec![small(), small()],
        vec![long(5)],
        vec![hostile(), hostile()],
        vec![kinfit(), kinfit_complete()],
        vec![everything()],
        vec![weak()],
    ]
    .into_iter()
    .chain(odd().into_iter().chain(kernel::all()).map(|run| vec![run]))
    .collect()
}

#[test]
fn every_drawing_is_well_formed_xml() {
    let mut found = 0;
    for runs in all() {
        for drawing in drawings(&html(&runs)) {
            roxmltree::Document::parse(drawing).unwrap_or_else(|e| panic!("{e}: {drawing}"));
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
            found += 1;
        }
    }
    assert!(found > 50, "{found} drawings");
}

#[test]
fn every_element_is_closed_and_every_link_leads_somewhere() {
    for runs in all() {
        let page = html(&runs);
        balanced(&page);
        links_lead_somewhere(&page);
    }
}

pub fn links_lead_somewhere(page: &str) {
    let ids: Vec<&str> = values(page, "id");
    let known: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), known.len(), "an identifier stands twice");
    for target in values(page, "href").into_iter().chain(values(page, "aria-controls")) {
        assert!(known.contains(target.trim_start_matches('#')), "{target} leads nowhere");
    }
}

#[test]
fn names_are_text_and_nothing_else() {
    let page = html(&[hostile(), hostile()]);
    assert_eq!(page.matches("<script>").count(), 1, "only the page's own");
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(!page.contains('\u{1b}'));
}

#[test]
fn nothing_is_fetched_from_anywhere() {
    let page = html(&[small()]).replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", " src=", "@import", "url(", "<link"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn light_dark_paper_and_telephone_have_their_rules() {
    let page = html(&[small()]);
    for rule in
        ["prefers-color-scheme: dark", "data-theme=\"dark\"", "@media print", "max-width: 40rem", "name=\"viewport\""]
    {
        assert!(page.contains(rule), "{rule}");
    }
}

#[test]
fn the_verdict_comes_before_machine_tables_and_method() {
    let page = html(&[small()]);
    let places: Vec<usize> =
        ["class=\"verdict", "class=\"findings", "<h2>Machine", "class=\"benchmark", "<h2>Caveats", "<h2>How it was"]
            .map(|mark| page.find(mark).unwrap_or_else(|| panic!("{mark}")))
            .to_vec();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn caveats_command_and_variables_are_there() {
    let page = html(&[small()]);
    for text in
        ["Measure on an idle machine.", "paw run dgemm --set n=64,128", "OMP_NUM_THREADS", "libmkl_rt.so.3: not found"]
    {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn disturbed_samples_are_rings_and_the_others_dots() {
    let record = disturbed(measured(dgemm("embedded", 64, 1), 1e-5, &QUIET), 5);
    let page = html(&[run(vec![record])]);
    let large = drawings(&page).into_iter().find(|d| d.contains("class=\"strip\"")).expect("the samples are drawn");
    let path = |class: &str| {
        let document = roxmltree::Document::parse(large).expect("well-formed");
        let path = document.descendants().find(|n| n.attribute("class") == Some(class)).expect("the path is there");
        path.attribute("d").expect("it has commands").matches('M').count()
    };
    assert_eq!((path("dots"), path("off")), (5, 3));
}

#[test]
fn the_latency_ladder_marks_the_caches() {
    let page = html(&[small()]);
    let ladder = drawings(&page).into_iter().find(|d| d.contains("memory_latency")).expect("the ladder is drawn");
    assert_eq!(ladder.matches("class=\"boundary\"").count(), 2);
    assert!(ladder.contains(">L1<") && ladder.contains(">L2<") && ladder.contains("KiB"));
}

#[test]
fn cells_with_operations_and_bytes_stand_under_the_measured_roofs() {
    let one =
        |suite: &str, name: &str, quantity| cell(suite, name, "native", quantity, Point::new().with("threads", 1));
    let records = vec![
        measured(one("peak", "peak_f64", Quantity::Flops), 1e-5, &QUIET),
        measured(one("memory", "triad", Quantity::Bytes), 2e-5, &QUIET),
        measured(dgemm("embedded", 64, 1), 1.5e-5, &QUIET),
    ];
    assert!(html(&[run(records.clone())]).contains("Roofline: 2 cells under 1 roofs"));
    let lacking = |records: &[Record], there: &str| {
        let page = html(&[run(records.to_vec())]);
        assert!(!page.contains("Roofline:"), "no peak or no bandwidth, no roof");
        assert!(page.contains(&format!("There is no roofline of 1 thread: the run has {there};")), "{there}");
    };
    lacking(&records[1..], "a bandwidth and no peak");
    lacking(&[records[0].clone(), records[2].clone()], "a peak and no bandwidth");
    assert!(!html(&[run(records[..2].to_vec())]).contains("no roofline"), "nothing would lie under it");
}

#[test]
fn benchmarks_under_the_roofs_are_a_table_on_a_terminal_and_in_markdown_too() {
    let dgemm = |n: i64, threads: i64, seconds: f64| {
        let mut record = measured(dgemm("embedded", n, threads), seconds, &QUIET);
        (record.cell.work.flops, record.cell.work.bytes) = (2e9, 1e9);
        record
    };
    let one = |name: &str, family, quantity: Quantity, amount: f64| {
        let mut own = cell("any", name, "native", quantity, Point::new().with("threads", 1));
        own.report = Some(ReportPlace { family, figures: Vec::new(), alternatives: None, precision: None });
        (own.work.flops, own.work.bytes) = if quantity == Quantity::Flops { (amount, 0.0) } else { (0.0, amount) };
        measured(own, 1e-3, &QUIET)
    };
    let mut records = vec![
        one("peak", Family::Peak, Quantity::Flops, 100e6),
        one("read", Family::Memory, Quantity::Bytes, 20e6),
        dgemm(64, 1, 0.1),
        dgemm(128, 1, 0.2),
    ];
    let run_of = |records: &[Record]| run(records.to_vec());
    let text = paw_report::text(&run_of(&records), 120, paw_report::Colour::Plain);
    let table = &text[text.find("under the measured roofs").expect(&text)..];
    // Two operations a byte under 20 GB/s: 40 GFLOP/s.
    let row = table.lines().find(|line| line.starts_with("dgemm")).expect(table);
    for part in ["n=64", "2.00", "benchmark", "20.0", "40.0", "memory bandwidth", "50%"] {
        assert!(row.contains(part), "{part}: {row}");
    }
    assert_eq!(table.matches("\ndgemm").count(), 1, "the fastest point stands for all: {table}");
    assert!(text.contains("in double precision, each the highest of its cells"), "{text}");
    assert!(paw_report::markdown(&run_of(&records)).contains("| dgemm | embedded | 1 | n=64 |"));
    records.push(dgemm(64, 2, 0.05));
    let text = paw_report::text(&run_of(&records), 120, paw_report::Colour::Plain);
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("No roof over dgemm, embedded, n=64, 2 threads: "), "no roofs of two threads: {text}");
}

#[test]
fn the_roofline_has_what_states_double_precision_whatever_its_name() {
    let stating = |precision, name: &str, family, quantity, seconds| {
        let mut cell = cell("new", name, "native", quantity, Point::new().with("threads", 1));
        cell.report = Some(ReportPlace { family, figures: Vec::new(), alternatives: None, precision });
        measured(cell, seconds, &QUIET)
    };
    let roofline = |precision| {
        let page = html(&[run(vec![
            stating(Some(Precision::Double), "f32_lanes", Family::Peak, Quantity::Flops, 1e-5),
            stating(Some(Precision::Single), "wide", Family::Peak, Quantity::Flops, 1e-7),
            stating(None, "triad", Family::Memory, Quantity::Bytes, 2e-5),
            stating(Some(Precision::Double), "symm", Family::Blas, Quantity::Flops, 1.5e-5),
            stating(precision, "dot", Family::Blas, Quantity::Flops, 1.5e-5),
        ])]);
        drawings(&page).into_iter().find(|d| d.contains("Roofline:")).expect("it is drawn").to_owned()
    };
    let drawn = roofline(Some(Precision::Single));
    assert!(drawn.contains("Roofline: 2 cells under 1 roofs"), "{drawn}");
    assert!(drawn.contains("100 GF") && !drawn.contains("10 TF") && !drawn.contains("10.0 TF"), "{drawn}");
    assert!(roofline(Some(Precision::Double)).contains("Roofline: 3 cells"));
    assert!(roofline(None).contains("Roofline: 3 cells"), "user's programs state none");
}

#[test]
fn a_bandwidth_from_a_cache_is_no_roof() {
    let read = |bytes: i64, seconds| {
        let point = Point::new().with("bytes", bytes).with("threads", 1);
        measured(cell("memory", "read", "native", Quantity::Bytes, point), seconds, &QUIET)
    };
    let peak = cell("peak", "peak_f64", "native", Quantity::Flops, Point::new().with("threads", 1));
    let records = vec![
        measured(peak, 1e-5, &QUIET),
        read(16 << 10, 1e-6),
        read(64 << 20, 2e-5),
        measured(dgemm("embedded", 64, 1), 1.5e-5, &QUIET),
    ];
    let page = html(&[run(records)]);
    let roofline = drawings(&page).into_iter().find(|d| d.contains("Roofline:")).expect("it is drawn");
    assert!(roofline.contains("50.00 GB/s") || roofline.contains("50.0 GB/s"), "{roofline}");
    assert!(!roofline.contains("1.00 TB/s"), "{roofline}");
}

#[test]
fn a_truncated_run_says_so() {
    let mut cut = small();
    cut.end = None;
    assert!(html(&[cut]).contains("cut off before its end"));
}

#[test]
fn large_runs_stay_small_pages_and_say_what_they_leave_out() {
    let mut records = Vec::new();
    for n in 0..4000 {
        records.push(measured(dgemm("embedded", n + 8, 1), 1e-5, &QUIET[..4]));
    }
    let page = html(&[run(records)]);
    links_lead_somewhere(&page);
    assert!(page.len() < 8_000_000, "{} bytes", page.len());
    assert!(page.contains("1000 more cells have no row here"), "rows left out are said");
    assert!(page.contains("are not drawn here"), "samples left out are said");
}

#[test]
fn nothing_is_claimed_of_how_an_imported_run_was_measured() {
    for mut run in [small(), kinfit_complete()] {
        let how = |run: &Run| {
            let page = html(std::slice::from_ref(run));
            let start = page.find("How it was measured").expect("the section is there");
            page[start..].split("</article>").next().unwrap_or_default().to_owned()
        };
        run.header.env.clear();
        let claims = ["shuffled rounds", "was set", "A series"];
        assert!(claims.iter().all(|claim| how(&run).contains(claim)), "{}", how(&run));
        run.header.imported_from("times.csv".to_owned());
        let told = how(&run);
        assert!(claims.iter().all(|claim| !told.contains(claim)) && told.contains("imported from times.csv"), "{told}");
    }
}
