/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_openmp.c: the file of OpenMP regions, as a running, a killed and a hostile
 * process leave it. */
#include "mastermind/format/openmp_file.h"
#include "mastermind/reader/openmp.h"
#include "tests/lib/test.h"

static char dir[] = "/tmp/test_mm_openmp.XXXXXX";
static char path[64];
static struct mm_experiment experiment = {.path = dir};

enum { SIZE = 1 << 16 };

/* A file of two regions: {kind, level} gomp 1 and ompt 2, with threads 1 and 0, and 0. */
static struct {
    struct meas_openmp_head head;
    char page[MEAS_OPENMP_FIRST - sizeof(struct meas_openmp_head)];
    struct meas_openmp_region first;
    struct meas_openmp_thread first_1, first_0;
    struct meas_openmp_region second;
    struct meas_openmp_thread second_0;
    char rest[SIZE - MEAS_OPENMP_FIRST - 2 * 512 - 3 * 64];
} file;

static struct meas_openmp_region region(uint32_t kind, uint32_t level)
{
    return (struct meas_openmp_region){.type = MEAS_OPENMP_REGION,
                                       .bytes = sizeof(struct meas_openmp_region),
                                       .kind = kind,
                                       .level = level,
                                       .offset = 0x1234 + level,
                                       .begun = 3,
                                       .ended = 2,
                                       .wall_ns = 100,
                                       .build_id = {0xab, 0x01},
                                       .build_id_bytes = 2,
                                       .function = "main._omp_fn.0",
                                       .path = "/bin/relax"};
}

static struct meas_openmp_thread thread(uint32_t of, uint32_t number)
{
    return (struct meas_openmp_thread){.type = MEAS_OPENMP_THREAD,
                                       .bytes = sizeof(struct meas_openmp_thread),
                                       .region = of,
                                       .thread = number,
                                       .calls = 2,
                                       .busy_ns = 50 + number,
                                       .barrier_ns = 30 - number,
                                       .mutex_ns = 15,
                                       .control_ns = 5};
}

static void fill(void)
{
    memset(&file, 0, sizeof file);
    memcpy(file.head.magic, MEAS_OPENMP_MAGIC, sizeof file.head.magic);
    file.head.region_bytes = sizeof file.first;
    file.head.thread_bytes = sizeof file.first_0;
    file.head.end = (uint64_t)((char *)file.rest - (char *)&file);
    file.head.folded = 7;
    file.first = region(MEAS_OPENMP_OF_GOMP, 1);
    file.first_1 = thread(0, 1);
    file.first_0 = thread(0, 0);
    file.second = region(MEAS_OPENMP_OF_OMPT, 2);
    file.second_0 = thread(1, 0);
}

static void store(size_t size)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_int_equal(fwrite(&file, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static int begin(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/rank-0003", dir);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/rank-0003/openmp", dir);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    *strrchr(path, '/') = 0;
    rmdir(path);
    rmdir(dir);
    return 0;
}

static int read_file(struct mm_openmp *openmp, struct cca_error *err)
{
    *err = (struct cca_error){0};
    return mm_experiment_openmp(&experiment, 3, openmp, err);
}

/* The file is refused, in one line that names it. */
static void refuse(const char *found)
{
    struct mm_openmp openmp;
    struct cca_error err;

    assert_int_equal(read_file(&openmp, &err), -EBADMSG);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, found));
    assert_null(openmp.regions);
}

