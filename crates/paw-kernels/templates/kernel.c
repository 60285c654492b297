/* Matrix times vector: y[i] is the sum over j of a[i][j] * x[j]. */

void NAME(unsigned n, const float a[n][n], const float x[n], float y[n])
{
#ifdef ROWS
    /* Along the rows: each element stands beside the last one in memory. */
    for (unsigned i = 0; i < n; i++) {
        float sum = 0.0f;
        for (unsigned j = 0; j < n; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
#else
    /* Down the columns: each element stands n floats behind the last one. */
    for (unsigned i = 0; i < n; i++)
        y[i] = 0.0f;
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++)
            y[i] += a[i][j] * x[j];
#endif
}
