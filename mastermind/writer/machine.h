/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h: the facts of the machine that a model depends on. */
#ifndef MASTERMIND_WRITER_MACHINE_H
#define MASTERMIND_WRITER_MACHINE_H

#include <jansson.h>

/* The object `machine` of experiment.json, new; NULL: out of memory. What the system does
 * not tell is absent. */
json_t *mm_machine_json(void);

/* The caches of one processor from a folder laid out as
 * /sys/devices/system/cpu/cpu0/cache: an array, new. */
json_t *mm_machine_caches(const char *folder);

/* True where the kernel knows a hardware counter unit. */
int mm_machine_has_counters(void);

#endif
