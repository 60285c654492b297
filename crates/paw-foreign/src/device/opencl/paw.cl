/* Kernels that every device of OpenCL is given. REAL is double where the device has it, else float. */
#ifdef FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REALS double2
#else
#define REALS float4
#endif

__kernel void paw_empty(void) {}

/* Loops over n elements by 16 bytes at a time: tiles of four vectors a work-item, a group apart, so that all loads are under way before
   the first is used; then single vectors; then the elements that fill none. VALUE(T, i) is what element i of `to` becomes. */
#define LANES(T) (16 / (long)sizeof(T))
#define OVER(T, VECTOR, VALUE)                                                                  \
  const long vectors = n / LANES(T), size = get_local_size(0), group = get_group_id(0);        \
  const long step = 4 * size * get_num_groups(0);                                               \
  long i = 4 * size * group + get_local_id(0);                                                  \
  for (; i + 3 * size < vectors; i += step) {                                                   \
    const VECTOR v0 = VALUE(VECTOR, i), v1 = VALUE(VECTOR, i + size),                           \
                 v2 = VALUE(VECTOR, i + 2 * size), v3 = VALUE(VECTOR, i + 3 * size);            \
    ((__global VECTOR *)to)[i] = v0;                                                            \
    ((__global VECTOR *)to)[i + size] = v1;                                                     \
    ((__global VECTOR *)to)[i + 2 * size] = v2;                                                 \
    ((__global VECTOR *)to)[i + 3 * size] = v3;                                                 \
  }                                                                                             \
  for (; i < vectors; i += size) ((__global VECTOR *)to)[i] = VALUE(VECTOR, i);                 \
  const long left = vectors * LANES(T) + get_local_id(0);                                       \
  if (group == 0 && left < n) to[left] = VALUE(T, left);
#define AT(T, from, i) ((__global const T *)from)[i]

#define COPIED(T, i) AT(T, x, i)
__kernel void paw_copy(__global REAL *restrict to, __global const REAL *restrict x, long n) {
  OVER(REAL, REALS, COPIED)
}

#define SCALED(T, i) s *AT(T, x, i)
__kernel void paw_scale(__global REAL *restrict to, __global const REAL *restrict x, REAL s, long n) {
  OVER(REAL, REALS, SCALED)
}

#define ADDED(T, i) AT(T, x, i) + AT(T, y, i)
__kernel void paw_add(__global REAL *restrict to, __global const REAL *restrict x,
                      __global const REAL *restrict y, long n) {
  OVER(REAL, REALS, ADDED)
}

#define TRIAD(T, i) AT(T, x, i) + s *AT(T, y, i)
__kernel void paw_triad(__global REAL *restrict to, __global const REAL *restrict x,
                        __global const REAL *restrict y, REAL s, long n) {
  OVER(REAL, REALS, TRIAD)
}

__kernel void paw_chase(__global long *state, __global const long *chain, long hops) {
  long place = state[0];
  for (long left = hops; left > 0; left--) place = chain[place];
  state[0] = place;
}

#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
/* Numbers of SplitMix64's stream of `seed`. */
__kernel void paw_update(__global ulong *table, long shift, long seed, long n) {
  const long step = get_global_size(0);
  for (long i = get_global_id(0); i < n; i += step) {
    ulong z = (ulong)seed + ((ulong)i + 1) * 0x9e3779b97f4a7c15UL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
    z ^= z >> 31;
    atom_xor((volatile __global ulong *)&table[z >> shift], z);
  }
}
#endif

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
