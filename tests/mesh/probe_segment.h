/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_segment.h: what tests read of a program's shared memory: a reader of their own.
 */
#ifndef TESTS_MESH_PROBE_SEGMENT_H
#define TESTS_MESH_PROBE_SEGMENT_H

#include <dirent.h>
#include <sys/mman.h>

#include "mesh/probe/segment.h"
#include "tests/lib/test.h"

/* The segment of this process with these numbers, mapped, or NULL. */
static inline struct mesh_shared *segment_open(int mesh, int part)
{
    struct dirent *entry;
    struct mesh_shared *h = NULL;
    DIR *folder = opendir(MESH_SHARED_FOLDER);

    while (!h && (entry = readdir(folder)) != NULL) {
        struct mesh_segment_name name;
        struct cca_error err = {0};
        char path[512];
        struct stat st;
        int fd;

        if (!mesh_segment_parse(entry->d_name, &name) || name.pid != getpid() ||
            name.mesh != mesh || name.part != part)
            continue;
        snprintf(path, sizeof path, MESH_SHARED_FOLDER "/%s", entry->d_name);
        fd = open(path, O_RDWR);
        assert_true(fd >= 0);
        assert_int_equal(0, fstat(fd, &st));
        h = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
        assert_true(h != MAP_FAILED);
        assert_int_equal(0, mesh_segment_check(h, (uint64_t)st.st_size, &err));
    }
    closedir(folder);
    return h;
}

/* Remove all segments of this process. How many there were. */
static inline int segments_remove(void)
{
    struct dirent *entry;
    int count = 0;
    DIR *folder = opendir(MESH_SHARED_FOLDER);

    while ((entry = readdir(folder)) != NULL) {
        struct mesh_segment_name name;
        char path[512];

        if (!mesh_segment_parse(entry->d_name, &name) || name.pid != getpid())
            continue;
        snprintf(path, sizeof path, MESH_SHARED_FOLDER "/%s", entry->d_name);
        count += unlink(path) == 0;
    }
    closedir(folder);
    return count;
}

static inline struct mesh_slot *segment_slot(struct mesh_shared *h, uint32_t s)
{
    return (struct mesh_slot *)(void *)((char *)h + h->slot_first + s * h->slot_bytes);
}

static inline const struct mesh_slot_box *slot_boxes(const struct mesh_shared *h,
                                                     const struct mesh_slot *slot)
{
    return (const struct mesh_slot_box *)(const void *)((const char *)slot +
                                                        h->box_first);
}

/* The slot of the earliest step that is FULL, or NULL. It looks twice: while it went
 * through the slots one that it had passed may have become FULL, and a later one then. */
static inline struct mesh_slot *segment_full(struct mesh_shared *h)
{
    struct mesh_slot *least = NULL;

    for (int look = 0; look < 2; look++) {
        uint64_t least_word = UINT64_MAX;

        for (uint32_t s = 0; s < h->slots; s++) {
            struct mesh_slot *slot = segment_slot(h, s);
            uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);

            if (word % MESH_SLOT_STATES == MESH_SLOT_FULL && word < least_word) {
                least = slot;
                least_word = word;
            }
        }
        if (!least)
            break;
    }
    return least;
}

static inline void slot_free(struct mesh_slot *slot)
{
    atomic_store_explicit(&slot->word, 0, memory_order_release);
}

/* The value of probe p in cell i, j, k of a level, or NAN: in no box. */
static inline float slot_value(const struct mesh_shared *h, const struct mesh_slot *slot,
                               int p, int level, int64_t i, int64_t j, int64_t k)
{
    const struct mesh_slot_box *b = slot_boxes(h, slot);
    const float *values =
        (const float *)(const void *)((const char *)slot + h->value_first) +
        (uint64_t)p * h->cell_room;

    for (uint32_t n = 0; n < slot->boxes; n++, b++)
        if (b->level == level && i >= b->lo[0] && i < b->hi[0] && j >= b->lo[1] &&
            j < b->hi[1] && k >= b->lo[2] && k < b->hi[2])
            return values[b->first + (uint64_t)(((i - b->lo[0]) * (b->hi[1] - b->lo[1]) +
                                                 j - b->lo[1]) *
                                                    (b->hi[2] - b->lo[2]) +
                                                k - b->lo[2])];
    return __builtin_nanf("");
}

/* The sum of all values of probe p. */
static inline double slot_sum(const struct mesh_shared *h, const struct mesh_slot *slot,
                              int p)
{
    const float *values =
        (const float *)(const void *)((const char *)slot + h->value_first) +
        (uint64_t)p * h->cell_room;
    double sum = 0;

    for (uint64_t c = 0; c < slot->cells; c++)
        sum += (double)values[c];
    return sum;
}

#endif
