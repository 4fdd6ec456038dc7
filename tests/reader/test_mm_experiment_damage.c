/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_experiment_damage.c: a damaged experiment is read right or refused, never else.
 *
 * Two small experiments, one finished and one as a kill leaves it, get every truncation
 * of their segments, many of their rings, and random single flipped bits: 6000, or as
 * many as the first argument says. Two tiny ones get every truncation of every file and
 * every flipped bit of each byte that is not 0; with FAULT_ZEROS=1, as in a soak, also of
 * those that are. */
#include "mastermind/format/layout.h"
#include "tests/lib/damage.h"
#include "tests/lib/experiment_fixture.h"

static int flips, zeros;

static const struct monitor_value_decl values[] = {
    {.name = "Q", .type = MONITOR_INT64, .kind = MONITOR_PARAM},
    {.name = "x", .type = MONITOR_DOUBLE, .kind = MONITOR_PARAM},
    {.name = "o", .type = MONITOR_INT64, .kind = MONITOR_OUT},
};

static __attribute__((noinline)) void nest(struct fixture *f, struct monitor_method *m,
                                           int depth)
{
    union monitor_value in[2] = {{.i = depth % 7 ? depth : (int64_t)depth << 32},
                                 {.d = depth / 3.}};
    union monitor_value out[1] = {{.i = -depth}};
    struct monitor_frame *frame = f->port->begin(f->port, m, in);

    if (depth)
        nest(f, m, depth - 1);
    f->port->end(f->port, frame, out);
}

/* Each truncation must be seen: nothing in these files is spare. */
static void cut(const char *experiment, const char *path, size_t step)
{
    size_t size, at, part = step > 1 || zeros ? 1 : (size_t)damage_part();
    char *data = damage_load(path, &size);
    uint64_t digest;

    for (at = 0; at < size; at += step * part) {
        damage_store(path, data, at);
        if (damage_read(experiment, &digest) != -EBADMSG)
            fail_msg("%s cut at %zu of %zu was not refused", path, at, size);
    }
    damage_store(path, data, size);
    free(data);
}

/* `count` bits at random, or each of them once where that is no more. */
static void flip(const char *experiment, const char *path, int count, size_t first,
                 size_t last)
{
    uint64_t seed = 12345, right, digest;
    size_t size, bit, refused = 0;
    char *data = damage_load(path, &size), byte;
    int i, every, fd = open(path, O_WRONLY);

    assert_true(fd >= 0);
    assert_int_equal(damage_read(experiment, &right), 0);
    if (last > size)
        last = size;
    every = (size_t)count >= 8 * (last - first);
    if (every)
        count = (int)(8 * (last - first));
    for (i = 0; i < count; i++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        bit = 8 * first + (every ? (size_t)i : (seed >> 20) % (8 * (last - first)));
        byte = (char)(data[bit / 8] ^ 1 << bit % 8);
        assert_int_equal(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
        if (damage_read(experiment, &digest))
            refused++;
        else if (digest != right)
            fail_msg("%s: flipped bit %zu of byte %zu changed the rows", path, bit % 8,
                     bit / 8);
        assert_int_equal(pwrite(fd, &data[bit / 8], 1, (off_t)(bit / 8)), 1);
    }
    assert_true(count < 100 || refused);
    close(fd);
    free(data);
}

TEST(a_finished_experiment)
{
    struct monitor_method *m;
    char path[400];
    struct fixture f;

    fixture_begin(&f, NULL, NULL);
    m = fixture_method(&f, "i", "m", values, 2, 1);
    nest(&f, m, 30);
    nest(&f, m, 5);
    fixture_end(&f);
    snprintf(path, sizeof path, "%s/thread-000.seg", f.rank);
    cut(f.path, path, 1);
    flip(f.path, path, flips / 2, 0, SIZE_MAX);
    fixture_remove(&f);
}

TEST(what_a_kill_leaves)
{
    union monitor_value in[2] = {{.i = 9}, {.d = .5}};
    struct monitor_method *m;
    struct monitor_frame *frame;
    char ring[400], segment[400];
    struct mm_recorder_options options = {
        .packing = MM_PACK_CALLER,
        .storage.size_limit = 32 << 20}; /* one window: nothing is there twice */
    struct fixture f;
    int i;

    fixture_begin(&f, &options, NULL);
    m = fixture_method(&f, "i", "m", values, 2, 1);
    frame = f.port->begin(f.port, m, in);
    for (i = 0; i < 200; i++) /* some more than a window */
        nest(&f, m, 30);
    snprintf(ring, sizeof ring, "%s/thread-000.ring", f.rank);
    snprintf(segment, sizeof segment, "%s/thread-000.seg", f.rank);
    damage_detach(ring);
    damage_detach(segment);
    flip(f.path, ring, flips / 4, 0, SIZE_MAX);
    flip(f.path, ring, flips / 8, 0, 4096 + 1024); /* heads, counters, open frames */
    flip(f.path, segment, flips / 8, 0, SIZE_MAX);
    cut(f.path, ring, 4093);
    cut(f.path, segment, 997);
    f.port->end(f.port, frame, in);
    mm_recorder_close(f.recorder, NULL);
    fixture_remove(&f);
}

/* Every flipped bit; of bytes that are 0 of one in 2048, unless all are wanted. */
static void flip_all(const char *experiment, const char *path)
{
    uint64_t right, digest;
    size_t size, at, skipped = 0, tried = 0;
    char *data = damage_load(path, &size), byte;
    int fd = open(path, O_WRONLY), bit;

    assert_true(fd >= 0);
    assert_int_equal(damage_read(experiment, &right), 0);
    for (at = 0; at < size; at++) {
        if (!data[at] && !zeros && ++skipped % 2048)
            continue;
        for (bit = 0; bit < 8; bit++) {
            if (!zeros && tried++ % (size_t)damage_part())
                continue;
            byte = (char)(data[at] ^ 1 << bit);
            assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
            if (!damage_read(experiment, &digest) && digest != right)
                fail_msg("%s: flipped bit %d of byte %zu changed what is read", path, bit,
                         at);
        }
        assert_int_equal(pwrite(fd, &data[at], 1, (off_t)at), 1);
    }
    close(fd);
    free(data);
}

/* A JSON file may lose the line break at its end. */
TEST(every_bit_of_a_finished_experiment)
{
    static const char *const names[] = {"experiment.json", "rank-0000/methods.json",
                                        "rank-0000/thread-000.seg"};
    struct monitor_method *m;
    struct fixture f;
    char path[400];
    size_t i;

    fixture_begin(&f, NULL, NULL);
    m = fixture_method(&f, "i", "m", values, 2, 1);
    nest(&f, m, 3);
    fixture_end(&f);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", f.path, names[i]);
        flip_all(f.path, path);
        cut(f.path, path, 1);
    }
    fixture_remove(&f);
}

