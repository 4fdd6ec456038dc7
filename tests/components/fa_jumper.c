/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_jumper.c: leaves calls of a random depth by longjmp, `count` times, and fails if
 * memory grows. */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>

#include "framework/cca.h"
#include "ports/go_port.h"
#include "tests/components/fa_act.h"

struct jumper {
    struct go_port go;
    struct fa_act act;
    struct cca_services *services;
    jmp_buf back;
};

static void jump(struct fa_act *act)
{
    longjmp(cca_container_of(act, struct jumper, act)->back, 1);
}

static __attribute__((noinline)) void jump_from(struct jumper *jumper,
                                                struct flux_port *flux, int depth)
{
    if (!setjmp(jumper->back))
        fa_call(flux, depth, &jumper->act);
}

static int go(struct go_port *self)
{
    struct jumper *jumper = cca_container_of(self, struct jumper, go);
    int count = (int)cca_services_param_long(jumper->services, "count"), depth;
    int most = (int)cca_services_param_long(jumper->services, "depth");
    long limit = cca_services_param_long(jumper->services, "grow_kb"), warm = 0;
    struct flux_port *flux = cca_services_get(jumper->services, "flux", NULL);
    long long frames = 0;
    uint64_t seed = 11;

    if (!flux)
        return -ENOTCONN;
    jumper->act.act = jump;
    for (int i = 0; i < count; i++) {
        depth = 1 + fa_random(&seed, most);
        jump_from(jumper, flux, depth);
        frames += depth;
        if (i == count / 10)
            warm = fa_resident_kb();
    }
    printf("frames %lld\n", frames);
    warm = fa_resident_kb() - warm;
    cca_services_release_port(jumper->services, "flux", NULL);
    return warm <= limit ? 0
                         : cca_services_fail(jumper->services, -ENOMEM,
                                             "%ld kB more memory after warm-up", warm);
}

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct jumper, services),
    .name = "FaultJumper",
    CCA_IMPLEMENTS({"go", offsetof(struct jumper, go), &port.base}),
    CCA_USES({.name = "flux",
              .type = FLUX_PORT_TYPE,
              .size = sizeof(struct flux_port),
              .min_connections = 1}),
    CCA_PARAMS({.name = "count", .type = CCA_INT, .value = "1000", .low = "1"},
               {.name = "depth", .type = CCA_INT, .value = "8", .low = "1"},
               {.name = "grow_kb", .type = CCA_INT, .value = "1024", .low = "0"}),
};
