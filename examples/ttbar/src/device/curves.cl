/* quartic.rs */

struct Roots {
    double values[4];
    int count;
};

FUNCTION void push(struct Roots *roots, double root)
{
    if (roots->count < 4)
        roots->values[roots->count++] = root;
}

FUNCTION void quadratic(double a, double b, double c, struct Roots *roots)
{
    double discriminant = b * b - 4.0 * a * c;
    if (discriminant < 0.0 || (a == 0.0 && b == 0.0))
        return;
    double sum = -0.5 * (b + copysign(sqrt(discriminant), b));
    if (a == 0.0)
        push(roots, -c / b);
    else if (sum == 0.0)
        push(roots, 0.0);
    else {
        double first = sum / a, second = c / sum;
        push(roots, second < first ? second : first);
        push(roots, second < first ? first : second);
    }
}

FUNCTION void cubic(double a, double b, double c, double d, struct Roots *roots)
{
    double shift = b / (3.0 * a), p = c / a, q = d / a;
    roots->count = 0;
    if (a == 0.0 || !(IS_FINITE(shift) && IS_FINITE(p) && IS_FINITE(q))) {
        quadratic(b, c, d, roots);
        return;
    }
    double third = p / 3.0 - shift * shift;
    double half_ = (q - shift * p) / 2.0 + shift * shift * shift;
    double discriminant = half_ * half_ + third * third * third;
    if (discriminant > 0.0) {
        double larger = copysign(cbrt_of(fabs(half_) + sqrt(discriminant)), -half_);
        push(roots, larger - third / larger - shift);
    } else {
        double radius = sqrt(POSITIVE(-third)), cosine = 1.0;
        if (radius > 0.0) {
            cosine = -half_ / (radius * radius * radius);
            cosine = cosine < -1.0 ? -1.0 : cosine > 1.0 ? 1.0 : cosine;
        }
        double outer = third_of_angle(fabs(cosine));
        double side = sqrt(POSITIVE(3.0 * (1.0 - outer) * (1.0 + outer)));
        int mirrored = cosine < 0.0;
        push(roots, radius * (mirrored ? -2.0 * outer : -outer - side) - shift);
        push(roots, radius * (mirrored ? outer - side : side - outer) - shift);
        push(roots, radius * (mirrored ? outer + side : 2.0 * outer) - shift);
    }
    for (int i = 0; i < roots->count; i++) {
        double x = roots->values[i];
        double newton = x - (((a * x + b) * x + c) * x + d) / ((3.0 * a * x + 2.0 * b) * x + c);
        if (fabs(newton - x) <= 1e-6 * (fabs(x) + fabs(shift)))
            roots->values[i] = newton;
    }
    for (int step = 0; step < 3; step++) {
        int i = 1 + step % 2;
        if (i < roots->count && roots->values[i] < roots->values[i - 1]) {
            double swapped = roots->values[i];
            roots->values[i] = roots->values[i - 1];
            roots->values[i - 1] = swapped;
        }
    }
}

/* x^4 + c3 x^3 + c2 x^2 + c1 x + c0 */
struct Monic {
    double c0, c1, c2, c3;
};

FUNCTION double value(const struct Monic *m, double x)
{
    return (((x + m->c3) * x + m->c2) * x + m->c1) * x + m->c0;
}

FUNCTION double slope(const struct Monic *m, double x)
{
    return ((4.0 * x + 3.0 * m->c3) * x + 2.0 * m->c2) * x + m->c1;
}

FUNCTION double at_critical(const struct Monic *m, double x)
{
    double here = value(m, x), size = fabs(x);
    double terms = (((size + fabs(m->c3)) * size + fabs(m->c2)) * size + fabs(m->c1)) * size + fabs(m->c0);
    return fabs(here) <= 1e-13 * terms ? 0.0 : here;
}

FUNCTION double between(const struct Monic *m, double below, double above, double start)
{
    double x = start;
    for (int step = 0; step < 2100; step++) {
        double here = value(m, x);
        if (here < 0.0)
            below = x;
        else
            above = x;
        double newton = x - here / slope(m, x);
        int inside = (newton - below) * (newton - above) <= 0.0;
        double next = inside ? newton : 0.5 * below + 0.5 * above;
        double moved = fabs(next - x);
        x = next;
        if (moved <= 1e-9 * fabs(x) || moved == 0.0) {
            double last = x - value(m, x) / slope(m, x);
            return fabs(last - x) <= moved ? last : x;
        }
    }
    return x;
}

