/* SPDX-License-Identifier: BSD-3-Clause */
/* AMRMesh.c: the class of a block-structured adaptive mesh that is distributed over
 * ranks.
 *
 * Boxes and owners of all patches are the same on every rank, values are on the owner
 * only. The cells that a level covers depend on the flags alone, and values that cross
 * patches or levels are computed from cells, so fields do not depend on patches, ranks or
 * owners, bit for bit. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "components/AMRMesh/parts.h"
#include "components/AMRMesh/balance.h"
#include "components/domain.h"
#include "components/patches.h"
#include "components/ranks.h"
#include "components/rebalance.h"
#include "ports/balance_port_signature.h"
#include "ports/ghost_port_signature.h"
#include "ports/mesh_port_signature.h"
#include "ports/prolong_restrict_port_signature.h"

struct amr_mesh {
    struct mesh_port mesh;
    struct cca_services *services;
    struct hierarchy h;
    int has_met;                                    /* true if ranks_meet was called */
    struct cca_use ranks, ghosts, prolong_restrict; /* held during a call */
};

static struct hierarchy *hierarchy_of(struct mesh_port *self)
{
    return &cca_container_of(self, struct amr_mesh, mesh)->h;
}

/* Get the ports that a collective method uses, until mesh_release. */
static struct amr_mesh *mesh_hold(struct mesh_port *self)
{
    struct amr_mesh *m = cca_container_of(self, struct amr_mesh, mesh);

    m->ranks = cca_use_begin(m->services, "exchange", 1);
    m->ghosts = cca_use_begin(m->services, "ghosts", 1);
    m->prolong_restrict = cca_use_begin(m->services, "prolong_restrict", 1);
    m->h.ranks.port = m->ranks.port;
    m->h.ports = (struct ports){m->ghosts.port, m->prolong_restrict.port};
    return m;
}

static void mesh_release(struct amr_mesh **held)
{
    struct amr_mesh *m = *held;

    m->h.ranks.port = NULL;
    m->h.ports = (struct ports){NULL, NULL};
    cca_use_end(&m->prolong_restrict);
    cca_use_end(&m->ghosts);
    cca_use_end(&m->ranks);
}

/* Attribute of a variable: release the mesh at the end of its block. */
#define mesh_autorelease __attribute__((cleanup(mesh_release)))

static int mesh_define(struct mesh_port *self, const struct mesh_domain *domain,
                       int ghost, struct cca_error *err)
{
    mesh_autorelease struct amr_mesh *m = mesh_hold(self);
    const struct define_rule rule = {
        .levels = (int)cca_services_param_long(m->services, "levels"),
        .patches = {cca_services_param_long(m->services, "patches_x"),
                    cca_services_param_long(m->services, "patches_y")},
        .most = {cca_services_param_long(m->services, "patch_nx"),
                 cca_services_param_long(m->services, "patch_ny")},
    };
    struct balance_rule balance;

    if (balance_rule_read(cca_services_param_string(m->services, "balance"), &balance,
                          err))
        return -EINVAL;
    if (ranks_meet(m->h.ranks.port, &m->has_met))
        return cca_error_set(err, -ECANCELED, "another rank has failed");
    return define(&m->h, domain, ghost, &rule, err);
}

static const struct mesh_domain *mesh_domain_of(struct mesh_port *self)
{
    return &hierarchy_of(self)->domain;
}

static int mesh_level_count(struct mesh_port *self)
{
    return hierarchy_of(self)->level_count;
}

static int mesh_ratio(struct mesh_port *self, int level)
{
    (void)self;
    (void)level;
    return AMR_RATIO;
}

static const struct level *level_at(struct mesh_port *self, int level)
{
    const struct hierarchy *h = hierarchy_of(self);

    return level >= 0 && level < h->level_count ? &h->levels[level] : NULL;
}

