/* neutrino.rs */

struct Masses {
    double normal[3], offset, rest, velocity[3];
};

/* Energy and component number `axis` of a neutrino's momentum, over the two others. */
struct Curve {
    int axis;
    double dependent[3], energy[3];
};

struct Solutions {
    /* Components x and y of both neutrinos: all that a weight needs. */
    double across[4][4];
    int count;
};

FUNCTION void masses_of(const struct Particle *l, const struct Particle *j, struct Masses *to)
{
    double l_inverse = 1.0 / l->e, j_inverse = 1.0 / j->e;
    double a = 0.5 * (80.4 * 80.4 - l->mass * l->mass);
    double c = 0.5 * (172.5 * 172.5 - 80.4 * 80.4 - j->mass * j->mass)
        - (l->e * j->e - l->x * j->x - l->y * j->y - l->z * j->z);
    to->velocity[0] = l->x * l_inverse;
    to->velocity[1] = l->y * l_inverse;
    to->velocity[2] = l->z * l_inverse;
    to->normal[0] = to->velocity[0] - j->x * j_inverse;
    to->normal[1] = to->velocity[1] - j->y * j_inverse;
    to->normal[2] = to->velocity[2] - j->z * j_inverse;
    to->offset = a * l_inverse - c * j_inverse;
    to->rest = a * l_inverse;
}

FUNCTION int dependent_axis(const struct Masses *m)
{
    double x = fabs(m->normal[0]), y = fabs(m->normal[1]), z = fabs(m->normal[2]);
    return z >= 0.1 * (x > y ? x : y) ? 2 : x >= y ? 0 : 1;
}

FUNCTION int curve_of(const struct Masses *m, int axis, struct Curve *to)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    if (m->normal[axis] == 0.0)
        return 0;
    double inverse = -1.0 / m->normal[axis], velocity = m->velocity[axis];
    to->axis = axis;
    to->dependent[0] = m->offset * inverse;
    to->dependent[1] = m->normal[u] * inverse;
    to->dependent[2] = m->normal[v] * inverse;
    to->energy[0] = m->rest + velocity * to->dependent[0];
    to->energy[1] = m->velocity[u] + velocity * to->dependent[1];
    to->energy[2] = m->velocity[v] + velocity * to->dependent[2];
    return 1;
}

FUNCTION double linear(const double *f, double u, double v)
{
    return f[0] + f[1] * u + f[2] * v;
}

FUNCTION void conic_of(const struct Curve *c, struct Conic *to)
{
    double d[3], s[3];
    for (int i = 0; i < 3; i++) {
        d[i] = c->energy[i] - c->dependent[i];
        s[i] = c->energy[i] + c->dependent[i];
    }
    to->xx = d[1] * s[1] - 1.0;
    to->xy = d[1] * s[2] + d[2] * s[1];
    to->yy = d[2] * s[2] - 1.0;
    to->x = d[0] * s[1] + d[1] * s[0];
    to->y = d[0] * s[2] + d[2] * s[0];
    to->one = d[0] * s[0];
}

FUNCTION void component(const struct Curve *c, int axis, double *to)
{
    int is_u = axis == (c->axis + 1) % 3, is_v = axis == (c->axis + 2) % 3;
    to[0] = is_u || is_v ? 0.0 : c->dependent[0];
    to[1] = is_u ? 1.0 : is_v ? 0.0 : c->dependent[1];
    to[2] = is_u ? 0.0 : is_v ? 1.0 : c->dependent[2];
}

