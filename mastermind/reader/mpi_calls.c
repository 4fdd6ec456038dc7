/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_calls.c: read the file of a process's MPI calls. */
#include "mastermind/reader/mpi_calls.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/format/mpi_calls_file.h"

enum { MOST_FUNCTIONS = 16384, MOST_NAME_BYTES = 1 << 20, LONGEST_NAME = 56 };

struct reading {
    FILE *file;
    const char *path;
    struct cca_error *err;
    struct meas_calls_head head;
    char *name_bytes;
    const char **names;             /* [functions] names of the MPI functions */
    struct meas_calls_count *sums;  /* [functions] sums over the threads */
    struct meas_calls_table *table; /* sums of one thread */
    uint64_t last_ticks;
};

static int report_damage(const struct reading *r, const char *found)
{
    return cca_error_set(r->err, -EBADMSG, "%s: found %s, expected calls of MPI", r->path,
                         found);
}

/* Read `size` bytes of the file at the offset `at`. Returns 1; 0: the file is shorter; or
 * a negative errno. */
static int read_at(const struct reading *r, long at, void *to, size_t size)
{
    if (fseek(r->file, at, SEEK_SET) ||
        (fread(to, 1, size, r->file) != size && ferror(r->file)))
        return cca_error_set(r->err, -EIO, "%s: %s", r->path, strerror(errno));
    return !feof(r->file);
}

static size_t count_bytes(const struct reading *r)
{
    return r->head.functions * sizeof *r->sums;
}

static int check_head(const struct reading *r)
{
    const struct meas_calls_head *h = &r->head;

    if (memcmp(h->magic, MEAS_CALLS_MAGIC, sizeof h->magic) != 0)
        return report_damage(r, "another kind of file, or another format");
    if (h->functions == 0 || h->functions > MOST_FUNCTIONS ||
        h->name_bytes > MOST_NAME_BYTES || h->first < sizeof *h + h->name_bytes ||
        h->first > 2 * MOST_NAME_BYTES || h->tables < h->first + count_bytes(r) ||
        h->tables > 4 * MOST_NAME_BYTES ||
        h->stride < sizeof *r->table + count_bytes(r) || h->stride > 1 << 20)
        return report_damage(r, "a head whose sizes do not fit");
    if (!(h->ns_per_tick > 0 && h->ns_per_tick < 1e9))
        return report_damage(r, "no good clock");
    return 0;
}

static int split_names(struct reading *r)
{
    const char *at = r->name_bytes, *end = at + r->head.name_bytes;

    for (uint32_t i = 0; i < r->head.functions; i++) {
        size_t length = strnlen(at, (size_t)(end - at));

        if (at + length >= end || length == 0 || length > LONGEST_NAME)
            return report_damage(r, "no good names of functions");
        r->names[i] = at;
        at += length + 1;
    }
    return 0;
}

/* Read the head of the file and the names of the functions. Returns 1; 0: the file has no
 * data yet; or a negative errno. */
static int read_head(struct reading *r)
{
    static const char nothing[sizeof r->head.magic];
    int result = read_at(r, 0, &r->head, sizeof r->head);

    if (result <= 0 || memcmp(r->head.magic, nothing, sizeof nothing) == 0)
        return result < 0 ? result : 0;
    if (check_head(r))
        return -EBADMSG;
    r->name_bytes = malloc(r->head.name_bytes + 1);
    r->names = calloc(r->head.functions, sizeof *r->names);
    r->sums = calloc(r->head.functions, sizeof *r->sums);
    r->table = calloc(1, r->head.stride);
    if (!r->name_bytes || !r->names || !r->sums || !r->table)
        return cca_no_memory(r->err);
    result = read_at(r, sizeof r->head, r->name_bytes, r->head.name_bytes);
    if (result > 0)
        result = read_at(r, r->head.first, r->sums, count_bytes(r));
    if (result > 0)
        result = split_names(r) ? -EBADMSG : 1;
    return result ? result : report_damage(r, "the end of the file");
}

