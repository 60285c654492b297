/* A plain pointer chase: what paw's memory_latency is held against.
 *
 * usage: chase small|huge SAMPLES BYTES…
 *
 * Per size a line `bytes median_ns min_ns huge_share` of the time of one dependent load. The cycle goes once through every line of 64
 * bytes, in the order of a shuffled list (Fisher and Yates; paw's cycle is Sattolo's), with a generator and a clock of its own
 * (xorshift*, CLOCK_MONOTONIC_RAW). A sample lasts 10 ms or so.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE_BYTES = 64, SAMPLES_MAX = 1000 };

static const size_t HUGE_BYTES = 2u << 20;
static const double SAMPLE_S = 10e-3;

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717u;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Bytes of huge pages in the mapping that holds `address`. */
static double huge_bytes(const void *address) {
    FILE *smaps = fopen("/proc/self/smaps", "r");
    char line[512];
    int is_inside = 0;
    double found = 0.0;
    while (smaps && fgets(line, sizeof line, smaps)) {
        unsigned long from, to, kib;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) is_inside = from <= (uintptr_t)address && (uintptr_t)address < to;
        if (is_inside && sscanf(line, "AnonHugePages: %lu", &kib) == 1) found = kib * 1024.0;
    }
    if (smaps) fclose(smaps);
    return found;
}

/* Follows the cycle for `steps` loads. */
static void **walk(void **at, uint64_t steps) {
    for (uint64_t i = 0; i < steps / 8; i++) {
        at = *at; at = *at; at = *at; at = *at;
        at = *at; at = *at; at = *at; at = *at;
        __asm__ volatile("" : "+r"(at));
    }
    return at;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(size_t bytes, int advice, int samples) {
    size_t nodes = bytes / LINE_BYTES, rounded = (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES, all = rounded + HUGE_BYTES;
    char *map = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t *order = malloc(nodes * sizeof *order);
    if (map == MAP_FAILED || !order || nodes < 2) { fprintf(stderr, "no room for %zu bytes\n", bytes); exit(1); }
    char *start = (char *)(((uintptr_t)map + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES);
    madvise(start, rounded, advice);
    memset(start, 1, bytes);
    for (size_t i = 0; i < nodes; i++) order[i] = i;
    for (size_t i = nodes - 1; i > 0; i--) {
        size_t j = next_random() % (i + 1);
        uint32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (size_t i = 0; i < nodes; i++)
        *(void **)(start + (size_t)order[i] * LINE_BYTES) = start + (size_t)order[(i + 1) % nodes] * LINE_BYTES;
    free(order);

    void **at = walk((void **)start, nodes);
    uint64_t steps = 8;
    for (double s = 0; s < SAMPLE_S; steps *= 2) { s = now_s(); at = walk(at, steps); s = now_s() - s; }
    double taken[SAMPLES_MAX];
    for (int i = 0; i < samples; i++) {
        double s = now_s();
        at = walk(at, steps);
        taken[i] = (now_s() - s) / steps * 1e9;
    }
    qsort(taken, samples, sizeof *taken, ascending);
    printf("%zu %.4f %.4f %.2f\n", bytes, taken[samples / 2], taken[0], huge_bytes(start) / rounded);
    munmap(map, all);
}

int main(int argc, char **argv) {
    int is_huge = argc > 1 && !strcmp(argv[1], "huge"), samples = argc > 2 ? atoi(argv[2]) : 0;
    if (argc < 4 || (!is_huge && strcmp(argv[1], "small")) || samples < 1 || samples > SAMPLES_MAX) {
        fprintf(stderr, "usage: chase small|huge SAMPLES BYTES...\n");
        return 2;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 3; i < argc; i++) measure(strtoull(argv[i], NULL, 10), is_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE, samples);
    return 0;
}