TEST(every_bit_of_what_a_kill_leaves)
{
    struct mm_recorder_options options = {.packing = MM_PACK_CALLER,
                                          .storage.size_limit =
                                              32 << 20}; /* a small ring, read often */
    union monitor_value in[2] = {{.i = 9}, {.d = .5}};
    struct monitor_frame *frame;
    struct monitor_method *m;
    struct fixture f;
    char ring[400];

    fixture_begin(&f, &options, NULL);
    m = fixture_method(&f, "i", "m", values, 2, 1);
    frame = f.port->begin(f.port, m, in);
    nest(&f, m, 3);
    snprintf(ring, sizeof ring, "%s/thread-000.ring", f.rank);
    damage_detach(ring);
    flip_all(f.path, ring);
    f.port->end(f.port, frame, in);
    mm_recorder_close(f.recorder, NULL);
    fixture_remove(&f);
}

/* Not damaged, but not to be read either: the words say so. */
TEST(a_ring_of_another_version_is_named)
{
    struct cca_error err = {0};
    struct monitor_method *m;
    struct mm_experiment *e;
    uint64_t digest = 1;
    char ring[400], *data;
    struct fixture f;
    size_t size;

    fixture_begin(&f, NULL, NULL);
    m = fixture_method(&f, "i", "m", values, 2, 1);
    nest(&f, m, 3);
    snprintf(ring, sizeof ring, "%s/thread-000.ring", f.rank);
    damage_detach(ring);
    data = damage_load(ring, &size);
    data[7] = 1;
    damage_store(ring, data, size);
    free(data);
    e = mm_experiment_open(f.path, &err);
    assert_non_null(e);
    assert_int_equal(mm_experiment_rows(e, damage_row, &digest, &err), -EBADMSG);
    mm_experiment_free(e);
    assert_non_null(strstr(
        err.text, "thread-000.ring: offset 7: found version 1 of this file, expected 3"));
    mm_recorder_close(f.recorder, NULL);
    fixture_remove(&f);
}

/* A row of one word less, where that word as the check has it is the bit of the length
 * that flipped, has a check that holds; but a row of the method has as many words as it
 * has. */
TEST(a_length_is_that_of_the_method)
{
    static const struct monitor_value_decl n = {
        .name = "n", .type = MONITOR_INT64, .kind = MONITOR_PARAM};
    const union monitor_value in[1] = {{.i = 2048}};
    const struct mm_file_head *head;
    struct monitor_method *m;
    char ring[400], *data;
    uint64_t digest, *row;
    struct fixture f;
    size_t size;

    fixture_begin(&f, NULL, NULL);
    m = fixture_method(&f, "i", "m", &n, 1, 0);
    f.port->end(f.port, f.port->begin(f.port, m, in), NULL);
    snprintf(ring, sizeof ring, "%s/thread-000.ring", f.rank);
    damage_detach(ring);
    data = damage_load(ring, &size);
    head = (const void *)data;
    row = (void *)(data + MM_HEAD_BYTES + (size_t)head->frame_bytes * head->frame_count +
                   sizeof(struct mm_window_head));
    while (mm_is_reading(*row))
        row += mm_row_words(*row);
    assert_int_equal(mm_row_words(*row), 5);
    assert_true(mm_row_check_holds(row, 5, 0));
    *row ^= 1 << MM_ROW_WORDS_SHIFT;
    assert_true(mm_row_check_holds(row, 4, 0));
    damage_store(ring, data, size);
    free(data);
    assert_int_equal(damage_read(f.path, &digest), -EBADMSG);
    mm_recorder_close(f.recorder, NULL);
    fixture_remove(&f);
}

