/* SPDX-License-Identifier: BSD-3-Clause */
/* trials.c: call an empty function through each kind of entry, so that the recorder can
 * measure the cost of that kind. */
#include "mastermind/preload/trials.h"

#include "mastermind/preload/mm_region.h"

__attribute__((noinline)) void mm_trial_nothing(void)
{
    __asm__ volatile("");
}

/* An empty interposed function, written like the functions that proxygen generates for an
 * interposition library. */
static __attribute__((noinline)) void interposed(struct interpose_library *library,
                                                 struct interpose_function *function,
                                                 int64_t a, int64_t b)
{
    if (!interpose_ready(function))
        return;
    if (!interpose_on(library, function)) {
        function->real.call();
        return;
    }

    union monitor_value in[2] = {{.i = a}, {.i = b}};
    INTERPOSE_CALL call = interpose_begin(library, function, in);

    function->real.call();
    interpose_end(&call, NULL);
}

void mm_interposer_trial(void *context, struct monitor_port *port,
                         struct monitor_method *method)
{
    static struct interpose_library library = {.abi = INTERPOSE_ABI};
    static struct interpose_function function;
    int busy = mm_interpose_busy;

    (void)context;
    if (!method) {
        mm_trial_nothing();
        return;
    }
    library.monitor = port;
    function.method = method;
    function.real.call = mm_trial_nothing;
    mm_interpose_busy = 0;
    interposed(&library, &function, 1, 64);
    mm_interpose_busy = busy;
}

void mm_region_trial(void *context, struct monitor_port *port,
                     struct monitor_method *method)
{
    static const struct mm_region_value values[2] = {{"a", 0, 0, 1, 0},
                                                     {"b", 0, 0, 64, 0}};
    struct mm_own *own = context;
    int busy = mm_interpose_busy;

    if (method) {
        own->library.monitor = port;
        own->function.method = method;
        mm_interpose_busy = 0;
        mm_region_enter(3, own->name, values[0], values[1]);
    }
    mm_trial_nothing();
    if (method) {
        mm_region_end();
        mm_interpose_busy = busy;
    }
}
