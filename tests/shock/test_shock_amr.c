/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shock_amr.c: whole runs on AMRMesh and RK2: conservation, cuts, transposition,
 * accuracy. */
#include <math.h>

#include "tests/lib/shock_levels.h"
#include "ports/initial_port.h"
#include "ports/integrator_port.h"

TEST(one_level_gives_the_bits_of_the_uniform_mesh)
{
    static const char *const meshes[] = {"UniformMesh", "AMRMesh"};
    double *fields[2];
    size_t count = 0;

    for (int k = 0; k < 2; k++) {
        struct assembly a;

        assembly_open_on(&a, "HLLCFlux", "GasProperties", meshes[k], "ShockDriver");
        assembly_domain(&a, "shock_interface", 48, 12, .3);
        assembly_set(&a, "mesh", "patches_x", "3");
        assembly_set(&a, "mesh", "patch_ny", "7");
        assembly_go(&a);
        fields[k] = level_field(&a, 0, &count);
        assembly_close(&a);
    }
    assert_memory_equal(fields[0], fields[1], count * sizeof(double));
    free(fields[0]);
    free(fields[1]);
}

/* --- Whole runs ------------------------------------------------------------ */

static void run_prepare(struct assembly *a, const char *flux, int nx, int ny, int steps)
{
    amr_open(a, flux);
    assembly_domain(a, "shock_interface", nx, ny, 10.);
    assembly_set_number(a, "driver", "steps", steps);
}

/* Sums of level 0, whose covered cells have the means of the finer ones. */
static void sums_find(struct assembly *a, long double *sums, long double *sizes)
{
    size_t count;
    double *u = level_field(a, 0, &count);

    for (size_t n = 0; n < EULER_NVAR; n++) {
        sums[n] = sizes[n] = 0;
        for (size_t i = 0; i < count / EULER_NVAR; i++) {
            sums[n] += u[n * count / EULER_NVAR + i];
            sizes[n] += fabs(u[n * count / EULER_NVAR + i]);
        }
    }
    free(u);
}

static void conservation_check(const char *in_x, const char *in_y, int steps)
{
    int walls = !strcmp(in_x, "wall");
    long double before[EULER_NVAR], after[EULER_NVAR], size[EULER_NVAR];
    unsigned char *cells_before, *cells_after;
    struct assembly a;

    run_prepare(&a, "HLLCFlux", 64, 12, steps);
    assembly_borders(&a, in_x, in_y);
    assembly_set(&a, "mesh", "patch_nx", "12");
    /* The state at the start with its levels: means are taken in the first step. */
    assembly_set(&a, "driver", "steps", "0");
    assembly_go(&a);
    for (int l = assembly_mesh(&a)->level_count(assembly_mesh(&a)) - 2; l >= 0; l--)
        assert_int_equal(0, assembly_mesh(&a)->restrict_level(assembly_mesh(&a), l, 0));
    assert_int_equal(3, assembly_mesh(&a)->level_count(assembly_mesh(&a)));
    sums_find(&a, before, size);
    cells_before = level_cells(assembly_mesh(&a), 2);
    assembly_set_number(&a, "driver", "steps", steps);
    assembly_go(&a);
    assert_int_equal(3, assembly_mesh(&a)->level_count(assembly_mesh(&a)));
    sums_find(&a, after, size);
    /* The levels have moved meanwhile. */
    cells_after = level_cells(assembly_mesh(&a), 2);
    assert_memory_not_equal(cells_before, cells_after, 256 * 48);
    free(cells_before);
    free(cells_after);
    for (int n = 0; n < EULER_NVAR; n++)
        if (!(walls && (n == EULER_U || n == EULER_V)) &&
            fabsl(after[n] - before[n]) > 1e-13L * size[n])
            fail_msg("%s, %s: component %d from %.17Lg to %.17Lg, of %Lg", in_x, in_y, n,
                     before[n], after[n], size[n]);
    assembly_close(&a);
}

TEST(sums_are_conserved_over_levels_and_regrids)
{
    conservation_check("periodic", "periodic", 24);
    conservation_check("wall", "wall", 24);
}

struct split {
    int patches_x, patches_y, patch_nx, patch_ny;
};

