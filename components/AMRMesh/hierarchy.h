/* SPDX-License-Identifier: BSD-3-Clause */
/* hierarchy.h: the levels of an adaptive mesh and the fields on them. */
#ifndef COMPONENTS_AMRMESH_HIERARCHY_H
#define COMPONENTS_AMRMESH_HIERARCHY_H

#include "components/AMRMesh/average.h"
#include "components/AMRMesh/registers.h"
#include "ports/mesh_port.h"

enum { AMR_LEVELS = MESH_LEVELS };

/* Messages of one kind have one tag. */
enum { TAG_GHOSTS = 1, TAG_UNDER, TAG_MEANS, TAG_FLUXES, TAG_MOVE, TAG_GATHER };

struct field {
    char *name;
    int components;
    enum mesh_field_kind kind;
};

struct level {
    struct space space;
    struct layout layout;
    struct mesh_patch *patches;  /* this rank's */
    struct store *fields, *olds; /* [fields of the hierarchy]; old: data may be NULL */
    struct transfer siblings;    /* ghost cells from the same level */
    struct prolongation ghosts;  /* ghost cells from the coarser level */
    struct average average;      /* means to the coarser level */
    struct registers registers;  /* of the border to the coarser level */
};

struct hierarchy {
    struct ranks ranks;
    struct mesh_domain domain;
    int ghost;
    int level_count;
    struct level levels[AMR_LEVELS];
    int field_count;
    struct field *fields;
};

/* Free all levels and fields. */
void hierarchy_clear(struct hierarchy *h);

/* Make a field on all levels, zeroed. Its id or -ENOMEM. */
int hierarchy_add_field(struct hierarchy *h, const char *name, int components,
                        enum mesh_field_kind kind);
int hierarchy_has(const struct hierarchy *h, int level, int field);

/* Put `layout` (stolen, also on failure; shared) in place of level `l`, or on top where
 * there is none. Kept fields come from the old patches and where those had none, from the
 * coarser level; scratch fields are zeroed; old values are gone. Call hierarchy_link when
 * all levels are there.
 *
 *   moved  in, out  plus the cells of one field that came from other ranks' old patches
 *
 * 0 or a negative errno. Collective. */
int hierarchy_replace(struct hierarchy *h, int l, struct layout *layout, int64_t *moved);
/* Remove the levels from `count` on. */
void hierarchy_truncate(struct hierarchy *h, int count);
/* Plan ghost cells, means and registers of the levels from `first` on. 0 or -ENOMEM. */
int hierarchy_link(struct hierarchy *h, int first);

/* What one exchange did on this rank. */
struct exchanged {
    int64_t cells, bytes; /* filled; of messages sent and received */
    int peers;
};

/* As in the mesh port. */
int hierarchy_exchange(struct hierarchy *h, int l, int field, double fraction,
                       struct exchanged *done);
int hierarchy_keep_old(struct hierarchy *h, int l, int field);
int hierarchy_restrict(struct hierarchy *h, int l, int field);
int hierarchy_reflux(struct hierarchy *h, int l, int field);
int hierarchy_gather(struct hierarchy *h, int l, int field, double *values);

#endif
