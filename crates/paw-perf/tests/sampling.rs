//! Programs of known habits under the sampler.

use std::path::{Path, PathBuf};
use std::process::Command;

use paw_perf::Refusal;
use paw_perf::sampling::{Chains, ImageKind, Options, Sampled, Sampler, Scope};

/// Spins for as many seconds of processor time as it is told, in as many threads, and once more in a child.
const SPIN: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double length;
static double now(clockid_t clock) { struct timespec t; clock_gettime(clock, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
__attribute__((noinline)) static void *spin(void *unused) {
    volatile double x = 1;
    while (now(CLOCK_THREAD_CPUTIME_ID) < length) for (int i = 0; i < 100000; i++) x = x * 1.0000001;
    return unused;
}
int main(int argc, char **argv) {
    length = atof(argv[1]);
    int threads = atoi(argv[2]);
    pthread_t ids[16];
    for (int i = 0; i < threads; i++) pthread_create(ids + i, 0, spin, 0);
    for (int i = 0; i < threads; i++) pthread_join(ids[i], 0);
    if (argc > 3) { if (fork() == 0) { spin(0); _exit(0); } wait(0); }
    return 0;
}
"#;

fn built(directory: &Path) -> PathBuf {
    let (source, program) = (directory.join("spin.c"), directory.join("spin"));
    std::fs::write(&source, SPIN).expect("the source is written");
    let status = Command::new("gcc").args(["-O1", "-pthread", "-o"]).arg(&program).arg(&source).status();
    assert!(status.expect("gcc is needed here").success());
    program
}

/// What the sampler finds of `spin` with `args`; `None` where this machine refuses, which has its sentence.
fn sampled(hz: u32, args: &[&str]) -> Option<Sampled> {
    let directory = tempfile::tempdir().expect("a directory for files that are thrown away");
    let program = built(directory.path());
    let options = Options { hz, scope: Scope::Programs, chains: Chains::FramePointers };
    let sampler = Sampler::open(&options).map_err(check_refusal).ok()?;
    let status = Command::new(&program).args(args).status().expect("it starts");
    assert!(status.success());
    Some(sampler.finish())
}

fn check_refusal(refusal: Refusal) {
    assert!(!refusal.sentence.is_empty() && !refusal.hint.is_empty(), "{refusal:?}");
}

fn share_of(found: &Sampled, is_wanted: impl Fn(usize) -> bool) -> f64 {
    let wanted = found.stacks.iter().filter(|stack| is_wanted(stack.thread as usize));
    wanted.map(|stack| stack.samples).sum::<u64>() as f64 / found.samples as f64
}

#[test]
fn samples_come_at_the_rate_that_was_asked_for_and_know_their_file() {
    let Some(found) = sampled(1000, &["0.5", "1"]) else { return };
    let asked = found.clock_s * 1000.0;
    assert!(found.clock_s > 0.45, "{} s", found.clock_s);
    let ratio = found.samples as f64 / asked;
    // Without rights to sample the kernel, time in it gives no samples.
    assert!((0.7..1.1).contains(&ratio), "{} samples of {asked}, {} lost", found.samples, found.lost);
    let in_program = found.stacks.iter().filter(|stack| {
        let image = &found.images[stack.frames[0].image as usize];
        image.kind == ImageKind::File && image.path.ends_with("/spin")
    });
    let share = in_program.map(|stack| stack.samples).sum::<u64>() as f64 / found.samples as f64;
    assert!(share > 0.5, "{share} in the program: {:?}", found.images);
}

#[test]
fn threads_and_children_are_counted_each() {
    let Some(found) = sampled(2000, &["0.2", "3", "child"]) else { return };
    let main = found.threads.iter().find(|thread| thread.parent == std::process::id()).map_or(0, |thread| thread.pid);
    let main = if main == 0 { found.threads[0].pid } else { main };
    let busy: Vec<usize> =
        (0..found.threads.len()).filter(|at| share_of(&found, |thread| thread == *at) > 0.1).collect();
    assert_eq!(busy.len(), 4, "three threads and a child: {:?}", found.threads);
    let children = busy.iter().filter(|at| found.threads[**at].parent == main).count();
    assert_eq!(children, 1, "{:?}", found.threads);
    busy.iter().for_each(|at| {
        let share = share_of(&found, |thread| thread == *at);
        assert!((0.15..0.35).contains(&share), "{share}: {:?}", found.threads);
    });
}

#[test]
fn a_rate_beyond_what_the_machine_gives_shows_as_missing_samples() {
    let Some(found) = sampled(50_000, &["0.3", "1"]) else { return };
    let known = found.samples as f64 + found.lost as f64;
    assert!(known <= found.clock_s * 50_000.0 * 1.05, "{} samples in {} s", found.samples, found.clock_s);
    assert!(found.expected() > 0.0);
}

#[test]
fn a_program_that_ends_at_once_gives_few_samples_and_no_error() {
    let options = Options { hz: 1000, scope: Scope::Programs, chains: Chains::None };
    let Ok(sampler) = Sampler::open(&options).map_err(check_refusal) else { return };
    Command::new("/bin/true").status().expect("it starts");
    let found = sampler.finish();
    assert!(found.samples < 100 && found.clock_s < 0.2, "{} samples in {} s", found.samples, found.clock_s);
}

#[test]
fn a_process_that_does_not_exist_is_refused_by_its_number() {
    let options = Options { hz: 100, scope: Scope::Process(u32::MAX - 9), chains: Chains::None };
    let refusal = Sampler::open(&options).expect_err("there is no such process");
    assert!(refusal.sentence.contains(&(u32::MAX - 9).to_string()), "{refusal}");
}

#[test]
fn a_running_process_is_sampled_with_the_code_that_it_had_before() {
    let directory = tempfile::tempdir().expect("a directory for files that are thrown away");
    let program = built(directory.path());
    let mut child = Command::new(&program).args(["0.6", "1"]).spawn().expect("it starts");
    let options = Options { hz: 1000, scope: Scope::Process(child.id()), chains: Chains::None };
    let sampler = Sampler::open(&options);
    child.wait().expect("it ends");
    let Ok(sampler) = sampler.map_err(check_refusal) else { return };
    let found = sampler.finish();
    let is_known =
        |stack: &&paw_perf::sampling::StackCount| found.images[stack.frames[0].image as usize].path.ends_with("/spin");
    let known: u64 = found.stacks.iter().filter(is_known).map(|stack| stack.samples).sum();
    assert!(known * 2 > found.samples, "{known} of {}: {:?}", found.samples, found.images);
}
