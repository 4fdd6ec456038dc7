/* SPDX-License-Identifier: BSD-3-Clause */
/* maxima.c: remove the bias of maxima of noisy values by extrapolation to zero noise. */
#include "properties/confidence/maxima.h"

#include <math.h>

double mm_without_noise(double seen, double noisier, double times)
{
    if (isnan(noisier) || !(times > 1))
        return seen;
    return seen - (noisier - seen) / (sqrt(times) - 1);
}
