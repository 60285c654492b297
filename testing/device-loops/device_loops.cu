// Plain loops of CUDA and cuBLAS beside paw's suite of devices: one line `benchmark:size:quantity value` a cell, in B/s, FLOP/s or s.
//
// Copies are timed as nvbandwidth times them (16 behind a kernel that holds the stream, between two events) and by the host's clock
// around each; kernels by the host's clock around each and its completion; products around a millisecond of them. A value is the median of
// a cell's samples. Products are compared in 64 places, the triad in all, pinned memory in one byte of 4093; the other loops
// are not checked.
//
// nvcc -O3 -arch=native device_loops.cu -lcublas -lcublasLt -o device_loops
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#define MUST(call)                                                                      \
    do {                                                                                \
        auto code = (call);                                                             \
        if (int(code) != 0) {                                                           \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, int(code));   \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

static const int SAMPLES = 30;
static cudaStream_t stream;
static cudaEvent_t first, last;

static double now() {
    timespec at;
    clock_gettime(CLOCK_MONOTONIC_RAW, &at);
    return double(at.tv_sec) + 1e-9 * double(at.tv_nsec);
}

static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    size_t n = values.size();
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

// Seconds of one `once` and its completion, by the host's clock: median of samples of as many as last a millisecond.
static double by_host(const std::function<void()> &once, bool each = true) {
    int calls = 1;
    auto sample = [&] {
        double from = now();
        for (int call = 0; call < calls; call++) {
            once();
            if (each) MUST(cudaStreamSynchronize(stream));
        }
        MUST(cudaStreamSynchronize(stream));
        return (now() - from) / calls;
    };
    for (int warm = 0; warm < 3; warm++) sample();
    calls = std::min(1000, std::max(1, int(1e-3 / sample())));
    sample();
    std::vector<double> samples;
    for (int count = 0; count < SAMPLES; count++) samples.push_back(sample());
    return median(samples);
}

__global__ void hold(volatile int *open) {
    while (!*open) {
    }
}

// Seconds of one `once` by the device's clock: 16 behind a kernel that holds the stream, after four that warm up.
static double by_events(const std::function<void()> &once) {
    int *open;
    MUST(cudaHostAlloc(&open, sizeof *open, cudaHostAllocMapped));
    std::vector<double> samples;
    for (int count = 0; count < SAMPLES / 3; count++) {
        *(volatile int *)open = 0;
        hold<<<1, 1, 0, stream>>>(open);
        for (int warm = 0; warm < 4; warm++) once();
        MUST(cudaEventRecord(first, stream));
        for (int call = 0; call < 16; call++) once();
        MUST(cudaEventRecord(last, stream));
        *(volatile int *)open = 1;
        MUST(cudaStreamSynchronize(stream));
        float ms;
        MUST(cudaEventElapsedTime(&ms, first, last));
        samples.push_back(1e-3 * ms / 16);
    }
    MUST(cudaFreeHost(open));
    return median(samples);
}

static void row(const char *name, size_t size, const char *quantity, double value) {
    printf("%s:%zu:%s %.6g\n", name, size, quantity, value);
    fflush(stdout);
}

// --- copies

static void copies() {
    for (size_t bytes : {size_t(4) << 10, size_t(1) << 20, size_t(64) << 20, size_t(256) << 20}) {
        char *pinned, *pageable = (char *)malloc(bytes), *device;
        MUST(cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault));
        MUST(cudaMalloc(&device, bytes));
        for (size_t at = 0; at < bytes; at++) pinned[at] = pageable[at] = char(at * 37);
        auto copy = [&](char *to, char *from, cudaMemcpyKind way) {
            return [=] { MUST(cudaMemcpyAsync(to, from, bytes, way, stream)); };
        };
        double b = double(bytes);
        size_t n = bytes / 4;
        row("gpu_in_pinned", n, "bytes", b / by_host(copy(device, pinned, cudaMemcpyHostToDevice)));
        row("gpu_in_pinned", n, "bytes_gated", b / by_events(copy(device, pinned, cudaMemcpyHostToDevice)));
        row("gpu_out_pinned", n, "bytes", b / by_host(copy(pinned, device, cudaMemcpyDeviceToHost)));
        row("gpu_out_pinned", n, "bytes_gated", b / by_events(copy(pinned, device, cudaMemcpyDeviceToHost)));
        if (bytes <= size_t(64) << 20) {
            row("gpu_in_nopin", n, "bytes", b / by_host(copy(device, pageable, cudaMemcpyHostToDevice)));
            row("gpu_out_nopin", n, "bytes", b / by_host(copy(pageable, device, cudaMemcpyDeviceToHost)));
        }
        for (size_t at = 0; at < bytes; at += 4093)
            if (pinned[at] != char(at * 37)) exit(2);
        MUST(cudaFreeHost(pinned));
        MUST(cudaFree(device));
        free(pageable);
    }
}

