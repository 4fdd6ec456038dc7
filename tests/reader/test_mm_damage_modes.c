/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_damage_modes.c: small experiments of each storage mode, finished and as a kill
 * leaves them, with each bit of each file flipped and each file cut at each length: what
 * is read is right, in rows, sums and losses, or refused with a file's name.
 *
 * That is so in a soak. Else so many of a file's bits and lengths as FAULT_DAMAGES says,
 * evenly spread over the bytes that are not 0 and some that are; 0: all. */
#include "tests/lib/damage.h"
#include "tests/lib/experiment_fixture.h"

static int damages, everything;

static const struct monitor_value_decl values[] = {
    {.name = "axis", .type = MONITOR_INT64, .kind = MONITOR_MODE},
    {.name = "x", .type = MONITOR_DOUBLE, .kind = MONITOR_PARAM},
    {.name = "o", .type = MONITOR_INT64, .kind = MONITOR_OUT},
};

static __thread int64_t in_mpi, counted;

static const int64_t *mpi_time(void *context)
{
    (void)context;
    return &in_mpi;
}

static void read_counter(void *context, int64_t *read)
{
    (void)context;
    read[0] = counted += 7;
}

struct program {
    struct fixture f;
    struct monitor_method *outer, *inner;
    struct monitor_frame
        *open; /* a call that does not end before the files are looked at */
};

/* A call of `outer` that calls `inner` thrice, or leaves one of them by an exception. */
static void call(const struct program *p, int i)
{
    union monitor_value in[2] = {{.i = i % 2}, {.d = i / 3.}}, out[1] = {{.i = -i}};
    struct monitor_port *port = p->f.port;
    struct monitor_frame *outer = port->begin(port, p->outer, in), *inner;

    for (int k = 0; k < 3; k++) {
        in[1].d = k % 2;
        inner = port->begin(port, p->inner, in);
        in_mpi += 1000 * (k + i);
        if (i == 4 && k == 1)
            port->unwind(port, inner);
        else
            port->end(port, inner, out);
    }
    port->end(port, outer, out);
}

static void run(struct program *p, const struct mm_storage *storage)
{
    struct mm_recorder_options options = {.storage = *storage,
                                          .packing =
                                              MM_PACK_CALLER, /* nothing is there twice */
                                          .mpi_time = mpi_time,
                                          .counter_count = 1,
                                          .read_counters = read_counter};
    union monitor_value in[2] = {{.i = 1}, {.d = .5}};

    fixture_begin(&p->f, &options, NULL);
    p->outer = fixture_method(&p->f, "i", "outer", values, 2, 1);
    p->inner = fixture_method(&p->f, "i", "inner", values, 2, 1);
    for (int i = 0; i < 6; i++)
        call(p, i);
    p->open = p->f.port->begin(p->f.port, p->outer, in);
    call(p, 1);
}

/* Is this byte one of those that are tried? */
static int is_tried(const char *data, size_t at)
{
    return everything || data[at] || at % 257 == 0;
}

static void flip(const char *experiment, const char *path)
{
    uint64_t right, digest;
    size_t size, at, bits = 0, step, seen = 0;
    char *data = damage_load(path, &size), byte;
    int fd = open(path, O_WRONLY);

    assert_true(fd >= 0);
    assert_int_equal(damage_read(experiment, &right), 0);
    for (at = 0; at < size; at++)
        bits += is_tried(data, at) ? 8 : 0;
    step = everything || bits < (size_t)damages ? 1 : bits / (size_t)damages | 1;
    for (at = 0; at < size; at++) {
        for (int bit = 0; bit < 8 && is_tried(data, at); bit++) {
            if (seen++ % step)
                continue;
            byte = (char)(data[at] ^ 1 << bit);
            assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
            if (!damage_read(experiment, &digest) && digest != right)
                fail_msg("%s: flipped bit %d of byte %zu changed what is read", path, bit,
                         at);
            assert_int_equal(pwrite(fd, &data[at], 1, (off_t)at), 1);
        }
    }
    assert_int_equal(damage_read(experiment, &digest), 0);
    assert_true(digest == right);
    close(fd);
    free(data);
}

/* Where what is cut off was never used, what is read is right. */
static void cut(const char *experiment, const char *path)
{
    uint64_t right, digest;
    size_t size, at, step, refused = 0;
    char *data = damage_load(path, &size);

    assert_int_equal(damage_read(experiment, &right), 0);
    step = everything || size < (size_t)damages ? 1 : size / (size_t)damages | 1;
    for (at = size - 1; at < size; at = at >= step ? at - step : SIZE_MAX) {
        assert_int_equal(truncate(path, (off_t)at), 0);
        if (damage_read(experiment, &digest))
            refused++;
        else if (digest != right)
            fail_msg("%s cut at %zu of %zu changed what is read", path, at, size);
    }
    assert_true(refused > 0);
    damage_store(path, data, size);
    free(data);
}

/* Each file that the run has left. */
static void harm(const struct program *p, int detach)
{
    static const char *const names[] = {
        "experiment.json", "rank-0000/methods.json", "rank-0000/thread-000.ring",
        "rank-0000/thread-000.seg", "rank-0000/thread-000.agg"};
    char path[400];

    for (size_t i = 0; detach && i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", p->f.path, names[i]);
        if (access(path, F_OK) == 0)
            damage_detach(path);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct stat st;

        snprintf(path, sizeof path, "%s/%s", p->f.path, names[i]);
        if (stat(path, &st) || !st.st_size)
            continue;
        flip(p->f.path, path);
        cut(p->f.path, path);
    }
}

static void try_mode(enum mm_storage_mode mode, uint64_t count)
{
    struct mm_storage storage = {.mode = mode, .count = count};
    union monitor_value out[1] = {{.i = 5}};
    struct program p;

    run(&p, &storage); /* a kill */
    harm(&p, 1);
    p.f.port->end(p.f.port, p.open, out);
    mm_recorder_close(p.f.recorder, NULL);
    fixture_remove(&p.f);

    run(&p, &storage); /* an end in order */
    p.f.port->end(p.f.port, p.open, out);
    assert_int_equal(fixture_end(&p.f), 0);
    harm(&p, 0);
    fixture_remove(&p.f);
}

TEST(rows)
{
    try_mode(MM_STORE_ROWS, 0);
}

TEST(rows_up_to_a_budget)
{
    try_mode(MM_STORE_AUTO, 4);
}

TEST(one_row_in_three)
{
    try_mode(MM_STORE_SAMPLE, 3);
}

TEST(a_reservoir_of_rows)
{
    try_mode(MM_STORE_RESERVOIR, 3);
}

TEST(aggregates)
{
    try_mode(MM_STORE_AGGREGATES, 0);
}

int main(void)
{
    damages = test_count("DAMAGES", 120 / damage_part(), 0);
    everything = !damages;
    return cmocka_run_group_tests(test_list, NULL, NULL);
}
