/* The scalar product of two vectors; in order, as IEEE 754 has it, or in eight sums that a compiler may do at once. */
#ifdef SUMS
double dot(unsigned long n, const double *x, const double *y) {
    double sums[8] = {0.0};
    unsigned long i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            sums[k] += x[i + k] * y[i + k];
    double sum = 0.0;
    for (; i < n; i++)
        sum += x[i] * y[i];
    for (int k = 0; k < 8; k++)
        sum += sums[k];
    return sum;
}
#else
double dot(unsigned long n, const double *x, const double *y) {
    double sum = 0.0;
    for (unsigned long i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
#endif
