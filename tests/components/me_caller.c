/* SPDX-License-Identifier: BSD-3-Clause */
/* me_caller.c: a Go port that calls a flux port a known number of times, from known
 * threads. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/cca.h"
#include "ports/flux_port.h"
#include "ports/go_port.h"

struct caller {
    struct go_port go;
    struct cca_services *services;
    struct flux_port *flux;
    int calls, depth;
};

static void *call_all(void *context)
{
    struct caller *caller = context;
    int64_t sum = 0, iterations;

    for (int i = 0; i < caller->calls; i++) {
        if (caller->flux->compute(caller->flux, i % 2, i + 1, caller->depth, -1, NULL,
                                  NULL, NULL, i % 3 ? &iterations : NULL, NULL) == 0 &&
            i % 3)
            sum += iterations;
    }
    return (void *)(intptr_t)sum; /* the methods' results depend on it */
}

static int64_t call_on_threads(struct caller *caller, int count)
{
    pthread_t threads[64];
    int64_t sum = 0;
    void *part;

    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, call_all, caller))
            abort();
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], &part);
        sum += (int64_t)(intptr_t)part;
    }
    return sum;
}

static int end_as_told(struct caller *caller)
{
    const char *end = cca_services_param_string(caller->services, "end");

    if (!strcmp(end, "fail"))
        return cca_services_fail(caller->services, -ERANGE, "told to fail");
    if (!strcmp(end, "exit"))
        exit(9);
    if (!strcmp(end, "_exit"))
        _exit(10);
    if (!strcmp(end, "abort"))
        abort();
    if (!strcmp(end, "kill"))
        raise(SIGKILL);
    if (!strcmp(end,
                "fork")) /* the child runs to the end of the script, then the parent */
        waitpid(fork(), NULL, 0);
    return 0;
}

static int go(struct go_port *self)
{
    struct caller *caller = cca_container_of(self, struct caller, go);
    const char *command = cca_services_param_string(caller->services, "command");
    int threads = (int)cca_services_param_long(caller->services, "threads"), result;
    int64_t sum;

    caller->calls = (int)cca_services_param_long(caller->services, "calls");
    caller->depth = (int)cca_services_param_long(caller->services, "depth");
    caller->flux = cca_services_get(caller->services, "flux", NULL);
    if (!caller->flux)
        return -ENOTCONN;
    if (*command && system(command))
        return cca_services_fail(caller->services, -EIO, "command failed");
    sum = threads ? call_on_threads(caller, threads) : (intptr_t)call_all(caller);
    printf("sum %lld\n", (long long)sum);
    fflush(stdout);
    result = end_as_told(caller);
    cca_services_release_port(caller->services, "flux", NULL);
    return result;
}

static const struct go_port port = {{GO_PORT_TYPE, sizeof port}, go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct caller, services),
    .name = "MeasuredCaller",
    CCA_IMPLEMENTS({"go", offsetof(struct caller, go), &port.base}),
    CCA_USES(CCA_REQUIRED("flux", FLUX_PORT_TYPE, struct flux_port)),
    CCA_PARAMS(
        {.name = "calls", .type = CCA_INT, .value = "10", .low = "0"},
        {.name = "depth", .type = CCA_INT, .value = "1", .low = "1"},
        {.name = "threads", .type = CCA_INT, .value = "0", .low = "0", .high = "64"},
        {.name = "command", .type = CCA_STRING, .value = ""},
        {.name = "end",
         .type = CCA_STRING,
         .value = "return",
         .choices = "return|fail|exit|_exit|abort|kill|fork"}),
};
