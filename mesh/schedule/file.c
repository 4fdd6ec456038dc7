/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c: read a schedule from JSON. */
#include "mesh/schedule/file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "common/find.h"

struct run {
    int32_t owner, count;
};

struct entry {
    int32_t step;
    struct run *runs;
    size_t count;
};

struct mesh_schedule {
    /* entries of the schedule, sorted by step; the first step is 0 */
    struct entry *entries;
    size_t count;
};

/* Read a whole number from `least` to `most`. */
static int read_whole(const json_t *value, int64_t least, int64_t most, int64_t *found)
{
    if (!json_is_integer(value) || json_integer_value(value) < least ||
        json_integer_value(value) > most)
        return -EINVAL;
    *found = json_integer_value(value);
    return 0;
}

static int read_runs(struct entry *e, const json_t *runs, int64_t cells, int32_t ranks)
{
    int64_t sum = 0, owner, count;

    e->count = json_array_size(runs);
    e->runs = calloc(e->count + 1, sizeof *e->runs);
    if (!e->runs)
        return -ENOMEM;
    for (size_t i = 0; i < e->count; i++) {
        const json_t *run = json_array_get(runs, i);

        if (json_array_size(run) != 2 ||
            read_whole(json_array_get(run, 0), 0, ranks - 1, &owner) ||
            read_whole(json_array_get(run, 1), 1, cells - sum, &count))
            return -EINVAL;
        e->runs[i] = (struct run){(int32_t)owner, (int32_t)count};
        sum += count;
    }
    return sum == cells ? 0 : -EINVAL;
}

static int read_steps(struct mesh_schedule *s, const json_t *steps, int64_t cells,
                      int32_t ranks, const char *path, struct cca_error *err)
{
    int64_t last = -1, step;

    s->entries = calloc(json_array_size(steps) + 1, sizeof *s->entries);
    if (!s->entries)
        return cca_error_set(err, -ENOMEM, "out of memory");
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *entry = json_array_get(steps, i);
        int rc;

        if (read_whole(json_object_get(entry, "step"), i ? last + 1 : 0,
                       i ? INT32_MAX : 0, &step))
            return cca_error_set(
                err, -EINVAL, "%s: steps[%zu]: 'step' is not %s", path, i,
                i ? "a number above the one before" : "0, where a run begins");
        s->entries[i].step = (int32_t)(last = step);
        s->count = i + 1;
        rc = read_runs(&s->entries[i], json_object_get(entry, "runs"), cells, ranks);
        if (rc == -ENOMEM)
            return cca_error_set(err, rc, "out of memory");
        if (rc)
            return cca_error_set(err, rc,
                                 "%s: steps[%zu]: 'runs' are not [owner, count] with "
                                 "owners below %" PRId32 " and %" PRId64
                                 " cells together",
                                 path, i, ranks, cells);
    }
    return s->count ? 0 : cca_error_set(err, -EINVAL, "%s: found no 'steps'", path);
}

/* Return the shape of a mesh as text: "30,20,20". */
static const char *shape_text(int dims, const int64_t *n, char text[80])
{
    int used = 0;

    text[0] = '\0';
    for (int d = 0; d < dims; d++)
        used +=
            snprintf(text + used, 80 - (size_t)used, "%s%" PRId64, d ? "," : "", n[d]);
    return text;
}

static int read_head(const json_t *root, int dims, const int64_t *n, int32_t ranks,
                     const char *path, struct cca_error *err)
{
    const json_t *shape = json_object_get(root, "shape");
    int64_t parts = 0, size[3] = {0};
    int found = (int)json_array_size(shape), ok = found >= 1 && found <= 3, same;
    char texts[2][80];

    for (int d = 0; ok && d < found; d++)
        ok = !read_whole(json_array_get(shape, (size_t)d), 1, INT32_MAX, &size[d]);
    same = ok && found == dims;
    for (int d = 0; same && d < dims; d++)
        same = size[d] == n[d];
    if (!same)
        return cca_error_set(err, -EINVAL, "%s: 'shape': found %s, expected %s", path,
                             ok ? shape_text(found, size, texts[0]) : "no numbers",
                             shape_text(dims, n, texts[1]));
    if (read_whole(json_object_get(root, "parts"), 1, INT32_MAX, &parts) ||
        parts != ranks)
        return cca_error_set(err, -EINVAL,
                             "%s: 'parts': found %" PRId64 ", expected %" PRId32
                             ", one for each rank",
                             path, parts, ranks);
    return 0;
}

struct mesh_schedule *mesh_schedule_file_read(const char *path, int dims,
                                              const int64_t *n, int32_t parts,
                                              struct cca_error *err)
{
    struct mesh_schedule *s = calloc(1, sizeof *s);
    json_error_t found;
    json_t *root;
    int64_t cells = 1;
    int rc;

    if (!s) {
        cca_error_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    for (int d = 0; d < dims; d++)
        cells *= n[d];
    root = json_load_file(path, JSON_REJECT_DUPLICATES, &found);
    if (root)
        rc = read_head(root, dims, n, parts, path, err)
                 ? -EINVAL
                 : read_steps(s, json_object_get(root, "steps"), cells, parts, path, err);
    else
        rc = found.line < 0
                 ? cca_error_set(err, -EINVAL, "%s", found.text)
                 : cca_error_set(err, -EINVAL, "%s:%d: %s", path, found.line, found.text);
    json_decref(root);
    if (!rc)
        return s;
    mesh_schedule_file_free(s);
    return NULL;
}

void mesh_schedule_file_free(struct mesh_schedule *schedule)
{
    if (!schedule)
        return;
    for (size_t i = 0; schedule->entries && i < schedule->count; i++)
        free(schedule->entries[i].runs);
    free(schedule->entries);
    free(schedule);
}

/* Return the schedule's entry for a step, or NULL. */
static const struct entry *find_entry(const struct mesh_schedule *s, int32_t step)
{
    size_t at;

    CCA_FIND_FIRST(at, s->count, s->entries[at].step < step);
    return at < s->count && s->entries[at].step == step ? &s->entries[at] : NULL;
}

static void write_owners(const struct entry *e, int32_t *owner)
{
    for (size_t i = 0; i < e->count; i++)
        for (int32_t c = 0; c < e->runs[i].count; c++)
            *owner++ = e->runs[i].owner;
}

int mesh_schedule_file_owner(const struct mesh_schedule *schedule, int32_t step,
                             int32_t *owner)
{
    const struct entry *e = find_entry(schedule, step);

    if (e)
        write_owners(e, owner);
    return e != NULL;
}

int32_t mesh_schedule_file_standing(const struct mesh_schedule *schedule, int32_t step,
                                    int32_t *owner)
{
    size_t at = 0;

    while (at + 1 < schedule->count && schedule->entries[at + 1].step <= step)
        at++;
    write_owners(&schedule->entries[at], owner);
    return schedule->entries[at].step;
}

int mesh_schedule_file_has(const struct mesh_schedule *schedule, int32_t step)
{
    return find_entry(schedule, step) != NULL;
}
