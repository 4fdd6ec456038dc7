/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shock_levels.c: what AMRMesh leaves to others: the arithmetic between two levels
 * (ProlongRestrict) and the copies of ghost cells (GhostsPerNeighbour, GhostsPerPatch).
 */
#include <math.h>

#include "tests/lib/shock_assembly.h"
#include "ports/ghost_port.h"
#include "ports/integrator_port.h"
#include "ports/prolong_restrict_port.h"

static uint64_t seed = 1;

/* Between 0 and 1. */
static double random_part(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 40) / (1 << 24);
}

static void alone_open(struct assembly *a, const char *class_name)
{
    struct cca_framework_options options = {0};
    struct cca_error err = {0};

    a->framework = cca_framework_new(&options, &err);
    assembly_check(a->framework ? 0 : -1, &err);
    assembly_path(a, "lib/mastermind");
    assembly_create(a, class_name, "alone");
}

/* --- Between two levels ---------------------------------------------------- */

enum { N = 12, PLANE = N * N };

static struct prolong_restrict_port *icc_open(struct assembly *a)
{
    alone_open(a, "ProlongRestrict");
    return assembly_port(a, "alone", "prolong_restrict", PROLONG_RESTRICT_PORT_TYPE,
                         sizeof(struct prolong_restrict_port));
}

/* Compute fine cells from `ilo`, `jlo` above the coarse cells [N][N]. */
static void fine_make(struct prolong_restrict_port *icc, int ilo, int jlo, int nx, int ny,
                      int components, double *coarse, double *fine)
{
    struct prolong_restrict_target target = {
        .nx = nx,
        .ny = ny,
        .place = {.odd_x = ilo % 2,
                  .odd_y = jlo % 2,
                  .ends = (unsigned)(ilo / 2 == 0) << MESH_XLO |
                          (unsigned)((ilo + nx - 1) / 2 == N - 1) << MESH_XHI |
                          (unsigned)(jlo / 2 == 0) << MESH_YLO |
                          (unsigned)((jlo + ny - 1) / 2 == N - 1) << MESH_YHI},
        .coarse = {coarse + (jlo / 2) * N + ilo / 2, N, PLANE},
        .fine = {fine + jlo * 2 * N + ilo, 2 * N, 4 * PLANE},
    };

    assert_int_equal(0, icc->prolong(icc, (int64_t)nx * ny, 1, components, &target));
}

/* A gas of random states with jumps up to those of a Mach 3 shock and a density ratio of
 * 14.5. */
static void gas_make(double *u)
{
    for (int n = 0; n < PLANE; n++) {
        double w[EULER_NVAR] = {exp(4. * random_part()), 5. * random_part() - 2.,
                                3. * random_part(), exp(5. * random_part()) * .1,
                                random_part()};
        double cell[EULER_NVAR];

        euler_conserved(1.4, w, cell);
        for (int c = 0; c < EULER_NVAR; c++)
            u[c * PLANE + n] = cell[c];
    }
}

static double energy_of(const double *fine, int at)
{
    double rho = fine[at], mu = fine[4 * PLANE + at], mv = fine[8 * PLANE + at];

    return fine[12 * PLANE + at] - .5 * (mu * mu + mv * mv) / rho;
}

TEST(four_fine_cells_have_the_coarse_cell_as_their_mean)
{
    double coarse[5 * PLANE], fine[5 * 4 * PLANE], mean[5 * PLANE];
    struct prolong_restrict_cells from = {fine, 2 * N, 4 * PLANE}, to = {mean, N, PLANE};
    struct assembly a;
    struct prolong_restrict_port *icc = icc_open(&a);

    gas_make(coarse);
    fine_make(icc, 0, 0, 2 * N, 2 * N, 5, coarse, fine);
    assert_int_equal(0, icc->restrict_cells(icc, N, N, 5, &from, &to));
    for (int n = 0; n < 5 * PLANE; n++)
        assert_true(fabs(mean[n] - coarse[n]) <= 1e-14 * fabs(coarse[n]));
    assembly_close(&a);
}

