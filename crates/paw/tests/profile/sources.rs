//! Programs of known habits, and their profiles.

use std::path::Path;

use paw_data::profile::Profile;
use paw_data::run::Run;
use workplace::{Ran, Workplace};

/// Three functions that use 70, 20 and 10 % of the processor time that is asked for; the second argument is the exit code, the third how
/// often they take turns.
pub const SPLIT: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
#define WORK(name) __attribute__((noinline)) double name(double seconds) { \
    volatile double x = 1; double end = now() + seconds; \
    while (now() < end) for (int i = 0; i < 100000; i++) x = x * 1.0000001; \
    return x; }
WORK(large)
WORK(middle)
WORK(small)
int main(int argc, char **argv) {
    double s = argc > 1 ? atof(argv[1]) : 1, sum = 0;
    int turns = argc > 3 ? atoi(argv[3]) : 1;
    for (int i = 0; i < turns; i++) sum += large(0.7 * s / turns) + middle(0.2 * s / turns) + small(0.1 * s / turns);
    printf("%f\n", sum);
    return argc > 2 ? atoi(argv[2]) : 0;
}
"#;

/// Most of its time is in the exponential of the C library's libm.
pub const EXPONENTIAL: &str = r#"
#include <math.h>
#include <stdio.h>
#include <time.h>
int main(void) {
    volatile double x = 0.3; double s = 0; clock_t end = clock() + CLOCKS_PER_SEC / 2;
    while (clock() < end) for (int i = 0; i < 200000; i++) s += exp(x + i * 1e-6);
    printf("%f\n", s); return 0;
}
"#;

/// Three busy threads, and a busy child.
pub const FAMILY: &str = r#"
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
__attribute__((noinline)) static void *spin(void *unused) {
    volatile double x = 1; while (now() < 0.2) for (int i = 0; i < 100000; i++) x = x * 1.0000001; return unused;
}
int main(void) {
    pthread_t ids[3];
    for (int i = 0; i < 3; i++) pthread_create(ids + i, 0, spin, 0);
    for (int i = 0; i < 3; i++) pthread_join(ids[i], 0);
    if (fork() == 0) { spin(0); _exit(0); }
    wait(0);
    return 0;
}
"#;

/// Writes a loop into memory, and its name into the file for it; the second half of its time is in one without a name.
pub const GENERATED: &str = r#"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
/* mov rcx, rdi; again: dec rcx; jnz again; ret */
static const unsigned char loop[] = { 0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3 };
int main(void) {
    char *memory = mmap(0, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(memory, loop, sizeof loop); memcpy(memory + 4096, loop, sizeof loop);
    char path[64]; snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *names = fopen(path, "w"); fprintf(names, "%lx %zx made while it ran\n", (unsigned long)memory, sizeof loop); fclose(names);
    for (int half = 0; half < 2; half++) {
        clock_t end = clock() + CLOCKS_PER_SEC / 5;
        while (clock() < end) ((void (*)(long))(memory + 4096 * half))(1000000);
    }
    return 0;
}
"#;

/// A directory of its own with `source` compiled to `program`.
pub fn built(source: &str, flags: &str) -> Workplace {
    let place = Workplace::new(env!("CARGO_BIN_EXE_paw"));
    place.write("program.c", source);
    let ran = place.run(&format!("gcc {flags} program.c -o program -lm -pthread"));
    assert_eq!(ran.code, 0, "gcc is needed here: {}", ran.err);
    place
}

/// What came of a command, where perf_event may be refused: then it was sampled by SIGPROF, which has tests of its own, or not at all, and
/// its sentence is checked.
pub fn allowed(ran: Ran) -> Option<Ran> {
    if ran.code == 4 {
        assert!(ran.err.contains("nothing can be sampled: ") && ran.err.contains("hint: "), "{}", ran.err);
        return None;
    }
    Some(ran).filter(|ran| !ran.out.contains("sampled by SIGPROF"))
}

/// The run in `directory`.
pub fn run(place: &Workplace, directory: &str) -> Run {
    paw_data::store::read(Path::new(&place.path(directory))).expect("the run is read back")
}

/// The only profile of the run in `directory`.
pub fn profile(place: &Workplace, directory: &str) -> Profile {
    let mut profiles = run(place, directory).profiles;
    assert_eq!(profiles.len(), 1);
    profiles.remove(0)
}

/// The share of the function `name`, in per cent.
pub fn percent(profile: &Profile, name: &str) -> f64 {
    let times = profile.function_times();
    let found = times.iter().find(|time| profile.title(time.function) == name);
    100.0 * found.map_or(0.0, |time| time.own.share)
}
