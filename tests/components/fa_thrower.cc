/* SPDX-License-Identifier: BSD-3-Clause */
/* fa_thrower.cc: leaves calls of a random depth by a C++ exception, or by cancelling the
 * thread that is in them, `count` times; fails if memory grows or the exception changes.
 */
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
#include <unistd.h>

extern "C" {
#include "framework/cca.h"
#include "ports/go_port.h"
}
#include "tests/faults/fa_act.h"

namespace
{

struct Oops : std::runtime_error {
    explicit Oops(int with) : std::runtime_error("oops"), number(with)
    {
    }
    int number;
};

struct Thrower {
    go_port go;
    fa_act act;
    cca_services *services;
    flux_port *flux;
    int depth, number;
    sem_t inside;
};

Thrower *of_act(fa_act *act)
{
    return reinterpret_cast<Thrower *>(reinterpret_cast<char *>(act) -
                                       offsetof(Thrower, act));
}

void throw_it(fa_act *act)
{
    throw Oops(of_act(act)->number);
}

void wait_for_the_end(fa_act *act)
{
    sem_post(&of_act(act)->inside);
    for (;;)
        pause();
}

bool throw_once(Thrower *thrower)
{
    thrower->act.act = throw_it;
    try {
        fa_call(thrower->flux, thrower->depth, &thrower->act);
    } catch (const Oops &oops) {
        return oops.number == thrower->number && std::strcmp(oops.what(), "oops") == 0;
    }
    return false;
}

void *be_cancelled(void *context)
{
    Thrower *thrower = static_cast<Thrower *>(context);

    fa_call(thrower->flux, thrower->depth, &thrower->act);
    return nullptr;
}

bool cancel_once(Thrower *thrower)
{
    pthread_t thread;
    void *result;

    thrower->act.act = wait_for_the_end;
    if (pthread_create(&thread, nullptr, be_cancelled, thrower) != 0)
        return false;
    while (sem_wait(&thrower->inside) != 0 && errno == EINTR)
        continue;
    return pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 &&
           result == PTHREAD_CANCELED;
}

int go(go_port *self)
{
    Thrower *thrower = reinterpret_cast<Thrower *>(self);
    const int count =
        static_cast<int>(cca_services_param_long(thrower->services, "count"));
    const int most =
        static_cast<int>(cca_services_param_long(thrower->services, "depth"));
    const bool cancel =
        std::strcmp(cca_services_param_string(thrower->services, "by"), "cancel") == 0;
    const long limit = cca_services_param_long(thrower->services, "grow_kb");
    long long frames = 0, good = 0;
    long warm = 0;
    uint64_t seed = 12;

    thrower->flux =
        static_cast<flux_port *>(cca_services_get(thrower->services, "flux", nullptr));
    if (!thrower->flux)
        return -ENOTCONN;
    for (thrower->number = 0; thrower->number < count; thrower->number++) {
        thrower->depth = 1 + fa_random(&seed, most);
        good += cancel ? cancel_once(thrower) : throw_once(thrower);
        frames += thrower->depth;
        if (thrower->number == count / 10)
            warm = fa_resident_kb();
    }
    std::printf("frames %lld, %lld as they should\n", frames, good);
    warm = fa_resident_kb() - warm;
    cca_services_release_port(thrower->services, "flux", nullptr);
    return good == count && warm <= limit
               ? 0
               : cca_services_fail(
                     thrower->services, -ENOMEM,
                     "%lld of %d went well, %ld kB more memory after warm-up", good,
                     count, warm);
}

int set_services(void *self, cca_services *, cca_error *)
{
    return sem_init(&static_cast<Thrower *>(self)->inside, 0, 0);
}

void destroy(void *self)
{
    sem_destroy(&static_cast<Thrower *>(self)->inside);
}

const go_port port = {{GO_PORT_TYPE, sizeof(go_port)}, go};

const cca_port_impl implements[] = {
    {"go", offsetof(Thrower, go), &port.base},
    {nullptr, 0, nullptr},
};

const cca_port_decl uses[] = {
    {"flux", FLUX_PORT_TYPE, sizeof(flux_port), 1, 0, 0},
    {nullptr, nullptr, 0, 0, 0, 0},
};

const cca_param_decl params[] = {
    {"count", CCA_INT, "1000", "1", nullptr, nullptr, nullptr, nullptr, nullptr},
    {"depth", CCA_INT, "8", "1", nullptr, nullptr, nullptr, nullptr, nullptr},
    {"grow_kb", CCA_INT, "1024", "0", nullptr, nullptr, nullptr, nullptr, nullptr},
    {"by", CCA_STRING, "throw", nullptr, nullptr, "throw|cancel", nullptr, nullptr,
     nullptr},
    {nullptr, CCA_INT, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr},
};

} // namespace

/* Declared first: g++ warns of one declaration that both says extern and initialises. */
CCA_EXPORT const struct cca_class cca_class;
const struct cca_class cca_class = {
    CCA_ABI,
    sizeof(struct cca_class),
    "FaultThrower",
    nullptr,
    nullptr,
    uses,
    params,
    nullptr,
    nullptr,
    nullptr,
    0,
    nullptr,
    set_services,
    destroy,
    sizeof(Thrower),
    offsetof(Thrower, services),
    implements,
    nullptr,
};
