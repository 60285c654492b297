/* a = b + s c, once over the arrays; with COPY only what it moves, with OMP on threads. */
void triad(unsigned long n, double *restrict a, const double *restrict b, const double *restrict c, double s) {
#ifdef OMP
#pragma omp parallel for
#endif
    for (unsigned long i = 0; i < n; i++)
#ifdef COPY
        a[i] = b[i] + c[i];
#else
        a[i] = b[i] + s * c[i];
#endif
}
