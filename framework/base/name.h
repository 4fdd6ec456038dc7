/* SPDX-License-Identifier: BSD-3-Clause */
/* name.h: check names of instances, ports and parameters. */
#ifndef FRAMEWORK_BASE_NAME_H
#define FRAMEWORK_BASE_NAME_H

enum { CCA_NAME_LONGEST = 127 };

/* True for 1 to CCA_NAME_LONGEST letters, digits, '_' and '-'. */
int cca_name_valid(const char *name);

#endif
