/* SPDX-License-Identifier: BSD-3-Clause */
/* given_clock.c: choose the length of a tick with which given times can be stored. */
#include "mastermind/writer/given.h"

#include <math.h>

/* True if `ns` is a whole number of ticks, but for the error with which a double
 * represents a decimal number. */
static int is_whole(double ns, double ticks_per_ns)
{
    double ticks = ns * ticks_per_ns;

    return fabs(ticks - nearbyint(ticks)) <= ticks * 0x1p-51;
}

/* Doubles represent powers of ten up to 10^22 exactly. */
double mm_given_ticks_per_ns(const double *times_ns, size_t count)
{
    double least = INFINITY, sum = 0, ticks = 1;

    for (size_t i = 0; i < count; i++) {
        sum += times_ns[i];
        if (times_ns[i] > 0 && times_ns[i] < least)
            least = times_ns[i];
    }
    if (!(sum < 9.2e18))
        return 0;
    for (size_t i = 0; i < count; i++)
        while (ticks < 1e22 && least * ticks < 1e6 && !is_whole(times_ns[i], ticks))
            ticks *= 10;
    while (ticks > 1 && sum * ticks >= 0x1p62)
        ticks /= 10;
    return ticks;
}
