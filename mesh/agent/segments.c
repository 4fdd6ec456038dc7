/* SPDX-License-Identifier: BSD-3-Clause */
/* segments.c: from slots of shared memory to packets. */
#include "mesh/agent/segments.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "mesh/agent/address.h"
#include "mesh/agent/lock.h"

struct segment {
    char file[MESH_SEGMENT_NAME];
    struct mesh_segment_name name;
    struct mesh_shared *map;
    size_t bytes;
    struct mesh_shared head; /* a copy that was checked */
    struct mesh_bricks *bricks;
    int number; /* of its mesh on the wire */
    int centres_sent;
    uint64_t lost_told; /* dropped steps that were told */
    int bad;
};

/* A mesh of a process, whose parts have one number. */
struct known_mesh {
    int64_t pid;
    uint64_t start;
    int32_t mesh;
    int number;
};

struct mesh_segments {
    char session[MESH_SESSION_BYTES];
    struct wire *wire;
    struct segment *all;
    size_t count;
    struct known_mesh *meshes;
    size_t mesh_count;
};

struct mesh_segments *mesh_segments_new(const char *session, struct wire *wire)
{
    struct mesh_segments *segments = calloc(1, sizeof *segments);

    if (segments) {
        snprintf(segments->session, sizeof segments->session, "%s", session);
        segments->wire = wire;
    }
    return segments;
}

static void forget(struct segment *segment)
{
    if (segment->map)
        munmap(segment->map, segment->bytes);
    mesh_bricks_free(segment->bricks);
}

void mesh_segments_free(struct mesh_segments *segments)
{
    for (size_t i = 0; segments && i < segments->count; i++)
        forget(&segments->all[i]);
    if (segments)
        free(segments->all);
    if (segments)
        free(segments->meshes);
    free(segments);
}

size_t mesh_segments_count(const struct mesh_segments *segments)
{
    return segments->count;
}

static void path_of(const char *file, char *path, size_t size)
{
    snprintf(path, size, MESH_SHARED_FOLDER "/%s", file);
}

static int64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* --- New segments. --- */

static int send_mesh(struct mesh_segments *segments, const struct segment *segment)
{
    struct wire_mesh mesh = {segment->number, segment->head.rank, segment->head.ranks,
                             (int32_t)segment->head.probes, segment->head.about};

    return wire_send(segments->wire, WIRE_MESH, &mesh, sizeof mesh, segment->head.probe,
                     segment->head.probes * sizeof *segment->head.probe, NULL, 0);
}

/* The number of a mesh on the wire, or -1: out of memory. */
static int number_of(struct mesh_segments *segments, const struct mesh_segment_name *name,
                     int *is_new)
{
    struct known_mesh *mesh = segments->meshes;

    *is_new = 0;
    for (size_t i = 0; i < segments->mesh_count; i++, mesh++)
        if (mesh->pid == name->pid && mesh->start == name->start &&
            mesh->mesh == name->mesh)
            return mesh->number;
    mesh = cca_array_add(&segments->meshes, &segments->mesh_count, sizeof *mesh);
    if (!mesh)
        return -1;
    *is_new = 1;
    mesh->pid = name->pid;
    mesh->start = name->start;
    mesh->mesh = name->mesh;
    return mesh->number = (int)segments->mesh_count - 1;
}

/* The part before this one of the same mesh, or NULL. */
static struct segment *part_before(struct mesh_segments *segments,
                                   const struct segment *segment)
{
    for (size_t i = 0; i < segments->count; i++) {
        struct segment *other = &segments->all[i];

        if (other != segment && other->name.pid == segment->name.pid &&
            other->name.start == segment->name.start &&
            other->name.mesh == segment->name.mesh &&
            other->name.part < segment->name.part && !other->bad)
            return other;
    }
    return NULL;
}

