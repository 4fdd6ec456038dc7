/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shock_ghosts.c: which cells the levels of AMRMesh have, and their ghost cells, one
 * by one. */
#include <math.h>

#include "tests/lib/shock_levels.h"

/* Each cell has `distance` cells of the coarser level all around it. */
static void nesting_check(struct mesh_port *mesh, int level, int distance)
{
    const struct mesh_domain *d = mesh->domain(mesh);
    int64_t nx = d->nx << (level - 1), ny = d->ny << (level - 1);
    unsigned char *fine = level_cells(mesh, level),
                  *coarse = level_cells(mesh, level - 1);

    for (int64_t j = 0; j < 2 * ny; j++)
        for (int64_t i = 0; i < 2 * nx; i++)
            for (int64_t b = j / 2 - distance;
                 fine[j * 2 * nx + i] && b <= j / 2 + distance; b++)
                for (int64_t c = i / 2 - distance; c <= i / 2 + distance; c++) {
                    int64_t x = d->periodic_x ? (c + nx) % nx : c;
                    int64_t y = d->periodic_y ? (b + ny) % ny : b;

                    if (x >= 0 && x < nx && y >= 0 && y < ny)
                        assert_int_equal(1, coarse[y * nx + x]);
                }
    free(fine);
    free(coarse);
}

/* --- Ghost cells, cell by cell --------------------------------------------- */

/* A number of its own for each cell of each level, at each of two times. */
static double cell_value(int level, int64_t i, int64_t j, int component, int time)
{
    uint64_t h = (uint64_t)(((level * 4096 + i) * 4096 + j) * 8 + component * 2 + time);

    h *= 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (double)(h >> 40) / (1 << 24);
}

static void level_set(struct mesh_port *mesh, int level, int field, int time)
{
    for (int k = 0; k < mesh->patch_count(mesh, level); k++) {
        const struct mesh_patch *p = mesh->patch(mesh, level, k);
        double *u = mesh->field(mesh, level, k, field);

        for (ptrdiff_t n = 0; n < 2 * p->plane; n++)
            u[n] = -7.;
        for (int c = 0; c < 2; c++)
            for (int j = 0; j < p->ny; j++)
                for (int i = 0; i < p->nx; i++)
                    u[c * p->plane + (j + p->ghost) * p->pitch + i + p->ghost] =
                        cell_value(level, p->ilo + i, p->jlo + j, c, time);
    }
}

static double coarse_value(int level, int64_t i, int64_t j, int c, double fraction)
{
    return (1. - fraction) * cell_value(level, i, j, c, 0) +
           fraction * cell_value(level, i, j, c, 1);
}

static double limited(double low, double high)
{
    double most = 2. * fmin(fabs(low), fabs(high)), middle = .5 * (low + high);

    return low * high <= 0. ? 0. : copysign(fmin(fabs(middle), most), middle);
}

static int64_t wrapped(int64_t i, int64_t n, int periodic)
{
    return periodic ? (i % n + n) % n : i;
}

/* What the ghost cell (i, j) of a fine level must be, from the coarser one. */
static double expected_fine(const struct mesh_domain *d, int level, int64_t i, int64_t j,
                            int c, double fraction)
{
    int64_t nx = d->nx << (level - 1), ny = d->ny << (level - 1), x = i / 2, y = j / 2;
    int64_t left = wrapped(x - 1, nx, d->periodic_x),
            right = wrapped(x + 1, nx, d->periodic_x);
    int64_t below = wrapped(y - 1, ny, d->periodic_y),
            above = wrapped(y + 1, ny, d->periodic_y);
    double u = coarse_value(level - 1, x, y, c, fraction), in_x = 0., in_y = 0.;

    if (left >= 0 && right < nx)
        in_x = limited(u - coarse_value(level - 1, left, y, c, fraction),
                       coarse_value(level - 1, right, y, c, fraction) - u);
    if (below >= 0 && above < ny)
        in_y = limited(u - coarse_value(level - 1, x, below, c, fraction),
                       coarse_value(level - 1, x, above, c, fraction) - u);
    return u + ((i % 2 ? .25 : -.25) * in_x + (j % 2 ? .25 : -.25) * in_y);
}

/* Returns the ghost cells that were filled. */
static int64_t ghosts_check(struct mesh_port *mesh, int level, int field, double fraction)
{
    const struct mesh_domain *d = mesh->domain(mesh);
    int64_t nx = d->nx << level, ny = d->ny << level, filled = 0;
    unsigned char *cells = level_cells(mesh, level);

    for (int k = 0; k < mesh->patch_count(mesh, level); k++) {
        const struct mesh_patch *p = mesh->patch(mesh, level, k);
        const double *u = mesh->field(mesh, level, k, field);

        for (int c = 0; c < 2; c++)
            for (int j = -p->ghost; j < p->ny + p->ghost; j++)
                for (int i = -p->ghost; i < p->nx + p->ghost; i++) {
                    int64_t x = wrapped(p->ilo + i, nx, d->periodic_x);
                    int64_t y = wrapped(p->jlo + j, ny, d->periodic_y);
                    int inside = x >= 0 && x < nx && y >= 0 && y < ny;
                    int ghost = i < 0 || j < 0 || i >= p->nx || j >= p->ny;
                    double expected = !inside ? -7.
                                      : cells[y * nx + x]
                                          ? cell_value(level, x, y, c, 1)
                                          : expected_fine(d, level, x, y, c, fraction);
                    double found =
                        u[c * p->plane + (j + p->ghost) * p->pitch + i + p->ghost];

                    if (fabs(found - expected) > 1e-15 * (fabs(expected) + 4.))
                        fail_msg("level %d, patch %d, cell %d, %d: %.17g, expected %.17g",
                                 level, k, i, j, found, expected);
                    filled += inside && ghost && !c;
                }
    }
    free(cells);
    return filled;
}

