/* SPDX-License-Identifier: BSD-3-Clause */
/* given_instances.h: the wiring implied by the methods of a given experiment. */
#ifndef MASTERMIND_WRITER_GIVEN_INSTANCES_H
#define MASTERMIND_WRITER_GIVEN_INSTANCES_H

#include "ports/monitor_port.h"

#include <jansson.h>

/* Instances of a given experiment; empty if zero-initialised. */
struct mm_given_instances {
    json_t *by_name; /* object of instance name to object of wiring.json, whose "ports" is
                        an object of port name to type */
};

/* Add the instance and port of a method. 0 or -ENOMEM. */
int mm_given_instances_add(struct mm_given_instances *instances,
                           const struct monitor_method_decl *decl);
/* The object of wiring.json, new; NULL: out of memory. Empties the instances. */
json_t *mm_given_instances_wiring(struct mm_given_instances *instances);
void mm_given_instances_done(struct mm_given_instances *instances);

#endif
