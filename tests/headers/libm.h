/* SPDX-License-Identifier: BSD-3-Clause */
/* libm.h: the two headers of the mathematical library. */
#include <complex.h>
#include <math.h>
