/* Plain loops over MPI calls, to be linked with mpicc: what paw's numbers on two hosts are held against.
 *
 * usage: arbiter LOOPS SAMPLES
 *
 * A line `name fastest median` for each benchmark that paw has under that name, in seconds an operation; of p2p_send in bytes a second. A
 * sample is LOOPS operations between two readings of the clock, after a barrier; the slower rank counts.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BIG = 131072 };

static int rank;
static double small_out[8], small_in[8], *big_out, *big_in, exposed[2];
static MPI_Win fenced, posted;
static MPI_Group peer;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void ping_pong(void *out, void *in, int count, MPI_Datatype type) {
    if (rank == 0) {
        MPI_Send(out, count, type, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(in, count, type, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in, count, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, count, type, 0, 1, MPI_COMM_WORLD);
    }
}

static void latency(void) { ping_pong(small_out, small_in, 1, MPI_BYTE); }
static void p2p_send(void) { ping_pong(big_out, big_in, BIG, MPI_DOUBLE); }
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void allreduce(void) { MPI_Allreduce(small_out, small_in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void alltoall(void) { MPI_Alltoall(small_out, 1, MPI_DOUBLE, small_in, 1, MPI_DOUBLE, MPI_COMM_WORLD); }

static void p2p_put_fence(void) {
    if (rank == 0)
        MPI_Put(small_out, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, fenced);
    MPI_Win_fence(0, fenced);
}

static void p2p_get(void) {
    if (rank == 0) {
        MPI_Win_start(peer, 0, posted);
        MPI_Get(small_in, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, posted);
        MPI_Win_complete(posted);
    } else {
        MPI_Win_post(peer, 0, posted);
        MPI_Win_wait(posted);
    }
}

/* A message one way is half a round trip. */
static const struct { const char *name; void (*call)(void); double per_call, bytes; } BENCHMARKS[] = {
    {"latency", latency, 2, 0},     {"p2p_send", p2p_send, 2, 8.0 * BIG}, {"barrier", barrier, 1, 0}, {"allreduce", allreduce, 1, 0},
    {"alltoall", alltoall, 1, 0},   {"p2p_put_fence", p2p_put_fence, 1, 0}, {"p2p_get", p2p_get, 1, 0},
};

static int by_time(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long loops = atol(argv[1]), samples = atol(argv[2]);
    double *times = malloc((size_t)samples * sizeof *times);
    big_out = calloc(BIG, sizeof *big_out);
    big_in = calloc(BIG, sizeof *big_in);
    int other = 1 - rank;
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &peer);
    MPI_Win_create(exposed, sizeof *exposed, sizeof *exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &fenced);
    MPI_Win_create(exposed + 1, sizeof *exposed, sizeof *exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &posted);
    MPI_Win_fence(0, fenced);
    for (size_t b = 0; b < sizeof BENCHMARKS / sizeof *BENCHMARKS; b++) {
        for (long s = -1; s < samples; s++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double began = now_s();
            for (long i = 0; i < loops; i++)
                BENCHMARKS[b].call();
            double mine = (now_s() - began) / (double)loops / BENCHMARKS[b].per_call, slower;
            MPI_Allreduce(&mine, &slower, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (s >= 0)
                times[s] = slower;
        }
        qsort(times, (size_t)samples, sizeof *times, by_time);
        double fastest = times[0], median = times[samples / 2];
        if (rank == 0 && BENCHMARKS[b].bytes > 0)
            printf("%s %g %g\n", BENCHMARKS[b].name, BENCHMARKS[b].bytes / fastest, BENCHMARKS[b].bytes / median);
        else if (rank == 0)
            printf("%s %g %g\n", BENCHMARKS[b].name, fastest, median);
    }
    MPI_Win_free(&fenced);
    MPI_Win_free(&posted);
    MPI_Finalize();
    return 0;
}
