/* SPDX-License-Identifier: BSD-3-Clause */
/* property_port.h: a performance property as a component: it finds one kind of problem in
 * runs.
 *
 * `mastermind properties` finds such components on the class path (--path DIR) and
 * evaluates them like property files. Each call runs in a child process with a deadline
 * and limits, so a crash does no harm to the program. The component may read the data of
 * the runs and give answers; it cannot write files.
 *
 * Source: class Property (holds, severity, confidence), Figure 5 of Fahringer and
 * Seragiotto, SC2001. */
#ifndef PORTS_PROPERTY_PORT_H
#define PORTS_PROPERTY_PORT_H

#include "ports/cca_port.h"

#define PROPERTY_PORT_TYPE "mastermind.PropertyPort/1"

/* Kind of the object about which an answer is. */
enum property_object {
    PROPERTY_OF_SUMMARY,    /* a region on one processing unit */
    PROPERTY_OF_REGION,     /* a region in a run */
    PROPERTY_OF_EXPERIMENTS /* a region in a run, against the sequential run */
};

/* Description of a property. Strings are the component's, valid while it lives. */
struct property_about {
    const char *name; /* name of the property: letters, digits and _, at most 64 */
    const char *doc;  /* one line that states which share of which time the severity is */
    enum property_object object;
    int share_of_region; /* true: severities are shares of the region's own time, as for
                            load imbalance; false: shares of the basis region's time */
    const char *because; /* names of properties that may be causes of this one, separated
                            by ','; or NULL */
};

/* An answer. Its ids are ids in the store; 0: none. Strings are copied. */
struct property_answer {
    int64_t experiment, region, unit;
    const char *detail; /* further detail of the object, such as "rank 1 < rank 2" (rank 1
                           receives from rank 2); or NULL */
    int holds;          /* 1: the property holds, 0: it does not, -1: it could not be
                         * evaluated */
    double severity;    /* severity of the property, usually 0 to 1; NaN if holds is -1 */
    double confidence;  /* probability that the property holds; NaN: `mastermind
                           properties` computes it from repeated runs and batches */
    const char *reason; /* reason why the property could not be evaluated, if holds is
                         * -1; else NULL */
};

/* Rows that are being read by the functions of struct property_data. */
struct property_rows;

/* The data that a property may read, and the function for its answers. Owned by the
 * caller; valid during `evaluate`. */
struct property_data {
    /* [run_count] ids in the store of the runs to evaluate. Runs that lack data named by
     * requires_data are left out: `mastermind properties` answers for them. */
    const int64_t *runs;
    size_t run_count;
    int64_t sequential; /* id of the run to compare parallel runs with; 0: none */
    int64_t basis; /* id of the basis: the region of whose time severities are shares; 0:
                      each run's own, member `root` of the table experiment */

    /* Begin to read columns of a table or view of the store
     * (docs/reference/property-files.md): `columns` are names separated by ','. Rows of
     * runs that are not in `runs` are left out; other rows are sorted by experiment,
     * region and unit, if the table has these columns. The result is new, freed by `end`;
     * NULL with `err`: -EINVAL: no such table or column, with the nearest name; -EIO;
     * -ENOMEM. */
    struct property_rows *(*rows)(struct property_data *self, const char *table,
                                  const char *columns, struct cca_error *err);
    /* Go to the next row. Returns 1: there is one, 0: there is none, or -EIO. */
    int (*next)(struct property_rows *rows);
    /* Return the value of column `column`, counted from 0, of the current row as a
     * number; NaN if it is NULL or a text. */
    double (*number)(const struct property_rows *rows, int column);
    /* Return the value of a column of the current row as a whole number, such as an id; 0
     * if it is not a whole number. */
    int64_t (*id)(const struct property_rows *rows, int column);
    /* Return the value of a column of the current row as text, borrowed until the next
     * call of `next`; NULL if it is NULL. */
    const char *(*text)(struct property_rows *rows, int column);
    void (*end)(struct property_rows *rows);

    /* Give an answer. Returns 0; -EPIPE: no more answers are accepted, return soon. */
    int (*answer)(struct property_data *self, const struct property_answer *answer);
};

struct property_port {
    struct cca_port base;

    /* Describe the property. Returns 0, or a negative errno with `err`. */
    int (*describe)(struct property_port *self, struct property_about *about,
                    struct cca_error *err);
    /* Return the names of the data that the property needs: columns of the view rs,
     * "exec_time"; tables, "message"; counters, "counter.PAPI_L2_TCM"; the sequential
     * run, "sequential". The array is borrowed and ends with NULL; NULL: the property
     * needs no such data. For a run that lacks one of them the answer is "not evaluated",
     * with the reason. */
    const char *const *(*requires_data)(struct property_port *self);
    /* Evaluate all of `data->runs`, once. Returns 0, or a negative errno with `err`: no
     * run was evaluated. */
    int (*evaluate)(struct property_port *self, struct property_data *data,
                    struct cca_error *err);
};

#endif
