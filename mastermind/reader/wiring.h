/* SPDX-License-Identifier: BSD-3-Clause */
/* wiring.h: the assembly of an experiment: instances, their ports and qualities,
 * connections. */
#ifndef MASTERMIND_READER_WIRING_H
#define MASTERMIND_READER_WIRING_H

#include <stddef.h>

struct mm_wiring_port {
    const char *name, *type;
};

enum mm_compose { MM_COMPOSE_MAX, MM_COMPOSE_MIN, MM_COMPOSE_SUM };

struct mm_quality {
    const char *name, *command; /* command may be "" */
    double value;
    enum mm_compose compose;
};

struct mm_instance {
    const char *name, *class_name, *build_id;
    struct mm_wiring_port *provides, *uses;
    struct mm_quality *qualities;
    size_t provides_count, uses_count, quality_count;
};

struct mm_connection {
    const char *user, *uses, *provider, *provides;
};

struct mm_wiring {
    struct mm_instance *instances;
    struct mm_connection *connections;
    size_t instance_count, connection_count;
};

/* Borrowed, or NULL. */
const struct mm_instance *mm_wiring_instance(const struct mm_wiring *wiring,
                                             const char *name);
const struct mm_quality *mm_instance_quality(const struct mm_instance *instance,
                                             const char *name);
const struct mm_wiring_port *mm_wiring_port_named(const struct mm_wiring_port *ports,
                                                  size_t count, const char *name);

#endif