/* Map a segment and check its head. 0 or a negative errno with `err`. */
static int map_segment(struct segment *segment, struct cca_error *err)
{
    char path[sizeof MESH_SHARED_FOLDER + MESH_SEGMENT_NAME + 1];
    struct stat st;
    int fd, rc = 0;

    path_of(segment->file, path, sizeof path);
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &st) != 0)
        rc = -errno;
    if (!rc && (st.st_uid != geteuid() || st.st_size < (off_t)sizeof segment->head))
        rc = -EBADMSG;
    if (!rc) {
        segment->bytes = (size_t)st.st_size;
        segment->map =
            mmap(NULL, segment->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (segment->map == MAP_FAILED) {
            segment->map = NULL;
            rc = -errno;
        }
    }
    if (fd >= 0)
        close(fd);
    if (rc)
        return cca_error_set(err, rc, "%s: %s", path, strerror(-rc));
    memcpy(&segment->head, segment->map, sizeof segment->head);
    return mesh_segment_check(&segment->head, segment->bytes, err);
}

static int is_known(const struct mesh_segments *segments, const char *file)
{
    for (size_t i = 0; i < segments->count; i++)
        if (strcmp(segments->all[i].file, file) == 0)
            return 1;
    return 0;
}

/* Add the segment of a file of /dev/shm. 1, 0 it is none, or a negative errno of the
 * wire. */
static int add_segment(struct mesh_segments *segments, const char *file,
                       struct cca_error *err)
{
    struct segment *segment;
    struct mesh_segment_name name;
    struct cca_error why = {0};
    int is_new, rc;

    if (!mesh_segment_parse(file, &name) || name.uid != geteuid() ||
        strcmp(name.session, segments->session) != 0 || is_known(segments, file))
        return 0;
    segment = cca_array_add(&segments->all, &segments->count, sizeof *segment);
    if (!segment)
        return cca_no_memory(err);
    snprintf(segment->file, sizeof segment->file, "%s", file);
    segment->name = name;
    rc = map_segment(segment, &why);
    if (!rc && !(segment->bricks = mesh_bricks_new(segment->head.about.dims)))
        rc = cca_no_memory(&why);
    if (rc) {
        fprintf(stderr, "mesh-agent: %s\n", why.text);
        segment->bad = 1;
        return 1;
    }
    segment->number = number_of(segments, &name, &is_new);
    if (segment->number < 0)
        return cca_no_memory(err);
    atomic_store(&segment->map->taker,
                 (uint64_t)getpid() << 32 | (mesh_process_start(getpid()) & 0xffffffffu));
    rc = is_new ? send_mesh(segments, segment) : 0;
    return rc ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc)) : 1;
}

static int find_segments(struct mesh_segments *segments, struct cca_error *err)
{
    DIR *dir = opendir(MESH_SHARED_FOLDER);
    const struct dirent *entry;
    int found = 0, rc = 0;

    while (dir && rc >= 0 && (entry = readdir(dir))) {
        rc = add_segment(segments, entry->d_name, err);
        found |= rc;
    }
    if (dir)
        closedir(dir);
    return rc < 0 ? rc : found > 0;
}

/* --- Slots. --- */

static struct mesh_slot *slot_at(const struct segment *segment, uint32_t s)
{
    return (struct mesh_slot *)(void *)((char *)segment->map + segment->head.slot_first +
                                        s * segment->head.slot_bytes);
}

/* The FULL slot with the earliest step, now TAKING, or NULL. What a dead agent left
 * TAKING is as good as FULL: there is one agent at a time. */
static struct mesh_slot *oldest_slot(const struct segment *segment, uint64_t *word)
{
    struct mesh_slot *oldest = NULL;

    for (uint32_t s = 0; s < segment->head.slots; s++) {
        struct mesh_slot *slot = slot_at(segment, s);
        uint64_t now = atomic_load_explicit(&slot->word, memory_order_acquire);
        unsigned state = (unsigned)(now % MESH_SLOT_STATES);

        if ((state == MESH_SLOT_FULL || state == MESH_SLOT_TAKING) &&
            (!oldest || now < *word)) {
            oldest = slot;
            *word = now;
        }
    }
    if (oldest)
        atomic_store_explicit(
            &oldest->word, *word / MESH_SLOT_STATES * MESH_SLOT_STATES + MESH_SLOT_TAKING,
            memory_order_relaxed);
    return oldest;
}

struct sending {
    struct mesh_segments *segments;
    struct wire_place place;
};

static int send_block(void *context, const struct mm_mesh_frame *frame,
                      const void *payload, struct cca_error *err)
{
    const struct sending *sending = context;
    int rc =
        wire_send(sending->segments->wire, WIRE_BLOCK, &sending->place,
                  sizeof sending->place, frame, sizeof *frame, payload, frame->bytes);

    return rc ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc)) : 0;
}

