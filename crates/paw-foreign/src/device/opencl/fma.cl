/* Multiplications and additions: chains in registers, and a number of them for each element. FP64 where the device has doubles. */
#ifdef FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

/* Without the instruction, fma is a function of many: mad is one multiplication and one addition then. */
#ifdef FP_FAST_FMAF
#define FUSED(x) x = fma(x, u, v);
#else
#define FUSED(x) x = mad(x, u, v);
#endif
#define FUSED_WIDE(x) x = fma(x, u, v);
#define WHOLE(x) x = x * u + v;

#define ALL(STEP) STEP(x0) STEP(x1) STEP(x2) STEP(x3) STEP(x4) STEP(x5) STEP(x6) STEP(x7)
#define FOUR(STEP) ALL(STEP) ALL(STEP) ALL(STEP) ALL(STEP)
#define MANY(STEP) FOUR(STEP) FOUR(STEP) FOUR(STEP) FOUR(STEP) FOUR(STEP) FOUR(STEP) FOUR(STEP) FOUR(STEP)

/* Eight chains of 1024 steps; T is what a chain is, R what their sum is, ARGUMENT the type of a and b. */
#define CHAINS(NAME, T, R, ARGUMENT, OF_ARGUMENT, BEGIN, STEP, SUM)                              \
  __kernel void NAME(__global R *to, ARGUMENT a, ARGUMENT b) {                                   \
    const T u = OF_ARGUMENT(a), v = OF_ARGUMENT(b);                                              \
    T x0 = BEGIN(0), x1 = BEGIN(1), x2 = BEGIN(2), x3 = BEGIN(3), x4 = BEGIN(4), x5 = BEGIN(5),  \
      x6 = BEGIN(6), x7 = BEGIN(7);                                                              \
    for (int left = 1024 / 32; left > 0; left--) { MANY(STEP) }                                  \
    to[get_global_id(0)] = SUM(x0) + SUM(x1) + SUM(x2) + SUM(x3) + SUM(x4) + SUM(x5) + SUM(x6) + SUM(x7); \
  }
#define SAME(x) (x)

CHAINS(paw_fma_f32, float, float, float, SAME, SAME, FUSED, SAME)
CHAINS(paw_fma_i32, int, int, int, SAME, SAME, WHOLE, SAME)
#ifdef FP64
CHAINS(paw_fma_f64, double, double, double, SAME, SAME, FUSED_WIDE, SAME)
#endif
#ifdef cl_khr_fp16
#define TWICE(x) ((half2)((half)(x)))
#define BOTH(x) ((float)x.s0 + (float)x.s1)
CHAINS(paw_fma_f16, half2, float, int, as_half2, TWICE, FUSED_WIDE, BOTH)
#endif

/* k steps for each element, of four vectors of 16 bytes at a time, a group apart. */
#define STEPS(STEP)                                                       \
  {                                                                       \
    int left = k;                                                         \
    for (; left >= 8; left -= 8) { STEP STEP STEP STEP STEP STEP STEP STEP } \
    for (; left > 0; left--) { STEP }                                     \
  }
#define VECTORS(VECTOR, i) ((__global VECTOR *)to)[i]
#define GIVEN(VECTOR, i) ((__global const VECTOR *)x)[i]
#define INTENSITY(NAME, T, VECTOR, STEP)                                                                \
  __kernel void NAME(__global T *restrict to, __global const T *restrict x, T a, T b, int k, long n) {  \
    const long lanes = 16 / (long)sizeof(T), vectors = n / lanes;                                       \
    const long size = get_local_size(0), group = get_group_id(0), step = 4 * size * get_num_groups(0);  \
    long i = 4 * size * group + get_local_id(0);                                                        \
    {                                                                                                   \
      const VECTOR u = (VECTOR)(a), v = (VECTOR)(b);                                                    \
      for (; i + 3 * size < vectors; i += step) {                                                       \
        VECTOR x0 = GIVEN(VECTOR, i), x1 = GIVEN(VECTOR, i + size), x2 = GIVEN(VECTOR, i + 2 * size),   \
               x3 = GIVEN(VECTOR, i + 3 * size);                                                        \
        STEPS(STEP(x0) STEP(x1) STEP(x2) STEP(x3))                                                      \
        VECTORS(VECTOR, i) = x0;                                                                        \
        VECTORS(VECTOR, i + size) = x1;                                                                 \
        VECTORS(VECTOR, i + 2 * size) = x2;                                                             \
        VECTORS(VECTOR, i + 3 * size) = x3;                                                             \
      }                                                                                                 \
      for (; i < vectors; i += size) {                                                                  \
        VECTOR x0 = GIVEN(VECTOR, i);                                                                   \
        STEPS(STEP(x0))                                                                                 \
        VECTORS(VECTOR, i) = x0;                                                                        \
      }                                                                                                 \
    }                                                                                                   \
    const long one = vectors * lanes + get_local_id(0);                                                 \
    if (group == 0 && one < n) {                                                                        \
      const T u = a, v = b;                                                                             \
      T x0 = x[one];                                                                                    \
      STEPS(STEP(x0))                                                                                   \
      to[one] = x0;                                                                                     \
    }                                                                                                   \
  }

INTENSITY(paw_intensity_f32, float, float4, FUSED)
#ifdef FP64
INTENSITY(paw_intensity_f64, double, double2, FUSED_WIDE)
#endif
