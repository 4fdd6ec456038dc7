/* SPDX-License-Identifier: BSD-3-Clause */
/* places.h: count samples by file and offset, through the mappings that each process had
 * at the time of the sample. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_PLACES_H
#define MASTERMIND_LIBRARY_SAMPLE_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/library/sample/ring.h"

struct sample_place {
    uint32_t object; /* index of the file in `objects` */
    uint32_t count;  /* number of samples */
    uint64_t offset; /* offset of the instruction in the file */
};

struct sample_mapping {
    uint64_t address, length, offset;
    uint32_t object;
};

struct sample_process {
    int32_t pid;
    /* [count] mappings of the process; a later mapping replaces the parts of earlier ones
     * that it overlaps */
    struct sample_mapping *mappings;
    size_t count;
};

/* Counts of samples. A struct of zeros is valid, and has no samples. */
struct sample_places {
    char **objects; /* [object_count] paths of files, as the kernel reports them */
    size_t object_count;
    /* [place_count] places (file and offset) with their counts; a place may occur several
     * times */
    struct sample_place *places;
    /* equal places are merged when there are `compact` places */
    size_t place_count, capacity, compact;
    /* [process_count] processes that have not ended */
    struct sample_process *processes;
    size_t process_count;
    /* numbers of samples in user code, in the kernel, and in user code without a file */
    uint64_t user, kernel, unmapped;
};

/* Count an event. Events of a process must come in the order of time. Steals event->path.
 * Returns 0 or -ENOMEM. */
int sample_places_add(struct sample_places *places, struct sample_event *event);
/* Find the file of a sample of user code, and the offset in it. Returns false for code
 * without a file. */
int sample_places_find(struct sample_places *places, const struct sample_event *event,
                       uint32_t *object, uint64_t *offset);
/* Merge equal places, and order them by object and offset. */
void sample_places_merge(struct sample_places *places);
/* Count one sample of the place at `offset` of the file with index `object`. Returns 0 or
 * -ENOMEM. */
int sample_places_count(struct sample_places *places, uint32_t object, uint64_t offset);
void sample_places_done(struct sample_places *places);

#endif
