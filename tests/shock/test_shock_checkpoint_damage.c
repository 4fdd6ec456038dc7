/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shock_checkpoint_damage.c: files of a checkpoint that are cut, flipped, missing or
 * made by hand, and meshes that are not the one that was written: one line that names the
 * file, and no other effect. */
#include <inttypes.h>

#include "tests/lib/checkpoint_parts.h"

/* A whole checkpoint of two levels, and an assembly that can read it. */
static struct {
    char folder[64];
    struct assembly a;
    char *index, *values;
    size_t index_size, values_size;
} c;

#define VALUES "values-000001-0000"

static int set_up(void **state)
{
    struct checkpoint_run r = {"AMRMesh", 16, 2, 0, 3, c.folder, NULL};

    (void)state;
    folder_new(c.folder);
    checkpoint_go(&c.a, &r);
    assembly_set(&c.a, "checkpoint", "restart", c.folder);
    c.index = file_load(c.folder, "index", &c.index_size);
    c.values = file_load(c.folder, VALUES, &c.values_size);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assembly_close(&c.a);
    free(c.index);
    free(c.values);
    folder_remove(c.folder);
    return 0;
}

static void files_restore(void)
{
    file_store(c.folder, "index", c.index, c.index_size);
    file_store(c.folder, VALUES, c.values, c.values_size);
}

static void expect_whole(void)
{
    struct cca_error err = {0};

    files_restore();
    assembly_check(checkpoint_load(&c.a, &err), &err);
}

/* Reading fails with one line that has `text`. */
static void expect_refusal(struct assembly *a, const char *text)
{
    struct cca_error err = {0};
    int code = checkpoint_load(a, &err);

    if (code >= 0)
        fail_msg("read, expected '%s'", text);
    assert_int_equal(code, err.code);
    if (!strstr(err.text, text) || strpbrk(err.text, "\n\r\t"))
        fail_msg("'%s' has no '%s', or is no line", err.text, text);
}

/* --- Cut and flipped ------------------------------------------------------- */

/* Each byte of the file in a long run, else some hundred. */
static size_t stride(size_t size)
{
    size_t looks =
        (size_t)test_count("DAMAGES", TEST_ASAN || TEST_TSAN ? 60 : 400, 1000000);

    return size / looks + 1;
}

TEST(an_index_cut_anywhere_is_refused)
{
    for (size_t n = 0; n < c.index_size; n += stride(c.index_size)) {
        file_store(c.folder, "index", c.index, n);
        expect_refusal(&c.a, "/index'");
    }
    expect_whole();
}

TEST(an_index_with_any_byte_changed_is_refused)
{
    for (size_t n = 0; n < c.index_size; n += stride(c.index_size))
        for (int bit = 0; bit < 8; bit += 1 + (n % 3 != 0)) {
            char kept = c.index[n];

            c.index[n] = (char)(kept ^ 1 << bit);
            file_store(c.folder, "index", c.index, c.index_size);
            c.index[n] = kept;
            expect_refusal(&c.a, "/index'");
        }
    expect_whole();
}

TEST(an_index_with_more_behind_it_is_refused)
{
    char *longer = malloc(2 * c.index_size);

    memcpy(longer, c.index, c.index_size);
    memcpy(longer + c.index_size, c.index, c.index_size);
    file_store(c.folder, "index", longer, c.index_size + 1);
    expect_refusal(&c.a, "/index'");
    file_store(c.folder, "index", longer, 2 * c.index_size);
    expect_refusal(&c.a, "/index'");
    free(longer);
    expect_whole();
}

TEST(values_cut_anywhere_are_refused)
{
    char found[128];

    for (size_t n = 0; n < c.values_size; n += stride(c.values_size)) {
        file_store(c.folder, VALUES, c.values, n);
        snprintf(found, sizeof found, VALUES "': found %zu bytes, expected %zu", n,
                 c.values_size);
        expect_refusal(&c.a, found);
    }
    expect_whole();
}

TEST(a_head_that_tells_another_size_is_refused)
{
    enum { HEAD_BYTES_AT = 40 }; /* the sixth number of the head: bytes of the file */
    char found[128];
    int64_t bytes = (int64_t)c.values_size + 1, kept;

    memcpy(&kept, c.values + HEAD_BYTES_AT, sizeof kept);
    memcpy(c.values + HEAD_BYTES_AT, &bytes, sizeof bytes);
    file_store(c.folder, VALUES, c.values, c.values_size);
    memcpy(c.values + HEAD_BYTES_AT, &kept, sizeof kept);
    snprintf(found, sizeof found, ", %zu bytes, checksum ", c.values_size + 1);
    expect_refusal(&c.a, found);
    expect_whole();
}

