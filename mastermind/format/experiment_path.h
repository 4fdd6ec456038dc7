/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_path.h: how long the full path of an experiment directory may be. */
#ifndef MASTERMIND_FORMAT_EXPERIMENT_PATH_H
#define MASTERMIND_FORMAT_EXPERIMENT_PATH_H

#include <limits.h>

/* Largest length of the full path. The rest of PATH_MAX is for names of files in the
 * directory; the longest are ".experiment.json.HOST-PID.new" and
 * "rank-N/thread-N.ring.new". */
enum { MM_EXPERIMENT_PATH_MOST = PATH_MAX - HOST_NAME_MAX - 64 };

#endif
