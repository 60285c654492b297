/* b[i] becomes the product of exp(a[i][j]) over a row: a loop over single-precision data with a call, a branch and a walk down the
 * columns. A variant changes one thing; those that change the answer are here to be caught. */
#include <math.h>

#if defined(HOIST)
/* The branch stands before the loop. */
void product(unsigned n, float a[n][n], double b[n]) {
    for (unsigned i = 0; i < n; i++)
        b[i] = 1.0;
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++)
            b[i] *= exp(a[i][j]);
}

#elif defined(BOTH)
/* The branch before the loop, and the walk along the rows. */
void product(unsigned n, float a[n][n], double b[n]) {
    for (unsigned i = 0; i < n; i++) {
        double row = 1.0;
        for (unsigned j = 0; j < n; j++)
            row *= exp(a[i][j]);
        b[i] = row;
    }
}

#elif defined(ROWS)
/* The walk goes along the rows: consecutive addresses. */
void product(unsigned n, float a[n][n], double b[n]) {
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            if (j == 0)
                b[i] = 1.0;
            b[i] *= exp(a[i][j]);
        }
}

#elif defined(RESTRICT)
/* The compiler is told that the arrays do not overlap. */
void product(unsigned n, float a[restrict n][n], double b[restrict n]) {
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++) {
            if (j == 0)
                b[i] = 1.0;
            b[i] *= exp(a[i][j]);
        }
}

#elif defined(UNROLL)
/* Two rows at a time, and the one that may be left. */
void product(unsigned n, float a[n][n], double b[n]) {
    for (unsigned j = 0; j < n; j++) {
        unsigned i = 0;
        for (; i + 1 < n; i += 2) {
            if (j == 0)
                b[i] = b[i + 1] = 1.0;
            b[i] *= exp(a[i][j]);
            b[i + 1] *= exp(a[i + 1][j]);
        }
        for (; i < n; i++) {
            if (j == 0)
                b[i] = 1.0;
            b[i] *= exp(a[i][j]);
        }
    }
}

#elif defined(EXPF)
/* The exponential in single precision, as the data are. */
void product(unsigned n, float a[n][n], double b[n]) {
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++) {
            if (j == 0)
                b[i] = 1.0;
            b[i] *= expf(a[i][j]);
        }
}

#elif defined(SUM)
/* One exponential a row: the product of exponentials is the exponential of the sum. */
void product(unsigned n, float a[n][n], double b[n]) {
    for (unsigned i = 0; i < n; i++) {
        double sum = 0.0;
        for (unsigned j = 0; j < n; j++)
            sum += a[i][j];
        b[i] = exp(sum);
    }
}

#elif defined(POWER)
/* WRONG: (1 + x/256)^256 is not exp(x); over a row the error adds up to several per cent. */
static double power(double x) {
    x = 1.0 + x / 256.0;
    for (int i = 0; i < 8; i++)
        x *= x;
    return x;
}

void product(unsigned n, float a[n][n], double b[n]) {
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++) {
            if (j == 0)
                b[i] = 1.0;
            b[i] *= power(a[i][j]);
        }
}

#elif defined(PAIRS)
/* WRONG: two columns at a time, where an even n loses its last column and an odd one has it twice. */
void product(unsigned n, float a[n][n], double b[n]) {
    for (unsigned i = 0; i < n; i++)
        b[i] = 1.0;
    unsigned j = 0;
    for (; j + 2 < n; j += 2)
        for (unsigned i = 0; i < n; i++)
            b[i] *= exp(a[i][j]) * exp(a[i][j + 1]);
    if (n % 2 == 0) {
        for (unsigned i = 0; i < n; i++)
            b[i] *= exp(a[i][j]);
    } else {
        for (unsigned i = 0; i < n; i++)
            b[i] *= exp(a[i][j]) * exp(a[i][j]);
    }
}

#elif defined(WALK)
/* The same memory traffic without the arithmetic: it shows in which cache the data lie. */
void product(unsigned n, float a[n][n], double b[n]) {
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++)
            b[i] += a[i][j];
}

#else
/* Down the columns, with a branch that is true in the first of them. */
void product(unsigned n, float a[n][n], double b[n]) {
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++) {
            if (j == 0)
                b[i] = 1.0;
            b[i] *= exp(a[i][j]);
        }
}
#endif