/* The reading that ends a window is followed by no row of it: the next window tells that
 * it must be there. */
TEST(the_last_reading_of_a_window_is_missed)
{
    struct mm_recorder_options options = {.packing = MM_PACK_CALLER};
    const union monitor_value in[2] = {{.i = 9}, {.d = .5}}, out[1] = {{.i = 1}};
    const struct mm_file_head *head;
    struct monitor_method *m;
    uint64_t digest, *at;
    char ring[400], *data;
    struct fixture f;
    size_t size;

    fixture_begin(&f, &options, NULL);
    m = fixture_method(&f, "i", "m", values, 2, 1);
    for (int i = 0; i < 9000; i++) /* some more than a window */
        f.port->end(f.port, f.port->begin(f.port, m, in), out);
    snprintf(ring, sizeof ring, "%s/thread-000.ring", f.rank);
    damage_detach(ring);
    assert_int_equal(damage_read(f.path, &digest), 0);
    data = damage_load(ring, &size);
    head = (const void *)data;
    at = (void *)(data + MM_HEAD_BYTES + (size_t)head->frame_bytes * head->frame_count +
                  sizeof(struct mm_window_head));
    while (!mm_is_reading(*at) || mm_reading_kind(*at) != MM_READING_ENDS)
        at += mm_row_words(*at);
    at[MM_READING_CPU] ^= 1 << 20;
    damage_store(ring, data, size);
    free(data);
    assert_int_equal(damage_read(f.path, &digest), -EBADMSG);
    mm_recorder_close(f.recorder, NULL);
    fixture_remove(&f);
}

TEST(missing_files_are_seen)
{
    struct monitor_method *m;
    char path[400], other[400];
    struct fixture f;
    uint64_t digest;

    fixture_begin(&f, NULL, NULL);
    m = fixture_method(&f, "i", "m", values, 2, 1);
    nest(&f, m, 3);
    fixture_end(&f);
    snprintf(path, sizeof path, "%s/thread-000.seg", f.rank);
    snprintf(other, sizeof other, "%s/thread-001.seg", f.rank);
    assert_int_equal(rename(path, other), 0); /* another's name */
    assert_int_equal(damage_read(f.path, &digest), -EBADMSG);
    assert_int_equal(rename(other, path), 0);
    assert_int_equal(damage_read(f.path, &digest), 0);
    fixture_remove(&f);
}

TEST(json_without_sense_is_refused)
{
    /* clang-format off */
    static const char *const texts[] = {
        "", "{", "[]", "{\"format\": 2}", "{\"format\": 1}",
        "{\"format\": 1, \"ranks\": 0}",
        "{\"format\": 1, \"ranks\": 1, \"finished\": 3}",
        "{\"format\": 1, \"ranks\": 1, \"ranks\": 1, \"finished\": true}",
        "{\"format\": 1, \"methods\": 7}", "{\"format\": 1, \"methods\": [3]}",
        "{\"format\": 1, \"methods\": [{\"id\": 1}]}",
        "{\"format\": 1, \"methods\": [{\"id\": 0, \"instance\": \"i\"}]}",
    };
    /* clang-format on */
    char about[400], methods[400];
    struct cca_error err = {0};
    struct fixture f;
    uint64_t digest;
    size_t i;

    fixture_begin(&f, NULL, NULL);
    fixture_method(&f, "i", "m", values, 2, 1);
    fixture_end(&f);
    snprintf(about, sizeof about, "%s/experiment.json", f.path);
    snprintf(methods, sizeof methods, "%s/methods.json", f.rank);
    assert_int_equal(damage_read(f.path, &digest), 0);
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        damage_store(methods, texts[i], strlen(texts[i]));
        assert_int_equal(damage_read(f.path, &digest), -EBADMSG);
    }
    damage_store(methods, "{\"format\": 1, \"methods\": []}", 28);
    assert_int_equal(damage_read(f.path, &digest), 0);
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        damage_store(about, texts[i], strlen(texts[i]));
        assert_int_equal(damage_read(f.path, &digest), -EBADMSG);
    }
    assert_null(mm_experiment_open(about, &err));
    assert_int_equal(err.code, -ENOTDIR);
    unlink(about);
    assert_int_equal(damage_read(f.path, &digest), -EBADMSG);
    fixture_remove(&f);
    assert_int_equal(damage_read(f.path, &digest), -ENOENT);
}

int main(int argc, char **argv)
{
    flips = test_count("FLIPS", 500 / damage_part(), 200000);
    zeros = test_count("ZEROS", 0, 1);
    if (argc > 1)
        flips = atoi(argv[1]);
    return cmocka_run_group_tests(test_list, NULL, NULL);
}
