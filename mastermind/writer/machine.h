/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h: find the properties of the machine that affect a model. */
#ifndef MASTERMIND_WRITER_MACHINE_H
#define MASTERMIND_WRITER_MACHINE_H

#include <jansson.h>

/* Return the member `machine` of experiment.json, a new object; NULL: out of memory.
 * Properties that the system does not report are absent. */
json_t *mm_machine_json(void);

/* Return a new array of the caches of one processor, from a folder laid out like
 * /sys/devices/system/cpu/cpu0/cache. */
json_t *mm_machine_caches(const char *folder);

/* True if the kernel has a driver for a hardware counter unit. */
int mm_machine_has_counters(void);

#endif
