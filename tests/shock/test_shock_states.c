/* SPDX-License-Identifier: BSD-3-Clause */
/* StatesRows against States: the same bits for every size of patch, layout and limiter.
 */
#include "tests/lib/test.h"

#include "tests/lib/shock_assembly.h"
#include "ports/states_port.h"

static const char *const classes[] = {"States", "StatesRows"};
static const char *const limiters[] = {"none", "minmod", "vanleer"};

struct pair {
    struct assembly assembly;
    struct states_port *port[2];
};

static void pair_open(struct pair *p)
{
    struct cca_framework_options options = {0};
    struct cca_error err = {0};

    p->assembly.framework = cca_framework_new(&options, &err);
    assembly_check(p->assembly.framework ? 0 : -1, &err);
    assembly_path(&p->assembly, "lib/mastermind");
    assembly_create(&p->assembly, "GasProperties", "gas");
    for (int c = 0; c < 2; c++) {
        assembly_create(&p->assembly, classes[c], classes[c]);
        assembly_connect(&p->assembly, classes[c], "gas", "gas", "gas");
        p->port[c] = assembly_port(&p->assembly, classes[c], "states", STATES_PORT_TYPE,
                                   sizeof *p->port[c]);
    }
}

static void pair_limiter(struct pair *p, int limiter)
{
    for (int c = 0; c < 2; c++)
        assembly_set(&p->assembly, classes[c], "limiter", limiters[limiter]);
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static double uniform(uint64_t *seed, double low, double high)
{
    return low + (high - low) * (double)(random_next(seed) >> 11) * 0x1p-53;
}

/* A patch and what it lies in. */
struct layout {
    int axis, nx, ny, ghost;
    ptrdiff_t pitch, plane;
};

static size_t layout_cells(const struct layout *l)
{
    /* Nothing lies behind the last ghost cell of the last component. */
    return (size_t)(4 * l->plane + (l->ny + 2 * l->ghost - 1) * l->pitch + l->nx +
                    2 * l->ghost);
}

static size_t layout_faces(const struct layout *l)
{
    return (size_t)EULER_NVAR * (size_t)(l->nx + !l->axis) * (size_t)(l->ny + l->axis);
}

/* Cells of gas, a fifth of them like the cell before, over `decades` up and down. */
static double *layout_gas(const struct layout *l, uint64_t *seed, double decades)
{
    size_t cells = layout_cells(l);
    double *u = malloc(cells * sizeof *u), w[EULER_NVAR] = {1., 0., 0., 1., 0.};

    assert_non_null(u);
    for (size_t i = 0; i < cells; i++)
        u[i] = NAN; /* columns beyond the ghosts */
    for (int j = 0; j < l->ny + 2 * l->ghost; j++)
        for (int i = 0; i < l->nx + 2 * l->ghost; i++) {
            double c[EULER_NVAR];

            if (random_next(seed) % 5) {
                w[EULER_RHO] = pow(10., uniform(seed, -decades, decades));
                w[EULER_P] = pow(10., uniform(seed, -decades, decades));
                w[EULER_U] = uniform(seed, -2., 2.) * sqrt(w[EULER_P] / w[EULER_RHO]);
                w[EULER_V] = uniform(seed, -2., 2.) * sqrt(w[EULER_P] / w[EULER_RHO]);
                w[EULER_ZETA] = uniform(seed, 0., 1.);
            }
            euler_conserved(1.4, w, c);
            for (int k = 0; k < EULER_NVAR; k++)
                u[k * l->plane + j * l->pitch + i] = c[k];
        }
    return u;
}

/* Both classes on one patch: their result and every face agree. Returns the result. */
static int pair_compare(struct pair *p, const struct layout *l, const double *u)
{
    size_t faces = layout_faces(l);
    double *side[2][2];
    int result[2];

    for (int c = 0; c < 2; c++) {
        for (int s = 0; s < 2; s++) {
            side[c][s] = malloc(faces * sizeof(double));
            assert_non_null(side[c][s]);
            memset(side[c][s], c ? 0x5a : 0xa5, faces * sizeof(double));
        }
        result[c] =
            p->port[c]->reconstruct(p->port[c], l->axis, l->nx, l->ny, l->ghost, l->pitch,
                                    l->plane, u, side[c][0], side[c][1]);
    }
    assert_int_equal(result[0], result[1]);
    for (int s = 0; s < 2; s++) {
        if (!result[0] && memcmp(side[0][s], side[1][s], faces * sizeof(double)))
            fail_msg("axis %d, %d x %d, %d ghosts, pitch %td: %s states differ", l->axis,
                     l->nx, l->ny, l->ghost, l->pitch, s ? "right" : "left");
        free(side[0][s]);
        free(side[1][s]);
    }
    return result[0];
}

/* A layout of nx x ny cells with pitch and plane that are larger than needed by chance.
 */
static struct layout layout_random(int nx, int ny, int axis, int limiter, uint64_t *seed)
{
    struct layout l = {.axis = axis, .nx = nx, .ny = ny};

    l.ghost = (limiter ? 2 : 1) + (int)(random_next(seed) % 3);
    l.pitch = nx + 2 * l.ghost + (ptrdiff_t)(random_next(seed) % 2 * 5);
    l.plane = l.pitch * (ny + 2 * l.ghost) + (ptrdiff_t)(random_next(seed) % 2 * 7);
    return l;
}

static void size_compare(struct pair *p, int nx, int ny, int limiter, int axis,
                         uint64_t *seed)
{
    struct layout l = layout_random(nx, ny, axis, limiter, seed);
    double *u = layout_gas(&l, seed, random_next(seed) % 2 ? 1. : 3.);

    assert_int_equal(pair_compare(p, &l, u), 0);
    free(u);
}

TEST(rows_give_the_bits_of_pencils)
{
    /* Widths where a strip of columns ends. */
    static const int wide[] = {254, 255, 256, 257, 258, 259, 511, 512, 513, 700};
    int all = getenv("SOAK") != NULL; /* else larger sizes in one of the two modes */
    struct pair p;
    uint64_t seed = 88172645463325252u;

    pair_open(&p);
    for (int limiter = 0; limiter < 3; limiter++) {
        pair_limiter(&p, limiter);
        for (int nx = 1; nx <= 70; nx++)
            for (int ny = 1; ny <= 70; ny++)
                if (all || nx * ny <= 300 || (nx + ny) % 3 == limiter)
                    for (int axis = 0; axis < 2; axis++)
                        if (all || nx * ny <= 300 ||
                            random_next(&seed) % 2 == (uint64_t)axis)
                            size_compare(&p, nx, ny, limiter, axis, &seed);
        for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
            for (int axis = 0; axis < 2; axis++)
                size_compare(&p, wide[k], 1 + (int)k % 4, limiter, axis, &seed);
    }
    assembly_close(&p.assembly);
}

TEST(vectors_of_any_width_give_the_same_bits)
{
    static const char *const vectors[] = {"baseline", "avx2", "avx512"};
    struct pair p;
    uint64_t seed = 521288629u;

    pair_open(&p);
    for (int k = 0; k < 3; k++) {
        assembly_set(&p.assembly, "StatesRows", "vectors", vectors[k]);
        for (int limiter = 0; limiter < 3; limiter++) {
            pair_limiter(&p, limiter);
            for (int n = 1; n <= 20; n++)
                for (int axis = 0; axis < 2; axis++)
                    size_compare(&p, n, 21 - n, limiter, axis, &seed);
        }
    }
    assembly_close(&p.assembly);
}

/* One cell after the other is no gas, also ghost cells that a face needs and those in the
 * corners, which none needs. */
TEST(both_refuse_the_same_cells)
{
    static const double bad[] = {0., -1., NAN, INFINITY};
    struct pair p;
    uint64_t seed = 2463534242u;
    int refused = 0, taken = 0;

    pair_open(&p);
    for (int limiter = 0; limiter < 3; limiter++) {
        pair_limiter(&p, limiter);
        for (int axis = 0; axis < 2; axis++) {
            struct layout l = layout_random(7, 6, axis, limiter, &seed);
            double *u = layout_gas(&l, &seed, 1.);

            for (int j = 0; j < l.ny + 2 * l.ghost; j++)
                for (int i = 0; i < l.nx + 2 * l.ghost; i++)
                    for (int n = 0; n < 8; n++) {
                        double *cell =
                            &u[(n < 4 ? EULER_RHO : EULER_P) * l.plane + j * l.pitch + i];
                        double kept = *cell;
                        int result;

                        *cell = bad[n % 4];
                        result = pair_compare(&p, &l, u);
                        assert_true(result == 0 || result == -EDOM);
                        *(result ? &refused : &taken) += 1;
                        *cell = kept;
                    }
            l.ghost = limiter ? 1 : 0;
            assert_int_equal(pair_compare(&p, &l, u), -EINVAL);
            free(u);
        }
    }
    assert_true(refused > 500 && taken > 500);
    assembly_close(&p.assembly);
}

/* Densities and pressures so far apart that differences overflow: cells become constant.
 */
TEST(both_fall_back_where_lines_overflow)
{
    struct pair p;
    uint64_t seed = 362436069u;
    int compared = 0;

    pair_open(&p);
    for (int n = 0; n < 600; n++) {
        int limiter = 1 + n % 2;
        struct layout l = layout_random(1 + n % 9, 1 + n % 7, n / 2 % 2, limiter, &seed);
        double *u = layout_gas(&l, &seed, 1.);

        for (int j = 0; j < l.ny + 2 * l.ghost; j++)
            for (int i = 0; i < l.nx + 2 * l.ghost; i++) {
                double *at = &u[j * l.pitch + i];

                at[EULER_RHO * l.plane] = ldexp(1., (int)(random_next(&seed) % 1000));
                at[EULER_U * l.plane] = at[EULER_V * l.plane] = 0.;
                at[EULER_P * l.plane] = ldexp(1., (int)(random_next(&seed) % 1000));
            }
        pair_limiter(&p, limiter);
        compared += pair_compare(&p, &l, u) == 0;
        free(u);
    }
    assert_int_equal(compared, 600);
    assembly_close(&p.assembly);
}

TEST(runs_with_either_class_give_the_same_field)
{
    enum { nx = 64, ny = 22 };
    double *field[2];

    for (int c = 0; c < 2; c++) {
        struct assembly a;

        assembly_open(&a, "HLLCFlux", "GasProperties");
        assembly_create(&a, classes[c], "other");
        assembly_connect(&a, "other", "gas", "gas", "gas");
        assembly_disconnect(&a, "rhs", "states", "states", "states");
        assembly_connect(&a, "rhs", "states", "other", "states");
        assembly_domain(&a, "shock_interface", nx, ny, .5);
        assembly_set(&a, "mesh", "patches_x", "3");
        assembly_go(&a);
        field[c] = assembly_field(&a);
        assembly_close(&a);
    }
    assert_memory_equal(field[0], field[1], EULER_NVAR * nx * ny * sizeof(double));
    free(field[0]);
    free(field[1]);
}

TESTS(NULL, NULL)
