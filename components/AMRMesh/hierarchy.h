/* SPDX-License-Identifier: BSD-3-Clause */
/* hierarchy.h: the levels of an adaptive mesh and the fields on them. */
#ifndef COMPONENTS_AMRMESH_HIERARCHY_H
#define COMPONENTS_AMRMESH_HIERARCHY_H

#include "components/AMRMesh/average.h"
#include "components/AMRMesh/ghosts.h"
#include "components/AMRMesh/registers.h"
#include "ports/mesh_port.h"

enum { AMR_LEVELS = MESH_LEVELS };

/* Tags of messages by purpose. */
enum { TAG_MEANS = 1, TAG_FLUXES, TAG_MOVE, TAG_GATHER };

/* Ports of components that do a part of the work, held during a collective call; NULL:
 * not connected. */
struct ports {
    struct ghost_port *ghosts;
    struct prolong_restrict_port *prolong_restrict;
};

struct field {
    char *name;
    int components;
    enum mesh_field_kind kind;
};

struct level {
    struct space space;
    struct layout layout;
    struct mesh_patch *patches;  /* this rank's patches */
    struct store *fields, *olds; /* [fields of the hierarchy] current and old values of
                                  * each field; `data` of old values may be NULL */
    struct ghosts ghosts;        /* plan by which ghost cells are filled */
    struct average average;      /* averages to the coarser level */
    struct registers registers;  /* flux registers at the border to the coarser level */
};

struct hierarchy {
    struct ranks ranks;
    struct ports ports;
    int64_t stamp; /* serial number of the last plan of ghost cells */
    struct mesh_domain domain;
    int ghost;
    int level_count;
    struct level levels[AMR_LEVELS];
    int field_count;
    struct field *fields;
};

/* Free all levels and fields. */
void hierarchy_clear(struct hierarchy *h);

/* Make a field on all levels, zeroed. Returns its id or -ENOMEM. */
int hierarchy_add_field(struct hierarchy *h, const char *name, int components,
                        enum mesh_field_kind kind);
int hierarchy_has(const struct hierarchy *h, int level, int field);

/* Make a level of `layout` (stolen) with zeroed fields; level_done frees them. Returns 0
 * or -ENOMEM. */
int level_init(const struct hierarchy *h, struct level *level, int l,
               struct layout *layout);
void level_done(struct level *level, int field_count);
/* Remove the levels `count` and above. */
void hierarchy_truncate(struct hierarchy *h, int count);
/* Plan ghost cells, averages and registers of the levels from `first` on. Returns 0 or a
 * negative errno. */
int hierarchy_link(struct hierarchy *h, int first);

/* Store the current values of a field as old values: implements `keep_old` of the mesh
 * port. */
int hierarchy_keep_old(struct hierarchy *h, int l, int field);
int hierarchy_restrict(struct hierarchy *h, int l, int field);
int hierarchy_reflux(struct hierarchy *h, int l, int field);
int hierarchy_gather(struct hierarchy *h, int l, int field, double *values);

#endif
