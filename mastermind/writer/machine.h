/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h: properties of the machine that affect a model. */
#ifndef MASTERMIND_WRITER_MACHINE_H
#define MASTERMIND_WRITER_MACHINE_H

#include <jansson.h>

/* Return the object `machine` of experiment.json, new; NULL: out of memory. Properties
 * that the system does not report are absent. */
json_t *mm_machine_json(void);

/* Return the caches of one processor from a folder laid out as
 * /sys/devices/system/cpu/cpu0/cache: an array, new. */
json_t *mm_machine_caches(const char *folder);

/* True if the kernel has a driver for a hardware counter unit. */
int mm_machine_has_counters(void);

#endif
