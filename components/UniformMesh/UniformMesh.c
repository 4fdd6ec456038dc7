/* SPDX-License-Identifier: BSD-3-Clause */
/* UniformMesh.c: a mesh of one level, cut into a grid of patches that are distributed
 * over ranks.
 *
 * Patches are numbered row by row over all ranks; each rank has one range of numbers.
 * Ghost cells are filled by region, not by neighbour, so that patches thinner than their
 * ghost layers and patches that are their own periodic neighbours need no special case.
 * The mesh computes nothing, so fields do not depend on patches, bit for bit. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "components/UniformMesh/parts.h"
#include "components/domain.h"
#include "components/patches.h"
#include "components/ranks.h"
#include "components/rebalance.h"
#include "ports/balance_port_signature.h"
#include "ports/mesh_port_signature.h"

static void field_done(struct field *field, int patch_count)
{
    field_data_free(field, patch_count);
    free(field->name);
}

static void mesh_clear(struct uniform_mesh *m)
{
    for (int i = 0; i < m->field_count; i++)
        field_done(&m->fields[i], m->patch_count);
    free(m->fields);
    free(m->patches);
    cut_done(&m->x);
    cut_done(&m->y);
    ghosts_done(&m->ghosts);
    m->fields = NULL;
    m->patches = NULL;
    m->field_count = 0;
    m->patch_count = 0;
    m->defined = 0;
}

/* Make the patches of this rank. Returns 0 or -ENOMEM. */
static int patches_share(struct uniform_mesh *m)
{
    CCA_USE_OPTIONAL(struct exchange_port, ranks, m->services, "exchange");
    int code = ghosts_init(&m->ghosts, &m->x, &m->y, ranks ? ranks->rank(ranks) : 0,
                           ranks ? ranks->size(ranks) : 1, NULL);

    if (!code)
        m->patches = patches_make(m, &m->ghosts);
    if (m->patches)
        m->patch_count = m->ghosts.count;
    return m->patches ? 0 : -ENOMEM;
}

static int mesh_define(struct mesh_port *self, const struct mesh_domain *domain,
                       int ghost, struct cca_error *err)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);
    int code = domain_check(domain, ghost, err);

    if (code)
        return code;
    mesh_clear(m);
    m->domain = *domain;
    m->ghost = ghost;
    code = cut_init(
        &m->x, 'x', domain->nx, cca_services_param_long(m->services, "patches_x"),
        cca_services_param_long(m->services, "patch_nx"), ghost, domain->periodic_x, err);
    if (!code)
        code = cut_init(&m->y, 'y', domain->ny,
                        cca_services_param_long(m->services, "patches_y"),
                        cca_services_param_long(m->services, "patch_ny"), ghost,
                        domain->periodic_y, err);
    if (!code && m->x.parts > INT_MAX / m->y.parts)
        code = cca_error_set(err, -EINVAL, "%d x %d patches are too many", m->x.parts,
                             m->y.parts);
    if (!code && patches_share(m))
        code = cca_error_set(err, -ENOMEM, "out of memory for %d x %d patches",
                             m->x.parts, m->y.parts);
    if (code) {
        mesh_clear(m);
        return code;
    }
    m->defined = 1;
    return 0;
}

static const struct mesh_domain *mesh_domain_of(struct mesh_port *self)
{
    return &cca_container_of(self, struct uniform_mesh, mesh)->domain;
}

static int mesh_level_count(struct mesh_port *self)
{
    return cca_container_of(self, struct uniform_mesh, mesh)->defined;
}

static int mesh_ratio(struct mesh_port *self, int level)
{
    (void)self;
    (void)level;
    return 1;
}

static int mesh_patch_count(struct mesh_port *self, int level)
{
    return level ? 0 : cca_container_of(self, struct uniform_mesh, mesh)->patch_count;
}

static const struct mesh_patch *mesh_patch_at(struct mesh_port *self, int level,
                                              int index)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);

    return level || index < 0 || index >= m->patch_count ? NULL : &m->patches[index];
}

static int64_t mesh_cell_count(struct mesh_port *self, int level)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);

    return level || !m->defined ? 0 : m->domain.nx * m->domain.ny;
}

