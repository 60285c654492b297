/* Matrix products for devices without a library: column-major, order n, offsets in elements. */
#ifdef FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define TILE 16

/* C = A·B. A work-group of TILE x TILE computes a tile of C from tiles of A and B that it keeps in local memory. */
__kernel void paw_gemm(__global const REAL *a, long a_at, __global const REAL *b, long b_at, __global REAL *c,
                       long c_at, long n) {
  __local REAL tile_a[TILE][TILE + 1];
  __local REAL tile_b[TILE][TILE + 1];
  const int item = get_local_id(0);
  const int x = item % TILE, y = item / TILE;
  const long tiles = (n + TILE - 1) / TILE;
  const long row = (get_group_id(0) % tiles) * TILE + x;
  const long column = (get_group_id(0) / tiles) * TILE + y;
  REAL sum = 0;
  for (long t = 0; t < n; t += TILE) {
    tile_a[y][x] = row < n && t + y < n ? a[a_at + row + (t + y) * n] : 0;
    tile_b[y][x] = t + x < n && column < n ? b[b_at + t + x + column * n] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) sum += tile_a[k][x] * tile_b[y][k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < n && column < n) c[c_at + row + column * n] = sum;
}

/* y = A·x, an element a work-item. */
__kernel void paw_gemv(__global const REAL *a, long a_at, __global const REAL *x, long x_at, __global REAL *y,
                       long y_at, long n) {
  const long row = get_global_id(0);
  if (row >= n) return;
  REAL sum = 0;
  for (long k = 0; k < n; ++k) sum += a[a_at + row + k * n] * x[x_at + k];
  y[y_at + row] = sum;
}
