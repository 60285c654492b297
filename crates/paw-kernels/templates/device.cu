/* Matrix times vector: y[row] is the sum over column of a[row][column] * x[column]. One thread a row. */

extern "C" __global__ void NAME(int rows, int columns, const float *a, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) /* The last block may have more threads than rows are left. */
        return;
    float sum = 0.0f;
    for (int column = 0; column < columns; column++)
        sum += a[(size_t)row * columns + column] * x[column];
    y[row] = sum;
}

/* The same from the last column to the first: what the answers of the kernel above are held against. */
extern "C" __global__ void NAME_backwards(int rows, int columns, const float *a, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int column = columns - 1; column >= 0; column--)
        sum += a[(size_t)row * columns + column] * x[column];
    y[row] = sum;
}
