/* SPDX-License-Identifier: BSD-3-Clause */
/* sh_rusanov_flux.cc: a component in C++: the flux of Rusanov (local Lax-Friedrichs), the
 * mean of both sides less the fastest wave's speed times half their difference. */
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <new>

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
    flux_port port{};
    cca_services *services = nullptr;

    RusanovFlux()
    {
        port.base.type = FLUX_PORT_TYPE;
        port.base.size = sizeof(flux_port);
        port.compute = [](flux_port *self, int axis, int nx, int ny, const double *left,
                          const double *right, double *flux, int64_t *iterations) {
            return reinterpret_cast<RusanovFlux *>(self)->compute(
                axis, nx, ny, left, right, flux, iterations);
        };
    }

  private:
    int compute(int axis, int nx, int ny, const double *left, const double *right,
                double *flux, int64_t *iterations)
    {
        cca_error err{};
        auto *gas = static_cast<gas_port *>(cca_services_get_port(
            services, "gas", GAS_PORT_TYPE, sizeof(gas_port), &err));
        const ptrdiff_t faces = static_cast<ptrdiff_t>(nx) * ny;

        if (!gas)
            return cca_services_fail(services, -ENOTCONN, "%s", err.text);
        const double gamma = gas->gamma(gas);
        cca_services_release_port(services, "gas", nullptr);
        for (ptrdiff_t f = 0; f < faces; f++)
            if (!face(gamma, axis, faces, left + f, right + f, flux + f))
                return -EDOM;
        if (iterations)
            *iterations = 0;
        return 0;
    }

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

void *rusanov_create(const cca_class *, cca_error *err)
{
    auto *self = new (std::nothrow) RusanovFlux;

    if (!self)
        cca_error_set(err, -ENOMEM, "out of memory");
    return self;
}

int rusanov_set_services(void *instance, cca_services *services, cca_error *err)
{
    auto *self = static_cast<RusanovFlux *>(instance);

    self->services = services;
    return cca_services_add_provides_port(services, &self->port.base, "flux", nullptr,
                                          err);
}

void rusanov_destroy(void *instance)
{
    delete static_cast<RusanovFlux *>(instance);
}

const cca_port_decl provides[] = {
    {"flux", FLUX_PORT_TYPE, sizeof(flux_port), 0, 0, 0},
    {nullptr, nullptr, 0, 0, 0, 0},
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
    provides,
    uses,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    0,
    rusanov_create,
    rusanov_set_services,
    rusanov_destroy,
    0,
    0,
    nullptr,
    nullptr,
};
