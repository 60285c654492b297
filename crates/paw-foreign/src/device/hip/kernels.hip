// The kernels that the HIP back-end brings along, compiled by hiprtc for the device at hand.

// Waits until the word at `word` is not 0, for `limit_ticks` of the device's steady clock or `limit_looks` looks at most; writes 1 or 2
// beside it. Both words are the host's, in coherent memory.
extern "C" __global__ void paw_gate(unsigned *word, unsigned long long limit_ticks, unsigned long long limit_looks) {
    const unsigned long long from = wall_clock64();
    unsigned end = 2;
    for (unsigned long long look = 0; look < limit_looks; ++look) {
        if (__hip_atomic_load(word, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != 0) {
            end = 1;
            break;
        }
        if ((unsigned long long)wall_clock64() - from >= limit_ticks) {
            break;
        }
    }
    __hip_atomic_store(word + 1, end, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

extern "C" __global__ void paw_empty() {}

#define EACH(i, n)                                                                                            \
    const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;                               \
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)

extern "C" __global__ void paw_copy(double *c, const double *a, unsigned long long n) {
    EACH(i, n) c[i] = a[i];
}

extern "C" __global__ void paw_scale(double *b, const double *c, double s, unsigned long long n) {
    EACH(i, n) b[i] = s * c[i];
}

extern "C" __global__ void paw_add(double *c, const double *a, const double *b, unsigned long long n) {
    EACH(i, n) c[i] = a[i] + b[i];
}

extern "C" __global__ void paw_triad(double *a, const double *b, const double *c, double s, unsigned long long n) {
    EACH(i, n) a[i] = __builtin_fma(s, c[i], b[i]);
}

// Copies words of so many bytes, between memory of the device and memory of the host that it sees.
extern "C" __global__ void paw_words_16(uint4 *to, const uint4 *from, unsigned long long words) {
    EACH(i, words) to[i] = from[i];
}

extern "C" __global__ void paw_words_4(unsigned *to, const unsigned *from, unsigned long long words) {
    EACH(i, words) to[i] = from[i];
}

extern "C" __global__ void paw_words_1(unsigned char *to, const unsigned char *from, unsigned long long words) {
    EACH(i, words) to[i] = from[i];
}

// place = chain[place], as often as `hops` says; begins at state[0] and leaves the last place there. One thread.
extern "C" __global__ void paw_chase(unsigned long long *state, const unsigned long long *chain, unsigned long long hops) {
    // An address that depends on the thread is loaded by the vector units, as arrays are, and not through the cache of scalars.
    const unsigned long long *const from = chain + threadIdx.x;
    unsigned long long place = state[threadIdx.x];
    for (; hops > 0; --hops) place = from[place];
    state[threadIdx.x] = place;
}

// table[z >> shift] ^= z for the numbers z of SplitMix64's stream of `seed`, from number 0 to n - 1.
extern "C" __global__ void paw_update(unsigned long long *table, unsigned long long shift, unsigned long long seed, unsigned long long n) {
    EACH(i, n) {
        unsigned long long z = seed + (i + 1) * 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        z ^= z >> 31;
        __hip_atomic_fetch_xor(table + (z >> shift), z, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
}
