/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shock_adopt.c: patches given to a mesh, for a run that goes on where another
 * stopped. */
#include "tests/lib/shock_assembly.h"
#include "ports/integrator_port.h"

/* --- A run that goes on ---------------------------------------------------- */

struct saved {
    int levels, counts[3];
    struct mesh_box *boxes[3];
    double *values[3]; /* the interiors of all patches, one after the other */
};

static size_t patch_values(const struct mesh_patch *p)
{
    return (size_t)p->nx * (size_t)p->ny * EULER_NVAR;
}

/* Copy the interior of a patch to `values` or from it. */
static void patch_copy(struct mesh_port *mesh, const struct mesh_patch *p, double *values,
                       int save)
{
    double *u = mesh->field(mesh, p->level, p->index, 0);

    for (int c = 0; c < EULER_NVAR; c++)
        for (int j = 0; j < p->ny; j++, values += p->nx) {
            double *row = u + c * p->plane + (j + p->ghost) * p->pitch + p->ghost;

            memcpy(save ? values : row, save ? row : values, (size_t)p->nx * sizeof *row);
        }
}

static void level_copy(struct mesh_port *mesh, int level, double *values, int save)
{
    for (int k = 0; k < mesh->patch_count(mesh, level); k++) {
        const struct mesh_patch *p = mesh->patch(mesh, level, k);

        patch_copy(mesh, p, values, save);
        values += patch_values(p);
    }
}

static void mesh_save(struct mesh_port *mesh, struct saved *saved)
{
    saved->levels = mesh->level_count(mesh);
    for (int l = 0; l < saved->levels; l++) {
        size_t count = (size_t)mesh->cell_count(mesh, l) * EULER_NVAR;

        saved->counts[l] = mesh->box_count(mesh, l);
        saved->boxes[l] = calloc((size_t)saved->counts[l], sizeof *saved->boxes[l]);
        saved->values[l] = malloc(count * sizeof(double));
        assert_true(saved->boxes[l] && saved->values[l]);
        for (int k = 0; k < saved->counts[l]; k++)
            assert_int_equal(0, mesh->box(mesh, l, k, &saved->boxes[l][k]));
        level_copy(mesh, l, saved->values[l], 1);
    }
}

static void saved_free(struct saved *saved)
{
    for (int l = 0; l < saved->levels; l++) {
        free(saved->boxes[l]);
        free(saved->values[l]);
    }
}

static void assert_saved_equal(const struct saved *a, const struct saved *b)
{
    assert_int_equal(a->levels, b->levels);
    for (int l = 0; l < a->levels; l++) {
        size_t cells = 0;

        assert_int_equal(a->counts[l], b->counts[l]);
        for (int k = 0; k < a->counts[l]; k++)
            cells += (size_t)(a->boxes[l][k].nx * a->boxes[l][k].ny);
        assert_memory_equal(a->boxes[l], b->boxes[l],
                            (size_t)a->counts[l] * sizeof *a->boxes[l]);
        assert_memory_equal(a->values[l], b->values[l],
                            cells * EULER_NVAR * sizeof(double));
    }
}

static void run_open(struct assembly *a, int steps)
{
    assembly_open_on(a, "HLLCFlux", "GasProperties", "AMRMesh", "AmrDriver");
    assembly_domain(a, "shock_interface", 32, 10, 10.);
    assembly_set(a, "mesh", "patch_nx", "10");
    assembly_set_number(a, "driver", "steps", steps);
    assembly_go(a);
}

static void run_advance(struct assembly *a)
{
    struct integrator_port *integrator =
        assembly_port(a, "integrator", "integrator", INTEGRATOR_PORT_TYPE,
                      sizeof(struct integrator_port));

    for (int n = 0; n < 3; n++)
        assert_int_equal(0, integrator->advance(integrator, 0, 0., .002));
}

TEST(a_run_on_adopted_patches_goes_on_with_the_same_bits)
{
    struct saved before = {0}, gone_on = {0}, after = {0};
    struct assembly a, b;
    struct mesh_port *mesh;
    struct cca_error err = {0};

    run_open(&a, 9);
    mesh_save(assembly_mesh(&a), &before);
    assert_int_equal(3, before.levels);
    run_advance(&a);
    mesh_save(assembly_mesh(&a), &gone_on);

    /* Another run, whose levels are elsewhere, takes over what was saved. */
    run_open(&b, 0);
    mesh = assembly_mesh(&b);
    for (int l = 0; l < 3; l++) {
        if (l)
            assembly_check(mesh->adopt(mesh, l, before.boxes[l], before.counts[l], &err),
                           &err);
        assert_int_equal(l ? l + 1 : 3, mesh->level_count(mesh));
        level_copy(mesh, l, before.values[l], 0);
    }
    run_advance(&b);
    mesh_save(mesh, &after);
    assert_saved_equal(&gone_on, &after);
    saved_free(&before);
    saved_free(&gone_on);
    saved_free(&after);
    assembly_close(&a);
    assembly_close(&b);
}

