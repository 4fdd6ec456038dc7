/* SPDX-License-Identifier: BSD-3-Clause */
/* shock_polar.h: a plane shock that crosses an inclined interface between two gases: the
 * exact flow at the node where they meet, and the circulation that the shock deposits.
 *
 * Both gases have the same gamma and are at rest with pressure 1; the density is 1 on the
 * side from which the shock comes, the light side, and `eta` on the other. So speeds and
 * circulation per length are in units of sqrt(p0 / rho0) of the light side. Clockwise
 * circulation is positive if the shock moves to the right and the node up, as for eta >
 * 1. `angle` is between the planes of shock and interface, in radians.
 *
 *      light   /                    The node moves along the interface at
 *             / interface           V = W / sin(angle), W the speed of the shock.
 *    W       /                      In its frame the gases come down along the interface
 *   ---> |  /                       on both sides, the flow is steady, and the shocks are
 *        | /      heavy             oblique ones. Pressure and direction agree on both
 *   shock|/ node                    sides of the slip line behind the node, speeds do
 *       /:\ transmitted shock       not.
 *      / : \
 *    reflected wave, slip line
 *
 * Shock polars: Courant and Friedrichs, Supersonic Flow and Shock Waves, ch. IV; for an
 * interface: Henderson, J. Fluid Mech. 26 (1966). Law: Samtaney and Zabusky, J. Fluid
 * Mech. 269 (1994). */
#ifndef COMPONENTS_SHOCK_POLAR_H
#define COMPONENTS_SHOCK_POLAR_H

#include <math.h>

/* Kinds of refraction. */
enum polar_kind {
    POLAR_SHOCK,     /* regular, the reflected wave is a shock */
    POLAR_EXPANSION, /* regular, the reflected wave is a centred expansion */
    POLAR_IRREGULAR, /* three waves do not meet in a point: there is no local solution */
};

struct polar {
    double gamma, mach, eta, angle;

    /* Results of polar_solve. */
    double shock_speed; /* W */
    double node_speed;  /* V */
    /* Results below are set only if refraction is regular. */
    double pressure;    /* behind the node */
    double deflection;  /* angle from the interface to the slip line, towards the heavy
                         * side */
    double light_speed; /* speed beside the slip line, in the frame of the node */
    double heavy_speed; /* speed on the other side of the slip line, in the frame of
                         * the node */
    double sheet;       /* circulation per length of the slip line: jump of the speed */
    double circulation; /* circulation that the shock deposits, per length of the
                           interface before the shock arrives */
    /* Fraction of the slip line that no signal from the node's starting point has
     * reached; <= 0: none. */
    double undisturbed;
};

/* A uniform steady stream. */
struct polar_stream {
    double rho, p;
    double speed;
};

static inline double polar_stream_mach(double gamma, const struct polar_stream *s)
{
    return s->speed / sqrt(gamma * s->p / s->rho);
}

/* Return the density behind a shock that raises the pressure of `s` to `p`, or behind an
 * isentropic expansion to `p`. */
static inline double polar_density(double gamma, const struct polar_stream *s, double p)
{
    double ratio = p / s->p;

    if (ratio <= 1.)
        return s->rho * pow(ratio, 1. / gamma);
    return s->rho * ((gamma + 1.) * ratio + gamma - 1.) /
           ((gamma - 1.) * ratio + gamma + 1.);
}

/* Return the speed of the stream at pressure `p`, from its constant total enthalpy. */
static inline double polar_speed(double gamma, const struct polar_stream *s, double p)
{
    double enthalpy = s->p / s->rho - p / polar_density(gamma, s, p);
    double square = s->speed * s->speed + 2. * gamma / (gamma - 1.) * enthalpy;

    return square > 0. ? sqrt(square) : 0.;
}

/* Return the speed of the stream at pressure `p` minus the speed of sound. */
static inline double polar_lead(double gamma, const struct polar_stream *s, double p)
{
    return polar_speed(gamma, s, p) - sqrt(gamma * p / polar_density(gamma, s, p));
}

/* Return the highest pressure behind an oblique shock: the pressure behind the normal
 * shock. */
static inline double polar_pressure_max(double gamma, const struct polar_stream *s)
{
    double mach = polar_stream_mach(gamma, s);

    return s->p * (1. + 2. * gamma / (gamma + 1.) * (mach * mach - 1.));
}

static inline double polar_prandtl_meyer(double gamma, double mach)
{
    double root = sqrt(mach * mach - 1.), k = sqrt((gamma + 1.) / (gamma - 1.));

    return k * atan(root / k) - atan(root);
}

