/* A chain of multiplications, each of which needs the result of the one before: three core cycles each on x86-64 processors
 * (Intel since Nehalem, AMD since Zen). With TWICE there are two in an iteration; the second, by one, changes nothing. */
#include <stdint.h>

uint32_t chain(uint32_t n, uint32_t m, uint32_t one) {
    uint32_t x = 1;
    for (uint32_t i = 0; i < n; i++) {
        x *= m;
#ifdef TWICE
        __asm__("" : "+r"(x)); /* keeps compilers from multiplying m by one beforehand */
        x *= one;
        __asm__("" : "+r"(x)); /* keeps the compiler from multiplying m by one beforehand */
#endif
    }
    (void)one;
    return x;
}