static int mesh_box_count(struct mesh_port *self, int level)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);

    return level || !m->defined ? 0 : m->x.parts * m->y.parts;
}

static int mesh_box_at(struct mesh_port *self, int level, int number,
                       struct mesh_box *box)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);
    int count = mesh_box_count(self, level), column, row;

    if (number < 0 || number >= count)
        return -EINVAL;
    column = number % m->x.parts;
    row = number / m->x.parts;
    *box = (struct mesh_box){m->x.start[column], m->y.start[row], cut_size(&m->x, column),
                             cut_size(&m->y, row), m->ghosts.owners[number]};
    return 0;
}

static int mesh_size(struct mesh_port *self, int level, int64_t *cells, int64_t *faces,
                     int64_t *patches, int64_t *bytes)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);
    int64_t doubles = 0;

    if (level || !m->defined)
        return -EINVAL;
    for (int i = 0; i < m->patch_count; i++)
        for (int f = 0; f < m->field_count; f++)
            doubles += m->patches[i].plane * m->fields[f].components;
    patches_size(m->patches, m->patch_count, doubles * (int64_t)sizeof(double), cells,
                 faces, patches, bytes);
    return 0;
}

static int field_allocate(struct uniform_mesh *m, struct field *field)
{
    field->data = calloc((size_t)m->patch_count + 1, sizeof *field->data);
    if (!field->data)
        return -ENOMEM;
    for (int i = 0; i < m->patch_count; i++) {
        field->data[i] = calloc((size_t)m->patches[i].plane,
                                (size_t)field->components * sizeof(double));
        if (!field->data[i])
            return -ENOMEM;
    }
    return 0;
}

static int mesh_field_new(struct mesh_port *self, const char *name, int components,
                          enum mesh_field_kind kind, struct cca_error *err)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);
    struct field field = {.components = components, .kind = kind};

    if (domain_field_check(m->defined, name, components, err))
        return -EINVAL;
    field.name = strdup(name);
    if (!field.name ||
        cca_array_reserve(&m->fields, (size_t)m->field_count, sizeof field) ||
        ghosts_reserve(&m->ghosts, components) || field_allocate(m, &field)) {
        field_done(&field, m->patch_count);
        return cca_error_set(err, -ENOMEM,
                             "out of memory for field '%s' on %" PRId64 " x %" PRId64
                             " cells",
                             name, m->domain.nx, m->domain.ny);
    }
    m->fields[m->field_count] = field;
    return m->field_count++;
}

static int mesh_has(const struct uniform_mesh *m, int level, int field)
{
    return m->defined && level == 0 && field >= 0 && field < m->field_count;
}

static double *mesh_field_at(struct mesh_port *self, int level, int index, int field)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);

    if (!mesh_has(m, level, field) || index < 0 || index >= m->patch_count)
        return NULL;
    return m->fields[field].data[index];
}

/* Exchange ghost cells. Copies on this rank are made while messages are under way. */
static int mesh_exchange(struct mesh_port *self, int level, int field, double fraction,
                         int64_t *cells, int64_t *bytes, int64_t *peers)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, m->services, "exchange");
    const struct field *f;
    int64_t filled;
    int code = 0;

    (void)fraction; /* there is no coarser level to interpolate from */
    if (!mesh_has(m, level, field))
        return -EINVAL;
    f = &m->fields[field];
    if (ranks)
        code = ghosts_begin(&m->ghosts, ranks, m->patches, f->data, f->components);
    filled = ghosts_copy(&m->ghosts, &m->x, &m->y, m->patches, f->data, f->components);
    if (ranks && !code)
        code = ghosts_end(&m->ghosts, ranks, m->patches, f->data, f->components, &filled);
    if (code)
        return code;
    if (cells)
        *cells = filled;
    if (bytes)
        *bytes = ghosts_bytes(&m->ghosts, f->components);
    if (peers)
        *peers = ghosts_peers(&m->ghosts);
    return 0;
}

/* Implements keep_old, restrict_level and reflux, which do nothing here: one level has no
 * border between levels. */
