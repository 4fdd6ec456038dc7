/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.h: tables of functions of three libraries. */
#include <expat.h>
#include <gsl/gsl_integration.h>
#include <stdio.h>
