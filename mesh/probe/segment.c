/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.c: names of segments, liveness of processes, validation of shared memory. */
#include "mesh/probe/segment.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void mesh_segment_name(const struct mesh_segment_name *name, char *text)
{
    snprintf(text, MESH_SEGMENT_NAME,
             MESH_SHARED_PREFIX "%" PRIu32 "-%s-%" PRId64 "-%" PRIu64 "-%" PRId32
                                "-%" PRId32,
             name->uid, name->session, name->pid, name->start, name->mesh, name->part);
}

/* Read a number of at most `most`, up to the character `end`. Returns 1 or 0. */
static int number_read(const char **text, char end, uint64_t most, uint64_t *number)
{
    char *after;

    if (!isdigit((unsigned char)**text))
        return 0;
    errno = 0;
    *number = strtoull(*text, &after, 10);
    if (errno || *after != end || *number > most)
        return 0;
    *text = after + (end != '\0');
    return 1;
}

int mesh_segment_parse(const char *text, struct mesh_segment_name *name)
{
    uint64_t uid, pid, start, mesh, part;
    size_t length;
    struct mesh_segment_name read = {0};

    if (strncmp(text, MESH_SHARED_PREFIX, sizeof MESH_SHARED_PREFIX - 1) != 0)
        return 0;
    text += sizeof MESH_SHARED_PREFIX - 1;
    if (!number_read(&text, '-', UINT32_MAX, &uid))
        return 0;
    length = strcspn(text, "-");
    if (length == 0 || length >= sizeof read.session || text[length] != '-')
        return 0;
    memcpy(read.session, text, length);
    text += length + 1;
    if (!number_read(&text, '-', INT32_MAX, &pid) ||
        !number_read(&text, '-', INT64_MAX, &start) ||
        !number_read(&text, '-', INT32_MAX, &mesh) ||
        !number_read(&text, '\0', INT32_MAX, &part))
        return 0;
    read.uid = (uint32_t)uid;
    read.pid = (int64_t)pid;
    read.start = start;
    read.mesh = (int32_t)mesh;
    read.part = (int32_t)part;
    *name = read;
    return 1;
}

/* Read state and start time (field 22) of /proc/PID/stat. The program's name in it, in
 * parentheses, may contain any characters. */
static int stat_read(int64_t pid, char *state, uint64_t *start)
{
    char path[40], line[1024];
    const char *at;
    int fd, space = 0;
    ssize_t n;

    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    n = read(fd, line, sizeof line - 1);
    close(fd);
    line[n > 0 ? n : 0] = '\0';
    at = strrchr(line, ')');
    if (!at || at[1] != ' ')
        return 0;
    *state = at[2];
    /* field 3 follows the parenthesis; field 22 is 19 blanks later */
    for (at += 2; *at && space < 19; at++)
        space += *at == ' ';
    *start = strtoull(at, NULL, 10);
    return space == 19 && *start > 0;
}

uint64_t mesh_process_start(int64_t pid)
{
    uint64_t start = 0;
    char state;

    return stat_read(pid, &state, &start) ? start : 0;
}

char mesh_process_state(int64_t pid, uint64_t *start)
{
    uint64_t begun = 0;
    char state;

    if (!stat_read(pid, &state, &begun))
        return 0;
    if (start)
        *start = begun;
    return state;
}

int mesh_process_lives(int64_t pid, uint64_t start)
{
    uint64_t now = 0;
    char state = 'X';

    return stat_read(pid, &state, &now) && now == start && state != 'Z' && state != 'X';
}

static int bad(struct cca_error *err, const char *field, uint64_t found)
{
    return cca_error_set(err, -EBADMSG, "shared memory: found %s %" PRIu64, field, found);
}

