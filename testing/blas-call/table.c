/* table ROUNDS LIBRARY…: products by several BLAS libraries in turns, and the first library's speed against the fastest other one.
   A LIBRARY is NAME=FILE, or NAME=FILE:PREFIX where its names carry a prefix.
   Rows come from standard input: `dgemm NT M N K` or `sgemv T M N`, row-major, alpha = beta = 1, transposed or not as the letters say.
   Every round starts a process for each library, stopped while others have their turn; in it every row is timed after a call that warms up:
   the fastest of seven samples of at least 2 ms, because other processes only add time. The result of every row is checked in the first round.
   Printed are the medians over the rounds in GFLOP/s, and of the ratios within each round the median, the smallest and the largest. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LIBRARIES = 8, MOST_ROWS = 200, MOST_ROUNDS = 100, MOST_THREADS = 1024, SAMPLES = 7 };
#define SAMPLE_S 0.002
#define MOST_S 0.2 /* spent on one row in a turn, unless one call takes longer */

struct row { char text[64], routine[8], trans[4]; int m, n, k, single, vector; };
struct library { char name[32], file[400], prefix[32]; };
struct operands { void *a, *b, *c; int lda, ldb, ldc; };

static struct row rows[MOST_ROWS];
static struct library libraries[MOST_LIBRARIES];
static double seconds[MOST_ROWS][MOST_LIBRARIES][MOST_ROUNDS];

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec + 1e-9 * at.tv_nsec;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why ? why : "failed");
    exit(1);
}