static int mesh_nothing(struct mesh_port *self, int level, int field)
{
    return mesh_has(cca_container_of(self, struct uniform_mesh, mesh), level, field)
               ? 0
               : -EINVAL;
}

static int mesh_register_flux(struct mesh_port *self, int level, int index, int axis,
                              const double *flux, double dt_s)
{
    (void)axis;
    (void)flux;
    (void)dt_s;
    return mesh_patch_at(self, level, index) ? 0 : -EINVAL;
}

static int mesh_regrid(struct mesh_port *self, int level, int flags, int64_t *moved,
                       struct cca_error *err)
{
    if (mesh_nothing(self, level, flags))
        return cca_error_set(err, -EINVAL, "no level %d or no field %d to regrid by",
                             level, flags);
    if (moved)
        *moved = 0;
    return 0;
}

static int mesh_adopt(struct mesh_port *self, int level, const struct mesh_box *boxes,
                      int count, struct cca_error *err)
{
    (void)self;
    (void)boxes;
    (void)count;
    return cca_error_set(err, -EINVAL,
                         "patches given for level %d; a uniform mesh has level 0 only",
                         level);
}

/* Implements `balance`: patches have equal sizes and stay where they are, unless the
 * balance port moves them. */
static int mesh_balance(struct mesh_port *self, int64_t step, int64_t *moved,
                        struct cca_error *err)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);
    CCA_USE_OPTIONAL(struct balance_port, port, m->services, "balance");
    CCA_USE_OPTIONAL(struct exchange_port, ranks, m->services, "exchange");
    int64_t received = 0;
    int code =
        port && m->defined ? redistribute(m, port, ranks, step, &received, err) : 0;

    if (moved)
        *moved = received;
    return code;
}

static double mesh_minimum(struct mesh_port *self, double value)
{
    return ranks_minimum(cca_container_of(self, struct uniform_mesh, mesh)->services,
                         value);
}

static int mesh_rank(struct mesh_port *self)
{
    return ranks_rank(cca_container_of(self, struct uniform_mesh, mesh)->services);
}

static int mesh_gather(struct mesh_port *self, int level, int field, double *values)
{
    struct uniform_mesh *m = cca_container_of(self, struct uniform_mesh, mesh);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, m->services, "exchange");
    const struct field *f;

    if (!mesh_has(m, level, field))
        return -EINVAL;
    f = &m->fields[field];
    return gather(&(struct gathering){.x = &m->x,
                                      .y = &m->y,
                                      .ghosts = &m->ghosts,
                                      .patches = m->patches,
                                      .data = f->data,
                                      .components = f->components},
                  ranks, values);
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
    .keep_old = mesh_nothing,
    .restrict_level = mesh_nothing,
    .register_flux = mesh_register_flux,
    .reflux = mesh_nothing,
    .regrid = mesh_regrid,
    .adopt = mesh_adopt,
    .balance = mesh_balance,
    .minimum = mesh_minimum,
    .rank = mesh_rank,
    .gather = mesh_gather,
};

static void mesh_destroy(void *self)
{
    mesh_clear(self);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct uniform_mesh, services),
    .name = "UniformMesh",
    .summary = "mesh of one level, cut into a grid of patches that ranks share",
    CCA_SIGNATURES(MESH_PORT_SIGNATURE, BALANCE_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"mesh", offsetof(struct uniform_mesh, mesh), &mesh_methods.base}),
    CCA_USES(RANKS_USES, REBALANCE_USES),
    CCA_PARAMS(
        {"patches_x", CCA_LONG, "1", "1", "1000000", NULL, NULL,
         "patches side by side in x", NULL},
        {"patches_y", CCA_LONG, "1", "1", "1000000", NULL, NULL,
         "patches side by side in y", NULL},
        {"patch_nx", CCA_LONG, "0", "0", NULL, NULL, "cells",
         "cut finer where a patch would have more cells in x; 0: any number", NULL},
        {"patch_ny", CCA_LONG, "0", "0", NULL, NULL, "cells",
         "cut finer where a patch would have more cells in y; 0: any number", NULL}),
    .destroy = mesh_destroy,
};
