/* SPDX-License-Identifier: BSD-3-Clause */
/* GodunovVector: like GodunovFlux, but computes blocks of faces with SIMD instructions.
 *
 * The faces of a patch are contiguous in memory, so both modes (x and y) process them in
 * memory order, BLOCK at a time (block.h); the last block is padded with copies of its
 * last face. A flux does not depend on the position of its face, but the number of
 * iterations does: all faces of a block take as many as the slowest face of the block,
 * and the out-parameter counts them for each face of the patch. So the cost depends
 * little on the activity in a patch. */
#include <assert.h>

#include "components/GodunovVector/block.h"
#include "components/cpu.h"
#include "components/faces.h"
#include "components/probe.h"
#include "components/publish.h"
#include "ports/flux_port_signature.h"
#include "ports/gas_port_signature.h"

struct godunov_vector {
    struct flux_port port;
    struct cca_services *services;
    struct publisher iterations;
    struct prober prober;
};

typedef int (*block_function)(const struct block *block);

static block_function block_choose(struct cca_services *services)
{
    switch (cpu_vectors(services)) {
    case CPU_AVX512:
        return block_compute_avx512;
    case CPU_AVX2:
        return block_compute_avx2;
    default:
        return block_compute;
    }
}

/* Compute a block of fewer than BLOCK faces. */
static int part_compute(block_function compute, const struct block *block, int faces)
{
    double left[EULER_NVAR][BLOCK], right[EULER_NVAR][BLOCK], flux[EULER_NVAR][BLOCK];
    struct block padded = *block;
    struct face_state l, r;
    int iterations;

    for (int k = 0; k < EULER_NVAR; k++)
        for (int i = 0; i < BLOCK; i++) {
            ptrdiff_t from = k * block->plane + (i < faces ? i : faces - 1);

            left[k][i] = block->left[from];
            right[k][i] = block->right[from];
        }
    padded.plane = BLOCK;
    padded.left = left[0];
    padded.right = right[0];
    padded.flux = flux[0];
    iterations = compute(&padded);
    if (iterations > 0 && face_load(left[0] + BLOCK - 1, BLOCK, block->axis, &l) &&
        face_load(right[0] + BLOCK - 1, BLOCK, block->axis, &r) && !face_is_quiet(&l, &r))
        *block->active -= BLOCK - faces; /* the copies */
    if (iterations > 0)
        for (int k = 0; k < EULER_NVAR; k++)
            memcpy(block->flux + k * block->plane, flux[k],
                   (size_t)faces * sizeof(double));
    return iterations;
}

static int vector_compute(struct flux_port *port, int axis, int nx, int ny, int64_t patch,
                          const double *left, const double *right, double *flux,
                          int64_t *iterations, int64_t *active)
{
    struct godunov_vector *self = cca_container_of(port, struct godunov_vector, port);
    block_function compute = block_choose(self->services);
    ptrdiff_t faces = (ptrdiff_t)nx * ny;
    struct probe_port *probe = self->prober.port;
    int32_t *work = probe ? probe->room(probe, faces) : NULL;
    int in_block = 0;
    struct block block = {.axis = axis, .plane = faces, .active = &in_block};
    int64_t spent = 0, waves = 0;
    int result = gas_gamma(self->services, &block.gamma);

    (void)patch;
    assert((axis == 0 || axis == 1) && nx > 0 && ny > 0);
    for (ptrdiff_t at = 0; at < faces && result >= 0; at += BLOCK) {
        int count = faces - at < BLOCK ? (int)(faces - at) : BLOCK;

        block.left = left + at;
        block.right = right + at;
        block.flux = flux + at;
        result = count < BLOCK ? part_compute(compute, &block, count) : compute(&block);
        if (result > 0)
            spent += (int64_t)result * count;
        waves += in_block;
        for (int i = 0; work && i < count; i++)
            work[at + i] = result;
    }
    if (work && result >= 0)
        probe->faces(probe, axis, nx, ny, work);
    publisher_add(&self->iterations, result < 0 ? 0 : spent);
    if (result < 0)
        return result;
    if (iterations)
        *iterations = spent;
    if (active)
        *active = waves;
    return 0;
}

static const struct flux_port port = {.base = {FLUX_PORT_TYPE, sizeof port},
                                      .compute = vector_compute};

static int vector_set_services(void *instance, struct cca_services *services,
                               struct cca_error *err)
{
    struct godunov_vector *self = instance;
    int result = publisher_init(&self->iterations, services, "godunov_vector",
                                "riemann_iterations", err);

    return result ? result : prober_init(&self->prober, services, err);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct godunov_vector, services),
    .name = "GodunovVector",
    .summary = "exact Riemann solver (Godunov) for blocks of faces, SIMD",
    CCA_SIGNATURES(FLUX_PORT_SIGNATURE, GAS_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"flux", offsetof(struct godunov_vector, port), &port.base}),
    CCA_PROVIDES(CCA_INDEPENDENT("flux", FLUX_PORT_TYPE, struct flux_port)),
    CCA_USES(GAS_USES, PUBLISH_USES, PROBE_USES),
    CCA_PARAMS(CPU_PARAM),
    /* Quality attributes of the class, measured with van Leer slopes, RK2 and a
     * Courant number of 0.4; rounded up. */
    CCA_QUALITY(
        {"sod_l1_200", .0025, CCA_MAX, "$SCRIPTS/quality.sh GodunovVector sod_l1_200"},
        {"contact_cells", 0, CCA_MAX, "$SCRIPTS/quality.sh GodunovVector contact_cells"},
        {"oddeven_m6", .38, CCA_MAX, "$SCRIPTS/quality.sh GodunovVector oddeven_m6"}),
    .set_services = vector_set_services,
};