static int mesh_patch_count(struct mesh_port *self, int level)
{
    const struct level *found = level_at(self, level);

    return found ? found->layout.local_count : 0;
}

static const struct mesh_patch *mesh_patch_at(struct mesh_port *self, int level,
                                              int index)
{
    const struct level *found = level_at(self, level);

    return !found || index < 0 || index >= found->layout.local_count
               ? NULL
               : &found->patches[index];
}

static int64_t mesh_cell_count(struct mesh_port *self, int level)
{
    const struct level *found = level_at(self, level);

    return found ? layout_cells(&found->layout) : 0;
}

static int mesh_box_count(struct mesh_port *self, int level)
{
    const struct level *found = level_at(self, level);

    return found ? found->layout.count : 0;
}

static int mesh_box_at(struct mesh_port *self, int level, int number,
                       struct mesh_box *box)
{
    const struct level *found = level_at(self, level);
    const struct tile *tile;

    if (!found || number < 0 || number >= found->layout.count)
        return -EINVAL;
    tile = &found->layout.tiles[number];
    *box = (struct mesh_box){tile->box.ilo, tile->box.jlo, box_nx(tile->box),
                             box_ny(tile->box), tile->rank};
    return 0;
}

static int mesh_size(struct mesh_port *self, int level, int64_t *cells, int64_t *faces,
                     int64_t *patches, int64_t *bytes)
{
    const struct level *found = level_at(self, level);
    int64_t sum = 0;

    if (!found)
        return -EINVAL;
    for (int f = 0; f < hierarchy_of(self)->field_count; f++)
        sum += store_bytes(&found->fields[f], &found->layout) +
               store_bytes(&found->olds[f], &found->layout);
    patches_size(found->patches, found->layout.local_count, sum, cells, faces, patches,
                 bytes);
    return 0;
}

/* --- Fields ---------------------------------------------------------------- */

static int mesh_field_new(struct mesh_port *self, const char *name, int components,
                          enum mesh_field_kind kind, struct cca_error *err)
{
    struct hierarchy *h = hierarchy_of(self);
    int code;

    if (domain_field_check(h->level_count, name, components, err))
        return -EINVAL;
    code = hierarchy_add_field(h, name, components, kind);
    if (code < 0)
        cca_error_set(err, code,
                      "out of memory for field '%s' on %" PRId64 " x %" PRId64 " cells",
                      name, h->domain.nx, h->domain.ny);
    return code;
}

static double *mesh_field_at(struct mesh_port *self, int level, int index, int field)
{
    const struct hierarchy *h = hierarchy_of(self);

    if (!hierarchy_has(h, level, field) || index < 0 ||
        index >= h->levels[level].layout.local_count)
        return NULL;
    return h->levels[level].fields[field].data[index];
}

static int mesh_exchange(struct mesh_port *self, int level, int field, double fraction,
                         int64_t *cells, int64_t *bytes, int64_t *peers)
{
    mesh_autorelease struct amr_mesh *m = mesh_hold(self);
    struct exchanged done;
    int code = hierarchy_has(&m->h, level, field)
                   ? ghosts_exchange(&m->h, level, field, fraction, &done)
                   : -EINVAL;

    if (code)
        return code;
    if (cells)
        *cells = done.cells;
    if (bytes)
        *bytes = done.bytes;
    if (peers)
        *peers = done.peers;
    return 0;
}

static int mesh_keep_old(struct mesh_port *self, int level, int field)
{
    struct hierarchy *h = hierarchy_of(self);

    return hierarchy_has(h, level, field) ? hierarchy_keep_old(h, level, field) : -EINVAL;
}

static int mesh_restrict_level(struct mesh_port *self, int level, int field)
{
    mesh_autorelease struct amr_mesh *m = mesh_hold(self);

    return hierarchy_has(&m->h, level, field) ? hierarchy_restrict(&m->h, level, field)
                                              : -EINVAL;
}

