/* Matrix times vector: y[row] is the sum over column of a[row][column] * x[column]. One thread a row. */

__kernel void NAME(int rows, int columns, __global const float *a, __global const float *x, __global float *y)
{
    int row = get_global_id(0);
    if (row >= rows) /* The last block may have more threads than rows are left. */
        return;
    float sum = 0.0f;
    for (int column = 0; column < columns; column++)
        sum += a[(size_t)row * columns + column] * x[column];
    y[row] = sum;
}

/* The same from the last column to the first: what the answers of the kernel above are held against. */
__kernel void NAME_backwards(int rows, int columns, __global const float *a, __global const float *x, __global float *y)
{
    int row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int column = columns - 1; column >= 0; column--)
        sum += a[(size_t)row * columns + column] * x[column];
    y[row] = sum;
}