TEST(new_cells_are_interpolated_where_the_level_had_none)
{
    struct mesh_domain domain = {0, 0, 1, 1, 16, 16, 0, 0};
    const struct mesh_box first = {8, 8, 8, 8, 0}, wider = {4, 8, 16, 8, 0};
    struct assembly a;
    struct mesh_port *mesh;
    struct cca_error err = {0};
    int field;

    assembly_open_on(&a, "HLLCFlux", "GasProperties", "AMRMesh", "AmrDriver");
    mesh = assembly_mesh(&a);
    assembly_check(mesh->define(mesh, &domain, 2, &err), &err);
    field = mesh->field_new(mesh, "u", 1, MESH_KEPT, &err);
    for (int l = 0; l < 2; l++) {
        const struct mesh_patch *p;
        double *u;

        if (l)
            assembly_check(mesh->adopt(mesh, 1, &first, 1, &err), &err);
        p = mesh->patch(mesh, l, 0);
        u = mesh->field(mesh, l, 0, field);
        for (ptrdiff_t n = 0; n < p->plane; n++)
            u[n] = l ? 7. : 3.;
    }
    assembly_check(mesh->adopt(mesh, 1, &wider, 1, &err), &err);
    for (int i = 0; i < 16; i++)
        assert_true(mesh->field(mesh, 1, 0, field)[2 * 20 + 2 + i] ==
                    (i >= 4 && i < 12 ? 7. : 3.));
    assembly_close(&a);
}

/* --- Refusals -------------------------------------------------------------- */

struct refusal {
    int level, count;
    struct mesh_box boxes[2];
    const char *text;
};

TEST(patches_that_break_a_rule_are_refused_and_change_nothing)
{
    static const struct refusal refusals[] = {
        {0, 1, {{0, 0, 4, 4, 0}}, "patches given for level 0"},
        {3, 1, {{0, 0, 4, 4, 0}}, "patches given for level 3"},
        {1, 0, {{0, 0, 4, 4, 0}}, "0 patches"},
        {1, 1, {{0, 0, 0, 4, 0}}, "not inside"},
        {1, 1, {{-2, 0, 4, 4, 0}}, "not inside"},
        {1, 1, {{28, 0, 6, 4, 0}}, "not inside"},
        {1, 1, {{INT64_MAX - 1, 0, 2, 2, 0}}, "not inside"},
        {1, 1, {{3, 0, 4, 4, 0}}, "whole cells of level 0"},
        {1, 1, {{4, 0, 4, 5, 0}}, "whole cells of level 0"},
        {1, 2, {{4, 4, 8, 8, 0}, {10, 10, 4, 4, 0}}, "overlap"},
        {1, 2, {{4, 4, 8, 8, 0}, {4, 4, 8, 8, 0}}, "overlap"},
        {2, 1, {{8, 8, 16, 16, 0}}, "has not 2 cells of level 1 around it"},
        {2, 1, {{18, 12, 4, 4, 0}}, "has not 2 cells of level 1 around it"},
    };
    struct mesh_domain domain = {0, 0, 1, 1, 16, 16, 0, 0};
    const struct mesh_box level1 = {4, 4, 8, 8, 0}, level2 = {12, 12, 8, 8, 0};
    struct assembly a;
    struct mesh_port *mesh;
    struct cca_error ok = {0};

    assembly_open_on(&a, "HLLCFlux", "GasProperties", "AMRMesh", "AmrDriver");
    mesh = assembly_mesh(&a);
    assert_int_equal(-EINVAL, mesh->adopt(mesh, 1, &level1, 1, NULL));
    assembly_check(mesh->define(mesh, &domain, 2, &ok), &ok);
    assembly_check(mesh->adopt(mesh, 1, &level1, 1, &ok), &ok);
    assembly_check(mesh->adopt(mesh, 2, &level2, 1, &ok), &ok);
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
        const struct refusal *r = &refusals[k];
        struct cca_error err = {0};

        assert_int_equal(-EINVAL, mesh->adopt(mesh, r->level, r->boxes, r->count, &err));
        if (!strstr(err.text, r->text) || strchr(err.text, '\n'))
            fail_msg("'%s' has no '%s'", err.text, r->text);
        assert_int_equal(3, mesh->level_count(mesh));
        assert_int_equal(64, mesh->cell_count(mesh, 2));
    }
    assembly_close(&a);
}

TEST(a_level_may_end_where_the_domain_does)
{
    const struct mesh_box corner = {0, 0, 6, 4, 0}, finer = {0, 0, 8, 4, 0};

    for (int periodic = 0; periodic < 2; periodic++) {
        struct mesh_domain domain = {0, 0, 1, 1, 16, 16, periodic, periodic};
        struct assembly a;
        struct mesh_port *mesh;
        struct cca_error err = {0};

        assembly_open_on(&a, "HLLCFlux", "GasProperties", "AMRMesh", "AmrDriver");
        mesh = assembly_mesh(&a);
        assembly_check(mesh->define(mesh, &domain, 2, &err), &err);
        assembly_check(mesh->adopt(mesh, 1, &corner, 1, &err), &err);
        /* Across a periodic border there is no level 1. */
        assert_int_equal(periodic ? -EINVAL : 0, mesh->adopt(mesh, 2, &finer, 1, NULL));
        assembly_close(&a);
    }
}

TEST(a_uniform_mesh_has_no_level_to_put_patches_on)
{
    const struct mesh_box box = {0, 0, 4, 4, 0};
    struct mesh_domain domain = {0, 0, 1, 1, 16, 16, 0, 0};
    struct assembly a;
    struct mesh_port *mesh;
    struct cca_error err = {0};

    assembly_open(&a, "HLLCFlux", "GasProperties");
    mesh = assembly_mesh(&a);
    assembly_check(mesh->define(mesh, &domain, 2, &err), &err);
    assert_int_equal(-EINVAL, mesh->adopt(mesh, 1, &box, 1, &err));
    assert_non_null(strstr(err.text, "level 1"));
    assembly_close(&a);
}

TESTS(NULL, NULL)
