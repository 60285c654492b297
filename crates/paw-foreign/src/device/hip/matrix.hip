// Chains of C = A·B + C on matrix cores, of factors that are all ones, so that the sum of a thread's elements counts its multiplications.
// What differs from one device to the next stands above this text, from the table of matrix_cores.rs: a lane's `Factors` and the words
// that are `ONES` in them, its `Sums`, the instruction `MULTIPLY`, and how many `STEPS` a chain has. The kernel's name stands below.

constexpr int CHAINS = 4, UNROLLED = 4, WORDS = sizeof(Factors) / 4;
static_assert(STEPS % UNROLLED == 0, "a chain has whole rounds");

// Two blocks to a unit's room of registers, four waves each: with more room, compilers of CDNA 2 and later keep doubles in registers
// that their instructions do not add to, and copy them to and fro.
#define FULL_BLOCKS __attribute__((amdgpu_flat_work_group_size(256, 512)))

struct Words {
    int at[WORDS];
};

// Ones that the compiler takes for numbers of the thread's own: it would have the loop load constants.
__device__ inline Factors factors() {
    Words words;
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        words.at[i] = ONES[i % (sizeof(ONES) / 4)];
        __asm__ volatile("" : "+v"(words.at[i]));
    }
    return __builtin_bit_cast(Factors, words);
}

__device__ inline void chains(Total *to) {
    const Factors a = factors(), b = factors();
    Sums sums[CHAINS] = {};
#pragma unroll 1
    for (int left = STEPS / UNROLLED; left > 0; --left) {
#pragma unroll
        for (int step = 0; step < UNROLLED; ++step) {
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain) sums[chain] = MULTIPLY(a, b, sums[chain]);
        }
    }
    Total total = 0;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
#pragma unroll
        for (int i = 0; i < sizeof(Sums) / sizeof(Total); ++i) total += sums[chain][i];
    }
    to[(unsigned long long)blockIdx.x * blockDim.x + threadIdx.x] = total;
}

