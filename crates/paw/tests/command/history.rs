//! One machine over time: runs as files, a change that is found, and what else changed with it.

use std::fs;

use crate::workplace::Workplace;

/// Runs of a scripted machine: dgemm is a tenth slower from run `step` on, with another kernel and governor from there on.
fn runs(workplace: &Workplace, count: usize, step: usize) {
    for i in 0..count {
        let directory = workplace.path(&format!("runs/{i:02}"));
        fs::create_dir_all(&directory).unwrap();
        // Scatter of a per cent, without a trend.
        let scatter = 1.0 + 0.01 * ((i * 7 % 5) as f64 - 2.0) / 2.0;
        let seconds = 1e-3 * scatter * if i < step { 1.0 } else { 1.1 };
        let (kernel, governor) = if i < step { ("6.1.0", "performance") } else { ("6.2.0", "powersave") };
        fs::write(directory.join("run.jsonl"), run(i, seconds, kernel, governor)).unwrap();
    }
}

/// Columns of six samples, one a round and nobody in their way.
const UNDISTURBED: &str = r#""round":[0,1,2,3,4,5],"position":[0,0,0,0,0,0],"invocation":[0,0,0,0,0,0],"at_s":[0,1,2,3,4,5],"run_delay_s":[0,0,0,0,0,0],"switches":[0,0,0,0,0,0],"migrations":[0,0,0,0,0,0],"disturbed":[false,false,false,false,false,false]"#;

fn run(i: usize, seconds: f64, kernel: &str, governor: &str) -> String {
    let (day, load) = (i + 1, i);
    let method = r#"{"name":"adaptive","warmup":1,"loops":{"fixed":1},"ending":{"fixed":{"samples":6}},"headline":"median","memory":"kept"}"#;
    let identity = format!(
        r#"{{"fingerprint":"f{kernel}","host":"node1","cpu":"A processor","arch":"x86_64","isa":["avx2"],"packages":1,"cores":4,"threads":8,"numa_nodes":1,"caches":[],"memory_bytes":17179869184,"os":"Linux","kernel":"{kernel}","hypervisor":""}}"#
    );
    let cell = |id: usize, benchmark: &str| {
        format!(
            r#"{{"line":"cell","id":{id},"benchmark":"{benchmark}","suite":"blas","provider":"embedded","role":"subject","group":0,"point":{{"n":64,"threads":1}},"method":"adaptive","work":{{"flops":1e6}},"formula":"","headline":"flops","combine":"single","instrument":0}}"#
        )
    };
    let samples = |id: usize, seconds: f64| {
        let times = [seconds; 6].map(|value| value.to_string()).join(",");
        let samples = format!(
            r#"{{"line":"samples","cell":{id},"phase":"measure",{UNDISTURBED},"loops":[1,1,1,1,1,1],"elapsed_s":[{times}]}}"#
        );
        let outcome = format!(r#"{{"line":"outcome","cell":{id},"status":"measured","ending":"complete"}}"#);
        format!("{samples}\n{outcome}")
    };
    [
        format!(
            r#"{{"line":"run","schema":"paw.run/1","id":"202601{day:02}T000000Z-abcdef","tool":"paw 0.1.0","argv":[],"utc":"2026-01-{day:02}T00:00:00Z","plan":{{"method":{method},"seed":1}},"env":{{}},"machine":{{"identity":{identity},"state":{{"governor":"{governor}","load_1min":"{load}"}}}}}}"#
        ),
        r#"{"line":"instrument","id":0,"clock":"monotonic","resolution_s":1e-9,"overhead_s":2e-8}"#.to_owned(),
        cell(0, "dgemm"),
        samples(0, seconds),
        cell(1, "dgemv"),
        samples(1, 2e-3 * (1.0 + 0.002 * (i * 3 % 7) as f64)),
        r#"{"line":"end","state":"done","exit":0,"machine_state":{}}"#.to_owned(),
    ]
    .join("\n")
        + "\n"
}

#[test]
fn a_change_is_found_with_what_changed_at_the_same_time() {
    let workplace = Workplace::new();
    runs(&workplace, 24, 14);
    let ran = workplace.paw("history --from runs --machine node1");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let flat = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("24 runs"), "{flat}");
    assert!(
        flat.contains("-9.1 %") && flat.contains("worse from run 20260115T000000Z-abcdef of 2026-01-15 on"),
        "{flat}"
    );
    assert!(
        flat.contains("which need not be the cause: governor: performance → powersave; kernel: 6.1.0 → 6.2.0"),
        "{flat}"
    );
    assert!(!flat.contains("load_1min"), "{flat}");
    let own = workplace.paw("history dgemv --from runs --machine node1");
    assert!(own.out.contains("none shown") && !own.out.contains("worse"), "{}", own.out);
}

