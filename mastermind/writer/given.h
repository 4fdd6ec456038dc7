/* SPDX-License-Identifier: BSD-3-Clause */
/* given.h: write an experiment of given rows (imported or simulated), without the
 * recorder.
 *
 *     struct mm_given *given = mm_given_new("exp.mm", &about, err);
 *     int id = mm_given_method(given, &decl, err);
 *     mm_given_row(given, &row, err);            rows of a thread in order of completion
 *     mm_given_finish(given, err);
 *     mm_given_free(given);                      without finish all files are removed
 *
 * The directory is created under a temporary name (PATH.PROCESS.new) and renamed by
 * mm_given_finish: a reader finds the complete experiment or none. Layout:
 * docs/internals/experiment.md. One thread at a time; ranks of the experiment are not
 * processes. */
#ifndef MASTERMIND_WRITER_GIVEN_H
#define MASTERMIND_WRITER_GIVEN_H

#include "ports/monitor_port.h"

struct mm_given_variable {
    const char *name, *text;
};

/* Properties of the experiment, needed before the first row. Strings and variables are
 * borrowed for the call. */
struct mm_given_about {
    const char *origin; /* origin of the rows: "imported", "simulated" or "timed" */
    const char *source; /* name of the file with the rows, or NULL */
    const char *unit;   /* unit of time in that file: "ns", "us", "ms", "s", or NULL */
    double ns_per_tick; /* length of a tick in the times of all rows; > 0, finite */
    int ranks;          /* number of ranks, from 1 to MM_GIVEN_RANKS */
    int cpu_time, mpi_time; /* true if rows have `cpu_ns`, and `mpi_ns` */
    int this_machine;       /* true if the rows were measured on this machine */
    int64_t epoch_ns;       /* time at tick 0, ns since 1970; 0: unknown */
    const struct mm_given_variable *variables; /* [variable_count] parameters of the run;
                                                * NULL: they are not known */
    size_t variable_count;
    const char *const
        *command; /* words of the program, ending with NULL; NULL: unknown */
    /* CPU time and largest resident memory of the program's processes; 0: unknown */
    int64_t process_cpu_ns, peak_bytes;
};

/* A whole run as an experiment of one row. Strings and arrays are borrowed. */
struct mm_given_whole {
    const char *const *command; /* as above, at least one word */
    /* [in_count] values of the run, and the same as texts; may be NULL if there are none
     */
    const struct monitor_value_decl *values;
    const union monitor_value *in;
    const struct mm_given_variable *variables;
    size_t in_count;
    int64_t cpu_ns, wall_ns, peak_bytes;
};

/* Write the experiment of a run that ends now: method PROGRAM.program.run with elapsed
 * and CPU time, with the out-value peak_bytes. 0 or a negative errno with `err`, as from
 * mm_given_new. */
int mm_given_whole_write(const char *path, const struct mm_given_whole *whole,
                         struct cca_error *err);

enum { MM_GIVEN_RANKS = 10000, MM_GIVEN_THREADS = 1 << 20, MM_GIVEN_METHODS = 65535 };

/* A finished invocation.
 *
 * Invocations of a thread are numbered from 1 in the order in which they began, so a
 * caller has a smaller number than its callees. Rows come in the order in which
 * invocations ended: callees before their caller. Exclusive times are computed from the
 * rows. */
struct mm_given_row {
    uint32_t method;  /* id of the method, from mm_given_method */
    int rank, thread; /* numbers of the rank and the thread, from 0 */
    /* number of the invocation; 0 stands for the next number, and is allowed only in rows
     * without callees */
    uint64_t invocation;
    uint64_t caller;      /* invocation number of the caller; 0: none */
    uint64_t start, wall; /* start and duration in ticks; start + wall at
                             most 2^63 - 1 */
    /* times inside MPI and on the CPU, ignored unless mm_given_about announces them */
    int64_t mpi_ns, cpu_ns;
    int status; /* how the call ended: MM_STATUS_* of layout.h */
    /* [in_count] in-values; an absent value is MONITOR_ABSENT */
    const union monitor_value *in;
    /* [out_count] out-values, ignored unless the status is MM_STATUS_DONE; an absent
     * value is MONITOR_ABSENT */
    const union monitor_value *out;
};

/* Choose the ticks per nanosecond for `count` times in ns, which are finite and not
 * negative: the smallest power of ten from 1 to 10^22 that represents decimal input
 * exactly, or else every time to a millionth of the smallest time; fewer ticks if the sum
 * of all times would need more than 62 bits. Returns 0 if the sum needs more than 62 bits
 * even in whole ns (292 years). */
double mm_given_ticks_per_ns(const double *times_ns, size_t count);

/* Begin an experiment at `path`, which must not exist, or must be an empty directory.
 * Returns a new struct, or NULL with `err`: -EEXIST; -EINVAL: a member of `about` is out
 * of bounds; -ENOMEM; or an I/O error, with the directory in the message. */
struct mm_given *mm_given_new(const char *path, const struct mm_given_about *about,
                              struct cca_error *err);

/* Declare a method for all ranks; `decl` is borrowed for the call. The methods determine
 * wiring.json: instances with their class and provided ports, no connections; an instance
 * with methods of two classes is omitted. Returns its id; -EINVAL: too many values, a
 * mode that is not int64, or in-values after out-values; -ENOSPC: too many methods;
 * -ENOMEM. */
int mm_given_method(struct mm_given *given, const struct monitor_method_decl *decl,
                    struct cca_error *err);

/* Return the temporary directory, in which the caller may put additional files; if the
 * experiment is not finished, plain files in it and in its folders are removed as well.
 * Borrowed until mm_given_free. */
const char *mm_given_folder(const struct mm_given *given);

/* Add a row. Returns 0; -EINVAL: no such method, rank or thread, a row that ends before
 * the previous row, or a caller that cannot be, because of the order of rows; -ENOMEM or
 * an I/O error, after which the experiment cannot be finished. */
int mm_given_row(struct mm_given *given, const struct mm_given_row *row,
                 struct cca_error *err);

/* Write the remaining data and rename the directory. Returns 0; -EINVAL: a caller has no
 * row; -EEXIST: `path` exists meanwhile; -ENOMEM or an I/O error. Only mm_given_free may
 * follow. */
int mm_given_finish(struct mm_given *given, struct cca_error *err);

/* Free the struct; if the experiment was not finished, its directory is removed. `given`
 * may be NULL. */
void mm_given_free(struct mm_given *given);

#endif
