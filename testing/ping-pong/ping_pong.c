/* A plain ping-pong, to be linked with mpicc: what paw's numbers are held against.
 *
 * usage: ping_pong [--in-step] LOOPS [SAMPLES]
 *
 * Per size, doubling from 8 B to 64 KiB: a line `bytes p50_ns min_ns` of the time one way, half a round trip. A sample is LOOPS
 * round trips between two readings of the clock. Samples follow each other without a pause, and all sizes use the same two
 * buffers. With --in-step each size has its own, and between samples the ranks do what paw's do: they agree, and start together.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Round trips before the first sample of a size: connections, registered memory, and caches are there. */
enum { WARM_UP = 200 };

enum { MIN_BYTES = 8, MAX_BYTES = 65536, PAGE_BYTES = 4096 };

/* Between the agreement and a start in step: as long as paw's ranks wait. */
static const double PAUSE_NS = 30e3;

/* Numbers of a sample that paw's ranks combine. */
enum { READINGS = 12 };

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* What paw's ranks tell each other between two samples, and a start of both at about one moment. */
static void start_in_step(void) {
    double mine[READINGS] = {0}, all[READINGS];
    MPI_Bcast(mine, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(mine, all, READINGS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce(mine, all, READINGS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(all, READINGS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(mine, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    double until = now_ns() + PAUSE_NS;
    while (now_ns() < until)
        ;
}

/* Elements are of 8 bytes, as PAW's and paw's. */
static void round_trips(int rank, long loops, char *out, char *in, int bytes) {
    int n = bytes / (int)sizeof(double);
    if (rank == 0) {
        for (long i = 0; i < loops; i++) {
            MPI_Send(out, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(in, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else if (rank == 1) {
        for (long i = 0; i < loops; i++) {
            MPI_Recv(in, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        }
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void *aligned(size_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, bytes) != 0) {
        fprintf(stderr, "ping_pong: no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(memory, 1, bytes);
    return memory;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int in_step = argc > 1 && strcmp(argv[1], "--in-step") == 0;
    long loops = argc > 1 + in_step ? strtol(argv[1 + in_step], NULL, 10) : 0;
    long samples = argc > 2 + in_step ? strtol(argv[2 + in_step], NULL, 10) : 200;
    if (size != 2 || loops < 1 || samples < 1) {
        if (rank == 0)
            fprintf(stderr, "usage, on two ranks: ping_pong [--in-step] LOOPS [SAMPLES]\n");
        MPI_Finalize();
        return 2;
    }
    char *out = aligned(MAX_BYTES), *in = aligned(MAX_BYTES);
    double *ns = aligned((size_t)samples * sizeof *ns);
    for (int bytes = MIN_BYTES; bytes <= MAX_BYTES; bytes *= 2) {
        if (in_step) {
            /* Never freed: the allocator would hand out the same pages again. */
            size_t apart = ((size_t)bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
            out = aligned(apart + (size_t)bytes);
            in = out + apart;
        }
        round_trips(rank, WARM_UP, out, in, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        for (long s = 0; s < samples; s++) {
            if (in_step)
                start_in_step();
            double start = now_ns();
            round_trips(rank, loops, out, in, bytes);
            ns[s] = (now_ns() - start) / (2.0 * (double)loops);
        }
        if (rank != 0)
            continue;
        qsort(ns, (size_t)samples, sizeof *ns, ascending);
        double p50 = (ns[(samples - 1) / 2] + ns[samples / 2]) / 2.0;
        printf("%d %.3f %.3f\n", bytes, p50, ns[0]);
    }
    MPI_Finalize();
    return 0;
}
