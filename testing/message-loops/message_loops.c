/* Loops over messages, to be linked with mpicc: what paw's numbers are held against.
 *
 * usage, on two ranks: message_loops mean | steps
 *
 * A line `name bytes ns` for each operation and size. Elements are of 8 bytes.
 *
 *   mean    As the OSU benchmarks take time, by their documentation: of messages one block of 10000 (1000 from 8 KiB) after a warm-up,
 *           its mean; of collectives 1000 (100) calls, each timed alone behind a barrier, the mean over calls and ranks.
 *   steps   The same calls, timed as paw does: blocks that the ranks start at one moment, the slower rank of each, the median of blocks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_BYTES = 1 << 20, LARGE_BYTES = 8192, SAMPLES = 60 };

/* How long a block of steps takes about: as long as paw's shortest sample. */
static const double BLOCK_NS = 1e6;

/* Between agreement and start. */
static const double PAUSE_NS = 30e3;

static int rank;
static double *out, *in;
static MPI_Win window;
static MPI_Group partner;

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* One operation on n elements. */
typedef void operation(int n);

static void round_trip(int n) {
    if (rank == 0) {
        MPI_Send(out, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(in, n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
}

static void put(int n) {
    if (rank == 0) {
        MPI_Win_start(partner, 0, window);
        MPI_Put(out, n, MPI_DOUBLE, 1, 0, n, MPI_DOUBLE, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(partner, 0, window);
        MPI_Win_wait(window);
    }
}

static void allreduce(int n) { MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void bcast(int n) { MPI_Bcast(out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void alltoall(int n) { MPI_Alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD); }
static void barrier(int n) { (void)n; MPI_Barrier(MPI_COMM_WORLD); }

static const struct {
    const char *name;
    operation *run;
    int is_collective;
    /* Operations in one call: a round trip is two messages. */
    double parts;
    int sizes[4];
} OPERATIONS[] = {
    {"p2p_send", round_trip, 0, 2, {8, 1024, 65536, 0}},
    {"p2p_put", put, 0, 1, {8, 1024, 65536, 0}},
    {"allreduce", allreduce, 1, 1, {8, 1024, 65536, 0}},
    {"bcast", bcast, 1, 1, {8, 1024, 65536, 0}},
    {"alltoall", alltoall, 1, 1, {8, 1024, 65536, 0}},
    {"barrier", barrier, 1, 1, {8, 0, 0, 0}},
};

static double block(operation *run, int n, long loops) {
    double start = now_ns();
    for (long i = 0; i < loops; i++)
        run(n);
    return now_ns() - start;
}

static double mean(int which, int bytes) {
    operation *run = OPERATIONS[which].run;
    int n = bytes / 8, is_large = bytes >= LARGE_BYTES;
    if (!OPERATIONS[which].is_collective) {
        long loops = is_large ? 1000 : 10000;
        block(run, n, loops / 100);
        MPI_Barrier(MPI_COMM_WORLD);
        return block(run, n, loops) / (double)loops;
    }
    long loops = is_large ? 100 : 1000;
    double spent = 0, all = 0;
    for (long i = -loops / 10; i < loops; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double taken = block(run, n, 1);
        spent += i < 0 ? 0 : taken;
    }
    MPI_Allreduce(&spent, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all / 2 / (double)loops;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A block that both ranks start at about one moment: the time of the slower. */
static double step(operation *run, int n, long loops) {
    double start = now_ns() + PAUSE_NS, slowest;
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    while (now_ns() < start)
        ;
    double taken = block(run, n, loops);
    MPI_Allreduce(&taken, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest / (double)loops;
}

static double steps(int which, int bytes) {
    operation *run = OPERATIONS[which].run;
    int n = bytes / 8;
    double samples[SAMPLES];
    block(run, n, 200);
    double one = step(run, n, 50);
    long loops = OPERATIONS[which].is_collective ? 1 : (long)(BLOCK_NS / one) + 1;
    for (int s = 0; s < SAMPLES; s++)
        samples[s] = step(run, n, loops);
    qsort(samples, SAMPLES, sizeof *samples, ascending);
    return (samples[SAMPLES / 2 - 1] + samples[SAMPLES / 2]) / 2;
}

static void *aligned(size_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, bytes) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(memory, 0, bytes);
    return memory;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int is_mean = argc == 2 && strcmp(argv[1], "mean") == 0;
    if (size != 2 || argc != 2 || (!is_mean && strcmp(argv[1], "steps") != 0)) {
        if (rank == 0)
            fprintf(stderr, "usage, on two ranks: message_loops mean | steps\n");
        MPI_Finalize();
        return 2;
    }
    out = aligned(2 * MAX_BYTES);
    in = aligned(2 * MAX_BYTES);
    MPI_Win_create(in, MAX_BYTES, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int other = 1 - rank;
    MPI_Group_incl(world, 1, &other, &partner);
    for (size_t which = 0; which < sizeof OPERATIONS / sizeof *OPERATIONS; which++)
        for (const int *bytes = OPERATIONS[which].sizes; *bytes; bytes++) {
            double ns = (is_mean ? mean((int)which, *bytes) : steps((int)which, *bytes)) / OPERATIONS[which].parts;
            if (rank == 0)
                printf("%s %d %.2f\n", OPERATIONS[which].name, *bytes, ns);
        }
    MPI_Group_free(&partner);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
