#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Libraries of numbers, from their headers as Debian ships them.
. "$(dirname "$0")/../headers/headers.sh"
needs_preload

multiarch=$($CC -print-multiarch)
library cblas /usr/include/"$multiarch"/cblas.h \
    cblas_dgemm,cblas_dscal,cblas_ddot,cblas_sasum,cblas_idamax -lblas
library blas "$here/blas_f77.h" dgemm_,dgemv_ -lblas -I"$here"
library lapack /usr/include/lapack.h dgetrf_,dgetrs_,dsyev_ -llapack
library fftw /usr/include/fftw3.h "" -lfftw3
library gsl "$here/gsl.h" gsl_integration_workspace_alloc,gsl_integration_qag,gsl_fft_complex_radix2_forward,gsl_sf_bessel_Jn \
    "-lgsl -lblas" -I"$here"
library libm "$here/libm.h" exp,cbrt,frexp,modf,ldexp,tanf,atan2l,lrint,pow,cabs,cexp -lm -I"$here"
finish
