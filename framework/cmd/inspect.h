/* SPDX-License-Identifier: BSD-3-Clause */
/* inspect.h: print a class for `ccafe inspect`. */
#ifndef FRAMEWORK_CMD_INSPECT_H
#define FRAMEWORK_CMD_INSPECT_H

#include "framework/crash/methods.h"
#include "framework/classes/run_path.h"
#include "framework/repository.h"

struct ccafe_inspected {
    const struct cca_repository *repository;
    const struct cca_class_info *info;
    struct cca_run_path run_path;
};

void ccafe_inspect_text(const struct ccafe_inspected *inspected);
void ccafe_inspect_json(const struct ccafe_inspected *inspected);

/* Print one method, "compute(axis mode, Q = nx * ny, iterations out)", and a newline. */
void ccafe_inspect_text_method(const struct ccafe_method *method);
/* Print , "methods": [...] */
void ccafe_inspect_json_methods(const struct ccafe_methods *methods);

const char *ccafe_type_name(enum cca_type type);
const char *ccafe_compose_name(enum cca_compose compose);
/* Find the methods of a port type: in the proxy's own library, else in a proxy library on
 * the path. Returns 0, or -1: unknown. Call ccafe_methods_done in either case. */
int ccafe_inspect_methods(const struct cca_repository *repository,
                          const struct cca_class_info *info, const char *type,
                          struct ccafe_methods *methods);

#endif
