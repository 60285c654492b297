/* Kernels that every device of OpenCL is given. REAL is double where the device has it, else float. */
#ifdef FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

__kernel void paw_empty(void) {}

__kernel void paw_copy(__global REAL *c, __global const REAL *a, long n) {
  const long i = get_global_id(0);
  if (i < n) c[i] = a[i];
}

__kernel void paw_scale(__global REAL *b, __global const REAL *c, REAL s, long n) {
  const long i = get_global_id(0);
  if (i < n) b[i] = s * c[i];
}

__kernel void paw_add(__global REAL *c, __global const REAL *a, __global const REAL *b, long n) {
  const long i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}

__kernel void paw_triad(__global REAL *a, __global const REAL *b, __global const REAL *c, REAL s, long n) {
  const long i = get_global_id(0);
  if (i < n) a[i] = b[i] + s * c[i];
}

/* A transfer without a copy call: `n` elements, offsets in elements. */
#define MOVE(NAME, TYPE)                                                                       \
  __kernel void NAME(__global TYPE *to, long to_at, __global const TYPE *from, long from_at,   \
                     long n) {                                                                 \
    const long i = get_global_id(0);                                                           \
    if (i < n) to[to_at + i] = from[from_at + i];                                              \
  }

MOVE(paw_move_16, uint4)
MOVE(paw_move_4, uint)
MOVE(paw_move_1, uchar)
