/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h: the properties of a machine that determine the cost of a call: processor,
 * caches, clock.
 *
 * The host name is not included: two hosts with equal properties count as one machine. */
#ifndef MASTERMIND_REPOSITORY_MACHINE_H
#define MASTERMIND_REPOSITORY_MACHINE_H

#include <jansson.h>

#include "ports/cca_error.h"

#define MM_MACHINE_CACHES 16
#define MM_MACHINE_NAME 128

struct mm_cache {
    int level;
    char type[16]; /* type of the cache: "data", "instruction", "unified" */
    int64_t bytes;
};

struct mm_machine {
    char cpu[MM_MACHINE_NAME]; /* name of the processor as the kernel reports it; "":
                                  unknown */
    struct mm_cache caches[MM_MACHINE_CACHES];
    size_t cache_count;
    double clock_ghz; /* frequency of the time stamp counter; 0: unknown */
};

/* Read the machine of an experiment from its experiment.json. Missing members are
 * unknown. */
void mm_machine_of_experiment(struct mm_machine *machine, const json_t *about);
/* Set `machine` to the machine of this process. Its clock is unknown. */
void mm_machine_of_process(struct mm_machine *machine);

/* True if costs are expected to be equal on both machines: they have the same processor
 * and caches, and clocks within one percent. An unknown property counts as equal. */
int mm_machine_same(const struct mm_machine *a, const struct mm_machine *b);
/* Print a machine as "Intel(R) Xeon(R) Processor, 48K 2M 260M, 2.30 GHz". Returns
 * `text`. */
const char *mm_machine_print(const struct mm_machine *machine, char *text, size_t size);

/* Return the machine as a new JSON object; NULL: out of memory. */
json_t *mm_machine_json_of(const struct mm_machine *machine);
/* Read a machine from a JSON object; if it is NULL all properties are unknown. Returns 0,
 * or -EBADMSG with "found ..., expected ...". */
int mm_machine_read(struct mm_machine *machine, const json_t *object,
                    struct cca_error *err);

#endif
