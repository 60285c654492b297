/* dgemm LIBRARY SYMBOL N LOOPS SAMPLES: seconds of one call of C = AB + C with N x N matrices, one line a sample.
   The library is opened as paw opens it, on one thread; three samples warm up. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void dgemm_t(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec + 1e-9 * at.tv_nsec;
}

static double *matrix(int n)
{
    double *values;
    if (posix_memalign((void **)&values, 4096, sizeof(double) * n * n))
        exit(1);
    for (int i = 0; i < n * n; i++)
        values[i] = drand48() - 0.5;
    return values;
}

int main(int count, char **words)
{
    if (count != 6) {
        fprintf(stderr, "usage: dgemm LIBRARY SYMBOL N LOOPS SAMPLES\n");
        return 2;
    }
    void *library = dlopen(words[1], RTLD_NOW);
    dgemm_t *dgemm = library ? (dgemm_t *)dlsym(library, words[2]) : NULL;
    if (!dgemm) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int n = atoi(words[3]);
    long loops = atol(words[4]), samples = atol(words[5]);
    double *a = matrix(n), *b = matrix(n), *c = matrix(n);
    for (long sample = -3; sample < samples; sample++) {
        double began = now();
        for (long i = 0; i < loops; i++)
            dgemm(101, 111, 111, n, n, n, 1.0, a, n, b, n, 1.0, c, n); /* row-major, neither transposed */
        double elapsed = now() - began;
        if (sample >= 0)
            printf("%.9e\n", elapsed / loops);
    }
    return 0;
}
