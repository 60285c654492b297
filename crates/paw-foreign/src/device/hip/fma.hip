// Multiplications and additions: chains in registers, and a number of them for each element. hiprtc compiles them for the device at
// hand when the first of them is wanted.

typedef float Floats __attribute__((ext_vector_type(2)));
typedef _Float16 Halves __attribute__((ext_vector_type(2)));

// x·a + b, rounded once where the type rounds; of two floats or halves by one instruction where the device has it.
__device__ inline double stepped(double x, double a, double b) { return __builtin_fma(x, a, b); }
__device__ inline float stepped(float x, float a, float b) { return __builtin_fmaf(x, a, b); }
__device__ inline unsigned stepped(unsigned x, unsigned a, unsigned b) { return x * a + b; }
#if __has_builtin(__builtin_elementwise_fma)
__device__ inline Floats stepped(Floats x, Floats a, Floats b) { return __builtin_elementwise_fma(x, a, b); }
__device__ inline Halves stepped(Halves x, Halves a, Halves b) { return __builtin_elementwise_fma(x, a, b); }
#else
__device__ inline Floats stepped(Floats x, Floats a, Floats b) {
    return Floats{__builtin_fmaf(x.x, a.x, b.x), __builtin_fmaf(x.y, a.y, b.y)};
}
__device__ inline Halves stepped(Halves x, Halves a, Halves b) {
#pragma clang fp contract(fast)
    return x * a + b;
}
#endif

// A number that the compiler takes for one of the thread's own: it would have the scalar unit compute what all threads have in common.
template <class T> __device__ inline T own(T x) {
    __asm__ volatile("" : "+v"(x));
    return x;
}

// 1024 steps of each of `COUNT` registers, which depend on nothing but themselves.
template <class T, int COUNT> __device__ inline void chains(T (&x)[COUNT], T a, T b) {
#pragma unroll 1
    for (int left = 1024 / 32; left > 0; --left) {
#pragma unroll
        for (int step = 0; step < 32; ++step) {
#pragma unroll
            for (int chain = 0; chain < COUNT; ++chain) x[chain] = stepped(x[chain], a, b);
        }
    }
}

__device__ inline unsigned long long thread() { return (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; }

// A chain begins at its number.
template <class T> __device__ inline void begin(T (&x)[8]) {
#pragma unroll
    for (int chain = 0; chain < 8; ++chain) x[chain] = own((T)chain);
}

template <class T> __device__ inline T sum(const T (&x)[8]) { return x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7]; }

extern "C" __global__ void paw_fma_f64(double *to, double a, double b) {
    double x[8];
    begin(x);
    chains(x, a, b);
    to[thread()] = sum(x);
}

extern "C" __global__ void paw_fma_f32(float *to, float a, float b) {
    float first[8];
    begin(first);
    Floats x[4] = {{first[0], first[1]}, {first[2], first[3]}, {first[4], first[5]}, {first[6], first[7]}};
    chains(x, (Floats)a, (Floats)b);
    const Floats both = x[0] + x[1] + x[2] + x[3];
    to[thread()] = both.x + both.y;
}

// Two halves at a time; a and b hold each twice.
extern "C" __global__ void paw_fma_f16(float *to, int a, int b) {
    float first[8];
    begin(first);
    Halves x[8];
#pragma unroll
    for (int chain = 0; chain < 8; ++chain) x[chain] = (Halves)(_Float16)first[chain];
    chains(x, __builtin_bit_cast(Halves, a), __builtin_bit_cast(Halves, b));
    float all = 0;
#pragma unroll
    for (int chain = 0; chain < 8; ++chain) all += (float)x[chain].x + (float)x[chain].y;
    to[thread()] = all;
}

extern "C" __global__ void paw_fma_i32(unsigned *to, unsigned a, unsigned b) {
    unsigned x[8];
    begin(x);
    chains(x, a, b);
    to[thread()] = sum(x);
}

// k steps of each of `COUNT` registers.
template <class T, int COUNT> __device__ inline void steps(T (&x)[COUNT], T a, T b, unsigned k) {
#pragma unroll 1
    for (; k >= 8; k -= 8) {
#pragma unroll
        for (int step = 0; step < 8; ++step) {
#pragma unroll
            for (int i = 0; i < COUNT; ++i) x[i] = stepped(x[i], a, b);
        }
    }
#pragma unroll 1
    for (; k > 0; --k) {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) x[i] = stepped(x[i], a, b);
    }
}

// 16 bytes in two registers: doubles, or pairs of floats.
template <class R> struct alignas(16) Vector {
    R at[2];
};

// k steps of every element, with a and b, by registers R of elements T: tiles of four vectors a thread, a block apart, so that all
// loads are under way before the first is used; then single vectors; then the elements that fill none.
template <class T, class R>
__device__ inline void intensity(T *to, const T *from, T a, T b, unsigned k, unsigned long long n) {
    const unsigned long long lanes = 16 / sizeof(T), vectors = n / lanes, threads = blockDim.x;
    const unsigned long long step = 4 * threads * gridDim.x;
    const Vector<R> *const given = (const Vector<R> *)from;
    Vector<R> *const into = (Vector<R> *)to;
    unsigned long long i = 4 * threads * blockIdx.x + threadIdx.x;
    for (; i + 3 * threads < vectors; i += step) {
        R x[8];
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            const Vector<R> vector = given[i + u * threads];
            x[2 * u] = vector.at[0];
            x[2 * u + 1] = vector.at[1];
        }
        steps(x, (R)a, (R)b, k);
#pragma unroll
        for (int u = 0; u < 4; ++u) into[i + u * threads] = Vector<R>{{x[2 * u], x[2 * u + 1]}};
    }
    for (; i < vectors; i += threads) {
        Vector<R> vector = given[i];
        steps(vector.at, (R)a, (R)b, k);
        into[i] = vector;
    }
    const unsigned long long left = vectors * lanes + threadIdx.x;
    if (blockIdx.x == 0 && left < n) {
        T x[1] = {from[left]};
        steps(x, a, b, k);
        to[left] = x[0];
    }
}

extern "C" __global__ void paw_intensity_f64(double *to, const double *x, double a, double b, unsigned k, unsigned long long n) {
    intensity<double, double>(to, x, a, b, k, n);
}

extern "C" __global__ void paw_intensity_f32(float *to, const float *x, float a, float b, unsigned k, unsigned long long n) {
    intensity<float, Floats>(to, x, a, b, k, n);
}
