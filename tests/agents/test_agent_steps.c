/* SPDX-License-Identifier: BSD-3-Clause */
/* Which steps of ranks are whole: where a rank tells every k-th only, and where one comes
 * when steps have ended. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mesh/agent/collect.h"
#include "mesh/trace/bricks.h"
#include "mesh/trace/profile.h"
#include "tests/lib/test.h"

enum { CELLS = 6 * 5, MOST = 64 };

struct sent {
    enum wire_type type;
    size_t bytes;
    _Alignas(8) unsigned char payload[1024];
};

struct script {
    struct sent all[MOST];
    int count;
};

static struct sent *add(struct script *script, enum wire_type type, const void *a,
                        size_t a_bytes, const void *b, size_t b_bytes)
{
    struct sent *sent = &script->all[script->count++];

    assert_true(script->count < MOST && a_bytes + b_bytes <= sizeof sent->payload);
    sent->type = type;
    sent->bytes = a_bytes + b_bytes;
    memcpy(sent->payload, a, a_bytes);
    if (b_bytes)
        memcpy(sent->payload + a_bytes, b, b_bytes);
    return sent;
}

static struct sent *add_mesh(struct script *script, int number, int rank, int ranks)
{
    struct wire_mesh mesh = {number, rank, ranks, 1, {0}};
    struct mm_mesh_probe probe = {.name = "work"};

    mesh.about = (struct mm_mesh_about){.dims = 2,
                                        .n = {12, 5, 1},
                                        .levels = 1,
                                        .ratio = 1,
                                        .spacing = {1, 1, 1},
                                        .name = "field"};
    return add(script, WIRE_MESH, &mesh, sizeof mesh, &probe, sizeof probe);
}

static int add_block(void *context, const struct mm_mesh_frame *frame,
                     const void *payload, struct cca_error *err)
{
    struct script *script = context;
    struct wire_place place = {frame->rank, 0};
    unsigned char both[sizeof *frame + 512];

    (void)err;
    assert_true(frame->bytes <= 512);
    memcpy(both, frame, sizeof *frame);
    memcpy(both + sizeof *frame, payload, frame->bytes);
    add(script, WIRE_BLOCK, &place, sizeof place, both, sizeof *frame + frame->bytes);
    return 0;
}

static float truth(int64_t step, int rank, int cell)
{
    return (float)((step * 17 + rank * 5 + cell * 3) % 23);
}

/* Half of the cells, by a rank whose number is its number on the wire. */
static void add_step(struct script *script, struct mesh_bricks *bricks, int64_t step,
                     int rank, uint32_t every)
{
    struct wire_place place = {rank, 0};
    struct wire_step told = {step, .5 * (double)step, every, 0};
    struct mesh_box box = {
        .step = step, .rank = rank, .lo = {6 * rank, 0, 0}, .hi = {6 * rank + 6, 5, 1}};
    float values[CELLS];

    for (int c = 0; c < CELLS; c++)
        values[c] = truth(step, rank, c);
    assert_int_equal(mesh_bricks_pack(bricks, &box, 0, values, add_block, script, NULL),
                     0);
    add(script, WIRE_STEP, &place, sizeof place, &told, sizeof told);
}

static void add_closed(struct script *script, int number)
{
    struct wire_place place = {number, 0};

    add(script, WIRE_CLOSED, &place, sizeof place, NULL, 0);
}

/* Two ranks that tell steps 0 to 5, rank 1 every `every`-th. */
static void make_script(struct script *script, uint32_t every)
{
    struct mesh_bricks *bricks[2] = {mesh_bricks_new(2), mesh_bricks_new(2)};

    script->count = 0;
    for (int rank = 0; rank < 2; rank++)
        add_mesh(script, rank, rank, 2);
    for (int64_t step = 0; step < 6; step++)
        for (int rank = 0; rank < 2; rank++)
            if (!rank || step % every == 0)
                add_step(script, bricks[rank], step, rank, rank ? every : 1);
    for (int rank = 0; rank < 2; rank++) {
        add_closed(script, rank);
        mesh_bricks_free(bricks[rank]);
    }
}

static char folder[64];

static void remove_file(void)
{
    char path[100];

    snprintf(path, sizeof path, "%s/mesh/field.cells", folder);
    unlink(path);
}

static int take(struct mesh_collect *collect, const struct sent *sent,
                struct cca_error *err)
{
    struct wire_packet packet = {sent->type, sent->payload, sent->bytes};

    return mesh_collect_take(collect, 0, &packet, err);
}

