/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: the cells of this rank, their neighbours, and exchange lists between ranks.
 *
 * A cell has the number (i * n[1] + j) * n[2] + k. A rank's cells may be any set. They
 * have slots: its own in ascending order of their numbers, then ghosts, cells of other
 * ranks beside its own, then one slot that stands for all that is outside of the box.
 * Each rank has the table of all owners. Numbers only: no MPI, no fields. One thread. */
#ifndef EXAMPLES_MRTD_PARTS_H
#define EXAMPLES_MRTD_PARTS_H

#include <stdint.h>

/* Slots to send to each rank, and slots to receive from each rank, both in ascending
 * order of cells. The slots of rank r have the indices first[r] to first[r + 1] - 1. */
struct mrtd_link {
    /* [ranks + 1] for each rank: index of its first slot in `out` or `in` */
    int64_t *first_out, *first_in;
    /* slots to send to other ranks, and slots to receive from them */
    int32_t *out, *in;
};

enum { MRTD_E = 0, MRTD_H = 1 };

/* mrtd_shared.f90 declares the same struct: keep the order. */
struct mrtd_parts {
    int32_t n[3], rank, ranks;
    int32_t cells, own, ghosts;
    int32_t *owner; /* [cells] rank that owns each cell */
    int32_t *cell;  /* [own + ghosts] for each slot: number of its cell */
    /* [own][6] for each slot: slots of the neighbours at -x -y -z +x +y +z */
    int32_t *beside;
    /* exchanges of E (neighbours at the + sides) and of H (at the - sides) */
    struct mrtd_link all[2];
};

/* Make the parts from the owners of all cells (0 <= owner < ranks), which are copied.
 * Returns NULL: out of memory. mrtd_parts_free frees them; NULL is fine. */
struct mrtd_parts *mrtd_parts_new(const int32_t n[3], int32_t rank, int32_t ranks,
                                  const int32_t *owner);
void mrtd_parts_free(struct mrtd_parts *parts);

/* Find the cells that move from `old` to `to`: link->out has slots of `old`, link->in
 * slots of `to`; kept[s], for s < to->own, is the slot in `old` of slot s of `to`, -1:
 * the cell comes from another rank. *moved is the number of cells of all ranks that
 * change owner. Returns 0 or -ENOMEM; freed by mrtd_link_done and free. */
int mrtd_parts_move(const struct mrtd_parts *old, const struct mrtd_parts *to,
                    struct mrtd_link *link, int32_t **kept, int64_t *moved);
void mrtd_link_done(struct mrtd_link *link);

#endif
