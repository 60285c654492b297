//! Sampling by SIGPROF, where the system refuses perf_event as containers do: by a filter of system calls (seccomp), set by a program
//! through which paw is started. So paw needs no option to choose a sampler, and its sentences are those of the real thing.

use paw_data::profile::{Profile, SamplerKind};
use workplace::Workplace;

use crate::sources::{EXPONENTIAL, FAMILY, SPLIT, built, percent, profile, run};

/// Starts a program that may not make one system call.
const REFUSE: &str = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, REFUSED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = { 4, rules };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) return 99;
    execvp(argv[1], argv + 1);
    return 98;
}
"#;

/// A directory with `source` compiled to `program`, and the program that refuses perf_event.
fn refusing(source: &str, flags: &str) -> Workplace {
    let place = built(source, flags);
    place.write("refuse.c", REFUSE);
    for call in ["perf_event_open", "ptrace"] {
        let ran = place.run(&format!("gcc -DREFUSED=SYS_{call} refuse.c -o no_{call}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    place
}

const PAW: &str = "./no_perf_event_open $PAW";

/// The profile of `program` with `args`, and what paw printed.
fn sampled(place: &Workplace, args: &str) -> (Profile, String) {
    let ran = place.run(&format!("{PAW} profile --out run --quiet -- ./program {args}"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let found = profile(place, "run");
    assert_eq!(found.sampling.sampler, SamplerKind::Sigprof);
    (found, ran.out)
}

/// `text` as a reader has it: without the tags of HTML, and on one line.
fn plain(text: &str) -> String {
    let parts = text.split('<').enumerate();
    let visible =
        parts.map(|(at, part)| if at == 0 { part } else { part.split_once('>').map_or("", |(_, rest)| rest) });
    visible.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_known_split_comes_back_and_every_page_says_how() {
    let place = refusing(SPLIT, "-O1 -g");
    let (found, out) = sampled(&place, "2 0 25");
    for (name, expected) in [("large", 70.0), ("middle", 20.0), ("small", 10.0)] {
        let share = percent(&found, name);
        // Samples come with the kernel's tick: as regularly as the program runs, and at random on a busy machine.
        let chance = 1.96 * f64::sqrt(expected * (100.0 - expected) / found.sampling.samples as f64);
        assert!((share - expected).abs() < f64::max(3.0, 2.0 * chance), "{name}: {share} % in {out}");
    }
    assert!(found.loop_title(found.loop_times()[0].index).starts_with("program.c:"), "{out}");
    assert!(found.sampling.hz <= 250.0 && found.sampling.event == "ITIMER_PROF", "{:?}", found.sampling);
    assert!((1.9..2.5).contains(&found.sampling.processor_s), "{:?}", found.sampling);
    let page = place.read("run/report.html");
    let markdown = place.run("$PAW export run --format md").out;
    for (name, text) in [("text", &out), ("page", &page), ("Markdown", &markdown)] {
        let said = plain(text);
        let is_said = said.contains("ampled by SIGPROF") && said.contains("perf_event_open was refused");
        assert!(is_said, "{name} does not say how: {out}");
    }
    assert!(place.run("$PAW export run --format csv").out.contains(",ITIMER_PROF,"));
}

#[test]
fn threads_are_sampled_and_the_time_of_children_is_said() {
    let place = refusing(FAMILY, "-O1 -g -fno-omit-frame-pointer");
    let (found, out) = sampled(&place, "");
    let busy = found.thread_times().into_iter().filter(|time| time.own.share > 0.02).count();
    assert_eq!(busy, 3, "{out}");
    let children = found.sampling.unsampled_children_s.expect("it had a child");
    assert!((0.19..0.4).contains(&children), "{children}");
    assert!(out.contains("were not sampled"), "{out}");
    let spin = found.function_times().into_iter().find(|time| found.title(time.function) == "spin").expect("it ran");
    assert!(spin.own.share > 0.8, "{out}");
}

#[test]
fn callers_are_found_by_frame_pointers() {
    let place = refusing(SPLIT, "-O1 -g -fno-omit-frame-pointer");
    let (found, out) = sampled(&place, "0.3");
    let times = found.function_times();
    let main = times.iter().find(|time| found.title(time.function) == "main").expect("it calls the others");
    assert!(main.total.share > 0.9 && main.own.share < 0.1, "{out}");
}

#[test]
fn time_in_a_library_is_that_of_its_function() {
    let place = refusing(EXPONENTIAL, "-O1");
    let (found, out) = sampled(&place, "");
    let in_library = found.function_times().into_iter().filter(|time| {
        let module = found.functions[time.function as usize].module;
        found.module_name(module).starts_with("libm")
    });
    assert!(in_library.map(|time| time.own.share).sum::<f64>() > 0.2, "{out}");
}

/// Counts the signals that reach it, is stopped and continued by a child, and dies by the signal that its argument names.
const HABITS: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile int children, users, continued;
static void on(int signal) { if (signal == SIGCHLD) children++; if (signal == SIGUSR1) users++; if (signal == SIGCONT) continued++; }
static char state(int pid) {
    char path[64], line[512] = ""; snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r"); if (file) { fgets(line, sizeof line, file); fclose(file); }
    char *end = strrchr(line, ')'); return end ? end[2] : 0;
}
int main(int argc, char **argv) {
    struct sigaction action = { .sa_handler = on, .sa_flags = SA_RESTART };
    sigaction(SIGCHLD, &action, 0); sigaction(SIGUSR1, &action, 0); sigaction(SIGCONT, &action, 0);
    int self = getpid(), child = fork();
    if (child == 0) {
        kill(self, SIGUSR1);
        kill(self, SIGSTOP);
        while (state(self) != 'T' && state(self) != 't') usleep(1000);
        kill(self, SIGCONT);
        _exit(7);
    }
    int status = 0;
    while (!continued || !children) for (volatile int i = 0; i < 1000000; i++);
    waitpid(child, &status, 0);
    for (int i = 0; i < 20; i++) raise(SIGUSR1);
    printf("%d %d %d %d\n", children, users, continued, WEXITSTATUS(status));
    fflush(stdout);
    if (argc > 1) raise(atoi(argv[1]));
    return 5;
}
"#;

#[test]
fn signals_stops_and_ends_are_as_without_paw() {
    let place = refusing(HABITS, "-O1");
    assert_eq!(place.run("./program").out, "1 21 1 7\n");
    for (args, ended) in [("", "exit code 5"), ("15", "signal 15"), ("11", "signal 11"), ("9", "signal 9")] {
        let ran = place.run(&format!("{PAW} profile --out run{args} -- ./program {args}"));
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(ran.out.contains("1 21 1 7\n"), "{}", ran.out);
        let found = &run(&place, &format!("run{args}")).profiles[0];
        assert_eq!((found.sampling.ended.as_str(), found.sampling.sampler), (ended, SamplerKind::Sigprof));
    }
}

#[test]
fn an_interrupt_ends_the_program_and_keeps_what_was_sampled() {
    let place = refusing(SPLIT, "-O1 -g");
    place.write("begun.sh", "echo begun >&2; exec ./program 100");
    let mut running = place.start(&format!("exec {PAW} profile --out run -- sh begun.sh"));
    running.wait_for("begun");
    running.send("INT");
    let (status, out) = running.end();
    assert_eq!(status.code(), Some(130), "{out}");
    let found = run(&place, "run");
    assert_eq!(found.profiles[0].sampling.ended, "signal 15");
    assert_eq!(found.end.map(|end| end.state), Some("interrupted".to_owned()));
}

#[test]
fn a_program_that_ends_at_once_or_never_begins_is_told_apart() {
    let place = refusing("int main(void) { return 0; }", "-O1");
    let (found, out) = sampled(&place, "");
    assert!(found.sampling.samples < 10 && found.sampling.ended == "exit code 0", "{out}");
    let ran = place.run(&format!("{PAW} profile --out none --quiet -- ./nowhere"));
    assert!(ran.code == 2 && ran.err.contains("./nowhere cannot be started: No such file"), "{}", ran.err);
}

/// Its own timer of processor time; says how often it rang.
const OWN_TIMER: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
static volatile int rang;
static void on(int signal) { rang++; }
int main(void) {
    signal(SIGPROF, on);
    struct itimerval timer = { { 0, 20000 }, { 0, 20000 } };
    setitimer(ITIMER_PROF, &timer, 0);
    while (clock() < CLOCKS_PER_SEC / 2) ;
    printf("rang %s\n", rang > 0 && rang < 40 ? "as set" : "otherwise");
    return 0;
}
"#;

#[test]
fn a_program_with_a_timer_of_its_own_hears_it() {
    let place = refusing(OWN_TIMER, "-O1");
    let (found, out) = sampled(&place, "");
    assert!(out.contains("rang as set"), "{out}");
    assert!(found.notes.iter().any(|note| note.contains("handles SIGPROF itself")), "{:?}", found.notes);
    assert!(found.missing().is_some(), "its timer replaced paw's: {:?}", found.sampling);
}

/// A thread that blocks all signals works, while the main thread waits for it.
const BLOCKING: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <time.h>
static void *work(void *unused) {
    sigset_t all; sigfillset(&all); pthread_sigmask(SIG_BLOCK, &all, 0);
    volatile double x = 1; while (clock() < CLOCKS_PER_SEC / 2) for (int i = 0; i < 10000; i++) x *= 1.0000001;
    return unused;
}
int main(void) { pthread_t id; pthread_create(&id, 0, work, 0); return pthread_join(id, 0); }
"#;

#[test]
fn samples_in_a_thread_that_waited_are_noticed_by_its_time() {
    let place = refusing(BLOCKING, "-O1");
    let (found, out) = sampled(&place, "");
    assert!(found.sampling.misplaced.is_some_and(|part| part > 0.9), "{:?}", found.sampling);
    assert!(out.contains("not known where: ") && out.contains("samples are misplaced"), "{out}");
}

#[test]
fn a_kernel_and_an_application_are_sampled_too() {
    let place = refusing(SPLIT, "-O1 -g");
    let ran = place.run("$PAW kernel new waves");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = place.run(&format!(
        "{PAW} kernel profile waves.toml --compilers gcc --flags '-O2 -g' --n 2000 --metas 5 --region 100ms --invocations 1 \
         --out kernel --quiet"
    ));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let found = &run(&place, "kernel").profiles[0];
    assert_eq!(found.sampling.sampler, SamplerKind::Sigprof);
    assert!(found.sampling.samples > 5 && percent(found, "waves") > 30.0, "{}", ran.out);
    let ran = place.run(&format!("{PAW} app --profile --reps 2 --warmup 0 --out app --quiet -- ./program 0.4"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let found = &run(&place, "app").profiles[0];
    assert_eq!((found.sampling.sampler, found.sampling.ended.as_str()), (SamplerKind::Sigprof, "exit code 0"));
    assert_eq!(found.title(found.function_times()[0].function), "large", "{}", ran.out);
}

#[test]
fn where_ptrace_is_refused_too_both_ways_out_are_named() {
    let place = refusing(SPLIT, "-O1");
    let ran = place.run(&format!("./no_ptrace {PAW} profile --out run --quiet -- ./program 0.1"));
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(!ran.out.contains('.'), "the program did not run: {}", ran.out);
    for part in ["nothing can be sampled: perf_event_open was refused", "ptrace was refused", "PERFMON", "SYS_PTRACE"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

#[test]
fn a_running_process_needs_perf_event() {
    let place = refusing("int main(void) { return 0; }", "-O1");
    let ran = place.run(&format!("sleep 5 & {PAW} profile --quiet --pid $!; code=$?; kill $!; exit $code"));
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("nothing can be sampled: perf_event_open was refused"), "{}", ran.err);
    assert!(ran.err.contains("`paw profile -- CMD`"), "{}", ran.err);
}
