/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shock_amr_run.c: ShockDriver with ErrorEstimator on AMRMesh: the shock problem on
 * three levels against the uniform meshes of the finest and of the middle cell size. */
#include <math.h>

#include "tests/lib/shock_assembly.h"

enum { LEVELS = 3 };

static int in_full(void)
{
    return getenv("SOAK") != NULL && !TEST_ASAN && !TEST_TSAN;
}

/* The density on the cells of the finest level, [ny][nx], each from the finest patch that
 * has it; new. */
static double *density_on(struct assembly *a, int finest)
{
    struct mesh_port *mesh = assembly_mesh(a);
    const struct mesh_domain *d = mesh->domain(mesh);
    int64_t nx = d->nx << finest, ny = d->ny << finest;
    double *rho = malloc((size_t)(nx * ny) * sizeof *rho);

    assert_non_null(rho);
    for (int l = 0; l < mesh->level_count(mesh); l++) {
        int64_t size = (d->nx << l) * (d->ny << l);
        double *u = malloc((size_t)size * EULER_NVAR * sizeof *u);

        assert_non_null(u);
        for (int64_t i = 0; i < size * EULER_NVAR; i++)
            u[i] = -1.;
        assert_int_equal(0, mesh->gather(mesh, l, 0, u));
        for (int64_t j = 0; j < ny; j++)
            for (int64_t i = 0; i < nx; i++) {
                double value =
                    u[(j >> (finest - l)) * (d->nx << l) + (i >> (finest - l))];

                if (value > 0.)
                    rho[j * nx + i] = value;
            }
        free(u);
    }
    return rho;
}

/* The density of the shock problem at time `end` on cells of nx << finest; new. */
static double *solve(const char *mesh_class, int nx, int finest, double end)
{
    struct assembly a;
    int adaptive = !strcmp(mesh_class, "AMRMesh");
    double *rho;

    assembly_open_on(&a, "HLLCFlux", "GasProperties", mesh_class, "ShockDriver");
    assembly_domain(&a, "shock_interface", nx, nx / 4, end);
    if (adaptive) {
        assembly_create(&a, "ErrorEstimator", "estimator");
        assembly_connect(&a, "driver", "estimator", "estimator", "estimator");
        assembly_set_number(&a, "mesh", "levels", LEVELS);
    }
    assembly_go(&a);
    assert_int_equal(adaptive ? LEVELS : 1,
                     assembly_mesh(&a)->level_count(assembly_mesh(&a)));
    rho = density_on(&a, finest);
    assembly_close(&a);
    return rho;
}

/* The mean over the cells of |a - b|. */
static double distance(const double *a, const double *b, int64_t cells)
{
    double sum = 0.;

    for (int64_t i = 0; i < cells; i++)
        sum += fabs(a[i] - b[i]);
    return sum / (double)cells;
}

TEST(three_levels_are_nearly_as_good_as_fine_cells_everywhere)
{
    int nx = in_full() ? 128 : 64;
    double end = in_full() ? 1. : .35;
    int64_t cells = (int64_t)(4 * nx) * nx;
    double *fine = solve("UniformMesh", 4 * nx, 0, end);
    double *medium = solve("UniformMesh", 2 * nx, 1, end);
    double *adaptive = solve("AMRMesh", nx, LEVELS - 1, end);
    double of_medium = distance(medium, fine, cells);
    double of_adaptive = distance(adaptive, fine, cells);

    print_message("L1 to %d x %d cells: uniform %d x %d %.3g, three levels from %d x %d "
                  "%.3g, ratio %.3f\n",
                  4 * nx, nx, 2 * nx, nx / 2, of_medium, nx, nx / 4, of_adaptive,
                  of_adaptive / of_medium);
    assert_true(of_adaptive <= .3 * of_medium);
    free(fine);
    free(medium);
    free(adaptive);
}

TESTS(NULL, NULL)
