/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles: what was written is read, at any cut of the file, and damage is refused. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh/trace/profile.h"
#include "mesh/trace/writer.h"
#include "tests/lib/test.h"

enum { N0 = 40, N1 = 20, N2 = 18, CELLS = N0 * N1 * N2, STEPS = 5 };

static char folder[64];

static float truth(int step, int probe, int64_t cell)
{
    return (float)((cell * 31 + step * 7) % 9 + probe) + (probe ? 0.25f : 0);
}

static struct mm_mesh_about about(void)
{
    struct mm_mesh_about a = {.kind = MM_MESH_GRID,
                              .dims = 3,
                              .n = {N0, N1, N2},
                              .levels = 1,
                              .ratio = 1,
                              .spacing = {1, 1, 1},
                              .name = "field"};
    return a;
}

/* Two ranks, cut in dimension 0 at a place that moves with the steps. */
static void write_rank(struct mesh_writer *w, int step, int probe, int rank)
{
    struct mesh_box box = {.step = step * 10,
                           .rank = rank,
                           .probe = probe,
                           .lo = {rank ? 11 + step : 0, 0, 0},
                           .hi = {rank ? N0 : 11 + step, N1, N2}};
    int64_t first = box.lo[0] * N1 * N2, count = box.hi[0] * N1 * N2 - first;
    float *values = malloc((size_t)count * sizeof *values);
    struct cca_error err = {0};

    for (int64_t c = 0; c < count; c++)
        values[c] = truth(step, probe, first + c);
    assert_int_equal(mesh_writer_values(w, &box, values, &err), 0);
    free(values);
}

static void write_profile(void)
{
    struct mm_mesh_about a = about();
    struct mm_mesh_probe work = {.name = "work"}, cost = {.name = "cost", .unit = "ns"};
    struct mm_mesh_lost lost = {3, 4, 2, "the agent was late"};
    struct cca_error err = {0};
    struct mesh_writer *w = mesh_writer_new(folder, &a, &err);

    assert_non_null(w);
    assert_int_equal(mesh_writer_probe(w, &work, &err), 0);
    assert_int_equal(mesh_writer_probe(w, &cost, &err), 1);
    assert_int_equal(mesh_writer_probe(w, &cost, NULL), -EEXIST);
    for (int s = 0; s < STEPS; s++) {
        struct mm_mesh_step_end end = {s * .5, 0, 2, 0};

        for (int r = 0; r < 4; r++)
            write_rank(w, s, r & 1, r >> 1);
        if (s == 2)
            mesh_writer_lost(w, 1, &lost, &err);
        assert_int_equal(mesh_writer_step(w, s * 10, &end, &err), 0);
    }
    assert_int_equal(mesh_writer_note(w, "a note", &err), 0);
    assert_int_equal(mesh_writer_close(w, &err), 0);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/mesh_trace.XXXXXX");
    assert_non_null(mkdtemp(folder));
    write_profile();
    return 0;
}

static int tear_down(void **state)
{
    char command[96];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static struct mesh_profile *open_profile(void)
{
    struct cca_error err = {0};
    struct mesh_profile *p = mesh_profile_open(folder, NULL, &err);

    if (!p)
        fail_msg("%s", err.text);
    return p;
}

TEST(test_all_values_come_back)
{
    struct mesh_profile *p = open_profile();
    int64_t lo[3] = {0, 0, 0}, hi[3] = {N0, N1, N2};
    float *values = malloc(CELLS * sizeof *values);
    int32_t *owner = malloc(CELLS * sizeof *owner);

    assert_int_equal(mesh_profile_steps(p), STEPS);
    assert_int_equal(mesh_profile_find_probe(p, "cost"), 1);
    assert_int_equal(mesh_profile_find_probe(p, "costs"), -1);
    for (size_t s = 0; s < STEPS; s++)
        for (int probe = 0; probe < 2; probe++) {
            assert_int_equal(
                mesh_profile_values(p, s, probe, 0, lo, hi, values, owner, NULL), 0);
            for (int64_t c = 0; c < CELLS; c++) {
                assert_true(values[c] == truth((int)s, probe, c));
                assert_int_equal(owner[c], c / (N1 * N2) >= 11 + (int)s);
            }
        }
    assert_int_equal(mesh_profile_losses(p), 1);
    assert_string_equal(mesh_profile_note(p, 0), "a note");
    assert_int_equal(mesh_profile_find_step(p, 11), 2);
    free(values);
    free(owner);
    mesh_profile_close(p);
}

TEST(test_a_cell_is_read_alone)
{
    struct mesh_profile *p = open_profile();
    int64_t lo[3] = {30, 7, 3}, hi[3] = {31, 8, 4};
    float value;

    assert_int_equal(mesh_profile_values(p, 3, 1, 0, lo, hi, &value, NULL, NULL), 0);
    assert_true(value == truth(3, 1, (30 * N1 + 7) * N2 + 3));
    assert_true(mesh_profile_decoded(p) <= 4096 * 4 + 16);
    assert_int_equal(mesh_profile_values(p, 0, 0, 0, lo, (int64_t[3]){31, 8, N2 + 1},
                                         &value, NULL, NULL),
                     -EINVAL);
    mesh_profile_close(p);
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}

static char *read_file(char *path, size_t *size)
{
    struct stat st;
    char *bytes;
    int fd;

    sprintf(path, "%s/mesh/field.cells", folder);
    fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && fstat(fd, &st) == 0);
    bytes = malloc((size_t)st.st_size);
    *size = (size_t)st.st_size;
    assert_int_equal(read(fd, bytes, *size), *size);
    close(fd);
    return bytes;
}