#[test]
fn few_runs_say_how_many_are_needed() {
    let workplace = Workplace::new();
    runs(&workplace, 9, 5);
    let ran = workplace.paw("history --from runs --machine node1");
    let flat = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("9 runs at most: too few to tell a change from chance; 14 are needed"), "{flat}");
    assert!(!flat.contains("worse"), "{flat}");
}

#[test]
fn the_store_shows_what_the_runs_show_and_knows_a_run_again() {
    let workplace = Workplace::new();
    runs(&workplace, 16, 8);
    let added = workplace.paw("history add runs --store kept");
    assert_eq!((added.code, added.out.lines().count()), (0, 16), "{}", added.err);
    assert!(added.out.lines().all(|line| line.ends_with(": added, 2 figures")), "{}", added.out);
    assert!(workplace.paw("history add runs/03 --store kept").out.ends_with("there already, 2 figures\n"));
    let [stored, plain] =
        ["--store kept", "--from runs"].map(|source| workplace.paw(&format!("history {source} --machine node1")).out);
    assert_eq!(stored, plain);
    let by_variable = workplace.paw_with(&[("PAW_HISTORY", "kept")], "history --machine node1").out;
    assert_eq!(stored, by_variable);
    fs::write(workplace.path("paw.toml"), "history = 'kept'\n").unwrap();
    assert_eq!(stored, workplace.paw("history --machine node1").out);
    fs::write(workplace.path("kept/20260101T000000Z-abcdef.json"), "{").unwrap();
    let damaged = workplace.paw("history --machine node1");
    assert!(damaged.code == 0 && damaged.err.contains("20260101T000000Z-abcdef.json is left out"), "{}", damaged.err);
}

