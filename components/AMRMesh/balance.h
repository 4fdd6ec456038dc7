/* SPDX-License-Identifier: BSD-3-Clause */
/* balance.h: which rank has which patch, by the patches' costs. */
#ifndef COMPONENTS_AMRMESH_BALANCE_H
#define COMPONENTS_AMRMESH_BALANCE_H

#include "components/AMRMesh/boxes/layout.h"
#include "ports/cca_error.h"

/* When to redistribute. */
struct balance_rule {
    int64_t every;   /* coarse steps, 0: never by this */
    int64_t at_step; /* after so many coarse steps; -1: never by this */
    double above;    /* where the imbalance is above it; 0: never by this */
};

/* Read a rule: `never`, or words joined by commas, each at most once: every:N (N >= 1),
 * at:STEP (>= 0), above:RATIO (>= 1). 0; -EINVAL with `err`, and the rule is undefined.
 */
int balance_rule_read(const char *text, struct balance_rule *rule, struct cca_error *err);

/* The cost of one step of a patch: its cells. A measured cost will take its place. */
double patch_cost(struct box box);

/* How far the busiest ranks are above the mean: the sum over levels of the largest load
 * of a rank, each level weighed by its steps, over the sum of the mean loads; 1 is
 * perfect. `layouts` are those of `levels` levels. < 0: -ENOMEM. */
double balance_imbalance(const struct layout *const *layouts, int levels, int ranks);

/* The decision, asked before each coarse step; `step` of them have been made. */
int balance_due(const struct balance_rule *rule, int64_t step, double imbalance);

/* Give the tiles of a level to ranks: the dearest first, each to the rank that has least
 * so far, the lowest of equals. All ranks get the same answer. 0 or -ENOMEM. */
int balance_assign(struct layout *layout, int ranks);

#endif
