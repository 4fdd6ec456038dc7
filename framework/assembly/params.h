/* SPDX-License-Identifier: BSD-3-Clause */
/* params.h: the current values of the parameters that a class declares. */
#ifndef FRAMEWORK_ASSEMBLY_PARAMS_H
#define FRAMEWORK_ASSEMBLY_PARAMS_H

#include "framework/base/base.h"
#include "framework/repository.h"

struct cca_params_item {
    const struct cca_param_decl *decl;
    void *copy; /* the copy of `decl` made by cca_params_add; or NULL */
    struct cca_param value;
};

struct cca_params {
    struct cca_params_item *items;
    size_t count;
};

/* Add the parameters of an array of declarations, borrowed, with their defaults. `who`:
 * the class, for messages. -EINVAL wrong declaration: a bad name, a name twice, a type
 * that parameters cannot have, bounds or a default that do not fit. Call cca_params_done
 * in any case. */
int cca_params_init(struct cca_params *params, const struct cca_param_decl *decls,
                    const char *who, struct cca_error *err);
/* Add one parameter, with a copy of its declaration. `who`: the instance. Errors as of
 * cca_params_init; then nothing is added. */
int cca_params_add(struct cca_params *params, const struct cca_param_decl *decl,
                   const char *who, struct cca_error *err);
/* Free the parameters, and reset the struct for further use. */
void cca_params_done(struct cca_params *params);

/* Find a parameter by name; NULL: none. */
const struct cca_param *cca_params_find(const struct cca_params *params, const char *name,
                                        const struct cca_param_decl **decl);
/* Set a parameter. Returns like `set` of parameter_port; `who`: the instance. */
int cca_params_set(struct cca_params *params, const char *name, const char *value,
                   const char *who, struct cca_error *err);

/* Check a value for a declared parameter. Returns like `set` of parameter_port. */
CCA_API int cca_params_check(const struct cca_param_decl *decl, const char *value,
                             const char *who, struct cca_error *err);

#endif