static int add_count(const struct reading *r, struct meas_calls_count *sum,
                     const struct meas_calls_count *count)
{
    if (count->calls < 0 || count->ns < 0 ||
        __builtin_add_overflow(sum->calls, count->calls, &sum->calls) ||
        __builtin_add_overflow(sum->ns, count->ns, &sum->ns))
        return report_damage(r, "numbers that cannot be counts");
    return 0;
}

/* Find the latest known time: the start of a call that has not ended, or the end of a
 * call. */
static int find_last_time(struct reading *r, struct mm_mpi_calls *calls)
{
    const struct meas_calls_table *t = r->table;
    uint64_t last = t->inside ? t->since : t->left;

    if (t->inside > r->head.functions)
        return report_damage(r, "a call of no function");
    if (last > r->last_ticks) {
        r->last_ticks = last;
        snprintf(calls->inside, sizeof calls->inside, "%s%s",
                 t->inside ? r->names[t->inside - 1] : "", t->inside ? "()" : "");
    }
    return 0;
}

static int add_threads(struct reading *r, struct mm_mpi_calls *calls)
{
    long at = (long)r->head.tables;
    int result;

    while ((result = read_at(r, at, r->table, r->head.stride)) > 0) {
        at += (long)r->head.stride;
        for (uint32_t i = 0; i < r->head.functions && result >= 0; i++)
            if (add_count(r, &r->sums[i], &r->table->counts[i]))
                result = -EBADMSG;
        if (result < 0 || find_last_time(r, calls))
            return -EBADMSG;
    }
    return result;
}

static int put_timers(const struct reading *r, struct mm_mpi_calls *calls)
{
    for (uint32_t i = 0; i < r->head.functions; i++) {
        const struct meas_calls_count *sum = &r->sums[i];
        char name[LONGEST_NAME + 3], group[] = MEAS_MPI_GROUP;
        const struct mm_timer timer = {.name = name,
                                       .group = group,
                                       .calls = sum->calls,
                                       .inclusive_ns = sum->ns,
                                       .exclusive_ns = sum->ns};

        snprintf(name, sizeof name, "%s()", r->names[i]);
        if (sum->calls > 0 && mm_timers_add(&calls->timers, &timer))
            return cca_no_memory(r->err);
    }
    return 0;
}

static int64_t last_ns(const struct reading *r, int64_t epoch_ns)
{
    double shift = epoch_ns ? (double)r->head.epoch_ns - (double)epoch_ns : 0;
    double since =
        (double)(int64_t)(r->last_ticks - r->head.epoch_ticks) * r->head.ns_per_tick;

    return r->last_ticks && fabs(since + shift) < 9e18 ? (int64_t)(since + shift) : 0;
}

static int read_calls(struct mm_mpi_calls *calls, const char *path, int64_t epoch_ns,
                      struct cca_error *err)
{
    struct reading r = {.file = fopen(path, "re"), .path = path, .err = err};
    int result;

    memset(calls, 0, sizeof *calls);
    if (!r.file)
        return errno == ENOENT
                   ? 0
                   : cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    result = read_head(&r);
    if (result > 0)
        result = add_threads(&r, calls);
    if (result == 0 && r.sums)
        result = put_timers(&r, calls);
    calls->last_ns = r.sums ? last_ns(&r, epoch_ns) : 0;
    fclose(r.file);
    free(r.name_bytes);
    free(r.names);
    free(r.sums);
    free(r.table);
    if (result < 0)
        mm_mpi_calls_done(calls);
    return result;
}

void mm_mpi_calls_done(struct mm_mpi_calls *calls)
{
    mm_timers_done(&calls->timers);
    memset(calls, 0, sizeof *calls);
}

int mm_experiment_mpi_calls(const struct mm_experiment *e, int rank,
                            struct mm_mpi_calls *calls, struct cca_error *err)
{
    char path[PATH_MAX];

    memset(calls, 0, sizeof *calls);
    if (snprintf(path, sizeof path, "%s/rank-%04d/" MEAS_CALLS_FILE, e->path, rank) >=
        (int)sizeof path)
        return cca_error_set(err, -ENAMETOOLONG, "%s: the path is too long", e->path);
    return read_calls(calls, path, e->epoch_ns, err);
}
