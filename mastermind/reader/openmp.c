/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.c: read the file of a process's OpenMP regions. */
#include "mastermind/reader/openmp.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/format/openmp_file.h"

struct reading {
    const char *path;
    struct cca_error *err;
    char *bytes; /* contents of the whole file */
    size_t size; /* size of the file up to the end of its records */
    struct mm_openmp *openmp;
};

static int report_damage(const struct reading *r, const char *found)
{
    return cca_error_set(r->err, -EBADMSG, "%s: found %s, expected OpenMP regions",
                         r->path, found);
}

/* Read the file of OpenMP regions. Returns 1; 0: the file has no data yet; or a negative
 * errno. */
static int read_bytes(struct reading *r)
{
    FILE *file = fopen(r->path, "re");
    int result = 0;

    if (!file)
        return errno == ENOENT
                   ? 0
                   : cca_error_set(r->err, -EIO, "%s: %s", r->path, strerror(errno));
    r->bytes = malloc(MEAS_OPENMP_MOST);
    if (!r->bytes) {
        result = cca_no_memory(r->err);
    } else {
        r->size = fread(r->bytes, 1, MEAS_OPENMP_MOST, file);
        result = ferror(file)
                     ? cca_error_set(r->err, -EIO, "%s: %s", r->path, strerror(errno))
                     : 1;
    }
    fclose(file);
    return result;
}

/* Check the head of the file. Returns 1; 0: the process was still creating the file; or
 * -EBADMSG. */
static int check_head(struct reading *r)
{
    static const char nothing[8];
    struct meas_openmp_head head;

    if (r->size < sizeof head)
        return r->size == 0 ? 0 : report_damage(r, "the end of the file");
    memcpy(&head, r->bytes, sizeof head);
    if (memcmp(head.magic, nothing, sizeof nothing) == 0)
        return 0;
    if (memcmp(head.magic, MEAS_OPENMP_MAGIC, sizeof head.magic) != 0)
        return report_damage(r, "another kind of file, or another format");
    if (head.region_bytes != sizeof(struct meas_openmp_region) ||
        head.thread_bytes != sizeof(struct meas_openmp_thread) ||
        head.end < MEAS_OPENMP_FIRST || head.end > MEAS_OPENMP_MOST ||
        head.folded > INT64_MAX)
        return report_damage(r, "a head whose numbers do not fit");
    if (head.end > r->size)
        return report_damage(r, "the end of the file");
    r->size = head.end;
    r->openmp->folded = (int64_t)head.folded;
    return 1;
}

static int are_counts(const uint64_t *counts, int count)
{
    for (int i = 0; i < count; i++)
        if (counts[i] > INT64_MAX)
            return 0;
    return 1;
}

static int add_region(struct reading *r, const struct meas_openmp_region *record)
{
    struct mm_openmp *openmp = r->openmp;
    struct mm_openmp_region *region;

    if (record->bytes != sizeof *record ||
        (record->kind != MEAS_OPENMP_OF_GOMP && record->kind != MEAS_OPENMP_OF_OMPT) ||
        record->level == 0 || record->level > INT_MAX ||
        record->build_id_bytes > sizeof record->build_id ||
        !memchr(record->function, 0, sizeof record->function) ||
        !memchr(record->path, 0, sizeof record->path) || !are_counts(&record->begun, 3))
        return report_damage(r, "no good region");
    region = cca_array_add(&openmp->regions, &openmp->region_count, sizeof *region);
    if (!region)
        return cca_no_memory(r->err);
    *region = (struct mm_openmp_region){.is_ompt = record->kind == MEAS_OPENMP_OF_OMPT,
                                        .level = (int)record->level,
                                        .offset = record->offset,
                                        .begun = (int64_t)record->begun,
                                        .ended = (int64_t)record->ended,
                                        .wall_ns = (int64_t)record->wall_ns};
    memcpy(region->function, record->function, sizeof region->function);
    memcpy(region->path, record->path, sizeof region->path);
    for (uint32_t i = 0; i < record->build_id_bytes; i++)
        snprintf(region->build_id + 2 * i, 3, "%02x", record->build_id[i]);
    return 0;
}

static int add_thread(struct reading *r, const struct meas_openmp_thread *record)
{
    struct mm_openmp_region *region;
    struct mm_openmp_thread *thread;

    if (record->bytes != sizeof *record || record->region >= r->openmp->region_count ||
        record->thread >= MEAS_OPENMP_THREADS || !are_counts(&record->calls, 5))
        return report_damage(r, "no good thread of a region");
    region = &r->openmp->regions[record->region];
    thread = cca_array_add(&region->threads, &region->thread_count, sizeof *thread);
    if (!thread)
        return cca_no_memory(r->err);
    *thread = (struct mm_openmp_thread){.number = (int)record->thread,
                                        .calls = (int64_t)record->calls,
                                        .busy_ns = (int64_t)record->busy_ns,
                                        .barrier_ns = (int64_t)record->barrier_ns,
                                        .mutex_ns = (int64_t)record->mutex_ns,
                                        .control_ns = (int64_t)record->control_ns};
    return 0;
}

static int read_records(struct reading *r)
{
    size_t at = MEAS_OPENMP_FIRST;
    struct meas_openmp_region region;
    struct meas_openmp_thread thread;
    int result = 0;

    while (!result && at < r->size) {
        uint32_t type = 0;

        memcpy(&type, r->bytes + at, at + sizeof type <= r->size ? sizeof type : 0);
        if (type == MEAS_OPENMP_REGION && at + sizeof region <= r->size) {
            memcpy(&region, r->bytes + at, sizeof region);
            result = add_region(r, &region);
            at += sizeof region;
        } else if (type == MEAS_OPENMP_THREAD && at + sizeof thread <= r->size) {
            memcpy(&thread, r->bytes + at, sizeof thread);
            result = add_thread(r, &thread);
            at += sizeof thread;
        } else {
            result = report_damage(r, "a record of no known kind");
        }
    }
    return result;
}

static int by_number(const void *a, const void *b)
{
    const struct mm_openmp_thread *left = a, *right = b;

    return (left->number > right->number) - (left->number < right->number);
}

int mm_experiment_openmp(const struct mm_experiment *e, int rank,
                         struct mm_openmp *openmp, struct cca_error *err)
{
    char path[PATH_MAX];
    struct reading r = {.path = path, .err = err, .openmp = openmp};
    int result;

    memset(openmp, 0, sizeof *openmp);
    if (snprintf(path, sizeof path, "%s/rank-%04d/" MEAS_OPENMP_FILE, e->path, rank) >=
        (int)sizeof path)
        return cca_error_set(err, -ENAMETOOLONG, "%s: the path is too long", e->path);
    result = read_bytes(&r);
    if (result > 0)
        result = check_head(&r);
    if (result > 0)
        result = read_records(&r);
    free(r.bytes);
    for (size_t i = 0; i < openmp->region_count && result >= 0; i++)
        if (openmp->regions[i].thread_count)
            qsort(openmp->regions[i].threads, openmp->regions[i].thread_count,
                  sizeof *openmp->regions[i].threads, by_number);
    if (result < 0)
        mm_openmp_done(openmp);
    return result;
}

void mm_openmp_done(struct mm_openmp *openmp)
{
    for (size_t i = 0; i < openmp->region_count; i++)
        free(openmp->regions[i].threads);
    free(openmp->regions);
    memset(openmp, 0, sizeof *openmp);
}
