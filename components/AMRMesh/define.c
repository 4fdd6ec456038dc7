/* SPDX-License-Identifier: BSD-3-Clause */
/* define.c: lay out the mesh: level 0 over the whole domain. */
#include "components/AMRMesh/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "components/domain.h"

static int levels_check(const struct hierarchy *h, int levels, int ghost,
                        struct cca_error *err)
{
    /* a patch may begin AMR_RATIO cells from a wall, and boundary conditions do not fill
     * its ghost cells beyond that */
    if (levels > 1 && ghost > AMR_RATIO)
        return cca_error_set(err, -EINVAL,
                             "%d ghost layers; with several levels 0 to %d are served",
                             ghost, AMR_RATIO);
    if (!h->ports.ghosts)
        return cca_error_set(err, -ENOTCONN,
                             "a mesh needs a component at its uses port 'ghosts'");
    if (levels > 1 && !h->ports.prolong_restrict)
        return cca_error_set(err, -ENOTCONN,
                             "a mesh of up to %d levels needs a component at its uses "
                             "port 'prolong_restrict'; with 'levels' 1 it needs none",
                             levels);
    return 0;
}

/* Find the number of parts of one axis of level 0. Returns 0 or -EINVAL. */
static int parts_find(const struct define_rule *rule, char axis, int64_t cells, int ghost,
                      int periodic, int64_t *parts, struct cca_error *err)
{
    int64_t most = rule->most[axis == 'y'];

    *parts = rule->patches[axis == 'y'];
    if (pieces_needed(cells, most, 1) > *parts)
        *parts = pieces_needed(cells, most, 1);
    if (*parts > cells)
        return cca_error_set(err, -EINVAL,
                             "%" PRId64 " patches in %c, but only %" PRId64 " cells",
                             *parts, axis, cells);
    if ((cells - 1) / *parts + 1 > INT_MAX / 4)
        return cca_error_set(
            err, -EINVAL, "%" PRId64 " cells in %c are too many for %" PRId64 " patches",
            cells, axis, *parts);
    if (!periodic && *parts > 1 && cells / *parts < ghost)
        return cca_error_set(err, -EINVAL,
                             "patches of %" PRId64
                             " cells in %c are thinner than their %d ghost layers",
                             cells / *parts, axis, ghost);
    return 0;
}

/* Make level 0: each rank gets consecutive patches, and all ranks nearly equally many. */
static int level_zero(struct hierarchy *h, int64_t columns, int64_t rows)
{
    struct box all = {0, 0, h->domain.nx, h->domain.ny};
    struct boxes boxes = {0};
    struct layout layout = {0};
    int64_t moved = 0;
    int code = boxes_add_cut(&boxes, all, columns, rows, 1);

    for (int k = 0; k < boxes.count && !code; k++)
        code = layout_add(&layout, boxes.at[k],
                          (int)(((int64_t)(k + 1) * h->ranks.size - 1) / boxes.count));
    if (!code)
        code = layout_share(&layout, h->ranks.rank, h->ranks.size);
    if (!code)
        code = level_replace(h, 0, &layout, &moved);
    if (!code)
        code = hierarchy_link(h, 0);
    layout_done(&layout);
    boxes_done(&boxes);
    return code;
}

int define(struct hierarchy *h, const struct mesh_domain *domain, int ghost,
           const struct define_rule *rule, struct cca_error *err)
{
    struct exchange_port *ranks = h->ranks.port;
    int64_t columns = 1, rows = 1;
    int code = domain_check(domain, ghost, err);

    if (!code)
        code = levels_check(h, rule->levels, ghost, err);
    if (!code)
        code =
            parts_find(rule, 'x', domain->nx, ghost, domain->periodic_x, &columns, err);
    if (!code)
        code = parts_find(rule, 'y', domain->ny, ghost, domain->periodic_y, &rows, err);
    if (!code && columns > INT_MAX / 4 / rows)
        code =
            cca_error_set(err, -EINVAL, "%" PRId64 " x %" PRId64 " patches are too many",
                          columns, rows);
    hierarchy_clear(h);
    if (code)
        return code;
    h->domain = *domain;
    h->ghost = ghost;
    h->ranks = (struct ranks){ranks, ranks ? ranks->rank(ranks) : 0,
                              ranks ? ranks->size(ranks) : 1};
    code = level_zero(h, columns, rows);
    if (!code)
        return 0;
    hierarchy_clear(h);
    return cca_error_set(err, code, "cannot make %" PRId64 " x %" PRId64 " patches: %s",
                         columns, rows, strerror(-code));
}
