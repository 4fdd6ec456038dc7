/* SPDX-License-Identifier: BSD-3-Clause */
/* block.h: compute the fluxes of the exact Riemann solution through BLOCK faces at once.
 *
 * The method is the same as in riemann.h, with vectors in place of numbers and selections
 * in place of branches: first pressures, then Newton's iteration on all faces of the
 * block until the last has converged, then the samples. A face that has converged keeps
 * its pressure, so its flux does not depend on the other faces of its block. */
#ifndef COMPONENTS_GODUNOVVECTOR_BLOCK_H
#define COMPONENTS_GODUNOVVECTOR_BLOCK_H

#include <stddef.h>

#define BLOCK 64

/* BLOCK consecutive faces in memory: arrays of rho, u, v, p, zeta on both sides and of
 * their fluxes, `plane` doubles apart. */
struct block {
    double gamma;
    int axis; /* direction of the faces: 0: u is normal to the face, 1: v */
    ptrdiff_t plane;
    const double *left, *right;
    double *flux;
    int *active; /* gets the number of faces with waves (face_is_quiet in faces.h) */
};

/* Compute the fluxes. Returns the number of iterations, which is the same for every face
 * of the block; -EDOM if a state is no gas, if a vacuum opens or if the iteration does
 * not converge. The second and third function are for CPUs with AVX2 and AVX-512: they
 * compute the same bits with wider vectors. */
int block_compute(const struct block *block);
int block_compute_avx2(const struct block *block);
int block_compute_avx512(const struct block *block);

#endif