TEST(values_with_any_byte_changed_are_refused)
{
    for (size_t n = 0; n < c.values_size; n += stride(c.values_size)) {
        char kept = c.values[n];

        c.values[n] = (char)(kept ^ 1 << n % 8);
        file_store(c.folder, VALUES, c.values, c.values_size);
        c.values[n] = kept;
        expect_refusal(&c.a, VALUES "'");
    }
    expect_whole();
}

/* --- Missing, and something else ------------------------------------------- */

TEST(files_that_are_missing_or_no_files_are_refused)
{
    char path[128], empty[64];

    snprintf(path, sizeof path, "%s/%s", c.folder, VALUES);
    unlink(path);
    expect_refusal(&c.a, VALUES "': No such file");
    assert_int_equal(0, mkdir(path, 0700));
    expect_refusal(&c.a, VALUES "'");
    rmdir(path);
    assert_int_equal(0, mkfifo(path, 0600));
    expect_refusal(&c.a, VALUES "' is no plain file");
    unlink(path);
    files_restore();
    snprintf(path, sizeof path, "%s/index", c.folder);
    unlink(path);
    expect_refusal(&c.a, "/index': No such file");
    assert_int_equal(0, symlink("/dev/zero", path));
    expect_refusal(&c.a, "/index' is no plain file");
    unlink(path);
    assert_int_equal(0, symlink("/dev/null", path));
    expect_refusal(&c.a, "/index' is no plain file");
    unlink(path);
    file_store(c.folder, "index", "", 0);
    assert_int_equal(0, truncate(path, (off_t)1 << 40));
    expect_refusal(&c.a, "found 1099511627776 bytes");
    folder_new(empty);
    assembly_set(&c.a, "checkpoint", "restart", empty);
    expect_refusal(&c.a, "/index': No such file");
    folder_remove(empty);
    assembly_set(&c.a, "checkpoint", "restart", "/dev/null");
    expect_refusal(&c.a, "'/dev/null/index': Not a directory");
    assembly_set(&c.a, "checkpoint", "restart", c.folder);
    expect_whole();
}

/* --- Made by hand ---------------------------------------------------------- */

/* The index with `from` replaced by `to`, and the checksum that belongs to it. */
static void index_change(const char *from, const char *to)
{
    char text[8192], *at = strstr(c.index, from);
    size_t length;

    assert_non_null(at);
    length = (size_t)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - c.index), c.index,
                              to, at + strlen(from));
    assert_true(length < sizeof text);
    length = (size_t)(strstr(text, "checksum") - text);
    length += (size_t)sprintf(text + length, "checksum %08" PRIx32 "\n",
                              crc32_of(text, length));
    file_store(c.folder, "index", text, length);
}

struct change {
    const char *from, *to, *text;
};

