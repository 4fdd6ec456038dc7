/* SPDX-License-Identifier: BSD-3-Clause */
/* formats.h: a run in the file formats of other tools, written to a stream.
 *
 * All functions: `file` is open for writing and stays open; errors of writing show in
 * ferror(file). Times are less what recording took of callers, but for chrome and
 * extra-p, which have the rows as measured. Not collective; one thread. */
#ifndef MASTERMIND_EXPORT_FORMATS_H
#define MASTERMIND_EXPORT_FORMATS_H

#include <stdio.h>

#include "mastermind/counts/contexts/contexts.h"
#include "mastermind/counts/dual/mpi_profile.h"
#include "mastermind/counts/dual/notes.h"
#include "mastermind/counts/profile/profile.h"
#include "mastermind/reader/experiment.h"

/* A run; all of it is borrowed. */
struct mm_export {
    struct mm_experiment *experiment;
    const struct mm_contexts *contexts; /* ended */
    const struct mm_dual *dual;
};

/* Collapsed stacks (flamegraph.pl, speedscope): "a;b;c 120", exclusive microseconds of a
 * calling context, summed over ranks and threads. Their sum is rounded once. */
void mm_export_folded(FILE *file, const struct mm_export *run);
/* speedscope's own format: a sampled profile, a stack for each calling context, weights
 * in ns. 0 or -ENOMEM. */
int mm_export_speedscope(FILE *file, const struct mm_export *run);
/* Callgrind's format (callgrind_annotate, KCachegrind): exclusive ns of each method,
 * calls and inclusive ns from each caller. 0 or -ENOMEM. */
int mm_export_callgrind(FILE *file, const struct mm_export *run);
/* Trace events (Perfetto, speedscope, chrome://tracing): an event for each row, with its
 * values; processes are ranks. Calls in aggregates have no event and are noted. 0, or a
 * negative errno with `err`. */
int mm_export_chrome(FILE *file, const struct mm_export *run, struct mm_notes *notes,
                     struct cca_error *err);
/* Caliper's json-split (Hatchet): a node for each calling context, a line for each
 * context and rank, times in seconds. 0 or -ENOMEM. */
int mm_export_caliper(FILE *file, const struct mm_export *run);
/* OpenMetrics text (Prometheus): calls and a histogram of exclusive seconds for each
 * method, MPI, what was dropped. 0, or a negative errno with `err`. */
int mm_export_openmetrics(FILE *file, const struct mm_export *run,
                          const struct mm_mpi_profile *mpi, struct cca_error *err);

/* Extra-P's JSON lines: one file wants the same parameters in each line, so there is one
 * for each method and mode. Measurements are single calls: at most `most` of a size; of
 * more than 64 sizes, 32 bins a parameter, evenly spaced in its logarithm; 0 is a size of
 * its own.
 *
 *   points    in   of the method; those of the modes of `modes` are written
 *   binned    out  true where sizes were binned
 *
 * 0 or -ENOMEM. */
int mm_export_extra_p(FILE *file, const struct mm_points *points,
                      const union monitor_value *modes, size_t most, int *binned);

/* A JSON string of `text`, new; bytes that are no UTF-8 become '?'. free() it; NULL: out
 * of memory. */
char *mm_export_quoted(const char *text);

/* True where `text` is UTF-8; false, too, where memory is out. */
int mm_export_is_utf8(const char *text);

#endif
