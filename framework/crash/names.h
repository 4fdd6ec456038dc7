/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h: names of methods and functions for a crash report. */
#ifndef FRAMEWORK_CRASH_NAMES_H
#define FRAMEWORK_CRASH_NAMES_H

#include "framework/framework.h"

/* Collect the methods of all port types that instances provide, from the proxies on the
 * path. Without memory they stay unknown. */
void ccafe_names_learn(const struct cca_framework *framework);

/* As the functions of struct cca_fault. */
const char *ccafe_name_of_method(const char *port_type, size_t number);
/* From the file's own table of symbols, which a stripped file has not; of a C++ function
 * "space::Class::function". */
const char *ccafe_name_of_function(const char *file, uintptr_t base, uintptr_t offset);

#endif
