//! `paw campaign`: the steps of one file, what they leave, and how they go on after a kill.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use ::workplace::{wait_for_death, wait_until};
use paw_data::run::Run;
use paw_data::store;

use crate::workplace::{PAW, Ran, Workplace};

const HEAD: &str = "paw = \"campaign/1\"\n";

fn step(name: &str, rest: &str) -> String {
    format!("[[step]]\nname = \"{name}\"\n{rest}\n")
}

fn campaign(steps: &[(&str, &str)]) -> Workplace {
    let workplace = Workplace::new();
    let steps: String = steps.iter().map(|(name, rest)| step(name, rest)).collect();
    workplace.write("c.toml", format!("{HEAD}{steps}"));
    workplace
}

fn run(workplace: &Workplace, name: &str) -> Run {
    store::read(&workplace.path(name)).unwrap()
}

const GOOD: &str = "command = \"app --reps 2 --warmup 0 --quiet -- true\"";
const BAD: &str = "command = \"app --reps 2 --warmup 0 --quiet -- false\"";

#[test]
fn a_step_that_fails_costs_its_row_and_those_that_need_it() {
    let after = format!("{GOOD}\nneeds = \"bad\"");
    let workplace = campaign(&[
        ("quiet", "command = \"doctor --no-probes\""),
        ("bad", BAD),
        ("after", &after),
        ("good", GOOD),
        ("same", "command = \"compare {good} {good}\"\nneeds = [\"quiet\", \"good\"]"),
    ]);
    let ran = workplace.paw_with(&[("COLUMNS", "80")], "campaign run c.toml --out d");
    assert_eq!(ran.code, 3, "{}", ran.err);
    for line in ["bad    failed (exit 3)", "after  not begun", "needs bad, which did not", "same   done"] {
        assert!(ran.out.contains(line), "{line}\n{}", ran.out);
    }
    let names = ["01-quiet", "02-bad", "04-good", "05-same", "campaign.jsonl", "campaign.toml"];
    assert_eq!(workplace.names("d"), names);
    assert!(workplace.read("d/01-quiet/output.txt").contains("says everything about one"));
    let again = workplace.paw("campaign run c.toml --out d");
    assert_eq!((again.code, again.err.matches("not repeated").count()), (3, 4), "{}", again.err);
}

#[test]
fn a_directory_of_no_step_is_refused_before_anything_is_measured() {
    for named in ["zz", "late", "same"] {
        let command = format!("command = \"compare {{{named}}} {{good}}\"");
        let workplace = campaign(&[("good", GOOD), ("same", &command), ("late", GOOD)]);
        for dry in ["--dry-run", ""] {
            let ran = workplace.paw(&format!("campaign run c.toml --out d {dry}"));
            let said = format!("`{{{named}}}` is no step before this one");
            assert!(ran.code == 2 && ran.err.contains(&said) && workplace.names("") == ["c.toml"], "{}", ran.err);
        }
    }
}

#[test]
fn tables_keep_to_narrow_terminals() {
    let workplace = campaign(&[("quiet", "command = \"machine\""), ("good", GOOD)]);
    let ran = workplace.paw_with(&[("COLUMNS", "40")], "campaign run c.toml --out d");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let table: Vec<&str> = ran.out.lines().skip_while(|line| !line.starts_with("step")).collect();
    assert!(table.len() >= 3 && table.iter().all(|line| line.chars().count() <= 40), "{}", ran.out);
}

#[test]
fn a_dry_run_shows_every_command_and_makes_nothing() {
    let rest = format!("{GOOD}\nbudget = \"20s\"");
    let workplace = campaign(&[("good", &rest), ("quiet", "command = \"doctor\"")]);
    let text = workplace.read("c.toml").replacen('\n', "\nseed = 7\n", 1);
    workplace.write("c.toml", text);
    let ran = workplace.paw("campaign run c.toml --out d --dry-run");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let home = workplace.path("d").display().to_string();
    let line = format!("paw app --reps 2 --warmup 0 --quiet --budget 20s --seed 7 --out {home}/01-good -- true");
    assert!(ran.out.contains(&line) && ran.out.contains("shuffled from seed 7\n"), "{}", ran.out);
    assert!(ran.out.contains("paw doctor\n") && ran.out.contains("nothing was measured"), "{}", ran.out);
    assert_eq!(workplace.names(""), ["c.toml"]);
    assert_eq!(workplace.paw("campaign run c.toml --out d").code, 0);
    let begun: Vec<String> = run(&workplace, "d/01-good").header.argv.into_iter().skip(1).collect();
    assert_eq!(format!("paw {}", begun.join(" ")), line, "what was shown is what ran");
}

/// A sweep of two sizes, the second of which kills paw and all it started, once.
const KILLER: &str = "command = ['app', '--work', 'n runs', '--set', 'n=1,2', '--reps', '12', '--warmup', '0', \
    '--quiet', '--', 'sh', '-c', '[ {n} = 1 ] || [ -e go ] || { touch go; kill -KILL -$(cat pid); }']";