/* Return the angle by which a wave that brings supersonic stream `s` to pressure `p`
 * turns it: positive for a shock, negative for an expansion. */
static inline double polar_deflection(double gamma, const struct polar_stream *s,
                                      double p)
{
    double mach = polar_stream_mach(gamma, s), ratio = p / s->p;

    if (ratio <= 1.) {
        struct polar_stream behind = {polar_density(gamma, s, p), p,
                                      polar_speed(gamma, s, p)};

        return polar_prandtl_meyer(gamma, mach) -
               polar_prandtl_meyer(gamma, polar_stream_mach(gamma, &behind));
    }
    return atan(
        (ratio - 1.) / (gamma * mach * mach + 1. - ratio) *
        sqrt(fmax(0., 2. * gamma * mach * mach - (gamma - 1.) - (gamma + 1.) * ratio) /
             ((gamma + 1.) * ratio + gamma - 1.)));
}

/* Return the difference at pressure `p` between the deflection of the incident shock and
 * the deflections by the transmitted and the reflected wave. Zero at the solution. */
static inline double polar_mismatch(double gamma, const struct polar_stream *heavy,
                                    const struct polar_stream *behind, double deflection,
                                    double p)
{
    return polar_deflection(gamma, heavy, p) + polar_deflection(gamma, behind, p) -
           deflection;
}

/* Find the lowest pressure at which the deflections of both streams agree: the weak
 * solution. Returns 0 if there is none. */
static inline double polar_match(double gamma, const struct polar_stream *heavy,
                                 const struct polar_stream *behind, double deflection)
{
    enum { STEPS = 4000 };
    double least = heavy->p, low = least, high;
    double most =
        fmin(polar_pressure_max(gamma, heavy), polar_pressure_max(gamma, behind));

    for (int i = 1;; i++) {
        if (i > STEPS)
            return 0.;
        high = least * pow(most / least, (double)i / STEPS);
        if (polar_mismatch(gamma, heavy, behind, deflection, high) >= 0.)
            break;
        low = high;
    }
    for (int i = 0; i < 100; i++) {
        double middle = .5 * (low + high);

        if (polar_mismatch(gamma, heavy, behind, deflection, middle) >= 0.)
            high = middle;
        else
            low = middle;
    }
    return .5 * (low + high);
}

/* Solve for the flow at the node, with given gamma > 1, mach > 1, eta > 0 and 0 < angle <
 * pi / 2. Returns the kind. */
static inline enum polar_kind polar_solve(struct polar *k)
{
    double g = k->gamma, sine = sin(k->angle);
    struct polar_stream light = {1., 1., 0.}, heavy = {k->eta, 1., 0.}, behind;
    double deflection;

    k->shock_speed = k->mach * sqrt(g);
    k->node_speed = k->shock_speed / sine;
    light.speed = heavy.speed = k->node_speed;
    behind.p = 1. + 2. * g / (g + 1.) * (k->mach * k->mach - 1.);
    behind.rho = polar_density(g, &light, behind.p);
    behind.speed = polar_speed(g, &light, behind.p);
    deflection = polar_deflection(g, &light, behind.p);
    /* a wave cannot be steady in a subsonic stream */
    if (polar_stream_mach(g, &heavy) <= 1. || polar_stream_mach(g, &behind) <= 1.)
        return POLAR_IRREGULAR;
    k->pressure = polar_match(g, &heavy, &behind, deflection);
    if (k->pressure == 0.)
        return POLAR_IRREGULAR;
    k->deflection = polar_deflection(g, &heavy, k->pressure);
    k->light_speed = polar_speed(g, &behind, k->pressure);
    k->heavy_speed = polar_speed(g, &heavy, k->pressure);
    k->sheet = k->heavy_speed - k->light_speed;
    k->circulation = .5 * k->sheet * (k->heavy_speed + k->light_speed) / k->node_speed;
    k->undisturbed =
        fmin(polar_lead(g, &behind, k->pressure), polar_lead(g, &heavy, k->pressure)) /
        k->node_speed;
    return k->pressure > behind.p ? POLAR_SHOCK : POLAR_EXPANSION;
}

/* Return the circulation per length of the interface, measured before the shock arrives,
 * by the law of Samtaney and Zabusky. */
static inline double polar_law(const struct polar *k)
{
    double g = k->gamma, m = k->mach;

    return 2. * sqrt(g) / (g + 1.) * (1. - 1. / sqrt(k->eta)) * sin(k->angle) *
           (1. + 1. / m + 2. / (m * m)) * (m - 1.);
}

#endif
