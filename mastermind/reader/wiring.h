/* SPDX-License-Identifier: BSD-3-Clause */
/* wiring.h: the assembly of an experiment: instances, their ports and qualities,
 * connections. */
#ifndef MASTERMIND_READER_WIRING_H
#define MASTERMIND_READER_WIRING_H

#include <stddef.h>
#include <stdint.h>

struct mm_wiring_port {
    const char *name, *type;
};

enum mm_compose { MM_COMPOSE_MAX, MM_COMPOSE_MIN, MM_COMPOSE_SUM };

struct mm_quality {
    const char *name, *command; /* name of the quality, and its command, which may be
                                   "" */
    double value;
    enum mm_compose compose;
};

struct mm_instance {
    const char *name, *class_name, *build_id;
    const char *file; /* path of the class's shared object, or "" */
    struct mm_wiring_port *provides, *uses;
    struct mm_quality *qualities;
    size_t provides_count, uses_count, quality_count;
};

struct mm_connection {
    const char *user, *uses, *provider, *provides;
};

/* The value of a parameter at the start of a `go` command. */
struct mm_run_parameter {
    size_t go; /* number of the `go` command in the run, from 0 */
    /* the parameter's name "instance.port.name", and its value */
    const char *name, *text;
};

/* A `go` command of the run. */
struct mm_go {
    /* instance and port that it started; "" if the file lacks them */
    const char *instance, *port;
};

/* A swap of a class that the run has tried. */
struct mm_swap {
    const char *instance, *from, *to, *reason;
    const char *failure; /* "": the swap was made */
    const char *stage;   /* the last step of the swap */
    int64_t step;        /* number of steps that components had announced */
    double ns;           /* time of all its steps */
};

struct mm_wiring {
    struct mm_instance *instances;
    struct mm_connection *connections;
    struct mm_run_parameter *parameters; /* parameters, ordered by `go`, then by name */
    struct mm_go *gos;
    struct mm_swap *swaps; /* in order of time */
    size_t instance_count, connection_count, parameter_count, go_count, swap_count;
};

/* Differences between the parameters of two runs. Names are borrowed from either wiring.
 */
struct mm_parameter_difference {
    /* name of a parameter that differs or is absent in one run; "go" if the runs have
     * different numbers of `go` commands; NULL: none */
    const char *differs;
    /* name of a parameter whose value is the name of a file, which differs; NULL: none */
    const char *file;
};

/* Compare the parameters of two runs. Parameters of the instance `skip_a` in `a`, and of
 * `skip_b` in `b`, are not compared; either may be NULL. */
struct mm_parameter_difference mm_wiring_compare(const struct mm_wiring *a,
                                                 const struct mm_wiring *b,
                                                 const char *skip_a, const char *skip_b);

/* Find an instance; borrowed, or NULL. */
const struct mm_instance *mm_wiring_instance(const struct mm_wiring *wiring,
                                             const char *name);
const struct mm_quality *mm_instance_quality(const struct mm_instance *instance,
                                             const char *name);
const struct mm_wiring_port *mm_wiring_port_named(const struct mm_wiring_port *ports,
                                                  size_t count, const char *name);

#endif
