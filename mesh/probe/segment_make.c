/* SPDX-License-Identifier: BSD-3-Clause */
/* segment_make.c: make a segment of shared memory; it gets its name when it is
 * complete. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mesh/probe/mesh.h"

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + MESH_SHARED_ALIGN - 1) / MESH_SHARED_ALIGN * MESH_SHARED_ALIGN;
}

static void lay_out(struct layout *l, uint64_t value_bytes)
{
    l->slot_first = aligned(sizeof(struct mesh_shared));
    l->box_first = aligned(sizeof(struct mesh_slot));
    l->value_first = l->box_first + aligned(l->box_room * sizeof(struct mesh_slot_box));
    l->slot_bytes = l->value_first + aligned(l->cell_room * value_bytes);
    l->bytes = l->slot_first + l->slots * l->slot_bytes;
}

/* Return the number of slots if the user sets none: the agent may sleep for some ms
 * between two scans, in which a program may do several steps. */
static uint32_t usual_slots(const struct mm_mesh *m, struct layout l,
                            uint64_t value_bytes)
{
    uint64_t slots;

    l.slots = 1;
    lay_out(&l, value_bytes);
    slots = MESH_SHARED_USUAL / l.slot_bytes;
    if (slots < MESH_SHARED_SLOTS_USUAL || m->request.grain == MESH_CELLS_AUTO)
        return MESH_SHARED_SLOTS_USUAL;
    return slots < MESH_SHARED_SLOTS ? (uint32_t)slots : MESH_SHARED_SLOTS;
}

/* Allocate all memory now: writing to a page for which the file system has no room would
 * raise SIGBUS. */
static int allocate(int fd, uint64_t bytes)
{
    struct rlimit limit;

    if (bytes > INT64_MAX)
        return -EFBIG;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
        bytes > limit.rlim_cur)
        return -EFBIG; /* a larger file would raise SIGXFSZ */
    return -posix_fallocate(fd, 0, (off_t)bytes);
}

/* Map a new file `path` of `bytes` bytes. */
static struct mesh_shared *map_new(const char *path, uint64_t bytes,
                                   struct cca_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), rc;
    void *map = MAP_FAILED;

    if (fd < 0) {
        cca_error_set(err, -errno, "%s: %s", path, strerror(errno));
        return NULL;
    }
    rc = allocate(fd, bytes);
    if (!rc) {
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
        rc = map == MAP_FAILED ? -errno : 0;
    }
    close(fd);
    if (!rc)
        return map;
    unlink(path);
    cca_error_set(err, rc, "%s: %" PRIu64 " bytes: %s", path, bytes, strerror(-rc));
    return NULL;
}

/* Set the constant fields of a header. */
static void fill_head(struct mm_mesh *m, struct mesh_shared *h, const struct layout *l,
                      const struct mesh_segment_name *name, enum mesh_shared_kind kind)
{
    memcpy(h->magic, MESH_SHARED_MAGIC, sizeof h->magic);
    h->order = 0x01020304;
    h->format = MESH_SHARED_FORMAT;
    h->kind = kind;
    h->slots = l->slots;
    h->bytes = l->bytes;
    h->pid = name->pid;
    h->start = name->start;
    h->mesh = name->mesh;
    h->part = name->part;
    h->rank = m->rank;
    h->ranks = m->ranks;
    h->box_room = l->box_room;
    h->cell_room = l->cell_room;
    h->slot_first = l->slot_first;
    h->slot_bytes = l->slot_bytes;
    h->box_first = l->box_first;
    h->value_first = l->value_first;
    memcpy(h->session, name->session, sizeof name->session);
    h->about = m->about;
    for (int p = 0; p < m->probe_count; p++)
        if (m->probes[p]->wanted) {
            h->probe[h->probes] = m->probes[p]->about;
            h->probe[h->probes].probe = (int32_t)h->probes;
            h->probes++;
        }
    atomic_store(&h->every, (uint32_t)m->every);
    atomic_store(&h->begun, m->begun);
    atomic_store(&h->state, MESH_SHARED_OPEN);
}

