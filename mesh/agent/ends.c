/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.c: report the lost steps of a segment in shared memory, and its end. */
#include "mesh/agent/segments_core.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "mesh/agent/parts.h"

int segment_send_lost(struct mesh_segments *segments, struct segment *segment,
                      struct cca_error *err)
{
    uint64_t dropped = atomic_load_explicit(&segment->map->dropped, memory_order_acquire);
    struct wire_place place = {segment->number, 0};
    struct mm_mesh_lost lost = {.count = dropped - segment->lost_told,
                                .why = "no free slot: the agent was late"};
    int rc;

    if (dropped == segment->lost_told)
        return 0;
    lost.first = atomic_load(&segment->map->dropped_first);
    lost.last = atomic_load(&segment->map->dropped_last);
    if (segment->lost_told && lost.first <= segment->lost_last)
        lost.first = segment->lost_last + 1;
    if (lost.first > lost.last) /* the program changes the counters while they are read */
        return 0;
    if (lost.count > (uint64_t)(lost.last - lost.first) + 1)
        lost.count = (uint64_t)(lost.last - lost.first) + 1;
    segment->lost_told += lost.count;
    segment->lost_last = lost.last;
    rc = wire_send(segments->wire, WIRE_LOST, &place, sizeof place, &lost, sizeof lost,
                   NULL, 0);
    return rc ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc)) : 0;
}

/* Wait until the global agent has written all that was sent. Returns 0 or a negative
 * errno. */
static int wait_for_ack(struct mesh_segments *segments, struct cca_error *err)
{
    static int64_t serial;
    struct wire_packet packet;
    int rc;

    serial++;
    rc = wire_send(segments->wire, WIRE_FLUSH, &serial, sizeof serial, NULL, 0, NULL, 0);
    while (!rc) {
        int64_t got;
        int64_t answer;

        rc = wire_next(segments->wire, &packet, err);
        if (rc > 0 && packet.type == WIRE_ACK && packet.bytes == sizeof answer) {
            memcpy(&answer, packet.payload, sizeof answer);
            if (answer == serial)
                return 0;
        }
        if (rc > 0)
            rc = 0;
        else if (!rc && (got = wire_read(segments->wire)) <= 0)
            rc = got == 0 ? -ECONNRESET : (int)got;
    }
    return cca_error_set(err, rc, "the global agent: %s", strerror(-rc));
}

/* Send a note: the segment's process ended without closing its mesh. */
static int send_killed(struct mesh_segments *segments, const struct segment *segment)
{
    struct wire_place place = {segment->number, 0};
    char text[200];

    snprintf(text, sizeof text,
             "rank %d was killed: process %lld ended without closing its mesh",
             (int)segment->head.rank, (long long)segment->name.pid);
    return wire_send(segments->wire, WIRE_NOTE, &place, sizeof place, NULL, 0, text,
                     strlen(text));
}

int segment_end(struct mesh_segments *segments, struct segment *segment, unsigned state,
                struct cca_error *err)
{
    struct wire_place place = {segment->number, 0};
    char path[SEGMENT_PATH];
    int rc = 0;

    if (segment->introduced && segment->head.kind == MESH_SHARED_STEPS &&
        state != MESH_SHARED_MOVED) {
        if (state == MESH_SHARED_OPEN && !segment->bad)
            rc = send_killed(segments, segment);
        if (!rc)
            rc = wire_send(segments->wire, WIRE_CLOSED, &place, sizeof place, NULL, 0,
                           NULL, 0);
    }
    if (rc)
        return cca_error_set(err, rc, "the global agent: %s", strerror(-rc));
    rc = segment->introduced ? wait_for_ack(segments, err) : 0;
    if (rc)
        return rc;
    segment_path(segment->file, path);
    unlink(path);
    return 0;
}

/* Parse the file name of a segment; a name with a leading dot is a segment that is not
 * ready yet. Returns 1 or 0. */
static int parse_any(const char *file, struct mesh_segment_name *name)
{
    return mesh_segment_parse(file + (file[0] == '.'), name) && name->uid == geteuid();
}

int mesh_segments_reap(const char *session)
{
    DIR *dir = opendir(MESH_SHARED_FOLDER);
    const struct dirent *entry;
    int reaped = 0;

    while (dir && (entry = readdir(dir))) {
        char path[sizeof MESH_SHARED_FOLDER + 256];
        struct mesh_segment_name name;
        int own;

        if (!parse_any(entry->d_name, &name) || mesh_process_lives(name.pid, name.start))
            continue;
        own = strcmp(name.session, session) == 0;
        if (entry->d_name[0] != '.' && (own || mesh_agent_is_locked(name.session)))
            continue; /* the local agent of that session takes the data */
        snprintf(path, sizeof path, MESH_SHARED_FOLDER "/%s", entry->d_name);
        reaped += unlink(path) == 0;
    }
    if (dir)
        closedir(dir);
    return reaped;
}
