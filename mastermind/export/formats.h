/* SPDX-License-Identifier: BSD-3-Clause */
/* formats.h: a run in the file formats of other tools, written to a stream.
 *
 * All functions: `file` is open for writing and stays open; the caller checks
 * ferror(file). Times exclude the recording cost in callers, except in the formats chrome
 * and extra-p, which contain rows as measured. Not collective; one thread. */
#ifndef MASTERMIND_EXPORT_FORMATS_H
#define MASTERMIND_EXPORT_FORMATS_H

#include <stdio.h>

#include "mastermind/counts/counts.h"
#include "mastermind/reader/experiment.h"

/* A run to be exported; all of it is borrowed. */
struct mm_export {
    struct mm_experiment *experiment;
    const struct mm_contexts *contexts; /* calling contexts after mm_contexts_end */
    const struct mm_dual *dual;
};

/* Collapsed stacks (flamegraph.pl, speedscope): "a;b;c 120", exclusive microseconds of a
 * calling context, summed over ranks and threads. Their sum is rounded once. */
void mm_export_folded(FILE *file, const struct mm_export *run);
/* speedscope's own format: a sampled profile, one stack for each calling context, weights
 * in ns. Returns 0 or -ENOMEM. */
int mm_export_speedscope(FILE *file, const struct mm_export *run);
/* Callgrind's format (callgrind_annotate, KCachegrind): exclusive ns of each method;
 * number and inclusive ns of the calls from each caller. Returns 0 or -ENOMEM. */
int mm_export_callgrind(FILE *file, const struct mm_export *run);
/* Trace events (Perfetto, speedscope, chrome://tracing): an event for each row, with its
 * values; processes are ranks. Calls in aggregates have no event and give a note. 0, or a
 * negative errno with `err`. */
int mm_export_chrome(FILE *file, const struct mm_export *run, struct mm_notes *notes,
                     struct cca_error *err);
/* Caliper's json-split (Hatchet): a node for each calling context, a line for each
 * context and rank, times in seconds. Returns 0 or -ENOMEM. */
int mm_export_caliper(FILE *file, const struct mm_export *run);
/* OpenMetrics text (Prometheus): calls and a histogram of exclusive seconds for each
 * method, MPI, dropped invocations. 0, or a negative errno with `err`. */
int mm_export_openmetrics(FILE *file, const struct mm_export *run,
                          const struct mm_mpi_profile *mpi, struct cca_error *err);

/* Extra-P's JSON lines. All lines of a file must have the same parameters, so each method
 * and mode gets a file. Measurements are single calls, at most `most` of each size. More
 * than 64 sizes are put into 32 bins for each parameter, evenly spaced in its logarithm;
 * 0 is a size of its own.
 *
 *   points    in   of the method; points with the modes `modes` are written
 *   binned    out  true if sizes were binned
 *
 * 0 or -ENOMEM. */
int mm_export_extra_p(FILE *file, const struct mm_points *points,
                      const union monitor_value *modes, size_t most, int *binned);

/* Return a JSON string of `text`, new; invalid UTF-8 becomes '?'. Free with free(). NULL:
 * out of memory. */
char *mm_export_quoted(const char *text);

/* True if `text` is UTF-8; false also if out of memory. */
int mm_export_is_utf8(const char *text);

#endif