void mesh_segment_own(const struct mm_mesh *m, int part, struct mesh_segment_name *name)
{
    *name = (struct mesh_segment_name){.uid = (uint32_t)geteuid(),
                                       .pid = getpid(),
                                       .start = mesh_process_start(getpid()),
                                       .mesh = m->number,
                                       .part = part};
    memcpy(name->session, m->session, sizeof name->session);
}

/* Make a segment under a name that readers ignore. Sets path[0] to this temporary path,
 * path[1] to the final one. */
static struct mesh_shared *make(struct mm_mesh *m, const struct layout *l,
                                enum mesh_shared_kind kind, char path[2][256],
                                struct cca_error *err)
{
    struct mesh_segment_name name;
    char text[MESH_SEGMENT_NAME];
    struct mesh_shared *h;

    mesh_segment_own(m, m->parts, &name);
    mesh_segment_name(&name, text);
    snprintf(path[0], 256, MESH_SHARED_FOLDER "/.%s", text);
    snprintf(path[1], 256, MESH_SHARED_FOLDER "/%s", text);
    h = map_new(path[0], l->bytes, err);
    if (h)
        fill_head(m, h, l, &name, kind);
    return h;
}

/* Rename the file of a segment so that agents find it. Returns 0 or negative errno. */
static int show(struct mm_mesh *m, char path[2][256], struct cca_error *err)
{
    int rc;

    m->parts++;
    if (!rename(path[0], path[1]))
        return 0;
    rc = cca_error_set(err, -errno, "%s: %s", path[1], strerror(errno));
    unlink(path[0]);
    return rc;
}

int mesh_segment_make(struct mm_mesh *m, struct cca_error *err)
{
    /* Boxes of a rank grow and shrink when cells move: some spare room avoids new
     * segments. */
    uint64_t more = m->parts ? 2 : 4;
    struct layout l = {.slots = m->slots};
    char path[2][256];
    struct mesh_shared *h;
    uint64_t probes = 0, boxes = m->cells.boxes_total + m->cells.boxes_total / more + 1;
    int rc;

    for (int p = 0; p < m->probe_count; p++)
        probes += m->probes[p]->wanted != 0;
    l.cell_room = m->cells.total + m->cells.total / more + 1;
    if (l.cell_room > (uint64_t)MM_MESH_CELLS)
        l.cell_room = (uint64_t)MM_MESH_CELLS;
    l.box_room = boxes > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)boxes;
    if (l.slots == 0)
        l.slots = usual_slots(m, l, probes * sizeof(float));
    lay_out(&l, probes * sizeof(float));
    h = make(m, &l, MESH_SHARED_STEPS, path, err);
    if (!h)
        return err->code;
    rc = show(m, path, err);
    if (rc) {
        munmap(h, l.bytes);
        return rc;
    }
    m->shared = h;
    m->layout = l;
    m->slot_next = 0;
    return 0;
}

int mesh_segment_centres(struct mm_mesh *m, const struct mesh_slot_box *boxes,
                         uint32_t count, uint64_t cells, const double *centres,
                         struct cca_error *err)
{
    struct layout l = {.slots = 1, .cell_room = cells, .box_room = count};
    char path[2][256];
    struct mesh_shared *h;
    struct mesh_slot *slot;
    double *values;
    int dims = m->about.dims, rc;

    lay_out(&l, 3 * sizeof(double));
    h = make(m, &l, MESH_SHARED_CENTRES, path, err);
    if (!h)
        return err->code;
    slot = (struct mesh_slot *)(void *)((char *)h + l.slot_first);
    memcpy((char *)slot + l.box_first, boxes, count * sizeof *boxes);
    values = (double *)(void *)((char *)slot + l.value_first);
    for (uint64_t c = 0; c < cells; c++)
        memcpy(values + 3 * c, centres + (uint64_t)dims * c,
               (size_t)dims * sizeof *centres);
    slot->cells = cells;
    slot->boxes = count;
    slot->told = 1;
    atomic_store(&slot->word, MESH_SLOT_STATES + MESH_SLOT_FULL);
    atomic_store(&h->filled, 1);
    atomic_store(&h->state, MESH_SHARED_CLOSED);
    rc = show(m, path, err);
    munmap(h, l.bytes);
    return rc;
}