static int send_box(struct mesh_segments *segments, struct segment *segment,
                    const struct mesh_slot *slot, const struct mesh_slot *head,
                    const struct mesh_slot_box *box, struct cca_error *err)
{
    struct sending sending = {segments, {segment->number, 0}};
    int rc = 0;

    for (uint32_t p = 0; p < segment->head.probes && !rc; p++) {
        struct mesh_box to = {.step = head->step,
                              .rank = segment->head.rank,
                              .probe = (int)p,
                              .level = box->level};
        const float *values =
            (const void *)((const char *)slot + segment->head.value_first);

        if (!(head->told >> p & 1))
            continue;
        memcpy(to.lo, box->lo, sizeof to.lo);
        memcpy(to.hi, box->hi, sizeof to.hi);
        rc = mesh_bricks_pack(segment->bricks, &to, segment->head.probe[p].eps,
                              values + p * segment->head.cell_room + box->first,
                              send_block, &sending, err);
    }
    return rc;
}

/* Send a step. 0; -EBADMSG the slot is damaged; a negative errno of the wire. */
static int send_slot(struct mesh_segments *segments, struct segment *segment,
                     const struct mesh_slot *slot, struct cca_error *err)
{
    const struct mesh_slot_box *boxes =
        (const void *)((const char *)slot + segment->head.box_first);
    struct wire_place place = {segment->number, 0};
    struct mesh_slot head;
    struct wire_step told;
    int rc;

    memcpy(&head, (const void *)slot, sizeof head);
    rc = mesh_slot_check(&segment->head, &head, err);
    for (uint32_t b = 0; b < head.boxes && !rc; b++) {
        struct mesh_slot_box box = boxes[b];

        rc = mesh_slot_box_check(&segment->head, &head, &box, err);
        if (!rc)
            rc = send_box(segments, segment, slot, &head, &box, err);
    }
    if (rc)
        return rc;
    told = (struct wire_step){head.step, head.time_s};
    rc = wire_send(segments->wire, WIRE_STEP, &place, sizeof place, &told, sizeof told,
                   NULL, 0);
    return rc ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc)) : 0;
}

/* Coordinates of elements: the one slot of a segment of centres, which a mesh's steps
 * follow. */
static int send_centres(struct mesh_segments *segments, struct segment *segment,
                        struct cca_error *err)
{
    const struct mesh_slot *slot = slot_at(segment, 0);
    const struct mesh_slot_box *boxes =
        (const void *)((const char *)slot + segment->head.box_first);
    const double *values = (const void *)((const char *)slot + segment->head.value_first);
    struct wire_place place = {segment->number, 0};
    struct mesh_slot head;
    int rc;

    memcpy(&head, (const void *)slot, sizeof head);
    rc = mesh_slot_check(&segment->head, &head, err);
    for (uint32_t b = 0; b < head.boxes && !rc; b++) {
        struct mesh_slot_box box = boxes[b];

        rc = mesh_slot_box_check(&segment->head, &head, &box, err);
        for (int64_t at = box.lo[0]; at < box.hi[0] && !rc;) {
            enum { AT_ONCE = 1 << 15 };
            int64_t part = box.hi[0] - at < AT_ONCE ? box.hi[0] - at : AT_ONCE;
            int64_t range[2] = {at, part};

            rc = wire_send(segments->wire, WIRE_CENTRES, &place, sizeof place, range,
                           sizeof range,
                           values + 3 * ((int64_t)box.first + at - box.lo[0]),
                           (size_t)part * 3 * sizeof *values);
            at += part;
        }
    }
    return rc && !err->code
               ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc))
               : rc;
}

/* --- Losses and ends. --- */

static int send_lost(struct mesh_segments *segments, struct segment *segment,
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
    segment->lost_told = dropped;
    rc = wire_send(segments->wire, WIRE_LOST, &place, sizeof place, &lost, sizeof lost,
                   NULL, 0);
    return rc ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc)) : 0;
}

/* All that was sent is in the file. 0 or a negative errno. */
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

