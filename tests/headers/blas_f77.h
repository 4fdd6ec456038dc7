/* SPDX-License-Identifier: BSD-3-Clause */
/* blas_f77.h: the Fortran symbols of BLAS. The public header needs the other to be there
 * before. */
#include <cblas.h>
#include <cblas_f77.h>