TEST(every_field_is_read)
{
    struct mm_openmp openmp;
    struct cca_error err;
    const struct mm_openmp_region *r;

    fill();
    store(SIZE);
    assert_int_equal(read_file(&openmp, &err), 0);
    assert_int_equal(openmp.region_count, 2);
    assert_int_equal(openmp.folded, 7);
    r = &openmp.regions[0];
    assert_int_equal(r->is_ompt, 0);
    assert_int_equal(r->level, 1);
    assert_int_equal(r->offset, 0x1235);
    assert_string_equal(r->build_id, "ab01");
    assert_string_equal(r->function, "main._omp_fn.0");
    assert_string_equal(r->path, "/bin/relax");
    assert_int_equal(r->begun, 3);
    assert_int_equal(r->ended, 2);
    assert_int_equal(r->wall_ns, 100);
    assert_int_equal(r->thread_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(r->threads[i].number, i);
        assert_int_equal(r->threads[i].calls, 2);
        assert_int_equal(r->threads[i].busy_ns, 50 + i);
        assert_int_equal(r->threads[i].barrier_ns, 30 - i);
        assert_int_equal(r->threads[i].mutex_ns, 15);
        assert_int_equal(r->threads[i].control_ns, 5);
    }
    r = &openmp.regions[1];
    assert_int_equal(r->is_ompt, 1);
    assert_int_equal(r->level, 2);
    assert_int_equal(r->thread_count, 1);
    mm_openmp_done(&openmp);
    assert_null(openmp.regions);
}

TEST(no_file_and_an_unfinished_one_are_empty)
{
    struct mm_openmp openmp;
    struct cca_error err;

    unlink(path);
    assert_int_equal(read_file(&openmp, &err), 0);
    assert_int_equal(openmp.region_count, 0);
    fill();
    memset(file.head.magic, 0, sizeof file.head.magic);
    store(SIZE);
    assert_int_equal(read_file(&openmp, &err), 0);
    assert_int_equal(openmp.region_count, 0);
    store(0);
    assert_int_equal(read_file(&openmp, &err), 0);
}

TEST(what_lies_behind_the_end_is_not_read)
{
    struct mm_openmp openmp;
    struct cca_error err;

    fill();
    file.head.end = (uint64_t)((char *)&file.second - (char *)&file);
    memset(&file.second, 0xff, sizeof file.second);
    store(SIZE);
    assert_int_equal(read_file(&openmp, &err), 0);
    assert_int_equal(openmp.region_count, 1);
    mm_openmp_done(&openmp);
}

TEST(damage_is_refused_by_what_is_wrong)
{
    fill();
    file.head.magic[3] = 'X';
    store(SIZE);
    refuse("another kind of file");
    fill();
    file.head.end = MEAS_OPENMP_MOST + 1;
    store(SIZE);
    refuse("numbers do not fit");
    fill();
    store((size_t)file.head.end - 1);
    refuse("the end of the file");
    fill();
    store(sizeof file.head - 1);
    refuse("the end of the file");
    fill();
    file.first.kind = 3;
    store(SIZE);
    refuse("no good region");
    fill();
    memset(file.first.function, 'x', sizeof file.first.function);
    store(SIZE);
    refuse("no good region");
    fill();
    file.first.build_id_bytes = 21;
    store(SIZE);
    refuse("no good region");
    fill();
    file.second_0.region = 2;
    store(SIZE);
    refuse("no good thread");
    fill();
    file.first_0.busy_ns = UINT64_MAX;
    store(SIZE);
    refuse("no good thread");
    fill();
    file.first_0.type = 9;
    store(SIZE);
    refuse("a record of no known kind");
    fill();
    file.head.end -= 8;
    store(SIZE);
    refuse("a record of no known kind");
}

/* Any flipped bit of the records and the head: read or refused, never else. */
TEST(no_flipped_bit_ends_the_reader)
{
    char *bytes = (char *)&file;
    int step = (int)test_count("FLIPS", 97, 7), refused = 0;

    fill();
    for (int bit = 0; bit < 8 * (int)file.head.end; bit += step) {
        struct mm_openmp openmp;
        struct cca_error err;
        int result;

        if (bit >= 8 * (int)sizeof file.head && bit < 8 * MEAS_OPENMP_FIRST)
            continue;
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        store((size_t)((char *)file.rest - bytes));
        result = read_file(&openmp, &err);
        assert_true(result == 0 || (result == -EBADMSG && *err.text));
        refused += result != 0;
        mm_openmp_done(&openmp);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    assert_true(refused > 0);
}

TESTS(begin, end)
