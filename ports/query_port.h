/* SPDX-License-Identifier: BSD-3-Clause */
/* query_port.h: ask the Mastermind about the run so far, while it runs.
 *
 * An answer is the JSON document that the program `mastermind` prints for the same rows.
 * Connecting the port loads the analysis; a run without a connection does not have it. */
#ifndef PORTS_QUERY_PORT_H
#define PORTS_QUERY_PORT_H

#include "ports/cca_port.h"

#define QUERY_PORT_TYPE "mastermind.QueryPort/1"

/* The cost of one call by its model, in nanoseconds of own time: exclusive, and without
 * the time that the host took. A value that is not known is a NaN. */
struct query_cost {
    double typical_ns;      /* by the formula */
    double mean_ns;         /* for sums over many calls */
    double low_ns, high_ns; /* 95 % of calls */
    double beyond; /* 1: inside the measured sizes; else a factor by which the call is
                      outside */
};

struct query_port {
    struct cca_port base;

    /* Answer a verb of `mastermind` about this run: all calls that ended before, on all
     * ranks whose files this process can read.
     *
     *   verb    in   model, graph (the dual), predict, whatif or choose
     *   words   in   [count] further arguments, as on the command line: experiments and
     *                repositories beside this run, changes of whatif, and options that
     *                neither write files nor start programs. The run itself and --json
     *                are added
     *   count   in
     *   answer  out  the document, text of JSON; new, the caller frees it with free()
     *   err     out  one line, may be NULL
     *
     * Returns 0; 1: the answer is no, as the program's exit status 1; -EINVAL: wrong
     * verb, option or argument; -ENODATA: no call was recorded yet, or the rows do not
     * suffice; -EBADMSG: an experiment is damaged or lacks a name; -ENOMEM; -EIO. Not
     * collective. Any thread; one question is answered at a time, while other threads
     * record. The time of an answer is own time of the method that asks. */
    int (*ask)(struct query_port *self, const char *verb, const char *const *words,
               size_t count, char **answer, struct cca_error *err) CCA_UNMEASURED;

    /* Read the rows of this run and fit the models anew, for `cost`. Returns 0 or an
     * error of `ask`; the models are then as before. Any thread. */
    int (*refresh)(struct query_port *self, struct cca_error *err) CCA_UNMEASURED;

    /* The cost of one call by the models of the last `refresh`; the first call of `cost`
     * makes one if there was none. Equal to `mastermind model RUN --of-class CLASS --at
     * AT` on the same rows.
     *
     *   class_name  in   class of the component that is called
     *   method      in   name of the method; NULL: the class has one method with a model
     *   at          in   parameters and modes of the call, "Q=1000,axis=x"; "": none
     *   cost        out  caller's memory
     *   err         out  one line, may be NULL
     *
     * Returns 0 or an error of `ask`; -EINVAL also if several models answer. Any thread.
     * Takes microseconds. */
    int (*cost)(struct query_port *self, const char *class_name, const char *method,
                const char *at, struct query_cost *cost,
                struct cca_error *err) CCA_UNMEASURED;
};

#endif
