/* SPDX-License-Identifier: BSD-3-Clause */
/* places.h: samples counted by file and offset, through the mappings that each process
 * had when it was sampled. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_PLACES_H
#define MASTERMIND_LIBRARY_SAMPLE_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "mastermind/library/sample/ring.h"

struct sample_place {
    uint32_t object; /* index */
    uint32_t count;  /* samples */
    uint64_t offset; /* in the object's file */
};

struct sample_mapping {
    uint64_t address, length, offset;
    uint32_t object;
};

struct sample_process {
    int32_t pid;
    struct sample_mapping *mappings; /* [count]; a later one lies over earlier ones */
    size_t count;
};

/* Zero-initialised is empty. */
struct sample_places {
    char **objects; /* [object_count] paths, as the kernel has them */
    size_t object_count;
    struct sample_place *places;           /* [place_count] */
    size_t place_count, capacity, compact; /* they are merged at `compact` */
    struct sample_process *processes;      /* [process_count] that have not ended */
    size_t process_count;
    uint64_t user, kernel, unmapped; /* samples; the last: of code without a file */
};

/* Count an event. Events of a process must come in the order of time. Takes event->path.
 * 0 or -ENOMEM. */
int sample_places_add(struct sample_places *places, struct sample_event *event);
/* Merge equal places, ordered by object and offset. */
void sample_places_merge(struct sample_places *places);
void sample_places_done(struct sample_places *places);

#endif