FUNCTION double outside(const struct Monic *m, double critical, double side)
{
    double depth = -value(m, critical);
    double bend = (6.0 * critical + 3.0 * m->c3) * critical + m->c2;
    double distance = sqrt(sqrt(depth));
    if (bend > 0.0) {
        double parabola = sqrt(depth / bend);
        distance = parabola < distance ? parabola : distance;
    }
    double least = EPSILON * fabs(critical);
    distance = least > distance ? least : distance;
    distance = SMALLEST > distance ? SMALLEST : distance;
    double below = critical;
    while (value(m, critical + side * distance) < 0.0) {
        below = critical + side * distance;
        distance *= 2.0;
    }
    double above = critical + side * distance;
    return between(m, below, above, above);
}

FUNCTION void real_roots(const double *c, struct Roots *roots)
{
    roots->count = 0;
    for (int i = 0; i < 5; i++)
        if (!IS_FINITE(c[i]))
            return;
    struct Monic m;
    m.c0 = c[0] / c[4];
    m.c1 = c[1] / c[4];
    m.c2 = c[2] / c[4];
    m.c3 = c[3] / c[4];
    if (c[4] == 0.0 || !(IS_FINITE(m.c0) && IS_FINITE(m.c1) && IS_FINITE(m.c2) && IS_FINITE(m.c3))) {
        cubic(c[3], c[2], c[1], c[0], roots);
        return;
    }
    struct Roots critical;
    cubic(4.0, 3.0 * m.c3, 2.0 * m.c2, m.c1, &critical);
    if (critical.count == 0)
        return;
    double before_x = critical.values[0], before = at_critical(&m, before_x);
    if (before < 0.0)
        push(roots, outside(&m, before_x, -1.0));
    else if (before == 0.0) {
        push(roots, before_x);
        push(roots, before_x);
    }
    for (int i = 1; i < critical.count; i++) {
        double x = critical.values[i], here = at_critical(&m, x);
        if (here == 0.0 && before != 0.0) {
            push(roots, x);
            push(roots, x);
        } else if (before * here < 0.0) {
            double below = here < 0.0 ? x : before_x, above = here < 0.0 ? before_x : x;
            push(roots, between(&m, below, above, 0.5 * below + 0.5 * above));
        }
        before_x = x;
        before = here;
    }
    if (before < 0.0)
        push(roots, outside(&m, before_x, 1.0));
}

/* conic.rs */

struct Conic {
    double xx, xy, yy, x, y, one;
};

struct Points {
    double at[4][2];
    int count;
};

FUNCTION double at_point(const struct Conic *c, double x, double y)
{
    return (c->xx * x + c->xy * y + c->x) * x + (c->yy * y + c->y) * y + c->one;
}

FUNCTION int lies_on(const struct Conic *c, double x, double y)
{
    double h = fabs(x), v = fabs(y);
    double size = (fabs(c->xx) * h + fabs(c->xy) * v + fabs(c->x)) * h + (fabs(c->yy) * v + fabs(c->y)) * v + fabs(c->one);
    return fabs(at_point(c, x, y)) <= 1e-9 * size;
}

FUNCTION void gradient(const struct Conic *c, double x, double y, double *to)
{
    to[0] = 2.0 * c->xx * x + c->xy * y + c->x;
    to[1] = c->xy * x + 2.0 * c->yy * y + c->y;
}

FUNCTION void pulled_back(const struct Conic *c, const double *p, const double *q, struct Conic *to)
{
    double pu = 2.0 * c->xx * p[1] + c->xy * q[1], pv = 2.0 * c->xx * p[2] + c->xy * q[2];
    double qu = c->xy * p[1] + 2.0 * c->yy * q[1], qv = c->xy * p[2] + 2.0 * c->yy * q[2];
    double g[2];
    gradient(c, p[0], q[0], g);
    to->xx = 0.5 * (p[1] * pu + q[1] * qu);
    to->xy = p[2] * pu + q[2] * qu;
    to->yy = 0.5 * (p[2] * pv + q[2] * qv);
    to->x = g[0] * p[1] + g[1] * q[1];
    to->y = g[0] * p[2] + g[1] * q[2];
    to->one = at_point(c, p[0], q[0]);
}

