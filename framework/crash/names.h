/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h: find names of methods and functions for a crash report. */
#ifndef FRAMEWORK_CRASH_NAMES_H
#define FRAMEWORK_CRASH_NAMES_H

#include "framework/framework.h"

/* Collect the methods of all port types that instances provide, from the proxies on the
 * path. Without memory they remain unknown. */
void ccafe_names_learn(const struct cca_framework *framework);

/* Return the functions that find names for struct cca_fault (framework.h). */
const char *ccafe_name_of_method(const char *port_type, size_t number);
/* Read the name of a function from the file's symbol table, which stripped files lack;
 * for a C++ function "space::Class::function". */
const char *ccafe_name_of_function(const char *file, uintptr_t base, uintptr_t offset);

#endif