/* Collect a script; what is refused ends it, as a guest goes. */
static int collect_all(const struct script *script)
{
    struct mesh_collect *collect = mesh_collect_new(folder);
    struct cca_error err = {0};
    int rc = 0;

    remove_file();
    for (int i = 0; i < script->count && !rc; i++)
        rc = take(collect, &script->all[i], &err);
    assert_true(!rc || err.text[0]);
    memset(&err, 0, sizeof err);
    assert_int_equal(mesh_collect_gone(collect, 0, &err), 0);
    assert_int_equal(mesh_collect_close(collect, &err), 0);
    return rc;
}

/* Whole steps of the file; with `check` all values are compared, too. */
static size_t read_file(int check, int64_t stride)
{
    static const int64_t lo[3], hi[3] = {12, 5, 1};
    struct cca_error err = {0};
    struct mesh_profile *profile = mesh_profile_open(folder, NULL, &err);
    size_t steps = profile ? mesh_profile_steps(profile) : 0;
    float values[2 * CELLS];

    for (size_t i = 0; i < steps && check; i++) {
        int64_t step = mesh_profile_step(profile, i)->number;

        assert_int_equal(step, (int64_t)i * stride);
        assert_int_equal(mesh_profile_step(profile, i)->end.lost, 0);
        assert_int_equal(
            mesh_profile_values(profile, i, 0, 0, lo, hi, values, NULL, &err), 0);
        for (int c = 0; c < 2 * CELLS; c++)
            assert_true(values[c] == truth(step, c / CELLS, c % CELLS));
    }
    if (check)
        assert_int_equal(mesh_profile_losses(profile), 0);
    mesh_profile_close(profile);
    return steps;
}

TEST(steps_that_a_rank_was_not_to_tell_are_none)
{
    struct script *script = malloc(sizeof *script);

    make_script(script, 1);
    assert_int_equal(collect_all(script), 0);
    assert_int_equal(read_file(1, 1), 6);
    make_script(script, 2);
    assert_int_equal(collect_all(script), 0);
    assert_int_equal(read_file(1, 2), 3);
    free(script);
}

TEST(a_rank_that_comes_late_is_lost_and_told)
{
    struct script *script = malloc(sizeof *script);
    struct mesh_bricks *bricks = mesh_bricks_new(2), *other = mesh_bricks_new(2);
    struct mesh_profile *profile;
    struct cca_error err = {0};

    script->count = 0;
    add_mesh(script, 0, 0, 0); /* ranks not known */
    for (int64_t step = 0; step < 4; step++)
        add_step(script, bricks, step, 0, 1);
    add_mesh(script, 1, 1, 0);
    for (int64_t step = 2; step < 6; step++)
        add_step(script, other, step, 1, 1);
    for (int64_t step = 4; step < 6; step++)
        add_step(script, bricks, step, 0, 1);
    assert_int_equal(collect_all(script), 0);
    profile = mesh_profile_open(folder, NULL, &err);
    assert_non_null(profile);
    assert_int_equal(mesh_profile_steps(profile), 6);
    assert_int_equal(mesh_profile_losses(profile), 4);
    mesh_profile_close(profile);
    mesh_bricks_free(bricks);
    mesh_bricks_free(other);
    free(script);
}

TEST(a_mesh_of_another_shape_harms_no_other_rank)
{
    struct script *script = malloc(sizeof *script);
    struct mesh_bricks *bricks[2] = {mesh_bricks_new(2), mesh_bricks_new(2)};
    struct mesh_profile *profile;
    struct cca_error err = {0};

    script->count = 0;
    add_mesh(script, 0, 0, 2);
    ((struct wire_mesh *)(void *)add_mesh(script, 1, 1, 2)->payload)->about.n[1] = 50;
    for (int64_t step = 0; step < 4; step++)
        for (int rank = 2; rank-- > 0;)
            add_step(script, bricks[rank], step, rank, 1);
    assert_int_equal(collect_all(script), 0);
    profile = mesh_profile_open(folder, NULL, &err);
    assert_non_null(profile);
    assert_int_equal(mesh_profile_steps(profile), 4);
    for (size_t i = 0; i < 4; i++) {
        static const int64_t lo[3], hi[3] = {6, 5, 1};
        float values[CELLS];

        assert_int_equal(mesh_profile_step(profile, i)->end.lost, 1);
        assert_int_equal(
            mesh_profile_values(profile, i, 0, 0, lo, hi, values, NULL, &err), 0);
        for (int c = 0; c < CELLS; c++)
            assert_true(values[c] == truth((int64_t)i, 0, c));
    }
    assert_non_null(
        strstr(mesh_profile_note(profile, 0), "rank 1 has a mesh of another"));
    mesh_profile_close(profile);
    for (int rank = 0; rank < 2; rank++)
        mesh_bricks_free(bricks[rank]);
    free(script);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/mesh-agent-wire-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char path[80];

    (void)state;
    remove_file();
    snprintf(path, sizeof path, "%s/mesh", folder);
    rmdir(path);
    return rmdir(folder);
}

TESTS(make_folder, remove_folder)