TEST(a_plane_is_a_plane_on_the_finer_level)
{
    double coarse[PLANE], fine[4 * PLANE];
    struct assembly a;
    struct prolong_restrict_port *icc = icc_open(&a);

    for (int n = 0; n < PLANE; n++)
        coarse[n] = 3. * (n % N) - 7. * (n / N) + 1.;
    fine_make(icc, 0, 0, 2 * N, 2 * N, 1, coarse, fine);
    for (int j = 2; j < 2 * N - 2; j++)
        for (int i = 2; i < 2 * N - 2; i++)
            assert_true(fine[j * 2 * N + i] ==
                        3. * (.5 * i - .25) - 7. * (.5 * j - .25) + 1.);
    assembly_close(&a);
}

TEST(any_rectangle_gives_the_same_fine_cells)
{
    double coarse[5 * PLANE], whole[5 * 4 * PLANE], part[5 * 4 * PLANE];
    struct assembly a;
    struct prolong_restrict_port *icc = icc_open(&a);

    gas_make(coarse);
    fine_make(icc, 0, 0, 2 * N, 2 * N, 5, coarse, whole);
    for (int n = 0; n < 500; n++) {
        int ilo = (int)(random_part() * 2 * N), jlo = (int)(random_part() * 2 * N);
        int nx = 1 + (int)(random_part() * (2 * N - ilo));
        int ny = 1 + (int)(random_part() * (2 * N - jlo));

        memset(part, 0xff, sizeof part);
        fine_make(icc, ilo, jlo, nx, ny, 5, coarse, part);
        for (int k = 0; k < 5 * 4 * PLANE; k++) {
            int i = k % (2 * N), j = k / (2 * N) % (2 * N);
            int in = i >= ilo && i < ilo + nx && j >= jlo && j < jlo + ny;

            /* Nothing is written outside the rectangle. */
            assert_true(in ? part[k] == whole[k] : isnan(part[k]));
        }
    }
    assembly_close(&a);
}

/* The component by component slope of the class, written again. */
static double limited(double low, double high)
{
    double most = 2. * fmin(fabs(low), fabs(high)), middle = .5 * (low + high);

    return low * high <= 0. ? 0. : copysign(fmin(fabs(middle), most), middle);
}

TEST(density_and_pressure_stay_positive_and_slopes_only_go_where_they_must)
{
    double coarse[5 * PLANE], fine[5 * 4 * PLANE];
    int flat = 0, sloped = 0;
    struct assembly a;
    struct prolong_restrict_port *icc = icc_open(&a);

    for (int n = 0; n < 20; n++) {
        gas_make(coarse);
        fine_make(icc, 0, 0, 2 * N, 2 * N, 5, coarse, fine);
        for (int k = 0; k < 4 * PLANE; k++)
            assert_true(fine[k] > 0. && energy_of(fine, k) > 0.);
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++) {
                int is_flat = 1, must = 0;

                for (int q = 0; q < 4; q++) {
                    double free[EULER_NVAR], energy;

                    for (int c = 0; c < EULER_NVAR; c++) {
                        const double *at = coarse + c * PLANE + j * N + i;
                        double x = .25 * limited(at[0] - at[-1], at[1] - at[0]);
                        double y = .25 * limited(at[0] - at[-N], at[N] - at[0]);

                        free[c] = at[0] + ((q & 1 ? x : -x) + (q & 2 ? y : -y));
                        is_flat &= fine[c * 4 * PLANE + (2 * j + q / 2) * 2 * N + 2 * i +
                                        q % 2] == at[0];
                    }
                    energy = free[EULER_P] - .5 *
                                                 (free[EULER_U] * free[EULER_U] +
                                                  free[EULER_V] * free[EULER_V]) /
                                                 free[EULER_RHO];
                    must |= !(free[EULER_RHO] > 0. && energy > 0.);
                }
                if (must)
                    assert_true(is_flat);
                flat += must;
                sloped += !is_flat;
            }
    }
    /* The states are hard enough for that to happen, and not always. */
    assert_true(flat > 20 && sloped > 200);
    assembly_close(&a);
}