static int about_check(const struct mesh_shared *h, struct cca_error *err)
{
    const struct mm_mesh_about *a = &h->about;

    if (a->dims < 1 || a->dims > 3)
        return bad(err, "dimensions", (uint64_t)a->dims);
    if (a->levels < 1 || a->levels > MM_MESH_LEVELS || a->ratio < 1 || a->ratio > 64)
        return bad(err, "levels", (uint64_t)a->levels);
    for (int d = 0; d < 3; d++)
        if (a->n[d] < 1 || a->n[d] > MM_MESH_CELLS)
            return bad(err, "a size", (uint64_t)a->n[d]);
    if (h->probes > MM_MESH_PROBES)
        return bad(err, "probes", h->probes);
    if (!memchr(a->name, '\0', sizeof a->name) ||
        !memchr(h->session, '\0', sizeof h->session))
        return bad(err, "a name without end in", sizeof a->name);
    for (uint32_t p = 0; p < h->probes; p++)
        if (!memchr(h->probe[p].name, '\0', sizeof h->probe[p].name) ||
            !memchr(h->probe[p].unit, '\0', sizeof h->probe[p].unit))
            return bad(err, "a name without end in probe", p);
    return 0;
}

int mesh_segment_check(const struct mesh_shared *h, uint64_t size, struct cca_error *err)
{
    uint64_t values =
        h->kind == MESH_SHARED_CENTRES ? 3 * sizeof(double) : sizeof(float) * h->probes;

    if (memcmp(h->magic, MESH_SHARED_MAGIC, sizeof h->magic) != 0 ||
        h->order != 0x01020304 || h->format != MESH_SHARED_FORMAT)
        return bad(err, "format", h->format);
    if (h->kind != MESH_SHARED_STEPS && h->kind != MESH_SHARED_CENTRES)
        return bad(err, "kind", h->kind);
    if (h->bytes != size)
        return bad(err, "bytes", h->bytes);
    if (about_check(h, err))
        return -EBADMSG;
    if (h->slots < 1 || h->slots > MESH_SHARED_SLOTS)
        return bad(err, "slots", h->slots);
    if (h->cell_room > (uint64_t)MM_MESH_CELLS || h->box_room > (uint64_t)MM_MESH_CELLS)
        return bad(err, "room for cells", h->cell_room);
    /* No sum or product below can overflow: all terms are bounded by the checks above. */
    if (h->slot_first < sizeof *h || h->slot_first > size ||
        h->slot_first % MESH_SHARED_ALIGN || h->slot_bytes % MESH_SHARED_ALIGN ||
        h->slot_bytes > (size - h->slot_first) / h->slots)
        return bad(err, "slot_bytes", h->slot_bytes);
    if (h->box_first < sizeof(struct mesh_slot) || h->box_first > h->slot_bytes ||
        h->box_first % MESH_SHARED_ALIGN ||
        h->box_room > (h->slot_bytes - h->box_first) / sizeof(struct mesh_slot_box))
        return bad(err, "box_first", h->box_first);
    if (h->value_first < h->box_first + h->box_room * sizeof(struct mesh_slot_box) ||
        h->value_first > h->slot_bytes || h->value_first % MESH_SHARED_ALIGN ||
        h->cell_room * values > h->slot_bytes - h->value_first)
        return bad(err, "value_first", h->value_first);
    return 0;
}

int mesh_slot_check(const struct mesh_shared *h, const struct mesh_slot *slot,
                    struct cca_error *err)
{
    if (slot->cells > h->cell_room)
        return bad(err, "cells of a slot", slot->cells);
    if (slot->boxes > h->box_room)
        return bad(err, "boxes of a slot", slot->boxes);
    if (slot->step < 0)
        return bad(err, "step", (uint64_t)slot->step);
    return 0;
}

int mesh_slot_box_check(const struct mesh_shared *h, const struct mesh_slot *slot,
                        const struct mesh_slot_box *box, struct cca_error *err)
{
    uint64_t cells = 1;

    if (box->level < 0 || box->level >= h->about.levels)
        return bad(err, "level", (uint64_t)box->level);
    for (int d = 0; d < 3; d++) {
        int64_t n = h->about.n[d];

        for (int l = 0; l < box->level && d < h->about.dims && n <= MM_MESH_CELLS; l++)
            n *= h->about.ratio;
        if (box->lo[d] < 0 || box->lo[d] >= box->hi[d] || box->hi[d] > n ||
            box->hi[d] > MM_MESH_CELLS)
            return bad(err, "a box that ends at", (uint64_t)box->hi[d]);
        cells *= (uint64_t)(box->hi[d] - box->lo[d]);
        if (cells > slot->cells)
            return bad(err, "cells of a box", cells);
    }
    return box->first > slot->cells - cells ? bad(err, "first of a box", box->first) : 0;
}