TEST(any_cut_of_any_level_gives_the_same_bits)
{
    static const struct split splits[] = {
        {1, 1, 0, 0}, {3, 2, 0, 0}, {1, 1, 8, 8}, {1, 1, 5, 0}, {2, 1, 16, 3}};
    static const char *const borders[][2] = {{"outflow", "wall"},
                                             {"periodic", "periodic"}};

    for (int b = 0; b < 2; b++) {
        double *whole[3] = {0};
        int64_t patches = 0;

        for (size_t k = 0; k < sizeof splits / sizeof splits[0]; k++) {
            const struct split *s = &splits[k];
            struct assembly a;
            struct mesh_port *mesh;

            run_prepare(&a, "EFMFlux", 32, 10, 8);
            assembly_borders(&a, borders[b][0], borders[b][1]);
            assembly_set_number(&a, "mesh", "patches_x", s->patches_x);
            assembly_set_number(&a, "mesh", "patches_y", s->patches_y);
            assembly_set_number(&a, "mesh", "patch_nx", s->patch_nx);
            assembly_set_number(&a, "mesh", "patch_ny", s->patch_ny);
            assembly_go(&a);
            mesh = assembly_mesh(&a);
            assert_int_equal(3, mesh->level_count(mesh));
            for (int l = 0; l < 3; l++) {
                size_t count, different = 0;
                double *cut = level_field(&a, l, &count);

                for (size_t i = 0; whole[l] && i < count; i++)
                    different += !!memcmp(&whole[l][i], &cut[i], sizeof *cut);
                if (different)
                    fail_msg("%s, cut %zu: %zu of %zu values of level %d differ",
                             borders[b][0], k, different, count, l);
                if (whole[l])
                    free(cut);
                else
                    whole[l] = cut;
            }
            if (k == 0)
                patches = mesh->box_count(mesh, 2);
            else if (s->patch_ny == 8)
                assert_true(mesh->box_count(mesh, 2) > 2 * patches);
            assembly_close(&a);
        }
        for (int l = 0; l < 3; l++)
            free(whole[l]);
    }
}

TEST(transposed_problem_gives_the_same_bits_on_all_levels)
{
    static const int swapped[] = {EULER_RHO, EULER_V, EULER_U, EULER_P, EULER_ZETA};
    enum { nx = 30, ny = 12 };
    double *along_x[3];
    struct assembly a;
    size_t count;

    run_prepare(&a, "GodunovFlux", nx, ny, 8);
    assembly_borders(&a, "outflow", "wall");
    assembly_go(&a);
    for (int l = 0; l < 3; l++)
        along_x[l] = level_field(&a, l, &count);
    assembly_set(&a, "initial", "axis", "y");
    assembly_set_number(&a, "driver", "nx", ny);
    assembly_set_number(&a, "driver", "ny", nx);
    assembly_borders(&a, "wall", "outflow");
    assembly_go(&a);
    for (int l = 0; l < 3; l++) {
        double *along_y = level_field(&a, l, &count);
        int64_t width = nx << l, height = ny << l, different = 0;

        for (int n = 0; n < EULER_NVAR; n++)
            for (int64_t j = 0; j < height; j++)
                for (int64_t i = 0; i < width; i++)
                    different += !!memcmp(&along_x[l][(n * height + j) * width + i],
                                          &along_y[(swapped[n] * width + i) * height + j],
                                          sizeof(double));
        if (different)
            fail_msg("level %d: %ld of %zu values differ", l, (long)different, count);
        free(along_x[l]);
        free(along_y);
    }
    assembly_close(&a);
}

/* --- Accuracy -------------------------------------------------------------- */

struct vortex {
    struct assembly a;
    struct mesh_port *mesh;
    struct integrator_port *integrator;
    struct initial_port *initial;
    int field, flags;
};

static void vortex_fill(struct vortex *v)
{
    for (int l = 0; l < v->mesh->level_count(v->mesh); l++)
        for (int k = 0; k < v->mesh->patch_count(v->mesh, l); k++) {
            const struct mesh_patch *p = v->mesh->patch(v->mesh, l, k);

            assert_int_equal(0,
                             v->initial->fill(v->initial, p->nx, p->ny, p,
                                              v->mesh->field(v->mesh, l, k, v->field)));
        }
}

/* Refine a block that the vortex drifts into, its borders and patches across the vortex.
 */
static void vortex_refine(struct vortex *v)
{
    struct cca_error err = {0};

    for (int k = 0; k < v->mesh->patch_count(v->mesh, 0); k++) {
        const struct mesh_patch *p = v->mesh->patch(v->mesh, 0, k);
        double *flags = v->mesh->field(v->mesh, 0, k, v->flags);

        for (int j = 0; j < p->ny; j++)
            for (int i = 0; i < p->nx; i++) {
                double x = p->xlo + (i + .5) * p->dx, y = p->ylo + (j + .5) * p->dy;

                flags[(j + p->ghost) * p->pitch + i + p->ghost] =
                    x > 5. && x < 10. && y > 3.75 && y < 7.5;
            }
    }
    assert_int_equal(1, v->mesh->regrid(v->mesh, 0, v->flags, NULL, &err));
    vortex_fill(v);
}

