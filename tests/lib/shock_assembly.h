/* SPDX-License-Identifier: BSD-3-Clause */
/* shock_assembly.h: the shock code wired through the framework, for tests that run it
 * whole. */
#ifndef TESTS_LIB_SHOCK_ASSEMBLY_H
#define TESTS_LIB_SHOCK_ASSEMBLY_H

#include "tests/lib/test.h"
#include "components/euler.h"
#include "framework/framework.h"
#include "ports/mesh_port.h"

struct assembly {
    struct cca_framework *framework;
};

static inline void assembly_check(int code, const struct cca_error *err)
{
    if (code)
        fail_msg("%d: %s", code, err->text);
}

static inline void assembly_create(struct assembly *a, const char *class_name,
                                   const char *name)
{
    struct cca_error err = {0};

    assembly_check(cca_framework_create(a->framework, class_name, name, &err), &err);
}

static inline void assembly_connect(struct assembly *a, const char *user,
                                    const char *uses, const char *provider,
                                    const char *provides)
{
    struct cca_error err = {0};

    assembly_check(
        cca_framework_connect(a->framework, user, uses, provider, provides, &err), &err);
}

static inline void assembly_disconnect(struct assembly *a, const char *user,
                                       const char *uses, const char *provider,
                                       const char *provides)
{
    struct cca_error err = {0};

    assembly_check(
        cca_framework_disconnect(a->framework, user, uses, provider, provides, &err),
        &err);
}

static inline void assembly_set(struct assembly *a, const char *instance,
                                const char *name, const char *value)
{
    struct cca_error err = {0};

    assembly_check(
        cca_framework_set_parameter(a->framework, instance, "config", name, value, &err),
        &err);
}

static inline void assembly_set_number(struct assembly *a, const char *instance,
                                       const char *name, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.17g", value);
    assembly_set(a, instance, name, text);
}

static inline void assembly_path(struct assembly *a, const char *folder)
{
    struct cca_error err = {0};
    const char *tree = getenv("O");
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", tree ? tree : "build/release", folder);
    assembly_check(
        cca_repository_path_append(cca_framework_repository(a->framework), path, &err),
        &err);
}

/* What an adaptive mesh uses: instances ghosts and icc. */
static inline void assembly_levels(struct assembly *a)
{
    assembly_create(a, "GhostsPerNeighbour", "ghosts");
    assembly_create(a, "ProlongRestrict", "icc");
    assembly_connect(a, "mesh", "ghosts", "ghosts", "ghosts");
    assembly_connect(a, "mesh", "prolong_restrict", "icc", "prolong_restrict");
}

/* Instances gas, states, flux, rhs, integrator, mesh, boundary, initial, characteristics
 * and driver, wired; nothing is written. */
static inline void assembly_open_on(struct assembly *a, const char *flux_class,
                                    const char *gas_class, const char *mesh_class,
                                    const char *driver_class)
{
    static const char *const wires[][3] = {
        {"states", "gas", "gas"},
        {"flux", "gas", "gas"},
        {"initial", "gas", "gas"},
        {"characteristics", "gas", "gas"},
        {"rhs", "states", "states"},
        {"rhs", "flux", "flux"},
        {"integrator", "mesh", "mesh"},
        {"integrator", "rhs", "rhs"},
        {"driver", "mesh", "mesh"},
        {"integrator", "boundary", "boundary"},
        {"driver", "initial", "initial"},
        {"driver", "integrator", "integrator"},
        {"driver", "boundary", "boundary"},
        {"driver", "characteristics", "characteristics"},
    };
    struct cca_framework_options options = {0};
    struct cca_error err = {0};

    a->framework = cca_framework_new(&options, &err);
    assembly_check(a->framework ? 0 : -1, &err);
    assembly_path(a, "lib/mastermind");
    assembly_path(a, "tests/components");
    assembly_create(a, gas_class, "gas");
    assembly_create(a, "States", "states");
    assembly_create(a, flux_class, "flux");
    assembly_create(a, "InviscidFlux", "rhs");
    assembly_create(a, "RK2", "integrator");
    assembly_create(a, mesh_class, "mesh");
    assembly_create(a, "BoundaryConditions", "boundary");
    assembly_create(a, "InitialConditions", "initial");
    assembly_create(a, "CharacteristicQuantities", "characteristics");
    assembly_create(a, driver_class, "driver");
    for (size_t i = 0; i < sizeof wires / sizeof wires[0]; i++)
        assembly_connect(a, wires[i][0], wires[i][1], wires[i][2], wires[i][2]);
    if (!strcmp(mesh_class, "AMRMesh"))
        assembly_levels(a);
}

static inline void assembly_open(struct assembly *a, const char *flux_class,
                                 const char *gas_class)
{
    assembly_open_on(a, flux_class, gas_class, "UniformMesh", "ShockDriver");
}

static inline void assembly_close(struct assembly *a)
{
    cca_framework_free(a->framework);
}

static inline void assembly_domain(struct assembly *a, const char *problem, int nx,
                                   int ny, double t_end)
{
    assembly_set(a, "initial", "problem", problem);
    assembly_set_number(a, "driver", "nx", nx);
    assembly_set_number(a, "driver", "ny", ny);
    assembly_set_number(a, "driver", "t_end", t_end);
}

static inline void assembly_borders(struct assembly *a, const char *in_x,
                                    const char *in_y)
{
    assembly_set(a, "boundary", "xlo", in_x);
    assembly_set(a, "boundary", "xhi", in_x);
    assembly_set(a, "boundary", "ylo", in_y);
    assembly_set(a, "boundary", "yhi", in_y);
}

static inline void assembly_go(struct assembly *a)
{
    struct cca_error err = {0};

    assembly_check(cca_framework_go(a->framework, "driver", "go", &err), &err);
}

static inline void *assembly_port(struct assembly *a, const char *instance,
                                  const char *port, const char *type, size_t size)
{
    struct cca_error err = {0};
    void *found = cca_framework_port(a->framework, instance, port, type, size, &err);

    assembly_check(found ? 0 : -1, &err);
    return found;
}

static inline struct mesh_port *assembly_mesh(struct assembly *a)
{
    return assembly_port(a, "mesh", "mesh", MESH_PORT_TYPE, sizeof(struct mesh_port));
}

/* The conserved variables of the whole domain, [5][ny][nx]; new. They are the driver's
 * field, the first that it makes. */
static inline double *assembly_field(struct assembly *a)
{
    struct mesh_port *mesh = assembly_mesh(a);
    const struct mesh_domain *domain = mesh->domain(mesh);
    double *whole =
        malloc((size_t)(domain->nx * domain->ny) * EULER_NVAR * sizeof *whole);

    assert_non_null(whole);
    for (int k = 0; k < mesh->patch_count(mesh, 0); k++) {
        const struct mesh_patch *p = mesh->patch(mesh, 0, k);
        const double *u = mesh->field(mesh, 0, k, 0);

        for (int n = 0; n < EULER_NVAR; n++)
            for (int j = 0; j < p->ny; j++)
                memcpy(whole + ((n * domain->ny) + p->jlo + j) * domain->nx + p->ilo,
                       u + n * p->plane + (j + p->ghost) * p->pitch + p->ghost,
                       (size_t)p->nx * sizeof *whole);
    }
    return whole;
}

#endif