TEST(a_strong_shock_runs_into_a_dense_gas_on_three_levels)
{
    struct assembly a;

    assembly_open_on(&a, "EFMFlux", "GasProperties", "AMRMesh", "AmrDriver");
    assembly_domain(&a, "shock_interface", 48, 12, 10.);
    assembly_set(&a, "initial", "mach", "3");
    assembly_set(&a, "initial", "eta", "14.5");
    assembly_set(&a, "driver", "steps", getenv("SOAK") ? "200" : "16");
    assembly_go(&a);
    assert_int_equal(3, assembly_mesh(&a)->level_count(assembly_mesh(&a)));
    assembly_close(&a);
}

/* --- Copies ---------------------------------------------------------------- */

static const char *const ghost_classes[] = {"GhostsPerNeighbour", "GhostsPerPatch"};

TEST(a_plan_copies_its_rectangles_and_is_known_by_its_stamp)
{
    for (int n = 0; n < 2; n++) {
        /* Two patches of 4 x 3 doubles, 2 components; a rectangle of 2 x 2 to the other,
         * and one of 1 x 2 in part 1, between old and now. */
        double now[2][24], old[2][24], first[24], second[24];
        double *nows[] = {now[0], now[1]}, *olds[] = {old[0], old[1]},
               *tos[] = {first, second};
        const struct ghost_copy copies[] = {
            {0, 2, 2, {0, 0, 1, 4, 12}, {0, 1, 5, 4, 12}},
            {1, 1, 2, {0, 1, 3, 4, 12}, {0, 0, 0, 4, 12}},
        };
        struct ghost_values values[GHOST_PARTS] = {{nows, NULL, tos}, {nows, olds, tos}};
        int64_t cells = -1, bytes = -1, messages = -1, peers = -1;
        struct cca_error err = {0};
        struct assembly a;
        struct ghost_port *ghosts;

        for (int k = 0; k < 24; k++) {
            now[0][k] = k;
            now[1][k] = 100. + k;
            old[1][k] = 200. + k;
            first[k] = second[k] = -1.;
        }
        alone_open(&a, ghost_classes[n]);
        ghosts = assembly_port(&a, "alone", "ghosts", GHOST_PORT_TYPE,
                               sizeof(struct ghost_port));
        assert_int_equal(-ESTALE, ghosts->start(ghosts, 2, 7, 2, values, .25));
        assert_int_equal(-EINVAL, ghosts->finish(ghosts, 2, NULL, NULL, NULL, NULL));
        assembly_check(ghosts->plan(ghosts, 2, 7, copies, 2, &err), &err);
        assert_int_equal(-ESTALE, ghosts->start(ghosts, 2, 8, 2, values, .25));
        assert_int_equal(-ESTALE, ghosts->start(ghosts, 1, 7, 2, values, .25));
        assert_int_equal(0, ghosts->start(ghosts, 2, 7, 2, values, .25));
        assert_int_equal(0, ghosts->finish(ghosts, 2, &cells, &bytes, &messages, &peers));
        assert_true(cells == 6 && bytes == 0 && messages == 0 && peers == 0);
        for (int k = 0; k < 24; k++) {
            int i = k % 4, j = k / 4 % 3, c = k / 12;
            int in = i >= 1 && i < 3 && j >= 1;

            assert_true(second[k] == (in ? 12. * c + 4. * (j - 1) + i : -1.));
            in = i == 0 && j < 2;
            assert_true(first[k] == (in ? 175. + 12. * c + 4. * j + 3.
                                        : -1.)); /* .75 old + .25 now */
        }
        ghosts->forget(ghosts, 2);
        assert_int_equal(-ESTALE, ghosts->start(ghosts, 2, 7, 2, values, .25));
        assert_int_equal(-EINVAL, ghosts->plan(ghosts, 8, 1, copies, 2, &err));
        assert_non_null(strstr(err.text, "level 8"));
        assembly_close(&a);
    }
}

TEST(copies_between_ranks_are_refused_where_there_is_one)
{
    const struct ghost_copy copy = {0, 2, 2, {0, 0, 1, 4, 12}, {1, 1, 5, 4, 12}};

    for (int n = 0; n < 2; n++) {
        struct cca_error err = {0};
        struct assembly a;
        struct ghost_port *ghosts;

        alone_open(&a, ghost_classes[n]);
        ghosts = assembly_port(&a, "alone", "ghosts", GHOST_PORT_TYPE,
                               sizeof(struct ghost_port));
        assert_int_equal(-ENOTCONN, ghosts->plan(ghosts, 0, 1, &copy, 1, &err));
        assert_non_null(strstr(err.text, "rank 1"));
        assembly_close(&a);
    }
}