/* The segment is over: tell it, and unlink it. */
static int end_segment(struct mesh_segments *segments, size_t at, unsigned state,
                       struct cca_error *err)
{
    struct segment *segment = &segments->all[at];
    struct wire_place place = {segment->number, 0};
    char path[sizeof MESH_SHARED_FOLDER + MESH_SEGMENT_NAME + 1];
    int rc = 0;

    if (!segment->bad && segment->head.kind == MESH_SHARED_STEPS &&
        state != MESH_SHARED_MOVED) {
        if (state == MESH_SHARED_OPEN) {
            static const char text[] = "a process of the program was killed";

            rc = wire_send(segments->wire, WIRE_NOTE, &place, sizeof place, NULL, 0, text,
                           sizeof text - 1);
        }
        if (!rc)
            rc = wire_send(segments->wire, WIRE_CLOSED, &place, sizeof place, NULL, 0,
                           NULL, 0);
    }
    if (rc)
        return cca_error_set(err, rc, "the global agent: %s", strerror(-rc));
    rc = segment->bad ? 0 : wait_for_ack(segments, err);
    if (rc)
        return rc;
    path_of(segment->file, path, sizeof path);
    unlink(path);
    forget(segment);
    memmove(segment, segment + 1, (segments->count - at - 1) * sizeof *segment);
    segments->count--;
    return 0;
}

/* Take what a segment has; with `look` also see whether it is over. How many slots, or a
 * negative errno of the wire. */
static int take_segment(struct mesh_segments *segments, size_t at, int look,
                        struct cca_error *err)
{
    struct segment *segment = &segments->all[at];
    int lives = !look || mesh_process_lives(segment->name.pid, segment->name.start);
    unsigned state =
        segment->bad ? MESH_SHARED_OPEN
                     : atomic_load_explicit(&segment->map->state, memory_order_acquire);
    struct cca_error why = {0};
    struct mesh_slot *slot = NULL;
    int64_t begun = cpu_ns();
    uint64_t word = 0;
    int taken = 0, rc = 0;

    if (!segment->bad && part_before(segments, segment))
        return 0; /* its steps come first */
    while (!segment->bad && !rc && (slot = oldest_slot(segment, &word))) {
        rc = segment->head.kind == MESH_SHARED_CENTRES
                 ? send_centres(segments, segment, &why)
                 : send_slot(segments, segment, slot, &why);
        taken++;
        if (rc == -EBADMSG) {
            fprintf(stderr, "mesh-agent: %s: %s\n", segment->file, why.text);
            segment->bad = 1;
        }
        if (!rc)
            atomic_store_explicit(
                &slot->word, word / MESH_SLOT_STATES * MESH_SLOT_STATES + MESH_SLOT_FREE,
                memory_order_release);
    }
    if (rc && rc != -EBADMSG)
        return cca_error_set(err, rc, "%s", why.text);
    if (!segment->bad && (rc = send_lost(segments, segment, err)))
        return rc;
    if (!segment->bad && taken)
        atomic_fetch_add(&segment->map->taker_ns, (uint64_t)(cpu_ns() - begun));
    if (lives && state == MESH_SHARED_OPEN)
        return taken;
    rc = end_segment(segments, at, state, err);
    return rc ? rc : taken + 1;
}

int mesh_segments_take(struct mesh_segments *segments, int look, struct cca_error *err)
{
    int any = look ? find_segments(segments, err) : 0;

    for (size_t i = segments->count; i-- > 0 && any >= 0;) {
        int rc = take_segment(segments, i, look, err);

        any = rc < 0 ? rc : any + rc;
    }
    return any;
}

int mesh_segments_reap(const char *session)
{
    DIR *dir = opendir(MESH_SHARED_FOLDER);
    const struct dirent *entry;
    int reaped = 0;

    while (dir && (entry = readdir(dir))) {
        char path[sizeof MESH_SHARED_FOLDER + 256];
        struct mesh_segment_name name;

        if (!mesh_segment_parse(entry->d_name, &name) || name.uid != geteuid() ||
            strcmp(name.session, session) == 0 ||
            mesh_process_lives(name.pid, name.start) ||
            mesh_agent_is_locked(name.session))
            continue;
        path_of(entry->d_name, path, sizeof path);
        reaped += unlink(path) == 0;
    }
    if (dir)
        closedir(dir);
    return reaped;
}
