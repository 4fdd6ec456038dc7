/* SPDX-License-Identifier: BSD-3-Clause */
/* donor.h: an experiment whose assembly is like the base's, vertex by vertex.
 *
 * A peer ran the classes of the base. A donor ran another class in a slot: its counts of
 * calls show what follows from the class. */
#ifndef MASTERMIND_FORECAST_COMPOSITE_FLOW_DONOR_H
#define MASTERMIND_FORECAST_COMPOSITE_FLOW_DONOR_H

#include "mastermind/counts/profile/profile.h"

#define MM_NO_VERTEX SIZE_MAX

/* An instance and the class to put there. */
struct mm_substitution {
    const char *instance, *class_name;
};

struct mm_donor {
    const struct mm_profile *profile, *base;
    size_t *base_of;    /* [vertices of the donor] vertex of the base or MM_NO_VERTEX */
    size_t *vertex_of;  /* [vertices of the base] vertex of the donor or MM_NO_VERTEX */
    unsigned char *has; /* [substitutions] it ran that class in that slot */
    size_t has_count;
    size_t others;       /* further instances of the base that had another class */
    const char *differs; /* a run parameter that differs; NULL: all are equal */
    const char *file;    /* one that names another file, which is taken to not matter */
    struct mm_key_pair *pairs; /* keys where the in-values have another order */
    size_t pair_count;
    struct mm_node_point *index; /* all points of the donor, by node */
    size_t index_count;
};

struct mm_node_point {
    struct mm_call_node node;
    const struct mm_point *point;
};

/* Compare `profile` with `base`; `base` itself is a peer. 0 or -ENOMEM; mm_donor_done. */
int mm_donor_init(struct mm_donor *donor, const struct mm_profile *base,
                  const struct mm_profile *profile,
                  const struct mm_substitution *substitutions, size_t count);
void mm_donor_done(struct mm_donor *donor);

/* The instance of a profile that has the class of a substitution in its slot, or under
 * another name where there is no such slot; NULL: none. Borrowed. */
const char *mm_substitute(const struct mm_profile *profile,
                          const struct mm_substitution *substitution);

/* The donor's node of a node of the base, or the other way; 0 where there is none. */
int mm_donor_node(const struct mm_donor *donor, const struct mm_call_node *base,
                  struct mm_call_node *own);
int mm_donor_base_node(const struct mm_donor *donor, const struct mm_call_node *own,
                       struct mm_call_node *base);

/* The point of a node of the donor; NULL: none. */
const struct mm_point *mm_donor_point(const struct mm_donor *donor,
                                      const struct mm_call_node *own);
/* The in-values of `from` in the order of `to`. 0, or 1 + index of a value of `to` that
 * `from` lacks. */
size_t mm_values_map(const struct mm_method_info *to, const struct mm_method_info *from,
                     const union monitor_value *in, union monitor_value *mapped);

#endif