/* The density of level 0 after 4 steps and then 6 more, in all of which `swap` gives the
 * mesh the other class in turn. */
static double *swapped_run(int swap, size_t *bytes)
{
    struct assembly a;
    struct mesh_port *mesh;
    struct integrator_port *integrator;
    double *u;

    assembly_open_on(&a, "HLLCFlux", "GasProperties", "AMRMesh", "AmrDriver");
    assembly_create(&a, "GhostsPerPatch", "other");
    assembly_domain(&a, "shock_interface", 32, 10, 10.);
    assembly_set(&a, "mesh", "patch_nx", "8");
    assembly_set(&a, "driver", "steps", "4");
    assembly_go(&a);
    mesh = assembly_mesh(&a);
    integrator = assembly_port(&a, "integrator", "integrator", INTEGRATOR_PORT_TYPE,
                               sizeof(struct integrator_port));
    for (int n = 0; n < 6; n++) {
        if (swap) {
            assembly_disconnect(&a, "mesh", "ghosts", n % 2 ? "other" : "ghosts",
                                "ghosts");
            assembly_connect(&a, "mesh", "ghosts", n % 2 ? "ghosts" : "other", "ghosts");
        }
        assert_int_equal(0, integrator->advance(integrator, 0, 0., .002));
    }
    *bytes = (size_t)mesh->cell_count(mesh, 0) * EULER_NVAR * sizeof *u;
    u = malloc(*bytes);
    assert_non_null(u);
    assert_int_equal(0, mesh->gather(mesh, 0, 0, u));
    assembly_close(&a);
    return u;
}

TEST(a_run_may_exchange_the_class_of_its_ghosts_between_steps)
{
    size_t bytes;
    double *kept = swapped_run(0, &bytes), *swapped = swapped_run(1, &bytes);

    assert_memory_equal(kept, swapped, bytes);
    free(kept);
    free(swapped);
}

/* --- What is not connected ------------------------------------------------- */

TEST(a_mesh_names_the_port_that_its_levels_need)
{
    struct mesh_domain domain = {0, 0, 1, 1, 8, 8, 0, 0};
    struct cca_error err = {0};
    struct assembly a;
    struct mesh_port *mesh;

    assembly_open_on(&a, "HLLCFlux", "GasProperties", "AMRMesh", "AmrDriver");
    mesh = assembly_mesh(&a);
    assembly_disconnect(&a, "mesh", "prolong_restrict", "icc", "prolong_restrict");
    assert_int_equal(-ENOTCONN, mesh->define(mesh, &domain, 2, &err));
    assert_non_null(strstr(err.text, "3 levels"));
    assert_non_null(strstr(err.text, "'prolong_restrict'"));
    assembly_set(&a, "mesh", "levels", "1");
    err = (struct cca_error){0};
    assembly_check(mesh->define(mesh, &domain, 2, &err), &err);
    assembly_disconnect(&a, "mesh", "ghosts", "ghosts", "ghosts");
    assert_int_equal(-ENOTCONN, mesh->define(mesh, &domain, 2, &err));
    assert_non_null(strstr(err.text, "'ghosts'"));
    assembly_close(&a);
}

TEST(a_wrong_rule_of_balance_is_refused_by_define)
{
    struct mesh_domain domain = {0, 0, 1, 1, 8, 8, 0, 0};
    struct cca_error err = {0};
    struct assembly a;
    struct mesh_port *mesh;

    assembly_open_on(&a, "HLLCFlux", "GasProperties", "AMRMesh", "AmrDriver");
    mesh = assembly_mesh(&a);
    assembly_set(&a, "mesh", "balance", "every:3,sometimes");
    assert_int_equal(-EINVAL, mesh->define(mesh, &domain, 2, &err));
    assert_non_null(strstr(err.text, "balance: 'sometimes'"));
    assembly_close(&a);
}

TESTS(NULL, NULL)