TEST(an_index_that_means_nothing_is_refused)
{
    /* Level 0 has 16 x 4 cells, level 1 is 2:1. */
    static const struct change changes[] = {
        {"checkpoint 1", "checkpoint 2", "':1: found 'checkpoint 2'"},
        {"checkpoint 1", "checkpoint  1", "':1: found"},
        {"checkpoint 1\n",
         "\x7f"
         "ELF\x02\x01",
         "':1: found '?ELF??"},
        {"serial 1", "serial 0", "':2: found 'serial 0'"},
        {"serial 1", "serial 1000000000000000", "':2: found"},
        {"serial 1", "serial 9", "values-000009-0000': No such file"},
        {"files 1", "files 0", "':3: found"},
        {"files 1", "files 2", "values-000001-0001': No such file"},
        {"files 1", "files 1048577", "':3: found"},
        {"files 1", "files 99999999999999999999", "':3: found"},
        {"files 1", "files 0x1", "':3: found"},
        {"files 1", "files -1", "':3: found"},
        {"files 1", "files +1", "':3: found"},
        {"files 1\n", "files 1 \n", "':3: found"},
        {"files 1\n", "files 1\r\n", "':3: found"},
        {"files 1\n", "", "':3: found 'step 3'"},
        {"step 3", "step -3", "':4: found"},
        {"time ", "time nan#", "':5: found"},
        {"\ntime ", "\ntime inf\n#", "':5: found"},
        {"\nleast ", "\nleast -", "':6: found"},
        {"updates ", "updates -", "':7: found"},
        {"updates ", "updates 1 ", "':7: found"},
        {"domain ", "domain 1 ", "':8: found"},
        {"domain 0x0p+0", "domain 0x1p+0", "found the domain [1, 4]"},
        {"domain 0x0p+0", "domain -inf", "found the domain [-inf, 4]"},
        {"cells 16 4", "cells 16 8", "found 16 x 8 cells, expected 16 x 4"},
        {"cells 16 4", "cells 8 4", "expected a patch inside"},
        {"cells 16 4", "cells 9223372036854775807 4", "':15: found"},
        {"periodic 0 0", "periodic 0 1",
         "found periodic borders in y, expected them in no"},
        {"periodic 0 0", "periodic 2 0", "':10: found"},
        {"components 5", "components 4", "':16: found"},
        {"components 5", "components 0", "':11: found"},
        {"levels 2", "levels 1", "expected the checksum"},
        {"levels 2", "levels 3", "':17: found"},
        {"levels 2", "levels 9", "':12: found"},
        {"level 0 1 1", "level 0 2 1", "':13: found"},
        {"level 0 1 1", "level 0 1 0", "':13: found"},
        {"level 0 1 1", "level 0 1 2147483647", "':13: found"},
        {"level 0 1 1", "level 0 1 -9223372036854775808", "':13: found"},
        {"level 1 2 1", "level 1 2 2", "':15: found"},
        {"level 1 2 1", "level 1 3 1", "expected by 2"},
        {"level 1 2 1", "level 1 1000 1", "':15: found"},
        {"level 1 2 1", "level 0 1 1", "':15: found"},
        {"patch 0 0 0 16 4 0 56", "patch 0 0 0 16 4 1 56", "':14: found"},
        {"patch 0 0 0 16 4 0 56", "patch 0 0 0 16 4 -1 56", "':14: found"},
        {"patch 0 0 0 16 4 0 56", "patch 0 0 0 16 4 0 57", "':14: found"},
        {"patch 0 0 0 16 4 0 56", "patch 0 0 0 17 4 0 56", "':14: found"},
        {"patch 0 0 0 16 4 0 56", "patch 0 1 0 16 4 0 56", "':14: found"},
        {"patch 0 0 0 16 4 0 56", "patch 0 0 0 0 4 0 56", "':14: found"},
        {"patch 0 0 0 16 4 0 56", "patch 0 -1 0 16 4 0 56", "':14: found"},
        {"patch 0 0 0 16 4 0 56", "patch 0 9223372036854775807 0 1 4 0 56",
         "':14: found"},
        {"patch 0 0 0 16 4 0 56", "patch 1 0 0 16 4 0 56", "':14: found"},
        {"patch 0 0 0 16 4 0 56", "patch 0 0 0 16 4 0 56 0", "':14: found"},
        /* The record is of 16 x 4 cells. */
        {"patch 0 0 0 16 4 0 56", "patch 0 0 0 8 4 0 56", "':16: found"},
        {"patch 0 0 0 16 4 0 56", "patch 0 0 0 16 4 0", "':14: found"},
    };

    assert_non_null(strstr(c.index, "level 0 1 1\npatch 0 0 0 16 4 0 56\nlevel 1 2 1\n"));
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        index_change(changes[k].from, changes[k].to);
        expect_refusal(&c.a, changes[k].text);
    }
    index_change("step 3", "step 3"); /* the checksum is made right */
    expect_whole();
}

/* A checkpoint of level 0 alone whose records are right in themselves: `count` patches of
 * nx x 4 cells from column ilo[k] on. */
static void files_make(int count, const int64_t *ilo, const int64_t *nx)
{
    char text[1024], lines[512] = "", *values = calloc(1, 65536);
    int64_t head[7] = {0, 0x0102030405060708, 1, 1, 0, 56, 0}, offset = 56;

    assert_non_null(values);
    for (int k = 0; k < count; k++) {
        int64_t record[6] = {0, ilo[k], 0, nx[k], 4, 5};
        size_t bytes = sizeof record + (size_t)nx[k] * 4 * 5 * sizeof(double);
        uint64_t sum;

        memcpy(values + offset, record, sizeof record);
        sum = crc32_of(values + offset, bytes);
        memcpy(values + offset + bytes, &sum, sizeof sum);
        sprintf(lines + strlen(lines),
                "patch 0 %" PRId64 " 0 %" PRId64 " 4 0 %" PRId64 "\n", ilo[k], nx[k],
                offset);
        offset += (int64_t)(bytes + sizeof sum);
    }
    memcpy(head, "ckvalues", 8);
    head[5] = offset;
    head[6] = crc32_of((char *)head, 48);
    memcpy(values, head, sizeof head);
    file_store(c.folder, VALUES, values, (size_t)offset);
    free(values);
    sprintf(text, "%.*slevels 1\nlevel 0 1 %d\n%s",
            (int)(strstr(c.index, "levels") - c.index), c.index, count, lines);
    sprintf(text + strlen(text), "checksum %08" PRIx32 "\n",
            crc32_of(text, strlen(text)));
    file_store(c.folder, "index", text, strlen(text));
}