FUNCTION void solve(const struct Measured *measured, struct Solutions *solutions)
{
    struct Masses first, second;
    masses_of(&measured->particles[0], &measured->particles[2], &first);
    masses_of(&measured->particles[1], &measured->particles[3], &second);
    int swapped = !(fabs(first.normal[2]) <= fabs(second.normal[2]));
    const struct Masses *base_masses = swapped ? &second : &first, *other_masses = swapped ? &first : &second;
    struct Curve base, other;
    solutions->count = 0;
    if (!curve_of(base_masses, dependent_axis(base_masses), &base) || !curve_of(other_masses, 2, &other))
        return;
    double rest[2][3];
    for (int axis = 0; axis < 2; axis++) {
        double seen[3];
        component(&base, axis, seen);
        rest[axis][0] = measured->missing[axis] - seen[0];
        rest[axis][1] = -seen[1];
        rest[axis][2] = -seen[2];
    }
    struct Conic a, flat, b;
    conic_of(&base, &a);
    conic_of(&other, &flat);
    pulled_back(&flat, rest[0], rest[1], &b);
    struct Points points;
    intersections(&a, &b, &points);
    for (int i = 0; i < points.count; i++) {
        double u = points.at[i][0], v = points.at[i][1];
        double other_x = linear(rest[0], u, v), other_y = linear(rest[1], u, v);
        if (linear(base.energy, u, v) > 0.0 && linear(other.energy, other_x, other_y) > 0.0) {
            double *across = solutions->across[solutions->count++];
            double seen[3];
            component(&base, 0, seen);
            across[0] = linear(seen, u, v);
            component(&base, 1, seen);
            across[1] = linear(seen, u, v);
            component(&other, 0, seen);
            across[2] = linear(seen, other_x, other_y);
            component(&other, 1, seen);
            across[3] = linear(seen, other_x, other_y);
        }
    }
}

/* weight.rs */

FUNCTION double of_neutrinos(const double *across)
{
    double first = sqrt(across[0] * across[0] + across[1] * across[1]) / 25.4;
    double second = sqrt(across[2] * across[2] + across[3] * across[3]) / 25.4;
    return first * second * exp_of(-(first + second));
}

/* The kernels. A row of `table` is a combination (table.rs); `scratch` holds the largest weight of each call, then their
 * numbers of solutions; a row of `best` is what a combination has come to. */

#define COLUMNS 25
#define OUTCOMES 4

/* A work item for each variation of each combination of this launch. */
LINKAGE __global__ void ttbar_fit(GLOBAL const word *table, GLOBAL word *scratch, GLOBAL word *best,
                                  word begin, word combinations, word variations)
{
    word item = ITEM, items = combinations * variations;
    if (item >= items)
        return;
    GLOBAL const word *row = table + COLUMNS * (begin + item / variations);
    word variation = item % variations;
    struct Measured measured;
    for (int i = 0; i < 4; i++) {
        measured.particles[i].x = NUMBER(row[5 * i]);
        measured.particles[i].y = NUMBER(row[5 * i + 1]);
        measured.particles[i].z = NUMBER(row[5 * i + 2]);
        measured.particles[i].e = NUMBER(row[5 * i + 3]);
        measured.particles[i].mass = NUMBER(row[5 * i + 4]);
    }
    measured.missing[0] = NUMBER(row[20]);
    measured.missing[1] = NUMBER(row[21]);
    if (variation != 0)
        vary(&measured, row[23], row[24], variation);
    struct Solutions solutions;
    solve(&measured, &solutions);
    double factor = NUMBER(row[22]), largest = 0.0;
    for (int i = 0; i < solutions.count; i++) {
        double weight = factor * of_neutrinos(solutions.across[i]);
        if (weight > largest)
            largest = weight;
    }
    scratch[item] = BITS(largest);
    scratch[items + item] = (word)solutions.count;
}

/* A work item for each combination: its likeliest variation, the first of equals, and counts. */
LINKAGE __global__ void ttbar_choose(GLOBAL const word *table, GLOBAL word *scratch, GLOBAL word *best,
                                     word begin, word combinations, word variations)
{
    word item = ITEM, items = combinations * variations;
    if (item >= combinations)
        return;
    double largest = 0.0;
    word chosen = 0, solvable = 0, solutions = 0;
    for (word variation = 0; variation < variations; variation++) {
        double weight = NUMBER(scratch[item * variations + variation]);
        word count = scratch[items + item * variations + variation];
        if (weight > largest) {
            largest = weight;
            chosen = variation;
        }
        solvable += count != 0;
        solutions += count;
    }
    GLOBAL word *row = best + OUTCOMES * (begin + item);
    row[0] = BITS(largest);
    row[1] = chosen;
    row[2] = solvable;
    row[3] = solutions;
}