typedef void dgemm_t(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void sgemm_t(int, int, int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void dgemv_t(int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void sgemv_t(int, int, int, int, float, const void *, int, const void *, int, float, void *, int);

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 }; /* cblas.h */

static void *product(const struct library *library, const struct row *row)
{
    void *opened = dlopen(library->file, RTLD_NOW);
    if (!opened)
        fail(library->file, dlerror());
    char name[64];
    snprintf(name, sizeof name, "%scblas_%s", library->prefix, row->routine);
    void *found = dlsym(opened, name);
    if (!found)
        fail(library->file, dlerror());
    return found;
}

/* Seconds of `loops` calls. */
static double timed(void *call, const struct row *row, struct operands o, long loops)
{
    int ta = row->trans[0] == 'T' ? TRANS : NO_TRANS, tb = row->trans[1] == 'T' ? TRANS : NO_TRANS;
    double began = now();
    if (row->vector && row->single)
        for (long i = 0; i < loops; i++)
            ((sgemv_t *)call)(ROW_MAJOR, ta, row->m, row->n, 1, o.a, o.lda, o.b, 1, 1, o.c, 1);
    else if (row->vector)
        for (long i = 0; i < loops; i++)
            ((dgemv_t *)call)(ROW_MAJOR, ta, row->m, row->n, 1, o.a, o.lda, o.b, 1, 1, o.c, 1);
    else if (row->single)
        for (long i = 0; i < loops; i++)
            ((sgemm_t *)call)(ROW_MAJOR, ta, tb, row->m, row->n, row->k, 1, o.a, o.lda, o.b, o.ldb, 1, o.c, o.ldc);
    else
        for (long i = 0; i < loops; i++)
            ((dgemm_t *)call)(ROW_MAJOR, ta, tb, row->m, row->n, row->k, 1, o.a, o.lda, o.b, o.ldb, 1, o.c, o.ldc);
    return now() - began;
}

static double element(const void *from, const struct row *row, size_t at)
{
    return row->single ? ((const float *)from)[at] : ((const double *)from)[at];
}

static void *numbers(const struct row *row, size_t count)
{
    void *values;
    if (posix_memalign(&values, 4096, (row->single ? 4 : 8) * count + 64))
        fail(row->text, "no memory");
    uint64_t state = count; /* Knuth's linear congruential generator (MMIX) */
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value = (state >> 40) * 0x1p-24 - 0.5;
        if (row->single)
            ((float *)values)[i] = value;
        else
            ((double *)values)[i] = value;
    }
    return values;
}

static struct operands operands(const struct row *row)
{
    struct operands o = { 0 };
    int m = row->m, n = row->n, k = row->k;
    if (row->vector) {
        o.lda = n;
        o.a = numbers(row, (size_t)m * n);
        o.b = numbers(row, m > n ? m : n);
        o.c = numbers(row, m > n ? m : n);
    } else {
        o.lda = row->trans[0] == 'T' ? m : k;
        o.ldb = row->trans[1] == 'T' ? k : n;
        o.ldc = n;
        o.a = numbers(row, (size_t)m * k);
        o.b = numbers(row, (size_t)k * n);
        o.c = numbers(row, (size_t)m * n);
    }
    return o;
}

/* One call on fresh results; 64 of their elements must lie within (k + 3) roundoffs of the sum in extended precision. */
static void check(void *call, const struct library *library, const struct row *row, struct operands o)
{
    int ta = row->trans[0] == 'T', tb = row->trans[1] == 'T';
    int high = row->vector && ta ? row->n : row->m, wide = row->vector ? 1 : row->n;
    int depth = !row->vector ? row->k : ta ? row->m : row->n;
    size_t size = row->single ? 4 : 8, count = (size_t)high * wide;
    void *old = malloc(size * count);
    memcpy(old, o.c, size * count);
    timed(call, row, o, 1);
    for (int sample = 0; sample < 64; sample++) {
        int i = sample < 4 ? (sample & 1) * (high - 1) : lrand48() % high, j = sample < 4 ? (sample >> 1) * (wide - 1) : lrand48() % wide;
        long double sum = element(old, row, (size_t)i * wide + j), magnitude = fabsl(sum);
        for (int p = 0; p < depth; p++) {
            size_t b = row->vector ? (size_t)p : tb ? (size_t)j * o.ldb + p : (size_t)p * o.ldb + j;
            long double part = (long double)element(o.a, row, ta ? (size_t)p * o.lda + i : (size_t)i * o.lda + p) * element(o.b, row, b);
            sum += part;
            magnitude += fabsl(part);
        }
        double bound = (depth + 3) * (row->single ? 0x1p-24 : 0x1p-53) * magnitude;
        if (!(fabsl(element(o.c, row, (size_t)i * wide + j) - sum) <= bound))
            fail(library->name, row->text);
    }
    free(old);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int count)
{
    double sorted[MOST_ROUNDS];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, ascending);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* Puts each of several threads on a processor of its own, where the library keeps as many as were asked for. Threads that wait by spinning
   may otherwise share one for long. */
static void place_threads(void)
{
    const char *asked = getenv("OMP_NUM_THREADS");
    int threads = asked ? atoi(asked) : 1, count = 0;
    pid_t ids[MOST_THREADS];
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));)
        if (task->d_name[0] != '.' && count < MOST_THREADS)
            ids[count++] = atoi(task->d_name);
    if (tasks)
        closedir(tasks);
    for (int thread = 0; count == threads && threads > 1 && thread < threads; thread++) {
        cpu_set_t own;
        CPU_ZERO(&own);
        CPU_SET(thread, &own);
        sched_setaffinity(ids[thread], sizeof own, &own);
    }
}

/* Seconds of one call. */
static double measure(const struct library *library, const struct row *row, int round)
{
    void *call = product(library, row);
    struct operands o = operands(row);
    if (round == 0)
        check(call, library, row, o);
    long loops = 1;
    double took = timed(call, row, o, 1);
    place_threads();
    while ((took = timed(call, row, o, loops)) < SAMPLE_S / 2)
        loops *= took < SAMPLE_S / 64 ? 16 : 2;
    double best = took / loops;
    loops = SAMPLE_S / best + 1;
    for (int sample = 1; sample < SAMPLES && sample * loops * best < MOST_S; sample++)
        best = fmin(best, timed(call, row, o, loops) / loops);
    free(o.a), free(o.b), free(o.c);
    return best;
}

/* A child answers each row's number with the seconds of a call. */
static void serve(const struct library *library, int round, int from, int to)
{
    int index;
    srand48(1);
    while (read(from, &index, sizeof index) == sizeof index) {
        double took = measure(library, &rows[index], round);
        if (write(to, &took, sizeof took) != sizeof took)
            break;
    }
    _exit(0);
}

