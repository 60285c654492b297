/* Which jet is which? Kinematic reconstruction of an event with two top quarks, one of which decays to a lepton, a neutrino and a jet, the
 * other to three jets. One thread tries one assignment of the jets in one variation of
 * the measured energies.
 *
 * `event` holds the four-vectors (px, py, pz, E) of the lepton and of four jets and the missing transverse momentum (px, py), in GeV;
 * `smear` a factor for each jet of each variation; `score` gets the log-likelihood of every variation and assignment: the largest is
 * the reconstruction. */
/* Masses of the W boson and the top quark, and what a detector makes of them, in GeV. */
#define W_MASS 80.4
#define W_WIDTH 10.0
#define TOP_MASS 172.5
#define TOP_WIDTH 20.0

/* Squared mass of a four-vector (px, py, pz, E). */
__device__ double mass2(const double *p)
{
    return p[3] * p[3] - p[0] * p[0] - p[1] * p[1] - p[2] * p[2];
}

/* How far a mass is from what it should be, in units of its resolution, squared. */
__device__ double pull2(double squared, double expected, double width)
{
    double pull = (sqrt(fmax(squared, 0.0)) - expected) / width;
    return pull * pull;
}

/* Longitudinal momenta of the neutrino for which lepton and neutrino have the mass of a W: the two solutions of a quadratic equation, or
 * the real part of both where smearing has left no real one. */
__device__ void neutrino(const double *lepton, double px, double py, double *pz)
{
    double middle = 0.5 * W_MASS * W_MASS + lepton[0] * px + lepton[1] * py;
    double transverse2 = lepton[0] * lepton[0] + lepton[1] * lepton[1];
    double root2 = middle * middle - transverse2 * (px * px + py * py);
    double root = lepton[3] * sqrt(fmax(root2, 0.0));
    pz[0] = (middle * lepton[2] + root) / transverse2;
    pz[1] = (middle * lepton[2] - root) / transverse2;
}

/* Log-likelihood of one assignment of four jets, each scaled by its own factor: `order` is a number below 12, which says the jet of the
 * leptonic top (4), that of the hadronic top (3 are left), and so the two of the W. */
__device__ double likelihood(const double *event, const double *smear, int order)
{
    double lepton[4], jets[4][4], pz[2];
    double px = event[20], py = event[21];
    for (int k = 0; k < 4; k++)
        lepton[k] = event[k];
    for (int jet = 0; jet < 4; jet++) {
        for (int k = 0; k < 4; k++)
            jets[jet][k] = smear[jet] * event[4 + 4 * jet + k];
        /* What a jet gains, the missing momentum loses. */
        px -= (smear[jet] - 1.0) * event[4 + 4 * jet];
        py -= (smear[jet] - 1.0) * event[5 + 4 * jet];
    }
    int leptonic = order / 3, hadronic = order % 3;
    hadronic += hadronic >= leptonic;
    double w[4] = {0.0, 0.0, 0.0, 0.0}, top[4];
    for (int jet = 0; jet < 4; jet++)
        for (int k = 0; k < 4; k++)
            if (jet != leptonic && jet != hadronic)
                w[k] += jets[jet][k];
    for (int k = 0; k < 4; k++)
        top[k] = w[k] + jets[hadronic][k];
    double chi2 = pull2(mass2(w), W_MASS, W_WIDTH) + pull2(mass2(top), TOP_MASS, TOP_WIDTH);
    neutrino(lepton, px, py, pz);
    double nearer = 1e300;
    for (int k = 0; k < 2; k++) {
        top[0] = lepton[0] + px + jets[leptonic][0];
        top[1] = lepton[1] + py + jets[leptonic][1];
        top[2] = lepton[2] + pz[k] + jets[leptonic][2];
        top[3] = lepton[3] + sqrt(px * px + py * py + pz[k] * pz[k]) + jets[leptonic][3];
        nearer = fmin(nearer, pull2(mass2(top), TOP_MASS, TOP_WIDTH));
    }
    return -0.5 * (chi2 + nearer);
}

extern "C" __global__ void kinreco(int variations, int combinations, const double *event, const double *smear, double *score)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= variations * combinations)
        return;
    score[thread] = likelihood(event, smear + 4 * (thread / combinations), thread % combinations);
}