// --- kernels

__global__ void nothing() {}

// Four vectors a thread, a block apart, as whoever tunes this kernel would write it.
__global__ void triad(double2 *__restrict__ a, const double2 *__restrict__ b, const double2 *__restrict__ c, double s, size_t n) {
    size_t at = size_t(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
    double2 x[4], y[4];
    for (int i = 0; i < 4; i++) {
        size_t place = at + size_t(i) * blockDim.x;
        if (place < n) x[i] = b[place], y[i] = c[place];
    }
    for (int i = 0; i < 4; i++) {
        size_t place = at + size_t(i) * blockDim.x;
        if (place < n) a[place] = make_double2(x[i].x + s * y[i].x, x[i].y + s * y[i].y);
    }
}

__global__ void copy_kernel(double2 *__restrict__ to, const double2 *__restrict__ from, size_t n) {
    size_t at = size_t(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
    double2 x[4];
    for (int i = 0; i < 4; i++)
        if (at + size_t(i) * blockDim.x < n) x[i] = from[at + size_t(i) * blockDim.x];
    for (int i = 0; i < 4; i++)
        if (at + size_t(i) * blockDim.x < n) to[at + size_t(i) * blockDim.x] = x[i];
}

static void streams(size_t bytes) {
    size_t n = bytes / sizeof(double2);
    std::vector<double2> host(n, make_double2(1, 2));
    double2 *a, *b, *c;
    for (double2 **array : {&a, &b, &c}) {
        MUST(cudaMalloc(array, bytes));
        MUST(cudaMemcpy(*array, host.data(), bytes, cudaMemcpyHostToDevice));
    }
    unsigned blocks = unsigned((n + 1023) / 1024);
    double t = by_host([&] { triad<<<blocks, 256, 0, stream>>>(a, b, c, 3.0, n); });
    row("device_triad", bytes, "bytes", 3 * double(bytes) / t);
    MUST(cudaMemcpy(host.data(), a, bytes, cudaMemcpyDeviceToHost));
    for (double2 x : host)
        if (x.x != 4 || x.y != 8) exit(2);
    t = by_host([&] { copy_kernel<<<blocks, 256, 0, stream>>>(a, b, n); });
    row("device_copy", bytes, "bytes", 2 * double(bytes) / t);
    for (double2 *array : {a, b, c}) MUST(cudaFree(array));
}

__global__ void chase(uint64_t *state, const uint64_t *chain, int hops) {
    uint64_t at = *state;
    for (int hop = 0; hop < hops; hop++) at = chain[at];
    *state = at;
}

static void chases() {
    const int hops = 16384;
    for (size_t bytes : {size_t(64) << 10, size_t(16) << 20, size_t(256) << 20}) {
        size_t lines = bytes / 128;
        std::vector<uint64_t> order(lines), chain(bytes / 8);
        for (size_t i = 0; i < lines; i++) order[i] = i;
        uint64_t random = 88172645463325252u;
        for (size_t i = lines - 1; i > 0; i--) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            std::swap(order[i], order[random % (i + 1)]);
        }
        for (size_t i = 0; i < lines; i++) chain[order[i] * 16] = order[(i + 1) % lines] * 16;
        uint64_t *device, *state;
        MUST(cudaMalloc(&device, bytes));
        MUST(cudaMalloc(&state, 8));
        MUST(cudaMemset(state, 0, 8));
        MUST(cudaMemcpy(device, chain.data(), bytes, cudaMemcpyHostToDevice));
        row("device_latency", bytes, "time", 1.0 / hops * by_host([&] { chase<<<1, 1, 0, stream>>>(state, device, hops); }));
        MUST(cudaFree(device));
        MUST(cudaFree(state));
    }
}

template <typename T> __global__ void fma_chains(T *out, T a, T b) {
    T x[8];
    for (int i = 0; i < 8; i++) x[i] = T(threadIdx.x + i);
    for (int step = 0; step < 1024; step += 16) {
#pragma unroll
        for (int inner = 0; inner < 16; inner++)
#pragma unroll
            for (int i = 0; i < 8; i++) x[i] = x[i] * a + b;
    }
    T sum = 0;
    for (int i = 0; i < 8; i++) sum += x[i];
    if (sum == T(-1)) *out = sum;
}

template <typename T> static void peak(const char *name, unsigned blocks) {
    T *out;
    MUST(cudaMalloc(&out, sizeof *out));
    double t = by_host([&] { fma_chains<T><<<blocks, 256, 0, stream>>>(out, T(1), T(2)); });
    row(name, blocks, "flops", 2.0 * 8 * 1024 * 256 * blocks / t);
    MUST(cudaFree(out));
}

// --- products

static uint64_t seed = 1;
static double uniform() {
    seed += 0x9e3779b97f4a7c15u;
    uint64_t z = seed;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return double((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

template <typename T> static T number() { return T(float(uniform())); }
template <> double number<double>() { return uniform(); }
template <> int8_t number<int8_t>() { return int8_t(std::floor(128 * uniform())); }

template <typename T> static double as_double(T x) { return double(float(x)); }
template <> double as_double(double x) { return x; }

// In 64 places, within what rounding of operands that are exact allows of sums in single precision and results of `C`.
template <typename T, typename C>
static void check(const std::vector<T> &a, const std::vector<T> &b, const C *device, size_t n, bool transposed, double bound) {
    for (int place = 0; place < 64; place++) {
        size_t i = size_t((uniform() + 1) / 2 * double(n)), j = size_t((uniform() + 1) / 2 * double(n));
        double sum = 0, size = 0;
        for (size_t k = 0; k < n; k++) {
            double term = as_double(transposed ? a[k + i * n] : a[i + k * n]) * as_double(b[k + j * n]);
            sum += term, size += term * term;
        }
        C found;
        MUST(cudaMemcpy(&found, device + i + j * n, sizeof found, cudaMemcpyDeviceToHost));
        double is = std::is_same<C, int32_t>::value ? double(*(int32_t *)&found) : as_double(found);
        if (!(std::fabs(is - sum) <= bound * (std::sqrt(size) + std::fabs(sum)))) {
            fprintf(stderr, "C[%zu, %zu] of order %zu is %g and should be %g\n", i, j, n, is, sum);
            exit(2);
        }
    }
}

template <typename T> static T *upload(const std::vector<T> &host) {
    T *device;
    MUST(cudaMalloc(&device, host.size() * sizeof(T)));
    MUST(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <typename T, typename C>
static void product(cublasHandle_t handle, const char *name, size_t n, cudaDataType in, cudaDataType out,
                    cublasComputeType_t compute, bool transposed, double bound) {
    std::vector<T> a(n * n), b(n * n);
    for (T &x : a) x = number<T>();
    for (T &x : b) x = number<T>();
    T *da = upload(a), *db = upload(b);
    C *dc;
    MUST(cudaMalloc(&dc, n * n * sizeof(C)));
    double one64 = 1, zero64 = 0;
    float one32 = 1, zero32 = 0;
    int32_t one = 1, zero = 0;
    const void *alpha = in == CUDA_R_64F ? (void *)&one64 : in == CUDA_R_8I ? (void *)&one : (void *)&one32;
    const void *beta = in == CUDA_R_64F ? (void *)&zero64 : in == CUDA_R_8I ? (void *)&zero : (void *)&zero32;
    int order = int(n);
    double t = by_host([&] {
        MUST(cublasGemmEx(handle, transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, order, order, order, alpha, da, in,
                          order, db, in, order, beta, dc, out, order, compute, CUBLAS_GEMM_DEFAULT));
    }, false);
    check(a, b, dc, n, transposed, bound);
    row(name, n, "flops", 2 * double(n) * double(n) * double(n) / t);
    MUST(cudaFree(da));
    MUST(cudaFree(db));
    MUST(cudaFree(dc));
}

// e4m3 by cuBLASLt: the fastest of eight algorithms.
static void product_fp8(size_t n) {
    std::vector<__nv_fp8_e4m3> a(n * n), b(n * n);
    for (auto &x : a) x = number<__nv_fp8_e4m3>();
    for (auto &x : b) x = number<__nv_fp8_e4m3>();
    auto *da = upload(a), *db = upload(b);
    __nv_bfloat16 *dc;
    MUST(cudaMalloc(&dc, n * n * sizeof *dc));
    float *scale = upload(std::vector<float>(1, 1.0f));
    size_t room = 32 << 20;
    void *workspace;
    MUST(cudaMalloc(&workspace, room));
    cublasLtHandle_t handle;
    MUST(cublasLtCreate(&handle));
    cublasLtMatmulDesc_t what;
    MUST(cublasLtMatmulDescCreate(&what, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
        MUST(cublasLtMatmulDescSetAttribute(what, attribute, &value, sizeof value));
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale);
    set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t(1));
    cublasLtMatrixLayout_t input, output;
    MUST(cublasLtMatrixLayoutCreate(&input, CUDA_R_8F_E4M3, n, n, int64_t(n)));
    MUST(cublasLtMatrixLayoutCreate(&output, CUDA_R_16BF, n, n, int64_t(n)));
    cublasLtMatmulPreference_t preference;
    MUST(cublasLtMatmulPreferenceCreate(&preference));
    MUST(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room));
    cublasLtMatmulHeuristicResult_t proposed[8];
    int count = 0;
    MUST(cublasLtMatmulAlgoGetHeuristic(handle, what, input, input, output, output, preference, 8, proposed, &count));
    float one = 1, zero = 0;
    double best = 1e9;
    for (int which = 0; which < count; which++) {
        double t = by_host([&] {
            MUST(cublasLtMatmul(handle, what, &one, da, input, db, input, &zero, dc, output, dc, output, &proposed[which].algo,
                                workspace, room, stream));
        }, false);
        check(a, b, dc, n, true, 2e-2);
        best = std::min(best, t);
    }
    row("gpu_fp8gemm", n, "flops", 2 * double(n) * double(n) * double(n) / best);
    for (void *memory : {(void *)da, (void *)db, (void *)dc, (void *)scale, workspace}) MUST(cudaFree(memory));
}

static void products() {
    cublasHandle_t handle;
    MUST(cublasCreate(&handle));
    MUST(cublasSetStream(handle, stream));
    for (size_t n : {size_t(1024), size_t(4096)}) {
        product<double, double>(handle, "gpu_dgemm", n, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, false, 1e-13);
        product<float, float>(handle, "gpu_sgemm", n, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, false, 1e-5);
        product<float, float>(handle, "gpu_tf32gemm", n, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, true, 5e-3);
        product<__nv_bfloat16, __nv_bfloat16>(handle, "gpu_bf16gemm", n, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, true, 1e-2);
        product<__half, __half>(handle, "gpu_fp16gemm", n, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, true, 2e-3);
        product<int8_t, int32_t>(handle, "gpu_int8gemm", n, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, true, 0);
        product_fp8(n);
    }
    MUST(cublasDestroy(handle));
}

int main(int count, char **words) {
    std::string part = count > 1 ? words[1] : "all";
    size_t bytes = count > 2 ? strtoull(words[2], nullptr, 10) : size_t(256) << 20;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&first));
    MUST(cudaEventCreate(&last));
    cudaDeviceProp device;
    MUST(cudaGetDeviceProperties(&device, 0));
    auto wanted = [&](const char *name) { return part == "all" || part == name; };
    if (wanted("copies")) copies();
    if (wanted("launches")) {
        auto launch = [] { nothing<<<1, 1, 0, stream>>>(); };
        row("device_launch", 0, "time", by_host(launch));
        row("device_launch", 1, "time", by_host(launch, false));
    }
    if (wanted("memory")) {
        streams(bytes);
        chases();
    }
    if (wanted("peaks")) {
        unsigned blocks = 32 * unsigned(device.multiProcessorCount);
        peak<double>("device_peak_f64", blocks);
        peak<float>("device_peak_f32", blocks);
    }
    if (wanted("products")) products();
}