static int mesh_register_flux(struct mesh_port *self, int level, int index, int axis,
                              const double *flux, double dt_s)
{
    struct hierarchy *h = hierarchy_of(self);
    struct level *found;

    if (!mesh_patch_at(self, level, index) || axis < 0 || axis > 1)
        return -EINVAL;
    found = &h->levels[level];
    if (level)
        registers_add_fine(&found->registers, &found->layout, index, axis, flux, dt_s);
    if (level + 1 < h->level_count)
        registers_add_coarse(&found[1].registers, &found->layout, index, axis, flux,
                             dt_s);
    return 0;
}

static int mesh_reflux(struct mesh_port *self, int level, int field)
{
    mesh_autorelease struct amr_mesh *m = mesh_hold(self);

    return hierarchy_has(&m->h, level, field) ? hierarchy_reflux(&m->h, level, field)
                                              : -EINVAL;
}

static int mesh_gather(struct mesh_port *self, int level, int field, double *values)
{
    mesh_autorelease struct amr_mesh *m = mesh_hold(self);

    return hierarchy_has(&m->h, level, field)
               ? hierarchy_gather(&m->h, level, field, values)
               : -EINVAL;
}

/* --- New patches, new owners ----------------------------------------------- */

static int mesh_regrid(struct mesh_port *self, int level, int flags, int64_t *moved,
                       struct cca_error *err)
{
    mesh_autorelease struct amr_mesh *m = mesh_hold(self);
    int64_t received = 0;
    struct regrid_rule rule = {
        .levels = (int)cca_services_param_long(m->services, "levels"),
        .efficiency = cca_services_param_double(m->services, "efficiency"),
        .nx = cca_services_param_long(m->services, "patch_nx"),
        .ny = cca_services_param_long(m->services, "patch_ny"),
        .buffer = (int)cca_services_param_long(m->services, "buffer"),
        .moved = &received,
    };
    int code;

    if (!hierarchy_has(&m->h, level, flags))
        return cca_error_set(err, -EINVAL, "no level %d or no field %d to regrid by",
                             level, flags);
    code = regrid(&m->h, level, flags, &rule);
    if (code < 0)
        return cca_error_set(err, code, "cannot regrid above level %d: %s", level,
                             strerror(-code));
    if (moved)
        *moved = received;
    return code;
}

static int mesh_adopt(struct mesh_port *self, int level, const struct mesh_box *boxes,
                      int count, struct cca_error *err)
{
    mesh_autorelease struct amr_mesh *m = mesh_hold(self);

    return adopt(&m->h, level, (int)cca_services_param_long(m->services, "levels"), boxes,
                 count, err);
}

/* Redistribute patches if the rule in parameter `balance` requires it. Returns 1 if
 * patches have moved, 0, or a negative errno. */
static int balance_by_rule(struct amr_mesh *m, int64_t step, int64_t *received,
                           struct cca_error *err)
{
    struct balance_rule rule;
    const struct layout *layouts[AMR_LEVELS];
    double imbalance;
    int code =
        balance_rule_read(cca_services_param_string(m->services, "balance"), &rule, err);

    if (code)
        return code;
    for (int l = 0; l < m->h.level_count; l++)
        layouts[l] = &m->h.levels[l].layout;
    imbalance = balance_imbalance(layouts, m->h.level_count, m->h.ranks.size);
    if (imbalance < 0.)
        return -ENOMEM;
    return m->h.ranks.size > 1 && balance_due(&rule, step, imbalance)
               ? redistribute(&m->h, NULL, received)
               : 0;
}

static int mesh_balance(struct mesh_port *self, int64_t step, int64_t *moved,
                        struct cca_error *err)
{
    mesh_autorelease struct amr_mesh *m = mesh_hold(self);
    CCA_USE_OPTIONAL(struct balance_port, port, m->services, "balance");
    int64_t received = 0;
    int code = port && m->h.level_count
                   ? redistribute_as_told(&m->h, port, step, &received, err)
                   : balance_by_rule(m, step, &received, err);

