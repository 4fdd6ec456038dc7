/* SPDX-License-Identifier: BSD-3-Clause */
/* mastermind balance on values that are no weights: one line names step and cell, exit
 * code 3, on the coarsest level and above it. */
#include <float.h>
#include <math.h>
#include <sys/wait.h>

#include "mesh/convert/parts.h"
#include "mesh/trace/writer.h"
#include "tests/lib/test.h"

enum { STEPS = 4 };

/* What is wrong: `value` at cell 1,2,3 of a step; in level 1 the cell 2,4,6 over it. */
struct wrong {
    int level;
    int64_t step;
    float value;
};

static int box(struct mesh_writer *w, const struct wrong *wrong, int64_t step, int level)
{
    struct mesh_box b = {.step = step, .level = level};
    int64_t n = level ? 8 : 4, at = level ? (2 * n + 4) * n + 6 : (1 * n + 2) * n + 3;
    float values[512];

    for (int d = 0; d < 3; d++)
        b.hi[d] = n;
    for (int c = 0; c < n * n * n; c++)
        values[c] = (float)(1 + c % 5);
    if (wrong->level == level && wrong->step == step)
        values[at] = wrong->value;
    return mesh_writer_values(w, &b, values, NULL);
}

static void make(const char *path, const struct wrong *wrong)
{
    struct mm_mesh_about about = {.kind = MM_MESH_GRID,
                                  .dims = 3,
                                  .n = {4, 4, 4},
                                  .levels = 2,
                                  .ratio = 2,
                                  .spacing = {1, 1, 1},
                                  .name = "made"};
    struct mm_mesh_probe probe = {.name = "work"};
    struct mm_given *given = mesh_given_new(path, "made", 1, NULL);
    struct mesh_writer *w;

    assert_non_null(given);
    w = mesh_writer_new(mm_given_folder(given), &about, NULL);
    assert_non_null(w);
    assert_int_equal(mesh_writer_probe(w, &probe, NULL), 0);
    for (int64_t s = 0; s < STEPS; s++) {
        struct mm_mesh_step_end end = {.time_s = NAN, .ranks = 1};

        assert_int_equal(box(w, wrong, s, 0), 0);
        assert_int_equal(box(w, wrong, s, 1), 0);
        assert_int_equal(mesh_writer_step(w, s, &end, NULL), 0);
    }
    assert_int_equal(mesh_writer_close(w, NULL), 0);
    assert_int_equal(mm_given_finish(given, NULL), 0);
    mm_given_free(given);
}

static int balance(const char *path, char *text, size_t size)
{
    char command[9000];
    FILE *pipe;
    size_t n;

    snprintf(command, sizeof command,
             "'%s/bin/mastermind' balance '%s' --parts 2 2>&1 >/dev/null", getenv("O"),
             path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    n = fread(text, 1, size - 1, pipe);
    text[n] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static void tried(int number, struct wrong wrong, int code, const char *words)
{
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : ".";
    char path[4200], text[2000];

    snprintf(path, sizeof path, "%s/weights%d-%d.mm", folder, (int)getpid(), number);
    make(path, &wrong);
    assert_int_equal(balance(path, text, sizeof text), code);
    if (!strstr(text, words) || (*words && strchr(text, '\n')[1] != '\0'))
        fail_msg("found '%s', expected one line with '%s'", text, words);
}

TEST(values_that_are_no_weights_are_named)
{
    tried(0, (struct wrong){0, 99, 0}, 0, "");
    tried(1, (struct wrong){0, 2, NAN}, 3, "step 2, cell 1,2,3: found weight nan");
    tried(2, (struct wrong){0, 0, -2}, 3, "step 0, cell 1,2,3: found weight -2");
    tried(3, (struct wrong){0, 3, INFINITY}, 3, "step 3, cell 1,2,3: found weight inf");
    tried(4, (struct wrong){1, 1, NAN}, 3,
          "step 1, cell 1,2,3: found weight nan in level 1 above it");
    tried(5, (struct wrong){1, 3, -1e-3f}, 3,
          "step 3, cell 1,2,3: found weight -0.001 in level 1 above it");
}

TESTS(NULL, NULL)