/* The sum of |density - exact| over the cells that no finer level covers, times area. */
static double vortex_error(struct vortex *v, double time_s)
{
    double error = 0.;

    for (int l = 0; l < v->mesh->level_count(v->mesh); l++) {
        unsigned char *finer =
            l + 1 < v->mesh->level_count(v->mesh) ? level_cells(v->mesh, l + 1) : NULL;
        int64_t nx = v->mesh->domain(v->mesh)->nx << l;

        for (int k = 0; k < v->mesh->patch_count(v->mesh, l); k++) {
            const struct mesh_patch *p = v->mesh->patch(v->mesh, l, k);
            const double *u = v->mesh->field(v->mesh, l, k, v->field);
            double *exact = malloc((size_t)p->plane * EULER_NVAR * sizeof *exact);
            struct mesh_patch earlier = *p;

            /* It drifts with (1, 1), by whole cells of all levels. */
            earlier.ilo -= llround(time_s / p->dx);
            earlier.jlo -= llround(time_s / p->dy);
            assert_int_equal(0,
                             v->initial->fill(v->initial, p->nx, p->ny, &earlier, exact));
            for (int j = 0; j < p->ny; j++)
                for (int i = 0; i < p->nx; i++) {
                    ptrdiff_t at = (j + p->ghost) * p->pitch + i + p->ghost;

                    if (!finer || !finer[2 * (p->jlo + j) * 2 * nx + 2 * (p->ilo + i)])
                        error += fabs(u[at] - exact[at]) * p->dx * p->dy;
                }
            free(exact);
        }
        free(finer);
    }
    return error;
}

/* The error after 2.5 seconds, from n x n cells on level 0. */
static double vortex_run(int n, int levels)
{
    struct mesh_domain domain = {0, 0, 10, 10, n, n, 1, 1};
    struct vortex v;
    struct cca_error err = {0};
    int steps = 5 * n;
    double error;

    amr_open(&v.a, "HLLCFlux");
    v.mesh = assembly_mesh(&v.a);
    v.integrator = assembly_port(&v.a, "integrator", "integrator", INTEGRATOR_PORT_TYPE,
                                 sizeof(struct integrator_port));
    v.initial = assembly_port(&v.a, "initial", "initial", INITIAL_PORT_TYPE,
                              sizeof(struct initial_port));
    assembly_set(&v.a, "initial", "problem", "vortex");
    assembly_borders(&v.a, "periodic", "periodic");
    assembly_set_number(&v.a, "mesh", "levels", levels);
    assembly_set_number(&v.a, "mesh", "patch_nx", n / 2 + 3);
    assembly_check(v.mesh->define(v.mesh, &domain, 2, &err), &err);
    v.field = v.mesh->field_new(v.mesh, "u", EULER_NVAR, MESH_KEPT, &err);
    v.flags = v.mesh->field_new(v.mesh, "flags", 1, MESH_SCRATCH, &err);
    assembly_check(v.integrator->prepare(v.integrator, v.field, &err), &err);
    vortex_fill(&v);
    if (levels > 1)
        vortex_refine(&v);
    assert_int_equal(levels, v.mesh->level_count(v.mesh));
    for (int k = 0; k < steps; k++)
        assert_int_equal(
            0, v.integrator->advance(v.integrator, 0, k * 2.5 / steps, 2.5 / steps));
    error = vortex_error(&v, 2.5);
    assembly_close(&v.a);
    return error;
}

TEST(smooth_profile_crosses_levels_at_second_order)
{
    int n = getenv("SOAK") ? 64 : 32;
    double uniform = vortex_run(n, 1), coarse = vortex_run(n, 2),
           fine = vortex_run(2 * n, 2);

    printf("vortex, L1: uniform %.4g, two levels %.4g, %.4g, rate %.2f\n", uniform,
           coarse, fine, log2(coarse / fine));
    /* The vortex is 3 cells wide on the coarse level of 32. */
    assert_true(log2(coarse / fine) >= (n > 32 ? 1.9 : 1.8));
    assert_true(coarse < uniform);
}

TEST(sizes_are_those_of_the_patches)
{
    struct assembly a;
    struct mesh_port *mesh;

    run_prepare(&a, "HLLCFlux", 32, 12, 1);
    assembly_go(&a);
    mesh = assembly_mesh(&a);
    for (int l = 0; l < 3; l++) {
        int64_t cells, faces, patches, bytes, sum = 0, expected = 0;

        assert_int_equal(0, mesh->size(mesh, l, &cells, &faces, &patches, &bytes));
        assert_true(patches == mesh->box_count(mesh, l));
        assert_true(cells == mesh->cell_count(mesh, l));
        for (int k = 0; k < patches; k++) {
            struct mesh_box b;

            assert_int_equal(0, mesh->box(mesh, l, k, &b));
            assert_int_equal(0, b.rank);
            sum += 2 * b.nx * b.ny + b.nx + b.ny;
            /* u, start, rate, flags; u kept where a finer level needs it */
            expected += (16 + (l < 2 ? 5 : 0)) * (b.nx + 4) * (b.ny + 4) * 8;
        }
        assert_true(faces == sum);
        assert_true(bytes == expected);
    }
    assert_int_equal(-EINVAL, mesh->size(mesh, 3, NULL, NULL, NULL, NULL));
    assembly_close(&a);
}

TESTS(NULL, NULL)
