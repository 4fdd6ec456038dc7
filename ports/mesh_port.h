/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_port.h: a block-structured mesh: levels of rectangular patches of cells, and the
 * fields on them.
 *
 * Level 0 covers the domain; level l + 1 is finer by ratio(l) and covers a part of level
 * l. A uniform mesh has one level. Cells of a level are counted from 0 over the whole
 * domain. A patch has `ghost` layers of ghost cells around it and belongs to one rank,
 * its owner; only the owner holds its values. docs/guide/components.md has an adaptive
 * step (L0 L1 L2 L2 L1 L2 L2) written against this port.
 *
 *      plane + 0*pitch ...   storage of one component of one field of a patch:
 *      . . . . . . . .       (ny + 2 ghost) rows of `pitch` doubles; cell (i, j) of the
 *      . +---------+ .       interior, 0 <= i < nx, 0 <= j < ny, is at
 *      . | i,j     | .       (j + ghost) * pitch + (i + ghost);
 *      . +---------+ .       component c starts at c * plane.
 *      . . . . . . . . */
#ifndef PORTS_MESH_PORT_H
#define PORTS_MESH_PORT_H

#include "ports/cca_port.h"

#define MESH_PORT_TYPE "mesh.MeshPort/3"

enum { MESH_LEVELS = 8 }; /* largest number of levels of a mesh */

/* The sides of a rectangle: indices of arrays that have an entry for each side. */
enum mesh_side { MESH_XLO = 0, MESH_XHI = 1, MESH_YLO = 2, MESH_YHI = 3 };

struct mesh_domain {
    double xlo, ylo, xhi, yhi; /* corners of the domain: xlo < xhi, ylo < yhi */
    int64_t nx, ny;            /* number of cells of level 0 in x and in y, > 0 */
    int periodic_x, periodic_y;
};

struct mesh_patch {
    int level;
    int index;        /* index of the patch among this rank's patches of the level */
    int number;       /* index of the patch among all ranks' patches of the level */
    int64_t ilo, jlo; /* first interior cell of the patch, counted in cells of the
                       * level */
    int nx, ny;       /* interior cells */
    int ghost;
    ptrdiff_t pitch; /* distance between rows of a field in doubles, >= nx + 2 ghost */
    ptrdiff_t plane; /* distance between components of a field in doubles */
    double xlo, ylo; /* lower left corner of the interior */
    double dx, dy;
    unsigned boundary; /* bit 1 << side is set if the side is on a border of the domain
                        * that is not periodic */
};

/* Position and owner of a patch of any rank. */
struct mesh_box {
    int64_t ilo, jlo; /* first cell of the patch, counted in cells of the level */
    int64_t nx, ny;
    int rank; /* the owner */
};

enum mesh_field_kind {
    MESH_KEPT,    /* a field whose values are copied from old patches to new patches */
    MESH_SCRATCH, /* a field that is used within one step only: new patches get zeros */
};

struct mesh_port {
    struct cca_port base;

    /* Lay out the domain; existing fields are deleted. Returns 0; -EINVAL, -ENOMEM with
     * `err`. Collective. */
    int (*define)(struct mesh_port *self, const struct mesh_domain *domain, int ghost,
                  struct cca_error *err);
    const struct mesh_domain *(*domain)(struct mesh_port *self)
        CCA_UNMEASURED; /* borrowed */

    /* Return the number of existing levels, >= 1 after `define`; return the refinement
     * ratio from `level` to the next level. */
    int (*level_count)(struct mesh_port *self) CCA_UNMEASURED;
    int (*ratio)(struct mesh_port *self, int level) CCA_UNMEASURED;

    /* Return the number of this rank's patches of a level, and a patch by index, in an
     * order that is the same in every run. Patches are borrowed until the next `define`,
     * `regrid`, `adopt` or `balance`. */
    int (*patch_count)(struct mesh_port *self, int level) CCA_UNMEASURED;
    const struct mesh_patch *(*patch)(struct mesh_port *self, int level,
                                      int index)CCA_UNMEASURED;
    /* Return the number of cells of a level over all ranks. */
    int64_t (*cell_count)(struct mesh_port *self, int level) CCA_UNMEASURED;

