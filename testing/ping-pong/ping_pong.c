/* A plain ping-pong, to be linked with mpicc: what paw's numbers are held against.
 *
 * usage: ping_pong [--raw] LOOPS [SAMPLES [MIN_BYTES MAX_BYTES]]
 *
 * Per size, doubling from 8 B to 64 KiB: a line `bytes p50_ns min_ns` of the time one way, half a round trip. A sample is LOOPS
 * round trips between two readings of the clock. With --raw every sample is a line `raw bytes ns`, in order.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Round trips before the first sample of a size: connections, registered memory, and caches are there. */
enum { WARM_UP = 200 };

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void round_trips(int rank, long loops, char *out, char *in, int bytes) {
    if (rank == 0) {
        for (long i = 0; i < loops; i++) {
            MPI_Send(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(in, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else if (rank == 1) {
        for (long i = 0; i < loops; i++) {
            MPI_Recv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
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

static long argument(int argc, char **argv, int nth, long otherwise) {
    return nth < argc ? strtol(argv[nth], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int raw = argc > 1 && strcmp(argv[1], "--raw") == 0;
    long loops = argument(argc, argv, 1 + raw, 0), samples = argument(argc, argv, 2 + raw, 200);
    long from = argument(argc, argv, 3 + raw, 8), to = argument(argc, argv, 4 + raw, 65536);
    if (size < 2 || loops < 1 || samples < 1 || from < 1 || to > 1 << 30) {
        if (rank == 0)
            fprintf(stderr, "usage, on two ranks: ping_pong [--raw] LOOPS [SAMPLES [MIN_BYTES MAX_BYTES]]\n");
        MPI_Finalize();
        return 2;
    }
    char *out = aligned((size_t)to), *in = aligned((size_t)to);
    double *ns = aligned((size_t)samples * sizeof *ns);
    for (long bytes = from; bytes <= to; bytes *= 2) {
        round_trips(rank, WARM_UP, out, in, (int)bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        for (long s = 0; s < samples; s++) {
            double start = now_ns();
            round_trips(rank, loops, out, in, (int)bytes);
            ns[s] = (now_ns() - start) / (2.0 * (double)loops);
        }
        if (rank != 0)
            continue;
        for (long s = 0; raw && s < samples; s++)
            printf("raw %ld %.3f\n", bytes, ns[s]);
        qsort(ns, (size_t)samples, sizeof *ns, ascending);
        double p50 = (ns[(samples - 1) / 2] + ns[samples / 2]) / 2.0;
        printf("%ld %.3f %.3f\n", bytes, p50, ns[0]);
    }
    free(ns);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
