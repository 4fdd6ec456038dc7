/* SPDX-License-Identifier: BSD-3-Clause */
/* segments.c: the shared memory segments of a session. */
#include "mesh/agent/segments_core.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"

struct mesh_segments *mesh_segments_new(const char *session, struct wire *wire)
{
    struct mesh_segments *segments = calloc(1, sizeof *segments);

    if (segments) {
        snprintf(segments->session, sizeof segments->session, "%s", session);
        segments->wire = wire;
    }
    return segments;
}

/* segments.c: unmap a segment and free its resources. */
static void segment_forget(struct segment *segment)
{
    if (segment->map)
        munmap(segment->map, segment->bytes);
    mesh_bricks_free(segment->bricks);
}

void mesh_segments_free(struct mesh_segments *segments)
{
    for (size_t i = 0; segments && i < segments->count; i++)
        segment_forget(&segments->all[i]);
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

/* --- New segments. --- */

static int send_mesh(struct mesh_segments *segments, const struct segment *segment)
{
    struct wire_mesh mesh = {segment->number, segment->head.rank, segment->head.ranks,
                             (int32_t)segment->head.probes, segment->head.about};

    return wire_send(segments->wire, WIRE_MESH, &mesh, sizeof mesh, segment->head.probe,
                     segment->head.probes * sizeof *segment->head.probe, NULL, 0);
}

/* Return the id of a mesh in packets to the global agent, a new one for a new mesh; -1:
 * out of memory. */
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

/* Return the segment with the previous part of the same mesh, or NULL. */
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

/* Map a segment and check its header. Returns 0 or a negative errno with `err`. */
static int map_segment(struct segment *segment, struct cca_error *err)
{
    char path[SEGMENT_PATH];
    struct stat st;
    int fd, rc = 0;

    segment_path(segment->file, path);
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

/* Add the segment of a file in /dev/shm. Returns 1; 0: not a segment; or a negative errno
 * if sending fails. */
static int add_segment(struct mesh_segments *segments, const char *file,
                       struct cca_error *err)
{
    struct segment *segment;
    struct mesh_segment_name name;
    struct cca_error why = {0};
    int is_new, rc;

    if (strlen(file) >= MESH_SEGMENT_NAME || !mesh_segment_parse(file, &name) ||
        name.uid != geteuid() || strcmp(name.session, segments->session) != 0 ||
        is_known(segments, file))
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
    segment->introduced = 1;
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

/* --- Rounds. --- */

/* Whether there is a segment with a later part of the same mesh. */
static int has_next_part(const struct mesh_segments *segments,
                         const struct segment *segment)
{
    for (size_t i = 0; i < segments->count; i++) {
        const struct mesh_segment_name *other = &segments->all[i].name;

        if (other->pid == segment->name.pid && other->start == segment->name.start &&
            other->mesh == segment->name.mesh && other->part > segment->name.part)
            return 1;
    }
    return 0;
}

/* Give up a damaged segment, with a message here and a note in the profile. Returns 0 or
 * a negative errno if sending fails with `err`. */
static int give_up(struct mesh_segments *segments, struct segment *segment,
                   const struct cca_error *why, struct cca_error *err)
{
    struct wire_place place = {segment->number, 0};
    char text[400];
    int rc;

    fprintf(stderr, "mesh-agent: %s: %s\n", segment->file, why->text);
    segment->bad = 1;
    snprintf(text, sizeof text, "shared memory of rank %d is damaged: %.300s",
             (int)segment->head.rank, why->text);
    rc = wire_send(segments->wire, WIRE_NOTE, &place, sizeof place, NULL, 0, text,
                   strlen(text));
    return rc ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc)) : 0;
}

/* Whether a segment has ended: it was closed, or has a next part, or its process had gone
 * before the latest scan of the folder, which therefore found all its segments. Returns
 * the state to end it with, or 0. */
static unsigned segment_is_over(const struct mesh_segments *segments,
                                struct segment *segment, int look, unsigned state)
{
    if (segment->bad)
        state = MESH_SHARED_OPEN;
    if (state == MESH_SHARED_CLOSED)
        return state;
    if (state == MESH_SHARED_MOVED && has_next_part(segments, segment))
        return state;
    if (segment->gone && look)
        return has_next_part(segments, segment) ? MESH_SHARED_MOVED : MESH_SHARED_OPEN;
    if (look)
        segment->gone = !mesh_process_lives(segment->name.pid, segment->name.start);
    return 0;
}

/* Take the data of a segment; with `look` also check whether it has ended. Returns the
 * number of slots taken, or a negative errno if sending fails. */
static int take_segment(struct mesh_segments *segments, size_t at, int look,
                        struct cca_error *err)
{
    struct segment *segment = &segments->all[at];
    unsigned state = MESH_SHARED_OPEN;
    struct cca_error why = {0};
    int64_t begun = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    int taken = 0, rc = 0;

    if (!segment->bad) {
        if (part_before(segments, segment))
            return 0; /* the steps in the mesh's previous segment come first */
        state = atomic_load_explicit(&segment->map->state, memory_order_acquire);
        taken = segment_take_slots(segments, segment, &why);
        if (taken == -EBADMSG)
            rc = give_up(segments, segment, &why, err);
        else if (taken < 0)
            return cca_error_set(err, taken, "%s", why.text);
        else
            rc = segment_send_lost(segments, segment, err);
        if (taken > 0)
            atomic_fetch_add(&segment->map->taker_ns,
                             (uint64_t)(cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun));
        taken = taken < 0 ? 1 : taken;
    }
    if (rc || taken >= 2 * MESH_SHARED_SLOTS) /* more slots may be full */
        return rc ? rc : taken;
    state = segment_is_over(segments, segment, look, state);
    if (!state)
        return taken;
    /* End it in the next scan: other ranks' segments that are older than this end must be
     * found first. */
    if (!segment->ending || !look) {
        segment->ending = 1;
        return taken;
    }
    rc = segment_end(segments, segment, state, err);
    if (rc)
        return rc;
    segment_forget(segment);
    memmove(segment, segment + 1, (segments->count - at - 1) * sizeof *segment);
    segments->count--;
    return taken + 1;
}

/* Make all ranks of this node send the same steps: the stride of each is at least the
 * largest stride of the others. In 16 of 64 scans there is no such limit, so that ranks
 * can find a smaller stride. */
static void wish_every(struct mesh_segments *segments)
{
    enum { ROUNDS = 64, FREE_ROUNDS = 16 };
    int wish = segments->looks++ % ROUNDS >= FREE_ROUNDS;

    for (size_t i = 0; i < segments->count; i++) {
        const struct segment *own = &segments->all[i];
        uint32_t most = 0;

        if (own->bad || own->head.kind != MESH_SHARED_STEPS)
            continue;
        for (size_t k = 0; k < segments->count && wish; k++) {
            const struct segment *other = &segments->all[k];
            uint32_t every;

            if (k == i || other->bad || other->head.kind != MESH_SHARED_STEPS ||
                strcmp(other->head.about.name, own->head.about.name) != 0)
                continue;
            every = atomic_load_explicit(&other->map->every, memory_order_relaxed);
            most = every > most ? every : most;
        }
        atomic_store_explicit(&own->map->every_least, most, memory_order_relaxed);
    }
}

int mesh_segments_take(struct mesh_segments *segments, int look, struct cca_error *err)
{
    int any = look ? find_segments(segments, err) : 0;

    for (size_t i = segments->count; i-- > 0 && any >= 0;) {
        int rc = take_segment(segments, i, look, err);

        any = rc < 0 ? rc : any + rc;
    }
    if (look && any >= 0)
        wish_every(segments);
    return any;
}
