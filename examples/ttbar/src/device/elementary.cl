/* The fit on a device, in what OpenCL C and CUDA C++ have in common: the first of three files that are compiled as one.
 *
 * Every function repeats one of this program in Rust, operation by operation, so that a device finds the same bits as
 * a processor: `elementary.rs`, `rng.rs`, `smear.rs`, `quartic.rs`, `conic.rs`, `neutrino.rs` and `weight.rs` say why
 * they do what they do. Who changes one of them changes it here; the checksum tells whether both still agree.
 * No product may be joined to a sum (fma): the pragma says so in OpenCL, --fmad=false in CUDA. */
#ifdef __CUDACC__
#define LINKAGE extern "C"
#define GLOBAL
#define FUNCTION static __device__
#define BITS(x) ((word)__double_as_longlong(x))
#define NUMBER(bits) __longlong_as_double((signed_word)(bits))
#define ITEM ((word)blockIdx.x * blockDim.x + threadIdx.x)
typedef unsigned long long word;
typedef long long signed_word;
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define __global__ __kernel
#define LINKAGE
#define GLOBAL __global
#define FUNCTION static
#define BITS(x) as_ulong(x)
#define NUMBER(bits) as_double(bits)
#define ITEM get_global_id(0)
typedef ulong word;
typedef long signed_word;
#endif

#define LARGEST 1.7976931348623157e308
#define SMALLEST 2.2250738585072014e-308
#define EPSILON 2.220446049250313e-16
#define IS_FINITE(x) (fabs(x) <= LARGEST)
#define POSITIVE(x) ((x) > 0.0 ? (x) : 0.0)

/* elementary.rs */

#define LN_2_HIGH 0.6931471803691238
#define LN_2_LOW 1.9082149292705877e-10
#define LN_2 0.6931471805599453
#define ROUNDER 6755399441055744.0

FUNCTION double ln_of(double x)
{
    signed_word exponent = (signed_word)(BITS(x) - (word)0x3fe6a09e667f3bcd) >> 52;
    double m = NUMBER(BITS(x) - ((word)exponent << 52));
    double k = (double)exponent;
    double s = (m - 1.0) / (m + 1.0), z = s * s, zz = z * z;
    double even = 1.0 / 3.0 + zz * (1.0 / 7.0 + zz * (1.0 / 11.0 + zz * (1.0 / 15.0 + zz * (1.0 / 19.0))));
    double odd = 1.0 / 5.0 + zz * (1.0 / 9.0 + zz * (1.0 / 13.0 + zz * (1.0 / 17.0)));
    double twice = s + s;
    return k * LN_2_HIGH + (twice + (twice * z * (even + z * odd) + k * LN_2_LOW));
}

FUNCTION double exp_of(double x)
{
    if (!(x >= -708.0))
        return 0.0;
    if (x > 709.0)
        return NUMBER((word)0x7ff << 52);
    double rounded = x * (1.0 / LN_2) + ROUNDER, k = rounded - ROUNDER;
    double r = x - k * LN_2_HIGH - k * LN_2_LOW, rr = r * r;
    double even = 1.0 / 2.0
        + rr * (1.0 / 24.0 + rr * (1.0 / 720.0 + rr * (1.0 / 40320.0 + rr * (1.0 / 3628800.0 + rr * (1.0 / 479001600.0)))));
    double odd = 1.0 / 6.0
        + rr * (1.0 / 120.0 + rr * (1.0 / 5040.0 + rr * (1.0 / 362880.0 + rr * (1.0 / 39916800.0 + rr * (1.0 / 6227020800.0)))));
    double power = 1.0 + (r + rr * (even + r * odd));
    return NUMBER(BITS(power) + (BITS(rounded) << 52));
}

FUNCTION double cbrt_of(double x)
{
    if (!(x > 0.0 && x <= LARGEST))
        return x;
    double scale = 1.0;
    if (x < SMALLEST) {
        x = x * 18014398509481984.0;
        scale = 1.0 / 262144.0;
    }
    word exponent = BITS(x) >> 52;
    double m = NUMBER((BITS(x) & (((word)1 << 52) - 1)) | ((exponent % 3 + 1023) << 52));
    double power = NUMBER((exponent / 3 + 682) << 52);
    double root = 0.71673 + m * (0.32884 + m * (-0.034026 + m * 0.0016275));
    for (int step = 0; step < 2; step++) {
        double cube = root * root * root;
        root = root * ((cube + 2.0 * m) / (2.0 * cube + m));
    }
    return root * power * scale;
}

FUNCTION double third_of_angle(double cosine)
{
    double root = 0.866066 + cosine * (0.16533 + cosine * (-0.040691 + cosine * 0.00932));
    for (int step = 0; step < 2; step++) {
        double square = root * root;
        root = (8.0 * square * root + cosine) / (12.0 * square - 3.0);
    }
    return root;
}

/* rng.rs */

#define STEP ((word)0x9e3779b97f4a7c15)

FUNCTION word mixed(word bits)
{
    bits = (bits ^ (bits >> 30)) * (word)0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * (word)0x94d049bb133111eb;
    return bits ^ (bits >> 31);
}

FUNCTION double uniform(word *counter)
{
    *counter += STEP;
    return (double)(mixed(*counter) >> 11) * (1.0 / 9007199254740992.0);
}

FUNCTION void normals(word *counter, double *two)
{
    for (;;) {
        double u = 2.0 * uniform(counter) - 1.0;
        double v = 2.0 * uniform(counter) - 1.0;
        double square = u * u + v * v;
        if (square > 0.0 && square < 1.0) {
            double length = sqrt(-2.0 * ln_of(square) / square);
            two[0] = u * length;
            two[1] = v * length;
            return;
        }
    }
}

/* vector.rs, smear.rs */

struct Particle {
    double x, y, z, e, mass;
};

struct Measured {
    /* Positive and negative lepton, and the jets taken for b and antib. */
    struct Particle particles[4];
    double missing[2];
};

FUNCTION void vary(struct Measured *measured, word event, word place, word variation)
{
    word counter = mixed(mixed(event + STEP));
    counter = mixed(counter ^ mixed(place + STEP));
    counter = mixed(counter ^ mixed(variation + STEP));
    double drawn[12];
    for (int i = 0; i < 12; i += 2)
        normals(&counter, drawn + i);
    for (int i = 0; i < 4; i++) {
        struct Particle *particle = &measured->particles[i];
        double x = particle->x, y = particle->y;
        particle->x = x * (1.0 + 0.02 * drawn[3 * i]);
        particle->y = y * (1.0 + 0.02 * drawn[3 * i + 1]);
        particle->z = particle->z * (1.0 + 0.02 * drawn[3 * i + 2]);
        particle->e = sqrt(particle->x * particle->x + particle->y * particle->y + particle->z * particle->z
                           + particle->mass * particle->mass);
        measured->missing[0] -= particle->x - x;
        measured->missing[1] -= particle->y - y;
    }
}
