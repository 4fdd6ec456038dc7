/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_jumper.c: leaves calls of a random depth by longjmp, `count` times, and fails if
 * memory grows. */
#include <setjmp.h>
#include <stdio.h>

#include "tests/faults/fa_go.h"

struct jumper {
    struct fa_go own;
    jmp_buf back;
};

static void jump(struct fa_act *act)
{
    longjmp(cca_container_of(act, struct jumper, own.act)->back, 1);
}

static __attribute__((noinline)) void jump_from(struct jumper *jumper,
                                                struct flux_port *flux, int depth)
{
    if (!setjmp(jumper->back))
        fa_call(flux, depth, &jumper->own.act);
}

static int fa_run(struct fa_go *own)
{
    struct jumper *jumper = cca_container_of(own, struct jumper, own);
    int count = fa_int(own, "count"), depth;
    int most = fa_int(own, "depth");
    long limit = cca_services_param_long(jumper->own.services, "grow_kb"), warm = 0;
    struct flux_port *flux = own->flux;
    long long frames = 0;
    uint64_t seed = 11;

    jumper->own.act.act = jump;
    for (int i = 0; i < count; i++) {
        depth = 1 + fa_random(&seed, most);
        jump_from(jumper, flux, depth);
        frames += depth;
        if (i == count / 10)
            warm = fa_resident_kb();
    }
    printf("frames %lld\n", frames);
    warm = fa_resident_kb() - warm;
    return warm <= limit ? 0
                         : cca_services_fail(jumper->own.services, -ENOMEM,
                                             "%ld kB more memory after warm-up", warm);
}

FA_CLASS(jumper, "FaultJumper",
         CCA_PARAMS({.name = "count", .type = CCA_INT, .value = "1000", .low = "1"},
                    {.name = "depth", .type = CCA_INT, .value = "8", .low = "1"},
                    {.name = "grow_kb", .type = CCA_INT, .value = "1024", .low = "0"}));
