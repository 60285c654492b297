/* Each inner point becomes the mean of its four neighbours: one step of Jacobi's method; the rim is copied. */
void stencil(unsigned n, const double in[n][n], double out[n][n]) {
    for (unsigned k = 0; k < n; k++) {
        out[0][k] = in[0][k];
        out[n - 1][k] = in[n - 1][k];
        out[k][0] = in[k][0];
        out[k][n - 1] = in[k][n - 1];
    }
#ifdef COLUMNS
    for (unsigned j = 1; j + 1 < n; j++)
        for (unsigned i = 1; i + 1 < n; i++)
#else
    for (unsigned i = 1; i + 1 < n; i++)
        for (unsigned j = 1; j + 1 < n; j++)
#endif
            out[i][j] = 0.25 * (in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
}
