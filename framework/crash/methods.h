/* SPDX-License-Identifier: BSD-3-Clause */
/* methods.h: read the methods of a port type from its generated proxy library as data;
 * also the functions of interposition libraries, and wrapped tables. */
#ifndef FRAMEWORK_CRASH_METHODS_H
#define FRAMEWORK_CRASH_METHODS_H

#include "framework/classes/elf_file.h"
#include "ports/monitor_port.h"

/* A method of a port type. Strings are borrowed from `elf`. */
struct ccafe_method {
    const char *name;
    int unmeasured;
    struct monitor_value_decl
        values[MONITOR_MAX_IN + MONITOR_MAX_OUT]; /* measured values of the method;
                                                   * labels are not read */
    size_t value_count;
};

struct ccafe_methods {
    struct cca_elf_file elf;
    struct ccafe_method *items;
    size_t count;
    const char *type; /* type of the port or table; for an interposition library, the name
                         of its header */
};

/* Read the table of the proxy library `file`. Returns 0, or -1: it has no readable table.
 * Call ccafe_methods_done in either case. */
int ccafe_methods_read(struct ccafe_methods *methods, const char *file,
                       const char *port_type);
/* Like ccafe_methods_read for an interposition library, whose functions are the
 * methods. */
int ccafe_functions_read(struct ccafe_methods *functions, const char *file);
/* Like ccafe_methods_read for table `index` of a program or library that wraps tables. */
int ccafe_table_read(struct ccafe_methods *table, const char *file, size_t index);
void ccafe_methods_done(struct ccafe_methods *methods);

#endif
