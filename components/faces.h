/* SPDX-License-Identifier: BSD-3-Clause */
/* faces.h: loop over the faces of a patch in pencils, for flux classes.
 *
 * A pencil is a run of faces along the axis of the sweep. Along x its faces are
 * contiguous in memory, along y a row apart: the two modes differ only in the stride. A
 * class implements its flux for one face in coordinates of that face (normal and
 * tangential velocity), so that a sweep in y does the same arithmetic as a sweep in x on
 * transposed arrays. */
#ifndef COMPONENTS_FACES_H
#define COMPONENTS_FACES_H

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "components/euler.h"
#include "components/gas.h"

/* The gas next to a face: `un` is the velocity normal to the face, `ut` along it. */
struct face_state {
    double rho, un, ut, p, zeta;
};

/* The flux through a face per area and time. */
struct face_flux {
    double mass, normal, tangential, energy, zeta;
};

/* Function that computes the flux of one face: returns the number of iterations, >= 0, or
 * a negative errno. */
typedef int (*face_function)(double gamma, const struct face_state *left,
                             const struct face_state *right, struct face_flux *flux);

/* Compute the physical flux of a state. */
static inline void face_physical_flux(double gamma, const struct face_state *s,
                                      struct face_flux *flux)
{
    double mass = s->rho * s->un;

    flux->mass = mass;
    flux->normal = mass * s->un + s->p;
    flux->tangential = mass * s->ut;
    flux->energy = s->un * (gamma / (gamma - 1.) * s->p +
                            .5 * s->rho * (s->un * s->un + s->ut * s->ut));
    flux->zeta = mass * s->zeta;
}

/* Return the same gas seen from the other side of the face. */
static inline struct face_state face_mirrored(const struct face_state *s)
{
    struct face_state m = *s;

    m.un = -s->un;
    return m;
}

/* Load a state whose density is at `q`. Returns false if it is no gas: density or
 * pressure not positive, or a value not finite. */
static inline int face_load(const double *q, ptrdiff_t plane, int axis,
                            struct face_state *s)
{
    s->rho = q[EULER_RHO * plane];
    s->un = q[(EULER_U + axis) * plane];
    s->ut = q[(EULER_V - axis) * plane];
    s->p = q[EULER_P * plane];
    s->zeta = q[EULER_ZETA * plane];
    return euler_positive(s->rho, s->p) &&
           fabs(s->un) + fabs(s->ut) + fabs(s->zeta) < HUGE_VAL;
}

/* The largest difference of a quiet face, in units of the pressure and of the speed of
 * sound. */
#define FACE_QUIET 1e-14

/* True if pressure and normal velocity are equal on both sides of a face, up to
 * rounding. */
static inline int face_is_quiet(const struct face_state *l, const struct face_state *r)
{
    double rho = l->rho > r->rho ? l->rho : r->rho, p = l->p < r->p ? l->p : r->p;
    double du = r->un - l->un;

    /* p / rho is at most the square of either speed of sound */
    return fabs(r->p - l->p) <= FACE_QUIET * p &&
           rho * du * du <= FACE_QUIET * FACE_QUIET * p;
}

static inline void face_store(const struct face_flux *flux, ptrdiff_t plane, int axis,
                              double *out)
{
    out[EULER_RHO * plane] = flux->mass;
    out[(EULER_U + axis) * plane] = flux->normal;
    out[(EULER_V - axis) * plane] = flux->tangential;
    out[EULER_P * plane] = flux->energy;
    out[EULER_ZETA * plane] = flux->zeta;
}

/* Call `face` for all faces of a patch, line by line (the body of faces_walk,
 * inlined). */
__attribute__((always_inline)) static inline int
faces_visit(face_function face, double gamma, int axis, int nx, int ny,
            const double *left, const double *right, double *flux, int64_t *iterations,
            int64_t *active, int32_t *work)
{
    ptrdiff_t plane = (ptrdiff_t)nx * ny;
    ptrdiff_t along = axis ? nx : 1, across = axis ? 1 : nx;
    int pencils = axis ? nx : ny, length = axis ? ny : nx;
    int64_t spent = 0, waves = 0;

    for (int k = 0; k < pencils; k++) {
        ptrdiff_t at = k * across;

        for (int i = 0; i < length; i++, at += along) {
            struct face_state l, r;
            struct face_flux f;
            int n;

            if (!face_load(left + at, plane, axis, &l) ||
                !face_load(right + at, plane, axis, &r))
                return -EDOM;
            if (active)
                waves += !face_is_quiet(&l, &r);
            n = face(gamma, &l, &r, &f);
            if (n < 0)
                return n;
            face_store(&f, plane, axis, flux + at);
            if (work)
                work[at] = n;
            spent += n;
        }
    }
    if (iterations)
        *iterations = spent;
    if (active)
        *active = waves;
    return 0;
}

/* Call `face` for every face of a patch, with gamma from the connected gas; arguments as
 * in the flux port; work[ny][nx] gets the iterations of each face, unless it is NULL.
 * Inlined into each class, so that `face` is a direct call; the loop is there twice, with
 * and without `work`, so that `work` costs nothing where it is NULL. Returns 0; -ENOTCONN
 * without a gas; or -EDOM at the first face that is no gas or that `face` refused. */
__attribute__((always_inline)) static inline int
faces_walk(face_function face, struct cca_services *services, int axis, int nx, int ny,
           const double *left, const double *right, double *flux, int64_t *iterations,
           int64_t *active, int32_t *work)
{
    double gamma;
    int result = gas_gamma(services, &gamma);

    assert((axis == 0 || axis == 1) && nx > 0 && ny > 0);
    if (result < 0)
        return result;
    return work ? faces_visit(face, gamma, axis, nx, ny, left, right, flux, iterations,
                              active, work)
                : faces_visit(face, gamma, axis, nx, ny, left, right, flux, iterations,
                              active, NULL);
}

#endif
