/* SPDX-License-Identifier: BSD-3-Clause */
/* gsl.h: some of the many headers of GSL, as one. */
#include <gsl/gsl_fft_complex.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sf_bessel.h>