/* Wherever the writer was killed: the whole steps are there, and right. */
TEST(test_any_cut_leaves_whole_steps)
{
    char path[128];
    size_t size, steps_before = 0;
    char *bytes = read_file(path, &size);

    for (size_t cut = 0; cut < size; cut += cut < 800 ? 1 : 997) {
        struct cca_error err = {0};
        struct mesh_profile *p;

        write_file(path, bytes, cut);
        p = mesh_profile_open(folder, NULL, &err);
        if (!p) {
            assert_true(cut < 800 && err.text[0]);
            continue;
        }
        assert_true(mesh_profile_steps(p) >= steps_before);
        steps_before = mesh_profile_steps(p);
        mesh_profile_close(p);
    }
    assert_true(steps_before >= STEPS - 1);
    write_file(path, bytes, size);
    free(bytes);
}

/* No flipped byte gives a wrong value: it is refused, or it is in no whole step. */
TEST(test_flipped_bytes_are_refused)
{
    char path[128];
    size_t size;
    char *bytes = read_file(path, &size);
    int64_t lo[3] = {0, 0, 0}, hi[3] = {N0, N1, N2};
    float *values = malloc(CELLS * sizeof *values);

    for (size_t at = 0; at < size; at += at < 1000 ? 1 : 1 + size / 300) {
        struct cca_error err = {0};
        struct mesh_profile *p;
        int fd = open(path, O_WRONLY);
        char flipped = (char)(bytes[at] ^ 0x10);

        assert_int_equal(pwrite(fd, &flipped, 1, (off_t)at), 1);
        p = mesh_profile_open(folder, NULL, &err);
        for (size_t s = 0; p && s < mesh_profile_steps(p); s++)
            for (int probe = 0; probe < mesh_profile_probes(p); probe++)
                if (mesh_profile_values(p, s, probe, 0, lo, hi, values, NULL, NULL) == 0)
                    for (int64_t c = 0; c < CELLS; c++)
                        assert_true(values[c] == truth((int)s, probe, c));
        mesh_profile_close(p);
        assert_int_equal(pwrite(fd, bytes + at, 1, (off_t)at), 1);
        close(fd);
    }
    free(bytes);
    free(values);
}

TEST(test_wrong_words_are_named)
{
    struct mm_mesh_about a = about();
    struct cca_error err = {0};

    a.n[1] = 0;
    assert_null(mesh_writer_new(folder, &a, &err));
    assert_string_equal(err.text, "dimension 1: found 0 cells");
    a = about();
    strcpy(a.name, "../field");
    err.code = 0;
    assert_null(mesh_writer_new(folder, &a, &err));
    assert_int_equal(err.code, -EINVAL);
    a = about();
    err.code = 0;
    assert_null(mesh_writer_new(folder, &a, &err));
    assert_int_equal(err.code, -EEXIST);
    err.code = 0;
    assert_null(mesh_profile_open(folder, "feild", &err));
    assert_int_equal(err.code, -ENOENT);
    assert_non_null(strstr(err.text, "expected 'field'"));
}

TESTS(set_up, tear_down)