    if (code < 0)
        return cca_error_set(err, code, "cannot redistribute patches: %s",
                             strerror(-code));
    if (moved)
        *moved = received;
    return code;
}

static double mesh_minimum(struct mesh_port *self, double value)
{
    return ranks_minimum(cca_container_of(self, struct amr_mesh, mesh)->services, value);
}

static int mesh_rank(struct mesh_port *self)
{
    return ranks_rank(cca_container_of(self, struct amr_mesh, mesh)->services);
}

static const struct mesh_port mesh_methods = {
    .base = {MESH_PORT_TYPE, sizeof(struct mesh_port)},
    .define = mesh_define,
    .domain = mesh_domain_of,
    .level_count = mesh_level_count,
    .ratio = mesh_ratio,
    .patch_count = mesh_patch_count,
    .patch = mesh_patch_at,
    .cell_count = mesh_cell_count,
    .box_count = mesh_box_count,
    .box = mesh_box_at,
    .size = mesh_size,
    .field_new = mesh_field_new,
    .field = mesh_field_at,
    .exchange = mesh_exchange,
    .keep_old = mesh_keep_old,
    .restrict_level = mesh_restrict_level,
    .register_flux = mesh_register_flux,
    .reflux = mesh_reflux,
    .regrid = mesh_regrid,
    .adopt = mesh_adopt,
    .balance = mesh_balance,
    .minimum = mesh_minimum,
    .rank = mesh_rank,
    .gather = mesh_gather,
};

static void mesh_destroy(void *self)
{
    struct amr_mesh *m = self;

    hierarchy_clear(&m->h);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct amr_mesh, services),
    .name = "AMRMesh",
    .summary = "adaptive mesh: levels of patches around flagged cells, shared by ranks",
    CCA_SIGNATURES(MESH_PORT_SIGNATURE, BALANCE_PORT_SIGNATURE, GHOST_PORT_SIGNATURE,
                   PROLONG_RESTRICT_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"mesh", offsetof(struct amr_mesh, mesh), &mesh_methods.base}),
    CCA_USES(RANKS_USES, REBALANCE_USES,
             CCA_REQUIRED("ghosts", GHOST_PORT_TYPE, struct ghost_port),
             CCA_PORT("prolong_restrict", PROLONG_RESTRICT_PORT_TYPE,
                      struct prolong_restrict_port)),
    CCA_PARAMS({"levels", CCA_LONG, "3", "1", "8", NULL, NULL,
                "levels at most; each is finer than the one below by 2", NULL},
               {"efficiency", CCA_DOUBLE, "0.7", "0.01", "1", NULL, NULL,
                "part of a cluster's cells that is flagged, at least", NULL},
               {"buffer", CCA_LONG, "2", "0", "1000", NULL, "cells",
                "flags grow by so many cells, so that waves stay on their level until "
                "the next regrid",
                NULL},
               {"patches_x", CCA_LONG, "1", "1", "1000000", NULL, NULL,
                "patches of level 0 side by side in x", NULL},
               {"patches_y", CCA_LONG, "1", "1", "1000000", NULL, NULL,
                "patches of level 0 side by side in y", NULL},
               {"patch_nx", CCA_LONG, "0", "0", NULL, NULL, "cells",
                "cut where a patch would have more cells in x; 0: any number", NULL},
               {"patch_ny", CCA_LONG, "0", "0", NULL, NULL, "cells",
                "cut where a patch would have more cells in y; 0: any number", NULL},
               {"balance", CCA_STRING, "never", NULL, NULL, NULL, NULL,
                "redistribute patches over ranks where the port balance is not "
                "connected: never, or words joined by commas: "
                "every:N steps of level 0, at:STEP, above:RATIO of the "
                "busiest ranks' cost to the mean",
                NULL}),
    .destroy = mesh_destroy,
};
