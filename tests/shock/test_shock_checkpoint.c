/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shock_checkpoint.c: a run that goes on from a checkpoint is the run that never
 * stopped, bit for bit. */
#include <inttypes.h>

#include "tests/lib/checkpoint_parts.h"

/* All patches and values of a mesh. */
struct state {
    int levels;
    int boxes[MESH_LEVELS];
    struct mesh_box *box[MESH_LEVELS];
    size_t values[MESH_LEVELS];
    double *value[MESH_LEVELS]; /* [5][ny][nx]; NaN where the level has no cell */
};

static struct state state_take(struct assembly *a)
{
    struct mesh_port *mesh = assembly_mesh(a);
    const struct mesh_domain *d = mesh->domain(mesh);
    struct state s = {.levels = mesh->level_count(mesh)};

    for (int l = 0; l < s.levels; l++) {
        s.boxes[l] = mesh->box_count(mesh, l);
        s.box[l] = calloc((size_t)s.boxes[l], sizeof *s.box[l]);
        s.values[l] = (size_t)((d->nx << l) * (d->ny << l)) * EULER_NVAR;
        s.value[l] = malloc(s.values[l] * sizeof *s.value[l]);
        assert_non_null(s.value[l]);
        memset(s.value[l], 0xff, s.values[l] * sizeof *s.value[l]);
        for (int k = 0; k < s.boxes[l]; k++)
            assert_int_equal(0, mesh->box(mesh, l, k, &s.box[l][k]));
        assert_int_equal(0, mesh->gather(mesh, l, 0, s.value[l]));
    }
    return s;
}

static void state_done(struct state *s)
{
    for (int l = 0; l < s->levels; l++) {
        free(s->box[l]);
        free(s->value[l]);
    }
}

static void state_compare(const struct state *a, const struct state *b, int boxes)
{
    assert_int_equal(a->levels, b->levels);
    for (int l = 0; l < a->levels; l++) {
        assert_int_equal(a->values[l], b->values[l]);
        assert_memory_equal(a->value[l], b->value[l], a->values[l] * sizeof(double));
        if (!boxes)
            continue;
        assert_int_equal(a->boxes[l], b->boxes[l]);
        assert_memory_equal(a->box[l], b->box[l],
                            (size_t)a->boxes[l] * sizeof *a->box[l]);
    }
}

/* Lines of the index from "step" to those of patches: the moment and the domain. */
static char *moment_of(const char *folder)
{
    size_t size;
    char *text = file_load(folder, "index", &size);
    char *begin = strstr(text, "\nstep "), *end = strstr(text, "\nlevel 0");

    assert_non_null(begin);
    assert_non_null(end);
    *end = '\0';
    memmove(text, begin, strlen(begin) + 1);
    return text;
}

/* --- Bits ------------------------------------------------------------------ */

struct restart {
    const char *mesh;
    int levels, first, patch, patch_after;
};

static void restart_check(const struct restart *t)
{
    char whole[64], part[64], *moments[2];
    struct checkpoint_run r = {t->mesh, 64, t->levels, t->patch, 16, NULL, NULL};
    struct assembly a;
    struct state states[2];

    folder_new(whole);
    folder_new(part);
    r.directory = whole;
    checkpoint_go(&a, &r);
    states[0] = state_take(&a);
    assembly_close(&a);

    r.directory = part;
    r.steps = t->first;
    checkpoint_go(&a, &r);
    assembly_close(&a);
    r.steps = 16;
    r.patch = t->patch_after;
    r.restart = part;
    checkpoint_go(&a, &r);
    states[1] = state_take(&a);
    assembly_close(&a);

    assert_int_equal(t->levels, states[0].levels);
    state_compare(&states[0], &states[1], t->patch == t->patch_after);
    moments[0] = moment_of(whole);
    moments[1] = moment_of(part);
    assert_string_equal(moments[0], moments[1]);
    for (int k = 0; k < 2; k++) {
        state_done(&states[k]);
        free(moments[k]);
    }
    folder_remove(whole);
    folder_remove(part);
}

TEST(a_run_that_goes_on_is_the_run_that_never_stopped)
{
    /* An adaptive mesh regrids every other step. */
    static const struct restart restarts[] = {
        {"UniformMesh", 1, 9, 0, 0}, {"UniformMesh", 1, 9, 12, 7},
        {"AMRMesh", 3, 9, 0, 0},     {"AMRMesh", 3, 8, 16, 16},
        {"AMRMesh", 3, 11, 16, 8},   {"AMRMesh", 3, 10, 0, 10},
        {"AMRMesh", 1, 9, 0, 0},     {"AMRMesh", 2, 15, 8, 0},
    };

    for (size_t k = 0; k < sizeof restarts / sizeof restarts[0]; k++)
        restart_check(&restarts[k]);
}

