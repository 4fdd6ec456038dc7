/* SPDX-License-Identifier: BSD-3-Clause */
/* parameters.h: the parameters of a run in experiment.json: variables, set, classes. */
#ifndef MASTERMIND_COMPONENT_PARAMETERS_H
#define MASTERMIND_COMPONENT_PARAMETERS_H

#include <jansson.h>

/* Update the members of `about`.
 *
 *   variables, set  in  the main program's properties of these names, JSON objects of
 *                       strings; NULL, or another text: no member
 *   assembly        in  of struct mm_wiring
 *
 * Returns 1: a member has changed; 0; -ENOMEM. */
int mm_parameters_update(json_t *about, const char *variables, const char *set,
                         const json_t *assembly);

#endif
