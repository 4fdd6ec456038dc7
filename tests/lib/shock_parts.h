/* SPDX-License-Identifier: BSD-3-Clause */
/* shock_parts.h: a flux class and States wired to a gas, for tests that call their ports.
 */
#ifndef TESTS_LIB_SHOCK_PARTS_H
#define TESTS_LIB_SHOCK_PARTS_H

#include "tests/lib/test.h"
#include "framework/framework.h"
#include "ports/flux_port.h"
#include "ports/states_port.h"

struct parts {
    struct cca_framework *framework;
    struct flux_port *flux;
    struct states_port *states;
};

static inline void parts_check(int ok, const struct cca_error *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

static inline void parts_set(struct parts *parts, const char *instance, const char *name,
                             const char *value)
{
    struct cca_error err = {0};

    parts_check(!cca_framework_set_parameter(parts->framework, instance, "config", name,
                                             value, &err),
                &err);
}

/* Instances gas, flux (of class `flux_class`) and states, from the build tree $O. */
static inline void parts_open(struct parts *parts, const char *flux_class)
{
    struct cca_framework_options options = {0};
    struct cca_error err = {0};
    const char *tree = getenv("O");
    char modules[4096];

    snprintf(modules, sizeof modules, "%s/lib/mastermind", tree ? tree : "build/release");
    parts->framework = cca_framework_new(&options, &err);
    parts_check(!!parts->framework, &err);
    parts_check(
        !cca_repository_path_append(cca_framework_repository(parts->framework), modules,
                                    &err) &&
            !cca_framework_create(parts->framework, "GasProperties", "gas", &err) &&
            !cca_framework_create(parts->framework, flux_class, "flux", &err) &&
            !cca_framework_create(parts->framework, "States", "states", &err) &&
            !cca_framework_connect(parts->framework, "flux", "gas", "gas", "gas", &err) &&
            !cca_framework_connect(parts->framework, "states", "gas", "gas", "gas", &err),
        &err);
    parts->flux = cca_framework_port(parts->framework, "flux", "flux", FLUX_PORT_TYPE,
                                     sizeof *parts->flux, &err);
    parts->states = cca_framework_port(parts->framework, "states", "states",
                                       STATES_PORT_TYPE, sizeof *parts->states, &err);
    parts_check(parts->flux && parts->states, &err);
}

static inline void parts_close(struct parts *parts)
{
    cca_framework_free(parts->framework);
}

#endif
