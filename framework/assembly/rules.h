/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.h: a file of dispatch rules as data. docs/guide/dispatch.md describes the file.
 *
 *     dispatch shock.FluxPort/1
 *     learn 1 %
 *     compute: GodunovScalar when axis = x and Q <= 640
 *       cost GodunovScalar 38.1 us +- 7 % at Q 310 power 1.02
 *       cost GodunovVector 61 us +- 11 % at Q 310 power 0.71
 *     compute: GodunovVector
 */
#ifndef FRAMEWORK_ASSEMBLY_RULES_H
#define FRAMEWORK_ASSEMBLY_RULES_H

#include "ports/dispatch_port.h"

struct cca_rules {
    char *text; /* text of the file, in which the words of the rules are */
    const char *port_type;
    struct dispatch_rule *items; /* in the order of the file */
    size_t count;
    struct dispatch_condition *conditions;
    size_t condition_count;
    struct dispatch_cost *costs; /* in the order of the file */
    size_t cost_count;
    double limit; /* share of the time that may be lost by learning; 0: rules stay */
    /* classes that rules and costs name, each once; the first is the class of the slot. A
     * target of a rule or cost is an index of this array. */
    const char **classes;
    size_t class_count;
};

/* Read the file `path`. `slot_class`, borrowed: the class that is target 0. Returns 0, or
 * a negative errno with `err` "PATH:LINE: found ..., expected ...". Free with
 * cca_rules_done in either case. */
int cca_rules_read(struct cca_rules *rules, const char *path, const char *slot_class,
                   struct cca_error *err);
void cca_rules_done(struct cca_rules *rules);

#endif
