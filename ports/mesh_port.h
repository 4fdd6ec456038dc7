/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_port.h: a block-structured mesh: levels of rectangular patches of cells, and the
 * fields on them.
 *
 * Level 0 covers the domain; level l + 1 is finer by ratio(l) and covers a part of level
 * l. A uniform mesh has one level. Cells of a level are counted from 0 over the whole
 * domain. A patch has `ghost` layers of ghost cells around it and belongs to one rank,
 * its owner, which alone has its values. docs/guide/components.md has an adaptive step (L0 L1 L2
 * L2 L1 L2 L2) written against this port.
 *
 *      plane + 0*pitch ...   storage of one component of one field of a patch:
 *      . . . . . . . .       (ny + 2 ghost) rows of `pitch` doubles; cell (i, j) of the
 *      . +---------+ .       interior, 0 <= i < nx, 0 <= j < ny, stands at
 *      . | i,j     | .       (j + ghost) * pitch + (i + ghost);
 *      . +---------+ .       component c starts at c * plane.
 *      . . . . . . . .                                                               */
#ifndef PORTS_MESH_PORT_H
#define PORTS_MESH_PORT_H

#include "ports/cca_port.h"

#define MESH_PORT_TYPE "mesh.MeshPort/3"

enum { MESH_LEVELS = 8 }; /* that a mesh has at most */

/* The sides of a rectangle, in this order wherever sides are indexed. */
enum mesh_side { MESH_XLO = 0, MESH_XHI = 1, MESH_YLO = 2, MESH_YHI = 3 };

struct mesh_domain {
    double xlo, ylo, xhi, yhi; /* xlo < xhi, ylo < yhi */
    int64_t nx, ny;            /* cells of level 0, > 0 */
    int periodic_x, periodic_y;
};

struct mesh_patch {
    int level;
    int index;        /* among this rank's patches of the level */
    int number;       /* among all ranks' patches of the level */
    int64_t ilo, jlo; /* its first interior cell in the cells of the level */
    int nx, ny;       /* interior cells */
    int ghost;
    ptrdiff_t pitch; /* doubles from row to row, >= nx + 2 ghost */
    ptrdiff_t plane; /* doubles from component to component */
    double xlo, ylo; /* lower left corner of the interior */
    double dx, dy;
    unsigned boundary; /* bit 1 << side where the side is the domain's and not periodic */
};

/* Where a patch of any rank is. */
struct mesh_box {
    int64_t ilo, jlo; /* its first cell in the cells of the level */
    int64_t nx, ny;
    int rank; /* the owner */
};

enum mesh_field_kind {
    MESH_KEPT,    /* new patches get its values */
    MESH_SCRATCH, /* zeros on new patches: values that one step makes and uses */
};

struct mesh_port {
    struct cca_port base;

    /* Lay out the domain afresh; all fields are gone. 0; -EINVAL, -ENOMEM with `err`.
     * Collective. */
    int (*define)(struct mesh_port *self, const struct mesh_domain *domain, int ghost,
                  struct cca_error *err);
    const struct mesh_domain *(*domain)(struct mesh_port *self)
        CCA_UNMEASURED; /* borrowed */

    /* Levels that exist now, >= 1 once defined; refinement from `level` to the next. */
    int (*level_count)(struct mesh_port *self) CCA_UNMEASURED;
    int (*ratio)(struct mesh_port *self, int level) CCA_UNMEASURED;

    /* This rank's patches of a level, in an order that is the same in every run. Borrowed
     * until the next define, regrid or balance. */
    int (*patch_count)(struct mesh_port *self, int level) CCA_UNMEASURED;
    const struct mesh_patch *(*patch)(struct mesh_port *self, int level,
                                      int index)CCA_UNMEASURED;
    /* Cells of a level over all ranks. */
    int64_t (*cell_count)(struct mesh_port *self, int level) CCA_UNMEASURED;