fn killed() -> Workplace {
    let workplace = campaign(&[("first", GOOD), ("sweep", KILLER), ("last", GOOD)]);
    let mut shell = Command::new("/bin/sh");
    shell.current_dir(workplace.path("")).env_clear().env("PATH", "/usr/bin:/bin").env("PAW", PAW);
    shell.args(["-c", "echo $$ >pid; exec $PAW campaign run c.toml --out d"]).process_group(0);
    let ran = Ran::of(&mut shell);
    assert_eq!(ran.code, -1, "{}", ran.err);
    workplace
}

#[test]
fn a_killed_campaign_goes_on_with_what_is_missing() {
    let workplace = killed();
    let (first, part) = (workplace.read("d/01-first/run.jsonl"), run(&workplace, "d/02-sweep"));
    assert!(part.end.is_none() && !workplace.path("d/03-last").exists());
    let shown = workplace.paw("campaign resume d --dry-run");
    assert!(shown.code == 0 && shown.out.contains("first: done before, not repeated"), "{}", shown.out);
    let ran = workplace.paw("campaign resume d");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(workplace.read("d/01-first/run.jsonl"), first, "a step that ended is left as it was");
    let whole = run(&workplace, "d/02-sweep");
    assert_eq!(whole.header.app.as_ref().unwrap().resumed, Some(part.header.id.clone()));
    assert_eq!(whole.records.len(), 2);
    assert_eq!(whole.records[0].samples, part.records[0].samples, "the size that was whole is taken over");
    assert_eq!(run(&workplace, "d/02-sweep.part-1").header, part.header, "what the kill left is kept");
    assert!(run(&workplace, "d/03-last").end.is_some());
    let report = workplace.paw("report d");
    assert_eq!((report.code, report.out.trim()), (0, "d/report.html"), "{}", report.err);
    let page = workplace.read("d/report.html");
    for id in ["d/01-first", "d/02-sweep", "d/03-last"].map(|name| run(&workplace, name).header.id) {
        assert!(page.contains(&id), "{id}");
    }
    let compared = workplace.paw("compare d d");
    assert!(!compared.out.contains(&part.header.id), "the sizes of the part would count twice:\n{}", compared.out);
}

/// A campaign whose only step runs a program that notes its number and stays.
fn staying() -> Workplace {
    campaign(&[(
        "stays",
        "command = ['app', '--reps', '1000000', '--warmup', '0', '--', 'sh', '-c', 'echo $$ >>runs']",
    )])
}

#[test]
fn a_step_ends_with_the_paw_of_its_campaign() {
    let workplace = staying();
    let running = workplace.start("exec $PAW campaign run c.toml --out d");
    wait_until(&workplace.path("runs"), |text| text.lines().count() > 3);
    let steps = running.children();
    running.send("KILL");
    running.end();
    steps.iter().for_each(|step| wait_for_death(step));
    let end = run(&workplace, "d/01-stays").end.expect("the step was asked to end, and had time to save");
    assert_eq!((end.state.as_str(), end.exit), ("interrupted", 143));
}

