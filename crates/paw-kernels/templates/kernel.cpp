// Matrix times vector: y[i] is the sum over j of a[i][j] * x[j], the matrix row by row in one array.

#include <cstddef>

extern "C" void NAME(unsigned n, const float *a, const float *x, float *y)
{
    const std::size_t size = n;
#ifdef ROWS
    // Along the rows: each element stands beside the last one in memory.
    for (std::size_t i = 0; i < size; i++) {
        float sum = 0.0f;
        for (std::size_t j = 0; j < size; j++)
            sum += a[i * size + j] * x[j];
        y[i] = sum;
    }
#else
    // Down the columns: each element stands n floats behind the last one.
    for (std::size_t i = 0; i < size; i++)
        y[i] = 0.0f;
    for (std::size_t j = 0; j < size; j++)
        for (std::size_t i = 0; i < size; i++)
            y[i] += a[i * size + j] * x[j];
#endif
}