    /* The patches of all ranks. `number` is that of mesh_patch, and does not depend on
     * the number of ranks. box: 0 or -EINVAL no such patch. */
    int (*box_count)(struct mesh_port *self, int level) CCA_UNMEASURED;
    int (*box)(struct mesh_port *self, int level, int number,
               struct mesh_box *box) CCA_UNMEASURED;
    /* What this rank has of a level.
     *
     *   cells    out  interior cells
     *   faces    out  of its patches; the face between two patches counts twice
     *   patches  out
     *   bytes    out  memory of the fields with their ghost cells, old values included
     *
     * All may be NULL. 0 or -EINVAL. */
    int (*size)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                CCA_OUT_PARAM int64_t *cells, CCA_OUT_PARAM int64_t *faces,
                CCA_OUT_PARAM int64_t *patches, CCA_OUT_PARAM int64_t *bytes);

    /* Make a field of `components` components on every patch, zeroed. Returns its id, >=
     * 0, or -EINVAL, -ENOMEM. It exists on later levels and survives regrid and balance;
     * `kind` tells whether its values do. Collective. */
    int (*field_new)(struct mesh_port *self, const char *name, int components,
                     enum mesh_field_kind kind, struct cca_error *err) CCA_UNMEASURED;
    /* Its doubles on a patch, [components][ny + 2 ghost][pitch]; borrowed as the patch.
     */
    double *(*field)(struct mesh_port *self, int level, int index,
                     int field)CCA_UNMEASURED;

    /* Fill the ghost cells of `field` on `level` from abutting patches, across periodic
     * borders, and, on levels above 0 where no patch abuts, from the coarser level,
     * interpolated in space and in time between its old (0) and new (1) value at
     * `fraction`. Interior cells of the coarser level are all that is read of it: its
     * ghost cells need not be up to date. Ghost cells outside the domain are left to
     * BoundaryConditions.
     *
     *   cells  out  ghost cells filled on this rank
     *   bytes  out  sent to other ranks and received from them
     *   peers  out  those ranks
     *
     * All may be NULL. 0 or a negative errno. Collective. */
    int (*exchange)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                    int field, double fraction, CCA_OUT_PARAM int64_t *cells,
                    CCA_OUT_PARAM int64_t *bytes, CCA_OUT_PARAM int64_t *peers);

    /* Keep the current values of `field` on `level` as the old ones for exchange. 0 or
     * -ENOMEM. */
    int (*keep_old)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                    int field);

    /* Replace `field` on `level` by the average of the finer level where that covers it.
     * 0 or a negative errno; 0 where there is no finer level. Collective. */
    int (*restrict_level)(struct mesh_port *self,
                          CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level, int field);

    /* Flux registers stand where patches of a level border on cells of the coarser level
     * that no patch of theirs covers. Add the face fluxes of one patch, times the time
     * step, to all registers that it takes part in: as the fine side against the coarser
     * level, as the coarse side against the finer one.
     *
     *   level, index  in  the patch
     *   axis          in  as flux_port; flux is [5][..][..] as there
     *
     * 0 or a negative errno; 0 at once where no such border is near. Not collective.
     * reflux: correct the uncovered cells of `level` next to the finer level by what the
     * two sides differ in, and clear those registers; 0 where there is no finer level.
     * Collective. */
    int (*register_flux)(struct mesh_port *self, int level, int index, int axis,
                         const double *flux, double dt_s) CCA_UNMEASURED;
    int (*reflux)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                  int field);

    /* Refine anew above `level` from the flags field (1 component, > 0: refine) of that
     * level and of the finer ones, moving the kept fields over: patches and field
     * pointers got before are stale. Old values of the new levels are gone. The finer
     * levels must have reached the time of `level`.
     *
     *   moved  out  cells that came to this rank from old patches of other ranks; those
     *               interpolated from the coarser level are not counted. May be NULL
     *
     * Returns 1 if anything changed, 0 if not (always 0 on a uniform mesh), or a negative
     * errno. Collective. */
    int (*regrid)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                  int flags, CCA_OUT_PARAM int64_t *moved, struct cca_error *err);

    /* Put patches that were written down before in place of those of a level, or on top
     * of the finest one, as regrid would: kept fields come over from the old patches and
     * from the coarser level, old values are gone, pointers are stale. Finer levels are
     * gone.
     *
     *   level  in  1 to level_count
     *   boxes  in  [count] in cells of the level, the same on all ranks; borrowed. They
     *              are disjoint, cover whole cells of the coarser level, and that level
     *              has as many cells around each of them as regrid would leave. `rank` is
     *              not read: the mesh chooses owners
     *
     * Patches are numbered as regrid numbers them. 0; -EINVAL with `err` where a rule is
     * broken, the mesh is then as before (always on a uniform mesh); or a negative errno.
     * Collective. */
    int (*adopt)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                 const struct mesh_box *boxes, CCA_PARAM int count,
                 struct cca_error *err);

    /* Give patches to other ranks if it is time to; asked before each step of level 0,
     * when all levels have reached one time. Results do not depend on it.
     *
     *   step   in   steps of level 0 made so far
     *   moved  out  as regrid
     *
     * Returns 1 if patches have moved, which makes pointers stale as regrid does, 0 if
     * not, or a negative errno. Collective. */
    int (*balance)(struct mesh_port *self, int64_t step, CCA_OUT_PARAM int64_t *moved,
                   struct cca_error *err);

    /* The least of one value over the ranks (exact, so independent of their number); not
     * a number where another rank has failed. Collective. */
    double (*minimum)(struct mesh_port *self, double value);

    /* This rank among those that share the mesh, 0 where there is one. */
    int (*rank)(struct mesh_port *self) CCA_UNMEASURED;

    /* Collect the interior of `field` on `level` from all ranks on rank 0, the same
     * whatever their number and the cut into patches.
     *
     *   values  out  [components][ny][nx] of the level's cells over the whole domain,
     *                caller's memory, on rank 0; cells that no patch covers are left as
     *                they are. Unused on other ranks, may be NULL there
     *
     * 0 or a negative errno. Collective. */
    int (*gather)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                  int field, double *values);
};

#endif