static void flags_set(struct mesh_port *mesh, int flags, const double centers[][2],
                      int count)
{
    for (int l = 0; l < mesh->level_count(mesh); l++)
        for (int k = 0; k < mesh->patch_count(mesh, l); k++) {
            const struct mesh_patch *p = mesh->patch(mesh, l, k);
            double *f = mesh->field(mesh, l, k, flags);

            for (int j = 0; j < p->ny; j++)
                for (int i = 0; i < p->nx; i++)
                    for (int n = 0; n < count; n++) {
                        double x = p->xlo + (i + .5) * p->dx - centers[n][0];
                        double y = p->ylo + (j + .5) * p->dy - centers[n][1];

                        if (x * x + y * y < .02 / (1 + l))
                            f[(j + p->ghost) * p->pitch + i + p->ghost] = 1.;
                    }
        }
}

TEST(every_ghost_cell_is_its_neighbours_or_the_coarser_levels)
{
    static const double centers[][2] = {{.1, .05}, {.5, .6}, {.97, .9}, {.45, .02}};

    for (int n = 0; n < 16; n++) {
        struct mesh_domain domain = {0, 0, 1, 1, 22, 18, n & 1, n >> 1 & 1};
        struct assembly a;
        struct mesh_port *mesh;
        struct cca_error err = {0};
        int field, flags;

        amr_open(&a, "HLLCFlux");
        mesh = assembly_mesh(&a);
        assembly_set(&a, "mesh", "patches_x", n & 4 ? "3" : "1");
        assembly_set(&a, "mesh", "patch_nx", n & 8 ? "6" : "0");
        assembly_set(&a, "mesh", "patch_ny", n & 8 ? "5" : "0");
        assembly_check(mesh->define(mesh, &domain, 2, &err), &err);
        field = mesh->field_new(mesh, "u", 2, MESH_KEPT, &err);
        flags = mesh->field_new(mesh, "flags", 1, MESH_SCRATCH, &err);
        for (int l = 1; l < 3; l++) {
            flags_set(mesh, flags, centers, 4);
            assert_int_equal(1, mesh->regrid(mesh, 0, flags, NULL, &err));
        }
        assert_int_equal(3, mesh->level_count(mesh));
        for (int l = 0; l < 3; l++) {
            level_set(mesh, l, field, 0);
            assert_int_equal(0, mesh->keep_old(mesh, l, field));
            level_set(mesh, l, field, 1);
        }
        for (int l = 0; l < 3; l++) {
            double fraction = .25 * (n % 5);
            int64_t cells = -1, bytes = -1, peers = -1;

            if (l)
                nesting_check(mesh, l, 2);
            assert_int_equal(
                0, mesh->exchange(mesh, l, field, fraction, &cells, &bytes, &peers));
            assert_true(cells == ghosts_check(mesh, l, field, fraction));
            assert_true(bytes == 0 && peers == 0);
        }
        assembly_close(&a);
    }
}

TEST(regrid_above_a_fine_level_leaves_that_level_alone)
{
    static const double before[][2] = {{.3, .3}}, after[][2] = {{.38, .3}};
    struct mesh_domain domain = {0, 0, 1, 1, 32, 32, 0, 0};
    struct assembly a;
    struct mesh_port *mesh;
    struct cca_error err = {0};
    unsigned char *first[3];
    int flags;

    amr_open(&a, "HLLCFlux");
    mesh = assembly_mesh(&a);
    assembly_check(mesh->define(mesh, &domain, 2, &err), &err);
    flags = mesh->field_new(mesh, "flags", 1, MESH_SCRATCH, &err);
    for (int l = 1; l < 3; l++) {
        flags_set(mesh, flags, before, 1);
        assert_int_equal(1, mesh->regrid(mesh, 0, flags, NULL, &err));
    }
    for (int l = 1; l < 3; l++)
        first[l] = level_cells(mesh, l);
    /* Flags stay on the levels that regrid leaves alone. */
    for (int k = 0; k < mesh->patch_count(mesh, 1); k++) {
        const struct mesh_patch *p = mesh->patch(mesh, 1, k);

        memset(mesh->field(mesh, 1, k, flags), 0, (size_t)p->plane * sizeof(double));
    }
    flags_set(mesh, flags, after, 1);
    assert_int_equal(1, mesh->regrid(mesh, 1, flags, NULL, &err));
    assert_int_equal(0, mesh->regrid(mesh, 1, flags, NULL, &err));
    assert_int_equal(3, mesh->level_count(mesh));
    nesting_check(mesh, 2, 2);
    for (int l = 1; l < 3; l++) {
        unsigned char *now = level_cells(mesh, l);

        assert_int_equal(l == 1, !memcmp(first[l], now, (size_t)(32 * 32) << 2 * l));
        free(now);
        free(first[l]);
    }
    /* No flags on level 1: level 2 goes. */
    for (int k = 0; k < mesh->patch_count(mesh, 1); k++) {
        const struct mesh_patch *p = mesh->patch(mesh, 1, k);

        memset(mesh->field(mesh, 1, k, flags), 0, (size_t)p->plane * sizeof(double));
    }
    assert_int_equal(1, mesh->regrid(mesh, 1, flags, NULL, &err));
    assert_int_equal(2, mesh->level_count(mesh));
    assembly_close(&a);
}

TESTS(NULL, NULL)