#[test]
fn a_signal_to_all_of_a_campaign_counts_once() {
    let workplace = staying();
    let mut process = workplace.process("campaign run c.toml --out d");
    process.env("PATH", "/usr/bin:/bin").stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = process.process_group(0).spawn().unwrap();
    wait_until(&workplace.path("runs"), |text| text.lines().count() > 3);
    // As a scheduler and `timeout` do: to the campaign, its step and the step's launcher.
    let line = format!("kill -TERM -{}", child.id());
    assert!(Command::new("/bin/sh").args(["-c", &line]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let run = run(&workplace, "d/01-stays");
    assert_eq!(run.end.map(|end| end.exit), Some(143));
    assert_eq!(run.records[0].samples.len(), workplace.read("runs").lines().count(), "the last run was finished");
}

#[test]
fn a_run_that_was_whole_when_paw_was_killed_is_not_repeated() {
    let workplace = campaign(&[("good", GOOD)]);
    assert_eq!(workplace.paw("campaign run c.toml --out d").code, 0);
    let (before, ledger) = (workplace.read("d/01-good/run.jsonl"), workplace.read("d/campaign.jsonl"));
    let cut: Vec<&str> = ledger.lines().filter(|line| !line.contains("\"ended\"")).collect();
    workplace.write("d/campaign.jsonl", cut.join("\n") + "\n{\"line\":\"end");
    let ran = workplace.paw("campaign resume d");
    assert!(ran.code == 0 && ran.out.contains("was whole when paw was"), "{}{}", ran.out, ran.err);
    assert_eq!(workplace.read("d/01-good/run.jsonl"), before);
}

#[test]
fn a_command_without_a_budget_is_interrupted_when_its_time_is_over() {
    let sampled = "command = \"profile --quiet -- sleep 60\"\nbudget = \"1s\"";
    let workplace = campaign(&[("sampled", sampled), ("good", GOOD)]);
    let ran = workplace.paw("campaign run c.toml --out d");
    assert_eq!(ran.code, 5, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("its time of 1s was over") && ran.out.contains("good     done"), "{}", ran.out);
}

#[test]
fn a_campaign_is_of_one_file_and_one_machine() {
    let workplace = campaign(&[("good", GOOD)]);
    assert_eq!(workplace.paw("campaign run c.toml --out d").code, 0);
    let ledger = workplace.read("d/campaign.jsonl");
    let (_, rest) = ledger.split_once("\"fingerprint\":\"").unwrap();
    workplace.write("d/campaign.jsonl", ledger.replace(&rest[..16], "0123456789abcdef"));
    let ran = workplace.paw("campaign resume d");
    assert!(ran.code == 2 && ran.err.contains("another machine"), "{}", ran.err);
    workplace.write("c.toml", format!("{HEAD}{}", step("bad", BAD)));
    let ran = workplace.paw("campaign run c.toml --out d");
    assert!(ran.code == 2 && ran.err.contains("by another file"), "{}", ran.err);
    let ran = workplace.paw("campaign resume nothing");
    assert!(ran.code == 7 && ran.err.contains("holds no campaign"), "{}", ran.err);
}

#[test]
fn a_campaign_does_not_go_on_where_its_directory_is_gone() {
    let workplace = campaign(&[("bad", BAD), ("good", GOOD)]);
    let began = workplace.shell("mkdir began elsewhere; cd began; exec $PAW campaign run ../c.toml --out ../d");
    assert_eq!(began.code, 3, "{}", began.err);
    let ledger = workplace.read("d/campaign.jsonl");
    let cut: Vec<&str> = ledger.lines().filter(|line| !line.contains("\"good\"")).collect();
    workplace.write("d/campaign.jsonl", cut.join("\n") + "\n");
    let ran = workplace.shell("mv began gone; cd elsewhere; exec $PAW campaign resume ../d");
    assert!(ran.code == 2 && ran.err.contains("campaign was begun is gone: "), "{}", ran.err);
    assert_eq!(workplace.shell("mv gone began; cd elsewhere; $PAW campaign resume ../d").code, 3);
    let out = "exec $PAW campaign run c.toml --out $(printf 'd\\377')";
    let ran = workplace.shell(out);
    assert!(ran.code == 2 && ran.err.contains("is no UTF-8"), "{}", ran.err);
}

#[test]
fn only_a_campaign_with_runs_is_said_to_have_a_report() {
    let workplace = campaign(&[("quiet", "command = \"doctor --no-probes\"")]);
    let ran = workplace.paw("campaign run c.toml --out d");
    assert!(ran.err.contains("saved in ") && !ran.err.contains("paw report"), "{}", ran.err);
    let workplace = campaign(&[("good", GOOD)]);
    assert!(workplace.paw("campaign run c.toml --out d").err.contains("makes one report of its runs"));
}

#[test]
fn what_is_wrong_in_a_file_is_shown_in_its_line() {
    let good = step("a", GOOD);
    for (text, said) in [
        (good.clone(), "begin it with the line `paw = \"campaign/1\"`"),
        ("paw = \"app/1\"\ncommand = [\"true\"]\n".to_owned(), "`paw app -c FILE` measures it"),
        (HEAD.to_owned(), "it has no step"),
        (format!("{HEAD}{good}bugdet = \"1m\"\n"), "c.toml:5:1"),
        (format!("{HEAD}{good}budget = \"soon\"\n"), "`soon` is not a time"),
        (format!("{HEAD}{good}needs = \"b\"\n"), "no step before this one has that name"),
        (format!("{HEAD}{good}{good}"), "another step has this name"),
        (format!("{HEAD}{}", step("../a", GOOD)), "part of a directory's"),
        (format!("{HEAD}{}", step("a", "command = \"frobnicate\"")), "a step is one of run, app"),
        (format!("{HEAD}{}", step("a", "command = \"run --loudly\"")), "paw does not take it"),
        (
            format!("{HEAD}{}", step("a", "command = \"run dgemm --out x\"")),
            "paw sets --out for each step itself: leave it away",
        ),
        (format!("{HEAD}{}", step("a", "command = \"app -- 'x\"")), "not closed"),
        (format!("{HEAD}budget = \"1m\"\n{good}budget = \"2m\"\n"), "budgets of steps make 2m0s"),
    ] {
        let workplace = Workplace::new();
        workplace.write("c.toml", &text);
        let ran = workplace.paw("campaign run c.toml --out d");
        assert!(ran.code == 2 && ran.err.contains(said), "{said}\n{text}{}", ran.err);
        assert!(!workplace.path("d").exists());
    }
}
