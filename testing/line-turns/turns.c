/* Two threads that take turns at one word: what paw's core_to_core is held against.
 *
 * usage: turns FIRST SECOND SAMPLES
 *
 * A line `cas median_ns min_ns` and a line `flag median_ns min_ns` of the time of a round trip, one turn of each thread, between the
 * processors FIRST and SECOND. A turn is taken by compare-and-swap until it succeeds, or by loads until the other's store is seen and
 * a store. A sample is ROUNDS round trips, timed by FIRST's thread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 20000, SAMPLES_MAX = 1000, WARM_UP = 3 };

static _Alignas(4096) _Atomic uint64_t word;
static int cpus[2], samples;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void by_swap(uint64_t number) {
    uint64_t expected = number;
    while (!atomic_compare_exchange_strong_explicit(&word, &expected, number + 1, memory_order_acq_rel, memory_order_relaxed))
        expected = number;
}

static void by_flag(uint64_t number) {
    while (atomic_load_explicit(&word, memory_order_acquire) != number) {}
    atomic_store_explicit(&word, number + 1, memory_order_release);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The turns of thread `side`, sample after sample, without a pause in between. */
static void *play(void *argument) {
    int side = (int)(intptr_t)argument;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cpus[side], &own);
    sched_setaffinity(0, sizeof own, &own);
    uint64_t number = side;
    for (int kind = 0; kind < 2; kind++) {
        double taken[SAMPLES_MAX];
        for (int sample = -WARM_UP; sample < samples; sample++) {
            double start = now_s();
            for (int round = 0; round < ROUNDS; round++, number += 2)
                if (kind == 0) by_swap(number); else by_flag(number);
            if (sample >= 0) taken[sample] = (now_s() - start) / ROUNDS * 1e9;
        }
        if (side == 0) {
            qsort(taken, samples, sizeof *taken, ascending);
            printf("%s %.3f %.3f\n", kind == 0 ? "cas" : "flag", taken[samples / 2], taken[0]);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4 || (samples = atoi(argv[3])) < 1 || samples > SAMPLES_MAX) {
        fprintf(stderr, "usage: turns FIRST SECOND SAMPLES\n");
        return 2;
    }
    cpus[0] = atoi(argv[1]);
    cpus[1] = atoi(argv[2]);
    pthread_t other;
    if (pthread_create(&other, NULL, play, (void *)1)) return 1;
    play((void *)0);
    return pthread_join(other, NULL);
}