/* Neither a run of no step nor an end before the checkpoint is silent. */
TEST(a_run_of_no_step_is_kept_and_none_goes_back_in_time)
{
    char folder[64];
    struct checkpoint_run r = {"UniformMesh", 32, 1, 0, 4, folder, NULL};
    struct cca_error err = {0};
    struct assembly a;
    char *moment;

    folder_new(folder);
    checkpoint_open(&a, &r);
    assembly_set_number(&a, "driver", "t_end", 0.);
    assembly_go(&a);
    assembly_close(&a);
    moment = moment_of(folder);
    assert_non_null(strstr(moment, "step 0"));
    free(moment);
    checkpoint_go(&a, &r);
    assembly_close(&a);
    r.restart = folder;
    checkpoint_open(&a, &r);
    assembly_set_number(&a, "driver", "t_end", 1e-9);
    assert_int_not_equal(0, cca_framework_go(a.framework, "driver", "go", &err));
    assert_non_null(strstr(err.text, "beyond t_end 1e-09"));
    assembly_close(&a);
    folder_remove(folder);
}

TEST(a_mesh_of_one_level_goes_on_as_the_other_class)
{
    char folder[64];
    struct checkpoint_run r = {"UniformMesh", 32, 1, 0, 6, folder, NULL};
    struct assembly a;
    struct state states[2];

    folder_new(folder);
    checkpoint_go(&a, &r);
    states[0] = state_take(&a);
    assembly_close(&a);
    r.mesh = "AMRMesh";
    r.restart = folder;
    checkpoint_go(&a, &r); /* no step more */
    states[1] = state_take(&a);
    state_compare(&states[0], &states[1], 0);
    assembly_close(&a);
    for (int k = 0; k < 2; k++)
        state_done(&states[k]);
    folder_remove(folder);
}

/* --- The folder ------------------------------------------------------------ */

TEST(a_folder_holds_one_checkpoint_and_what_else_is_there)
{
    char folder[64], names[512];
    struct checkpoint_run r = {"AMRMesh", 16, 2, 0, 2, folder, NULL};
    struct checkpoint_moment moment = {.step = 3};
    struct assembly a;
    struct checkpoint_port *port;
    int64_t bytes = 0;

    folder_new(folder);
    file_store(folder, "values-000000-0000", "", 0);
    file_store(folder, "values-000007-0000.mine", "", 0);
    file_store(folder, "values-000004-0012", "", 0); /* left by a killed run */
    file_store(folder, "index.part", "", 0);
    checkpoint_go(&a, &r);
    folder_list(folder, names, sizeof names);
    assert_string_equal(
        "index values-000000-0000 values-000005-0000 values-000007-0000.mine ", names);
    port = checkpoint_of(&a);
    assert_int_equal(0, port->write(port, assembly_mesh(&a), 0, &moment, &bytes, NULL));
    folder_list(folder, names, sizeof names);
    assert_string_equal(
        "index values-000000-0000 values-000006-0000 values-000007-0000.mine ", names);
    free(file_load(folder, "values-000006-0000", (size_t *)&moment.step));
    assert_int_equal(bytes, moment.step);
    assembly_close(&a);
    folder_remove(folder);
}

TEST(a_checkpoint_that_cannot_be_written_leaves_the_last_one)
{
    char folder[64], names[512], blocked[128];
    struct checkpoint_run r = {"AMRMesh", 16, 2, 0, 2, folder, NULL};
    struct checkpoint_moment moment = {.step = 3};
    struct assembly a;
    struct checkpoint_port *port;
    struct cca_error err = {0};

    folder_new(folder);
    checkpoint_go(&a, &r);
    port = checkpoint_of(&a);
    snprintf(blocked, sizeof blocked, "%s/index.part", folder);
    assert_int_equal(0, mkdir(blocked, 0700));
    assert_true(port->write(port, assembly_mesh(&a), 0, &moment, NULL, &err) < 0);
    assert_non_null(strstr(err.text, blocked));
    assert_int_equal(0, rmdir(blocked));
    folder_list(folder, names, sizeof names);
    assert_string_equal("index values-000001-0000 ", names);
    assembly_set(&a, "checkpoint", "restart", folder);
    memset(&err, 0, sizeof err);
    assembly_check(checkpoint_load(&a, &err), &err);
    assembly_close(&a);
    folder_remove(folder);
}

TESTS(NULL, NULL)