    /* Return the number of patches of all ranks on a level, and get a patch by its
     * `number` (of struct mesh_patch), which does not depend on the number of ranks.
     * `box` returns 0, or -EINVAL: no such patch. */
    int (*box_count)(struct mesh_port *self, int level) CCA_UNMEASURED;
    int (*box)(struct mesh_port *self, int level, int number,
               struct mesh_box *box) CCA_UNMEASURED;
    /* Compute the size of this rank's part of a level.
     *
     *   cells    out  interior cells
     *   faces    out  faces of its patches; a face between two patches counts twice
     *   patches  out
     *   bytes    out  memory of the fields with their ghost cells, old values included
     *
     * All may be NULL. Returns 0 or -EINVAL. */
    int (*size)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                CCA_OUT_PARAM int64_t *cells, CCA_OUT_PARAM int64_t *faces,
                CCA_OUT_PARAM int64_t *patches, CCA_OUT_PARAM int64_t *bytes);

    /* Create a field of `components` components on every patch, set to zero. Returns its
     * id, >= 0, or -EINVAL, -ENOMEM. The field exists on later levels, too, and survives
     * `regrid` and `balance`; `kind` states whether its values do. Collective. */
    int (*field_new)(struct mesh_port *self, const char *name, int components,
                     enum mesh_field_kind kind, struct cca_error *err) CCA_UNMEASURED;
    /* Return the doubles of a field on a patch, [components][ny + 2 ghost][pitch];
     * borrowed as long as the patch. */
    double *(*field)(struct mesh_port *self, int level, int index,
                     int field)CCA_UNMEASURED;

    /* Fill the ghost cells of `field` on `level` from abutting patches, across periodic
     * borders, and, on levels above 0 where no patch abuts, from the coarser level,
     * interpolated in space and in time between its old (0) and new (1) value at
     * `fraction`. Only interior cells of the coarser level are read: its ghost cells need
     * not be up to date. Ghost cells outside the domain are not filled: see
     * boundary_port.h.
     *
     *   cells  out  number of ghost cells filled on this rank
     *   bytes  out  bytes sent to and received from other ranks
     *   peers  out  number of these other ranks
     *
     * All may be NULL. Returns 0 or a negative errno. Collective. */
    int (*exchange)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                    int field, double fraction, CCA_OUT_PARAM int64_t *cells,
                    CCA_OUT_PARAM int64_t *bytes, CCA_OUT_PARAM int64_t *peers);

    /* Store the current values of `field` on `level` as old values for `exchange`.
     * Returns 0 or -ENOMEM. */
    int (*keep_old)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                    int field);

    /* Replace `field` on `level` by averages of the finer level where that covers it.
     * Returns 0 or a negative errno; 0 if there is no finer level. Collective. */
    int (*restrict_level)(struct mesh_port *self,
                          CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level, int field);

    /* There is a flux register at each face between a patch of a level and an uncovered
     * cell of the coarser level. Add the face fluxes of one patch, times the time step,
     * to all registers at its faces: to their fine side where the coarser level is next
     * to the patch, to their coarse side where the finer level is.
     *
     *   level, index  in  the patch
     *   axis          in  as in flux_port; flux is [5][..][..] as there
     *
     * Returns 0 or a negative errno; 0 if the patch has no such face. Not collective.
     * `reflux`: correct the uncovered cells of `level` next to the finer level by the
     * difference of the two sides, and clear those registers; returns 0 if there is no
     * finer level. Collective. */
    int (*register_flux)(struct mesh_port *self, int level, int index, int axis,
                         const double *flux, double dt_s) CCA_UNMEASURED;
    int (*reflux)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                  int field);

    /* Build the levels above `level` again from the flags field (1 component, > 0:
     * refine) of `level` and the finer levels, and copy the kept fields: patches and
     * field pointers obtained before become invalid. New levels have no old values. The
     * finer levels must have reached the time of `level`.
     *
     *   moved  out  cells that this rank received from old patches of other ranks,
     *               without cells interpolated from the coarser level. May be NULL
     *
     * Returns 1 if patches have changed, 0 if not (always 0 on a uniform mesh), or a
     * negative errno. Collective. */
    int (*regrid)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                  int flags, CCA_OUT_PARAM int64_t *moved, struct cca_error *err);

    /* Replace the patches of a level, or add a finest level, with given patches, such as
     * those of a checkpoint. As in regrid, kept fields are copied from the old patches
     * and interpolated from the coarser level, old values are deleted, and pointers
     * become invalid. Finer levels are deleted.
     *
     *   level  in  1 to level_count
     *   boxes  in  [count] in cells of the level, the same on all ranks; borrowed. They
     *              are disjoint, cover whole cells of the coarser level, and the coarser
     *              level has as many cells around each box as `regrid` would leave.
     *              `rank` is ignored: the mesh chooses the owners
     *
     * Patches are numbered as `regrid` numbers them. Returns 0; -EINVAL with `err` if one
     * of these rules is broken (always on a uniform mesh), and the mesh is then
     * unchanged; or a negative errno. Collective. */
    int (*adopt)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                 const struct mesh_box *boxes, CCA_PARAM int count,
                 struct cca_error *err);

    /* Move patches to other ranks if the mesh finds it worthwhile. Called before each
     * step of level 0, when all levels have reached one time. Results do not depend on
     * it.
     *
     *   step   in   steps of level 0 made so far
     *   moved  out  number of cells received, as in `regrid`
     *
     * Returns 1 if patches have moved, and pointers are invalid as after `regrid`; 0 if
     * not; or a negative errno. Collective. */
    int (*balance)(struct mesh_port *self, int64_t step, CCA_OUT_PARAM int64_t *moved,
                   struct cca_error *err);

    /* Return the minimum of one value over the ranks (exact, so independent of their
     * number); NaN if another rank has failed. Collective. */
    double (*minimum)(struct mesh_port *self, double value);

    /* Return the number of this rank among the ranks that share the mesh; 0 if there is
     * only one rank. */
    int (*rank)(struct mesh_port *self) CCA_UNMEASURED;

    /* Collect the interior of `field` on `level` from all ranks on rank 0. The result
     * does not depend on the number of ranks or the patches.
     *
     *   values  out  [components][ny][nx] of the level's cells over the whole domain,
     *                caller's memory, on rank 0; cells that no patch covers are not
     *                written. Unused on other ranks, where it may be NULL
     *
     * Returns 0 or a negative errno. Collective. */
    int (*gather)(struct mesh_port *self, CCA_MODE("0, 1, 2, 3, 4, 5, 6, 7") int level,
                  int field, double *values);
};

#endif