#[test]
fn it_fits_narrow_terminals_and_has_other_forms() {
    let workplace = Workplace::new();
    runs(&workplace, 24, 14);
    for width in ["40", "80"] {
        for args in ["history --from runs --machine node1", "history dgemm --from runs --machine node1"] {
            let out = workplace.paw_with(&[("COLUMNS", width)], args).out;
            let widest = out.lines().map(|line| line.chars().count()).max();
            assert!(widest <= width.parse().ok(), "{args}: {out}");
            assert!(!out.contains('\u{1b}'), "{out}");
        }
    }
    let json = workplace.paw("history dgemm --from runs --machine node1 --format json --svg a.svg").out;
    let page: serde_json::Value = serde_json::from_str(&json).unwrap();
    let change = &page["series"][0]["changes"][0];
    assert_eq!(change["run"], "20260115T000000Z-abcdef");
    assert!((change["ratio"].as_f64().unwrap() - 1.0 / 1.1).abs() < 0.01, "{change}");
    assert_eq!(page["series"][0]["figures"].as_array().unwrap().len(), 24);
    let svg = fs::read_to_string(workplace.path("a.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.matches("class=\"point\"").count() == 24, "{svg}");
    let text = workplace.paw("history --from runs --export prometheus").out;
    assert_eq!(text.lines().filter(|line| line.starts_with("paw_flops_per_second{")).count(), 2, "{text}");
    assert_eq!(workplace.paw("history --from runs --export parquet --out a.parquet").code, 0);
    let bytes = fs::read(workplace.path("a.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

#[test]
fn nodes_that_are_alike_are_one_machine_where_asked_for() {
    let workplace = Workplace::new();
    runs(&workplace, 24, 14);
    // The first half ran on another node of the same hardware.
    for i in 0..12 {
        let path = workplace.path(&format!("runs/{i:02}/run.jsonl"));
        let moved = fs::read_to_string(&path).unwrap().replace(r#""host":"node1""#, r#""host":"node2""#);
        fs::write(&path, moved).unwrap();
    }
    for node in ["node1", "node2"] {
        let ran = workplace.paw(&format!("history --from runs --machine {node}"));
        let flat = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(ran.code == 0 && flat.contains("12 runs") && flat.contains(node), "{} {flat}", ran.err);
    }
    let alike = workplace.paw("history --from runs --alike").out;
    let flat = alike.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("node1, node2") && flat.contains("24 runs"), "{flat}");
    // The hash of each is its own; what both have in common names two, and with --alike one.
    let hash = |flat: &str| flat.split("machine ").nth(1).and_then(|rest| rest.split(' ').next()).map(str::to_owned);
    let common = hash(&flat).unwrap();
    let own = workplace.paw("history --from runs --machine node2").out;
    let own = hash(&own.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap();
    assert_ne!(own, common);
    assert!(workplace.paw(&format!("history --from runs --machine {own}")).out.contains("node2"));
    let both = workplace.paw(&format!("history --from runs --machine {common}"));
    assert!(
        both.code == 6 && both.err.contains("several machines called") && both.err.contains("--alike"),
        "{}",
        both.err
    );
    assert_eq!(workplace.paw(&format!("history --from runs --alike --machine {common}")).out, alike);
    // This machine is neither.
    let none = workplace.paw("history --from runs");
    assert!(none.code == 6 && none.err.contains("this is none of them"), "{}", none.err);
    let exported = workplace.paw("history --from runs --export prometheus").out;
    assert_eq!(exported.lines().filter(|line| line.starts_with("paw_flops_per_second{")).count(), 4, "{exported}");
    let exported = workplace.paw("history --from runs --export prometheus --machine node2").out;
    assert!(exported.contains("node2") && !exported.contains("node1"), "{exported}");
}

/// An entry of the store: value, point, trust and circumstances of one run of `benchmark`.
fn entry(workplace: &Workplace, store: &str, day: u32, figures: &str, more: &str) {
    let entry = format!(
        r#"{{"schema":"paw.history/1","run":"202601{day:02}T000000Z-abcdef","utc":"2026-01-{day:02}T00:00:00Z","tool":"paw 0.1.0"{more},"figures":[{figures}]}}"#
    );
    fs::create_dir_all(workplace.path(store)).unwrap();
    workplace.write(&format!("{store}/202601{day:02}.json"), entry);
}

fn figure(benchmark: &str, point: &str, value: f64, more: &str) -> String {
    format!(
        r#"{{"benchmark":"{benchmark}","provider":"native","point":{point},"quantity":"bytes","value":{value},"samples":16{more}}}"#
    )
}

#[test]
fn a_measurement_counts_once() {
    let workplace = Workplace::new();
    runs(&workplace, 3, 3);
    workplace.shell("cp -r runs copies");
    let flat = |args: &str| workplace.paw(args).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat("history --from runs --from copies --from runs/01 --machine node1").contains("3 runs"));
    let value = figure("p", "{}", 1.0, "");
    entry(&workplace, "kept", 1, &value, "");
    entry(&workplace, "kept", 2, &value, r#","resumed":"20260101T000000Z-abcdef""#);
    let kept = flat("history --store kept");
    assert!(kept.contains("1 run") && !kept.contains("2 runs"), "{kept}");
}

#[test]
fn rows_differ_by_what_tells_them_apart_also_in_narrow_terminals() {
    let workplace = Workplace::new();
    let at = |store: &str, bytes: u64| format!(r#"{{"bytes":{bytes},"store":"{store}","threads":1}}"#);
    let figures = [at("normal", 1 << 27), at("nt", 1 << 27), at("normal", 1 << 20)]
        .map(|point| figure("stream_triad", &point, 1.5e10, r#","trust":"poor""#));
    for day in 1..=3 {
        entry(&workplace, "kept", day, &figures.join(","), "");
    }
    for width in ["60", "80", "100"] {
        let out = workplace.paw_with(&[("COLUMNS", width)], "history --store kept").out;
        let rows: Vec<&str> = out.lines().filter(|line| line.starts_with("stream_tri")).collect();
        assert!(rows.len() == 3 && rows[0] != rows[1] && rows[0] != rows[2], "{out}");
        assert!(width != "100" || rows[2].contains("bytes=1 MiB store=normal"), "{out}");
        assert!(!out.contains("threads=") && (width == "60" || out.contains("poor")), "{out}");
    }
}

#[test]
fn what_is_not_recorded_has_not_changed_and_has_not_stayed() {
    let workplace = Workplace::new();
    let runs = |store: &str, before: &str, after: &str| {
        for day in 1..=28 {
            // Twice as fast from the 15th on, and a hundredth of scatter.
            let value = if day < 15 { 1e9 } else { 2e9 } * (1.0 + 0.002 * f64::from(day * 7 % 5));
            let value = figure("p", "{}", value, r#","trust":"poor""#);
            entry(&workplace, store, day, &value, if day < 15 { before } else { after });
        }
        let out = workplace.paw(&format!("history --store {store}")).out;
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let told = runs("none", "", "");
    assert!(told.contains("nothing is recorded on both sides") && told.contains("28 of 28 figures are poor"), "{told}");
    let known = r#","state":{"aslr":"2","thp":"always"},"circumstances":{"method":"adaptive","$A":"1"}"#;
    let told = runs("half", r#","state":{"thp":"always"},"circumstances":{"method":"adaptive"}"#, known);
    assert!(told.contains("not be the cause: $A: not set → 1") && !told.contains("aslr"), "{told}");
    let told = runs("same", known, known);
    assert!(told.contains("nothing that is recorded of the machine changed"), "{told}");
}

#[test]
fn entries_that_cannot_be_are_named() {
    let workplace = Workplace::new();
    entry(&workplace, "kept", 1, &figure("p", "{}", -5.0, ""), "");
    entry(&workplace, "kept", 2, &figure("p", "{}", 5.0, ""), "");
    workplace.write("kept/a.json", "[]");
    let later =
        workplace.read("kept/20260102.json").replace("20260102T", "20990102T").replace("2026-01-02", "2099-01-02");
    workplace.write("kept/20990102.json", later);
    assert_eq!(workplace.shell("mkfifo kept/pipe.json").code, 0);
    let ran = workplace.paw("history --store kept");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for said in [
        "its p is -5, and a figure is a positive number",
        "pipe.json is left out: it is no file",
        "2099-01-02T00:00:00Z, which is yet to come",
    ] {
        assert!(ran.err.contains(said), "{said}\n{}", ran.err);
    }
    assert!(
        ran.err.contains("a.json is left out: it is no entry of a history") && !ran.err.contains("RunDigest"),
        "{}",
        ran.err
    );
}

#[test]
fn exports_take_names_and_an_empty_variable_names_no_store() {
    let workplace = Workplace::new();
    runs(&workplace, 2, 2);
    let text = workplace.paw("history dgemv --from runs --export prometheus").out;
    assert!(text.contains("dgemv") && !text.contains("\"dgemm\""), "{text}");
    let none = workplace.paw("history dgem --from runs --export prometheus");
    assert!(none.code == 6 && none.out.is_empty() && none.err.contains("did you mean `dgemm`?"), "{}", none.err);
    let empty = workplace.paw_with(&[("PAW_HISTORY", "")], "history --from runs --machine node1");
    assert_eq!(empty.code, 0, "{}", empty.err);
}

#[test]
fn what_is_not_there_is_named() {
    let workplace = Workplace::new();
    let none = workplace.paw("history --store nowhere");
    assert!(none.code == 6 && none.err.contains("there is no history in nowhere"), "{}", none.err);
    runs(&workplace, 1, 1);
    let other = workplace.paw("history dgem --from runs --machine node1");
    assert!(other.code == 6 && other.err.contains("did you mean `dgemm`?"), "{}", other.err);
    let machine = workplace.paw("history --from runs --machine node2");
    assert!(machine.code == 6 && machine.err.contains("the history has no machine `node2`"), "{}", machine.err);
    let missing = workplace.paw("history add runs/77 --store kept");
    assert!(missing.code == 7 && missing.err.contains("it is not added"), "{}", missing.err);
}
