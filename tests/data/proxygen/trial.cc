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

const trial_port port = {{TRIAL_PORT_TYPE, sizeof(trial_port)},
                         work,
                         pair,
                         touch,
                         feed,
                         mixed,
                         fail,
                         block,
                         nullptr,
                         ratio,
                         name,
                         origin,
                         touch,
                         flags};

const cca_port_impl implements[] = {
    {"trial", 0, &port.base},
    {nullptr, 0, nullptr},
};

} // namespace

CCA_EXPORT const cca_class cca_class = {
    CCA_ABI, sizeof(struct cca_class), "TrialTarget", "what the trial calls", nullptr, nullptr,
    nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr, nullptr,
    sizeof(trial_port), CCA_NO_SERVICES, implements, nullptr,
};
