/* SPDX-License-Identifier: BSD-3-Clause */
/* files.h: numbers in files, such as counters of energy, as counters of outermost
 * calls. */
#ifndef MASTERMIND_PRELOAD_COUNTERS_FILES_H
#define MASTERMIND_PRELOAD_COUNTERS_FILES_H

#include "common/thread_times.h"

/* Find the files in a list of metrics ("NAME=FILE:UNIT"), at most `most`. Returns their
 * counters, or NULL: there are none. To be called once. */
const struct meas_times *mm_files_find(const char *list, int most);

#endif
