/* SPDX-License-Identifier: BSD-3-Clause */
/* property_port.h: a property of performance as a component: what is wrong with runs.
 *
 * `mastermind properties` finds such components on the class path (--path DIR) and asks
 * them as it asks property files. Each call is made in a process of its own, with a
 * deadline and limits: what a component does to itself, it does to nobody else. It may
 * read the data of the runs and give answers; it cannot write into files.
 *
 * Source: class Property (holds, severity, confidence), Figure 5 of Fahringer and
 * Seragiotto, SC2001. */
#ifndef PORTS_PROPERTY_PORT_H
#define PORTS_PROPERTY_PORT_H

#include "ports/cca_port.h"

#define PROPERTY_PORT_TYPE "mastermind.PropertyPort/1"

/* What one answer is of. */
enum property_object {
    PROPERTY_OF_SUMMARY,    /* a region on a processing unit */
    PROPERTY_OF_REGION,     /* a region in a run */
    PROPERTY_OF_EXPERIMENTS /* a region in a run, against the sequential run */
};

/* How a property describes itself. Strings are the component's, valid while it lives. */
struct property_about {
    const char *name; /* letters, digits and _, at most 64 */
    const char *doc;  /* one line: severity is which share of what */
    enum property_object object;
    int share_of_region; /* 1: severities are shares of the region's own time, as a load
                            imbalance is; 0: of the basis */
    const char *because; /* names of properties that may be its causes, ',' between; or
                            NULL */
};

/* One answer; the numbers are those of the store, 0: none. Strings are copied. */
struct property_answer {
    int64_t experiment, region, unit;
    const char *detail; /* what else it is of, as "rank 1 < rank 2"; or NULL */
    int holds;          /* 1, 0; -1: it could not be evaluated */
    double severity;    /* 0 to 1 as a rule; NaN where holds is -1 */
    double confidence;  /* probability that it holds; NaN: none is stated, and the
                           product finds it from repeats and batches */
    const char *reason; /* where holds is -1: why; else NULL */
};

/* Rows under way; property_data says how they are walked. */
struct property_rows;

/* What a property may read, and where it answers. Of the host; valid during evaluate. */
struct property_data {
    /* The runs that are asked about, [run_count], by their numbers in the store. Runs
     * that lack what requires_data names are left out: the host answers for them. */
    const int64_t *runs;
    size_t run_count;
    int64_t sequential; /* the run that parallel ones are compared with; 0: none */
    int64_t basis; /* region that severities are shares of; 0: each run's `root` of the
                      table experiment */

    /* Begin to read columns of a table or view of the store (docs/reference/property-files.md): `columns`
     * are names with ',' between. Rows of other runs than those above are left out; they
     * come in the order of experiment, region, unit, as far as the table has these. New,
     * ended by end; NULL with `err`: -EINVAL no such table or column, with the nearest
     * name; -EIO, -ENOMEM. */
    struct property_rows *(*rows)(struct property_data *self, const char *table,
                                  const char *columns, struct cca_error *err);
    /* Go to the next row: 1 there is one, 0 there is none, -EIO. */
    int (*next)(struct property_rows *rows);
    /* Column `column`, from 0, of this row: a number, NaN where it is NULL or a text. */
    double (*number)(const struct property_rows *rows, int column);
    /* The same as a whole number, 0 where it is none: ids. */
    int64_t (*id)(const struct property_rows *rows, int column);
    /* The same as a text, borrowed until next; NULL where it is NULL. */
    const char *(*text)(struct property_rows *rows, int column);
    void (*end)(struct property_rows *rows);

    /* Give an answer. 0; -EPIPE: the host takes no more, end soon. */
    int (*answer)(struct property_data *self, const struct property_answer *answer);
};

struct property_port {
    struct cca_port base;

    /* Describe the property. 0, or a negative errno with `err`. */
    int (*describe)(struct property_port *self, struct property_about *about,
                    struct cca_error *err);
    /* What it needs: columns of the view rs, "exec_time"; tables, "message"; counters,
     * "counter.PAPI_L2_TCM"; the sequential run, "sequential". Borrowed, ended by NULL;
     * or NULL: nothing. Where a run lacks one, that is told with its reason. */
    const char *const *(*requires_data)(struct property_port *self);
    /* Evaluate all of `data->runs`, once. 0, or a negative errno with `err`: nothing was
     * evaluated. */
    int (*evaluate)(struct property_port *self, struct property_data *data,
                    struct cca_error *err);
};

#endif