struct child { pid_t id; int to, from; };

static struct child start(const struct library *library, int round)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        fail("pipe", NULL);
    pid_t id = fork();
    if (id == 0) {
        close(to[1]);
        serve(library, round, to[0], from[1]);
    }
    close(to[0]), close(from[1]);
    return (struct child){ id, to[1], from[0] };
}

/* Times every row by every library, in turns whose order is drawn. */
static void play(int round, int row_count, int library_count)
{
    struct child children[MOST_LIBRARIES];
    int order[MOST_LIBRARIES];
    for (int l = 0; l < library_count; l++)
        order[l] = l, children[l] = start(&libraries[l], round);
    for (int r = 0; r < row_count; r++) {
        for (int l = library_count - 1; l > 0; l--) {
            int other = lrand48() % (l + 1), kept = order[l];
            order[l] = order[other], order[other] = kept;
        }
        for (int turn = 0; turn < library_count; turn++) {
            struct child child = children[order[turn]];
            kill(child.id, SIGCONT);
            if (write(child.to, &r, sizeof r) != sizeof r || read(child.from, &seconds[r][order[turn]][round], 8) != 8)
                fail(libraries[order[turn]].name, rows[r].text);
            kill(child.id, SIGSTOP);
        }
    }
    for (int l = 0; l < library_count; l++) {
        close(children[l].to), close(children[l].from);
        kill(children[l].id, SIGKILL);
        waitpid(children[l].id, NULL, 0);
    }
}

static int read_rows(void)
{
    char line[200];
    int count = 0;
    while (count < MOST_ROWS && fgets(line, sizeof line, stdin)) {
        struct row *row = &rows[count];
        row->k = 1;
        line[strcspn(line, "\n")] = 0;
        snprintf(row->text, sizeof row->text, "%.63s", line);
        int read = sscanf(line, "%7s %3s %d %d %d", row->routine, row->trans, &row->m, &row->n, &row->k);
        row->single = row->routine[0] == 's';
        row->vector = !strcmp(row->routine + 1, "gemv");
        if (read != (row->vector ? 4 : 5) || (!row->vector && strcmp(row->routine + 1, "gemm")) || row->m < 1 || row->n < 1 || row->k < 1)
            fail(line, "no row such as `dgemm NT M N K` or `sgemv T M N`");
        count++;
    }
    return count;
}

static struct library library(const char *word)
{
    struct library it = { 0 };
    if (sscanf(word, "%31[^=]=%399[^:]:%31s", it.name, it.file, it.prefix) < 2)
        fail(word, "no library such as NAME=FILE or NAME=FILE:PREFIX");
    return it;
}

static void print(int r, int library_count, int rounds)
{
    const struct row *row = &rows[r];
    int best = 1;
    double flops = 2.0 * row->m * row->n * row->k, ratios[MOST_ROUNDS];
    printf("%-28s", row->text);
    for (int l = 0; l < library_count; l++) {
        printf(" %9.3g", 1e-9 * flops / median(seconds[r][l], rounds));
        if (l > 0 && median(seconds[r][l], rounds) < median(seconds[r][best], rounds))
            best = l;
    }
    for (int round = 0; round < rounds; round++)
        ratios[round] = seconds[r][best][round] / seconds[r][0][round];
    qsort(ratios, rounds, sizeof *ratios, ascending);
    printf(" %9.3f %9.3f %9.3f\n", median(ratios, rounds), ratios[0], ratios[rounds - 1]);
}

int main(int count, char **words)
{
    int rounds = count > 1 ? atoi(words[1]) : 0, library_count = count - 2;
    if (library_count < 2 || library_count > MOST_LIBRARIES || rounds < 1 || rounds > MOST_ROUNDS)
        fail("usage", "table ROUNDS LIBRARY LIBRARY… <ROWS");
    for (int l = 0; l < library_count; l++)
        libraries[l] = library(words[2 + l]);
    int row_count = read_rows();
    signal(SIGPIPE, SIG_IGN);
    for (int round = 0; round < rounds; round++)
        play(round, row_count, library_count);
    for (int r = 0; r < row_count; r++)
        print(r, library_count, rounds);
    return 0;
}
