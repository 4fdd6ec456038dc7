/* SPDX-License-Identifier: BSD-3-Clause */
/* rusanov_flux.cc: a component in C++: the flux of Rusanov (local Lax-Friedrichs), the
 * mean of both sides less the fastest wave's speed times half their difference. */
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>

#include "components/euler.h"
#include "framework/cca.h"
#include "ports/flux_port.h"
#include "ports/gas_port.h"

namespace
{

using Vector = std::array<double, EULER_NVAR>;

class RusanovFlux
{
  public:
    flux_port port;
    cca_services *services;

    static int compute(flux_port *self, int axis, int nx, int ny, int64_t,
                       const double *left, const double *right, double *flux,
                       int64_t *iterations, int64_t *active)
    {
        CCA_USE(gas_port, gas, reinterpret_cast<RusanovFlux *>(self)->services, "gas");
        const ptrdiff_t faces = static_cast<ptrdiff_t>(nx) * ny;

        if (!gas)
            return -ENOTCONN;
        const double gamma = gas->gamma(gas);
        for (ptrdiff_t f = 0; f < faces; f++)
            if (!face(gamma, axis, faces, left + f, right + f, flux + f))
                return -EDOM;
        if (active)
            *active = -1; // not counted
        if (iterations)
            *iterations = 0;
        return 0;
    }

  private:
    static Vector load(const double *at, ptrdiff_t plane)
    {
        Vector w;

        for (int n = 0; n < EULER_NVAR; n++)
            w[n] = at[n * plane];
        return w;
    }

    static Vector physical_flux(int axis, const Vector &w, const Vector &q)
    {
        const double speed = w[EULER_U + axis];
        Vector f;

        for (int n = 0; n < EULER_NVAR; n++)
            f[n] = speed * q[n];
        f[EULER_U + axis] += w[EULER_P];
        f[EULER_P] += speed * w[EULER_P];
        return f;
    }

    static bool face(double gamma, int axis, ptrdiff_t plane, const double *left,
                     const double *right, double *flux)
    {
        const Vector wl = load(left, plane), wr = load(right, plane);
        Vector ql, qr;

        if (!euler_positive(wl[EULER_RHO], wl[EULER_P]) ||
            !euler_positive(wr[EULER_RHO], wr[EULER_P]))
            return false;
        euler_conserved(gamma, wl.data(), ql.data());
        euler_conserved(gamma, wr.data(), qr.data());
        const Vector fl = physical_flux(axis, wl, ql), fr = physical_flux(axis, wr, qr);
        const double fastest =
            std::max(std::abs(wl[EULER_U + axis]) +
                         euler_sound_speed(gamma, wl[EULER_RHO], wl[EULER_P]),
                     std::abs(wr[EULER_U + axis]) +
                         euler_sound_speed(gamma, wr[EULER_RHO], wr[EULER_P]));
        for (int n = 0; n < EULER_NVAR; n++)
            flux[n * plane] = .5 * (fl[n] + fr[n]) - .5 * fastest * (qr[n] - ql[n]);
        return true;
    }
};

const flux_port port = {{FLUX_PORT_TYPE, sizeof(flux_port)}, RusanovFlux::compute};

const cca_port_impl implements[] = {
    {"flux", offsetof(RusanovFlux, port), &port.base},
    {nullptr, 0, nullptr},
};

const cca_port_decl uses[] = {
    {"gas", GAS_PORT_TYPE, sizeof(gas_port), 1, 0, 0},
    {nullptr, nullptr, 0, 0, 0, 0},
};

} // namespace

/* Declared first: g++ warns of one declaration that both says extern and initialises. */
CCA_EXPORT const struct cca_class cca_class;
const struct cca_class cca_class = {
    CCA_ABI,
    sizeof(struct cca_class),
    "RusanovFlux",
    "local Lax-Friedrichs flux, in C++",
    nullptr,
    uses,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    0,
    nullptr,
    nullptr,
    nullptr,
    sizeof(RusanovFlux),
    offsetof(RusanovFlux, services),
    implements,
    nullptr,
};
