/* SPDX-License-Identifier: BSD-3-Clause */
/* trial.cc: the class TrialTarget, in C++, which throws through its proxy. */
#include "trial_port.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "framework/cca.h"

namespace {

int64_t work(trial_port *, int axis, int nx, size_t, double dt, char *trace, int64_t *count,
             double *error)
{
    std::strcat(trace, "call;");
    if (count)
        *count = nx;
    if (error)
        *error = dt;
    errno = ERANGE;
    return axis + INT64_C(5000000000);
}

trial_pair pair(trial_port *, trial_pair in, trial_callback call, int, int, int, int, int, int,
                void *context)
{
    trial_pair out = {call(context, in.first), in.second};

    return out;
}

void touch(trial_port *)
{
}

void feed(trial_port *, int64_t)
{
}

bool mixed(trial_port *, bool on, trial_color color, float single, long double wide,
           const double *point, unsigned char byte, const trial_pair *const *pairs, int last)
{
    return on && color == TRIAL_BLUE && single == 0.5f && wide == 0.25L && point[2] == 3.0 &&
           byte == 200 && (*pairs)->first == 9 && last == 77;
}

int fail(trial_port *, int depth)
{
    if (depth)
        throw depth;
    return 1;
}

int block(trial_port *, int say, int wait)
{
    char byte = 'x';

    if (write(say, &byte, 1) != 1 || read(wait, &byte, 1) != 1)
        return -1;
    return 0;
}

double ratio(trial_port *)
{
    return 0.75;
}

const char *name(trial_port *, int index)
{
    return index == 4 ? "four" : "other";
}

trial_pair origin(trial_port *)
{
    trial_pair pair = {3, 4.0};

    return pair;
}

unsigned flags(trial_port *)
{
    return 6;
}

struct target {
    trial_port port;
};

void *create(const cca_class *, cca_error *)
{
    target *self = new target();

    self->port.base.type = TRIAL_PORT_TYPE;
    self->port.base.size = sizeof self->port;
    self->port.work = work;
    self->port.pair = pair;
    self->port.touch = touch;
    self->port.feed = feed;
    self->port.mixed = mixed;
    self->port.fail = fail;
    self->port.block = block;
    self->port.ratio = ratio;
    self->port.name = name;
    self->port.origin = origin;
    self->port.rest = touch;
    self->port.flags = flags;
    return self;
}

int set_services(void *self, cca_services *services, cca_error *err)
{
    return cca_services_add_provides_port(services, &static_cast<target *>(self)->port.base,
                                          "trial", nullptr, err);
}

void destroy(void *self)
{
    delete static_cast<target *>(self);
}

const cca_port_decl provides[] = {
    {"trial", TRIAL_PORT_TYPE, sizeof(trial_port), 0, 0, 0},
    {nullptr, nullptr, 0, 0, 0, 0},
};

} // namespace

CCA_EXPORT const cca_class cca_class = {
    CCA_ABI, sizeof(struct cca_class), "TrialTarget", "what the trial calls", provides, nullptr,
    nullptr, nullptr, nullptr, nullptr, 0, create, set_services, destroy,
    0, 0, nullptr, nullptr,
};
