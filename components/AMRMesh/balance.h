/* SPDX-License-Identifier: BSD-3-Clause */
/* balance.h: distribute patches over ranks by cost. */
#ifndef COMPONENTS_AMRMESH_BALANCE_H
#define COMPONENTS_AMRMESH_BALANCE_H

#include "components/AMRMesh/boxes/layout.h"
#include "ports/cca_error.h"

/* Rule that states when to redistribute patches over ranks. */
struct balance_rule {
    int64_t every;   /* redistribute after each `every` coarse steps; 0: never for this
                        reason */
    int64_t at_step; /* redistribute once, after `at_step` coarse steps; -1: never for
                        this reason */
    double above;    /* redistribute if the imbalance is larger than `above`; 0: never for
                        this reason */
};

/* Read a rule: `never`, or words separated by commas, each at most once: every:N (N >=
 * 1), at:STEP (>= 0), above:RATIO (>= 1). Returns 0; -EINVAL with `err`, and the rule is
 * undefined. */
int balance_rule_read(const char *text, struct balance_rule *rule, struct cca_error *err);

/* Return the cost of a patch in one step: its number of cells. */
double patch_cost(struct box box);

/* Compute the imbalance: the sum over levels of the largest load of a rank, weighted by
 * the level's steps, divided by the same sum of mean loads; 1 is perfect. `layouts` has
 * `levels` levels. Returns -ENOMEM if memory is lacking. */
double balance_imbalance(const struct layout *const *layouts, int levels, int ranks);

/* True if the rule redistributes now. Called before each coarse step; `step` steps have
 * been made. */
int balance_due(const struct balance_rule *rule, int64_t step, double imbalance);

/* Assign the tiles of a level to ranks: the most expensive first, each to the rank with
 * the least load so far (of equal loads the lowest rank). The result is the same on all
 * ranks. Returns 0 or -ENOMEM. */
int balance_assign(struct layout *layout, int ranks);

#endif
