/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles whose frames are whole and say something else than any writer would: what
 * reads and exports them answers or refuses in words. */
#include "tests/lib/test.h"

#include <ftw.h>
#include <math.h>

#include "mesh/convert/columns.h"
#include "mesh/convert/lbaf/export.h"
#include "mesh/convert/region.h"
#include "mesh/convert/vtk/export.h"
#include "mesh/trace/words.h"
#include "tests/mesh/profiles.h"

enum { MOST_CELLS = 20000, FRAMES = 400 };

static char folder[] = "/tmp/test_mesh_hostile_profile.XXXXXX";
static unsigned char *whole, *bytes;
static size_t size, frames[FRAMES], frame_count;

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_path(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static const char *path_of(const char *name)
{
    static char path[4][200];
    static int at;

    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", folder, name);
    return path[at];
}

static int set_up(void **state)
{
    (void)state;
    srand(23);
    return !mkdtemp(folder);
}

static int tear_down(void **state)
{
    (void)state;
    free(whole);
    free(bytes);
    remove_path(folder);
    return 0;
}

/* Load a profile and find its frames. */
static void load(const char *path)
{
    FILE *from = fopen(path, "r");

    assert_non_null(from);
    free(whole);
    free(bytes);
    whole = malloc(1 << 20);
    bytes = malloc(1 << 20);
    size = fread(whole, 1, 1 << 20, from);
    fclose(from);
    frame_count = 0;
    for (size_t at = MM_MESH_HEAD_BYTES; at < size && frame_count < FRAMES;) {
        struct mm_mesh_frame frame;

        memcpy(&frame, whole + at, sizeof frame);
        frames[frame_count++] = at;
        at += sizeof frame + (((size_t)frame.bytes + 7) & ~(size_t)7);
    }
}

static double any_number(void)
{
    static const double numbers[] = {0, -1, 1, 1e38, 1e308, -1e308, 1e-300};

    switch (rand() % 3) {
    case 0:
        return (double)NAN;
    case 1:
        return (double)INFINITY;
    default:
        return numbers[rand() % 7];
    }
}

static int64_t any_integer(void)
{
    static const int64_t numbers[] = {INT64_MIN, INT64_MAX, INT32_MAX, INT32_MIN,
                                      1 << 20};

    return rand() % 3 ? rand() % 70 - 4 : numbers[rand() % 5];
}

static void change_about(struct mm_mesh_about *about)
{
    switch (rand() % 7) {
    case 0:
        about->kind = rand() % 3;
        break;
    case 1:
        about->dims = rand() % 5;
        break;
    case 2:
        about->n[rand() % 3] = any_integer() % 5000;
        break;
    case 3:
        about->levels = rand() % 4 ? rand() % 6 : (int32_t)any_integer();
        break;
    case 4:
        about->ratio = rand() % 4 ? rand() % 6 : (int32_t)any_integer();
        break;
    case 5:
        about->origin[rand() % 3] = any_number();
        break;
    default:
        about->spacing[rand() % 3] = any_number();
    }
}

static void change_head(struct mm_mesh_frame *frame)
{
    switch (rand() % 9) {
    case 0:
        frame->rank = rand() % 2 ? rand() % 5 - 2 : (int32_t)any_integer();
        break;
    case 1:
        frame->level = (uint16_t)(rand() % 4);
        break;
    case 2:
        frame->step = rand() % 4 ? rand() % 5 : any_integer();
        break;
    case 3:
        frame->lo[rand() % 3] = any_integer();
        break;
    case 4:
        frame->hi[rand() % 3] = any_integer();
        break;
    case 5:
        frame->sum = any_number();
        break;
    case 6:
        frame->least = frame->greatest = (float)any_number();
        break;
    case 7:
        frame->rms = frame->sum_error = frame->largest = (float)any_number();
        break;
    default:
        frame->previous =
            rand() % 2 ? frames[(size_t)rand() % frame_count] : (uint64_t)any_integer();
    }
}

/* Change a frame and seal it again. */
static void change_frame(size_t at)
{
    struct mm_mesh_frame frame;
    unsigned char *payload = bytes + at + sizeof frame;
    struct mm_mesh_about about;

    memcpy(&frame, bytes + at, sizeof frame);
    if (frame.type == MM_MESH_ABOUT) {
        memcpy(&about, payload, sizeof about);
        change_about(&about);
        memcpy(payload, &about, sizeof about);
    } else if (rand() % 3 || !frame.bytes) {
        change_head(&frame);
    } else {
        payload[(size_t)rand() % frame.bytes] ^= (unsigned char)(1 << rand() % 8);
    }
    mesh_frame_seal(&frame, payload);
    memcpy(bytes + at, &frame, sizeof frame);
}

/* Its words, where it failed. */
static void check(int64_t result, const struct cca_error *err)
{
    if (result < 0) {
        assert_int_equal(result, err->code);
        assert_true(err->text[0] != '\0');
    }
}

static double cells_of(const struct mesh_region *region)
{
    double cells = 1;

    for (int d = 0; d < 3; d++)
        cells *= (double)(region->hi[d] - region->lo[d]);
    return cells;
}

static void read_regions(struct mesh_profile *p, size_t i)
{
    static double values[MOST_CELLS];
    static int32_t ranks[MOST_CELLS];
    const struct mm_mesh_about *about = mesh_profile_about(p);

    for (int level = 0; level < about->levels && level < 4; level++) {
        struct mesh_region region;
        struct cca_error err = {0};

        mesh_region_whole(about, level, &region);
        region.coarse = 1 + rand() % 6;
        if (cells_of(&region) <= MOST_CELLS)
            check(mesh_region_values(p, i, 0, &region, values, ranks, &err), &err);
    }
}

static void export_all(struct mesh_profile *p)
{
    struct mesh_vtk_steps steps = {0, mesh_profile_steps(p)};
    struct cca_error err = {0}, second = {0}, third = {0};

    check(mesh_columns_ranks(p, &third), &third);
    check(mesh_export_vtk(p, steps, path_of("out"), NULL, NULL, &err), &err);
    remove_path(path_of("out"));
    if (mesh_columns_ranks(p, NULL) < 20) /* a file for each */
        check(mesh_export_lbaf(p, 0, 2, path_of("out"), NULL, NULL, &second), &second);
    remove_path(path_of("out"));
}

static int read_profile(void)
{
    static float values[MOST_CELLS];
    struct cca_error err = {0};
    struct mesh_profile *p = mesh_profile_open(folder, "x", &err);
    const struct mm_mesh_about *about;
    struct mesh_region region;

    if (!p) {
        check(err.code ? err.code : -1, &err);
        return 0;
    }
    about = mesh_profile_about(p);
    mesh_region_whole(about, 0, &region);
    if (cells_of(&region) <= MOST_CELLS && mesh_profile_probes(p) > 0) {
        for (size_t i = 0; i < mesh_profile_steps(p); i++) {
            struct cca_error own = {0};

            check(mesh_columns_values(p, i, 0, values, NULL, &own), &own);
            read_regions(p, i);
        }
        mesh_region_whole(about, about->levels - 1, &region);
        if (cells_of(&region) <= 40 * MOST_CELLS)
            export_all(p);
    }
    mesh_profile_close(p);
    return 1;
}

static void twist_profiles(const char *name, const struct mm_mesh_about *about,
                           int (*boxes)(struct mesh_writer *, int))
{
    int rounds = test_count("DAMAGES", 150, 20000), good = 0;
    char path[200];

    assert_int_equal(profile_make(path_of("made"), about, 3, boxes), 0);
    snprintf(path, sizeof path, "%s/mesh/%s.cells", path_of("made"), name);
    load(path);
    mkdir(path_of("mesh"), 0777);
    for (int round = 0; round < rounds; round++) {
        FILE *to = fopen(path_of("mesh/x.cells"), "w");

        memcpy(bytes, whole, size);
        for (int change = round ? 1 + rand() % 3 : 0; change > 0; change--)
            change_frame(frames[(size_t)rand() % frame_count]);
        assert_non_null(to);
        fwrite(bytes, 1, size, to);
        fclose(to);
        good += read_profile();
    }
    assert_true(good > 0 && good < rounds);
    remove_path(path_of("made"));
    remove_path(path_of("mesh"));
}

TEST(levels_that_no_writer_makes_are_read_or_refused)
{
    twist_profiles("amr2", &profile_amr2, profile_amr2_boxes);
    twist_profiles("amr3", &profile_amr3, profile_amr3_boxes);
}

TEST(elements_that_no_writer_makes_are_read_or_refused)
{
    twist_profiles("elements", &profile_elements, profile_elements_boxes);
}

TESTS(set_up, tear_down)