FUNCTION void polish(const struct Conic *a, const struct Conic *b, double *point)
{
    for (int step = 0; step < 20; step++) {
        double ag[2], bg[2];
        gradient(a, point[0], point[1], ag);
        gradient(b, point[0], point[1], bg);
        double a_share = 1.0 / (ag[0] * ag[0] + ag[1] * ag[1]), b_share = 1.0 / (bg[0] * bg[0] + bg[1] * bg[1]);
        double a_pull = at_point(a, point[0], point[1]) * a_share, b_pull = at_point(b, point[0], point[1]) * b_share;
        double x = ag[0] * a_pull + bg[0] * b_pull, y = ag[1] * a_pull + bg[1] * b_pull;
        double xx = ag[0] * ag[0] * a_share + bg[0] * bg[0] * b_share + 1e-10;
        double yy = ag[1] * ag[1] * a_share + bg[1] * bg[1] * b_share + 1e-10;
        double xy = ag[0] * ag[1] * a_share + bg[0] * bg[1] * b_share;
        double inverse = 1.0 / (xx * yy - xy * xy);
        double step_x = (x * yy - y * xy) * inverse, step_y = (y * xx - x * xy) * inverse;
        if (!(IS_FINITE(step_x) && IS_FINITE(step_y)))
            return;
        point[0] = point[0] - step_x;
        point[1] = point[1] - step_y;
        if (fabs(step_x) + fabs(step_y) <= 1e-8 * (fabs(point[0]) + fabs(point[1])))
            return;
    }
}

FUNCTION void add(struct Points *points, const struct Conic *a, const struct Conic *b, double x, double y)
{
    double point[2];
    point[0] = x;
    point[1] = y;
    polish(a, b, point);
    if (points->count == 4 || !lies_on(a, point[0], point[1]) || !lies_on(b, point[0], point[1]))
        return;
    double size = fabs(point[0]) + fabs(point[1]);
    for (int i = 0; i < points->count; i++) {
        double distance = fabs(points->at[i][0] - point[0]) + fabs(points->at[i][1] - point[1]);
        if (!(distance > 1e-9 * size))
            return;
    }
    points->at[points->count][0] = point[0];
    points->at[points->count][1] = point[1];
    points->count++;
}

FUNCTION void intersections(const struct Conic *a, const struct Conic *b, struct Points *points)
{
    double square[3], line[2], third[4], resultant[5];
    square[0] = a->yy * b->one - a->one * b->yy;
    square[1] = a->yy * b->x - a->x * b->yy;
    square[2] = a->yy * b->xx - a->xx * b->yy;
    line[0] = a->yy * b->y - a->y * b->yy;
    line[1] = a->yy * b->xy - a->xy * b->yy;
    third[0] = a->y * b->one - a->one * b->y;
    third[1] = a->y * b->x + a->xy * b->one - a->one * b->xy - a->x * b->y;
    third[2] = a->y * b->xx + a->xy * b->x - a->x * b->xy - a->xx * b->y;
    third[3] = a->xy * b->xx - a->xx * b->xy;
    resultant[0] = square[0] * square[0] - line[0] * third[0];
    resultant[1] = 2.0 * square[0] * square[1] - line[0] * third[1] - line[1] * third[0];
    resultant[2] = 2.0 * square[0] * square[2] + square[1] * square[1] - line[0] * third[2] - line[1] * third[1];
    resultant[3] = 2.0 * square[1] * square[2] - line[0] * third[3] - line[1] * third[2];
    resultant[4] = square[2] * square[2] - line[1] * third[3];
    struct Roots roots;
    real_roots(resultant, &roots);
    points->count = 0;
    for (int i = 0; i < roots.count; i++) {
        double x = roots.values[i];
        double divisor = line[1] * x + line[0];
        add(points, a, b, x, -((square[2] * x + square[1]) * x + square[0]) / divisor);
        if ((i > 0 && roots.values[i - 1] == x) || fabs(divisor) <= 1e-4 * (fabs(line[1] * x) + fabs(line[0]))) {
            double middle = a->xy * x + a->y;
            double root = sqrt(POSITIVE(middle * middle - 4.0 * a->yy * ((a->xx * x + a->x) * x + a->one)));
            add(points, a, b, x, (-root - middle) / (2.0 * a->yy));
            add(points, a, b, x, (root - middle) / (2.0 * a->yy));
        }
    }
}