TEST(patches_must_have_each_cell_once)
{
    struct cca_error err = {0};

    files_make(2, (int64_t[]){0, 8}, (int64_t[]){8, 8});
    assembly_check(checkpoint_load(&c.a, &err), &err);
    files_make(2, (int64_t[]){8, 0}, (int64_t[]){8, 8});
    assembly_check(checkpoint_load(&c.a, &err), &err);
    files_make(2, (int64_t[]){0, 0}, (int64_t[]){8, 8});
    expect_refusal(&c.a, "a second time in a patch from 0, 0");
    files_make(2, (int64_t[]){0, 7}, (int64_t[]){8, 9});
    expect_refusal(&c.a, "a second time in a patch from 7, 0");
    files_make(1, (int64_t[]){0}, (int64_t[]){8});
    expect_refusal(&c.a, "found no patch with the cell 8, 0 of level 0");
    files_make(2, (int64_t[]){0, 9}, (int64_t[]){8, 7});
    expect_refusal(&c.a, "found no patch with the cell 8, 0 of level 0");
    expect_whole();
}

/* --- Another mesh ---------------------------------------------------------- */

static void expect_other_mesh(const struct checkpoint_run *run, const char *instance,
                              const char *parameter, const char *value, const char *text)
{
    struct assembly a;
    struct cca_error err = {0};

    checkpoint_open(&a, run);
    if (instance)
        assembly_set(&a, instance, parameter, value);
    if (!strcmp(value, "periodic"))
        assembly_set(&a, "boundary", "ylo", value);
    assert_true(cca_framework_go(a.framework, "driver", "go", &err) < 0);
    if (!strstr(err.text, text) || !strstr(err.text, c.folder) || strchr(err.text, '\n'))
        fail_msg("'%s' has no '%s' and folder", err.text, text);
    assembly_close(&a);
}

TEST(a_mesh_that_is_not_the_one_written_is_refused)
{
    struct checkpoint_run r = {"AMRMesh", 16, 2, 0, 3, NULL, c.folder};

    expect_whole();
    expect_other_mesh(&r, "driver", "nx", "32", "found 16 x 4 cells, expected 32 x 4");
    expect_other_mesh(&r, "initial", "problem", "sod",
                      "found the domain [0, 4] x [0, 1], expected [0, 1] x [0, 1]");
    expect_other_mesh(&r, "boundary", "yhi", "periodic",
                      "found periodic borders in no axis, expected them in y");
    expect_other_mesh(&r, "mesh", "levels", "1", "patches given for level 1");
    r.mesh = "UniformMesh";
    expect_other_mesh(&r, "mesh", "patches_x", "1", "patches given for level 1");
}

/* --- Folders that cannot be written to -------------------------------------- */

TEST(a_folder_that_cannot_be_is_refused)
{
    struct checkpoint_moment moment = {.step = 3};
    struct checkpoint_port *port = checkpoint_of(&c.a);
    static const struct change folders[] = {
        {"/dev/null", NULL, "cannot open folder '/dev/null': Not a directory"},
        {"/proc/checkpoint", NULL, "cannot create folder '/proc/checkpoint'"},
        {"/proc", NULL, "'/proc/values-000001-0000'"},
        {"/nowhere/checkpoint", NULL, "'/nowhere/checkpoint': No such file"},
        {"", NULL, "''"},
    };

    for (size_t k = 0; k < sizeof folders / sizeof folders[0]; k++) {
        struct cca_error err = {0};

        assembly_set(&c.a, "checkpoint", "directory", folders[k].from);
        assert_true(port->write(port, assembly_mesh(&c.a), 0, &moment, NULL, &err) < 0);
        if (!strstr(err.text, folders[k].text) || strchr(err.text, '\n'))
            fail_msg("'%s' has no '%s'", err.text, folders[k].text);
    }
    assembly_set(&c.a, "checkpoint", "directory", c.folder);
    expect_whole();
}

TESTS(set_up, tear_down)
