//! Campaigns that are read, written, and refused.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::*;

const WHOLE: &str = r#"paw = "app/1"
command = ["./ttbar", "--variations", "{n}"]
base = "./ttbar_sequential {n}"
threads = ["1,2", "topology", 64]
copies = 2
exclude = "threads > 64 && n < 4"
within = 0.05
timeout = 60
seed = 7
verify = ["stdout contains 1867", "exit 0"]

[set]
n = "2..512"
files = ["a.dat", "b.dat"]
blocks = 16
"#;

fn parse(text: &str) -> Result<CampaignFile, DocumentError> {
    CampaignFile::parse(Path::new("ttbar.toml"), text)
}

#[track_caller]
fn refused(text: &str, shown: &str) {
    assert_eq!(parse(text).unwrap_err().to_string(), shown);
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn numbers_and_single_values_stand_for_texts_and_lists() {
    let file = parse(WHOLE).unwrap();
    let pair = |axis: &str, values: &str| (axis.to_owned(), values.to_owned());
    let expected = CampaignFile {
        command: owned(&["./ttbar", "--variations", "{n}"]),
        base: Some("./ttbar_sequential {n}".to_owned()),
        threads: owned(&["1", "2", "topology", "64"]),
        copies: owned(&["2"]),
        exclude: owned(&["threads > 64 && n < 4"]),
        within: Some("0.05".to_owned()),
        timeout: Some("60".to_owned()),
        seed: Some(7),
        verify: owned(&["stdout contains 1867", "exit 0"]),
        set: vec![pair("n", "2..512"), pair("files", "a.dat,b.dat"), pair("blocks", "16")],
        ..Default::default()
    };
    assert_eq!(file, expected);
}

#[test]
fn what_was_not_typed_is_not_written() {
    let file = CampaignFile { shell: Some("./fit | tee out".to_owned()), seed: Some(u64::MAX), ..Default::default() };
    let written = "paw = \"app/1\"\nshell = \"./fit | tee out\"\nseed = \"18446744073709551615\"\n";
    assert_eq!(file.write(), written);
    assert_eq!(parse(written), Ok(file));
}

#[test]
fn several_commands_and_their_names_are_lists() {
    let file = parse("paw = \"app/1\"\ncommands = [\"old=./a -x\", \"./b\"]\nnames = \"new\"\n[set]\nn = 1\n").unwrap();
    assert_eq!((file.commands, file.names), (owned(&["old=./a -x", "./b"]), owned(&["new"])));
    let shells = CampaignFile { shells: owned(&["a | b", "c"]), ..Default::default() };
    assert_eq!(parse(&shells.write()), Ok(shells));
    refused(
        "paw = \"app/1\"\ncommands = [\"a\"]\nshells = [\"b\"]\n",
        "ttbar.toml: `command` and `shell` exclude each other: keep one of them",
    );
}

#[test]
fn a_mistyped_key_is_shown_with_the_one_that_was_meant() {
    refused(
        "paw = \"app/1\"\ncommand = [\"a\"]\n  thread = [\"topology\"]\n",
        "ttbar.toml:3:3: there is no key `thread`: did you mean `threads`?\n  |\n3 |   thread = [\"topology\"]\n  |   ^^^^^^",
    );
    let error = parse("paw = \"app/1\"\ncommand = [\"a\"]\nvariations = 3\n").unwrap_err();
    assert!(error.message.starts_with("there is no key `variations`; there are paw, command, "), "{error}");
}

#[test]
fn a_wrong_value_is_shown_where_it_stands() {
    refused(
        "paw = \"app/1\"\ncommand = [\"a\"]\nk = \"vier\"\n",
        "ttbar.toml:3:5: `k` must be a whole number from 0 to 2^32-1, not a text\n  |\n3 | k = \"vier\"\n  |     ^^^^^^",
    );
    refused(
        "paw = \"app/1\"\nseed = -1\n",
        "ttbar.toml:2:8: `seed` must be a whole number from 0 to 2^64-1\n  |\n2 | seed = -1\n  |        ^^",
    );
    refused(
        "paw = \"app/2\"\n",
        "ttbar.toml:1:7: version `app/2` is not known here: this paw reads `app/1`\n  |\n1 | paw = \"app/2\"\n  |       ^^^^^^^",
    );
    let error = parse("paw = \"app/1\"\n[set]\nn = true\n").unwrap_err();
    assert_eq!(error.place.map(|place| (place.line, place.column)), Some((3, 5)));
}

#[test]
fn broken_toml_is_shown_where_it_breaks() {
    let error = parse("paw = \"app/1\"\ncommand = [\"a\"\nk = 4\n").unwrap_err();
    assert!(error.place.is_some(), "{error}");
    let error = parse("paw = \"app/1\"\nk = 1\nk = 2\n").unwrap_err();
    assert_eq!(error.place.map(|place| (place.line, place.column)), Some((3, 1)));
}

#[test]
fn a_file_that_says_nothing_to_run_is_refused() {
    refused("k = 3\n", "ttbar.toml: it is no campaign: begin it with the line `paw = \"app/1\"`");
    refused("paw = \"app/1\"\n", "ttbar.toml: there is nothing to run: add `command = [\"./program\"]`, or `shell`");
    refused(
        "paw = \"app/1\"\ncommand = [\"a\"]\nshell = \"a\"\n",
        "ttbar.toml: `command` and `shell` exclude each other: keep one of them",
    );
    let error = CampaignFile::read(Path::new("/nowhere/ttbar.toml")).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/ttbar.toml: cannot be read: "), "{error}");
}

/// A campaign with every key.
fn campaign() -> impl Strategy<Value = CampaignFile> {
    let text = any::<String>;
    let texts = || vec(any::<String>(), 1..3);
    let reading = (of(text()), of(text()), of(text()), texts(), of(text()), any::<bool>());
    let several = (texts(), texts(), texts(), of(text()));
    (of_one_command(), reading, several).prop_map(|(file, reading, several)| {
        let (roofline, flops, bytes, counters, recorded, simulate) = reading;
        let (commands, names, ladder, fail_on) = several;
        let strict_env = simulate;
        CampaignFile {
            commands,
            names,
            ladder,
            fail_on,
            strict_env,
            roofline,
            flops,
            bytes,
            counters,
            recorded,
            simulate,
            ..file
        }
    })
}

/// A campaign of one command, timed alone.
fn of_one_command() -> impl Strategy<Value = CampaignFile> {
    let text = any::<String>;
    let texts = || vec(any::<String>(), 1..3);
    let counts = || vec("[a-z0-9]{1,4}", 1..3);
    let commands = (texts(), of(text()), of(text()), of(text()), of(text()));
    let points = (counts(), of(text()), counts(), texts(), vec(("[a-z_]{1,4}", text()), 0..4));
    let method = (of(text()), of(any::<u32>()), of(text()), of(any::<u32>()), of(any::<u32>()), any::<bool>());
    let rest = (of(any::<u32>()), of(text()), texts(), of(text()), texts(), of(text()), of(text()), texts());
    let around = (of(text()), of(text()), of(text()));
    let launching = (of(text()), of(text()), any::<bool>(), any::<bool>(), any::<bool>(), of(any::<u32>()), around);
    (commands, points, method, rest, launching, of(any::<u64>()), (of(text()), of(text()))).prop_map(
        |(commands, points, method, rest, launching, seed, (budget, until))| {
            let (stdin, output, keep_output, no_aslr, profile, reps, around) = launching;
            let (setup, cleanup, ignore_failure) = around;
            let (command, base, versus, prepare, conclude) = commands;
            let (threads, place, copies, exclude, mut set) = points;
            let (method, k, within, min, max, kbest_exclusive) = method;
            let (warmup, timeout, metric, drive, verify, work, weak, hash_input) = rest;
            set.sort();
            set.dedup_by(|a, b| a.0 == b.0);
            set.reverse();
            CampaignFile {
                paw: Schema,
                command,
                base,
                versus,
                prepare,
                conclude,
                setup,
                cleanup,
                ignore_failure,
                stdin,
                output,
                keep_output,
                no_aslr,
                threads,
                place,
                copies,
                exclude,
                set,
                method,
                k,
                within,
                min,
                max,
                kbest_exclusive,
                reps,
                warmup,
                timeout,
                metric,
                headline: drive.clone(),
                drive,
                verify,
                work,
                weak,
                hash_input,
                seed,
                budget,
                until,
                profile,
                ..CampaignFile::default()
            }
        },
    )
}

proptest! {
    #[test]
    fn a_written_campaign_reads_as_the_same(file in campaign()) {
        prop_assert_eq!(parse(&file.write()), Ok(file));
    }

    #[test]
    fn no_text_makes_reading_panic(text in "(paw = \"app/1\"\n)?[a-z=\\[\\]\"\n é{}]{0,40}") {
        if let Err(error) = parse(&text) {
            prop_assert!(error.to_string().starts_with("ttbar.toml:"));
        }
    }
}
