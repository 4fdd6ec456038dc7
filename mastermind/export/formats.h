/* SPDX-License-Identifier: BSD-3-Clause */
/* formats.h: write a run in the file formats of other tools.
 *
 * For all functions: `file` is open for writing and stays open; the caller checks
 * ferror(file). Times of callers do not contain the cost of recording their callees,
 * except in the formats chrome and extra-p, which contain rows as measured. Not
 * collective; one thread. */
#ifndef MASTERMIND_EXPORT_FORMATS_H
#define MASTERMIND_EXPORT_FORMATS_H

#include <stdio.h>

#include "mastermind/counts/counts.h"
#include "mastermind/reader/experiment.h"
#include "mastermind/reader/samples.h"

/* A run that is exported; all pointers are borrowed. */
struct mm_export {
    struct mm_experiment *experiment;
    /* calling contexts of the run; mm_contexts_end has been called */
    const struct mm_contexts *contexts;
    const struct mm_dual *dual;
};

/* Write collapsed stacks (flamegraph.pl, speedscope): "a;b;c 120", the exclusive
 * microseconds of a calling context, summed over ranks and threads, then rounded. */
void mm_export_folded(FILE *file, const struct mm_export *run);
/* Like mm_export_folded, of sampled stacks: the microseconds of CPU time of each call
 * stack. A function has its file's name in front where the caller is in another file. */
void mm_export_folded_stacks(FILE *file, const struct mm_run_stacks *stacks);
/* Write speedscope's own format: a sampled profile with one stack for each calling
 * context, and weights in ns. Returns 0 or -ENOMEM. */
int mm_export_speedscope(FILE *file, const struct mm_export *run);
/* Write Callgrind's format (callgrind_annotate, KCachegrind): the exclusive ns of each
 * method, and the number and inclusive ns of its calls from each caller. Returns 0 or
 * -ENOMEM. */
int mm_export_callgrind(FILE *file, const struct mm_export *run);
/* Write trace events (Perfetto, speedscope, chrome://tracing): an event for each row,
 * with its values; ranks are shown as processes. Aggregated calls have no events; a note
 * reports them. Returns 0, or a negative errno with `err`. */
int mm_export_chrome(FILE *file, const struct mm_export *run, struct mm_notes *notes,
                     struct cca_error *err);
/* Write Caliper's format json-split (Hatchet): a node for each calling context, a line
 * for each context and rank, times in seconds. Returns 0 or -ENOMEM. */
int mm_export_caliper(FILE *file, const struct mm_export *run);
/* Write OpenMetrics text (Prometheus): the calls and a histogram of the exclusive seconds
 * of each method, times in MPI, and dropped invocations. Returns 0, or a negative errno
 * with `err`. */
int mm_export_openmetrics(FILE *file, const struct mm_export *run,
                          const struct mm_mpi_profile *mpi, struct cca_error *err);

/* Write Extra-P's JSON lines. All lines of a file must have the same parameters, so each
 * method and mode gets a file. Measurements are single calls, at most `most` of each
 * size. If there are more than 64 sizes, they are put into 32 bins for each parameter,
 * evenly spaced in its logarithm; 0 is a size of its own.
 *
 *   points  in   points of the method; points with the modes `modes` are written
 *   binned  out  true if sizes were binned
 *
 * Returns 0 or -ENOMEM. */
int mm_export_extra_p(FILE *file, const struct mm_points *points,
                      const union monitor_value *modes, size_t most, int *binned);

/* Return `text` as a new JSON string; invalid UTF-8 becomes '?'. To be freed with free().
 * NULL: out of memory. */
char *mm_export_quoted(const char *text);

/* True if `text` is UTF-8; false also if memory runs out. */
int mm_export_is_utf8(const char *text);

#endif
